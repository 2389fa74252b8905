"""Mutants of ranges lie beyond both ends of each common range, and those of enumerations beyond each list."""

import json
from http import HTTPStatus
from typing import Any

import pytest

from catalog.loader import load_catalog
from catalog.model import Entry
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.selftest.support.servers.bench import Bench, twin

RANGES = {
    "RANGE-ALARMCLOCK": (0, 38340),
    "RANGE-LIGHT": (0, 100),
    "RANGE-LIGHTING": (10, 100),
    "RANGE-COLORTEMPPCT": (0, 100),
    "RANGE-AMBBRIGHT": (10, 100),
    "RANGE-BATTERY": (0, 100),
}
ENTRIES = load_catalog().entries
LISTED = sorted(
    {record.clause for record in load_mutants() if record.clause.startswith("ENUM-")} - {"ENUM-ADVERTISED"}
)


def broken_by(clause: str) -> list[tuple[Entry, Any, dict[str, Any]]]:
    """The entry that each mutant of a clause is wrong about, the value it sends and the constraints; without
    those that are wrong only where a request is an odd one, or once something was written.
    """
    found = (wrong_answer(record) for record in load_mutants() if record.clause == clause)
    return [answer for answer in found if answer]


def wrong_answer(broken: Mutant) -> tuple[Entry, Any, dict[str, Any]] | None:
    """The first value of a mutant that is not that of the reference: its entry, value, constraints."""
    mutant, healthy = Bench(broken.service), Bench(twin(broken))
    answers = zip(mutant.everything(), healthy.everything(), strict=True)
    values = ((wrong, right) for wrong, right in answers if wrong.status == HTTPStatus.OK)
    shown, due = next(((wrong.body, right.body) for wrong, right in values if wrong != right), ("", ""))
    if not shown:
        return None
    members = json.loads(shown)["data"]
    return mutant.service.entries[json.loads(due)["data"]["key"]], members["value"], members["constraints"]


@pytest.mark.parametrize(("clause", "ends"), RANGES.items(), ids=list(RANGES))
def test_both_ends_of_a_common_range_are_overstepped(clause: str, ends: tuple[float, float]) -> None:
    """Some mutant lies beyond each end by no more than one, and all lie outside."""
    low, high = ends
    sent = [value for _, value, _ in broken_by(clause)]
    assert any(low - 1 <= number < low for number in sent)
    assert any(high < number <= high + 1 for number in sent)
    assert not [number for number in sent if low <= number <= high]


def test_every_common_range_is_advertised_too_wide() -> None:
    """Each key with a common range has a mutant whose range is wider, at one end at least."""
    widened = {entry.key: (entry, shown) for entry, _, shown in broken_by("RANGE-COMMON-ADVERTISED")}
    for entry, shown in widened.values():
        assert entry.range is not None
        assert shown["min"] < entry.range.min or shown["max"] > entry.range.max
    assert widened.keys() == {entry.key for entry in ENTRIES.values() if entry.range is not None}


@pytest.mark.parametrize("clause", LISTED)
def test_a_value_is_not_listed_for_its_key(clause: str) -> None:
    """What a mutant of an enumeration sends is none of the values of its key."""
    assert all(value not in (entry.values or ()) for entry, value, _ in broken_by(clause))


def test_an_advertised_list_holds_a_foreign_value() -> None:
    """Each mutant of advertised lists names a value that its key does not have."""
    assert all(
        set(shown["allowedvalues"]) - set(entry.values or ())
        for entry, _, shown in broken_by("ENUM-ADVERTISED")
    )
