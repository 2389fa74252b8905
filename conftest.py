"""pytest's side of the suite: options and fixtures, nothing else.

Bare `pytest` judges the reference; `pytest --target profile.toml` judges that server.
"""

from __future__ import annotations

import gc
import sys
from contextlib import ExitStack, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.checks.permission import LEVELS
from conformance.derive import CATALOG, cases_of, derivations_of
from conformance.harness.interruptions import undisturbed
from conformance.harness.ledger import LedgerError
from conformance.harness.messages import TransportError
from conformance.judge import CaseItem, Judge
from conformance.profiles.loader import ProfileError
from conformance.progress import progress_bar
from conformance.runner import HOME, PACKAGE
from conformance.runs.admission import RefusedError, admitted, holding
from conformance.runs.state import state_directory
from conformance.session import EVIDENCE, Session, saved
from conformance.spreading import Spreading, observed_by_controller
from conformance.targets import assert_certifiable
from reports.changes.baseline import load_baseline
from reports.collector import Collector
from reports.junit import UNDECIDED
from reports.results import ResultsError

if TYPE_CHECKING:
    from collections.abc import Generator

_SESSION = pytest.StashKey[Session]()
_CUT_OFF = {pytest.ExitCode.INTERRUPTED, pytest.ExitCode.INTERNAL_ERROR}


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run."""
    group = parser.getgroup("appliance conformance")
    group.addoption("--target", default="reference", help="profile file, reference, mutant:NAME, variant:NAME or hostile:NAME")
    group.addoption("--out", type=Path, default=Path("reports/out/latest"), help="directory for the files of the run")
    group.addoption("--state", type=Path, help="where what appliances are owed is kept (default: the user's state directory)")
    group.addoption("--held", action="store_true", help="whoever starts this holds the locks of the run; nothing is kept without --state")
    group.addoption("--level", choices=LEVELS, help="what the run may do (default: read; power for the servers of the suite)")
    group.addoption("--evidence", help="judge this saved ledger instead of a target; nothing is sent")
    group.addoption("--profile", help="the profile to judge --evidence with, instead of its own")
    group.addoption("--baseline", type=Path, help="what `run --baseline` has kept of an earlier run: says what changed since")
    group.addoption("--no-renderings", action="store_true", help="write results.json and the ledger, no report")
    group.addoption("--junit-inconclusive", choices=UNDECIDED, default="skipped", help="what junit.xml writes an inconclusive case as")
    group.addoption("--certify", action="store_true", help="write a certificate; end with exit code 3 while it is refused")


def _judges(config: pytest.Config) -> bool:
    """Whether the session judges a target; the suite's own tests do not."""
    selftest = Path(__file__).parent / "conformance" / "selftest"
    return not any(Path(argument.partition("::")[0]).resolve().is_relative_to(selftest) for argument in config.args)


def pytest_configure(config: pytest.Config) -> None:
    """Opens the target, so that mistakes in a profile show before anything is sent."""
    if not _judges(config):
        return
    options: Any = config.option
    out: Path = options.out
    progress = progress_bar if sys.stderr.isatty() else None
    try:
        observed = observed_by_controller(config) or saved(options.evidence, options.profile)
        state = options.state if options.held else state_directory(options.target, options.state)
        session = Session(options.target, out, level=options.level, progress=progress, observed=observed, state=state)
        if not options.held:
            _hold(config, session, state)
        if options.certify:
            assert_certifiable(session.profile)
        baseline = load_baseline(options.baseline) if options.baseline else None
    except (ProfileError, TransportError, LedgerError, ResultsError, RefusedError) as error:
        raise pytest.UsageError(str(error)) from None
    if options.evidence and not options.no_renderings and Path(options.evidence).resolve() != (out / EVIDENCE).resolve():
        raise pytest.UsageError("--evidence: reports are made from the ledger in --out; `appliance-conformance judge` puts it there")
    config.stash[_SESSION] = session
    config.add_cleanup(session.close)
    facts = session.facts(config.invocation_params.args)  # pyright: ignore[reportArgumentType]  pytest types its arguments as strings or paths
    collector = Collector(
        facts,
        out,
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
    config.pluginmanager.register(collector, "appliance-conformance")
    config.pluginmanager.register(Spreading(session), "appliance-conformance-spreading")


def _hold(config: pytest.Config, session: Session, state: Path | None) -> None:
    """Holds what a run needs until pytest has ended; a worker needs nothing, and what judges a ledger only the directory of its files."""
    if hasattr(config, "workerinput"):
        return
    stack = ExitStack()
    config.add_cleanup(stack.close)
    live = not config.option.evidence
    stack.enter_context(admitted(config.option.out, session.profile, session.level, state) if live else holding(config.option.out))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Looks at nothing beside the modules that are named: pytest would ask the file system about each of their neighbours."""
    if _SESSION not in config.stash or collection_path in {HOME, PACKAGE}:
        return None
    return not collection_path.name.startswith("test_")


def pytest_pycollect_makeitem(collector: pytest.Module, name: str, obj: Any) -> list[CaseItem] | None:
    """One item for each case of a test that is derived from the catalog."""
    derivations = derivations_of(obj)
    if not derivations:
        return None
    session = collector.config.stash[_SESSION]
    cases = cases_of(derivations, session.profile, session.level)
    return [CaseItem.of(collector, f"{name}[{case.id}]", function=obj, judge=Judge(session, case)) for case in cases]


def pytest_runtest_protocol(item: pytest.Item) -> bool | None:
    """A case runs itself: it has no fixtures to set up, and a run has thousands of cases."""
    if not isinstance(item, CaseItem):
        return None
    item.run()
    return True


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """The plan follows what pytest selected: nothing else is asked."""
    run = session.config.stash.get(_SESSION, None)
    if run is not None:
        run.select([item.judge.case for item in session.items if isinstance(item, CaseItem)])
        gc.freeze()  # items live as long as the session: looking for garbage among them costs a tenth of a run


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Generator[None]:
    """Before the files are written, everything written to the target is back."""
    run = session.config.stash.get(_SESSION, None)
    collector = session.config.pluginmanager.get_plugin("appliance-conformance")
    with undisturbed() if run else nullcontext():  # a second Ctrl-C must not cost the files of the first
        if run and isinstance(collector, Collector):
            collector.add_faults(run.finish(interrupted=exitstatus in _CUT_OFF))
        yield
    gc.unfreeze()
