"""Settings are configurable, over their whole range."""

from typing import Any

import pytest

from conformance.checks.groups import guard_group, isolation_group, setting_group
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.settings import another_value, both_ends
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import ruling, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    traced,
    write,
)

POWER = "Vendor.Common.Setting.PowerState"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
SUPER = "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer"
ECO = "Refrigeration.Common.Setting.EcoMode"
FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
CUSTOM = "Vendor.Common.Setting.AmbientLightCustomColor"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
LOW, HIGH = (f"Refrigeration.Common.EnumType.Door.AssistantForce.{name}Force" for name in ("Low", "High"))
OFF = "Vendor.Common.EnumType.PowerState.Off"
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
WRITABLE: dict[str, tuple[str, Story]] = {
    # It does not hold: dropped, reverted, refused though claimed.
    "is read once and reverts": ("fail 4 REVERTED true 204 true false",
        Story(UNLOCKED, lock(True, True, False) * 2)),
    "is refused though claimed": ("fail 3 REFUSED true 409 false",
        Story(UNLOCKED, lock(True, False, status=409) * 2, appliance=CLAIMED)),
    # Too little to say so.
    "a mode is refused beside another": ("inconclusive 6 true 409 false EcoMode",
        Story(read(ECO, True), read(SUPER, False), attempt(SUPER, True, False, status=409) * 2,
            appliance=CLAIMED)),
    "a mode is dropped beside another": ("fail 5 DROPPED true 204 false 10",
        Story(read(ECO, True), read(SUPER, False), attempt(SUPER, True, False, False) * 2,
            appliance=CLAIMED)),
    "is refused though claimed, and no mode": ("fail 4 REFUSED true 409 false",
        Story(read(ECO, True), UNLOCKED, lock(True, False, status=409) * 2, appliance=CLAIMED)),
    "was not readable before": ("inconclusive 3 true 204",
        Story(read(LOCK, SILENT), write(LOCK, True), read(LOCK, True))),
    "was of a wrong type before": ('inconclusive 7 true 204 "no"',
        Story(read(LOCK, "no"), lock(True, "no", "no") * 2)),
    "found outside its range": ("inconclusive 1 1 2 8",
        Story(read(SETPOINT, 1, **TWO_TO_EIGHT),
            says="not written: found at 1, outside its range 2 to 8, which could not be put back")),
    "remote control ends meanwhile": ("inconclusive 5 true 204 false 10 RemoteControlActive true false",
        Story(read(REMOTE, True), DROPPED, read(REMOTE, False))),
    # An exempting state excuses a refusal and a dropped write, and names itself.
    "remote control is off": ("inconclusive 8 X6 true 204 false 10 RemoteControlActive false",
        Story(read(REMOTE, False), DROPPED)),
    "off": ("inconclusive 8 X4 true 204 false 10 PowerState …PowerState.Off",
        Story(read(POWER, OFF), DROPPED, appliance=CLAIMED)),
    "locked": ("inconclusive 8 X13 true 204 false 10 ChildLock",
        Story(read(LOCK, True), read(SUPER, False), attempt(SUPER, True, False, False) * 2)),
    # What the appliance may do by itself.
    "changes from read to read": ("inconclusive 9 true 204 true false",
        Story(UNLOCKED, read(LOCK, True), UNLOCKED, lock(True, True, False) * 2)),
    "changed once before": ("fail 5 REVERTED true 204 true false",
        Story(read(LOCK, True), UNLOCKED, lock(True, True, False) * 2)),
    # Not served, read-only, nothing to choose.
    "not asked": ("inconclusive ChildLock", Story()),
    "not written without remote control": ("inconclusive (2) X6 RemoteControlActive false",
        Story(read(REMOTE, False), UNLOCKED)),
    "not written, of a wrong type": ('inconclusive 1 "no"', Story(read(LOCK, "no"))),
    "not written, a text": ('inconclusive 1 "4"', Story(read(SETPOINT, "4", **TWO_TO_EIGHT))),
    "one number alone": ("not_applicable (1)", Story(read(SETPOINT, 4, min=4, max=4))),
    # Enumerations: a value of the appliance's own subset.
    "advertised, dropped": (
        'fail 4 DROPPED "…Door.AssistantForce.HighForce" 204 "…Door.AssistantForce.LowForce" 10',
        Story(read(FORCE, LOW, **TWO_FORCES), attempt(FORCE, HIGH, LOW, LOW, **TWO_FORCES) * 2)),
    "a subset nobody shows": (
        'inconclusive 7 "…Door.AssistantForce.HighForce" 204 "…Door.AssistantForce.LowForce" 10',
        Story(LOW_FORCE, attempt(FORCE, HIGH, LOW, LOW) * 2)),
    "only one value": ("not_applicable (1)", Story(read(FORCE, LOW, allowed=[LOW]))),
    # Numbers: quantised, rounded, clamped.
    "a setpoint is dropped": ("fail 4 DROPPED 8 204 4 10", Story(POINT, setpoint(8, 4, 4) * 2)),
    "a setpoint is dropped, and another one": ("fail 4 DROPPED 8 204 4 10 1",
        Story(POINT_BY_ONE, setpoint(8, 4, 4, step=1), setpoint(6, 4, 4, step=1),
            says="10 s; 1 other write did so, too")),
    "a setpoint may be rounded back": ("inconclusive 7 4.3 204 4 10", Story(POINT, setpoint(4.3, 4, 4) * 2)),
    "a setpoint within its step": ("inconclusive (4)", Story(POINT_BY_ONE, setpoint(4.3, 4, 4, step=1))),
    "a setpoint without a range": ("inconclusive 7 8 204 4 10",
        Story(read(SETPOINT, 4), attempt(SETPOINT, 8, 4, 4) * 2)),
    "a setpoint between two steps": ("inconclusive (7)",
        Story(read(SETPOINT, 4, step=2, **TWO_TO_EIGHT), setpoint(5, 4, 4, step=2) * 2)),
    "an end that is no step": ("fail 4 DROPPED 8 204 4 10",
        Story(read(SETPOINT, 4, step=4, **TWO_TO_EIGHT), setpoint(8, 4, 4, step=4) * 2)),
    "a setpoint of a list": ("fail 4 DROPPED 5 204 4 10", Story(read(SETPOINT, 4, allowed=[3, 4, 5]),
        attempt(SETPOINT, 5, 4, 4, allowed=[3, 4, 5]) * 2)),
    "a setpoint is not put back": ("fail 7 DROPPED 4 204 8 10",
        Story(POINT, setpoint(8, 8, 8), setpoint(4, 8, 8) * 2)),
    "others are taken, one refused, of a step": ("pass (8) 1 3 7 409 6",
        Story(POINT_BY_ONE, setpoint(6, 6, 6, step=1), setpoint(7, 6, status=409, step=1) * 2,
            appliance=CLAIMED)),
    "a setpoint of its own mind": ("inconclusive 7 8 204 6 10",
        Story(POINT_BY_ONE, setpoint(8, 6, 6, step=1) * 2, says="the write before it had led to that value")),
    "others are taken, one refused": ("pass (8) 1 3 55 400 100",
        Story(LIT, attempt(LIGHT, 100, 100, 100), attempt(LIGHT, 55, 100, status=400) * 2,
            appliance=CLAIMED)),
    "others are taken, one dropped": ("pass (10) 1 3 55 204 100 10",
        Story(LIT, attempt(LIGHT, 100, 100, 100), attempt(LIGHT, 55, 100, 100) * 2)),
    "an end is judged elsewhere": ("pass (10) 1 3 8 204 6 10",
        Story(POINT_BY_ONE, setpoint(6, 6, 6, step=1), setpoint(8, 6, 6, step=1) * 2, appliance=CLAIMED)),
    "a value between is judged here": ("fail 7 DROPPED 6 204 8 10",
        Story(POINT_BY_ONE, setpoint(8, 8, 8, step=1), setpoint(6, 8, 8, step=1) * 2)),
    # Texts.
    "no samples": ("inconclusive (1) appliance.samples", Story(read(CUSTOM, "#000000"))),
}
# fmt: on


# An end that comes out a whole step off convicts, twice, where the key is claimed writable.
# fmt: off
ENDS: dict[str, tuple[str, Story]] = {
    "both are taken": ("pass (7)", Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 8, 8, step=1))),
    "one is clamped": ("fail 7 8 2 8 204 7 10",
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 7, 7, step=1) * 2, appliance=CLAIMED)),
    "nothing is taken": ("inconclusive 7 8 2 8 204 4 10",
        Story(POINT_BY_ONE, setpoint(8, 4, 4, step=1) * 2, appliance=CLAIMED)),
    "it is not claimed": ("inconclusive 10 8 2 8 204 7 10 appliance.writable",
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 7, 7, step=1) * 2,
            says="appliance.writable does not claim it")),
    "one is dropped, the step is not known": ("fail 7 DROPPED 8 2 8 204 2 10",
        Story(POINT, setpoint(2, 2, 2), setpoint(8, 2, 2) * 2, appliance=CLAIMED)),
    "the step is not known": ("inconclusive 10 8 2 8 204 7 10",
        Story(POINT, setpoint(2, 2, 2), setpoint(8, 7, 7) * 2, appliance=CLAIMED)),
    "no number afterwards": ('inconclusive 10 8 2 8 204 "8" 10',
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, "8", "8", step=1) * 2,
        appliance=CLAIMED)),
    "a list without an end": ("not_applicable 1", Story(read(SETPOINT, 4, allowed=[3, 4], **TWO_TO_EIGHT))),
    "not settled": ("inconclusive 10 8 2 8 204 7 10",
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 6, 7, step=1) * 2, appliance=CLAIMED)),
    "off": ("inconclusive 11 X4 8 2 8 204 2 10 PowerState …PowerState.Off",
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), read(POWER, OFF), setpoint(8, 2, 2, step=1) * 2,
            appliance=CLAIMED)),
    "not readable afterwards": ("inconclusive 7 8 2 8 204 409",
        Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, SILENT, SILENT, step=1) * 2,
            appliance=CLAIMED)),
    "no end was written": ("inconclusive (4)", Story(POINT_BY_ONE, setpoint(5, 5, 5, step=1))),
    "nothing was written": ("inconclusive (1)", Story(POINT_BY_ONE)),
    "no range": ("not_applicable 1", Story(read(TIMEOUT, 4))),
    "read-only": ('not_applicable 1 SetpointTemperatureRefrigerator "read"',
        Story(read(SETPOINT, 4, access="read", step=1, **TWO_TO_EIGHT))),
}
# fmt: on


test_settings = Story.each_of(
    {
        ("SET-WRITABLE", judge_writes(another_value), setting_group): WRITABLE,
        ("RANGE-WRITE-BOUNDS", judge_writes(both_ends), setting_group): ENDS,
    }
)


@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [
        ([], [read(LOCK, False)], "inconclusive 6 true 204 true false"),
        ([], [read(LOCK, True)], "pass (1)"),
        (lock(True, True, True, False), [read(LOCK, False)], "fail 6 REVERTED true 204 true false"),
        ([], [write(ECO, True), read(LOCK, False)], "inconclusive 7 true 204 true false"),
        ([], [write(POWER, OFF), read(LOCK, False)], "pass (1)"),
    ],
    ids=["once", "it stays", "twice", "beside another write", "after what may move it"],
)
def test_what_rolls_back_later_is_seen(first: Steps, later: Steps, expected: str) -> None:
    """A value that was confirmed, and is the old one at a later read with no write between, did not stay."""
    made = procedure(setting_group(LOCK), UNLOCKED, *first, *lock(True, True, True))
    seen = traced([value(LOCK, False), *made, *procedure(guard_group(ECO), *later)])
    assert said(ruling(judge_writes(another_value), "SET-WRITABLE", LOCK, seen)) == expected


@pytest.mark.parametrize(("times", "verdict"), [(2, "fail"), (1, "inconclusive")])
def test_what_does_not_go_back_is_evidence(times: int, verdict: str) -> None:
    """A write that puts back is one more try, also where other appliances were watched."""
    tried = [restore(LOCK, False), *lock(False, True, True)[1:]] * times
    beside = procedure(isolation_group(LOCK), UNLOCKED, lock(True, True, True), *tried)
    seen = traced([value(LOCK, False), *beside])
    assert ruling(judge_writes(another_value), "SET-WRITABLE", LOCK, seen).verdict == verdict


@pytest.mark.parametrize(
    ("statuses", "verdict"), [((409, 409), "fail"), ((409,), "inconclusive"), ((409, 409, 204), "pass")]
)
def test_what_is_refused_when_it_is_put_back_is_evidence(statuses: tuple[int, ...], verdict: str) -> None:
    """Unless it is taken in the end: then something was in the way for a while."""
    shown = [lock(True, status >= 400, status >= 400)[1:] for status in statuses]
    tried = [
        step
        for status, after in zip(statuses, shown, strict=True)
        for step in (restore(LOCK, False, status), *after)
    ]
    made = procedure(setting_group(LOCK), UNLOCKED, *lock(True, True, True), *tried)
    seen = traced([value(LOCK, False), *made], appliance={"writable": [LOCK]})
    assert ruling(judge_writes(another_value), "SET-WRITABLE", LOCK, seen).verdict == verdict
