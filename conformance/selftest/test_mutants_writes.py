"""Every mutant of a writing run shows its fault when it is written to, and the reference with the same appliances does not."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from conformance.mutants import write_orders
from conformance.mutants.registry import load_mutants
from conformance.selftest.writing import Bench, played, twin

WRITE_FAULTS = {
    record.name: record
    for record in load_mutants()
    if record.service.__module__.rpartition(".")[2].startswith("write_") and record.service.__module__ != write_orders.__name__
}


@dataclass(frozen=True)
class Script:
    """What is done to a mutant, and what can be read then.

    `steps` are those of `Bench.do`. `key` reads `shown` on the mutant and `due` on the reference; `ha_id` is the
    appliance where that is read, the first one unless said.
    """

    steps: str
    key: str
    shown: object
    due: object
    ha_id: str = ""


UNIT, PERCENT, FREEZER = "TemperatureUnit", "ColorTemperaturePercent", "SetpointTemperatureFreezer"
BRIGHTNESS, COLOR, CUSTOM = "AmbientLightBrightness", "AmbientLightColor", "AmbientLightCustomColor"
WINE, SECOND_WINE = "WineCompartment.SetpointTemperature", "WineCompartment2.SetpointTemperature"
POWER, OPERATION, LOCAL, BOX = "PowerState", "OperationState", "LocalControlActive", "DustBoxInserted"

SCRIPTS = {
    "acknowledged-and-dropped": Script("ChildLock=true", "ChildLock", shown=False, due=True),
    "seen-once": Script("ChildLock=true", "ChildLock", shown=False, due=True),
    "map-name-kept": Script('NameOfMap1="Office"', "NameOfMap1", "Küche", "Office"),
    "unit-for-life": Script(f"{UNIT}=Fahrenheit", UNIT, "Celsius", "Fahrenheit"),
    "cup-warmer-refused": Script("CupWarmer=false", "CupWarmer", shown=True, due=False),
    "liquid-unit-breaks": Script("LiquidVolumeUnit=FluidOunces", "LiquidVolumeUnit", "MilliLiter", "FluidOunces"),
    "cup-warmer-never-off": Script("CupWarmer=false", "CupWarmer", shown=True, due=False),
    "light-never-on-again": Script("Lighting=false; Lighting=true", "Lighting", shown=False, due=True),
    "force-takes-what-it-has": Script("AssistantForceFridge=LowForce", "AssistantForceFridge", "MiddleForce", "LowForce"),
    "map-names-shared": Script('NameOfMap2="Attic"', "NameOfMap1", "Attic", "Küche"),
    "wine-compartments-shared": Script(f"{SECOND_WINE}=14", WINE, 14, 12),
    "dosing-follows": Script("Dosing1BaseLevel=60", "Dosing2BaseLevel", 60, 35),
    "locked-cups-cool": Script("ChildLock=true", "CupWarmer", shown=False, due=True),
    "one-store-for-all": Script("ChildLock=true", "ChildLock", shown=True, due=False, ha_id="oven-1"),
    "second-oven-follows": Script("AlarmClock=60", "AlarmClock", 60, 0, "oven-2"),
    "one-setpoint-a-household": Script("SetpointTemperatureRefrigerator=6", "SetpointTemperatureRefrigerator", 6, 4, "fridge-3"),
    "lock-in-words": Script('ChildLock="yes"', "ChildLock", "yes", due=False),
    "warmer-in-numbers": Script("CupWarmer=0", "CupWarmer", 0, due=True),
    "timeout-in-fractions": Script("AssistantTimeoutFridge=7.5", "AssistantTimeoutFridge", 7.5, 5),
    "name-in-numbers": Script("NameOfMap1=7", "NameOfMap1", 7, "Küche"),
    "any-unit": Script(f"{UNIT}=Nonce", UNIT, "Nonce", "Celsius"),
    "any-force": Script("AssistantForceFridge=Nonce", "AssistantForceFridge", "Nonce", "MiddleForce"),
    "color-zero": Script("AmbientLightColor=Color0", "AmbientLightColor", "Color0", "Color1"),
    "color-hundred": Script("AmbientLightColor=Color100", "AmbientLightColor", "Color100", "Color1"),
    "fourth-map": Script("CurrentMap=Map4", "CurrentMap", "Map4", "Map1"),
    "any-word-refused-and-kept": Script("LiquidVolumeUnit=Nonce", "LiquidVolumeUnit", "Nonce", "MilliLiter"),
    "door-written-open": Script("status DoorState=Open", "DoorState", "Open", "Closed"),
    "lost-by-setting": Script("Lost=true", "Lost", shown=True, due=False),
    "battery-filled-by-writing": Script("status BatteryLevel=20", "BatteryLevel", 20, 100),
    "coffee-uncounted": Script("status BeverageCounterCoffee=0", "BeverageCounterCoffee", 0, 1290),
    "remote-start-written": Script("status RemoteControlStartAllowed=true", "RemoteControlStartAllowed", shown=True, due=False),
    "remote-start-refused-and-given": Script("status RemoteControlStartAllowed=true", "RemoteControlStartAllowed", shown=True, due=False),
    "one-degree-more": Script("SetpointTemperatureRefrigerator=9", "SetpointTemperatureRefrigerator", 9, 4),
    "darker-than-allowed": Script("LightingBrightness=5", "LightingBrightness", 5, 80),
    "alarm-before-now": Script("AlarmClock=-1", "AlarmClock", -1, 0),
    "dose-without-measure": Script("Dosing1BaseLevel=201", "Dosing1BaseLevel", 201, 50),
    "never-quite-bright": Script("LightingBrightness=100", "LightingBrightness", 99, 100),
    "never-quite-cold": Script(f"{FREEZER}=-24", FREEZER, -23, -24),
    "last-second-dropped": Script("AlarmClock=38340", "AlarmClock", 0, 38340),
    "unit-forgotten": Script(f"{UNIT}=Fahrenheit", f"{FREEZER} unit", "°C", "°F"),
    "freezer-stays-behind": Script(f"{UNIT}=Fahrenheit", f"{FREEZER} unit", "°C", "°F"),
    "hands-unnoticed": Script("touch", LOCAL, shown=False, due=True),
    "hands-noticed-too-briefly": Script("touch", LOCAL, shown=False, due=True),
    "hands-never-off": Script("touch; advance", LOCAL, shown=True, due=False),
    "dust-box-frozen-in-settings": Script("dustbox", f"settings {BOX}", shown=True, due=False),
    "dust-box-frozen-in-status": Script("dustbox", f"status {BOX}", shown=True, due=False),
    "off-ignored": Script(f"{POWER}=Off", POWER, "On", "Off"),
    "off-refused": Script(f"{POWER}=Off", POWER, "On", "Off"),
    "off-rests": Script(f"{POWER}=Off", POWER, "Standby", "Off"),
    "standby-ignored": Script(f"{POWER}=Standby", POWER, "On", "Standby"),
    "standby-refused": Script(f"{POWER}=Standby", POWER, "On", "Standby"),
    "standby-switches-off": Script(f"{POWER}=Standby", POWER, "Off", "Standby"),
    "on-ignored-in-standby": Script(f"{POWER}=Standby; {POWER}=On", POWER, "Standby", "On"),
    "on-refused-in-standby": Script(f"{POWER}=Standby; {POWER}=On", POWER, "Standby", "On"),
    "off-ignored-in-standby": Script(f"{POWER}=Standby; {POWER}=Off", POWER, "Standby", "Off"),
    "off-refused-in-standby": Script(f"{POWER}=Standby; {POWER}=Off", POWER, "Standby", "Off"),
    "off-wakes-from-standby": Script(f"{POWER}=Standby; {POWER}=Off", POWER, "On", "Off"),
    "on-refused-when-off": Script(f"{POWER}=Off; {POWER}=On", POWER, "Off", "On"),
    "on-ignored-when-off": Script(f"{POWER}=Off; {POWER}=On", POWER, "Off", "On"),
    "on-wakes-halfway": Script(f"{POWER}=Off; {POWER}=On", POWER, "Standby", "On"),
    "standby-in-off-switches-on": Script(f"{POWER}=Off; {POWER}=Standby", POWER, "On", "Off"),
    "on-toggles": Script(f"{POWER}=On", POWER, "Off", "On"),
    "standby-toggles": Script(f"{POWER}=Standby; {POWER}=Standby", POWER, "On", "Standby"),
    "on-in-standby-switches-off": Script(f"{POWER}=Standby; {POWER}=On", POWER, "Off", "On"),
    "power-echoed": Script(f"{POWER}=Off", OPERATION, "Ready", "Inactive"),
    "standby-echoed": Script(f"{POWER}=Standby", OPERATION, "Ready", "Inactive"),
    "on-echoed": Script(f"{POWER}=Off; {POWER}=On", OPERATION, "Inactive", "Ready"),
    "ready-when-switched-off": Script(f"{POWER}=Off", OPERATION, "Ready", "Inactive"),
    "ready-in-every-state": Script(f"{POWER}=Off", OPERATION, "Ready", "Inactive"),
    "inactive-after-switching-on": Script(f"{POWER}=Off; {POWER}=On", OPERATION, "Inactive", "Ready"),
    "inactive-after-waking": Script(f"{POWER}=Standby; {POWER}=On", OPERATION, "Inactive", "Ready"),
    "brightness-under-custom-color": Script(f"{BRIGHTNESS}=55", BRIGHTNESS, 55, 40),
    "brightness-refused-and-set": Script(f"{COLOR}=CustomColor; {BRIGHTNESS}=55", BRIGHTNESS, 55, 40),
    "brightness-never-moves": Script(f"{COLOR}=Color1; {BRIGHTNESS}=55", BRIGHTNESS, 40, 55),
    "brightness-always-refused": Script(f"{COLOR}=Color1; {BRIGHTNESS}=55", BRIGHTNESS, 40, 55),
    "custom-color-kept-for-later": Script(f'{CUSTOM}="#00d1ff"; {COLOR}=CustomColor', CUSTOM, "#00d1ff", "#e0ffff"),
    "custom-color-at-any-time": Script(f'{COLOR}=Color1; {CUSTOM}="#00d1ff"', CUSTOM, "#00d1ff", "#e0ffff"),
    "custom-color-refused-and-set": Script(f'{CUSTOM}="#00d1ff"', CUSTOM, "#00d1ff", "#e0ffff"),
    "custom-color-never-moves": Script(f'{COLOR}=CustomColor; {CUSTOM}="#00d1ff"', CUSTOM, "#e0ffff", "#00d1ff"),
    "custom-color-is-the-first": Script(f'{CUSTOM}="#00d1ff"', CUSTOM, "#e0ffff", "#00d1ff"),
    "percent-under-neutral": Script(f"ColorTemperature=neutral; {PERCENT}=70", PERCENT, 70, 25),
    "percent-locked-in-the-dark": Script(f"{PERCENT}=70", PERCENT, 70, 25),
    "percent-ends-custom": Script(f"ColorTemperature=custom; {PERCENT}=70", "ColorTemperature", "neutral", "custom"),
    "percent-never-moves": Script(f"ColorTemperature=custom; {PERCENT}=70", PERCENT, 25, 70),
    "super-refrigerator-warms-the-freezer": Script("SuperModeRefrigerator=true", FREEZER, -16, -18),
    "super-refrigerator-lowers-its-own": Script("SuperModeRefrigerator=true", "SetpointTemperatureRefrigerator", 2, 4),
    "super-refrigerator-moves-the-third": Script("SuperModeRefrigerator=true", "ChillerCommon.SetpointTemperature", -1, 0),
    "super-freezer-lowers-its-own": Script("SuperModeFreezer=true", FREEZER, -24, -18),
    "super-freezer-warms-the-refrigerator": Script("SuperModeFreezer=true", "SetpointTemperatureRefrigerator", 8, 4),
    "vacation-warms-the-freezer": Script("VacationMode=true", FREEZER, -16, -18),
    "vacation-shows-the-coldest": Script("VacationMode=true", FREEZER, -24, -18),
    "fresh-warms-the-freezer": Script("FreshMode=true", FREEZER, -16, -18),
    "fresh-adds-a-degree": Script("FreshMode=true", FREEZER, -17, -18),
}

each_script = pytest.mark.parametrize("name", SCRIPTS)


def test_every_mutant_of_writing_has_a_script() -> None:
    """No mutant is left out, and no script is about a mutant that is gone."""
    assert set(SCRIPTS) == set(WRITE_FAULTS)


@each_script
def test_the_fault_shows_when_written(name: str) -> None:
    """After the steps, the key shows what it should not."""
    script = SCRIPTS[name]
    shown = played(WRITE_FAULTS[name].service, script.steps).read(script.key, script.ha_id)
    assert (type(shown), shown) == (type(script.shown), script.shown)


@each_script
def test_the_reference_shows_what_is_due(name: str) -> None:
    """After the same steps, the reference with the same appliances shows something else."""
    script = SCRIPTS[name]
    assert played(twin(WRITE_FAULTS[name]), script.steps).read(script.key, script.ha_id) == script.due
    assert (type(script.shown), script.shown) != (type(script.due), script.due)


@each_script
def test_the_fault_needs_the_steps(name: str) -> None:
    """Before anything is written or done, the mutant answers as the reference does."""
    assert Bench(WRITE_FAULTS[name].service).everything() == Bench(twin(WRITE_FAULTS[name])).everything()
