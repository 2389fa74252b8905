"""Settings are configurable, over their whole range and not beyond it."""

from typing import Any

from catalog.keys import INACTIVE, OFF, ON, READY, RUN
from conformance.checks.exchange import Exchange
from conformance.checks.groups import guard_group, isolation_group, setting_group
from conformance.selftest.support.handmade import value
from conformance.selftest.support.handtraced import (
    LOCK,
    SETTLE_S,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    twice,
    working,
    write,
)

POWER = "Vendor.Common.Setting.PowerState"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
SUPER = "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer"
ECO = "Refrigeration.Common.Setting.EcoMode"
FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
ALARM = "Vendor.Common.Setting.AlarmClock"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
CUSTOM = "Vendor.Common.Setting.AmbientLightCustomColor"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
LOW, MIDDLE, HIGH = (
    f"Refrigeration.Common.EnumType.Door.AssistantForce.{name}Force" for name in ("Low", "Middle", "High")
)
LOCAL, OPERATION = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.OperationState"
TWO_TO_EIGHT: dict[str, Any] = {"min": 2, "max": 8}
LIGHTS = working(LIGHT, 50, 60)
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


def late(*later: Exchange, first: Steps | None = None) -> Story:
    """What other procedures read of the lock, and wrote, once it had taken a value."""
    made = procedure(setting_group(LOCK), UNLOCKED, *(first or []), *lock(True, True, True))
    return Story(3 * SETTLE_S, *later, shared=(value(LOCK, False), *made), key=LOCK)


def back(*statuses: int) -> Story:
    """The lock takes a value, and is then put back, each time with such an answer."""
    tried = [[restore(LOCK, False, one), *lock(True, one != 204, one != 204)[1:]] for one in statuses]
    return Story(
        UNLOCKED, lock(True, True, True), *tried, shared=(value(LOCK, False),), appliance={"writable": [LOCK]}
    )


def again_put_back(watched_s: float) -> Story:
    """The lock is put back and is locked again soon, and then stays for so long as it is watched."""
    tried: Steps = [restore(LOCK, False), read(LOCK, False), 10, read(LOCK, True)]
    last: Steps = [restore(LOCK, False), read(LOCK, False), watched_s, read(LOCK, False)]
    return Story(UNLOCKED, lock(True, True, True), tried * 2, last, shared=(value(LOCK, False),))


STAYS = [restore(LOCK, False), *lock(False, True, True)[1:]]

# fmt: off
ROWS = {
    # A write that is never seen, that reverts, or that is refused though claimed convicts, twice.
    ("SET-WRITABLE", setting_group): {
        # It does not hold: dropped, reverted, refused though claimed.
        "is read once and reverts": ("fail 4 REVERTED true 204 true false ~40a",
            Story(UNLOCKED, lock(True, True, False) * 2)),
        "is read once and reverts, and may come again": ("inconclusive 7 true 204 true false ~357",
            Story(UNLOCKED, lock(True, True, False, seconds=1.0) * 2)),
        "is refused though claimed": ("fail 3 REFUSED true 409 false ~6a8",
            Story(UNLOCKED, lock(True, False, status=409) * 2, appliance=CLAIMED)),
        "every write is refused with 404": ("inconclusive 5 true 404 false ~a7d",
            Story(UNLOCKED, lock(True, False, status=404) * 2, appliance=CLAIMED)),
        "is refused with 404 though claimed, others are taken": ("fail 4 DROPPED true 204 false 10 ~916",
            Story(UNLOCKED, lock(True, False, False), lock(True, False, status=404), appliance=CLAIMED)),
        "is dropped three times": ("fail 4 DROPPED true 204 false 10 3 ~b0f",
            Story(UNLOCKED, lock(True, False, False) * 3)),
        "several values are dropped": ("fail 4 DROPPED 90 204 50 10 2 ~a58",
            Story(LIT, *[attempt(LIGHT, each, 50, 50) for each in (90, 95, 100)])),
        "a member leads to another": ('inconclusive 10 "…Door.AssistantForce.MiddleForce" 204 ~47b',
            Story(LOW_FORCE, attempt(FORCE, HIGH, HIGH, HIGH), attempt(FORCE, LOW, LOW, LOW),
                attempt(FORCE, MIDDLE, HIGH, HIGH), appliance={"enum_subset": {FORCE: [LOW, MIDDLE, HIGH]}})),
        "a mode is refused alone": ("fail 4 REFUSED true 409 false ~b49",
            Story(read(ECO, False), read(SUPER, False), attempt(SUPER, True, False, status=409) * 2,
                appliance=CLAIMED)),
        "it goes to rest meanwhile": ("fail 5 DROPPED true 204 false 10 ~3b1",
            Story(read(OPERATION, READY), DROPPED, read(OPERATION,
                INACTIVE))),
        "it comes from rest meanwhile": ("fail 5 DROPPED true 204 false 10 ~3b1",
            Story(read(OPERATION, INACTIVE), DROPPED, read(OPERATION,
                READY))),
        # Too little to say so.
        "is watched for a second": ("inconclusive 7 true 204 false 1 ~19f",
            Story(UNLOCKED, lock(True, False, False, seconds=1) * 2)),
        "meets errors": ("inconclusive 7 true 500 false 10 ~a60",
            Story(UNLOCKED, lock(True, False, False, status=500) * 2)),
        "meets errors, is read once and reverts": ("inconclusive 7 true 500 true false ~462",
            Story(UNLOCKED, lock(True, True, False, status=500) * 2)),
        "a program begins meanwhile": ("inconclusive 5 true 204 false 10 OperationState ~e82",
            Story(read(OPERATION, READY), DROPPED, read(OPERATION, RUN))),
        "power ends meanwhile": ('inconclusive 5 true 204 false 10 PowerState "…PowerState.On" ~c3f',
            Story(read(POWER, ON), DROPPED, read(POWER, OFF))),
        "it is operated meanwhile": ("inconclusive 4 true 204 false 10 LocalControlActive true ~988",
            Story(DROPPED, read(LOCAL, True))),
        "a mode is refused beside another": ("inconclusive 6 true 409 false EcoMode ~457",
            Story(read(ECO, True), read(SUPER, False), attempt(SUPER, True, False, status=409) * 2,
                appliance=CLAIMED)),
        "a mode is dropped beside another": ("fail 5 DROPPED true 204 false 10 ~7ce",
            Story(read(ECO, True), read(SUPER, False), attempt(SUPER, True, False, False) * 2,
                appliance=CLAIMED)),
        "is refused though claimed, and no mode": ("fail 4 REFUSED true 409 false ~4a2",
            Story(read(ECO, True), UNLOCKED, lock(True, False, status=409) * 2, appliance=CLAIMED)),
        "was not readable before": ("inconclusive 3 true 204 ~ff5",
            Story(read(LOCK, SILENT), write(LOCK, True), read(LOCK, True))),
        "was of a wrong type before": ('inconclusive 7 true 204 "no" ~6df',
            Story(read(LOCK, "no"), lock(True, "no", "no") * 2)),
        "found outside its range": ("inconclusive 1 1 2 8 ~a42",
            Story(read(SETPOINT, 1, **TWO_TO_EIGHT),
                says="not written: found at 1, outside its range 2 to 8, which could not be put back")),
        "remote control ends meanwhile": ("inconclusive 5 true 204 false 10 RemoteControlActive true ~5f9",
            Story(read(REMOTE, True), DROPPED, read(REMOTE, False))),
        # An exempting state excuses a refusal and a dropped write, and names itself.
        "remote control is off": ("inconclusive 8 X6 true 204 false 10 RemoteControlActive ~ee4",
            Story(read(REMOTE, False), DROPPED)),
        "it is off": ("inconclusive 8 X4 true 204 false 10 PowerState ~ae7",
            Story(read(POWER, OFF), DROPPED, appliance=CLAIMED)),
        # What the appliance may do by itself.
        "changed once before": ("fail 6 REVERTED true 204 true false ~477",
            Story(read(LOCK, True), read(LOCK, True), UNLOCKED, lock(True, True, False) * 2)),
        # Not served, read-only, nothing to choose.
        "not asked": ("inconclusive ChildLock ~b99", Story()),
        "not written without remote control": ("inconclusive (2) X6 RemoteControlActive false ~780",
            Story(read(REMOTE, False), UNLOCKED)),
        "not written, of a wrong type": ('inconclusive 1 "no" ~30a', Story(read(LOCK, "no"))),
        "not written, a text": ('inconclusive 1 "4" ~4b4', Story(read(SETPOINT, "4", **TWO_TO_EIGHT))),
        "one number alone": ("not_applicable (1) ~1a4", Story(read(SETPOINT, 4, min=4, max=4))),
        # Enumerations: a value of the appliance's own subset.
        "advertised, dropped": ('fail 4 DROPPED "…Door.AssistantForce.HighForce" 204 ~302',
            Story(read(FORCE, LOW, **TWO_FORCES), attempt(FORCE, HIGH, LOW, LOW, **TWO_FORCES) * 2)),
        "a subset nobody shows": ('inconclusive 7 "…Door.AssistantForce.HighForce" 204 ~2d2',
            Story(LOW_FORCE, attempt(FORCE, HIGH, LOW, LOW) * 2)),
        "only one value": ("not_applicable (1) ~f6b", Story(read(FORCE, LOW, allowed=[LOW]))),
        # Numbers: quantised, rounded, clamped.
        "a setpoint is dropped": ("fail 4 DROPPED 8 204 4 10 ~958", Story(POINT, setpoint(8, 4, 4) * 2)),
        "a setpoint is dropped, and another one": ("fail 4 DROPPED 8 204 4 10 1 ~4b6",
            Story(POINT_BY_ONE, setpoint(8, 4, 4, step=1), setpoint(6, 4, 4, step=1),
                says="10 s; 1 other write did so, too")),
        "a setpoint may be rounded back": ("inconclusive 7 4.3 204 4 10 ~1c6",
            Story(POINT, setpoint(4.3, 4, 4) * 2)),
        "a setpoint within its step": ("inconclusive (4) ~7f8",
            Story(POINT_BY_ONE, setpoint(4.3, 4, 4, step=1))),
        "a setpoint without a range": ("inconclusive 7 8 204 4 10 ~688",
            Story(read(SETPOINT, 4), attempt(SETPOINT, 8, 4, 4) * 2)),
        "a setpoint between two steps": ("inconclusive 7 7 204 4 10 2 ~70f",
            Story(read(SETPOINT, 4, step=2, **TWO_TO_EIGHT), setpoint(7, 4, 4, step=2) * 2)),
        "an end that is no step": ("fail 4 DROPPED 8 204 4 10 ~958",
            Story(read(SETPOINT, 4, step=4, **TWO_TO_EIGHT), setpoint(8, 4, 4, step=4) * 2)),
        "a setpoint of a list": ("fail 4 DROPPED 5 204 4 10 ~92a",
            Story(read(SETPOINT, 4, allowed=[3, 4, 5]), attempt(SETPOINT, 5, 4, 4, allowed=[3, 4, 5]) * 2)),
        "a setpoint is not put back": ("fail 7 DROPPED 4 204 8 10 ~61b",
            Story(POINT, setpoint(8, 8, 8), setpoint(4, 8, 8) * 2)),
        "others are taken, one refused, of a step": ("pass (8) 1 3 7 409 6 ~d40",
            Story(POINT_BY_ONE, setpoint(6, 6, 6, step=1), setpoint(7, 6, status=409, step=1) * 2,
                appliance=CLAIMED)),
        "a setpoint of its own mind": ("inconclusive 7 8 204 6 10 ~089",
            Story(POINT_BY_ONE, setpoint(8, 6, 6, step=1) * 2,
                says="the same write had led to that value")),
        "others are taken, one refused": ("pass (8) 1 3 55 400 100 ~ed8",
            Story(LIT, attempt(LIGHT, 100, 100, 100), attempt(LIGHT, 55, 100, status=400) * 2,
                appliance=CLAIMED)),
        "others are taken, one dropped": ("pass (10) 1 3 55 204 100 10 ~409",
            Story(LIT, attempt(LIGHT, 100, 100, 100), attempt(LIGHT, 55, 100, 100) * 2)),
        "an end is judged elsewhere": ("pass (10) 1 3 8 204 6 10 ~693",
            Story(POINT_BY_ONE, setpoint(6, 6, 6, step=1), setpoint(8, 6, 6, step=1) * 2, appliance=CLAIMED)),
        "an end that is not claimed is judged here": ("fail 7 DROPPED 8 204 6 10 ~a02",
            Story(POINT_BY_ONE, setpoint(6, 6, 6, step=1), setpoint(8, 6, 6, step=1) * 2)),
        "a value between is judged here": ("fail 7 DROPPED 6 204 8 10 ~cd7",
            Story(POINT_BY_ONE, setpoint(8, 8, 8, step=1), setpoint(6, 8, 8, step=1) * 2)),
        # Texts.
        "no samples": ("inconclusive (1) appliance.samples ~aa1", Story(read(CUSTOM, "#000000"))),
        # A write that puts back is one more try, also where others were watched; not one refused for a while.
        "it is refused when it is put back": ("fail 8 REFUSED false 409 true ~e65", back(409, 409)),
        "it is refused once when it is put back": ("inconclusive 8 false 409 true ~729", back(409)),
        "it comes back, and stays when it is tried again": ("pass (1) ~8f2", again_put_back(20)),
        "it comes back, and is not watched for so long": ("fail 8 REVERTED false 204 false true ~3e1",
            again_put_back(5)),
        "it is put back at last": ("pass (1) ~8f2", back(409, 409, 204)),
    },
    ("SET-WRITABLE", isolation_group): {
        "it does not go back": ("fail 8 DROPPED false 204 true 10 ~ba5",
            Story(UNLOCKED, lock(True, True, True), STAYS * 2, shared=(value(LOCK, False),))),
        "it does not go back, once": ("inconclusive 8 false 204 true 10 ~6cd",
            Story(UNLOCKED, lock(True, True, True), STAYS, shared=(value(LOCK, False),))),
    },
    # A value that was confirmed, and is the old one at a later read with no write between, did not stay.
    ("SET-WRITABLE", guard_group(ECO)): {
        "back later once": ("inconclusive 6 true 204 true false ~c1f", late(read(LOCK, False))),
        "it stays": ("pass (1) ~390", late(read(LOCK, True))),
        "back later twice": ("fail 6 REVERTED true 204 true false ~011",
            late(read(LOCK, False), first=lock(True, True, True, False))),
        "back later, beside another write": ("inconclusive 7 true 204 true false ~c1f",
            late(write(ECO, True), read(LOCK, False))),
        "back later, after what may move it": ("pass (1) ~390", late(write(POWER, OFF), read(LOCK, False))),
    },
    # An end that comes out a whole step off convicts, twice, where the key is claimed writable.
    ("RANGE-WRITE-BOUNDS", setting_group): {
        "both are taken": ("pass (7) ~6d8",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 8, 8, step=1))),
        "one is clamped": ("fail 7 8 2 8 204 7 10 ~aec",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 7, 7, step=1) * 2, appliance=CLAIMED)),
        "one is clamped, the other not readable": ("inconclusive 13 8 2 8 204 7 10 ~161",
            Story(POINT_BY_ONE, setpoint(5, 5, 5, step=1), setpoint(2, SILENT, SILENT, step=1), setpoint(8, 7,
                7, step=1) * 2, appliance=CLAIMED)),
        "nothing is taken": ("inconclusive 7 8 2 8 204 4 10 ~4a7",
            Story(POINT_BY_ONE, setpoint(8, 4, 4, step=1) * 2, appliance=CLAIMED)),
        "only its own value is taken": ("inconclusive 10 8 2 8 204 4 10 ~42a",
            Story(POINT_BY_ONE, setpoint(4, 4, 4, step=1), setpoint(8, 4, 4, step=1) * 2, appliance=CLAIMED)),
        "it is not claimed": ("inconclusive 10 8 2 8 204 7 10 appliance.writable ~885",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 7, 7, step=1) * 2,
                says="appliance.writable does not claim it")),
        "one is dropped, the step is not known": ("fail 7 DROPPED 8 2 8 204 2 10 ~982",
            Story(POINT, setpoint(2, 2, 2), setpoint(8, 2, 2) * 2, appliance=CLAIMED)),
        "the step is not known": ("inconclusive 10 8 2 8 204 7 10 ~25e",
            Story(POINT, setpoint(2, 2, 2), setpoint(8, 7, 7) * 2, appliance=CLAIMED)),
        "no number afterwards": ('inconclusive 10 8 2 8 204 "8" 10 ~126',
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, "8", "8", step=1) * 2,
                appliance=CLAIMED)),
        "a list without an end": ("not_applicable 1 ~2bf",
            Story(read(SETPOINT, 4, allowed=[3, 4], **TWO_TO_EIGHT))),
        "not settled": ("inconclusive 10 8 2 8 204 7 10 ~609",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, 6, 7, step=1) * 2, appliance=CLAIMED)),
        "off": ("inconclusive 11 X4 8 2 8 204 2 10 PowerState …PowerState.Off ~891",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), read(POWER, OFF), setpoint(8, 2, 2, step=1) * 2,
                appliance=CLAIMED)),
        "not readable afterwards": ("inconclusive 7 8 2 8 204 409 ~c8a",
            Story(POINT_BY_ONE, setpoint(2, 2, 2, step=1), setpoint(8, SILENT, SILENT, step=1) * 2,
                appliance=CLAIMED)),
        "no end was written": ("inconclusive (4) ~d26", Story(POINT_BY_ONE, setpoint(5, 5, 5, step=1))),
        "nothing was written": ("inconclusive (1) ~00f", Story(POINT_BY_ONE)),
        "no range": ("not_applicable 1 ~ded", Story(read(TIMEOUT, 4))),
        "read-only": ('not_applicable 1 SetpointTemperatureRefrigerator "read" ~779',
            Story(read(SETPOINT, 4, access="read", step=1, **TWO_TO_EIGHT))),
    },
    # A number that stays outside for the settle time convicts, twice; clamping is as good as refusing.
    ("RANGE-WRITE-OUT", guard_group): {
        "it is refused": ("pass (4) ~60a",
            Story(read(LIGHT, 50), attempt(LIGHT, 101, 50, status=400), shared=LIGHTS)),
        "it is stored": ("fail 4 101 Light.Internal.Brightness 204 101 10 0 100 ~deb",
            Story(read(LIGHT, 50), twice(LIGHT, 101, 101, 101))),
        "moved by EcoMode": ("inconclusive 8 X5 9 SetpointTemperatureRefrigerator 204 10 ~101",
            Story(read(ECO, True), POINT, setpoint(9, 10, 10) * 2)),
        "an alarm clock runs into it": ("inconclusive 4 38345 AlarmClock 204 38336 10 38345 ~ee6",
            Story(read(ALARM, 0), attempt(ALARM, 38345, 38345, 38336))),
        "it cannot be read then": ("inconclusive 5 101 Light.Internal.Brightness 204 409 ~ec8",
            Story(read(LIGHT, 50), twice(LIGHT, 101, SILENT))),
        "narrower than the common range": ("inconclusive (5) ~947",
            Story(read(LIGHT, 50, min=20, max=100), twice(LIGHT, 19, 19))),
        "found outside its narrower range": ("inconclusive 1 50 60 100 ~ffd",
            Story(read(LIGHT, 50, min=60, max=100))),
        "no range": ("not_applicable 1 ~96e", Story(read(TIMEOUT, 5))),
        "it is half a step outside": ("inconclusive 7 9 SetpointTemperatureRefrigerator 204 8.5 10 ~522",
            Story(POINT, setpoint(9, 8.5, 8.5, step=1) * 2)),
        "it is more than half a step outside": (
            "fail 4 9 SetpointTemperatureRefrigerator 204 8.6 10 2 8 ~35f",
            Story(POINT, setpoint(9, 8.6, 8.6, step=1) * 2)),
        "stored while EcoMode is on": ("fail 5 9 SetpointTemperatureRefrigerator 204 9 10 2 8 ~3e9",
            Story(read(ECO, True), POINT, setpoint(9, 9, 9) * 2)),
    },
}
# fmt: on

test_settings = Story.each_of(ROWS)
