"""What is noted of an appliance and never judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from conformance.checks import notes
from conformance.checks.groups import FOREIGN, NONCE_SETTINGS, Group, mode_group
from conformance.checks.reads.edges import note_lists
from conformance.checks.reads.ranges import note_own_range
from conformance.checks.writes.cooling import note_eco, note_sabbath
from conformance.selftest.support.handmade import ANCHOR, Reads, exchange, refusal, value
from conformance.selftest.support.handtraced import attempt, procedure, read

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

LOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState"))
OPERATION, DOOR, BATTERY = (
    f"Vendor.Common.Status.{name}" for name in ("OperationState", "DoorState", "BatteryLevel")
)
SERVED, LOCKED, GONE = value(ANCHOR, 5), value(LOCK, True), refusal(LOCK, 409)
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)
WRITE = {
    "method": "PUT",
    "path": "/api/homeappliances/{ha_id}/settings/{key}",
    "body": {"value": "{value}"},
    "allow": ["Vendor.*"],
}
AGAIN = Group.parse(f"repeat/status/{OPERATION}")


def running(name: str, **members: Any) -> Any:
    """A read of the operation state."""
    return value(OPERATION, f"Vendor.Common.EnumType.OperationState.{name}", **members)


def surplus(number: int) -> Any:
    """An answer that so many bytes follow."""
    assert LOCKED.response
    return replace(LOCKED, response=replace(LOCKED.response, surplus_bytes=number))


ECO, SABBATH = "Refrigeration.Common.Setting.EcoMode", "Refrigeration.Common.Setting.SabbathMode"
LIGHT = "Refrigeration.Common.Setting.Light"
LAMP = f"{LIGHT}.Internal.Power"
FRIDGE, FREEZER = (
    f"Refrigeration.FridgeFreezer.Setting.SetpointTemperature{name}" for name in ("Refrigerator", "Freezer")
)


def switched(*points: float, took: bool = True) -> tuple[Exchange, ...]:
    """Eco mode is switched on, and both setpoints are read before and while it is on."""
    before, during = (
        [read(FRIDGE, warm), read(FREEZER, cold)] * 2 for warm, cold in (points[:2], points[2:])
    )
    steps = [read(ECO, False), *before, *attempt(ECO, True, took, took), *during]
    return (
        value(ECO, False),
        *(value(key, 4) for key in (FRIDGE, FREEZER)),
        *procedure(mode_group(ECO), steps),
    )


CHECKS = {
    "CAT-ICS": (notes.note_declaration, "*"),
    "CAT-FIELD-DESC": (notes.note_descriptions, "*"),
    "CAT-FIELD-TYPE": (notes.note_type_labels, "*"),
    "CAT-FIELD-POSSIBLE": (notes.note_possible_values, "*"),
    "CAT-LABELS": (notes.note_labels, "*"),
    "CAT-SUPPORT-VARIES": (notes.note_support, "*"),
    "CAT-VENDOR-COMMON": (notes.note_vendor_keys, "*"),
    "CAT-KIND-FOREIGN": (notes.note_foreign_keys, "*"),
    "SELF-DOOR": (notes.note_value, DOOR),
    "OPT-COUNTERS": (notes.note_value, BATTERY),
    "OPS-OTHERS": (notes.note_other_operation_states, OPERATION),
    "OPS-TRANSITIONS": (notes.note_sequence, OPERATION),
    "PROT-SHAPE": (notes.note_shape, "*"),
    "PROT-ERRORS": (notes.note_errors, "*"),
    "PROT-AUTH": (notes.note_access, "*"),
    "PROT-RATE": (notes.note_pace, "*"),
    "COOL-ECO": (note_eco, ECO),
    "COOL-SABBATH": (note_sabbath, SABBATH),
    "RANGE-EXAMPLES": (note_own_range, FRIDGE),
    "PROT-LIST": (note_lists, "*"),
    "PROT-WRITE": (notes.note_writes, "*"),
}
ROWS = {
    "claims": Reads("CAT-ICS", SERVED, appliance={"supports": [LOCK, POWER], "lacks": [ANCHOR]}),
    "descriptions": Reads(
        "CAT-FIELD-DESC",
        value(ANCHOR, 5, description="Clock"),
        value(LOCK, True, description=7),
        value(DOOR, "x"),
    ),
    "no odd descriptions": Reads("CAT-FIELD-DESC", value(ANCHOR, 5, description="Clock"), LOCKED, GONE),
    "labels": Reads(
        "CAT-FIELD-TYPE",
        value(ANCHOR, 5, type="Integer"),
        value(LOCK, True, type="Float"),
        value(DOOR, "x", type="Integer"),
    ),
    "no labels": Reads("CAT-FIELD-TYPE", SERVED),
    "labels are the catalog's": Reads(
        "CAT-FIELD-TYPE",
        value(ANCHOR, 5, type="Integer"),
        value(LOCK, True, type="Bool"),
        interpretation={"type_label_is_catalog_type": True},
    ),
    "labels are not the catalog's": Reads(
        "CAT-FIELD-TYPE",
        SERVED,
        value(LOCK, True, type="Float"),
        interpretation={"type_label_is_catalog_type": True},
    ),
    "lists and bounds": Reads(
        "CAT-FIELD-POSSIBLE",
        value(ANCHOR, 5, min=1),
        value(BATTERY, 5, max=1),
        value(LOCK, True, allowed=[True]),
        value(DOOR, "x", allowed="x"),
    ),
    "category labels": Reads("CAT-LABELS"),
    "support": Reads(
        "CAT-SUPPORT-VARIES",
        SERVED,
        UNKNOWN,
        LOCKED,
        refusal(POWER),
        refusal(OPERATION, 409),
        exchange(DOOR, 200, b"{}"),
        value(BATTERY, 5),
    ),
    "common keys": Reads(
        "CAT-VENDOR-COMMON",
        SERVED,
        LOCKED,
        value(BATTERY, 5, segment="settings"),
        running("Run"),
        refusal(POWER),
        value("Refrigeration.Common.Setting.EcoMode", True),
    ),
    "foreign keys": Reads(
        "CAT-KIND-FOREIGN",
        SERVED,
        value("ConsumerProducts.CoffeeMaker.Setting.CupWarmer", True, group=FOREIGN),
        refusal("Cooking.Hood.Setting.ColorTemperature", group=FOREIGN),
    ),
    "no foreign keys": Reads("CAT-KIND-FOREIGN", SERVED),
    "eco": Reads("COOL-ECO", value(ECO, False)),
    "eco that is switched on": Reads("COOL-ECO", *switched(4, -18, 6, -18)),
    "eco that moves nothing": Reads("COOL-ECO", *switched(4, -18, 4, -18)),
    "eco that does not come on": Reads("COOL-ECO", *switched(4, -18, 6, -18, took=False)),
    "sabbath": Reads(
        "COOL-SABBATH",
        value(SABBATH, True),
        value(LAMP, False),
        value(f"{LIGHT}.External.Power", True),
        LOCKED,
    ),
    "sabbath alone": Reads("COOL-SABBATH", value(SABBATH, True), LOCKED),
    "no sabbath": Reads("COOL-SABBATH", refusal(SABBATH)),
    "a range of its own": Reads("RANGE-EXAMPLES", value(FRIDGE, 4, min=2, max=8, unit="°C")),
    "half a range of its own": Reads("RANGE-EXAMPLES", value(FRIDGE, 4, min=2, unit=7)),
    "crossed bounds": Reads("RANGE-EXAMPLES", value(FRIDGE, 4, min=8, max=2)),
    "no list was asked for": Reads("PROT-LIST"),
    "a value to note": Reads("SELF-DOOR", value(DOOR, "x")),
    "two values to note": Reads("OPT-COUNTERS", value(BATTERY, 5), value(BATTERY, 6, segment="settings")),
    "no value": Reads("SELF-DOOR", refusal(DOOR)),
    "a state with power": Reads("OPS-OTHERS", value(POWER, "On"), running("Run")),
    "a state without power": Reads("OPS-OTHERS", running("Run")),
    "a sequence": Reads(
        "OPS-TRANSITIONS",
        SERVED,
        running("Run"),
        running("Pause", group=AGAIN),
        running("Run", group=AGAIN),
        refusal(OPERATION, group=AGAIN),
    ),
    "no sequence": Reads("OPS-TRANSITIONS", SERVED, refusal(OPERATION)),
    "a shape": Reads("PROT-SHAPE", SERVED),
    "a shape, guessed": Reads(
        "PROT-SHAPE", exchange(ANCHOR, 200, b'{"data": {"value": 5}}', headers=()), answer=dict[str, str]()
    ),
    "no shape": Reads("PROT-SHAPE", GONE),
    "errors": Reads(
        "PROT-ERRORS",
        SERVED,
        GONE,
        refusal(POWER),
        refusal(DOOR),
        exchange(OPERATION, 200),
        running("Run", group=AGAIN),
        refusal(OPERATION, group=AGAIN),
    ),
    "no errors, and surplus bytes": Reads("PROT-ERRORS", surplus(3), SERVED),
    "access": Reads(
        "PROT-AUTH",
        SERVED,
        exchange(LOCK, 401),
        exchange(POWER, 403),
        GONE,
        auth={"headers": {"Authorization": "${TOKEN}", "X-Key": "${TOKEN}"}},
    ),
    "access without anything": Reads("PROT-AUTH", SERVED),
    "access with a token": Reads(
        "PROT-AUTH",
        SERVED,
        auth={
            "oauth2": {"token_url": "http://127.0.0.1:1/token", "client_id": "a", "client_secret": "${TOKEN}"}
        },
    ),
    "no pace": Reads("PROT-RATE", SERVED, exchange(LOCK, 429)),
    "a pace": Reads("PROT-RATE", SERVED, pace={"per_minute": 40, "concurrency": 2}),
    "writes": Reads("PROT-WRITE", SERVED, LOCKED, write=WRITE),
    "no writes": Reads("PROT-WRITE", SERVED),
}


@pytest.mark.parametrize("name", ROWS)
def test_notes(name: str) -> None:
    """What is said of each of them is the golden finding."""
    row = ROWS[name]
    row.judged(name, *CHECKS[row.clause])
