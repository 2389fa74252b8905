"""The mutants of orders need their order: it shows every time, and whatever is written one by one does not show it."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from conformance.mutants import write_orders
from conformance.mutants.registry import load_mutants
from conformance.reference.names import POWER_STATE
from conformance.selftest.writing import Bench, twin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from conformance.mutants.model import Mutant
    from conformance.reference.appliance import Appliance

ORDER_FAULTS = {record.name: record for record in load_mutants() if record.service.__module__ == write_orders.__name__}

BRIGHTNESS, COLOR, CUSTOM = "AmbientLightBrightness", "AmbientLightColor", "AmbientLightCustomColor"
TEMPERATURE, PERCENT, FREEZER = "ColorTemperature", "ColorTemperaturePercent", "SetpointTemperatureFreezer"
_TWO_PRESETS = f"{COLOR}=Color1; {COLOR}=Color2"


def powered(*states: str) -> str:
    """The steps that write these power states."""
    return "; ".join(f"PowerState={state}" for state in states)


ORDERS = {
    "third-off-ignored": (powered("Off", "On", "Off", "On", "Off"), ""),
    "second-waking-ignored": (powered("Standby", "On", "Standby", "On"), powered("On")),
    "off-refused-after-two-rests": (powered("Standby", "On", "Standby", "Off"), powered("On")),
    "off-rests-after-off-from-standby": (powered("Standby", "Off", "On", "Off"), powered("On")),
    "second-switching-on-strays": (powered("Off", "On", "Off", "On"), powered("On")),
    "third-standby-switches-off": (powered("Standby", "On", "Standby", "On", "Standby"), powered("On")),
    "inactive-after-two-rests": (powered("Standby", "On", "Standby", "On"), powered("Off", "On")),
    "ready-after-two-slow-offs": (powered("Standby", "Off", "On", "Standby", "Off"), powered("On")),
    "two-presets-unlock-brightness": (
        f"{_TWO_PRESETS}; {COLOR}=CustomColor; {BRIGHTNESS}=55",
        f"{COLOR}=Color1; {BRIGHTNESS}=40; {COLOR}=CustomColor",
    ),
    "second-preset-drops-brightness": (f"{_TWO_PRESETS}; {BRIGHTNESS}=55", f"{COLOR}=CustomColor"),
    "brightness-unlocks-custom-color": (
        f'{COLOR}=Color1; {BRIGHTNESS}=55; {CUSTOM}="#00d1ff"',
        f'{BRIGHTNESS}=40; {COLOR}=CustomColor; {CUSTOM}="#e0ffff"',
    ),
    "two-presets-drop-custom-color": (f'{_TWO_PRESETS}; {COLOR}=CustomColor; {CUSTOM}="#00d1ff"', ""),
    "second-temperature-unlocks-percent": (
        f"{TEMPERATURE}=warm; {TEMPERATURE}=cold; {PERCENT}=70",
        f"{TEMPERATURE}=custom; {PERCENT}=25",
    ),
    "two-temperatures-drop-percent": (f"{TEMPERATURE}=warm; {TEMPERATURE}=cold; {TEMPERATURE}=custom; {PERCENT}=70", ""),
    "fresh-outlives-super": ("FreshMode=true; SuperModeFreezer=true; SuperModeFreezer=false", "FreshMode=false"),
    "vacation-outlives-fresh": ("VacationMode=true; FreshMode=true; FreshMode=false", "VacationMode=false"),
    "super-remembers-the-setpoint": (
        f"SuperModeFreezer=true; {FREEZER}=-20; SuperModeFreezer=false; SuperModeFreezer=true",
        "SuperModeFreezer=false",
    ),
}
"""What brings each fault out, and what puts back what was there before."""

WALK = powered("On", "Standby", "On", "Off", "On", "Standby", "Off", "On")
POWERED_ALONE = (WALK, powered("Off", "On"), powered("Standby", "On"), powered("Off", "On", "Standby", "On"))
"""The walk that takes every row of the power table, and the power state as a setting that is written and put back."""

LIGHTS = (
    f"{COLOR}=CustomColor; {BRIGHTNESS}=55; {BRIGHTNESS}=66",
    f"{COLOR}=Color1; {BRIGHTNESS}=55; {BRIGHTNESS}=40; {COLOR}=CustomColor",
    f'{COLOR}=Color1; {CUSTOM}="#00d1ff"; {COLOR}=CustomColor',
    f'{COLOR}=CustomColor; {CUSTOM}="#00d1ff"; {CUSTOM}="#4a88f8"; {CUSTOM}="#e0ffff"',
    f"{TEMPERATURE}=neutral; {PERCENT}=70; {PERCENT}=30; {TEMPERATURE}=custom",
    f"{TEMPERATURE}=custom; {PERCENT}=70; {PERCENT}=25",
)
OTHERS: dict[str, tuple[str, ...]] = {
    BRIGHTNESS: ("55",),
    CUSTOM: ('"#00d1ff"', '"#4a88f8"'),
    COLOR: ("Color1", "Color2", "Color99"),
    TEMPERATURE: ("warm", "warmToNeutral", "neutral", "neutralToCold", "cold"),
    PERCENT: ("70", "0", "100"),
    FREEZER: ("-17", "-24", "-16"),
    "SetpointTemperatureRefrigerator": ("5", "2", "8"),
    **dict.fromkeys(("SuperModeFreezer", "FreshMode", "VacationMode"), ("true",)),
}
"""Other values of each setting, to be written by themselves."""

each_order = pytest.mark.parametrize("name", ORDERS)


def differing(broken: Mutant, steps: Iterable[str]) -> list[int]:
    """The places of the steps after which a mutant and the reference do not answer alike."""
    mutant, healthy = Bench(broken.service), Bench(twin(broken))
    pairs = ((mutant.do(step), healthy.do(step), mutant.everything(), healthy.everything()) for step in steps)
    return [place for place, (first, second, shown, due) in enumerate(pairs) if (first, shown) != (second, due)]


def one_by_one(appliance: Appliance) -> Iterator[str]:
    """Writes of one setting at a time: another value and the old one, and all values in turn."""
    for key, found in appliance.values.items():
        name = key.rpartition(".")[2]
        if key != POWER_STATE and name in OTHERS:
            back = f"{name}={_spoken(key, found)}"
            for other in OTHERS[name]:
                yield from (f"{name}={other}", back)
            yield from (*(f"{name}={other}" for other in OTHERS[name]), back)


def _spoken(key: str, value: Any) -> str:
    """A value as a step says it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"' if key.endswith(CUSTOM) else value.rpartition(".")[2]
    return str(value)


def harmless(broken: Mutant) -> list[str]:
    """Everything a suite writes without looking for orders, each procedure twice in a row, as far as the appliance has the keys."""
    appliance = Bench(broken.service).appliance()
    names = {key.rpartition(".")[2] for key in appliance.values}
    procedures = [steps for steps in (WALK, *LIGHTS) if {step.partition("=")[0] for step in steps.split("; ")} <= names]
    twice = chain.from_iterable((*steps.split("; "), *steps.split("; ")) for steps in procedures)
    singles = list(one_by_one(appliance))
    return [*singles, *twice, *singles]


def test_every_mutant_of_orders_has_an_order() -> None:
    """No mutant is left out, and no order is about a mutant that is gone."""
    assert set(ORDERS) == set(ORDER_FAULTS)


@each_order
def test_an_order_is_short(name: str) -> None:
    """Three to five writes bring the fault out."""
    assert 3 <= len(ORDERS[name][0].split("; ")) <= 5


@each_order
def test_the_last_write_brings_the_fault_out(name: str) -> None:
    """Until the last write of the order the mutant answers as the reference does, and then no more."""
    steps = ORDERS[name][0].split("; ")
    assert differing(ORDER_FAULTS[name], steps) == [len(steps) - 1]


@each_order
def test_no_write_of_the_order_can_be_left_out(name: str) -> None:
    """Without any one of its writes the order shows nothing."""
    steps = ORDERS[name][0].split("; ")
    for left_out in range(len(steps)):
        assert differing(ORDER_FAULTS[name], [*steps[:left_out], *steps[left_out + 1 :]]) == []


@each_order
def test_the_fault_comes_each_time(name: str) -> None:
    """When everything is put back, the same order shows the same fault once more, at the same place."""
    order, back = (steps.split("; ") if steps else [] for steps in ORDERS[name])
    bench = Bench(ORDER_FAULTS[name].service)
    found = bench.everything()
    shown: list[Any] = []
    for _ in range(3):
        shown.append([(bench.do(step), bench.everything()) for step in order])
        for step in back:
            bench.do(step)
        assert bench.everything() == found
    assert shown[0] == shown[1] == shown[2]


@each_order
def test_what_is_written_one_by_one_does_not_show_it(name: str) -> None:
    """Neither the walk, nor settings written and put back, nor one procedure after the other tells mutant and reference apart."""
    steps = harmless(ORDER_FAULTS[name])
    assert steps
    assert [steps[place] for place in differing(ORDER_FAULTS[name], steps)] == []


@pytest.mark.parametrize("steps", POWERED_ALONE)
@pytest.mark.parametrize("name", [name for name in ORDERS if "PowerState" in ORDERS[name][0]])
def test_no_power_write_by_itself_shows_it(name: str, steps: str) -> None:
    """On an appliance that has just been switched on, one walk or one state written and put back shows nothing."""
    assert differing(ORDER_FAULTS[name], steps.split("; ")) == []
