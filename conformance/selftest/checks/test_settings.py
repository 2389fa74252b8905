"""Settings are configurable, over their whole range: what convicts a target, and what only looks as if it
did.
"""

# ruff: noqa: FBT003  true and false stand here for values on the wire

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conformance.checks.groups import NONCE_SETTINGS, WALK, setting_group
from conformance.checks.notes import note_writes
from conformance.checks.writes.settings import assert_both_ends, assert_writable
from conformance.selftest.support.handmade import judged, refusal, value
from conformance.selftest.support.handtraced import LOCK, SILENT, Story, attempt, read, traced, write

if TYPE_CHECKING:
    from conformance.selftest.support.handtraced import Steps

POWER = "Vendor.Common.Setting.PowerState"
ALARM = "Vendor.Common.Setting.AlarmClock"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
SUPER = "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer"
FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
CUSTOM = "Vendor.Common.Setting.AmbientLightCustomColor"
REMOTE, LOCAL = "Vendor.Common.Status.RemoteControlActive", "Vendor.Common.Status.LocalControlActive"
LOW, MIDDLE, HIGH = (
    f"Refrigeration.Common.EnumType.Door.AssistantForce.{name}Force" for name in ("Low", "Middle", "High")
)
ON, OFF = (f"Vendor.Common.EnumType.PowerState.{name}" for name in ("On", "Off"))
NONCE = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)
TWO_TO_EIGHT: dict[str, Any] = {"min": 2, "max": 8}
TWO_FORCES: dict[str, Any] = {"allowed": [LOW, HIGH]}
BY_ONE: dict[str, Any] = {**TWO_TO_EIGHT, "step": 1}


def claiming(*keys: str, **members: Any) -> dict[str, Any]:
    """An appliance that claims these keys to be writable."""
    return {"writable": list(keys or [LOCK]), **members}


def lock(wanted: Any, *shown: object, **members: Any) -> Steps:
    """An attempt on the child lock."""
    return attempt(LOCK, wanted, *shown, **members)


def setpoint(wanted: Any, *shown: object, **members: Any) -> Steps:
    """An attempt on the refrigerator setpoint, whose bodies show its range."""
    return attempt(SETPOINT, wanted, *shown, **{**TWO_TO_EIGHT, **members})


DROPPED = [read(LOCK, shown=False), *lock(True, False, False), *lock(True, False, False)]

WRITABLE: dict[str, Story] = {
    # It holds.
    "reads back": Story(
        "pass", "", [read(LOCK, shown=False), *lock(True, True, True), *lock(False, False, False)]
    ),
    "takes a while": Story("pass", "", [read(LOCK, shown=False), *lock(True, False, False, True, True)]),
    "is refused, and takes effect": Story(
        "pass", "", [read(LOCK, shown=False), *lock(True, True, True, status=500)]
    ),
    # It does not: dropped, reverted, refused though claimed.
    "is dropped twice": Story(
        "fail",
        "wrote true, acknowledged (204), still false after 10 s, twice; document says settings are"
        " configurable properties",
        DROPPED,
    ),
    "one direction is dropped": Story(
        "fail",
        "wrote false, acknowledged (204)",
        [read(LOCK, shown=False), *lock(True, True, True), *lock(False, True, True) * 2],
    ),
    "is read once and reverts": Story(
        "fail", "true once, then false again, twice", [read(LOCK, shown=False), *lock(True, True, False) * 2]
    ),
    "is refused though claimed": Story(
        "fail",
        "wrote true, 409 (refused), still false, twice",
        [read(LOCK, shown=False), *lock(True, False, status=409) * 2],
        LOCK,
        claiming(),
    ),
    # Too little to say so.
    "a server error though claimed, twice": Story(
        "inconclusive",
        "500 (server error)",
        [read(LOCK, shown=False), *lock(True, False, status=500) * 2],
        appliance=claiming("Vendor.*"),
    ),
    "is dropped once": Story(
        "inconclusive",
        "but not twice",
        [read(LOCK, shown=False), *lock(True, False, False), *lock(True, True, True)],
    ),
    "is not watched long enough": Story(
        "inconclusive", "after 3 s", [read(LOCK, shown=False), *lock(True, False, False, seconds=3) * 2]
    ),
    "is refused": Story(
        "inconclusive", "409 (refused)", [read(LOCK, shown=False), *lock(True, False, status=409) * 2]
    ),
    "reverts after a refusal": Story(
        "inconclusive", "once", [read(LOCK, shown=False), *lock(True, True, False, status=409) * 2]
    ),
    "access is refused": Story(
        "inconclusive",
        "403",
        [read(LOCK, shown=False), *lock(True, False, False, status=403) * 2],
        LOCK,
        claiming(),
    ),
    "is not readable then": Story(
        "inconclusive", "409 (refused)", [read(LOCK, shown=False), *lock(True, SILENT)]
    ),
    "is not read again": Story(
        "inconclusive", "not read afterwards", [read(LOCK, shown=False), write(LOCK, wanted=True)]
    ),
    "was not readable before": Story(
        "inconclusive",
        "the value before is not known",
        [read(LOCK, SILENT), write(LOCK, wanted=True), read(LOCK, shown=True)],
    ),
    "was of a wrong type before": Story(
        "inconclusive", "judged by other clauses", [read(LOCK, "no"), *lock(True, "no", "no") * 2]
    ),
    "the value it has": Story(
        "inconclusive", "no other value", [read(LOCK, shown=True), *lock(True, True, True)]
    ),
    "nothing was written": Story("inconclusive", "no other value is known", [read(LOCK, shown=False)]),
    "somebody operates it": Story(
        "inconclusive",
        "meanwhile LocalControlActive is true",
        [*DROPPED, read(LOCAL, shown=False), read(LOCAL, shown=True)],
    ),
    "remote control ends meanwhile": Story(
        "inconclusive", "RemoteControlActive", [read(REMOTE, shown=True), *DROPPED, read(REMOTE, shown=False)]
    ),
    # An exempting state excuses a refusal and a dropped write, and names itself.
    "remote control is off": Story(
        "inconclusive", "while X6: RemoteControlActive is false", [read(REMOTE, shown=False), *DROPPED]
    ),
    "off": Story(
        "inconclusive", f"while X4: PowerState is {OFF}", [read(POWER, OFF), *DROPPED], LOCK, claiming()
    ),
    "off, but it takes effect": Story(
        "pass", "", [read(POWER, OFF), read(LOCK, shown=False), *lock(True, True, True)]
    ),
    "not written for a state": Story(
        "inconclusive",
        f"not written while X4: PowerState is {OFF}",
        [read(POWER, OFF), read(LOCK, shown=False)],
    ),
    "locked": Story(
        "inconclusive",
        "while X13: ChildLock is on",
        [read(LOCK, shown=True), read(SUPER, shown=False), *attempt(SUPER, True, False, False) * 2],
        SUPER,
    ),
    # What the appliance may do by itself.
    "a super mode ends": Story(
        "pass", "", [read(SUPER, shown=False), *attempt(SUPER, True, True, False) * 2], SUPER
    ),
    "a super mode never begins": Story(
        "fail", "still false", [read(SUPER, shown=False), *attempt(SUPER, True, False, False) * 2], SUPER
    ),
    "a super mode comes back": Story(
        "fail", "once", [read(SUPER, shown=True), *attempt(SUPER, False, False, True) * 2], SUPER
    ),
    "an alarm clock runs": Story("pass", "", [read(ALARM, 0), *attempt(ALARM, 3600, 3600, 3590)], ALARM),
    "a color in another case": Story(
        "pass", "", [read(CUSTOM, "#000000"), *attempt(CUSTOM, "#FFAA00", "#ffaa00", "#ffaa00")], CUSTOM
    ),
    # Not served, read-only, nothing to choose.
    "not served": Story(
        "not_applicable", "not supported", [read(LOCK, SILENT)], shared=(NONCE, refusal(LOCK))
    ),
    "not readable": Story("inconclusive", "", [read(LOCK, SILENT)]),
    "not asked": Story("inconclusive", "not asked", []),
    "not tried": Story("inconclusive", "not written in this run", [], shared=(value(LOCK, shown=False),)),
    "read-only": Story("not_applicable", "read-only", [read(LOCK, shown=False, access="read")]),
    "read-only, as a list": Story("not_applicable", "read-only", [read(LOCK, shown=False, access=["read"])]),
    "access is no word": Story("fail", "", [read(LOCK, shown=False, access=7), *DROPPED]),
    "may be written": Story("fail", "", [read(LOCK, shown=False, access="readWrite"), *DROPPED]),
    # Enumerations: a value of the appliance's own subset.
    "advertised, dropped": Story(
        "fail",
        "still",
        [read(FORCE, LOW, **TWO_FORCES), *attempt(FORCE, HIGH, LOW, LOW, **TWO_FORCES) * 2],
        FORCE,
    ),
    "declared, dropped": Story(
        "fail",
        "",
        [read(FORCE, LOW), *attempt(FORCE, HIGH, LOW, LOW) * 2],
        FORCE,
        {"enum_subset": {FORCE: ["LowForce", "HighForce"]}},
    ),
    "a subset nobody shows": Story(
        "inconclusive",
        "neither declared nor advertised",
        [read(FORCE, LOW), *attempt(FORCE, HIGH, LOW, LOW) * 2],
        FORCE,
    ),
    "not of the subset": Story(
        "inconclusive",
        "no other value",
        [read(FORCE, LOW, **TWO_FORCES), *attempt(FORCE, MIDDLE, LOW, LOW, **TWO_FORCES) * 2],
        FORCE,
    ),
    "not of the enumeration": Story(
        "inconclusive", "no other value", [read(FORCE, LOW), *attempt(FORCE, "High", LOW, LOW) * 2], FORCE
    ),
    "only one value": Story("not_applicable", "only one value", [read(FORCE, LOW, allowed=[LOW])], FORCE),
    "power, refused": Story(
        "inconclusive",
        "PWR clauses",
        [read(POWER, ON), *attempt(POWER, OFF, ON, ON, seconds=60) * 2],
        POWER,
        {"power_states": ["On", "Off"]},
    ),
    # Numbers: quantised, rounded, clamped.
    "a setpoint takes its step": Story(
        "pass", "", [read(SETPOINT, 4, **BY_ONE), *setpoint(7.3, 7, 7, step=1)], SETPOINT
    ),
    "a setpoint is dropped": Story(
        "fail", "wrote 8", [read(SETPOINT, 4, **TWO_TO_EIGHT), *setpoint(8, 4, 4) * 2], SETPOINT
    ),
    "a setpoint may be rounded back": Story(
        "inconclusive",
        "may be rounding",
        [read(SETPOINT, 4, **TWO_TO_EIGHT), *setpoint(4.3, 4, 4) * 2],
        SETPOINT,
    ),
    "a setpoint within its step": Story(
        "inconclusive",
        "no other value",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(4.3, 4, 4, step=1)],
        SETPOINT,
    ),
    "a setpoint off its grid": Story(
        "inconclusive",
        "off the grid",
        [read(SETPOINT, 4, **TWO_TO_EIGHT), *setpoint(5.7, 4, 4, step=1) * 2],
        SETPOINT,
    ),
    "a setpoint without a range": Story(
        "inconclusive",
        "nobody shows the range",
        [read(SETPOINT, 4), *attempt(SETPOINT, 8, 4, 4) * 2],
        SETPOINT,
    ),
    "a setpoint of its own mind": Story(
        "inconclusive",
        "the write before it had led to that value",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(8, 6, 6, step=1) * 2],
        SETPOINT,
    ),
    "one value": Story("not_applicable", "only one value", [read(SETPOINT, 4, min=4, max=4)], SETPOINT),
    "a timeout without a range": Story(
        "inconclusive", "nobody shows", [read(TIMEOUT, 5), *attempt(TIMEOUT, 6, 5, 5) * 2], TIMEOUT
    ),
    "others are taken, one refused": Story(
        "pass",
        "its step may forbid this one",
        [read(LIGHT, 50), *attempt(LIGHT, 100, 100, 100), *attempt(LIGHT, 55, 100, status=400) * 2],
        LIGHT,
        claiming(LIGHT),
    ),
    "others are taken, one dropped": Story(
        "pass",
        "its step may forbid",
        [read(LIGHT, 50), *attempt(LIGHT, 100, 100, 100), *attempt(LIGHT, 55, 100, 100) * 2],
        LIGHT,
    ),
    "others are taken, the old one is not": Story(
        "fail",
        "wrote 50",
        [read(LIGHT, 50), *attempt(LIGHT, 100, 100, 100), *attempt(LIGHT, 50, 100, 100) * 2],
        LIGHT,
    ),
    "an end is judged elsewhere": Story(
        "pass",
        "RANGE-WRITE-BOUNDS",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(6, 6, 6, step=1), *setpoint(8, 6, 6, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "a value between is judged here": Story(
        "fail",
        "wrote 6",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(8, 8, 8, step=1), *setpoint(6, 8, 8, step=1) * 2],
        SETPOINT,
    ),
    # Texts.
    "no samples": Story("inconclusive", "appliance.samples", [read(CUSTOM, "#000000")], CUSTOM),
}


@pytest.mark.parametrize("name", WRITABLE)
def test_setting_is_configurable(name: str) -> None:
    """A write that was acknowledged twice and never seen convicts, as does one that reverts, or that is
    refused though claimed.
    """
    story = WRITABLE[name]
    story.holds(assert_writable, "SET-WRITABLE", WALK if story.key == POWER else setting_group(story.key))


ENDS: dict[str, Story] = {
    "both are taken": Story(
        "pass",
        "",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 8, 8, step=1)],
        SETPOINT,
    ),
    "one is clamped": Story(
        "fail",
        "wrote 8, an end of the range 2 to 8, acknowledged (204), 7 after 10 s, twice",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 7, 7, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "one is dropped": Story(
        "fail",
        "wrote 8",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 2, 2, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "nothing is taken": Story(
        "inconclusive",
        "SET-WRITABLE judges it",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(8, 4, 4, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "it is not claimed": Story(
        "pass",
        "7 after 10 s",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 7, 7, step=1) * 2],
        SETPOINT,
    ),
    "the step is not known": Story(
        "pass",
        "may be rounding",
        [read(SETPOINT, 4, **TWO_TO_EIGHT), *setpoint(2, 2, 2), *setpoint(8, 7, 7) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "rounded to a declared grid": Story(
        "pass",
        "",
        [read(ALARM, 0), *attempt(ALARM, 38340, 38100, 38100) * 2, *attempt(ALARM, 600, 600, 600)],
        ALARM,
        claiming(ALARM, step={ALARM: 300}),
    ),
    "not settled": Story(
        "pass",
        "7",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 6, 7, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "refused": Story(
        "pass",
        "400",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, 2, status=400, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "off": Story(
        "pass",
        "X4",
        [
            read(SETPOINT, 4, **BY_ONE),
            *setpoint(2, 2, 2, step=1),
            read(POWER, OFF),
            *setpoint(8, 2, 2, step=1) * 2,
        ],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "not readable afterwards": Story(
        "pass",
        "nothing",
        [read(SETPOINT, 4, **BY_ONE), *setpoint(2, 2, 2, step=1), *setpoint(8, SILENT, SILENT, step=1) * 2],
        SETPOINT,
        claiming(SETPOINT),
    ),
    "it is there already": Story(
        "inconclusive", "no end", [read(SETPOINT, 8, **BY_ONE), *setpoint(8, 8, 8, step=1)], SETPOINT
    ),
    "no end was written": Story(
        "inconclusive", "no end", [read(SETPOINT, 4, **BY_ONE), *setpoint(5, 5, 5, step=1)], SETPOINT
    ),
    "nothing was written": Story("inconclusive", "not written", [read(SETPOINT, 4, **BY_ONE)], SETPOINT),
    "no range": Story("not_applicable", "no range is known", [read(TIMEOUT, 4)], TIMEOUT),
    "bounds the wrong way round": Story(
        "not_applicable", "no range is known", [read(SETPOINT, 4, min=8, max=2)], SETPOINT
    ),
    "read-only": Story("not_applicable", "read-only", [read(SETPOINT, 4, access="read", **BY_ONE)], SETPOINT),
}


@pytest.mark.parametrize("name", ENDS)
def test_both_ends_can_be_written(name: str) -> None:
    """An end that comes out a whole step off convicts, twice, where the key is claimed writable; a refusal
    never does.
    """
    ENDS[name].holds(assert_both_ends, "RANGE-WRITE-BOUNDS", setting_group(ENDS[name].key))


def test_writes_are_noted() -> None:
    """PROT-WRITE says how writing is declared and how much may be written."""
    declared = {"method": "PUT", "path": "/x/{ha_id}/{key}", "body": {"value": "{value}"}, "allow": [LOCK]}
    note = judged(note_writes, "PROT-WRITE", LOCK, traced([value(LOCK, shown=False)], write=declared)).message
    assert note.startswith("PUT /x/{ha_id}/{key}, declared; 1 of ")
