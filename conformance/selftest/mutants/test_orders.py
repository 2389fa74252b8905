"""The mutants of orders need their order: it shows every time, and no single write shows it. Those of ranges
lie beyond both ends of each common range, and those of enumerations beyond each list.
"""

import json
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from itertools import chain
from typing import Any

import pytest

from catalog.keys import POWER_STATE
from catalog.loader import load_catalog
from catalog.model import Entry
from conformance.mutants.faults import orders
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.reference.appliance import Appliance
from conformance.selftest.support.servers.bench import Bench, twin

ORDER_FAULTS = [record for record in load_mutants() if record.service.__module__ == orders.__name__]

BRIGHTNESS, COLOR, CUSTOM = "AmbientLightBrightness", "AmbientLightColor", "AmbientLightCustomColor"
TEMPERATURE, PERCENT, FREEZER = "ColorTemperature", "ColorTemperaturePercent", "SetpointTemperatureFreezer"


def powered(*states: str) -> str:
    """The steps that write these power states."""
    return "; ".join(f"PowerState={state}" for state in states)


WALK = powered("On", "Standby", "On", "Off", "On", "Standby", "Off", "On")
POWERED_ALONE = (WALK, powered("Off", "On"), powered("Standby", "On"), powered("Off", "On", "Standby", "On"))
"""The walk that takes every row of the power table, and the power state as a setting that is written and put
back.
"""

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

each_order = pytest.mark.parametrize("broken", ORDER_FAULTS, ids=[record.name for record in ORDER_FAULTS])


def differing(broken: Mutant, steps: Iterable[str]) -> list[int]:
    """The places of the steps after which a mutant and the reference do not answer alike."""
    mutant, healthy = Bench(broken.service), Bench(twin(broken))
    pairs = ((mutant.do(step), healthy.do(step), mutant.everything(), healthy.everything()) for step in steps)
    return [
        place for place, (first, second, shown, due) in enumerate(pairs) if (first, shown) != (second, due)
    ]


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
    """What a suite writes without looking for orders to the keys of the appliance, each procedure twice."""
    appliance = Bench(broken.service).appliance()
    names = {key.rpartition(".")[2] for key in appliance.values}
    procedures = [
        steps for steps in (WALK, *LIGHTS) if {step.partition("=")[0] for step in steps.split("; ")} <= names
    ]
    twice = chain.from_iterable((*steps.split("; "), *steps.split("; ")) for steps in procedures)
    singles = list(one_by_one(appliance))
    return [*singles, *twice, *singles]


def order_of(broken: Mutant) -> list[str]:
    """The writes that bring a fault out."""
    assert broken.shows is not None
    return broken.shows.steps.split("; ")


@each_order
def test_an_order_is_short(broken: Mutant) -> None:
    """Three to five writes bring the fault out."""
    assert 3 <= len(order_of(broken)) <= 5


@each_order
def test_no_write_of_the_order_can_be_left_out(broken: Mutant) -> None:
    """Without any one of its writes the order shows nothing."""
    steps = order_of(broken)
    for left_out in range(len(steps)):
        assert differing(broken, [*steps[:left_out], *steps[left_out + 1 :]]) == []


@each_order
def test_the_fault_comes_each_time(broken: Mutant) -> None:
    """When everything is put back, the same order shows the same fault once more, at the same place."""
    assert broken.shows is not None
    bench = Bench(broken.service)
    found = bench.everything()
    shown: list[Any] = []
    for _ in range(3):
        shown.append([(bench.do(step), bench.everything()) for step in order_of(broken)])
        for step in filter(None, broken.shows.back.split("; ")):
            bench.do(step)
        assert bench.everything() == found
    assert shown[0] == shown[1] == shown[2]


@each_order
def test_what_is_written_one_by_one_does_not_show_it(broken: Mutant) -> None:
    """Neither the walk, nor settings written and put back, nor one procedure after the other shows it."""
    steps = harmless(broken)
    assert steps
    assert [steps[place] for place in differing(broken, steps)] == []


@pytest.mark.parametrize("steps", POWERED_ALONE)
@pytest.mark.parametrize(
    "broken",
    [record for record in ORDER_FAULTS if "PowerState" in order_of(record)[0]],
    ids=lambda record: record.name,
)
def test_no_power_write_by_itself_shows_it(broken: Mutant, steps: str) -> None:
    """On an appliance just switched on, one walk or one state written and put back shows nothing."""
    assert differing(broken, steps.split("; ")) == []


RANGES = {
    "RANGE-ALARMCLOCK": (0, 38340),
    "RANGE-LIGHT": (0, 100),
    "RANGE-LIGHTING": (10, 100),
    "RANGE-COLORTEMPPCT": (0, 100),
    "RANGE-AMBBRIGHT": (10, 100),
    "RANGE-BATTERY": (0, 100),
}
ENTRIES = load_catalog().entries


def broken_by(clause: str) -> list[tuple[Entry, Any, dict[str, Any]]]:
    """The entry that each mutant of a clause is wrong about, the value it sends and the constraints; without
    those that are wrong only where a request is an odd one, or once something was written.
    """
    found = (wrong_answer(record) for record in load_mutants() if record.clause == clause)
    return [answer for answer in found if answer]


def wrong_answer(broken: Mutant) -> tuple[Entry, Any, dict[str, Any]] | None:
    """The first value of a mutant that is not that of the reference: its entry, value, constraints."""
    mutant, healthy = Bench(broken.service), Bench(twin(broken))
    answers = zip(mutant.everything(), healthy.everything(), strict=True)
    values = ((wrong, right) for wrong, right in answers if wrong.status == HTTPStatus.OK)
    shown, due = next(((wrong.body, right.body) for wrong, right in values if wrong != right), ("", ""))
    if not shown:
        return None
    members = json.loads(shown)["data"]
    return mutant.service.entries[json.loads(due)["data"]["key"]], members["value"], members["constraints"]


@pytest.mark.parametrize(("clause", "ends"), RANGES.items(), ids=list(RANGES))
def test_both_ends_of_a_common_range_are_overstepped(clause: str, ends: tuple[float, float]) -> None:
    """Some mutant lies beyond each end by no more than one, and all lie outside."""
    low, high = ends
    sent = [value for _, value, _ in broken_by(clause)]
    assert any(low - 1 <= number < low for number in sent)
    assert any(high < number <= high + 1 for number in sent)
    assert not [number for number in sent if low <= number <= high]


def test_every_common_range_is_advertised_too_wide() -> None:
    """Each key with a common range has a mutant whose range is wider, at one end at least."""
    widened = {entry.key: (entry, shown) for entry, _, shown in broken_by("RANGE-COMMON-ADVERTISED")}
    for entry, shown in widened.values():
        assert entry.range is not None
        assert shown["min"] < entry.range.min or shown["max"] > entry.range.max
    assert widened.keys() == {entry.key for entry in ENTRIES.values() if entry.range is not None}
