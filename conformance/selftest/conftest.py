"""How the tests of the suite run: generated examples are pinned, and runs of the reference that several
modules look at are made once.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import warnings
from collections.abc import Generator
from contextlib import ExitStack, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from conformance.runs.processes import pytest_process
from conformance.selftest.support.forking import ForkedElsewhere, share_imports

if TYPE_CHECKING:
    from playwright.sync_api import Browser


# The same examples on every machine and every night: what a longer search finds becomes an @example.
settings.register_profile("pinned", derandomize=True, database=None, deadline=None)
settings.load_profile("pinned")

# The runs of the tests are not what the job is about: they add nothing to its page.
os.environ.pop("GITHUB_STEP_SUMMARY", None)

_LIMIT_S = 900
"""Seconds that a test may take with its fixtures."""
_LIMITED_OTHERWISE = "test_proof"
"""The module of the whole proof, in which each trial has a limit."""
_LONGEST = (
    "test_proof",
    "test_hostile",
    "test_scenarios",
    "test_resuming",
    "test_merging",
    "test_gym",
    "test_run",
    "test_trials",
    "test_generated_requests",
    "test_nightly",
    "test_cut_off",
    "test_anonymous",
    "test_putting_back",
    "test_others",
    "test_losses",
    "test_problems",
    "test_accessibility",
    "test_outlets",
    "test_case_files",
    "test_notices",
    "test_suspects",
    "test_certificate_page",
    "test_diff",
    "test_profiles",
    "test_hostile_texts",
    "test_browser",
    "test_determinism",
    "test_parts",
    "test_attestation",
    "test_waiting",
    "test_trouble",
    "test_try",
    "test_power",
    "test_installed",
    "test_verify",
    "test_cases",
    "test_benchmarks",
    "test_any_moment",
    "test_killed",
    "test_workflows",
    "test_readme",
    "test_collected",
    "test_access",
    "test_evidence",
    "test_captures",
    "test_plugin",
)
"""The modules that take longest: more than three seconds each, or a browser. Processes share
the tests module by module, and none should end alone; `make check` leaves these out.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """What the inner loop asks for."""
    parser.addoption("--without-longest", action="store_true", help="leave out the modules that take longest")


def pytest_configure(config: pytest.Config) -> None:
    """Keep what a run of a test owes where the tests are, never in the directory of whoever runs them."""
    state = TemporaryDirectory(prefix="appliance-conformance-state-")
    config.add_cleanup(state.cleanup)
    os.environ["XDG_STATE_HOME"] = state.name
    # as commands do: looking for garbage among imports and thousands of items takes a twentieth of the time
    gc.set_threshold(20_000, 50, 100)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Import the tests once for all processes that share them, before the first of these begins."""
    if workers := session.config.getoption("numprocesses", default=None):
        for path in sorted(Path(__file__).parent.rglob("test_*.py")):
            if not pytest_ignore_collect(path, session.config):
                name = ".".join(path.relative_to(session.config.rootpath).with_suffix("").parts)
                # whatever is wrong with one, a worker imports it again and says so
                with warnings.catch_warnings(action="error"), suppress(Exception):
                    import_module(name)
        share_imports(workers)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the modules that take longest where that is asked for."""
    leaves_out = config.getoption("without_longest", default=False)  # unknown where pytest begins above
    return (leaves_out and collection_path.stem in _LONGEST) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the modules that take longest."""
    items.sort(
        key=lambda item: _LONGEST.index(item.path.stem) if item.path.stem in _LONGEST else len(_LONGEST)
    )


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave thousands of items out of every search for garbage; they live as long as the session."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def forked_pytest() -> Generator[None]:
    """Commands that tests call in their own process judge in one that is forked elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pytest_process, "JudgingProcess", ForkedElsewhere)
        yield


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    """A real browser for a module: as long as it is open, its driver occupies the thread's event loop."""
    from conformance.selftest.support.browsing import NoBrowserError, chromium  # noqa: PLC0415  playwright takes a moment, and few modules need it

    with ExitStack() as stack:
        try:
            opened = stack.enter_context(chromium())
        except NoBrowserError as error:
            if os.environ.get("CI"):
                raise
            pytest.skip(str(error))  # which says what to install; on CI it is an error
        yield opened


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the process where a test waits for ever, with the place where it waits."""
    if item.path.stem != _LIMITED_OTHERWISE:
        faulthandler.dump_traceback_later(_LIMIT_S, exit=True)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def pytest_unconfigure(config: pytest.Config) -> None:
    """Say in the last line which tests were not run, and why."""
    terminal: Any = config.pluginmanager.get_plugin("terminalreporter")
    skipped: list[pytest.TestReport] = terminal.stats.get("skipped", []) if terminal else []
    if skipped:
        reasons = {report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple)}
        modules = sorted({report.nodeid.partition("::")[0] for report in skipped})
        why = "; ".join(sorted(reasons))
        terminal.write_line(f"not run: {len(skipped)} tests of {', '.join(modules)}: {why}")
