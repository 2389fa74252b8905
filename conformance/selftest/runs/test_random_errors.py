"""A server that errs at random fails no clause, and an entry that always fails is found beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from conformance.cases import CATALOG
from conformance.mutants.registry import find_server
from conformance.selftest.support.direct import direct_run

if TYPE_CHECKING:
    from pathlib import Path

    from catalog.model import Level
    from conformance.mutants.faults.random_errors import ErringAtRandom
    from conformance.reference.profile import Knowledge

CAN_FAIL = {clause.id for clause in CATALOG.clauses.values() if clause.can_fail}
ERRING = ["errs-in-5-of-100", "errs-in-30-of-100", "errs-in-60-of-100"]
DROPPING = "drops-30-of-100-connections"
SEEDS = 30
FEW = 6


def fails(
    server: str, seeds: int, out: Path, level: Level = "read", knowledge: Knowledge = "L2"
) -> set[tuple[int, str]]:
    """The clauses that failed or broke, with the seed, over so many seeds."""
    found: set[tuple[int, str]] = set()
    for seed in range(seeds):
        service = cast("ErringAtRandom", find_server(server)())
        service.seed = seed
        place = out / str(seed)
        place.mkdir()
        found |= {
            (seed, clause)
            for clause in direct_run(service, place, level, knowledge=knowledge, clauses=CAN_FAIL).red()
        }
    return found


@pytest.mark.parametrize("server", ERRING)
def test_server_errors_at_random_convict_nobody(server: str, tmp_path: Path) -> None:
    """Whatever share of the answers is 500 or 502, no clause fails."""
    assert fails(server, SEEDS, tmp_path) == set()


@pytest.mark.parametrize("server", ["cuts-30-of-100-bodies", DROPPING])
def test_cut_bodies_and_lost_connections_at_random_convict_nobody(server: str, tmp_path: Path) -> None:
    """Nor where bodies are cut short or connections are closed without an answer."""
    assert fails(server, FEW, tmp_path) == set()


@pytest.mark.parametrize("server", [*ERRING, DROPPING])
def test_errors_at_random_convict_nobody_of_writes(server: str, tmp_path: Path) -> None:
    """A write that meets an error is no refusal, whether it took effect or not."""
    assert fails(server, FEW, tmp_path, "power", "full") == set()


@pytest.mark.parametrize("seed", range(FEW))
def test_an_entry_that_always_fails_is_found_beside_random_errors(seed: int, tmp_path: Path) -> None:
    """A claimed key that is answered 500 each time fails alone, though 5 of a hundred answers are errors."""
    service = cast("ErringAtRandom", find_server("setting-fails-beside-random-errors")())
    service.seed = seed
    assert direct_run(service, tmp_path, knowledge="L1", clauses=CAN_FAIL).red() == {"READ-SETTING"}
