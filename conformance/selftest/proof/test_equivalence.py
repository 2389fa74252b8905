"""A server gets the same results with one lane and sixteen, as a whole and in shards."""

from pathlib import Path
from typing import cast

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, CUP_WARMER
from conformance.proof.equivalence import lasting, outcome_of_all_ways
from conformance.proof.trials import Trial, all_trials
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.service import Service
from conformance.selftest.support.samples.fleets import Pairs, odd, several
from conformance.selftest.support.samples.results import FRIDGE, RUN, results_of

COFFEE = COFFEE_MAKER.only(CHILD_LOCK, CUP_WARMER)
TRIALS = [
    all_trials()["oven-in-standby.full"],
    Trial("forgetful", odd("any-ha-id", Pairs), "full", "read"),
    Trial("dropping", odd("acknowledged-and-dropped", several(COFFEE, 4)), "full", "write", 0),
    Trial("following", odd("second-oven-follows", Pairs), "full", "write", 0),
]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_results_are_the_same_in_each_way(trial: Trial, tmp_path: Path) -> None:
    """All but times, numbers of exchanges and how many there were."""
    outcome = outcome_of_all_ways(trial, tmp_path)
    assert (outcome.differs, bool(outcome.fails)) == ("", trial.name != "oven-in-standby.full")


def test_difference_is_named(tmp_path: Path) -> None:
    """With the way, and the first place of the results: here the server is another one the second time.

    What an earlier comparison has left in the directory is in nobody's way.
    """
    (tmp_path / "shard-1").mkdir()
    servers = iter([odd("any-ha-id", Pairs)(), odd("booleans-as-words", Pairs)()])
    trial = Trial("changing", cast("type[Service]", servers.__next__), "full", "read")
    assert outcome_of_all_ways(trial, tmp_path).differs.startswith("in shards: /target/name: the run says")


def test_only_what_lasts_is_compared() -> None:
    """No two runs learn the same times; the tours are the same."""
    first, slower = replace(FRIDGE, quiet_s=0.2), replace(FRIDGE, quiet_s=0.3, slowest_effect_s=0.06)
    toured = replace(first, tours=("power",))
    one, same, other = (
        lasting(results_of(run=replace(RUN, appliances=(each,)))) for each in (first, slower, toured)
    )
    assert (one == same, one == other) == (True, False)
