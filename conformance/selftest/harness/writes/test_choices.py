"""What is written for each type: within what the appliance can take, except where the point is that it must
not take it.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.exchange import Exchange
from conformance.checks.groups import Group, edge_group, setting_group
from conformance.checks.view import View
from conformance.checks.writes.requirements import beside_setting, beside_status
from conformance.harness.answers.classes import Classifier
from conformance.harness.steps import unread
from conformance.harness.writes.procedures import choices
from conformance.model.couplings import UNITS
from conformance.model.values import fits
from conformance.mutants.fleets import FRIDGE_UNITS, OVEN_ALARM, ROBOT_MAPS
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.service import Service
from conformance.selftest.support.handmade import exchange, profile_of, seen_of, value, write_table
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.recording import served_by

LOCK, ALARM = "Vendor.Common.Setting.ChildLock", "Vendor.Common.Setting.AlarmClock"
SETPOINT = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
TIMEOUT = "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge"
FORCE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
COLOR, CUSTOM = "Vendor.Common.Setting.AmbientLightColor", "Vendor.Common.Setting.AmbientLightCustomColor"
DOOR, BATTERY, COUNT, LOST = (
    "Vendor.Common.Status.DoorState",
    "Vendor.Common.Status.BatteryLevel",
    "ConsumerProducts.CoffeeMaker.Status.BeverageCounterCoffee",
    "ConsumerProducts.CleaningRobot.Status.Lost",
)
FORCES = "Refrigeration.Common.EnumType.Door.AssistantForce."
LOW, MIDDLE, HIGH = (f"{FORCES}{name}Force" for name in ("Low", "Middle", "High"))
DOORS = "Vendor.Common.EnumType.DoorState."
COLORS = "Vendor.Common.EnumType.AmbientLightColor."
BY_ONE: dict[str, Any] = {"min": 2, "max": 8, "step": 1}
MOST = 2.0**1023
WITHOUT_END: dict[str, Any] = {"min": -MOST, "max": MOST, "step": 5e-324}
"""The range of a server that knows none, and the least step of a double."""


def shown(
    key: str, present: Any, appliance: dict[str, Any] | None = None, **members: Any
) -> tuple[View, Entry, Answer]:
    """An appliance, one of its entries, and a read that shows this value of it."""
    profile = profile_of("Refrigerator", appliance=appliance)
    exchange = value(key, present, **members)
    return seen_of(profile, exchange), CATALOG.entries[key], Classifier(profile).answer(exchange)


# fmt: off
OTHERS: dict[str, tuple[tuple[View, Entry, Answer], list[Any]]] = {
    "true": (shown(LOCK, present=True), [False]),
    # Numbers: both ends and the middle, on the step, but not the present value.
    "common range": (shown(ALARM, 60), [0, 38340, 19170]),
    "at an end": (shown(ALARM, 0), [38340, 19170]),
    "own range": (shown(SETPOINT, 4, **BY_ONE), [2, 8, 5]),
    "own range, by a half": (shown(SETPOINT, 2.5, min=2, max=3.5, step=0.5), [2, 3.5, 3]),
    "wider than the common one": (shown(LIGHT, 60, min=-10, max=110), [0, 100, 50]),
    "a range that is none": (shown(LIGHT, 60, min=90, max=10), [0, 100, 50]),
    "one number": (shown(SETPOINT, 4, min=4, max=4), []),
    "a range without an end": (shown(SETPOINT, 4, **WITHOUT_END), [-int(MOST), int(MOST), 0]),
    "a step that is not finite": (shown(SETPOINT, 4, min=2, max=8, step=float("inf")), [2, 8, 5]),
    "nobody shows a range": (shown(TIMEOUT, 5), [6]),
    # Enumerations: all of a few, some of many; what is declared, else what is advertised, else what the
    #     document lists.
    "few": (shown(FORCE, LOW), [MIDDLE, HIGH]),
    "advertised": (shown(FORCE, LOW, allowed=[LOW, HIGH]), [HIGH]),
    "declared": (shown(FORCE, LOW, {"enum_subset": {FORCE: ["LowForce", "MiddleForce"]}}), [MIDDLE]),
    "advertised as empty": (shown(FORCE, LOW, allowed=[]), [MIDDLE, HIGH]),
    "many": (shown(COLOR, f"{COLORS}Color7"),
        [f"{COLORS}{name}" for name in ("CustomColor", "Color34", "Color66", "Color99")]),
    "by another maker": (shown(COLOR, "Acme.Common.EnumType.AmbientLightColor.Color1",
        {"vendor": "Acme", "enum_subset": {COLOR: ["Color1", "Color2"]}}),
        ["Acme.Common.EnumType.AmbientLightColor.Color2"]),
    # Texts: only samples.
    "colors": (shown(CUSTOM, "#4a88f8",
        {"samples": {"custom_color": ["#4a88f8", "#00d1ff"], "map_name": ["Attic"]}}), ["#00d1ff"]),
    "a color in capitals": (shown(CUSTOM, "#4A88F8",
        {"samples": {"custom_color": ["#4a88f8", "#00d1ff"]}}), ["#00d1ff"]),
}
# fmt: on


@pytest.mark.parametrize("name", OTHERS)
def test_other_values(name: str) -> None:
    """Other values that an appliance can take, which show that a setting is configurable; always the same."""
    (seen, entry, read), values = OTHERS[name]
    assert choices.other_values(seen, entry, read) == values
    assert [type(each) for each in choices.other_values(seen, entry, read)] == [type(each) for each in values]


ENDS: dict[str, tuple[tuple[View, Entry, Answer], list[Any], list[Any]]] = {
    "common": (shown(ALARM, 60), [0, 38340], [-1, 38341, 38371]),  # one that cannot run down into the range
    "own": (shown(SETPOINT, 4, **BY_ONE), [2, 8], [1, 9]),
    "at the lower end": (shown(SETPOINT, 2, **BY_ONE), [8, 2], [1, 9]),
    "declared step": (shown(LIGHT, 60, {"step": {LIGHT: 10}}), [0, 100], [-10, 110]),
    "without an end": (shown(SETPOINT, 4, **WITHOUT_END), [-int(MOST), int(MOST)], [-int(MOST), int(MOST)]),
    "by a step that is not finite": (shown(SETPOINT, 4, min=2, max=8, step=float("inf")), [2, 8], [1, 9]),
    "none": (shown(TIMEOUT, 5), [], []),
    "halves of a whole number": (shown(ALARM, 60, min=0.5, max=99.5, step=0.5), [1, 99], [0, 100, 130]),
}


@pytest.mark.parametrize("name", ENDS)
def test_ends_and_one_step_outside(name: str) -> None:
    """Both ends of a range, and what lies one step beyond them; nothing where nobody shows a range."""
    (seen, entry, read), inside, beyond = ENDS[name]
    assert choices.ends(seen, entry, read) == inside
    assert choices.outside(seen, entry, read) == beyond


ENUMERATIONS = [entry for entry in CATALOG.settings if entry.type == "Enumeration"]


@pytest.mark.parametrize("entry", ENUMERATIONS, ids=lambda entry: entry.key)
def test_non_members_are_no_members(entry: Entry) -> None:
    """An unknown member of the own family and one of another one: neither is a value of the key."""
    seen = shown(entry.key, entry.values[0] if entry.values else "", {"vendor": "Acme"})[0]
    unknown, neighbour, *_ = map(str, choices.non_members(seen, entry, "seed"))
    assert not {unknown, neighbour} & set(seen.values(entry.key).members)
    own = f"{entry.family}.".partition(".")[2]
    assert [own in each for each in (unknown, neighbour)] == [True, False]


def test_fraction_of_a_whole_number() -> None:
    """An Integer is tried with a text, and a fraction beside its present value: rounding is harmless."""
    assert choices.wrong_types(CATALOG.entries[ALARM], shown(ALARM, 60)[2]) == ["60", 60.5]
    assert choices.wrong_types(CATALOG.entries[ALARM], shown(ALARM, "60")[2]) == ['"60"', 0.5]


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("Vendor.Common.Setting.AmbientLightColor", ["Color0", "Color100"]),
        ("ConsumerProducts.CleaningRobot.Setting.CurrentMap", ["Map0", "Map4"]),
        ("Vendor.Common.Setting.PowerState", []),
    ],
)
def test_numbers_next_to_the_ends_of_a_family(key: str, names: list[str]) -> None:
    """A numbered family ends where it ends: the numbers next to its first and its last are tried, too."""
    assert [value.rpartition(".")[2] for value in choices.beyond_the_ends(CATALOG.entries[key])] == names


STATUSES: dict[str, tuple[tuple[View, Entry, Answer], list[Any], Any]] = {
    "no third": (shown(LOST, present=True), [False], None),
    "door": (shown(DOOR, f"{DOORS}Open"), [], f"{DOORS}Closed"),
    "count": (shown(COUNT, 1), [], 0),
    "count of none": (shown(COUNT, 0), [1], 2),
    "battery": (shown(BATTERY, 57.3), [], 1),
}


@pytest.mark.parametrize("name", STATUSES)
def test_another_status(name: str) -> None:
    """A status is probed with a value of its own type that it does not have, if there is one."""
    (seen, entry, read), besides, wanted = STATUSES[name]
    found = choices.another_status(seen, entry, read, besides)
    assert found == wanted
    assert found is None or fits(entry, found)


steps = st.sampled_from([0.1, 0.5, 1, 5, 10])
quarters = st.integers(-200, 200).map(lambda number: number / 4)


@example(low=0.25, width=0.0, step=0.1, place=0.0, key=ALARM)
@given(quarters, quarters.map(abs), steps, st.floats(0, 1), st.sampled_from([SETPOINT, LIGHT, ALARM]))
def test_no_number_lies_outside(low: float, width: float, step: float, place: float, key: str) -> None:
    """Whatever range is shown, other values and ends lie within it and the common one, the rest outside."""
    seen, entry, read = shown(key, round((low + place * width) * 4) / 4, min=low, max=low + width, step=step)
    found = seen.values(key, read).bounds
    common = (entry.range.min, entry.range.max) if entry.range else (low, low + width)
    if found is None or found[0] > found[1]:
        return
    inside = [*choices.other_values(seen, entry, read), *choices.ends(seen, entry, read)]
    assert all(
        isinstance(each, int | float) and max(low, common[0]) <= each <= min(low + width, common[1])
        for each in inside
    )
    assert not [
        each
        for each in choices.outside(seen, entry, read)
        if isinstance(each, int | float) and found[0] <= each <= found[1]
    ]


# The generated values that a run writes: which, how many, and that nothing of them is left behind.
WRITTEN_TO = served_by(fleet=(OVEN_ALARM, ROBOT_MAPS))
"""An oven and a robot that do nothing wrong."""


def texts(key: str, present: Any) -> list[str]:
    """The generated values that are chosen for a setting, as JSON texts."""
    return choices.edge_values(*shown(key, present), "")


@pytest.mark.parametrize(
    ("key", "present", "expected"),
    [
        (ALARM, 60, {"9007199254740993", "38340.0", "-0.0", "1e308", "1e400", "5e-324", "[60]"}),
        (LIGHT, 60, {"9007199254740993", "5e-324", '"NaN"', '{"value": 60}', "-0.0"}),
        (LOCK, True, {'"true"', "[true]", '"\\ud800"'}),
        (keys.MAP_NAME_1, "Attic", {'"\\ud800"', '""', '["Attic"]', f'"{"a" * 10_000}"'}),
    ],
)
def test_values_are_near_type_and_range(key: str, present: Any, expected: set[str]) -> None:
    """Each type has the values at the edges of its parsers."""
    assert expected <= set(texts(key, present))


def test_number_without_a_range_gets_no_number_of_its_type() -> None:
    """Where nobody shows a range, nothing is written that the setting might take."""
    entry = CATALOG.entries[TIMEOUT]
    assert not [text for text in texts(entry.key, 5) if fits(entry, json.loads(text))]


def test_values_are_as_many_as_may_be_and_sent_as_they_are_spelled(tmp_path: Path) -> None:
    """Each appliance gets as many as the profile allows; the body of a request holds the text of the value,
    and the ledger what a parser makes of it.
    """
    tables = {"pace": STILL | {"generated_writes": 12}}
    run = run_of(WRITTEN_TO(), tmp_path, "write", tables, clauses={"SET-TYPEGUARD"})
    writes = [line for line in run.requests("edge/") if line["purpose"] == "write"]
    made = [line["ha_id"] for line in writes]
    assert {made.count(spec.ha_id) for spec in WRITTEN_TO.fleet} == {12}
    bodies = "\n".join(line["request"]["body"] for line in writes)
    assert all(f'"value": {text}}}' in bodies for text in ("1e400", '"\\ud800"', "-0.0", "38340.0"))
    assert ("oven-1", float("inf")) in [(line["ha_id"], line["value"]) for line in writes]


# What is written beside a status, to see whether any write has an effect.
ECO, DISPENSER = "Refrigeration.Common.Setting.EcoMode", "Refrigeration.Common.Setting.Dispenser.Enabled"
MANY = (LOCK, LIGHT, ECO, ALARM, DISPENSER)


@pytest.mark.parametrize(
    ("allowed", "supports", "written"),
    [
        ([*MANY], [*MANY], (DISPENSER, ECO, ALARM)),
        ([*MANY], [ALARM, LIGHT], (ALARM, LIGHT)),
        ([*MANY], [], (DISPENSER, ECO, ALARM, LIGHT, LOCK)),
        ([ALARM], [*MANY], (ALARM,)),
        ([], [*MANY], ()),
    ],
)
def test_what_moves_least_is_written_beside_a_status(
    allowed: list[str], supports: list[str], written: tuple[str, ...]
) -> None:
    """Three of what is claimed, else all: switches before numbers, what protects people last."""
    profile = profile_of(appliance={"supports": supports}, write=write_table(*allowed))
    (own,) = profile.appliance
    found = beside_status(profile, own, DOOR)
    assert tuple(group.subject for group in found) == written
    assert beside_setting(profile, own, LOCK) == (setting_group(LOCK),)


@pytest.mark.parametrize(
    "first", [value(keys.TEMPERATURE_UNIT, keys.CELSIUS), exchange(keys.TEMPERATURE_UNIT, 500)]
)
def test_units_share_the_settings_that_are_read_in_them(first: Exchange) -> None:
    """Each setting is read while one of them is another, also where the first read of one met an error."""
    again = value(
        keys.TEMPERATURE_UNIT, keys.CELSIUS, group=Group.parse(f"again/settings/{keys.TEMPERATURE_UNIT}")
    )
    litres = value(keys.LIQUID_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter")
    seen = seen_of(profile_of("CoffeeMaker"), first, again, litres, value(LOCK, True), value(ALARM, 5))
    read = [ask.key for unit in UNITS for ask in unread(seen, setting_group(unit), (), unit, UNITS)]
    assert {LOCK, ALARM, keys.LIQUID_UNIT} <= {*read}
    assert len(read) == len({*read})


def test_what_is_known_or_shared_is_read_once(tmp_path: Path) -> None:
    """The power state, which follows no mode; a setting, in one of two locks; what must stay, after all its
    writes. What shows somebody acting is read where it is served alone.
    """
    kind = served_by(fleet=(own for own in Service.fleet if own.ha_id == "fridge-1"))
    run = run_of(kind(), tmp_path, "write", {"pace": STILL | {"generated_writes": 120}})
    locked = [run.requests(str(setting_group(lock))) for lock in (LOCK, keys.FRIDGE_SABBATH)]
    assert [TIMEOUT in {line["key"] for line in lines} for lines in locked].count(True) == 1
    assert [line["key"] for line in run.requests("mode/")].count(keys.POWER_STATE) == 1
    edges = [line["purpose"] for line in run.requests(str(edge_group(LOCK)))]
    assert edges.count("write") > 1
    assert "repeat" not in edges[edges.index("write") : -edges[::-1].index("write") or None]
    assert keys.LOCAL_CONTROL not in {line["key"] for line in run.requests("prepare")}


@pytest.mark.parametrize("refuses", [True, False])
def test_other_entries_are_read_in_a_unit_that_is_there(tmp_path: Path, *, refuses: bool) -> None:
    """A write that is refused leads to no other state, in which they would have to be read."""
    layers: tuple[type[Service], ...] = (refuses_where(lambda _, key, __: key == keys.TEMPERATURE_UNIT),)
    kind = served_by(*(layers if refuses else ()), fleet=FRIDGE_UNITS)
    made = run_of(kind(), tmp_path, "write").requests(str(setting_group(keys.TEMPERATURE_UNIT)))
    assert any(line["key"] == keys.FREEZER_DOOR for line in made) is not refuses
