"""Settings are configurable, over their whole range."""

from typing import Any

import pytest

from conformance.checks.groups import NONCE_SETTINGS, WALK, guard_group, setting_group
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.settings import another_value, both_ends
from conformance.selftest.support.samples.handmade import judged, refusal, value
from conformance.selftest.support.samples.handtraced import (
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

POWER = "Vendor.Common.Setting.PowerState"
ALARM = "Vendor.Common.Setting.AlarmClock"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
SUPER = "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer"
ECO = "Refrigeration.Common.Setting.EcoMode"
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
CLAIMED = {"writable": ["*"]}
POINT = read(SETPOINT, 4, **TWO_TO_EIGHT)
POINT_BY_ONE = read(SETPOINT, 4, step=1, **TWO_TO_EIGHT)
UNLOCKED, LIT, LOW_FORCE = read(LOCK, False), read(LIGHT, 50), read(FORCE, LOW)


def lock(wanted: Any, *shown: object, **members: Any) -> Steps:
    """An attempt on the child lock."""
    return attempt(LOCK, wanted, *shown, **members)


def setpoint(wanted: Any, *shown: object, **members: Any) -> Steps:
    """An attempt on the refrigerator setpoint, whose bodies show its range."""
    return attempt(SETPOINT, wanted, *shown, **{**TWO_TO_EIGHT, **members})


DROPPED = [UNLOCKED, *lock(True, False, False), *lock(True, False, False)]

# A write that is never seen, that reverts, or that is refused though claimed convicts, twice.
# fmt: off
WRITABLE: dict[str, Story] = {
    # It holds.
    "reads back": Story("pass", UNLOCKED, lock(True, True, True), lock(False, False, False)),
    "takes a while": Story("pass", UNLOCKED, lock(True, False, False, True, True)),
    "is refused, and takes effect": Story("pass", UNLOCKED, lock(True, True, True, status=500)),
    # It does not: dropped, reverted, refused though claimed.
    "is dropped twice": Story("fail", DROPPED, says="still false after 10 s, twice; document says settings"),
    "is dropped beside a list of words": Story("fail", read(LOCK, False, allowed=["on"]),
        lock(True, False, False, allowed=["on"]) * 2),
    "one direction is dropped": Story("fail", UNLOCKED, lock(True, True, True), lock(False, True, True) * 2),
    "is read once and reverts": Story("fail", UNLOCKED, lock(True, True, False) * 2),
    "is refused though claimed": Story("fail", UNLOCKED, lock(True, False, status=409) * 2,
        appliance=CLAIMED),
    # Too little to say so.
    "a mode is refused beside another": Story("inconclusive", read(ECO, True), read(SUPER, False),
        attempt(SUPER, True, False, status=409) * 2, appliance=CLAIMED),
    "a server error though claimed, twice": Story("inconclusive", read(LOCK, False),
        lock(True, False, status=500) * 2, appliance=CLAIMED),
    "is dropped once": Story("inconclusive", UNLOCKED, lock(True, False, False), lock(True, True, True)),
    "is not watched long enough": Story("inconclusive", UNLOCKED, lock(True, False, False, seconds=3) * 2),
    "is refused": Story("inconclusive", UNLOCKED, lock(True, False, status=409) * 2),
    "reverts after a refusal": Story("inconclusive", UNLOCKED, lock(True, True, False, status=409) * 2),
    "access is refused": Story("inconclusive", UNLOCKED, lock(True, False, False, status=403) * 2,
        appliance=CLAIMED),
    "is not readable then": Story("inconclusive", UNLOCKED, lock(True, SILENT)),
    "is not read again": Story("inconclusive", UNLOCKED, write(LOCK, True)),
    "was not readable before": Story("inconclusive", read(LOCK, SILENT), write(LOCK, True), read(LOCK, True)),
    "was of a wrong type before": Story("inconclusive", read(LOCK, "no"), lock(True, "no", "no") * 2),
    "found outside its range": Story("inconclusive", read(SETPOINT, 1, **TWO_TO_EIGHT),
        says="not written: found at 1, outside its range 2 to 8, which could not be put back"),
    "the value it has": Story("inconclusive", read(LOCK, True), lock(True, True, True)),
    "nothing was written": Story("inconclusive", UNLOCKED),
    "somebody operates it": Story("inconclusive", DROPPED, read(LOCAL, False), read(LOCAL, True)),
    "remote control ends meanwhile": Story("inconclusive", read(REMOTE, True), DROPPED, read(REMOTE, False)),
    # An exempting state excuses a refusal and a dropped write, and names itself.
    "remote control is off": Story("inconclusive", read(REMOTE, False), DROPPED),
    "off": Story("inconclusive", read(POWER, OFF), DROPPED, appliance=CLAIMED),
    "off, but it takes effect": Story("pass", read(POWER, OFF), UNLOCKED, lock(True, True, True)),
    "not written for a state": Story("inconclusive", read(POWER, OFF), UNLOCKED),
    "locked": Story("inconclusive", read(LOCK, True), read(SUPER, False),
        attempt(SUPER, True, False, False) * 2),
    # What the appliance may do by itself.
    "a super mode ends": Story("pass", read(SUPER, False), attempt(SUPER, True, True, False) * 2),
    "an alarm clock runs": Story("pass", read(ALARM, 0), attempt(ALARM, 3600, 3600, 3590)),
    "a color in another case": Story("pass", read(CUSTOM, "#000000"),
        attempt(CUSTOM, "#FFAA00", "#ffaa00", "#ffaa00")),
    # Not served, read-only, nothing to choose.
    "not served": Story("not_applicable", read(LOCK, SILENT), shared=(NONCE, refusal(LOCK))),
    "not readable": Story("inconclusive", read(LOCK, SILENT)),
    "not asked": Story("inconclusive"),
    "not tried": Story("inconclusive", shared=(value(LOCK, False),)),
    "read-only": Story("not_applicable", read(LOCK, shown=False, access="read")),
    "read-only, as a list": Story("not_applicable", read(LOCK, shown=False, access=["read"])),
    "may be written": Story("fail", read(LOCK, shown=False, access="readWrite"), DROPPED),
    # Enumerations: a value of the appliance's own subset.
    "advertised, dropped": Story("fail", read(FORCE, LOW, **TWO_FORCES),
        attempt(FORCE, HIGH, LOW, LOW, **TWO_FORCES) * 2),
    "declared, dropped": Story("fail", LOW_FORCE, attempt(FORCE, HIGH, LOW, LOW) * 2,
        appliance={"enum_subset": {FORCE: ["LowForce", "HighForce"]}}),
    "a subset nobody shows": Story("inconclusive", LOW_FORCE, attempt(FORCE, HIGH, LOW, LOW) * 2),
    "not of the subset": Story("inconclusive", read(FORCE, LOW, **TWO_FORCES),
        attempt(FORCE, MIDDLE, LOW, LOW, **TWO_FORCES) * 2),
    "one becomes a third value": Story("pass", LOW_FORCE, attempt(FORCE, MIDDLE, HIGH, HIGH),
        attempt(FORCE, MIDDLE, HIGH, HIGH), attempt(FORCE, LOW, LOW, LOW), appliance=CLAIMED,
        says="neither the old value nor the written one"),
    "not of the enumeration": Story("inconclusive", LOW_FORCE, attempt(FORCE, "High", LOW, LOW) * 2),
    "only one value": Story("not_applicable", read(FORCE, LOW, allowed=[LOW])),
    # Numbers: quantised, rounded, clamped.
    "a setpoint takes its step": Story("pass", POINT_BY_ONE, setpoint(7.3, 7, 7, step=1)),
    "a setpoint is dropped": Story("fail", POINT, setpoint(8, 4, 4) * 2),
    "a setpoint may be rounded back": Story("inconclusive", POINT, setpoint(4.3, 4, 4) * 2),
    "a setpoint within its step": Story("inconclusive", POINT_BY_ONE, setpoint(4.3, 4, 4, step=1)),
    "a setpoint off its grid": Story("inconclusive", POINT, setpoint(5.7, 4, 4, step=1) * 2),
    "a setpoint without a range": Story("inconclusive", read(SETPOINT, 4), attempt(SETPOINT, 8, 4, 4) * 2),
    "a setpoint of its own mind": Story("inconclusive", POINT_BY_ONE, setpoint(8, 6, 6, step=1) * 2,
        says="the write before it had led to that value"),
    "one value": Story("not_applicable", read(SETPOINT, 4, min=4, max=4)),
    "a timeout without a range": Story("inconclusive", read(TIMEOUT, 5), attempt(TIMEOUT, 6, 5, 5) * 2),
    "others are taken, one refused": Story("pass", LIT, attempt(LIGHT, 100, 100, 100),
        attempt(LIGHT, 55, 100, status=400) * 2, appliance=CLAIMED),
    "others are taken, one dropped": Story("pass", LIT, attempt(LIGHT, 100, 100, 100),
        attempt(LIGHT, 55, 100, 100) * 2),
    "others are taken, the old one is not": Story("fail", LIT, attempt(LIGHT, 100, 100, 100),
        attempt(LIGHT, 50, 100, 100) * 2),
    "an end is judged elsewhere": Story("pass", POINT_BY_ONE, setpoint(6, 6, 6, step=1),
        setpoint(8, 6, 6, step=1) * 2, appliance=CLAIMED),
    "a value between is judged here": Story("fail", POINT_BY_ONE, setpoint(8, 8, 8, step=1),
        setpoint(6, 8, 8, step=1) * 2),
    # Texts.
    "no samples": Story("inconclusive", read(CUSTOM, "#000000")),
}
WALKED: dict[str, Story] = {
    "power, only on": Story("not_applicable", read(POWER, ON), attempt(POWER, ON, ON, ON) * 2,
        appliance={"power_states": ["On"]}),
    "power, refused": Story("inconclusive", read(POWER, ON), attempt(POWER, OFF, ON, ON, seconds=60) * 2,
        appliance={"power_states": ["On", "Off"]}),
}
# fmt: on


# An end that comes out a whole step off convicts, twice, where the key is claimed writable.
# fmt: off
ENDS: dict[str, Story] = {
    "both are taken": Story("pass", POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 8, 8, step=1)),
    "one is clamped": Story("fail", POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 7, 7, step=1) * 2,
        appliance=CLAIMED),
    "one is dropped": Story("fail", POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 2, 2, step=1) * 2,
        appliance=CLAIMED),
    "nothing is taken": Story("inconclusive", POINT_BY_ONE, setpoint(8, 4, 4, step=1) * 2, appliance=CLAIMED),
    "it is not claimed": Story("inconclusive", POINT_BY_ONE, setpoint(2, 2, 2, step=1),
        setpoint(8, 7, 7, step=1) * 2, says="appliance.writable does not claim it"),
    "one is dropped, the step is not known": Story("fail", POINT, setpoint(2, 2, 2), setpoint(8, 2, 2) * 2,
        appliance=CLAIMED),
    "the step is not known": Story("inconclusive", POINT, setpoint(2, 2, 2), setpoint(8, 7, 7) * 2,
        appliance=CLAIMED),
    "rounded to a declared grid": Story("pass", read(ALARM, 0), attempt(ALARM, 38340, 38100, 38100) * 2,
        attempt(ALARM, 600, 600, 600), appliance={**CLAIMED, "step": {ALARM: 300}}),
    "not settled": Story("inconclusive", POINT_BY_ONE, setpoint(2, 2, 2, step=1),
        setpoint(8, 6, 7, step=1) * 2, appliance=CLAIMED),
    "refused": Story("inconclusive", POINT_BY_ONE, setpoint(2, 2, 2, step=1),
        setpoint(8, 2, status=400, step=1) * 2, appliance=CLAIMED),
    "off": Story("inconclusive", POINT_BY_ONE, setpoint(2, 2, 2, step=1), read(POWER, OFF),
        setpoint(8, 2, 2, step=1) * 2, appliance=CLAIMED),
    "not readable afterwards": Story("inconclusive", POINT_BY_ONE, setpoint(2, 2, 2, step=1),
        setpoint(8, SILENT, SILENT, step=1) * 2, appliance=CLAIMED),
    "it is there already": Story("inconclusive", read(SETPOINT, 8, step=1, **TWO_TO_EIGHT),
        setpoint(8, 8, 8, step=1)),
    "no end was written": Story("inconclusive", POINT_BY_ONE, setpoint(5, 5, 5, step=1)),
    "nothing was written": Story("inconclusive", POINT_BY_ONE),
    "no range": Story("not_applicable", read(TIMEOUT, 4)),
    "bounds the wrong way round": Story("not_applicable", read(SETPOINT, 4, min=8, max=2)),
    "read-only": Story("not_applicable", read(SETPOINT, 4, access="read", step=1, **TWO_TO_EIGHT)),
}
# fmt: on


test_settings = Story.each_of(
    {
        ("SET-WRITABLE", judge_writes(another_value), setting_group): WRITABLE,
        ("SET-WRITABLE", judge_writes(another_value), WALK): WALKED,
        ("RANGE-WRITE-BOUNDS", judge_writes(both_ends), setting_group): ENDS,
    }
)


@pytest.mark.parametrize(
    ("first", "later", "verdict"),
    [
        ([], [read(LOCK, False)], "inconclusive"),
        ([], [read(LOCK, True)], "pass"),
        (lock(True, True, True, False), [read(LOCK, False)], "fail"),
        ([], [write(ECO, True), read(LOCK, False)], "inconclusive"),
        ([], [write(POWER, OFF), read(LOCK, False)], "pass"),
    ],
    ids=["once", "it stays", "twice", "beside another write", "after what may move it"],
)
def test_what_rolls_back_later_is_seen(first: Steps, later: Steps, verdict: str) -> None:
    """A value that was confirmed, and is the old one at a later read with no write between, did not stay."""
    made = procedure(setting_group(LOCK), UNLOCKED, *first, *lock(True, True, True))
    seen = traced([value(LOCK, False), *made, *procedure(guard_group(ECO), *later)])
    row = f"{len(first)} {len(later)} {verdict} later"
    assert judged(judge_writes(another_value), "SET-WRITABLE", LOCK, seen, row).verdict == verdict
