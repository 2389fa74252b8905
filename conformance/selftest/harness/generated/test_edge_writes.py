"""The generated values that a run writes: which, how many, and that nothing of them is left behind."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.harness.answers.classes import Classifier
from conformance.harness.generated.edge_values import EdgeValue, edge_values, shorter
from conformance.model.values import fits
from conformance.mutants.fleets import OVEN_ALARM, ROBOT_MAPS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import STILL, Run, run_of
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value

_BREAKS_AT = 1_000
ERRORS = {"PROT-ERRORS", "SET-TYPEGUARD"}


class Sound(Service):
    """An oven and a robot that do nothing wrong."""

    fleet = (OVEN_ALARM, ROBOT_MAPS)


class Overlong(Service):
    """Breaks where a body is long, and keeps the value it had."""

    fleet = (ROBOT_MAPS,)

    def answer(self, request: Incoming) -> Reply:
        return Reply(500) if len(request.body) > _BREAKS_AT else super().answer(request)


def pace(number: int) -> dict[str, Any]:
    """The tables of a profile with so many generated values."""
    return {"pace": STILL | {"generated_writes": number}}


def texts(key: str, present: Any, seed: str = "", **members: Any) -> list[str]:
    """The values that are chosen for a setting, as JSON texts."""
    profile = profile_of("Refrigerator")
    exchange = value(key, present, **members)
    read, entry = Classifier(profile).answer(exchange), CATALOG.entries[key]
    return [edge.text for edge in edge_values(seen_of(profile, exchange), entry, read, seed)]


def written(run: Run) -> list[tuple[str, Any]]:
    """The generated values of a run, by appliance."""
    return [(line["ha_id"], line["value"]) for line in run.requests("edge/") if line["purpose"] == "write"]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run that writes ten values to each appliance."""
    return run_of(
        Sound(),
        tmp_path_factory.mktemp("sound"),
        "write",
        pace(10),
        clauses={"SET-TYPEGUARD", "RANGE-WRITE-OUT"},
    )


@pytest.mark.parametrize(
    ("key", "present", "expected"),
    [
        (keys.ALARM_CLOCK, 60, {"9007199254740993", "38340.0", "-0.0", "1e308", "1e400", "5e-324", "[60]"}),
        (keys.INTERNAL_BRIGHTNESS, 60, {"9007199254740993", "5e-324", '"NaN"', '{"value": 60}', "-0.0"}),
        (keys.CHILD_LOCK, True, {'"true"', "[true]", '"\\ud800"'}),
        (keys.MAP_NAME_1, "Attic", {'"\\ud800"', '""', '["Attic"]', f'"{"a" * 10_000}"'}),
    ],
)
def test_values_are_near_type_and_range(key: str, present: Any, expected: set[str]) -> None:
    """Each type has the values at the edges of its parsers."""
    assert expected <= set(texts(key, present))


def test_number_without_a_range_gets_no_number_of_its_type() -> None:
    """Where nobody shows a range, nothing is written that the setting might take."""
    entry = CATALOG.entries[keys.ASSISTANT_TIMEOUT_FRIDGE]
    assert not [text for text in texts(entry.key, 5) if fits(entry, EdgeValue(text).value)]


def test_another_seed_takes_another_order() -> None:
    """The same values come in an order that the seed decides."""
    one, other = (texts(keys.CHILD_LOCK, present=True, seed=seed) for seed in ("monday", "tuesday"))
    assert one != other
    assert set(one) == set(other)


@pytest.mark.parametrize(
    ("text", "cut"),
    [('"abcd"', '"ab"'), ("9007199254740993", "90071992"), ("-12", "-1"), ("1e400", None), ('""', None)],
)
def test_texts_and_whole_numbers_are_cut(text: str, cut: str | None) -> None:
    """A text loses half of its characters and a whole number half of its digits."""
    found = shorter(EdgeValue(text))
    assert (found.text if found else None) == cut


def test_budget_is_kept_for_each_appliance(sound: Run) -> None:
    """No appliance gets more values than the profile allows, and each gets as many."""
    made = [ha_id for ha_id, _ in written(sound)]
    assert {made.count(spec.ha_id) for spec in Sound.fleet} == {10}


def test_value_is_sent_as_it_is_spelled(tmp_path: Path) -> None:
    """The body of a request holds the text of the value, and the ledger what a parser makes of it."""
    run = run_of(Sound(), tmp_path, "write", pace(120), clauses={"SET-TYPEGUARD"})
    bodies = "\n".join(
        line["request"]["body"] for line in run.requests("edge/") if line["purpose"] == "write"
    )
    assert all(f'"value": {text}}}' in bodies for text in ("1e400", '"\\ud800"', "-0.0", "38340.0"))
    assert ("oven-1", float("inf")) in written(run)


@pytest.mark.parametrize(("chosen", "verdict", "times"), [("observe", "observed", 1), ("fail", "fail", 2)])
def test_value_that_meets_an_error_is_cut_until_it_meets_none(
    chosen: str, verdict: str, times: int, tmp_path: Path
) -> None:
    """The first of a setting; where errors are failures, the shortest that meets one is written again."""
    tables = {
        "pace": {**pace(120)["pace"], "generated_reads": 40},
        "interpretation": {"server_errors": chosen},
    }
    run = run_of(Overlong(), tmp_path, "write", tables, clauses=ERRORS)
    lengths = Counter(len(value) for key, value in run.written("edge/") if key == "NameOfMap1")
    assert [lengths[length] for length in (5_000, 2_500, 1_250, 625, 312)] == [1, 1, times, 1, 0]
    assert (run.said("PROT-ERRORS", "~generated@")[0], run.left) == (verdict, [])
