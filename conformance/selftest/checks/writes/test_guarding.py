"""What must have no effect is judged by what is read afterwards."""

from typing import Any

import pytest
from msgspec.structs import replace

from conformance.checks.groups import (
    LAST_LOOK,
    edge_group,
    guard_group,
    setting_group,
)
from conformance.checks.writes.guarding import a_member, inside, right_type
from conformance.checks.writes.judging import judge_writes
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import UNKNOWN, refusal, ruling, value
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
    traced,
    working,
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


def again(key: str, wanted: Any, *shown: object, **members: Any) -> Steps:
    """The same attempt twice."""
    return attempt(key, wanted, *shown, **members) * 2


COUNTS, LIGHTS = working(UNIT, CELSIUS, FAHRENHEIT), working(LIGHT, 50, 60)
IN_VAIN = tuple(procedure(setting_group(LOCK), read(LOCK, False), attempt(LOCK, True, False, status=404)))
DARK: Steps = [read(ENABLED, False), read(BRIGHTNESS, 50)]
# A value that violates the type and is read after two such writes convicts; coercion does not.
# fmt: off
TYPES: dict[str, tuple[str, Story]] = {
    "it is ignored": ("pass (4)", Story(read(LOCK, False), attempt(LOCK, "yes", False), shared=LOCKS)),
    # What keeps every value out shows nothing of this one.
    "it is stored, and nothing else": ('fail 7 "yes" ChildLock 204 "yes"',
        Story(read(LOCK, False), again(LOCK, "yes", "yes", "yes"), shared=IN_VAIN)),
    "no text is declared": ("not_judged (3) appliance.samples.map_name",
        Story(read(NAME, "Attic"), attempt(NAME, 7, "Attic"))),
    "it is read-only": ('not_applicable 2 ChildLock "read"',
        Story(read(LOCK, False, access=["read"]), attempt(LOCK, "yes", False), shared=(value(LOCK, False,
            access=["read"]),))),
    "it was wrong before": ('inconclusive 1 "no"', Story(read(LOCK, "no"), again(LOCK, "yes", "yes"))),
    "it was not read before": ("inconclusive (4)", Story(again(LOCK, "yes", "yes"))),
    "nothing was written": ("inconclusive (3)", Story(read(LOCK, False), attempt(LOCK, True, True))),
    "nothing was written without remote control": ("inconclusive (2) X6 RemoteControlActive false",
        Story(read(REMOTE, False), read(LOCK, False))),
    "nothing was written, it is read-only": ('not_applicable 1 ChildLock "read"',
        Story(read(LOCK, False, access=["read"]))),
    "it was silent before": ("inconclusive (1) 409",
        Story(read(LOCK, SILENT), again(LOCK, "yes", "yes"), shared=(value(LOCK, False),))),
    "it could not be put back": ("inconclusive 1 9 2 8", Story(read(SETPOINT, 9, **RANGE))),
    "it could not be put back, and is written": ("inconclusive 1 9 2 8",
        Story(read(SETPOINT, 9, **RANGE), again(SETPOINT, "6", 9, **RANGE))),
    # A state may keep a value out; it excuses nothing that is stored, but where somebody else may have stored
    # it.
    "it is kept out while the light is off": (
        'inconclusive 6 X8 "50" AmbientLightBrightness 204 50 AmbientLightEnabled',
        Story(DARK, again(BRIGHTNESS, "50", 50))),
    "it is stored without remote control": (
        'inconclusive 6 X6 "yes" ChildLock 204 "yes" RemoteControlActive false',
        Story(read(REMOTE, False), read(LOCK, False), again(LOCK, "yes", "yes"))),
    "it is stored while a program runs": (
        'inconclusive 6 X10 "yes" ChildLock 204 "yes" OperationState …OperationState.Run',
        Story(read(OPERATION, RUN), read(LOCK, False), again(LOCK, "yes", "yes"))),
    "not served": ("not_applicable 2 404", Story(read(LOCK, SILENT), shared=(UNKNOWN, refusal(LOCK)))),
}
# fmt: on


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        (["yes"], 'inconclusive 8 "yes" ChildLock 204 "yes"'),
        ([True], "pass (4)"),
        (["yes", "yes"], 'fail 9 "yes" ChildLock 204 "yes"'),
    ],
)
def test_what_comes_after_other_writes_is_told(looks: list[object], expected: str) -> None:
    """A forbidden value that the last look shows is no pass, and a finding where it is read twice."""
    made = procedure(guard_group(LOCK), read(LOCK, False), attempt(LOCK, "yes", False))
    last = [step for look in looks for step in (read(LOCK, look), SETTLE_S)]
    seen = traced([*LOCKS, *made, *procedure(LAST_LOOK, *last)])
    assert said(ruling(judge_writes(right_type), "SET-TYPEGUARD", LOCK, seen)) == expected


@pytest.mark.parametrize(
    ("shown_as_found", "later", "expected"),
    [
        (False, False, "pass (4)"),
        (False, True, 'inconclusive 7 "yes" ChildLock 204 false LocalControlActive true'),
        ("yes", False, 'inconclusive 7 "yes" ChildLock 204 "yes" LocalControlActive true'),
    ],
)
def test_somebody_at_the_appliance_spoils_that_procedure_alone(
    shown_as_found: object, later: bool, expected: str
) -> None:
    """What was written before somebody came, or after that, counts; what contradicts meanwhile is a doubt."""
    as_found = replace(guard_group(LOCK), as_found=True)
    tried = attempt(LOCK, "yes", shown_as_found)
    disturbed = procedure(as_found, read(LOCK, False), *tried, read(LOCAL, True))
    made = procedure(guard_group(LOCK), read(LOCK, False), attempt(LOCK, 1, False), read(LOCAL, later))
    seen = traced([*LOCKS, *disturbed, *made])
    assert said(ruling(judge_writes(right_type), "SET-TYPEGUARD", LOCK, seen)) == expected


def test_a_generated_text_is_no_allowed_one() -> None:
    """Where no text is declared, that is what is missing, whatever became of a generated one."""
    made = procedure(guard_group(NAME), read(NAME, "Attic"), attempt(NAME, 7, "Attic"))
    generated = procedure(edge_group(NAME), read(NAME, "Attic"), attempt(NAME, "é", ""))
    result = ruling(judge_writes(right_type), "SET-TYPEGUARD", NAME, traced([*made, *generated]))
    assert said(result) == "not_judged (6) appliance.samples.map_name"


# fmt: off
# A value the enumeration does not have convicts when it reads back.
ENUMERATIONS: dict[str, tuple[str, Story]] = {
    "it is refused": ("pass (4)",
        Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=COUNTS)),
    "it is the only value": ("not_applicable (2) TemperatureUnit",
        Story(read(UNIT, CELSIUS), attempt(UNIT, NONCE, CELSIUS, status=400), shared=(value(UNIT, CELSIUS),
            *procedure(setting_group(UNIT), read(UNIT, CELSIUS))),
            appliance={"enum_subset": {UNIT: ["Celsius"]}})),
    "it is stored": ('fail 3 "…TemperatureUnit.NonceAbc" TemperatureUnit 204 "…TemperatureUnit.NonceAbc"',
        Story(read(UNIT, CELSIUS), again(UNIT, NONCE, NONCE))),
    "it was none of its values before": ('inconclusive 1 "…TemperatureUnit.NonceAbc"',
        Story(read(UNIT, NONCE), again(UNIT, NONCE, NONCE))),
    "no enumeration": ("inconclusive (5)", Story(read(LOCK, False), again(LOCK, "yes", "yes"))),
}
# fmt: on


# fmt: off
# A number that stays outside for the settle time convicts, twice; clamping is as good as refusing.
OUTSIDE: dict[str, tuple[str, Story]] = {
    "it is refused": ("pass (4)", Story(read(LIGHT, 50), attempt(LIGHT, 101, 50, status=400), shared=LIGHTS)),
    "it is stored": ("fail 4 101 Light.Internal.Brightness 204 101 10 0 100",
        Story(read(LIGHT, 50), again(LIGHT, 101, 101, 101))),
    "moved by EcoMode": ("inconclusive 8 X5 9 SetpointTemperatureRefrigerator 204 10 10 EcoMode",
        Story(read(ECO, True), read(SETPOINT, 4, **RANGE), again(SETPOINT, 9, 10, 10, **RANGE))),
    "it may be rounding": ("inconclusive 7 9 SetpointTemperatureRefrigerator 204 8.4 10 1",
        Story(read(SETPOINT, 4, **RANGE), again(SETPOINT, 9, 8.4, 8.4, step=1, **RANGE))),
    "comes late": ("inconclusive 7 101 Light.Internal.Brightness 204 101 10",
        Story(read(LIGHT, 50), again(LIGHT, 101, 50, 101))),
    "an alarm clock runs into it": ("inconclusive 4 38345 AlarmClock 204 38336 10 38345",
        Story(read(ALARM, 0), attempt(ALARM, 38345, 38345, 38336))),
    "it was a text for a moment": ("inconclusive 7 101 Light.Internal.Brightness 204 101 10",
        Story(read(LIGHT, 50), again(LIGHT, 101, "101", 101))),
    "it cannot be read then": ("inconclusive 5 101 Light.Internal.Brightness 204 409",
        Story(read(LIGHT, 50), again(LIGHT, 101, SILENT))),
    "narrower than the common range": ("inconclusive (5)",
        Story(read(LIGHT, 50, min=20, max=100), again(LIGHT, 19, 19))),
    "no range": ("not_applicable 1", Story(read(TIMEOUT, 5))),
    "it was outside before": ("inconclusive 1 9 2 8",
        Story(read(SETPOINT, 9, **RANGE), again(SETPOINT, 10, 10, 10, **RANGE))),
    "it was a text before": ('inconclusive 1 "4"',
        Story(read(SETPOINT, "4", **RANGE), again(SETPOINT, 10, 10, 10, **RANGE))),
    "it is half a step outside": ("inconclusive 7 9 SetpointTemperatureRefrigerator 204 8.5 10 1",
        Story(read(SETPOINT, 4, **RANGE), again(SETPOINT, 9, 8.5, 8.5, step=1, **RANGE))),
    "it is more than half a step outside": ("fail 4 9 SetpointTemperatureRefrigerator 204 8.6 10 2 8",
        Story(read(SETPOINT, 4, **RANGE), again(SETPOINT, 9, 8.6, 8.6, step=1, **RANGE))),
    "stored while EcoMode is on": ("fail 5 9 SetpointTemperatureRefrigerator 204 9 10 2 8",
        Story(read(ECO, True), read(SETPOINT, 4, **RANGE), again(SETPOINT, 9, 9, 9, **RANGE))),
}
# fmt: on


test_guarding = Story.each_of(
    {
        ("SET-TYPEGUARD", judge_writes(right_type), guard_group): TYPES,
        ("SET-ENUMGUARD", judge_writes(a_member), guard_group): ENUMERATIONS,
        ("RANGE-WRITE-OUT", judge_writes(inside), guard_group): OUTSIDE,
    }
)
