"""What must have no effect when it is written is judged by what is read afterwards, never by the answer to
the write.
"""

# ruff: noqa: FBT003  true and false stand here for values on the wire

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from catalog.keys import REMOTE_START
from conformance.checks.groups import NONCE_SETTINGS, guard_group, probe_group
from conformance.checks.remark import Remark
from conformance.checks.writes.guarding import (
    assert_enumeration_guarded,
    assert_out_of_range_without_effect,
    assert_type_guarded,
)
from conformance.checks.writes.statuses import assert_start_only_disabled, assert_status_read_only
from conformance.selftest.support.handmade import HA_ID, judged, refusal, value
from conformance.selftest.support.handtraced import (
    LOCK,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    traced,
    write,
)

ALARM, UNIT = "Vendor.Common.Setting.AlarmClock", "Vendor.Common.Setting.TemperatureUnit"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
ECO = "Refrigeration.Common.Setting.EcoMode"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
DOOR, LOST = "Refrigeration.Common.Status.Door.Freezer", "ConsumerProducts.CleaningRobot.Status.Lost"
LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"
OPERATION, RUN = "Vendor.Common.Status.OperationState", "Vendor.Common.EnumType.OperationState.Run"
ENABLED, BRIGHTNESS = (f"Vendor.Common.Setting.AmbientLight{name}" for name in ("Enabled", "Brightness"))
CELSIUS, FAHRENHEIT, NONCE = (
    f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit", "NonceAbc")
)
MILLILITRES = "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter"
OPEN, CLOSED, LOCKED = (f"Vendor.Common.EnumType.DoorState.{name}" for name in ("Open", "Closed", "Locked"))
RANGE: dict[str, Any] = {"min": 2, "max": 8}
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)


def again(key: str, wanted: Any, *shown: object, **members: Any) -> Steps:
    """The same attempt twice."""
    return attempt(key, wanted, *shown, **members) * 2


DARK = [read(ENABLED, False), read(BRIGHTNESS, 50)]
TYPES: dict[str, Story] = {
    "it is refused": Story("pass", "", [read(LOCK, False), *attempt(LOCK, "yes", False, status=400)]),
    "it is ignored": Story("pass", "", [read(LOCK, False), *attempt(LOCK, "yes", False)]),
    "it is coerced": Story("pass", "", [read(LOCK, False), *attempt(LOCK, "yes", True)]),
    "a text becomes a number": Story("pass", "", [read(ALARM, 0), *attempt(ALARM, "5", 5)], ALARM),
    "a fraction becomes whole": Story("pass", "", [read(ALARM, 5), *attempt(ALARM, 5.5, 5.0)], ALARM),
    "it is stored": Story(
        "fail",
        'wrote "yes" (string), acknowledged (204), then "yes" (string), twice; document says the type of the'
        " value is Boolean",
        [read(LOCK, False), *again(LOCK, "yes", "yes", "yes")],
    ),
    "it is stored behind an error": Story(
        "fail", "400 (refused)", [read(LOCK, False), *again(LOCK, 1, 1, 1, status=400)]
    ),
    "a fraction is stored": Story(
        "fail", "5.5 (number)", [read(ALARM, 5), *again(ALARM, 5.5, 5.5, 5.5)], ALARM
    ),
    "a number is stored as text": Story(
        "fail", '"1" (string)', [read(UNIT, CELSIUS), *again(UNIT, 1, "1", "1")], UNIT
    ),
    "it is stored once": Story(
        "inconclusive",
        "but not twice",
        [read(LOCK, False), *attempt(LOCK, "yes", "yes"), *attempt(LOCK, 1, False)],
    ),
    "it cannot be read then": Story(
        "inconclusive", "409 (refused)", [read(LOCK, False), *again(LOCK, "yes", SILENT)]
    ),
    "it is not read then": Story("inconclusive", "not read again", [read(LOCK, False), write(LOCK, "yes")]),
    "it was wrong before": Story(
        "inconclusive", "before anything was written", [read(LOCK, "no"), *again(LOCK, "yes", "yes")]
    ),
    "it could not be read before": Story(
        "inconclusive",
        "answered 409",
        [read(LOCK, SILENT), *again(LOCK, "yes", "yes")],
        shared=(value(LOCK, False),),
    ),
    "it was not read before": Story("inconclusive", "was not read", [*again(LOCK, "yes", "yes")]),
    "it was out of its range before": Story(
        "inconclusive", "other clauses", [read(SETPOINT, 14, **RANGE), *again(SETPOINT, "4", 4)], SETPOINT
    ),
    "nothing was written": Story(
        "inconclusive", "no value of a wrong type", [read(LOCK, False), *attempt(LOCK, True, True)]
    ),
    "somebody operates it": Story(
        "inconclusive", "meanwhile", [read(LOCK, False), *again(LOCK, "yes", "yes"), read(LOCAL, True)]
    ),
    # A state may keep a value out; it excuses nothing that is stored, but where somebody else may have stored
    # it.
    "it is stored while the light is off": Story(
        "fail", "twice", [*DARK, *again(BRIGHTNESS, "50", "50")], BRIGHTNESS
    ),
    "it is kept out while the light is off": Story(
        "inconclusive",
        "while X8: AmbientLightEnabled is off",
        [*DARK, *again(BRIGHTNESS, "50", 50)],
        BRIGHTNESS,
    ),
    "it is stored without remote control": Story(
        "inconclusive",
        "while X6: RemoteControlActive is false",
        [read(REMOTE, False), read(LOCK, False), *again(LOCK, "yes", "yes")],
    ),
    "it is stored while a program runs": Story(
        "inconclusive",
        "while X10: OperationState is",
        [read(OPERATION, RUN), read(LOCK, False), *again(LOCK, "yes", "yes")],
    ),
    "not served": Story(
        "not_applicable", "not supported", [read(LOCK, SILENT)], shared=(UNKNOWN, refusal(LOCK))
    ),
}


@pytest.mark.parametrize("name", TYPES)
def test_wrong_type_has_no_effect(name: str) -> None:
    """A value that violates the type, or the enumeration, and is read after two such writes convicts;
    coercion does not.
    """
    TYPES[name].holds(assert_type_guarded, "SET-TYPEGUARD", guard_group(TYPES[name].key))


ENUMERATIONS: dict[str, Story] = {
    "it is refused": Story(
        "pass", "", [read(UNIT, CELSIUS), *attempt(UNIT, NONCE, CELSIUS, status=400)], UNIT
    ),
    "it chooses another value": Story(
        "pass", "", [read(UNIT, CELSIUS), *attempt(UNIT, NONCE, FAHRENHEIT)], UNIT
    ),
    "it is stored": Story(
        "fail",
        f'wrote "{NONCE}", acknowledged (204)',
        [read(UNIT, CELSIUS), *again(UNIT, NONCE, NONCE)],
        UNIT,
    ),
    "a neighbour's value is stored": Story(
        "fail", "twice", [read(UNIT, CELSIUS), *again(UNIT, MILLILITRES, MILLILITRES)], UNIT
    ),
    "it is stored otherwise": Story(
        "inconclusive", "ENUM clauses judge it", [read(UNIT, CELSIUS), *again(UNIT, NONCE, "Nonce")], UNIT
    ),
    "it cannot be read then": Story(
        "inconclusive", "409", [read(UNIT, CELSIUS), *again(UNIT, NONCE, SILENT)], UNIT
    ),
    "a value of its own": Story(
        "inconclusive", "no value outside", [read(UNIT, CELSIUS), *again(UNIT, FAHRENHEIT, FAHRENHEIT)], UNIT
    ),
    "no enumeration": Story(
        "inconclusive", "no value outside", [read(LOCK, False), *again(LOCK, "yes", "yes")]
    ),
}


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_unknown_value_has_no_effect(name: str) -> None:
    """A value the enumeration does not have convicts when it reads back."""
    ENUMERATIONS[name].holds(assert_enumeration_guarded, "SET-ENUMGUARD", guard_group(ENUMERATIONS[name].key))


OUTSIDE: dict[str, Story] = {
    "it is refused": Story("pass", "", [read(LIGHT, 50), *attempt(LIGHT, 101, 50, status=400)], LIGHT),
    "it is clamped": Story("pass", "", [read(LIGHT, 50), *attempt(LIGHT, 101, 100)], LIGHT),
    "it is clamped after a while": Story(
        "pass", "", [read(LIGHT, 50), *attempt(LIGHT, 101, 101, 100)], LIGHT
    ),
    "it is stored": Story(
        "fail",
        "wrote 101, acknowledged (204), then 101 for 10 s, twice; document says the range is 0 to 100",
        [read(LIGHT, 50), *again(LIGHT, 101, 101, 101)],
        LIGHT,
    ),
    "it is stored behind an error": Story(
        "fail", "400 (refused)", [read(LIGHT, 50), *again(LIGHT, -1, -1, -1, status=400)], LIGHT
    ),
    "beyond its own range": Story(
        "fail",
        "its own range is 2 to 8",
        [read(SETPOINT, 4, **RANGE), *again(SETPOINT, 9, 9, 9, **RANGE)],
        SETPOINT,
    ),
    "beyond its own range, in EcoMode": Story(
        "fail",
        "",
        [read(ECO, True), read(SETPOINT, 4, **RANGE), *again(SETPOINT, 9, 9, 9, **RANGE)],
        SETPOINT,
    ),
    "moved by EcoMode": Story(
        "inconclusive",
        "while X5: EcoMode is on",
        [read(ECO, True), read(SETPOINT, 4, **RANGE), *again(SETPOINT, 9, 10, 10, **RANGE)],
        SETPOINT,
    ),
    "it may be rounding": Story(
        "inconclusive",
        "may be rounding",
        [read(SETPOINT, 4, **RANGE), *again(SETPOINT, 9, 8.4, 8.4, step=1, **RANGE)],
        SETPOINT,
    ),
    "not for the whole settle time": Story(
        "inconclusive",
        "not for the whole settle time",
        [read(LIGHT, 50), *again(LIGHT, 101, 101, 101, seconds=1)],
        LIGHT,
    ),
    "comes late": Story(
        "inconclusive", "not for the whole", [read(LIGHT, 50), *again(LIGHT, 101, 50, 101)], LIGHT
    ),
    "an alarm clock runs into it": Story(
        "inconclusive", "then 38336", [read(ALARM, 0), *attempt(ALARM, 38345, 38345, 38336)], ALARM
    ),
    "it becomes a text": Story(
        "inconclusive", "TYPE clauses", [read(LIGHT, 50), *again(LIGHT, 101, "101")], LIGHT
    ),
    "it was a text for a moment": Story(
        "inconclusive", "not for the whole", [read(LIGHT, 50), *again(LIGHT, 101, "101", 101)], LIGHT
    ),
    "it cannot be read then": Story(
        "inconclusive", "409", [read(LIGHT, 50), *again(LIGHT, 101, SILENT)], LIGHT
    ),
    "narrower than the common range": Story(
        "inconclusive", "no value outside", [read(LIGHT, 50, min=20, max=100), *again(LIGHT, 19, 19)], LIGHT
    ),
    "no range": Story("not_applicable", "no range", [read(TIMEOUT, 5)], TIMEOUT),
}


@pytest.mark.parametrize("name", OUTSIDE)
def test_number_outside_its_range_has_no_effect(name: str) -> None:
    """A number that stays outside for the whole settle time convicts, twice;
    clamping is as good as refusing.
    """
    OUTSIDE[name].holds(assert_out_of_range_without_effect, "RANGE-WRITE-OUT", guard_group(OUTSIDE[name].key))


def quiet(key: str, shown: object, segment: str = "status") -> Steps:
    """Three equal reads of a status."""
    return [read(key, shown, segment=segment) for _ in range(3)]


def probe(key: str, wanted: Any, *shown: object, segment: str = "status", **members: Any) -> Steps:
    """An attempt to write a status."""
    return attempt(key, wanted, *shown, segment=segment, **members)


FOLLOWS = [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, OPEN, OPEN), *probe(DOOR, CLOSED, CLOSED, CLOSED)]
PROBES: dict[str, Story] = {
    "it is refused": Story(
        "pass", "", [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, CLOSED, CLOSED, status=405)], DOOR
    ),
    "it is ignored": Story("pass", "", [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, CLOSED, CLOSED)], DOOR),
    "it takes both": Story(
        "fail",
        "and it reads back under /status/, also after 1 other write; document says statuses are read-only"
        " states",
        FOLLOWS,
        DOOR,
    ),
    "it takes both behind an error": Story(
        "fail",
        "405",
        [
            *quiet(DOOR, CLOSED),
            *probe(DOOR, OPEN, OPEN, status=405),
            *probe(DOOR, CLOSED, CLOSED, status=405),
        ],
        DOOR,
    ),
    "it takes one": Story(
        "inconclusive",
        "not the opposite",
        [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, OPEN), *probe(DOOR, CLOSED, OPEN)],
        DOOR,
    ),
    "the other path is a setting": Story(
        "fail",
        "under /settings/",
        [
            *quiet(LOST, False),
            write(LOST, True, segment="settings"),
            read(LOST, True, segment="status"),
            write(LOST, False, segment="settings"),
            read(LOST, False, segment="status"),
        ],
        LOST,
    ),
    "local control itself": Story(
        "fail",
        "LocalControlActive",
        [*quiet(LOCAL, False), *probe(LOCAL, True, True, True), *probe(LOCAL, False, False, False)],
        LOCAL,
    ),
    "somebody operates it": Story("inconclusive", "meanwhile", [*FOLLOWS, read(LOCAL, True)], DOOR),
    "it follows while the appliance is locked": Story(
        "fail", "reads back", [read(LOCK, True), *FOLLOWS], DOOR
    ),
    "it follows without remote control": Story(
        "inconclusive", "while X6: RemoteControlActive is false", [read(REMOTE, False), *FOLLOWS], DOOR
    ),
    "not written without remote control": Story(
        "inconclusive",
        "not written while X6: RemoteControlActive is false",
        [*quiet(DOOR, CLOSED), read(REMOTE, False)],
        DOOR,
    ),
    "it becomes a third value": Story(
        "inconclusive", "nobody wrote", [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, LOCKED, LOCKED)], DOOR
    ),
    "it cannot be read then": Story(
        "inconclusive", "409", [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, SILENT)], DOOR
    ),
    "it is not read then": Story(
        "inconclusive", "not read again", [*quiet(DOOR, CLOSED), write(DOOR, OPEN)], DOOR
    ),
    "it is not watched": Story(
        "inconclusive", "after 1 s", [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, CLOSED, seconds=1)], DOOR
    ),
    "it has that value": Story(
        "inconclusive", "no other value", [*quiet(DOOR, OPEN), *probe(DOOR, OPEN, OPEN)], DOOR
    ),
    "it was not quiet": Story(
        "inconclusive", "not quiet", [*quiet(DOOR, CLOSED), read(DOOR, OPEN), *probe(DOOR, OPEN, OPEN)], DOOR
    ),
    "it was read once": Story(
        "inconclusive", "read 1 times", [read(DOOR, CLOSED), *probe(DOOR, OPEN, OPEN)], DOOR
    ),
    "nothing was written": Story("inconclusive", "not written", quiet(DOOR, CLOSED), DOOR),
    "not served": Story(
        "not_applicable", "not supported", [read(DOOR, SILENT)], DOOR, shared=(UNKNOWN, refusal(DOOR))
    ),
}


@pytest.mark.parametrize("name", PROBES)
def test_status_is_read_only(name: str) -> None:
    """A status that takes a written value and then the opposite one convicts, whatever was answered."""
    PROBES[name].holds(assert_status_read_only, "STA-READONLY", probe_group(PROBES[name].key))


def start(wanted: bool, *shown: object, **members: Any) -> Steps:
    """An attempt to allow the remote start, or to disable it."""
    return probe(REMOTE_START, wanted, *shown, **members)


CYCLE: Steps = [*start(True, True, True), *start(False, False, False)]
STARTS: dict[str, Story] = {
    "it stays false": Story(
        "pass", "", [*quiet(REMOTE_START, False), *start(True, False, False, status=400)], REMOTE_START
    ),
    "it becomes true in three cycles": Story(
        "fail",
        "wrote true under /status/, acknowledged (204), then true, 3 times",
        [*quiet(REMOTE_START, False), *CYCLE * 3],
        REMOTE_START,
    ),
    "it becomes true in two": Story(
        "inconclusive", "but not 3 times", [*quiet(REMOTE_START, False), *CYCLE * 2], REMOTE_START
    ),
    "for a moment": Story(
        "inconclusive",
        "for a moment",
        [*quiet(REMOTE_START, False), *start(True, True, False) * 3],
        REMOTE_START,
    ),
    "it cannot be read then": Story(
        "inconclusive", "409", [*quiet(REMOTE_START, False), *start(True, SILENT)], REMOTE_START
    ),
    "only disabled": Story(
        "inconclusive",
        "was not written",
        [*quiet(REMOTE_START, True), *start(False, False, False)],
        REMOTE_START,
    ),
    "it is true": Story("not_applicable", "the value is true", quiet(REMOTE_START, True), REMOTE_START),
    "it is not tried": Story("inconclusive", "not written", quiet(REMOTE_START, False), REMOTE_START),
}


@pytest.mark.parametrize("name", STARTS)
def test_remote_start_is_only_disabled(name: str) -> None:
    """Becoming true by a write convicts in three cycles, since a person may do the same; becoming false never
    does.
    """
    STARTS[name].holds(assert_start_only_disabled, "STA-RCSA-DISABLE-ONLY", probe_group(REMOTE_START))


@pytest.mark.parametrize(("said", "verdict"), [("yes", "fail"), ("no", "inconclusive")])
def test_operator_shortens_the_proof(said: str, verdict: str) -> None:
    """Where an operator says that no person acted, two cycles are enough."""
    group = probe_group(REMOTE_START)
    seen = traced(procedure(group, *quiet(REMOTE_START, False), *CYCLE * 2))
    told = Remark("operator", group, HA_ID, REMOTE_START, {"asked": "did nobody touch it?", "said": said})
    seen = replace(seen, remarks={group: (told,)})
    assert judged(assert_start_only_disabled, "STA-RCSA-DISABLE-ONLY", REMOTE_START, seen).verdict == verdict
