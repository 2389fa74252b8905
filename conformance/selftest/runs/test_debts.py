"""What could not be put back ends the writes that may move it, and no other judgement."""

import pytest

from catalog import keys
from conformance.mutants.registry import load_mutants
from conformance.selftest.support.judged_runs import Run, run_of


@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A coffee maker whose CupWarmer is found off, can be switched on, and never off again."""
    service = next(one.service for one in load_mutants() if one.name == "cup-warmer-never-off-again")
    return run_of(service(), tmp_path_factory.mktemp("stuck"), "write")


def test_tries_to_put_back_are_tries(stuck: Run) -> None:
    """What was acknowledged and had no effect is a finding, and stands beside what was not put back."""
    verdict, finding = stuck.said("SET-WRITABLE", keys.CUP_WARMER)
    assert (verdict, "still true" in finding, len(stuck.left)) == ("fail", True, 1)


@pytest.mark.parametrize(
    ("clause", "key"), [("SET-ENUMGUARD", keys.LIQUID_UNIT), ("STA-READONLY", keys.COFFEE_COUNT)]
)
def test_what_nothing_ties_to_it_is_written_all_the_same(stuck: Run, clause: str, key: str) -> None:
    """Later writes of other keys are made and judged."""
    assert stuck.said(clause, f"{key}@")[0] == "pass"


def test_what_may_move_it_is_not_written(stuck: Run) -> None:
    """A case of the key itself, or of a lock, that is made later says what was not put back."""
    for key in (keys.CUP_WARMER, keys.CHILD_LOCK):
        verdict, reason = stuck.said("SET-TYPEGUARD", key)
        assert (verdict, "CupWarmer is written" in reason) == ("inconclusive", True)
