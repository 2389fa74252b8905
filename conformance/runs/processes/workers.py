"""Makes the exchanges of a run once, whatever the number of processes that judge.

With pytest-xdist, the controller makes those of all cases before it starts its workers, and each worker
judges the saved run of the controller. Without it, the one process reads before its first case, for the cases
that pytest selected.
"""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import all_cases
from conformance.harness.errors import UnmaskableSecretError
from conformance.harness.writes.keeping.interruptions import interrupted_once
from conformance.runs.live_run import Progress
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session

_LEDGER = "ledger"


def saved_by_controller(config: pytest.Config) -> SavedRun | None:
    """The run that a worker of pytest-xdist judges; None in any other process."""
    ledger = getattr(config, "workerinput", {}).get(_LEDGER)
    return SavedRun(Path(ledger)) if ledger else None


def _selects(config: pytest.Config) -> bool:
    """Whether only some of the cases are wanted."""
    options: Any = config.option
    named = any("::" in argument for argument in config.args)
    return bool(options.keyword or options.markexpr or options.deselect or named)


class ExchangeHooks:
    """The hooks of pytest that make the exchanges of a session, once."""

    def __init__(self, run: Session, progress: Progress | None, state: Path | None) -> None:
        """Sends nothing yet; `progress` and `state` are those of `Session.read`."""
        self._run = run
        self._progress = progress
        self._stack = ExitStack()
        self._advance: Callable[[int], None] | None = None
        self._state = state
        self._ended = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Makes the exchanges of all cases, in the controller of pytest-xdist, which collects nothing."""
        if not session.config.pluginmanager.has_plugin("dsession"):
            return
        if self._run.level != "read" and _selects(session.config):
            raise pytest.UsageError(
                "with workers, the writes of all cases are made: for some of them (-k, -m, --deselect) leave"
                " --workers out, or use --level read"
            )
        cases = all_cases(self._run.profile, self._run.level)
        self._run.select(cases)
        session.config.add_cleanup(interrupted_once(lambda: self._run.has_asked))
        try:
            self._run.read(self._progress, self._state)
            self._run.write(self._progress)
            self._run.finish()
            self._begin_to_judge(len(cases))
        except KeyboardInterrupt:
            # A session that ends before it started writes no files: pytest_runtestloop ends this one.
            session.shouldstop = "interrupted while the target was asked"
        except UnmaskableSecretError as error:
            session.shouldfail = str(error)
        self._ended = bool(session.shouldstop or session.shouldfail)

    @pytest.hookimpl(optionalhook=True, trylast=True)
    def pytest_xdist_setupnodes(self, specs: list[Any]) -> None:
        """Starts no worker for a run that has ended: its end would wait until each has started."""
        if self._ended:
            specs.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tells a worker where the ledger is."""
        node.workerinput[_LEDGER] = str(self._run.save().ledger)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """Reads before the first case, also if no selected case needs a read.

        So the ledger beside the results is always that of this run, and an error on the way is one fault.
        """
        if session.shouldstop:
            raise session.Interrupted(session.shouldstop)
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.testsfailed or session.config.getoption("collectonly"):
            return
        if session.config.pluginmanager.has_plugin("dsession"):
            return  # the controller, which has read
        session.config.add_cleanup(interrupted_once(lambda: self._run.has_asked))
        try:
            self._run.read(self._progress, self._state)
            self._run.write(self._progress)
        except UnmaskableSecretError as error:
            raise session.Failed(str(error)) from None
        self._begin_to_judge(len(session.items))

    def pytest_runtest_logfinish(self) -> None:
        """A case was judged."""
        if self._advance:
            self._advance(1)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self) -> None:
        """Ends the progress of the judging before anything is said of its outcome."""
        self._stack.close()

    def _begin_to_judge(self, cases: int) -> None:
        if self._progress:
            self._advance = self._stack.enter_context(self._progress.judging(cases))
