"""State machines: what only an order of writes reveals is found, made short, and judged as all else is."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from catalog.keys import SETPOINT
from conformance.harness.writes.searching.exploring import REPLAYS
from conformance.mutants.model import Mutant
from conformance.mutants.registry import find_server, load_mutants
from conformance.reference.wire import Json
from conformance.runs.judging import Judged
from conformance.selftest.support.judged_runs import STILL, Run, run_of
from conformance.selftest.support.servers.bench import values_of

BY_NAME = {record.name: record for record in load_mutants()}
FOUND = {
    "second-switching-on-strays": 4,
    "second-preset-drops-brightness": 3,
    "second-temperature-unlocks-percent": 3,
    "vacation-outlives-fresh": 3,
}
"""Mutants whose fault takes an order, one of each machine at least, and how many writes the order has."""


@dataclass
class Searched:
    """A mutant, its settings before a run and now, and the run, of the clauses that it breaks."""

    mutant: Mutant
    before: dict[tuple[str, str], Json]
    after: dict[tuple[str, str], Json]
    run: Run

    @property
    def failing(self) -> Judged:
        """What is shown of the case of the clause that it breaks."""
        (case,) = (
            case
            for case in self.run.cases.values()
            if case.case.clause.id == self.mutant.clause and case.verdict == "fail"
        )
        return case


def searched(name: str, out: Path, **pace: int) -> Searched:
    """A run at level power against a mutant."""
    mutant = BY_NAME[name]
    service = mutant.service()
    before = values_of(service)
    run = run_of(
        service,
        out,
        "power",
        {"pace": pace} if pace else None,
        still=False,
        clauses={mutant.clause, *mutant.partners},
    )
    return Searched(mutant, before, values_of(service), run)


@pytest.fixture(scope="module")
def finds(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Searched]:
    """The runs against the mutants, each made once."""
    return {name: searched(name, tmp_path_factory.mktemp(name)) for name in FOUND}


each_find = pytest.mark.parametrize("name", FOUND)


def test_list_tells_what_moved(finds: dict[str, Searched]) -> None:
    """Where a list is declared, a setting beside the written one is read by itself only if it moved."""
    lines = finds["vacation-outlives-fresh"].run.requests("search/cooling")
    count = Counter(line["purpose"] if line["purpose"] != "repeat" else line["key"] for line in lines)
    assert count["list"] > count["write"] > count[SETPOINT]


def test_list_that_shows_no_write_tells_nothing(tmp_path: Path) -> None:
    """A list in which a write that took effect does not show is not read again."""
    run = run_of(
        find_server("list-as-found")(), tmp_path, "power", still=False, clauses={"COOL-FRESH-FREEZER"}
    )
    purposes = [line["purpose"] for line in run.requests("search/cooling")]
    assert purposes[purposes.index("write") :].count("list") == 1


@each_find
def test_order_is_short(finds: dict[str, Searched], name: str) -> None:
    """What is made again for judging is a short order, each time the same, and so is what is shown of it."""
    found, length = finds[name], FOUND[name]
    writes = found.run.written("orders/")
    assert writes == writes[:length] * REPLAYS
    shown = [
        line for line in found.failing.script.splitlines() if line.startswith("# ") and ". write " in line
    ]
    assert len(shown) == length
    assert found.failing.message.partition(",")[0].startswith("wrote ")


@each_find
def test_order_is_judged_by_what_was_made_again(finds: dict[str, Searched], name: str) -> None:
    """No verdict rests on a search; what it found stands beside it in the ledger and is judged."""
    found = finds[name]
    search, orders = ({line["n"] for line in found.run.requests(group)} for group in ("search/", "orders/"))
    assert search
    assert not search & {number for case in found.run.cases.values() for number in case.evidence}
    assert orders & set(found.failing.evidence)


@each_find
def test_everything_is_put_back(finds: dict[str, Searched], name: str) -> None:
    """After a search, and after the order was made again, the appliance is as it was found."""
    found = finds[name]
    assert found.after == found.before
    assert found.run.left == []


@pytest.mark.parametrize("generated", [180, 300])
def test_making_again_stays_within_the_budget(tmp_path: Path, generated: int) -> None:
    """Of an appliance with many keys, what is made for judging reads all of them after each write."""
    run = searched("super-warms-the-freezer-among-all-modes", tmp_path, generated=generated).run
    sent = [line for group in ("search/", "orders/") for line in run.requests(group)]
    assert len([line for line in sent if line["purpose"] != "restore"]) <= generated
    assert run.written("orders/")


def test_nothing_is_searched_for_without_a_budget(finds: dict[str, Searched], tmp_path: Path) -> None:
    """With pace.generated = 0 the same cases are judged, by the walk alone, which does not show the fault."""
    name = "second-switching-on-strays"
    still = searched(name, tmp_path, generated=0).run
    assert still.requests("search/") == still.requests("orders/") == []
    assert still.cases.keys() == finds[name].run.cases.keys()
    assert {case.verdict for case in still.cases.values()} == {"pass"}


def test_value_of_a_wrong_type_breaks_no_search(tmp_path: Path) -> None:
    """A number that is read as a list is left to its type clause; the suite itself does not fail."""
    service, pace = BY_NAME["percent-in-a-list"].service(), {"pace": STILL | {"generated": 20}}
    run = run_of(service, tmp_path, "power", pace, clauses={"HOOD-PERCENT-USABLE"})
    assert run.said("HOOD-PERCENT-USABLE")[0] != "error"
