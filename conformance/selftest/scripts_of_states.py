"""What variants do with more than one write: states that a write brings about, couplings, locks, and power."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CURRENT_MAP,
    CUSTOM_COLOR,
    ECO_MODE,
    FREEZER_SETPOINT,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MAP_NAME_1,
    MAP_NAME_2,
    MAP_NAME_3,
    REMOTE_CONTROL,
    SETPOINT,
)
from conformance.mutants.variant_write_soil import (
    COLOR_1,
    CUSTOM,
    EXTERNAL_BRIGHTNESS,
    EXTERNAL_LIGHT,
    FRESH,
    MAPS,
    OFF,
    RUN,
    SABBATH,
    STANDBY,
    TEMPERATURES,
    VACATION,
)
from conformance.reference.names import (
    FAHRENHEIT,
    INACTIVE,
    LOCAL_CONTROL,
    ON,
    OPERATION_STATE,
    POWER_STATE,
    READY,
    SUPER_REFRIGERATOR,
    TEMPERATURE_UNIT,
)
from conformance.selftest.driving import GONE, NO, YES, after, hides, limits, put, shows, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conformance.selftest.driving import Script

CELSIUS = "Vendor.Common.EnumType.TemperatureUnit.Celsius"
STATE = "Vendor.Common.EnumType.OperationState"
NEUTRAL = f"{TEMPERATURES}.neutral"
IS_OFF = (put(POWER_STATE, OFF), shows(POWER_STATE, OFF))
IS_STANDBY = (put(POWER_STATE, STANDBY), shows(POWER_STATE, STANDBY))
IS_ON = (put(POWER_STATE, ON), shows(POWER_STATE, ON))

STATES: Mapping[str, Script] = MappingProxyType(
    {
        "child-lock-refuses-the-rest": (
            put(CHILD_LOCK, YES),
            put(POWER_STATE, STANDBY, 409),
            shows(POWER_STATE, ON),
            put(CHILD_LOCK, NO),
            *IS_STANDBY,
        ),
        "child-lock-swallows-the-rest": (
            put(ALARM_CLOCK, 60),
            shows(ALARM_CLOCK, 0),
            put(CHILD_LOCK, NO),
            put(ALARM_CLOCK, 60),
            shows(ALARM_CLOCK, 60),
        ),
        "remote-control-swallows": (shows(REMOTE_CONTROL, NO), put(CHILD_LOCK, YES), shows(CHILD_LOCK, NO)),
        "remote-control-not-needed": (shows(REMOTE_CONTROL, NO), put(CHILD_LOCK, YES), shows(CHILD_LOCK, YES), *IS_STANDBY),
        "remote-control-withdrawn": (
            *(put(CHILD_LOCK, YES), put(CHILD_LOCK, NO), shows(REMOTE_CONTROL, YES), put(CHILD_LOCK, YES)),
            *(shows(REMOTE_CONTROL, NO), put(CHILD_LOCK, NO, 409), shows(CHILD_LOCK, YES)),
        ),
        "panel-wakes": (
            put(CHILD_LOCK, YES),
            shows(LOCAL_CONTROL, YES),
            put(CHILD_LOCK, NO),
            after(0.11),
            shows(LOCAL_CONTROL, NO),
        ),
        "panel-wakes-and-refuses": (
            put(CHILD_LOCK, YES),
            put(CHILD_LOCK, NO, 409),
            after(0.11),
            shows(LOCAL_CONTROL, NO),
            put(CHILD_LOCK, NO),
        ),
        "program-starts-meanwhile": (
            put(CHILD_LOCK, YES),
            shows(OPERATION_STATE, READY),
            put(CHILD_LOCK, NO),
            shows(OPERATION_STATE, RUN),
            put(CHILD_LOCK, YES, 409),
        ),
        "sabbath-refuses-the-rest": (put(SABBATH, YES), put(CHILD_LOCK, YES, 409), put(SABBATH, NO), put(CHILD_LOCK, YES)),
        "sabbath-darkens": (put(SABBATH, YES), shows(INTERNAL_LIGHT, NO), shows(INTERNAL_BRIGHTNESS, 0), put(SABBATH, NO)),
        "modes-hold-setpoints": (
            put(SUPER_REFRIGERATOR, YES),
            put(SETPOINT, 6, 409),
            put(FREEZER_SETPOINT, -20, 409, on="fridge-3"),
            put(SUPER_REFRIGERATOR, NO),
            put(SETPOINT, 6),
        ),
        "lights-off-refuse-writes": (
            put(LIGHTING, NO),
            put(LIGHTING_BRIGHTNESS, 30, 409),
            shows(LIGHTING_BRIGHTNESS, 80),
            put(AMBIENT_ENABLED, NO, on="dishwasher-1"),
            put(AMBIENT_COLOR, COLOR_1, 409, on="dishwasher-1"),
        ),
        "unnamed-map-refused": (
            put(CURRENT_MAP, f"{MAPS}.Map3", 409),
            put(MAP_NAME_3, "Attic"),
            put(CURRENT_MAP, f"{MAPS}.Map3"),
        ),
        "nameless-maps-refused": (put(CURRENT_MAP, f"{MAPS}.Map2", 409), hides(MAP_NAME_2, 409), put(CURRENT_MAP, f"{MAPS}.TempMap")),
        "unstored-map-not-to-be-named": (shows(MAP_NAME_3, ""), put(MAP_NAME_3, "Attic", 409), put(MAP_NAME_1, "Attic")),
        "current-map-keeps-its-name": (
            told("writable", [CURRENT_MAP]),
            put(MAP_NAME_1, "Attic", 409),
            put(CURRENT_MAP, f"{MAPS}.Map2"),
            put(MAP_NAME_1, "Attic"),
        ),
    }
)
"""States that refuse or swallow writes."""

COUPLINGS: Mapping[str, Script] = MappingProxyType(
    {
        "unit-change-in-fractions": (
            put(TEMPERATURE_UNIT, FAHRENHEIT),
            *(shows(SETPOINT, 39.2), limits(SETPOINT, "max", 46.4), shows(FREEZER_SETPOINT, -0.4)),
            put(TEMPERATURE_UNIT, CELSIUS),
            shows(SETPOINT, 4),
        ),
        "unit-change-resets-setpoints": (put(TEMPERATURE_UNIT, FAHRENHEIT), put(TEMPERATURE_UNIT, CELSIUS), shows(SETPOINT, 5)),
        "colors-have-their-brightness": (put(AMBIENT_COLOR, CUSTOM), shows(AMBIENT_BRIGHTNESS, 100), put(AMBIENT_COLOR, COLOR_1)),
        "brightness-switches-on": (put(LIGHTING_BRIGHTNESS, 30), shows(LIGHTING, YES)),
        "light-off-at-zero": (
            *(put(INTERNAL_BRIGHTNESS, 0), shows(INTERNAL_LIGHT, NO)),
            *(put(INTERNAL_BRIGHTNESS, 60), shows(INTERNAL_LIGHT, YES)),
        ),
        "light-on-at-full": (put(LIGHTING, NO), put(LIGHTING, YES), shows(LIGHTING_BRIGHTNESS, 100), shows(COLOR_PERCENT, 25)),
        "light-off-reads-zero": (put(INTERNAL_LIGHT, NO), shows(INTERNAL_BRIGHTNESS, 0), put(INTERNAL_LIGHT, YES)),
        "lights-together": (
            *(put(INTERNAL_LIGHT, NO), shows(EXTERNAL_LIGHT, NO)),
            *(put(INTERNAL_BRIGHTNESS, 20), shows(EXTERNAL_BRIGHTNESS, 20)),
        ),
        "color-temperature-sets-the-percent": (put(COLOR_TEMPERATURE, NEUTRAL), shows(COLOR_PERCENT, 50)),
        "renaming-selects-the-map": (put(MAP_NAME_2, "Attic"), shows(CURRENT_MAP, f"{MAPS}.Map2")),
        "vacation-switches-to-fourteen": (
            *(put(VACATION, YES), shows(SETPOINT, 14), shows(FREEZER_SETPOINT, -18), put(VACATION, NO), shows(SETPOINT, 4)),
            *(put(VACATION, YES, on="fridge-2"), shows(SETPOINT, 57, on="fridge-2"), put(VACATION, NO, on="fridge-2")),
        ),
        "fresh-switches-to-two": (
            put(FRESH, YES),
            shows(SETPOINT, 2),
            shows(FREEZER_SETPOINT, -18),
            put(FRESH, NO),
            shows(SETPOINT, 4),
        ),
        "vacation-leaves-the-most": (put(VACATION, YES), shows(SETPOINT, 8), put(VACATION, NO), shows(SETPOINT, 8)),
        "eco-moves-setpoints": (
            *(put(ECO_MODE, YES), shows(SETPOINT, 6), shows(FREEZER_SETPOINT, -16)),
            *(put(ECO_MODE, NO), shows(SETPOINT, 4), shows(FREEZER_SETPOINT, -18)),
        ),
        "modes-exclude-each-other": (
            shows(FRESH, YES),
            put(VACATION, YES),
            shows(FRESH, NO),
            put(ECO_MODE, YES),
            shows(VACATION, NO),
        ),
        "modes-come-in-pairs": (put(VACATION, YES), shows(ECO_MODE, YES), put(VACATION, NO), shows(ECO_MODE, NO)),
        "super-mode-widens-the-range": (
            *(put(SUPER_REFRIGERATOR, YES), limits(SETPOINT, "max", 9), shows(SETPOINT, 4), put(SETPOINT, 9, 409)),
            *(put(SUPER_REFRIGERATOR, NO), limits(SETPOINT, "max", 8)),
        ),
    }
)
"""What moves with what."""

LIGHTS: Mapping[str, Script] = MappingProxyType(
    {
        **{
            f"locks-{name}": (
                put(AMBIENT_BRIGHTNESS, 77, status, on="dishwasher-1"),
                shows(AMBIENT_BRIGHTNESS, 40, on="dishwasher-1"),
                put(COLOR_TEMPERATURE, NEUTRAL),
                put(COLOR_PERCENT, 77, status),
                shows(COLOR_PERCENT, 25),
            )
            for name, status in {"swallow": 204, "fail": 500, "not-found": 404}.items()
        },
        "custom-color-unlocks-itself": (put(CUSTOM_COLOR, "#4a88f8"), shows(AMBIENT_COLOR, CUSTOM), shows(CUSTOM_COLOR, "#4a88f8")),
        "brightness-unlocks-itself": (put(AMBIENT_BRIGHTNESS, 77), shows(AMBIENT_COLOR, COLOR_1), shows(AMBIENT_BRIGHTNESS, 77)),
        "percent-unlocks-itself": (put(COLOR_PERCENT, 77), shows(COLOR_TEMPERATURE, f"{TEMPERATURES}.custom"), shows(COLOR_PERCENT, 77)),
        "brightness-unreadable-under-custom-color": (put(AMBIENT_COLOR, CUSTOM), hides(AMBIENT_BRIGHTNESS, 204)),
        "custom-color-unreadable-under-a-preset": (put(AMBIENT_COLOR, COLOR_1), hides(CUSTOM_COLOR, 409)),
        "locked-when-found": (
            hides(AMBIENT_BRIGHTNESS, 204),
            hides(CUSTOM_COLOR, 204, on="dishwasher-2"),
            hides(COLOR_PERCENT, 204, on="hood-1"),
        ),
        "percent-unreadable-while-warm": (put(COLOR_TEMPERATURE, NEUTRAL), hides(COLOR_PERCENT, GONE)),
        "brightness-full-under-custom-color": (
            put(AMBIENT_COLOR, CUSTOM),
            shows(AMBIENT_BRIGHTNESS, 100),
            put(AMBIENT_COLOR, COLOR_1),
            shows(AMBIENT_BRIGHTNESS, 40),
        ),
        "brightness-starts-at-a-try": (put(AMBIENT_BRIGHTNESS, 77, 409), shows(AMBIENT_BRIGHTNESS, 37.5)),
        "custom-color-shows-the-preset": (shows(CUSTOM_COLOR, "#c01010"), put(AMBIENT_COLOR, CUSTOM), shows(CUSTOM_COLOR, "#e0ffff")),
        "percent-shows-the-choice": (put(COLOR_TEMPERATURE, NEUTRAL), shows(COLOR_PERCENT, 33.3)),
        "light-without-a-custom-color": (
            put(AMBIENT_COLOR, CUSTOM, 409),
            put(CUSTOM_COLOR, "#4a88f8", 409),
            shows(CUSTOM_COLOR, "#e0ffff"),
        ),
    }
)
"""How the rules of lights are kept."""

POWER: Mapping[str, Script] = MappingProxyType(
    {
        "power-states-undeclared": (told("power_states", None), put(POWER_STATE, OFF, 409), *IS_STANDBY, put(POWER_STATE, OFF, 409)),
        "power-states-untold": (
            *(told("power_states", None), limits(POWER_STATE, "allowedvalues", None)),
            *(put(POWER_STATE, OFF, 409), *IS_STANDBY, put(POWER_STATE, OFF, 409)),
        ),
        "off-means-standby": (told("power_states", ["On", "Standby"]), put(POWER_STATE, OFF), shows(POWER_STATE, STANDBY)),
        "off-means-standby-untold": (told("power_states", None), put(POWER_STATE, OFF), shows(POWER_STATE, STANDBY)),
        "power-refused-untold": (told("power_states", None), put(POWER_STATE, OFF, 409), put(POWER_STATE, ON, 409), shows(POWER_STATE, ON)),
        "always-on-refuses-on": (limits(POWER_STATE, "access", "readWrite"), put(POWER_STATE, ON, 409), shows(POWER_STATE, ON)),
        "present-state-refused": (put(POWER_STATE, ON, 409), *IS_OFF, put(POWER_STATE, OFF, 409), *IS_ON),
        "present-state-fails": (put(POWER_STATE, ON, 500), *IS_OFF, put(POWER_STATE, OFF, 500), *IS_ON),
        "off-to-standby-taken": (*IS_OFF, *IS_STANDBY, *IS_ON),
        "off-to-standby-ignored": (*IS_OFF, put(POWER_STATE, STANDBY), shows(POWER_STATE, OFF), *IS_ON),
        "power-late": (put(POWER_STATE, STANDBY), shows(POWER_STATE, ON), after(0.11), shows(POWER_STATE, STANDBY)),
        "off-through-standby": (put(POWER_STATE, OFF), shows(POWER_STATE, STANDBY), after(0.06), shows(POWER_STATE, OFF), *IS_ON),
        "on-through-standby": (*IS_OFF, put(POWER_STATE, ON), shows(POWER_STATE, STANDBY), after(0.06), shows(POWER_STATE, ON)),
        "power-seen-at-the-third-look": (
            *(shows(POWER_STATE, ON), put(POWER_STATE, OFF), shows(POWER_STATE, ON), shows(POWER_STATE, ON)),
            *(shows(POWER_STATE, OFF), shows(OPERATION_STATE, INACTIVE)),
        ),
        "operation-state-lags": (*IS_OFF, shows(OPERATION_STATE, READY), after(0.11), shows(OPERATION_STATE, INACTIVE)),
        "unavailable-while-off": (put(POWER_STATE, OFF), hides(POWER_STATE, 503), hides(LIGHTING, 503), *IS_ON, shows(LIGHTING, YES)),
        "hangs-up-in-standby": (put(POWER_STATE, STANDBY), hides(POWER_STATE, GONE), *IS_ON),
        "offline-while-off": (put(POWER_STATE, OFF), hides(POWER_STATE, 409), *IS_ON),
        "switch-alone-while-off": (*IS_STANDBY, hides(CHILD_LOCK, 409), hides(OPERATION_STATE, 409), *IS_ON, shows(CHILD_LOCK, NO)),
        "wakes-up-needing-somebody": (*IS_OFF, *IS_ON, shows(OPERATION_STATE, f"{STATE}.ActionRequired")),
        "sleeps-finished": (*IS_STANDBY, shows(OPERATION_STATE, f"{STATE}.Error"), *IS_OFF, shows(OPERATION_STATE, f"{STATE}.Finished")),
        "wakes-up-running": (
            *(*IS_STANDBY, *IS_ON, shows(OPERATION_STATE, RUN), after(0.11), shows(OPERATION_STATE, READY)),
            *(*IS_STANDBY, *IS_ON, *IS_STANDBY, after(0.11), shows(OPERATION_STATE, INACTIVE)),
        ),
        "switched-back-by-hand-once": (*IS_OFF, after(0.03), shows(POWER_STATE, ON), *IS_OFF, after(1), shows(POWER_STATE, OFF)),
        "off-darkens": (*IS_OFF, shows(LIGHTING, NO), *IS_ON, shows(LIGHTING, NO)),
        "on-forgets": (*IS_OFF, *IS_ON, shows(LIGHTING_BRIGHTNESS, 30)),
        "remote-control-sleeps": (*IS_STANDBY, shows(REMOTE_CONTROL, NO), *IS_ON, shows(REMOTE_CONTROL, YES)),
        "remote-control-ends-with-off": (
            *(*IS_STANDBY, shows(REMOTE_CONTROL, YES), *IS_ON),
            *(*IS_OFF, shows(REMOTE_CONTROL, NO), put(POWER_STATE, ON, 409), shows(POWER_STATE, OFF)),
        ),
        "child-lock-with-off": (shows(CHILD_LOCK, YES), *IS_OFF, *IS_ON, shows(CHILD_LOCK, NO)),
    }
)
"""Power, and what it does to the rest."""
