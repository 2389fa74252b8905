"""What must have no effect is judged by what is read afterwards."""

from typing import Any

from msgspec.structs import replace

from conformance.checks.groups import (
    LAST_LOOK,
    edge_group,
    guard_group,
    setting_group,
)
from conformance.selftest.support.samples.handmade import UNKNOWN, refusal, value
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    LOCKS,
    SETTLE_S,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    twice,
    working,
    write,
)

ALARM, UNIT = "Vendor.Common.Setting.AlarmClock", "Vendor.Common.Setting.TemperatureUnit"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
ECO = "Refrigeration.Common.Setting.EcoMode"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
NAME = "ConsumerProducts.CleaningRobot.Setting.NameOfMap1"
LOCAL, REMOTE = "Vendor.Common.Status.LocalControlActive", "Vendor.Common.Status.RemoteControlActive"
OPERATION, RUN = "Vendor.Common.Status.OperationState", "Vendor.Common.EnumType.OperationState.Run"
ENABLED, BRIGHTNESS = (f"Vendor.Common.Setting.AmbientLight{name}" for name in ("Enabled", "Brightness"))
CELSIUS, FAHRENHEIT, NONCE = (
    f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit", "NonceAbc")
)
RANGE: dict[str, Any] = {"min": 2, "max": 8}


COUNTS, LIGHTS = working(UNIT, CELSIUS, FAHRENHEIT), working(LIGHT, 50, 60)
IN_VAIN = tuple(procedure(setting_group(LOCK), read(LOCK, False), attempt(LOCK, True, False, status=404)))
AS_FOUND = procedure(
    replace(guard_group(LOCK), as_found=True),
    *(read(REMOTE, True), read(LOCK, False), twice(LOCK, "yes", "yes"), read(REMOTE, False)),
)
DARK: Steps = [read(ENABLED, False), read(BRIGHTNESS, 50)]


def looked(*looks: object) -> Story:
    """What the last look shows of a lock that had kept its value."""
    made = procedure(guard_group(LOCK), read(LOCK, False), attempt(LOCK, "yes", False))
    last = [step for look in looks for step in (read(LOCK, look), SETTLE_S)]
    return Story(*last, shared=(*LOCKS, *made))


def disturbed(shown: object, *, later: bool) -> Story:
    """Somebody came after what was written as found, and what was written later."""
    as_found = replace(guard_group(LOCK), as_found=True)
    made = procedure(as_found, read(LOCK, False), attempt(LOCK, "yes", shown), read(LOCAL, True))
    return Story(
        read(LOCK, False), attempt(LOCK, 1, False), read(LOCAL, later), shared=(*LOCKS, *made), key=LOCK
    )


DRAWN = procedure(edge_group(NAME), read(NAME, "Attic"), attempt(NAME, "é", ""))


# fmt: off
ROWS = {
    # A value that violates the type and is read after two such writes convicts; coercion does not.
    ("SET-TYPEGUARD", guard_group): {
        "it is ignored": ("pass (4) ~976",
            Story(read(LOCK, False), attempt(LOCK, "yes", False), shared=LOCKS)),
        # What keeps every value out shows nothing of this one.
        "it is stored, and nothing else": ('fail 7 "yes" ChildLock 204 "yes" ~151',
            Story(read(LOCK, False), twice(LOCK, "yes", "yes", "yes"), shared=IN_VAIN)),
        # Somebody acted beside both procedures: what was done beside the write that contradicts is told.
        "it is stored while somebody acts": ('inconclusive 10 "yes" ChildLock 204 "yes" ~5f2',
            Story(read(LOCAL, False), read(LOCK, False), attempt(LOCK, "yes", False), read(LOCAL, True),
                says="meanwhile RemoteControlActive changed", shared=(*LOCKS, *AS_FOUND))),
        "it is ignored twice in a row": ("pass (4) ~a5b",
            Story(read(LOCK, False), write(LOCK, "yes"), attempt(LOCK, 1, False), shared=LOCKS)),
        "one of two in a row is stored": ('fail 8 "yes" ChildLock 204 "yes" 1 ~8ca',
            Story(read(LOCK, False), write(LOCK, "yes"), attempt(LOCK, 1, "yes"), shared=LOCKS)),
        "one of two is never read": ('pass (4) 1 2 "yes" ChildLock 204 ~cb4',
            Story(read(LOCK, False), attempt(LOCK, 1, False), write(LOCK, "yes"), shared=LOCKS)),
        "no text is declared": ("not_judged (3) appliance.samples.map_name ~1e3",
            Story(read(NAME, "Attic"), attempt(NAME, 7, "Attic"))),
        "it is read-only": ('not_applicable 2 ChildLock "read" ~6f3',
            Story(read(LOCK, False, access=["read"]), attempt(LOCK, "yes", False), shared=(value(LOCK, False,
                access=["read"]),))),
        "it was wrong before": ('inconclusive 1 "no" ~713',
            Story(read(LOCK, "no"), twice(LOCK, "yes", "yes"))),
        "it was not read before": ("inconclusive (4) ~2d6", Story(twice(LOCK, "yes", "yes"))),
        "nothing was written": ("inconclusive (3) ~0f9", Story(read(LOCK, False), attempt(LOCK, True, True))),
        "nothing was written without remote control": ("inconclusive (2) X6 RemoteControlActive false ~cd3",
            Story(read(REMOTE, False), read(LOCK, False))),
        "nothing was written, it is read-only": ('not_applicable 1 ChildLock "read" ~a7d',
            Story(read(LOCK, False, access=["read"]))),
        "it was silent before": ("inconclusive (1) 409 ~975",
            Story(read(LOCK, SILENT), twice(LOCK, "yes", "yes"), shared=(value(LOCK, False),))),
        "it could not be put back": ("inconclusive 1 9 2 8 ~4a7", Story(read(SETPOINT, 9, **RANGE))),
        "it could not be put back, and is written": ("inconclusive 1 9 2 8 ~51b",
            Story(read(SETPOINT, 9, **RANGE), twice(SETPOINT, "6", 9, **RANGE))),
        # A state may keep a value out; it excuses nothing that is stored, but where others may have done so.
        "it is kept out while the light is off": ('inconclusive 6 X8 "50" AmbientLightBrightness 204 50 ~ef1',
            Story(DARK, twice(BRIGHTNESS, "50", 50))),
        "it is stored without remote control": ('inconclusive 6 X6 "yes" ChildLock 204 "yes" ~3a9',
            Story(read(REMOTE, False), read(LOCK, False), twice(LOCK, "yes", "yes"))),
        "it is stored while a program runs": (
            'inconclusive 6 X10 "yes" ChildLock 204 "yes" OperationState ~64e',
            Story(read(OPERATION, RUN), read(LOCK, False), twice(LOCK, "yes", "yes"))),
        "not served": ("not_applicable 2 404 ~313",
            Story(read(LOCK, SILENT), shared=(UNKNOWN, refusal(LOCK)))),
        # What was written before somebody came, or after that, counts; what contradicts meanwhile is a doubt.
        "somebody came, and it was ignored": ("pass (4) ~9e9", disturbed(False, later=False)),
        "somebody is there": ('inconclusive 7 "yes" ChildLock 204 false LocalControlActive ~9a8',
            disturbed(False, later=True)),
        "somebody came, and it was stored": (
            'inconclusive 7 "yes" ChildLock 204 "yes" LocalControlActive ~09d',
            disturbed("yes", later=False)),
        # Where no text is declared, that is what is missing, whatever became of a generated one.
        "a generated text is no allowed one": ("not_judged (3) appliance.samples.map_name ~e17",
            Story(read(NAME, "Attic"), attempt(NAME, 7, "Attic"), shared=(*DRAWN,))),
    },
    # A forbidden value that the last look shows is no pass, and a finding where it is read twice.
    ("SET-TYPEGUARD", LAST_LOOK): {
        "it shows at last": ('inconclusive 8 "yes" ChildLock 204 "yes" ~70f', looked("yes")),
        "another one shows at last": ("pass (4) ~976", looked(True)),
        "it shows at last, twice": ('fail 9 "yes" ChildLock 204 "yes" ~356', looked("yes", "yes")),
    },
    # A value the enumeration does not have convicts when it reads back.
    ("SET-ENUMGUARD", guard_group): {
        "it is refused": ("pass (4) ~133",
            Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=COUNTS)),
        "it is the only value": ("not_applicable (2) TemperatureUnit ~19e",
            Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=(value(UNIT,
                CELSIUS), *procedure(setting_group(UNIT), read(UNIT, CELSIUS))),
                appliance={"enum_subset": {UNIT: ["Celsius"]}})),
        "it is stored": ('fail 3 "…TemperatureUnit.NonceAbc" TemperatureUnit 204 ~318',
            Story(read(UNIT, CELSIUS), twice(UNIT, NONCE, NONCE))),
        "it was none of its values before": ('inconclusive 1 "…TemperatureUnit.NonceAbc" ~54b',
            Story(read(UNIT, NONCE), twice(UNIT, NONCE, NONCE))),
        "no enumeration": ("inconclusive (5) ~74d", Story(read(LOCK, False), twice(LOCK, "yes", "yes"))),
    },
    # A number that stays outside for the settle time convicts, twice; clamping is as good as refusing.
    ("RANGE-WRITE-OUT", guard_group): {
        "it is refused": ("pass (4) ~089",
            Story(read(LIGHT, 50), attempt(LIGHT, 101, 50, status=400), shared=LIGHTS)),
        "it is stored": ("fail 4 101 Light.Internal.Brightness 204 101 10 0 100 ~7c6",
            Story(read(LIGHT, 50), twice(LIGHT, 101, 101, 101))),
        "moved by EcoMode": ("inconclusive 8 X5 9 SetpointTemperatureRefrigerator 204 10 ~dea",
            Story(read(ECO, True), read(SETPOINT, 4, **RANGE), twice(SETPOINT, 9, 10, 10, **RANGE))),
        "comes late": ("inconclusive 7 101 Light.Internal.Brightness 204 101 10 ~fbf",
            Story(read(LIGHT, 50), twice(LIGHT, 101, 50, 101))),
        "an alarm clock runs into it": ("inconclusive 4 38345 AlarmClock 204 38336 10 38345 ~a6b",
            Story(read(ALARM, 0), attempt(ALARM, 38345, 38345, 38336))),
        "it was a text for a moment": ("inconclusive 7 101 Light.Internal.Brightness 204 101 10 ~fbf",
            Story(read(LIGHT, 50), twice(LIGHT, 101, "101", 101))),
        "it cannot be read then": ("inconclusive 5 101 Light.Internal.Brightness 204 409 ~169",
            Story(read(LIGHT, 50), twice(LIGHT, 101, SILENT))),
        "narrower than the common range": ("inconclusive (5) ~8c9",
            Story(read(LIGHT, 50, min=20, max=100), twice(LIGHT, 19, 19))),
        "found outside its narrower range": ("inconclusive 1 50 60 100 ~4a5",
            Story(read(LIGHT, 50, min=60, max=100))),
        "no range": ("not_applicable 1 ~ca0", Story(read(TIMEOUT, 5))),
        "it is half a step outside": ("inconclusive 7 9 SetpointTemperatureRefrigerator 204 8.5 10 ~10f",
            Story(read(SETPOINT, 4, **RANGE), twice(SETPOINT, 9, 8.5, 8.5, step=1, **RANGE))),
        "it is more than half a step outside": (
            "fail 4 9 SetpointTemperatureRefrigerator 204 8.6 10 2 8 ~fbd",
            Story(read(SETPOINT, 4, **RANGE), twice(SETPOINT, 9, 8.6, 8.6, step=1, **RANGE))),
        "stored while EcoMode is on": ("fail 5 9 SetpointTemperatureRefrigerator 204 9 10 2 8 ~dd4",
            Story(read(ECO, True), read(SETPOINT, 4, **RANGE), twice(SETPOINT, 9, 9, 9, **RANGE))),
    },
}
# fmt: on

test_guarding = Story.each_of(ROWS)
