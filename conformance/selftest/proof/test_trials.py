"""What comes of a trial, of hundreds of them in a pool and in each way of running, and what is published."""

import gc
import os
import threading
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.view import View
from conformance.harness import ledger
from conformance.mutants.registry import load_mutants
from conformance.proof.equivalence import lasting, outcome_of_all_ways
from conformance.proof.kill_matrix import UnjudgedError, descriptions, with_rows
from conformance.proof.outcomes import TrialOutcome, outcome_of
from conformance.proof.pool import judge_all
from conformance.proof.proof import Proof, Tried
from conformance.proof.trials import Trial, all_trials
from conformance.records.ledger_lines import exchange_of
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.samples.results import FRIDGE, RUN, results_of
from conformance.selftest.support.servers.recording import Pairs, odd, several

TRIAL = Trial("one", type("One", (Service,), {"fleet": (DISHWASHER,)}), "full", "read")


def otherwise(line: dict[str, Any]) -> Exchange:
    """An exchange of a ledger, taken for one of another appliance."""
    return replace(exchange_of(line), ha_id="other")


def test_ledger_that_is_read_otherwise_is_a_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first exchange that differs is named."""
    monkeypatch.setattr(ledger, "exchange_of", otherwise)
    assert outcome_of(TRIAL, tmp_path, pytest=False).troubles == ("its ledger differs: exchange 0",)


_OF_EVERY_LANE = ("booleans-as-words", "second-oven-follows", "custom-color-in-words.full")
"""Runs that only read, or listen, write, tour and ask a person, with and without a finding."""


def test_run_that_is_over_is_freed_at_once(tmp_path: Path) -> None:
    """Nobody has to look for it: what it has seen is no garbage in which one thing holds the other."""
    trials = [all_trials()[name] for name in _OF_EVERY_LANE]
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for trial in trials:
            outcome_of(trial, tmp_path / trial.name, pytest=False)
        gc.collect()
        assert not [one for one in gc.garbage if isinstance(one, Exchange | View)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


class Moved(Service):
    """Its run ends with another value in the store than the one that is shown."""

    fleet = (DISHWASHER.only(CHILD_LOCK),)

    def settings(self) -> dict[tuple[str, str], Json]:
        """The settings, and how often they were asked for."""
        self.asked = getattr(self, "asked", 0) + 1
        return {("dishwasher-1", CHILD_LOCK): self.asked}


def test_setting_that_is_left_otherwise_is_a_trouble(tmp_path: Path) -> None:
    """Where a run writes, each setting is afterwards what it was, or the run says that it is not."""
    outcome = outcome_of(Trial("moved", Moved, "full", "write", 0), tmp_path, pytest=False)
    said = f"dishwasher-1 {CHILD_LOCK} was 1, is 2, and the run says nothing of it"
    assert outcome.troubles == (said,)


# Trials are judged in processes that do not outlive their limit.
CLEAN = TrialOutcome("pass", {})


def outcome_named(name: str) -> TrialOutcome:
    """What comes of a trial that does as it is called; one that hangs is called like its standard error."""
    match name:
        case hangs if Path(hangs).is_absolute():
            os.dup2(os.open(hangs, os.O_WRONLY | os.O_CREAT), 2)
            threading.Event().wait()
        case "ends":
            os._exit(7)
        case "raises":
            raise ValueError(name)
        case _:
            pass
    return CLEAN


def process_of(_name: str) -> int:
    """Which process judges a trial."""
    return os.getpid()


@pytest.mark.parametrize("apart", [False, True])
def test_trials_judged_apart_share_no_process(*, apart: bool) -> None:
    """So that the memory that one of them has used is not counted as that of the next."""
    outcomes = judge_all(["one", "next"], process_of, workers=1, limit_s=60, apart=apart)
    assert (outcomes["one"] != outcomes["next"]) is apart


def test_trial_that_takes_too_long_is_named(tmp_path: Path) -> None:
    """Its process ends, and says what it was doing; another judges the next trial."""
    hangs = str(tmp_path / "hangs")
    outcomes = judge_all([hangs, "answers"], outcome_named, workers=1, limit_s=4)
    reason = "its trial took longer than 4 s; standard error says what it was doing"
    assert outcomes == {hangs: TrialOutcome("error", {}, (reason,)), "answers": CLEAN}
    said = Path(hangs).read_text(encoding="utf-8")
    assert ("most recent call first" in said, " in outcome_named\n" in said) == (True, True)


def test_trial_that_ends_its_process_is_named() -> None:
    """Others are judged all the same, also by the process in which one raised an error."""
    outcomes = judge_all(["ends", "raises", "answers"], outcome_named, workers=2, limit_s=60)
    assert outcomes["ends"].faults == ("its trial ended the process with 7",)
    assert outcomes["raises"].faults[0].endswith("ValueError: raises\n")
    assert outcomes["answers"] == CLEAN


# A server gets the same results with one lane and sixteen, as a whole and in shards.
COFFEE = COFFEE_MAKER.only(CHILD_LOCK)


class TwoPairs(Service):
    """Two ovens and two coffee makers."""

    fleet = tuple(one for one in Pairs.fleet if one.kind != "Hood")


TRIALS = [
    all_trials()["oven-in-standby.full"],
    all_trials()["key-said-to-be-the-value.L2"],
    all_trials()["one-vacation-a-household"],
    Trial("unauthorized", odd("sign-in-needed", TwoPairs), "L0", "read"),
    Trial("forgetful", odd("any-ha-id", TwoPairs), "full", "read"),
    Trial("dropping", odd("acknowledged-and-dropped", several(COFFEE, 2)), "full", "write", 0),
    Trial("following", odd("second-oven-follows", TwoPairs), "full", "write", 0),
]
VERDICTS = {
    "oven-in-standby.full": "pass",
    "key-said-to-be-the-value.L2": "inconclusive",
    "unauthorized": "inconclusive",
}
"""Of those that do not fail."""


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_results_are_the_same_in_each_way(trial: Trial, tmp_path: Path) -> None:
    """All but times, numbers of exchanges and how many there were."""
    outcome = outcome_of_all_ways(trial, tmp_path)
    assert (outcome.differs, outcome.verdict) == ("", VERDICTS.get(trial.name, "fail"))


def test_difference_is_named(tmp_path: Path) -> None:
    """With the way, and the first place of the results: here the server is another one the second time.

    What an earlier comparison has left in the directory is in nobody's way.
    """
    (tmp_path / "shard-1").mkdir()
    servers = iter([odd("any-ha-id", TwoPairs)(), odd("booleans-as-words", TwoPairs)()])
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


# The published matrix takes rows of a part of the proof, if its other rows are of servers as they are.
ONE, GONE = "any-ha-id", {"name": "a-server-of-yesterday"}


@pytest.fixture
def published() -> dict[str, Any]:
    """A matrix with a row of each server, and one of a server that is no more."""
    rows = descriptions()
    mutants = [{**row, "killed_by": [row["clause"], *row["partners"]]} for row in rows["mutants"]]
    return {**rows, "mutants": [*mutants, GONE]}


@pytest.fixture
def proof() -> Proof:
    """The proof of one mutant."""
    mutant = next(one for one in load_mutants() if one.name == ONE)
    case = f"{mutant.clause}::*@one"
    tried = Tried(mutant, TrialOutcome("fail", {case: "It is."}), TrialOutcome("pass", {}, passes=(case,)))
    return Proof({ONE: tried}, {})


def test_rows_are_put_in_their_places(published: dict[str, Any], proof: Proof) -> None:
    """One row is that of the proof, all others stay; clauses and order follow from the rows."""
    order = [row["name"] for row in published["mutants"] if row is not GONE]
    matrix = with_rows({**published, "mutants": published["mutants"][::-1]}, proof)
    assert [row["name"] for row in matrix["mutants"]] == order
    assert [row["name"] for row in matrix["mutants"] if "remote" in row] == [ONE]
    assert [row["id"] for row in matrix["clauses"]] == [
        one.id for one in CATALOG.clauses.values() if one.can_fail
    ]
    killed = {row["id"]: row["killed"] for row in matrix["clauses"]}
    assert ONE in killed["ADDR-HAID"]
    assert matrix["variants"] == published["variants"]
    assert matrix["problems"] == []


def test_server_without_a_row_has_to_be_judged(published: dict[str, Any], proof: Proof) -> None:
    """One that is new, and one that is told otherwise than its row says."""
    new, changed, *others = published["mutants"]
    published["mutants"] = [{**changed, "fault": "It was something else."}, *others]
    with pytest.raises(UnjudgedError, match=f"becomes of {new['name']}, {changed['name']}: judge"):
        with_rows(published, proof)


def test_clause_has_to_kill(published: dict[str, Any], proof: Proof) -> None:
    """A clause that kills nothing any more is no part of a published matrix."""
    tried = proof.mutants[ONE]
    green = Tried(tried.mutant, tried.outcome, TrialOutcome("pass", {}))
    for row in published["mutants"]:
        if row.get("clause") == "ADDR-HAID":
            row["killed_by"] = []
    with pytest.raises(UnjudgedError, match="killed by ADDR-HAID"):
        with_rows(published, replace(proof, mutants={ONE: green}))
