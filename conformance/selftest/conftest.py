"""How the tests of the suite run: generated examples are pinned, and runs of the reference that several modules look at are made once."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from conformance.selftest.commanding import run

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Browser

    from conformance.selftest.commanding import Ran

# The same examples on every machine and every night: what a longer search finds becomes an @example.
settings.register_profile("pinned", derandomize=True, database=None, deadline=None)
settings.load_profile("pinned")

# The runs of the tests are not what the job is about: they add nothing to its page.
os.environ.pop("GITHUB_STEP_SUMMARY", None)

# What a run of a test owes is kept where the tests are, never in the directory of whoever runs them.
_STATE = TemporaryDirectory(prefix="appliance-conformance-state-")
os.environ["XDG_STATE_HOME"] = _STATE.name

_BENDING = {"PYTEST_ADDOPTS": "--collect-only", "PYTEST_PLUGINS": "no_such_plugin"}
_STRAY = {
    "pytest.ini": "[pytest]\naddopts = --collect-only\n",
    "pytest.toml": "[pytest]\naddopts = ['--collect-only']\n",
    "conftest.py": "raise RuntimeError('not ours')\n",
    "catalog/__init__.py": "raise RuntimeError('not ours')\n",
    "reports/__init__.py": "raise RuntimeError('not ours')\n",
    "conformance/__init__.py": "raise RuntimeError('not ours')\n",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Several processes share the tests, file by file: one begins with the proof, which takes longest, another makes the shared runs."""
    sharing = {item.path for item in items if "reference_runs" in getattr(item, "fixturenames", ())}
    items.sort(key=lambda item: (item.path.stem != "test_suite_proof", item.path not in sharing))


@pytest.fixture(scope="session")
def reference_runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """The reference judged plainly and by two workers, each with --certify."""
    plain, spread = (tmp_path_factory.mktemp(name) for name in ("plain", "spread"))
    with ThreadPoolExecutor(2) as pool:
        runs = {"plain": pool.submit(run, plain, "--certify"), "spread": pool.submit(run, spread, "--certify", "--workers", "2")}
        return {name: future.result() for name, future in runs.items()}


@pytest.fixture(scope="session")
def reference_run(reference_runs: dict[str, Ran]) -> Ran:
    """The reference, judged with --certify."""
    return reference_runs["plain"]


@pytest.fixture(scope="session")
def stray_run(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """Some cases of the reference, judged where files and variables lie about that bend pytest or hide our rooms."""
    directory = tmp_path_factory.mktemp("stray")
    for name, text in _STRAY.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")
    return run(directory, "--", "-k", "ChildLock", env=_BENDING)


@pytest.fixture(scope="module")
def browser() -> Generator[Browser]:
    """A real browser for a module: as long as it is open, its driver occupies the thread's event loop."""
    from conformance.selftest.browsing import WITHOUT, chromium  # noqa: PLC0415  playwright takes a moment, and few modules need it

    if os.environ.get(WITHOUT):
        pytest.skip(f"{WITHOUT} is set: nobody looks at the pages")  # said by whoever has no browser; CI sets it nowhere
    with chromium() as opened:
        yield opened
