"""A server gets the same results with one lane and sixteen, as a whole and in shards, by whoever judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from conformance.proof.equivalence import outcome_of_all_ways
from conformance.proof.trials import Trial, all_trials
from conformance.selftest.support.samples.fleets import Pairs, odd

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.reference.service import Service

TRIALS = [
    all_trials()["oven-in-standby.full"],
    Trial("forgetful", odd("any-ha-id", Pairs), "full", "read"),
    Trial("dropping", odd("acknowledged-and-dropped", Pairs), "full", "write", 0),
    Trial("following", odd("second-oven-follows", Pairs), "full", "write", 0),
]


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_results_are_the_same_in_each_way(trial: Trial, tmp_path: Path) -> None:
    """All but times, numbers of exchanges and how many there were."""
    outcome = outcome_of_all_ways(trial, tmp_path, by_workers=trial.name == "forgetful")
    assert (outcome.differs, bool(outcome.fails)) == ("", trial.name != "oven-in-standby.full")


def test_difference_is_named(tmp_path: Path) -> None:
    """With the way, and the first place of the results: here the server is another one the second time."""
    servers = iter([Pairs(), odd("booleans-as-words", Pairs)()])
    trial = Trial("changing", cast("type[Service]", servers.__next__), "full", "read")
    assert outcome_of_all_ways(trial, tmp_path).differs.startswith("in shards: /target/name: the run says")
