"""What is noted at the edges of the catalog: values never seen, values and keys it does not list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks.groups import Group
from conformance.checks.reads.edges import note_enumeration_subsets, note_lists
from conformance.selftest.support.handmade import POINTERS, exchange, judged, profile_of, seen_of, value

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

POWER, UNIT, COLOR = (
    f"Vendor.Common.Setting.{name}" for name in ("PowerState", "TemperatureUnit", "AmbientLightColor")
)
LISTS = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data/settings"}}


def noted(*exchanges: Exchange) -> str:
    """What ENUM-SUBSET notes of these answers."""
    return judged(note_enumeration_subsets, "ENUM-SUBSET", "*", seen_of(profile_of(), *exchanges)).message


def enumerated(key: str, name: str, allowed: object = None) -> Exchange:
    """A read of an enumeration."""
    return value(key, f"Vendor.Common.EnumType.{key.rpartition('.')[2]}.{name}", allowed=allowed)


def listed(body: bytes) -> str:
    """What PROT-LIST notes of a list with this body."""
    answer = exchange("*", 200, body, group=Group.parse("list/settings"), segment="settings", purpose="list")
    profile = profile_of(list=LISTS, answer=POINTERS)
    return judged(note_lists, "PROT-LIST", "*", seen_of(profile, answer)).message


def test_values_never_seen_are_named() -> None:
    """The values of a served enumeration that no answer showed are named; entries that were not served are
    left out.
    """
    assert (
        noted(enumerated(POWER, "On"))
        == "1 distinct values seen on 1 enumeration keys; never seen: PowerState Off Standby"
    )


def test_many_values_never_seen_are_counted() -> None:
    """Where many values are left, their number is said."""
    assert noted(enumerated(COLOR, "Color1")).endswith("never seen: AmbientLightColor 99 of 100 values")


def test_unlisted_values_are_named() -> None:
    """A value that the entry does not list is noted, whether it was served or advertised."""
    said = noted(enumerated(POWER, "Asleep"), enumerated(UNIT, "Celsius", allowed=["Kelvin"]))
    assert said.endswith(
        'not listed: PowerState "Vendor.Common.EnumType.PowerState.Asleep", TemperatureUnit "Kelvin"'
    )


def test_keys_that_the_catalog_lacks_are_named() -> None:
    """A list's keys that are none of the catalog are named."""
    body = (
        b'{"data": {"settings": [{"key": "Vendor.Common.Setting.ChildLock"}, {"key": "Foo.Bar"}, {"key": 7},'
        b" 3, {}]}}"
    )
    assert listed(body) == 'settings: 200, 5 items, 1 of them not in the catalog: "Foo.Bar"'


def test_list_of_another_shape_is_noted() -> None:
    """Where the pointer finds no list, that is noted."""
    assert "no readable items" in listed(b'{"data": {"settings": 5}}')
