"""The options and the hooks of pytest.

Bare `pytest` judges the reference; `pytest --target profile.toml` judges that server.
"""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from catalog.model import LEVELS
from conformance.cases import CATALOG
from conformance.harness.errors import LedgerError, RefusedError, TransportError
from conformance.profiles.fields import ProfileError
from conformance.runs.processes.collecting import CaseHooks
from conformance.runs.processes.opening import open_session, state_of
from conformance.runs.processes.outlets import printable
from conformance.runs.processes.progress import progress_of
from conformance.runs.processes.workers import ExchangeHooks, saved_by_controller
from conformance.runs.targets import assert_certifiable
from reports.changes.files import load_baseline
from reports.formats.junit import INCONCLUSIVE_AS
from reports.results.collector import Collector
from reports.results.file import ResultsError

_OUT = Path("reports/out/latest")
_MISTAKES = (ProfileError, TransportError, LedgerError, ResultsError, RefusedError)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run."""
    option = parser.getgroup("appliance conformance").addoption
    option("--target", default="reference", help="profile file, reference, or mutant:NAME and the like")
    option("--out", type=Path, default=_OUT, help="directory for the files of the run")
    option("--state", type=Path, help="directory of the journals (default: the user's state directory)")
    option("--held", action="store_true", help="the calling process holds the locks")
    option("--level", choices=LEVELS, help="what the run may do (default: read; embedded: power)")
    option("--sample", type=int, help="appliances of each kind to judge (default: as [fleet] says, or all)")
    option("--seed", help="chooses the appliances of a sample, and generated requests")
    option("--shard", help="I/N: ask only this part of the appliances")
    option("--wait-for-target", type=float, default=0, help="seconds to wait for a target to answer")
    option("--resume", action="store_true", help="go on from the ledger of an interrupted run in --out")
    option("--cases", type=Path, help="judge only the cases whose ids stand in this file, one a line")
    option("--evidence", type=Path, help="judge this saved ledger instead of a target; nothing is sent")
    option("--profile", type=Path, help="the profile to judge --evidence with, instead of its own")
    option("--baseline", type=Path, help="an earlier run, as `run --baseline` kept it")
    option("--no-renderings", action="store_true", help="write results.json and the ledger, no report")
    option("--junit-inconclusive", choices=INCONCLUSIVE_AS, default="skipped", help="its word in junit.xml")
    option("--started-with", type=json.loads, help="the words of the command that starts pytest, as JSON")
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
        session = open_session(config, stack)
        if options.certify:
            assert_certifiable(session.profile)
        baseline = load_baseline(options.baseline) if options.baseline else None
    except _MISTAKES as error:
        raise pytest.UsageError(printable(str(error))) from None
    words = options.started_with or ["pytest", *map(str, config.invocation_params.args)]
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
    plugins = config.pluginmanager
    # nobody reads what a trial of the proof says, and its controller says how far a worker is
    is_heard = plugins.has_plugin("terminal") and not saved_by_controller(config)
    progress = progress_of(options.verbose) if is_heard else None
    plugins.register(collector, "appliance-conformance")
    plugins.register(CaseHooks(session, collector), "appliance-conformance-cases")
    plugins.register(ExchangeHooks(session, progress, state_of(options)), "appliance-conformance-exchanges")
