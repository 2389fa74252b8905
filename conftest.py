"""The options and the hooks of pytest.

Bare `pytest` judges the reference; `pytest --target profile.toml` judges that server.
"""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from catalog.model import LEVELS
from conformance.cases import CATALOG, cases_of, derivations_of
from conformance.harness.errors import LedgerError, RefusedError, TransportError
from conformance.harness.writes.interruptions import undisturbed
from conformance.profiles.mistakes import ProfileError
from conformance.runs.processes.items import CaseItem, CaseJudge
from conformance.runs.processes.opening import open_session, state_of
from conformance.runs.processes.progress import progress_bar
from conformance.runs.processes.pytest_process import HOME, PACKAGE
from conformance.runs.processes.workers import ExchangeHooks
from conformance.runs.session import Session
from conformance.runs.targets import assert_certifiable
from reports.changes.files import load_baseline
from reports.formats.junit import INCONCLUSIVE_AS
from reports.results.collector import Collector
from reports.results.file import ResultsError

if TYPE_CHECKING:
    from collections.abc import Generator

_SESSION = pytest.StashKey[Session]()
_CUT_OFF = {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR}
_OUT = Path("reports/out/latest")
_MISTAKES = (ProfileError, TransportError, LedgerError, ResultsError, RefusedError)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run."""
    option = parser.getgroup("appliance conformance").addoption
    option(
        "--target",
        default="reference",
        help="profile file, reference or mutant:, variant:, hostile:NAME",
    )
    option("--out", type=Path, default=_OUT, help="directory for the files of the run")
    option(
        "--state",
        type=Path,
        help="directory of the journals (default: the user's state directory)",
    )
    option("--held", action="store_true", help="the calling process holds the locks")
    option("--level", choices=LEVELS, help="what the run may do (default: read; embedded: power)")
    option("--evidence", type=Path, help="judge this saved ledger instead of a target; nothing is sent")
    option("--profile", type=Path, help="the profile to judge --evidence with, instead of its own")
    option("--baseline", type=Path, help="an earlier run, as `run --baseline` kept it")
    option("--no-renderings", action="store_true", help="write results.json and the ledger, no report")
    option("--junit-inconclusive", choices=INCONCLUSIVE_AS, default="skipped", help="its word in junit.xml")
    option("--certify", action="store_true", help="write a certificate; end with 3 while it is refused")


def _judges(config: pytest.Config) -> bool:
    """Whether the session judges a target; the suite's own tests do not."""
    selftest = Path(__file__).parent / "conformance" / "selftest"
    paths = (Path(argument.partition("::")[0]).resolve() for argument in config.args)
    return not any(path.is_relative_to(selftest) for path in paths)


def pytest_configure(config: pytest.Config) -> None:
    """Opens the session, so that mistakes in a profile are reported before anything is sent."""
    if not _judges(config):
        return
    options: Any = config.option
    stack = ExitStack()
    config.add_cleanup(stack.close)
    try:
        session = config.stash[_SESSION] = open_session(config, stack)
        if options.certify:
            assert_certifiable(session.profile)
        baseline = load_baseline(options.baseline) if options.baseline else None
    except _MISTAKES as error:
        raise pytest.UsageError(str(error)) from None
    words = [str(word) for word in config.invocation_params.args]
    collector = Collector(
        session.facts(words),
        options.out,
        CATALOG,
        certify=options.certify,
        render=not options.no_renderings,
        junit_inconclusive=options.junit_inconclusive,
        waivers=session.profile.waiver,
        finish=session.ending,
        cut_off=session.is_cut_off,
        baseline=baseline,
        leaks=session.leaks,
    )
    progress = progress_bar if sys.stderr.isatty() else None
    config.pluginmanager.register(collector, "appliance-conformance")
    config.pluginmanager.register(
        ExchangeHooks(session, progress, state_of(options)), "appliance-conformance-exchanges"
    )


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Ignores all but the named modules: pytest would ask the file system about each of their neighbours."""
    if _SESSION not in config.stash or collection_path in {HOME, PACKAGE}:
        return None
    return not collection_path.name.startswith("test_")


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: Any) -> list[CaseItem] | None:
    """One item for each case of a test that is derived from the catalog."""
    derivations = derivations_of(obj)
    if not derivations:
        return None
    session = collector.config.stash[_SESSION]
    return [
        CaseItem.of(collector, f"{name}[{case.id}]", function=obj, judge=CaseJudge(session, case))
        for case in cases_of(derivations, session.profile, session.level)
    ]


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """Runs a case without setup and teardown: it has no fixtures, and a run has thousands of cases."""
    if not isinstance(item, CaseItem):
        return None
    item.run()
    return True


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Selects the cases that pytest selected: the target is asked nothing else."""
    run = session.config.stash.get(_SESSION, None)
    if run is not None:
        run.select([item.judge.case for item in session.items if isinstance(item, CaseItem)])
        # items live as long as the session: looking for garbage among them costs a tenth of a run
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Generator[None]:
    """Ends the run before the files are written: everything written to the target is back."""
    run = session.config.stash.get(_SESSION, None)
    collector = session.config.pluginmanager.get_plugin("appliance-conformance")
    with undisturbed() if run else nullcontext():  # a second Ctrl-C must not cost the files of the first
        if run and isinstance(collector, Collector):
            collector.add_faults(run.finish(interrupted=exitstatus in _CUT_OFF))
        yield
    gc.unfreeze()
