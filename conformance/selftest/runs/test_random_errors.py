"""A server that errs at random fails no clause, and an entry that always fails is found beside it."""

from pathlib import Path
from typing import cast

import pytest

from catalog.model import Level
from conformance.cases import CATALOG
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.requests import ErringAtRandom
from conformance.reference.profile import Knowledge
from conformance.selftest.support.judged_runs import run_of

CAN_FAIL = {clause.id for clause in CATALOG.clauses.values() if clause.can_fail}
ERRING = ("errs-in-5-of-100", "errs-in-30-of-100", "errs-in-60-of-100", "drops-30-of-100-connections")
CUTTING = "cuts-30-of-100-bodies"


def red(server: str, seed: int, out: Path, level: Level = "read", knowledge: Knowledge = "L2") -> set[str]:
    """The clauses that failed or broke."""
    service = cast("ErringAtRandom", find_server(server)())
    service.seed = seed
    return run_of(service, out, level, clauses=CAN_FAIL, knowledge=knowledge).red()


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("server", [*ERRING, CUTTING])
def test_errors_at_random_convict_nobody(server: str, seed: int, tmp_path: Path) -> None:
    """Whatever share of the answers is 500, 502, cut short or never comes, no clause fails."""
    assert red(server, seed, tmp_path) == set()


@pytest.mark.parametrize("server", ERRING)
def test_errors_at_random_convict_nobody_of_writes(server: str, tmp_path: Path) -> None:
    """A write that meets an error is no refusal, whether it took effect or not."""
    assert red(server, 0, tmp_path, "power", "full") == set()


@pytest.mark.parametrize("seed", range(2))
def test_an_entry_that_always_fails_is_found_beside_random_errors(seed: int, tmp_path: Path) -> None:
    """A claimed key that is answered 500 each time fails alone, though 5 of a hundred answers are errors."""
    server = "setting-fails-beside-random-errors"
    assert red(server, seed, tmp_path, knowledge="L1") == {"READ-SETTING"}
