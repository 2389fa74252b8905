"""The catalog holds what the document says: counts, kinds, clauses, what is easily written otherwise; and
no row of its data contradicts another one.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from catalog import keys
from catalog.loader import CATALOG, rows_in
from catalog.model import Clause, Gap, Segment
from conformance.reference.service import Service

ENTRIES = CATALOG.entries.values()
GOLDEN_CLAUSES = (
    (Path(__file__).parents[1] / "golden" / "clauses.txt").read_text(encoding="utf-8").splitlines()
)
DOORS = ("Vendor.Common.EnumType.DoorState.Open", "Vendor.Common.EnumType.DoorState.Closed")


def test_counts_are_those_of_the_document() -> None:
    """Whoever counts the rows of its tables by their types, ranges, values, kinds and gaps finds as many."""
    numbers = [entry for entry in ENTRIES if entry.is_numeric]
    own = [entry.key for entry in ENTRIES if entry.own_range]
    assert {
        "settings, statuses": (len(CATALOG.settings), len(CATALOG.statuses)),
        "types": Counter(entry.type for entry in ENTRIES),
        "ranges": Counter("common" if one.range else "own" if one.own_range else "none" for one in numbers),
        "own ranges": [sum(word in key for key in own) for word in ("SetpointTemperature", "Dosing")],
        "families": len(CATALOG.enumerations),
        "values": sum(len(known.values) for known in CATALOG.enumerations.values()),
        "keys and values": sum(len(entry.values or ()) for entry in ENTRIES),
        "contested": [entry.key.rpartition(".")[2] for entry in ENTRIES if entry.contested],
        "moves of power": [edge.write == edge.target for edge in CATALOG.power_edges],
        "kinds": Counter(kind for entry in ENTRIES for kind in entry.kinds),
        "certainties": Counter(pair.certainty for pair in CATALOG.pairs),
        "gaps": Counter(gap.id.partition("-")[0] for gap in CATALOG.gaps),
        "counters": Counter(entry.unit for entry in CATALOG.statuses if "BeverageCounter" in entry.key),
    } == {
        "settings, statuses": (49, 33),
        "types": {"Boolean": 22, "Double": 14, "Enumeration": 27, "Float": 1, "Integer": 14, "String": 4},
        "ranges": {"common": 7, "own": 11, "none": 11},
        "own ranges": [9, 2],
        "families": 13,
        "values": 146,
        "keys and values": 178,
        "contested": ["BatteryLevel", "DustBoxInserted", "Lost", "Lifted"],
        "moves of power": [True] * 5,
        "kinds": {"CoffeeMaker": 28, "Refrigerator": 57, "Hood": 22, "Washer": 20}
        | {"CleaningRobot": 26, "Oven": 19},
        "certainties": {"stated": 100, "stated-narrowed": 20, "stated-conditional": 6}
        | {"family": 4, "prefix": 42, "unknown": 2},
        "gaps": {"NS": 27, "GAP": 29},
        "counters": {"cups": 8, "ml": 1},
    }


def test_common_ranges() -> None:
    """The seven common ranges are those of the table of limits."""
    limits = {
        key.rpartition("Common.")[2]: (entry.range.min, entry.range.max, entry.unit)
        for key, entry in CATALOG.entries.items()
        if entry.range
    }
    assert limits == {
        "Setting.AlarmClock": (0, 38340, "seconds"),
        "Setting.Light.External.Brightness": (0, 100, "%"),
        "Setting.Light.Internal.Brightness": (0, 100, "%"),
        "Setting.LightingBrightness": (10, 100, "%"),
        "Cooking.Hood.Setting.ColorTemperaturePercent": (0, 100, "%"),
        "Setting.AmbientLightBrightness": (10, 100, "%"),
        "Status.BatteryLevel": (0, 100, "%"),
    }


def test_rules_name_every_setpoint() -> None:
    """Both super modes keep all nine setpoints."""
    setpoints = {entry.key for entry in ENTRIES if "SetpointTemperature" in entry.key}
    kept = [set(rule.subjects) for rule in CATALOG.rules if "SuperMode" in rule.controller]
    assert kept == [setpoints, setpoints]


def test_clauses_are_the_golden_ones() -> None:
    """Each clause has the line of its sentence, its basis, its level, and can fail or not, as the golden list
    says.
    """
    assert [
        f"{one.id} {one.line} {one.basis} {one.level} {'fails' if one.can_fail else 'is noted'}"
        for one in CATALOG.clauses.values()
    ] == GOLDEN_CLAUSES


def test_every_key_has_one_constant() -> None:
    """`catalog.keys` names each of the 82 keys once, and beside them only values of enumerations."""
    constants = [text for name, text in vars(keys).items() if name.isupper() and isinstance(text, str)]
    values = {value.key for family in CATALOG.enumerations.values() for value in family.values}
    assert len(constants) == len(set(constants))
    assert set(constants) - values - CATALOG.enumerations.keys() == CATALOG.entries.keys()


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        ("Vendor.Common.EnumType.LiquidVolumeUnit", "FluidOunces MilliLiter"),
        ("Vendor.Common.EnumType.PowerState", "Off On Standby"),
        ("Cooking.Hood.EnumType.ColorTemperature", "custom warm warmToNeutral neutral neutralToCold cold"),
        ("Refrigeration.Common.EnumType.Door.AssistantForce", "LowForce MiddleForce HighForce"),
        (
            "Vendor.Common.EnumType.Video.CameraState",
            "Disabled Sleeping Ready StreamingLocal StreamingCloud StreamingLocalAndCloud Error",
        ),
        (
            "Vendor.Common.EnumType.OperationState",
            "Inactive Ready DelayedStart Run Pause ActionRequired Finished Error Aborting",
        ),
        (
            "Vendor.Common.EnumType.AmbientLightColor",
            " ".join(["CustomColor", *(f"Color{number}" for number in range(1, 100))]),
        ),
    ],
)
def test_values_are_spelled_as_in_the_document(family: str, expected: str) -> None:
    """The values of a family keep the document's capitals and its order."""
    assert [value.name for value in CATALOG.enumerations[family].values] == expected.split()


def test_keys_that_have_not_the_values_of_their_likes() -> None:
    """Eleven doors know Open and Closed only, DoorState knows Locked too; LastSelectedMap has the values of
    CurrentMap under the family AvailableMaps, and hot water alone is counted in millilitres. The hints of the
    two SabbathMode keys stand beside them.
    """
    doors = [entry for entry in CATALOG.statuses if entry.key.startswith("Refrigeration.Common.Status.Door.")]
    assert [entry.values for entry in doors] == [DOORS] * 11
    assert CATALOG.entries[keys.DOOR_STATE].values == (*DOORS, "Vendor.Common.EnumType.DoorState.Locked")
    last, current = CATALOG.entries[keys.LAST_MAP], CATALOG.entries[keys.CURRENT_MAP]
    assert (last.family, last.values) == (keys.MAP_FAMILY, current.values)
    assert CATALOG.entries[keys.HOT_WATER].unit == "ml"
    hints = {entry.key: entry.hint for entry in CATALOG.settings if entry.hint}
    assert hints == {keys.OVEN_SABBATH: "ovens", keys.FRIDGE_SABBATH: "cooling appliances"}


@pytest.mark.parametrize(
    ("file", "table", "form", "told"),
    [
        (
            "gaps",
            "gap",
            Clause,
            r"catalog/data/gaps\.toml, \[\[gap\]\]: .*unknown field `line` - at `\$\[0\]`",
        ),
        ("gaps", "gaps", Gap, r"catalog/data/gaps\.toml, \[\[gaps\]\]: Expected `array`"),
    ],
)
def test_row_of_another_form_is_refused(file: str, table: str, form: type[Struct], told: str) -> None:
    """It is named by its file, its table and its number in it, with what is wrong."""
    with pytest.raises(ValueError, match=told):
        rows_in(file, table, form)


# What the rows of the data files must not do, each with those that do: there is none.
RAW: dict[str, dict[str, list[dict[str, Any]]]] = {
    Path(file.name).stem: tomllib.loads(file.read_text(encoding="utf-8"))
    for file in (files("catalog") / "data").iterdir()
}
TABLES = """clauses.clause enumerations.enumeration gaps.gap kinds.kind kinds.prefix kinds.exception
power.edge rules.rule settings.row statuses.row"""
ROWS = [row for file in ("settings", "statuses") for row in RAW[file]["row"]]
PREFIXES, EXCEPTIONS = RAW["kinds"]["prefix"], RAW["kinds"]["exception"]
THIRD = {"settings": "Setting", "status": "Status"}
FAMILIES = {name: [value.key for value in known.values] for name, known in CATALOG.enumerations.items()}
STATES = FAMILIES[keys.POWER_FAMILY]
ANSWER = re.compile(
    "(target|auth|answer|write|list|events|http|pace|timing|paths|power|interpretation|appliance)"
    r"(\.[A-Za-z0-9_-]+)*|observation|interpretation I-\d+|out of scope"
)


def alike() -> list[frozenset[str]]:
    """The pairs of clauses that judge one fact, or one answer."""
    clauses = CATALOG.clauses.values()
    return [frozenset({one.id, other}) for one in clauses for other in (*one.same_fact, *one.same_answer)]


def values_of(key: str) -> Collection[object]:
    """What a setting by which a rule holds may be."""
    entry = CATALOG.entries.get(key)
    return () if entry is None else (True, False) if entry.type == "Boolean" else entry.values or ()


NAMES: dict[str, Iterable[Hashable]] = {
    "key": [key for row in ROWS for key in row["keys"]],
    "family": [row["family"] for row in RAW["enumerations"]["enumeration"]],
    "value": [value for family in FAMILIES.values() for value in family],
    "kind": [kind.name for kind in CATALOG.kinds],
    "prefix": [row["prefix"] for row in PREFIXES],
    "exception": [(key, kind) for row in EXCEPTIONS for key in row["keys"] for kind in row["kinds"]],
    "move of power": [(edge.source, edge.write) for edge in CATALOG.power_edges],
    "rule": [rule.id for rule in CATALOG.rules],
    "clause": [row["id"] for row in RAW["clauses"]["clause"]],
    "pair of clauses": alike(),
    "gap": [gap.id for gap in CATALOG.gaps],
}
OFFENDERS: dict[str, Iterable[object]] = {
    "is an unknown table": {f"{file}.{table}" for file in RAW for table in RAW[file]} - set(TABLES.split()),
    "is a key of another table": [
        one.key for one in ENTRIES if one.key.split(".")[2:3] != [THIRD[one.segment]]
    ],
    "has no values of its family": [
        one.key
        for one in ENTRIES
        if (one.type == "Enumeration") != bool(one.family)
        or not set(one.values or ()) <= set(FAMILIES.get(one.family or "", ()))
        or bool(one.family) != bool(one.values)
    ],
    "is a value of another family": [
        value for name, values in FAMILIES.items() for value in values if value.rpartition(".")[0] != name
    ],
    "has a range that it cannot have": [
        one.key
        for one in ENTRIES
        if (bool(one.range) + one.own_range > one.is_numeric)
        or (one.examples and not one.own_range)
        or any(limits.min > limits.max for limits in (*filter(None, [one.range]), *one.examples))
    ],
    "is a setting, and contested": [one.key for one in CATALOG.settings if one.contested],
    "has a unit or a hint for another key": [
        row["keys"] for row in ROWS if not {*row.get("units", ()), *row.get("hints", ())} <= set(row["keys"])
    ],
    "moves between unknown states": [
        one for one in CATALOG.power_edges if not {one.source, one.write, one.target} <= set(STATES)
    ],
    "is a rule of unknown keys or values": [
        rule.id
        for rule in CATALOG.rules
        if not {rule.controller, *rule.subjects} <= CATALOG.entries.keys()
        or not set(rule.values) <= set(values_of(rule.controller))
    ],
    "keeps something without a clause, or has one and keeps nothing": [
        rule.id for rule in CATALOG.rules if (rule.effect == "keeps") != (rule.clause in CATALOG.clauses)
    ],
    "is tried on no kind, or on an unknown one": [
        *(key for key in CATALOG.entries if not any(pair.key == key for pair in CATALOG.pairs)),
        *(row for row in (*PREFIXES, *EXCEPTIONS) if not all(map(CATALOG.names_kind, row["kinds"]))),
    ],
    "is a prefix or an exception of no key": [
        *(pair.key for pair in CATALOG.pairs if pair.key not in CATALOG.entries),
        *(row for row in PREFIXES if not any(key.startswith(row["prefix"]) for key in CATALOG.entries)),
    ],
    "can fail, and must not": [
        one.id
        for one in CATALOG.clauses.values()
        if one.can_fail and (one.basis == "open" or one.excluded or not one.remedy)
    ],
    "has a remedy, and cannot fail": [
        one.id for one in CATALOG.clauses.values() if one.remedy and not one.can_fail
    ],
    "is paired with itself, or with what cannot fail": [
        pair
        for pair in alike()
        if len(pair) == 1 or not all(one in CATALOG.clauses and CATALOG.clauses[one].can_fail for one in pair)
    ],
    "is answered by nothing known": [
        gap.id for gap in CATALOG.gaps if not all(map(ANSWER.fullmatch, gap.answered_by.split(", ")))
    ],
}


@pytest.mark.parametrize("what", NAMES)
def test_each_name_stands_once(what: str) -> None:
    """No row has the name of another one."""
    assert [name for name, times in Counter(NAMES[what]).items() if times > 1] == []


@pytest.mark.parametrize("offence", OFFENDERS)
def test_no_row_contradicts_others(offence: str) -> None:
    """Each row of the data files fits what it names and what names it."""
    assert list(OFFENDERS[offence]) == []


# The appliances of the reference serve the whole catalog and start within its rules.
CONTESTED = [entry.key for entry in CATALOG.statuses if entry.contested]


def test_every_key_of_the_catalog_is_served_by_some_appliance() -> None:
    """No key is left without an appliance that shows it."""
    served = {key for spec in Service.fleet for key in spec.values}
    assert served == set(CATALOG.entries)


def test_fleet_has_every_kind_and_every_set_of_power_states() -> None:
    """All six kinds are there, and one more; three states, either pair, On alone, and none at all occur."""
    assert {spec.kind for spec in Service.fleet} == {kind.name for kind in CATALOG.kinds} | {"Dishwasher"}
    states = {"On Off Standby", "On Off", "On Standby", "On", ""}
    assert {" ".join(spec.power_states) for spec in Service.fleet} == states
    assert len({spec.ha_id for spec in Service.fleet}) == len(Service.fleet)


@pytest.mark.parametrize("segments", [("status",), ("settings",), ("status", "settings")])
def test_contested_statuses_are_served_in_each_way(segments: tuple[Segment, ...]) -> None:
    """One robot serves all four under status, one under settings, one under both."""
    assert any(spec.contested == segments and set(CONTESTED) <= set(spec.values) for spec in Service.fleet)
