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
from functools import cache
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

_LIMIT_S = 3600
"""Seconds that a test may take with its fixtures: longer ones wait for ever, however busy the machine is."""
_FIRST, _LIMITED_OTHERWISE = "test_proof", "whole_proof"
"""The module of the whole proof, and what its tests ask for: each trial of it has a limit of its own."""
_STARTING = (
    "import subprocess",
    "from conformance.benchmarks",
    "from conformance.gym",
    "from conformance.proof",
    "from conformance.reference.server",
    "from conformance.selftest.runs.scenarios ",
    *(
        f"from conformance.selftest.support.{module} "
        for module in ("browsing", "collected", "commands", "hostile_runs", "judged_runs", "owed_journals")
    ),
)
"""How a line begins that imports what starts processes, servers or whole runs."""


def _starts(path: Path) -> bool:
    """Whether the tests of a module start processes, servers or whole runs: most of these take longer."""
    return any(line.startswith(_STARTING) for line in path.read_text(encoding="utf-8").splitlines())


def pytest_addoption(parser: pytest.Parser) -> None:
    """What the inner loop asks for."""
    parser.addoption("--brief", action="store_true", help="leave out what starts processes or whole runs")


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
    """Leave out the modules that start processes or whole runs where that is asked for."""
    is_brief = config.getoption("brief", default=False)  # unknown where pytest begins above
    return (is_brief and collection_path.suffix == ".py" and _starts(collection_path)) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the whole proof, then with what starts processes or whole runs.

    Processes share the tests module by module: where the short ones come last, none ends alone.
    """
    starts = cache(_starts)
    items.sort(key=lambda item: (item.path.stem != _FIRST, not starts(item.path)))


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
    if _LIMITED_OTHERWISE not in getattr(item, "fixturenames", ()):
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
