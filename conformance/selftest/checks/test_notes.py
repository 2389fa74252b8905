"""What is noted and not judged."""

from typing import Any

from msgspec.structs import replace

from conformance.checks import notes
from conformance.checks.exchange import Exchange
from conformance.checks.groups import Group, setting_group
from conformance.checks.reads.edges import note_enumeration_subsets, note_lists
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    UNKNOWN,
    Reads,
    exchange,
    refusal,
    value,
    write_table,
)
from conformance.selftest.support.samples.handtraced import procedure, read, write

LOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState"))
OPERATION, DOOR, BATTERY = (
    f"Vendor.Common.Status.{name}" for name in ("OperationState", "DoorState", "BatteryLevel")
)
SERVED, LOCKED, GONE = value(ANCHOR, 5), value(LOCK, True), refusal(LOCK, 409)
AGAIN = Group.parse(f"repeat/status/{OPERATION}")


def running(name: str, **members: Any) -> Any:
    """A read of the operation state."""
    return value(OPERATION, f"Vendor.Common.EnumType.OperationState.{name}", **members)


def surplus(number: int) -> Any:
    """An answer that so many bytes follow."""
    assert LOCKED.response
    return replace(LOCKED, response=replace(LOCKED.response, surplus_bytes=number))


FRIDGE = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
WARMER = "ConsumerProducts.CoffeeMaker.Setting.CupWarmer"
LISTS = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data/settings"}}
ITEMS = (
    b'{"data": {"settings": [{"key": "Vendor.Common.Setting.ChildLock"}, {"key": "Foo.Bar"}, {"key": 7}, 3]}}'
)


def listed(body: bytes) -> Exchange:
    """A list of settings with this body."""
    return exchange("*", 200, body, group=Group.parse("list/settings"), segment="settings", purpose="list")


def enumerated(key: str, name: str, allowed: object = None) -> Exchange:
    """A read of an enumeration."""
    return value(key, f"Vendor.Common.EnumType.{key.rpartition('.')[2]}.{name}", allowed=allowed)


# fmt: off
ROWS = {
    ("CAT-FIELD-DESC", notes.note_descriptions, "*"): {
        "descriptions": ("observed (3) 1 3 1 7",
            Reads(value(ANCHOR, 5, description="Clock"), value(LOCK, True, description=7), value(DOOR, "x"))),
    },
    ("CAT-FIELD-TYPE", notes.note_type_labels, "*"): {
        "labels": ('observed (3) "Integer" 2 "Float" 1',
            Reads(value(ANCHOR, 5, type="Integer"), value(LOCK, True, type="Float"), value(DOOR, "x",
                type="Integer"))),
        "no labels": ("observed (1)", Reads(SERVED)),
        "labels are not the catalog's": ("fail 2 …ChildLock",
            Reads(SERVED, value(LOCK, True, type="Float"),
                interpretation={"type_label_is_catalog_type": True})),
    },
    ("CAT-SUPPORT-VARIES", notes.note_support, "*"): {
        "support": ("observed (4) 3 1 2 51",
            Reads(SERVED, UNKNOWN, LOCKED, refusal(POWER), refusal(OPERATION, 409), exchange(DOOR, 200,
                b"{}"), value(BATTERY, 5))),
        "a kind that the document does not name": ("observed 1 81",
            Reads(value(WARMER, True), appliance={"kind": "Kettle"})),
    },
    ("PROT-LIST", note_lists, "*"): {
        "no list was asked for": ("inconclusive", Reads()),
        "a list with keys that the catalog lacks": ('observed (1) 200 4 1 "Foo.Bar"',
            Reads(listed(ITEMS), list=LISTS)),
        "a list of another shape": ("observed (1) 200",
            Reads(listed(b'{"data": {"settings": 5}}'), list=LISTS)),
    },
    ("ENUM-SUBSET", note_enumeration_subsets, "*"): {
        "values never seen": ("observed (1) 1 1 PowerState", Reads(enumerated(POWER, "On"))),
        "unlisted values": (
            'observed (4) 2 2 PowerState TemperatureUnit PowerState "…PowerState.Asleep"',
            Reads(enumerated(POWER, "Asleep"), replace(enumerated(POWER, "Idle"), groups=(AGAIN,),
                ha_id="two"), LOCKED, enumerated("Vendor.Common.Setting.TemperatureUnit", "Celsius",
                allowed=["Kelvin"]))),
    },
    ("PROT-SHAPE", notes.note_shape, "*"): {
        "a shape": ("observed application/json '/data/value'", Reads(SERVED)),
        "no shape": ("observed", Reads(GONE)),
    },
    ("PROT-ERRORS", notes.note_errors, "*"): {
        "errors": ("observed 200 1 404 3 409 1",
            Reads(SERVED, GONE, refusal(POWER), refusal(DOOR), exchange(OPERATION, 200), running("Run",
                group=AGAIN), refusal(OPERATION, group=AGAIN))),
        "no errors, and surplus bytes": ("observed 1 2", Reads(surplus(3), SERVED)),
    },
    ("PROT-AUTH", notes.note_access, "*"): {
        "access": ("observed 1",
            Reads(SERVED, exchange(LOCK, 401), exchange(POWER, 403), GONE,
                auth={"headers": {"Authorization": "${TOKEN}", "X-Key": "${TOKEN}"}})),
        "access without anything": ("observed nothing 0", Reads(SERVED)),
    },
    ("PROT-RATE", notes.note_pace, "*"): {
        "no pace": ("observed 16 1", Reads(SERVED, exchange(LOCK, 429))),
    },
    ("PROT-WRITE", notes.note_writes, "*"): {
        "a number with a point": ("observed /api/homeappliances/{ha_id}/settings/{key} 35 37 5.0 400 1",
            Reads(SERVED, *procedure(setting_group(FRIDGE), read(FRIDGE, 4), write(FRIDGE, 6), write(FRIDGE,
                6.0, 400), write(FRIDGE, 4)), write=write_table("*"))),
        "no writes": ("inconclusive", Reads(SERVED)),
    },
}
# fmt: on

test_notes = Reads.each_of(ROWS)
