"""Of appliances that are alike one is searched for an order of writes; what is found is made on each."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import POWER_STATE as POWER
from conformance.cases import CATALOG, all_cases
from conformance.checks.groups import WALK
from conformance.harness.ledger import read_ledger
from conformance.harness.observing import Observations
from conformance.harness.writes.rehearsal import rehearse
from conformance.mutants.fleets import THREE_STATES, THREE_STATES_AND_LOCK
from conformance.mutants.registry import load_mutants
from conformance.profiles.validation import build_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.runs.facts import learned
from conformance.selftest.support.judged_runs import Run, run_of

STRAYS = {record.name: record for record in load_mutants()}["second-switching-on-strays"].service
FLEET = (THREE_STATES, replace(THREE_STATES, ha_id="like-it"), replace(THREE_STATES_AND_LOCK, ha_id="other"))
FIRST = THREE_STATES.ha_id
CLAUSES = ("PWR-NO-FOREIGN",)


def of_three() -> Service:
    """The mutant with three appliances: two of them are alike."""
    service: type[Service] = type("OfThree", (STRAYS,), {"fleet": FLEET})
    return service()


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run against it."""
    return run_of(of_three(), tmp_path_factory.mktemp("alike"), "power", still=False, clauses=CLAUSES)


def made_on(run: Run, group: str) -> dict[str, list[Any]]:
    """The writes of a group by appliance."""
    writes: dict[str, list[Any]] = {}
    for line in run.requests(group):
        if line["purpose"] == "write":
            writes.setdefault(line["ha_id"], []).append(line["value"])
    return writes


def test_every_alike_appliance_is_judged_by_its_own_writes(found: Run) -> None:
    """What the search of one has found fails on each of them, by exchanges of its own."""
    failing = {name for name, (verdict, _) in found.verdicts.items() if verdict == "fail"}
    assert failing == {f"PWR-NO-FOREIGN::{POWER}@{own.ha_id}" for own in FLEET}
    orders = made_on(found, "orders/power")
    assert orders[FIRST] == orders["like-it"] != []


def test_only_one_of_them_is_searched(found: Run) -> None:
    """The other makes a few unrelated writes before each time, and is not looked at for longer."""
    asked = {own.ha_id: 0 for own in FLEET}
    for line in found.requests("search/power"):
        asked[line["ha_id"]] += 1
    assert asked["like-it"] < asked[FIRST] / 2 < asked["other"]


def test_the_results_say_which_was_searched(found: Run) -> None:
    """Live and from the ledger, each appliance names the one on which orders were looked for."""
    ledger = read_ledger(found.out / "evidence.ndjson")
    profile = build_profile(ledger.header.profile, CATALOG)
    views = Observations(profile, CATALOG, ledger.exchanges, ledger.remarks).views()
    assert {ha_id: [one.on for one in learned(seen).searches] for ha_id, seen in views.items()} == {
        FIRST: [FIRST],
        "like-it": [FIRST],
        "other": ["other"],
    }


def test_a_walk_that_shows_a_fault_is_not_searched_for_it(tmp_path: Path) -> None:
    """What the walk shows twice is no finding of a search, which looks for the other rules only."""
    broken = {record.name: record for record in load_mutants()}["off-ignored"]
    run = run_of(broken.service(), tmp_path, "power", {"pace": {"generated": 600}}, clauses={broken.clause})
    assert run.red() == {broken.clause}
    assert run.requests(str(WALK))
    assert not run.requests("orders/")


@pytest.mark.parametrize(("thorough", "machines"), [(False, [1, 0, 1]), (True, [1, 1, 1])])
def test_plan_counts_one_of_them(thorough: bool, machines: list[int]) -> None:
    """The machines of a plan are those of a run; a thorough one has them on each appliance."""
    profile = build_profile(truthful_profile(of_three(), "http://127.0.0.1:1"), CATALOG)
    costs = rehearse(all_cases(profile, "power"), profile, CATALOG, "power", thorough=thorough)
    assert [cost.machines for cost in costs.values()] == machines
