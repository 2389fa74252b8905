"""The mutants of ranges lie beyond both ends of every common range, and the mutants of enumerations beyond every list."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from catalog.loader import load_catalog
from conformance.mutants.enumerations_advertised import Misadvertised
from conformance.mutants.ranges_advertised import Widened
from conformance.mutants.registry import load_mutants
from conformance.mutants.shapes import Missent

if TYPE_CHECKING:
    from conformance.mutants.model import Mutant

ENTRIES = load_catalog().entries
RANGES = {
    "RANGE-ALARMCLOCK": (0, 38340),
    "RANGE-LIGHT": (0, 100),
    "RANGE-LIGHTING": (10, 100),
    "RANGE-COLORTEMPPCT": (0, 100),
    "RANGE-AMBBRIGHT": (10, 100),
    "RANGE-BATTERY": (0, 100),
}
MEMBERSHIPS = [record for record in load_mutants() if record.clause.startswith("ENUM-") and issubclass(record.service, Missent)]


def sent(clause: str) -> list[float]:
    """The numbers that the mutants of a clause send."""
    services = [record.service for record in load_mutants() if record.clause == clause]
    return [cast("float", service.sent) for service in services if issubclass(service, Missent)]


@pytest.mark.parametrize(("clause", "ends"), RANGES.items(), ids=list(RANGES))
def test_both_ends_of_a_common_range_are_overstepped(clause: str, ends: tuple[float, float]) -> None:
    """Some mutant lies beyond each end by no more than one, and all lie outside."""
    low, high = ends
    assert any(low - 1 <= number < low for number in sent(clause))
    assert any(high < number <= high + 1 for number in sent(clause))
    assert not [number for number in sent(clause) if low <= number <= high]


def test_every_common_range_is_advertised_too_wide() -> None:
    """Each key with a common range has a mutant whose range is wider, at one end at least."""
    widened = [record.service for record in load_mutants() if issubclass(record.service, Widened)]
    for service in widened:
        common = ENTRIES[service.key].range
        assert common is not None
        assert service.sent.min < common.min or service.sent.max > common.max
    assert {service.key for service in widened} == {entry.key for entry in ENTRIES.values() if entry.range is not None}


@pytest.mark.parametrize("broken", MEMBERSHIPS, ids=[record.name for record in MEMBERSHIPS])
def test_a_value_is_not_listed_for_its_key(broken: Mutant) -> None:
    """What a mutant of an enumeration sends is none of the values of its key."""
    service = cast("type[Missent]", broken.service)
    assert service.sent not in (ENTRIES[service.key].values or ())


def test_an_advertised_list_holds_a_foreign_value() -> None:
    """Each mutant of advertised lists names a value that its key does not have."""
    services = [record.service for record in load_mutants() if issubclass(record.service, Misadvertised)]
    assert services
    assert all(set(service.listed) - set(ENTRIES[service.key].values or ()) for service in services)
