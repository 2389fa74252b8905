"""pytest's side of the suite: options and fixtures, nothing else.

Bare `pytest` judges the reference; `pytest --target profile.toml` judges that server.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from conformance.derive import CATALOG, cases_of, derivations_of
from conformance.harness.transport import TransportError
from conformance.profiles.loader import ProfileError
from conformance.progress import progress_bar
from conformance.session import Session
from reports.collector import Collector
from reports.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.checks.case import Case
    from conformance.checks.premise import Check

_SESSION = pytest.StashKey[Session]()
_HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of a run."""
    group = parser.getgroup("appliance conformance")
    group.addoption("--target", default="reference", help="profile file, reference, mutant:NAME or variant:NAME (default: reference)")
    group.addoption("--out", type=Path, default=_HERE / "reports" / "out" / "latest", help="directory for the files of the run")
    group.addoption("--certify", action="store_true", help="end with exit code 3 while anything claimed is inconclusive")


def _judges(config: pytest.Config) -> bool:
    """Whether the session judges a target; the suite's own tests do not."""
    return not any("selftest" in argument for argument in config.args)


def pytest_configure(config: pytest.Config) -> None:
    """Opens the target, so that mistakes in a profile show before anything is sent."""
    if not _judges(config):
        return
    out: Path = config.getoption("out")
    out.mkdir(parents=True, exist_ok=True)
    try:
        session = Session(config.getoption("target"), out, progress=progress_bar if sys.stderr.isatty() else None)
    except (ProfileError, TransportError) as error:
        raise pytest.UsageError(str(error)) from None
    config.stash[_SESSION] = session
    config.add_cleanup(session.close)
    facts = session.facts(config.invocation_params.args)  # pyright: ignore[reportArgumentType]  pytest types its arguments as strings or paths
    collector = Collector(facts, out, CATALOG, certify=config.getoption("certify"), finish=lambda _run: session.facts(facts.argv))
    config.pluginmanager.register(collector, "appliance-conformance")
    if config.pluginmanager.has_plugin("html"):
        config.pluginmanager.register(Table(CATALOG, facts.target), "appliance-conformance-table")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One item for each case."""
    derivations = derivations_of(metafunc.function)
    if derivations:
        session = metafunc.config.stash[_SESSION]
        metafunc.parametrize("case", [pytest.param(case, id=case.id) for case in cases_of(derivations, session.profile)])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks each item with its clause, so that -m "clause(id='TYPE-BOOLEAN')" selects."""
    for item in items:
        case = _case_of(item)
        if case is not None:
            item.add_marker(pytest.mark.clause(id=case.clause.id))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """The plan follows what pytest selected: nothing else is asked."""
    run = session.config.stash.get(_SESSION, None)
    if run is not None:
        run.select([case for item in session.items if (case := _case_of(item)) is not None])


def _case_of(item: pytest.Item) -> Case | None:
    callspec: Any = getattr(item, "callspec", None)
    return callspec.params.get("case") if callspec else None


@pytest.fixture
def judge(request: pytest.FixtureRequest, case: Case) -> Callable[[Check], None]:
    """Judges the case with a check and says the verdict as pytest does: passed, failed, skipped."""

    def judged(check: Check) -> None:
        __tracebackhide__ = True
        result = request.config.stash[_SESSION].judge(case, check)
        request.node.user_properties.extend(result.properties)
        if result.crash:
            raise result.crash
        if result.verdict == "fail":
            pytest.fail(result.text, pytrace=False)
        if result.verdict in {"inconclusive", "not_applicable"}:
            pytest.skip(f"{'NA' if result.verdict == 'not_applicable' else 'INCONC'}: {result.message}")

    return judged
