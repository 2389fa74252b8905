"""The catalog holds what the document says: counts, kinds, clauses, and what is easily written otherwise."""

from collections import Counter
from pathlib import Path

import pytest

from catalog import keys
from catalog.loader import load_catalog

CATALOG = load_catalog()
ENTRIES = CATALOG.entries.values()
GOLDEN_CLAUSES = (
    (Path(__file__).parents[1] / "golden" / "clauses.txt").read_text(encoding="utf-8").splitlines()
)


def test_keys_by_table_type_and_range() -> None:
    """There are 49 settings and 33 statuses; the tables give them types and, to numbers, ranges."""
    assert (len(CATALOG.settings), len(CATALOG.statuses), len(CATALOG.entries)) == (49, 33, 82)
    types = {"Boolean": 22, "Double": 14, "Enumeration": 27, "Float": 1, "Integer": 14, "String": 4}
    assert Counter(entry.type for entry in ENTRIES) == types
    numbers = [entry for entry in ENTRIES if entry.is_numeric]
    ranges = Counter("common" if each.range else "own" if each.own_range else "none" for each in numbers)
    assert ranges == {"common": 7, "own": 11, "none": 11}


def test_own_ranges_are_setpoints_and_dosing_levels() -> None:
    """The eleven keys with a range of their own are nine setpoints and two dosing levels."""
    own = [entry.key for entry in ENTRIES if entry.own_range]
    assert sum("SetpointTemperature" in key for key in own) == 9
    assert sum("Dosing" in key for key in own) == 2


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


def test_enumerations() -> None:
    """There are 13 families with 146 values, and 178 combinations of a key and a value."""
    assert len(CATALOG.enumerations) == 13
    assert sum(len(known.values) for known in CATALOG.enumerations.values()) == 146
    assert sum(len(entry.values or ()) for entry in ENTRIES) == 178


def test_four_statuses_are_contested() -> None:
    """Four statuses are asked under both segments, every other key under one."""
    contested = [entry.key.rpartition(".")[2] for entry in ENTRIES if entry.contested]
    assert contested == ["BatteryLevel", "DustBoxInserted", "Lost", "Lifted"]
    assert sum(len(entry.segments) for entry in ENTRIES) == 86


def test_power_table_has_five_rows() -> None:
    """Five moves of the power state are listed, each ending in the written state."""
    assert len(CATALOG.power_edges) == 5
    assert all(edge.write == edge.target for edge in CATALOG.power_edges)


def test_core_pairs() -> None:
    """There are 172 core pairs, and each kind has its share of them."""
    core = Counter(kind for entry in ENTRIES for kind in entry.kinds)
    kinds = {"CoffeeMaker": 28, "Refrigerator": 57, "Hood": 22, "Washer": 20, "CleaningRobot": 26, "Oven": 19}
    assert (core, core.total()) == (kinds, 172)


def test_certainties_of_pairs() -> None:
    """The pairs are as certain as the document makes them, and two are unknown."""
    assert Counter(pair.certainty for pair in CATALOG.pairs) == {
        "stated": 100,
        "stated-narrowed": 20,
        "stated-conditional": 6,
        "family": 4,
        "prefix": 42,
        "unknown": 2,
    }


def test_rules_name_every_setpoint() -> None:
    """Both super modes keep all nine setpoints."""
    setpoints = {entry.key for entry in ENTRIES if "SetpointTemperature" in entry.key}
    kept = [set(rule.subjects) for rule in CATALOG.rules if "SuperMode" in rule.controller]
    assert kept == [setpoints, setpoints]


def test_clauses_are_the_golden_ones() -> None:
    """Each clause has its place, its basis, its level, and can fail or not, as the golden list says."""
    assert [
        f"{clause.id} {clause.basis} {clause.level} {'fails' if clause.can_fail else 'is noted'}"
        for clause in CATALOG.clauses.values()
    ] == GOLDEN_CLAUSES


def test_gaps() -> None:
    """27 gaps are announced by the document and 29 are not."""
    assert Counter(gap.id.partition("-")[0] for gap in CATALOG.gaps) == {"NS": 27, "GAP": 29}


def test_every_key_has_one_constant() -> None:
    """`catalog.keys` names each of the 82 keys once, and beside them only values of enumerations."""
    constants = [text for name, text in vars(keys).items() if name.isupper() and isinstance(text, str)]
    values = {value.key for family in CATALOG.enumerations.values() for value in family.values}
    assert len(constants) == len(set(constants))
    assert set(constants) - values - CATALOG.enumerations.keys() == CATALOG.entries.keys()


def names(family: str) -> list[str]:
    """The short names of a family's values."""
    return [value.name for value in CATALOG.enumerations[family].values]


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
    ],
)
def test_values_are_spelled_as_in_the_document(family: str, expected: str) -> None:
    """The values of a family keep the document's capitals and its order."""
    assert names(family) == expected.split()


def test_colors_run_from_1_to_99() -> None:
    """AmbientLightColor has CustomColor and Color1 to Color99, without 0, 100 or leading zeros."""
    assert names("Vendor.Common.EnumType.AmbientLightColor") == [
        "CustomColor",
        *(f"Color{number}" for number in range(1, 100)),
    ]


def test_refrigeration_doors_have_two_values() -> None:
    """Eleven doors know Open and Closed only, DoorState knows Locked too."""
    doors = [entry for entry in CATALOG.statuses if entry.key.startswith("Refrigeration.Common.Status.Door.")]
    two = ("Vendor.Common.EnumType.DoorState.Open", "Vendor.Common.EnumType.DoorState.Closed")
    assert [entry.values for entry in doors] == [two] * 11
    assert CATALOG.entries["Vendor.Common.Status.DoorState"].values == (
        *two,
        "Vendor.Common.EnumType.DoorState.Locked",
    )


def test_last_selected_map_uses_available_maps() -> None:
    """LastSelectedMap has the four values of CurrentMap, under the family AvailableMaps."""
    last, current = CATALOG.entries[keys.LAST_MAP], CATALOG.entries[keys.CURRENT_MAP]
    assert (last.family, last.values) == (keys.MAP_FAMILY, current.values)


def test_hot_water_is_counted_in_millilitres() -> None:
    """One of the nine counters is in ml, the others count cups."""
    counters = [entry for entry in CATALOG.statuses if "BeverageCounter" in entry.key]
    assert [entry.key for entry in counters if entry.unit == "ml"] == [keys.HOT_WATER]
    assert [entry.unit for entry in counters].count("cups") == 8


def test_hints_are_no_part_of_keys() -> None:
    """The two SabbathMode keys carry their hint beside the key."""
    hints = {entry.key: entry.hint for entry in CATALOG.settings if entry.hint}
    assert hints == {
        "Cooking.Oven.Setting.SabbathMode": "ovens",
        "Refrigeration.Common.Setting.SabbathMode": "cooling appliances",
    }


def test_line_of_a_clause_is_that_of_its_sentence() -> None:
    """A clause that also rests on lines before its sentence names the line of the sentence."""
    named = {
        clause.id: clause.line for clause in CATALOG.clauses.values() if clause.line != min(clause.lines)
    }
    assert named == {
        "ADDR-OTHERSEG": 149,
        "READ-VALUE": 33,
        "TYPE-ENUM": 28,
        "ENUM-DOOR-COOLING": 94,
        "ENUM-SUBSET": 26,
        "RANGE-PERAPP-WELLFORMED": 175,
        "RANGE-PERAPP-VALUE": 29,
        "SET-ENUMGUARD": 28,
        "PWR-ON-OFF": 130,
        "PWR-OFF-STANDBY": 131,
        "SELF-RCSA-24H": 138,
        "PATH-BATTERYLEVEL": 149,
        "PATH-DUSTBOX": 149,
        "PATH-LOST": 149,
        "PATH-LIFTED": 149,
        "PATH-AGREE": 20,
        "PROT-SHAPE": 150,
    }
