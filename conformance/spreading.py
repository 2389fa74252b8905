"""One look at the target, whoever judges: what pytest-xdist is told, so that its workers do not ask everything again.

The controller observes for all cases before it starts its workers; each worker judges from the controller's ledger.
Without pytest-xdist the one process observes before its first case, for the cases that pytest selected.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.cases import all_cases
from conformance.harness.interruptions import interrupted_once
from conformance.harness.messages import UnmaskableSecretError

if TYPE_CHECKING:
    from conformance.session import Observed, Session

NOT_SELECTED = (
    "with workers, the writes of all cases are made: for some of them (-k, -m, --deselect) leave --workers out, or use --level read"
)
_OBSERVED = "observed"


def observed_by_controller(config: pytest.Config) -> Observed | None:
    """What a worker of pytest-xdist is to judge from; None in any other process."""
    return getattr(config, "workerinput", {}).get(_OBSERVED)


def _selects(config: pytest.Config) -> bool:
    """Whether only some of the cases are wanted."""
    options: Any = config.option
    return bool(options.keyword or options.markexpr or options.deselect or any("::" in argument for argument in config.args))


class Spreading:
    """The hooks that make the exchanges of a run, once."""

    def __init__(self, run: Session) -> None:
        """Looks at nothing yet."""
        self._run = run

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """In the controller of pytest-xdist, which collects nothing: observes for all cases of the profile."""
        if not session.config.pluginmanager.has_plugin("dsession"):
            return
        if self._run.level != "read" and _selects(session.config):
            raise pytest.UsageError(NOT_SELECTED)
        self._run.select(all_cases(self._run.profile, self._run.level))
        session.config.add_cleanup(interrupted_once())
        try:
            self._run.observe()
            self._run.perform()
            self._run.finish()
        except KeyboardInterrupt:
            # A session that has not started ends without files; this one is ended a moment later, in pytest_runtestloop.
            session.shouldstop = "interrupted while the target was asked"
        except UnmaskableSecretError as error:
            session.shouldfail = str(error)

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker where the ledger is."""
        node.workerinput[_OBSERVED] = self._run.share()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Observes before the first case, also where no case is left to ask for anything.

        So the ledger beside the results is always that of this run, and what breaks on the way to it is one fault.
        """
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if not session.testsfailed and not session.config.getoption("collectonly"):
            if not session.config.pluginmanager.has_plugin("dsession"):
                session.config.add_cleanup(interrupted_once())
            try:
                self._run.observe()
            except UnmaskableSecretError as error:
                raise session.Failed(str(error)) from None
