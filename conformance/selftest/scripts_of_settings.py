"""What variants do with a single write: how it is answered, what becomes of its value, and when."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_COLOR,
    BATTERY_LEVEL,
    CHILD_LOCK,
    COLOR_PERCENT,
    CURRENT_MAP,
    CUSTOM_COLOR,
    DOOR_STATE,
    FREEZER_SETPOINT,
    LAST_MAP,
    LIFTED,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    LIQUID_UNIT,
    MAP_NAME_1,
    SETPOINT,
)
from conformance.mutants.variant_write_soil import COLOR, COLOR_1, CUSTOM, MAPS
from conformance.reference.names import POWER_STATE, REMOTE_START, SUPER_FREEZER, SUPER_REFRIGERATOR, TEMPERATURE_UNIT
from conformance.selftest.driving import GONE, NO, YES, after, echoes, limits, put, shows, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.selftest.driving import Script

DOOR = "Vendor.Common.EnumType.DoorState"
UNITS = "Vendor.Common.EnumType.LiquidVolumeUnit"
CELSIUS = "Vendor.Common.EnumType.TemperatureUnit.Celsius"
LOCKED = (put(CHILD_LOCK, YES), shows(CHILD_LOCK, YES))
OPENED = f"{DOOR}.Open"

ANSWERS: Mapping[str, Script] = MappingProxyType(
    {
        "write-answered-ok": (put(CHILD_LOCK, YES, 200), shows(CHILD_LOCK, YES)),
        "write-answered-created": (put(CHILD_LOCK, YES, 201), shows(CHILD_LOCK, YES)),
        "write-answered-accepted": (echoes(CHILD_LOCK, YES, 202, b"pending"), shows(CHILD_LOCK, YES)),
        "write-answered-reset-content": (put(CHILD_LOCK, YES, 205), shows(CHILD_LOCK, YES)),
        "write-answered-multi-status": (echoes(CHILD_LOCK, YES, 207, b"500"), shows(CHILD_LOCK, YES)),
        "write-answered-with-null": (echoes(CHILD_LOCK, YES, 200, b"null"), shows(CHILD_LOCK, YES)),
        "write-answered-in-html": (echoes(CHILD_LOCK, YES, 200, b"<body>"), shows(CHILD_LOCK, YES)),
        "write-answered-with-half-a-body": (echoes(CHILD_LOCK, YES, 200, b'"value":'), shows(CHILD_LOCK, YES)),
        "write-answered-with-an-error": (echoes(SETPOINT, 6, 200, b"error"), shows(SETPOINT, 6)),
        "write-answered-with-the-entry": (echoes(SETPOINT, 6, 200, b'"value":6'), shows(SETPOINT, 6)),
        "write-answered-with-the-old-entry": (echoes(SETPOINT, 6, 200, b'"value":4'), shows(SETPOINT, 6)),
        "write-answered-by-turns": (put(SETPOINT, 6, 202), put(SETPOINT, 7, 204), put(SETPOINT, 8, 200), shows(SETPOINT, 8)),
        "writes-throttled-once": (put(CHILD_LOCK, YES, 429), shows(CHILD_LOCK, NO), *LOCKED),
        "writes-unavailable-once": (put(CHILD_LOCK, YES, 503), shows(CHILD_LOCK, NO), *LOCKED),
        "writes-fail-once": (put(CHILD_LOCK, YES, 500), shows(CHILD_LOCK, NO), *LOCKED),
        "writes-dropped-once": (put(CHILD_LOCK, YES, GONE), shows(CHILD_LOCK, NO), *LOCKED),
        "writes-hang-up": (put(SETPOINT, 6, GONE), shows(SETPOINT, 6), put(SETPOINT, 4, GONE), shows(SETPOINT, 4)),
        "writes-time-out": (put(CHILD_LOCK, YES, 408), shows(CHILD_LOCK, YES)),
        "writes-see-other": (put(CHILD_LOCK, YES, 303), shows(CHILD_LOCK, YES)),
        "writes-moved": (put(CHILD_LOCK, YES, 307), shows(CHILD_LOCK, NO)),
        "writes-need-a-token": (put(SETPOINT, 6, 401), shows(SETPOINT, 4)),
        "writes-need-more-scope": (put(POWER_STATE, "x", 403), put(CHILD_LOCK, YES, 403), shows(CHILD_LOCK, NO)),
    }
)
"""How writes are answered."""

STATUSES: Mapping[str, Script] = MappingProxyType(
    {
        **{
            f"status-writes-{name}": (put(DOOR_STATE, f"{DOOR}.Closed", status, at="status"), shows(DOOR_STATE, OPENED))
            for name, status in {"not-found": 404, "conflict": 409, "forbidden": 403, "hang-up": GONE, "ignored": 204}.items()
        },
        "status-writes-malformed": (put(LIFTED, YES, 400, at="status"), shows(LIFTED, NO)),
        "status-writes-fail": (put(LIFTED, YES, 500, at="status"), shows(LIFTED, NO)),
        "status-writes-granted": (echoes(LIFTED, YES, 200, b"written", at="status"), shows(LIFTED, NO)),
        "status-writes-echoed": (echoes(DOOR_STATE, "Closed", 200, b'"Closed"', at="status"), shows(DOOR_STATE, OPENED)),
        "contested-writes-ignored": (put(BATTERY_LEVEL, 12, 204), shows(BATTERY_LEVEL, 57.3)),
        "door-opened-once": (
            shows(DOOR_STATE, f"{DOOR}.Closed"),
            put(DOOR_STATE, OPENED, 405, at="status"),
            shows(DOOR_STATE, OPENED),
            put(DOOR_STATE, f"{DOOR}.Closed", 405, at="status"),
            shows(DOOR_STATE, OPENED),
        ),
        "remote-start-disabled-from-afar": (
            put(REMOTE_START, NO, 204, at="status"),
            shows(REMOTE_START, NO),
            put(REMOTE_START, YES, 409, at="status"),
            shows(REMOTE_START, NO),
        ),
        "remote-start-stays-disabled": (put(REMOTE_START, YES, 204, at="status"), shows(REMOTE_START, NO)),
        "remote-start-enabled-by-hand-once": (
            put(REMOTE_START, YES, 204, at="status"),
            shows(REMOTE_START, YES),
            put(REMOTE_START, NO, 204, at="status"),
            put(REMOTE_START, YES, 204, at="status"),
            shows(REMOTE_START, NO),
        ),
        "last-map-follows": (put(CURRENT_MAP, f"{MAPS}.Map2"), shows(LAST_MAP, f"{MAPS}.Map1")),
    }
)
"""What an attempt to write a status does."""

GUARDS: Mapping[str, Script] = MappingProxyType(
    {
        "wrong-values-ignored": (put(SETPOINT, 9), put(SETPOINT, "5"), put(CHILD_LOCK, 1), shows(SETPOINT, 4), shows(CHILD_LOCK, NO)),
        "unknown-values-ignored": (echoes(LIQUID_UNIT, f"{UNITS}.Gallon", 200, b"written"), shows(LIQUID_UNIT, f"{UNITS}.MilliLiter")),
        "wrong-values-fail": (put(ALARM_CLOCK, 38341, 500), put(CHILD_LOCK, "x", 500), shows(ALARM_CLOCK, 0)),
        "wrong-values-hang-up": (put(LIGHTING_BRIGHTNESS, 9, GONE), put(LIGHTING, "x", GONE), shows(LIGHTING_BRIGHTNESS, 80)),
        "wrong-values-not-found": (put(AMBIENT_COLOR, f"{COLOR}.Color100", 404), shows(AMBIENT_COLOR, CUSTOM)),
        "numbers-clamped": (put(SETPOINT, 900), shows(SETPOINT, 8), put(SETPOINT, -900), shows(SETPOINT, 2)),
        "numbers-beyond-take-the-first": (put(COLOR_PERCENT, 60), put(COLOR_PERCENT, 101), shows(COLOR_PERCENT, 25)),
        "numbers-rounded-before-judged": (put(SETPOINT, 8.4), shows(SETPOINT, 8), put(SETPOINT, 8.6, 409)),
        "texts-become-numbers": (put(ALARM_CLOCK, "5"), shows(ALARM_CLOCK, 5), put(ALARM_CLOCK, "x", 409), put(ALARM_CLOCK, "-5", 409)),
        "fractions-cut": (put(ALARM_CLOCK, 5.4), shows(ALARM_CLOCK, 5)),
        "words-become-booleans": (put(CHILD_LOCK, "yes"), shows(CHILD_LOCK, YES), put(CHILD_LOCK, "x"), shows(CHILD_LOCK, NO)),
        "numbers-become-booleans": (put(CHILD_LOCK, 1), shows(CHILD_LOCK, YES), put(CHILD_LOCK, 0), shows(CHILD_LOCK, NO)),
        "booleans-become-numbers": (put(ALARM_CLOCK, YES), shows(ALARM_CLOCK, 1)),
        "anything-becomes-text": (put(MAP_NAME_1, 17), shows(MAP_NAME_1, "17"), put(MAP_NAME_1, None, 409)),
        "null-restores-the-first-value": (put(ALARM_CLOCK, 60), put(ALARM_CLOCK, None), shows(ALARM_CLOCK, 0)),
        "unknown-values-take-the-first": (put(LIQUID_UNIT, "x"), shows(LIQUID_UNIT, f"{UNITS}.FluidOunces")),
        "short-names-taken": (put(LIQUID_UNIT, "fluidounces"), shows(LIQUID_UNIT, f"{UNITS}.FluidOunces"), put(LIQUID_UNIT, "x", 409)),
    }
)
"""What becomes of a wrong value."""

ROUNDING: Mapping[str, Script] = MappingProxyType(
    {
        "setpoints-in-coarse-steps": (limits(SETPOINT, "stepsize", 2), put(SETPOINT, 7), shows(SETPOINT, 6)),
        "setpoints-in-untold-steps": (limits(SETPOINT, "stepsize", None), put(SETPOINT, 7), shows(SETPOINT, 6)),
        "setpoints-cut-down": (put(SETPOINT, 5.9), shows(SETPOINT, 5), put(FREEZER_SETPOINT, -16.5), shows(FREEZER_SETPOINT, -17)),
        "alarm-clock-in-minutes": (put(ALARM_CLOCK, 100), shows(ALARM_CLOCK, 120), put(ALARM_CLOCK, 38340), shows(ALARM_CLOCK, 38340)),
        "alarm-clock-in-untold-minutes": (limits(ALARM_CLOCK, "stepsize", None), put(ALARM_CLOCK, 100), shows(ALARM_CLOCK, 120)),
        "alarm-clock-cut-to-five-minutes": (put(ALARM_CLOCK, 38340), shows(ALARM_CLOCK, 38100), limits(ALARM_CLOCK, "stepsize", 300)),
        "percent-in-steps-of-five": (limits(COLOR_PERCENT, "stepsize", 5), put(COLOR_PERCENT, 33), shows(COLOR_PERCENT, 35)),
        "fahrenheit-rounded": (
            *(step for end in (36, 46) for step in (put(SETPOINT, end), shows(SETPOINT, end))),
            *(step for end in (-11, 3) for step in (put(FREEZER_SETPOINT, end), shows(FREEZER_SETPOINT, end))),
            put(SETPOINT, 40),
            shows(SETPOINT, 39),
            put(TEMPERATURE_UNIT, CELSIUS, 409),
        ),
        "setpoints-a-hair-off": (put(SETPOINT, 6), shows(SETPOINT, 6 + 1e-9)),
        "brightness-of-eight-bits": (
            put(LIGHTING_BRIGHTNESS, 10),
            shows(LIGHTING_BRIGHTNESS, 10.2),
            put(LIGHTING_BRIGHTNESS, 100),
            shows(LIGHTING_BRIGHTNESS, 100),
            put(LIGHTING_BRIGHTNESS, 80),
            shows(LIGHTING_BRIGHTNESS, 80),
        ),
        "custom-color-in-capitals": (put(CUSTOM_COLOR, "#4a88f8"), shows(CUSTOM_COLOR, "#4A88F8")),
        "custom-color-without-its-sign": (put(CUSTOM_COLOR, "#4a88f8"), shows(CUSTOM_COLOR, "4a88f8")),
        "map-names-cut-short": (put(MAP_NAME_1, "Ground floor"), shows(MAP_NAME_1, "Ground f")),
    }
)
"""What is kept of a value."""

MOMENTS: Mapping[str, Script] = MappingProxyType(
    {
        "effects-late": (put(SETPOINT, 6), after(0.09), shows(SETPOINT, 4), after(0.02), shows(SETPOINT, 6)),
        "effects-late-and-pending": (put(CHILD_LOCK, YES, 202), shows(CHILD_LOCK, NO), after(0.11), shows(CHILD_LOCK, YES)),
        "colors-fade-late": (put(AMBIENT_COLOR, COLOR_1), shows(AMBIENT_COLOR, CUSTOM), after(0.11), shows(AMBIENT_COLOR, COLOR_1)),
        "colder-by-degrees": (put(SETPOINT, 7), shows(SETPOINT, 5), after(0.021), shows(SETPOINT, 6), after(0.021), shows(SETPOINT, 7)),
        "brightness-overshoots": (
            put(LIGHTING_BRIGHTNESS, 30),
            shows(LIGHTING_BRIGHTNESS, 55.5),
            after(0.06),
            shows(LIGHTING_BRIGHTNESS, 30),
        ),
        "reads-lag-behind": (
            shows(CHILD_LOCK, NO),
            put(CHILD_LOCK, YES),
            shows(CHILD_LOCK, NO),
            shows(CHILD_LOCK, NO),
            *(shows(CHILD_LOCK, YES),) * 3,
            put(CHILD_LOCK, NO),
            *(shows(CHILD_LOCK, YES),) * 2,
            shows(CHILD_LOCK, NO),
        ),
        "write-lost-once": (put(CHILD_LOCK, YES), shows(CHILD_LOCK, NO), *LOCKED, put(CHILD_LOCK, NO), shows(CHILD_LOCK, NO)),
        "put-back-once": (*LOCKED, after(0.011), shows(CHILD_LOCK, NO), *LOCKED, after(1), shows(CHILD_LOCK, YES)),
        "somebody-else-once": (*LOCKED, shows(ALARM_CLOCK, 600), put(ALARM_CLOCK, 0), put(CHILD_LOCK, NO), shows(ALARM_CLOCK, 0)),
        "door-moves-with-writes": (*LOCKED, shows(DOOR_STATE, f"{DOOR}.Locked")),
        "alarm-clock-counts-down": (
            put(ALARM_CLOCK, 2),
            shows(ALARM_CLOCK, 2),
            after(1.01),
            shows(ALARM_CLOCK, 1),
            after(1.01),
            shows(ALARM_CLOCK, 0),
            after(5),
            shows(ALARM_CLOCK, 0),
        ),
        "super-mode-ends-soon": (
            put(SUPER_REFRIGERATOR, YES),
            after(0.49),
            shows(SUPER_REFRIGERATOR, YES),
            after(0.02),
            shows(SUPER_REFRIGERATOR, NO),
        ),
        "super-mode-ends-once-seen": (put(SUPER_FREEZER, YES), shows(SUPER_FREEZER, YES), shows(SUPER_FREEZER, NO)),
    }
)
"""When a write takes effect, and for how long."""

CLAIMS: Mapping[str, Script] = MappingProxyType(
    {
        "settings-refuse-unclaimed": (told("writable", None), put(SETPOINT, 6, 409), shows(SETPOINT, 4)),
        "settings-fail-unclaimed": (told("writable", None), put(ALARM_CLOCK, 6, 500), shows(ALARM_CLOCK, 0)),
        "busy-once": (told("writable", None), put(CHILD_LOCK, YES, 409), shows(CHILD_LOCK, NO), *LOCKED),
        "settings-read-only": (told("writable", None), limits(SETPOINT, "access", "read"), put(SETPOINT, 6, 409), shows(SETPOINT, 4)),
        "access-called-read": (limits(SETPOINT, "access", "read"), put(SETPOINT, 6), shows(SETPOINT, 6)),
        "subset-only-advertised": (told("enum_subset", None), put(AMBIENT_COLOR, f"{COLOR}.Color3", 409), shows(AMBIENT_COLOR, COLOR_1)),
        "subset-only-declared": (limits(AMBIENT_COLOR, "allowedvalues", None), put(AMBIENT_COLOR, f"{COLOR}.Color3", 409)),
        "equal-twins": (*LOCKED, shows(CHILD_LOCK, NO, on="oven-2"), shows(ALARM_CLOCK, 0), shows(ALARM_CLOCK, 0, on="oven-2")),
        "compartment-of-its-own": (
            told("alias_of", "fridge-1", on="fridge-1-freezer"),
            put(FREEZER_SETPOINT, -20, on="fridge-1-freezer"),
            shows(FREEZER_SETPOINT, -20),
            put(FREEZER_SETPOINT, -17),
            shows(FREEZER_SETPOINT, -17, on="fridge-1-freezer"),
        ),
        "neighbour-follows-once": (
            *LOCKED,
            shows(CHILD_LOCK, YES, on="oven-2"),
            put(CHILD_LOCK, NO),
            shows(CHILD_LOCK, YES, on="oven-2"),
        ),
    }
)
"""What is said about writing, and what it does to others."""
