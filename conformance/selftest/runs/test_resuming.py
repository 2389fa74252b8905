"""A run that was cut off is resumed: it sends what is missing, and says what an uninterrupted one says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.mutants.fleets import HOOD
from conformance.mutants.registry import find_server
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.selftest.support.commanding import run
from conformance.selftest.support.fleets import several

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from conformance.selftest.support.commanding import Ran

CUTS = (0.02, 0.35, 0.9)
"""Where the ledger is cut, as parts of its lines."""
WRONG = several(HOOD, 2, find_server("booleans-as-words"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Generator[Ran]:
    """A run of a server that does not conform, which goes on serving."""
    here = tmp_path_factory.mktemp("whole")
    with serve({"": WRONG()}) as base_url:
        (here / "hub.toml").write_text(toml_of(truthful_profile(WRONG(), base_url)), encoding="utf-8")
        yield run(here, "hub.toml", "--level", "read")


def resumed(whole: Ran, directory: Path, lines: int) -> Ran:
    """The run that goes on from so many lines of its ledger."""
    ledger = (whole.out / "evidence.ndjson").read_bytes().splitlines(keepends=True)
    (directory / "out").mkdir()
    (directory / "out" / "evidence.ndjson").write_bytes(b"".join(ledger[:lines]))
    return run(directory, str(whole.out.parent / "hub.toml"), "--level", "read", "--resume")


def times(lines: list[dict[str, Any]]) -> list[str]:
    """When the exchanges were made."""
    return [line["at"] for line in lines if "request" in line]


@pytest.mark.parametrize("cut", CUTS)
def test_resumed_run_says_the_same(cut: float, whole: Ran, tmp_path: Path) -> None:
    """Its verdicts are those of the whole run; what was kept is in its ledger, and is not sent again."""
    lines = int(cut * len(whole.evidence)) + 1
    ran = resumed(whole, tmp_path, lines)
    assert (ran.code, ran.verdicts) == (whole.code, whole.verdicts)
    kept, made = times(whole.evidence[:lines]), times(ran.evidence)
    assert made[: len(kept)] == kept
    assert sum(at > whole.results["finished"] for at in made) == len(times(whole.evidence)) - len(kept)


def test_run_that_came_to_its_end_is_made_anew(whole: Ran, tmp_path: Path) -> None:
    """There is nothing to go on from."""
    ran = resumed(whole, tmp_path, len(whole.evidence))
    assert (ran.code, set(times(ran.evidence)) & set(times(whole.evidence))) == (whole.code, set())


def test_run_of_another_profile_is_not_resumed(whole: Ran, tmp_path: Path) -> None:
    """What another profile has asked for may be something else."""
    profile = whole.out.parent / "hub.toml"
    kept = profile.read_text(encoding="utf-8")
    profile.write_text(f"{kept}\n[paths]\nbattery_drift = 3\n", encoding="utf-8")
    ran = resumed(whole, tmp_path, 10)
    profile.write_text(kept, encoding="utf-8")
    assert (ran.code, "cannot be resumed" in ran.output) == (2, True)
