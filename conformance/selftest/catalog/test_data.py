"""The catalog holds what the document says: counts, kinds, clauses, what is easily written otherwise; and
data that breaks an invariant is refused.
"""

import re
import shutil
from collections import Counter
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from catalog import keys
from catalog.exports import plain_document
from catalog.loader import CatalogError, load_catalog

CATALOG = load_catalog()
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


# The loader refuses data that breaks an invariant, and says where and why.
@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the data files, to be broken."""
    with as_file(files("catalog") / "data") as source:
        shutil.copytree(source, tmp_path / "data")
    return tmp_path / "data"


def edit(data: Path, file: str, old: str, new: str) -> None:
    """Replace the first place of a text in a file; a text that is not there fails the test."""
    text = (data / file).read_text(encoding="utf-8")
    assert old in text, f"{old!r} is not in {file}"
    (data / file).write_text(text.replace(old, new, 1), encoding="utf-8")


def row_with(path: Path, text: str) -> str:
    """The row that the first place of a text is in, as a problem names it: `[[clause]] 3`."""
    headers = re.findall(r"^\[\[\w+\]\]", path.read_text(encoding="utf-8").partition(text)[0], re.MULTILINE)
    return f"{headers[-1]} {headers.count(headers[-1])}" if headers else ""


def problems_of(data: Path) -> tuple[str, ...]:
    """What the loader finds wrong with the copy."""
    with pytest.raises(CatalogError) as caught:
        load_catalog(data)
    assert all(problem in str(caught.value) for problem in caught.value.problems)
    return caught.value.problems


def test_an_untouched_copy_loads(data: Path) -> None:
    """It gives the same catalog as the package's own, which is read once."""
    assert plain_document(load_catalog(data)) == plain_document(load_catalog())
    assert load_catalog() is load_catalog()


# A row takes one line or two; the formatter would make six of it.
# fmt: off
BREAKAGES: dict[str, dict[str, tuple[str, str, str, str]]] = {
    "settings.toml": {
        "duplicate key": ("Setting.SetpointTemperatureFreezer", "Setting.SetpointTemperatureRefrigerator",
            "key", "stands twice"),
        "key listed twice in a row": ("Setting.NameOfMap2", "Setting.NameOfMap1", "", "twice"),
        "a status among settings": ("Vendor.Common.Setting.ChildLock", "Vendor.Common.Status.ChildLock",
            "the third segment", "is not Setting"),
        "unknown family": ('family = "Cooking.Hood.EnumType.ColorTemperature"',
            'family = "Cooking.Hood.EnumType.Color"', "", "unknown family"),
        "enumeration without family": ('family = "Cooking.Hood.EnumType.ColorTemperature"\n', "",
            "", "unknown family"),
        "family beside another type": ('type = "Boolean"',
            'type = "Boolean"\nfamily = "Vendor.Common.EnumType.PowerState"', "",
            "beside the type Boolean"),
        "min above max": ("min = 0, max = 38340", "min = 38341, max = 38340", "", "than max"),
        "range of a text": ('type = "String"', 'type = "String"\nown_range = true', "",
            "beside the type String"),
        "two ranges": ("min = 0, max = 38340 }", "min = 0, max = 38340 }\nown_range = true", "",
            "beside own_range"),
        "examples of a common range": ("own_range = true\n", "", "", "where there is no own_range"),
        "unknown type": ('type = "Integer"', 'type = "Int"', "", "enum value 'Int'"),
        "contested setting": ('type = "Integer"', 'type = "Integer"\ncontested = true', "",
            "only a status"),
        "hint for another key": ('"Cooking.Oven.Setting.SabbathMode" = ', '"Cooking.Oven.Setting.Sabbath" = ',
            "", "does not list"),
        "line zero": ("line = 37", "line = 0", "", ">= 1 - at `$.line`"),
        "unknown field": ("own_range = true", "own_ranges = true", "",
            "unknown field 'own_ranges'"),
        "missing notes": ('notes = "Child lock state"', "", "", "required field `notes`"),
    },
    "statuses.toml": {
        "a setting among statuses": ("Common.Status.Door.Freezer", "Common.Setting.Door.Freezer",
            "the third segment", "is not Status"),
        "value outside its family": ('"Vendor.Common.EnumType.DoorState.Closed"]',
            '"Vendor.Common.EnumType.DoorState.Ajar"]', "value", "is not of the family"),
    },
    "enumerations.toml": {
        "enumeration without values": ("values = [", "values = []\nothers = [", "",
            "of length >= 1 - at `$.values`"),
        "value under another family": ("PowerState.Off", "PowerStates.Off",
            "value", "is not of the family"),
        "value twice": ("TemperatureUnit.Celsius", "TemperatureUnit.Fahrenheit", "value",
            "stands twice"),
        "numbers run backwards": ("from = 1,", "from = 100,", "", "is greater than to"),
        "no place for the number": ("Color{n}", "Color", "", "numbered.key"),
    },
    "power.toml": {
        "unknown table": ("\n[[edge]]", "\n[[edges]]", "power.toml", "unknown table 'edges'"),
        "unknown power state": ('write = "Vendor.Common.EnumType.PowerState.On"',
            'write = "Vendor.Common.EnumType.PowerState.Eco"', "", "unknown state"),
        "power edge twice": ('write = "Vendor.Common.EnumType.PowerState.Standby"',
            'write = "Vendor.Common.EnumType.PowerState.Off"', "", "stands twice"),
    },
    "rules.toml": {
        "no TOML": ("[[rule]]", "[[rule", "rules.toml", "cannot be read"),
        "rule with an unknown key": ("Setting.AmbientLightBrightness", "Setting.AmbientBrightness",
            "", "unknown key"),
        "rule with an unknown value": ("ColorTemperature.custom", "ColorTemperature.Custom", "",
            "has no value"),
        "rule twice": ('id = "super-freezer"', 'id = "super-refrigerator"', "", "stands twice"),
    },
    "kinds.toml": {
        "unknown kind": ('kinds = ["Washer"]', 'kinds = ["Dryer"]', "", "unknown kind Dryer"),
        "pair of an unknown key": ("Status.Video.CameraState", "Status.Video.Camera", "",
            "unknown key Vendor.Common.Status.Video.Camera"),
        "pair excepted twice": ("Robot.Status.Lifted", "Robot.Setting.CurrentMap", "",
            "has an exception already"),
        "prefix of no key": ('prefix = "LaundryCare.Washer."', 'prefix = "LaundryCare.Dryer."',
            "", "no key begins with"),
        "key without prefix": ('prefix = "LaundryCare.Washer."', 'prefix = "LaundryCare.Dryer."',
            "kinds.toml", "covers the key LaundryCare.Washer.Setting.Dosing1BaseLevel"),
    },
    "clauses.toml": {
        "clause twice": ('id = "ADDR-HAID"', 'id = "ADDR-BASE"', "clause ADDR-BASE",
            "stands twice"),
        "clause without lines": ("lines = [181]", "lines = []", "", "`$.lines`"),
        "open clause that fails": ('basis = "open"\nlevel = "read"\ncan_fail = false',
            'basis = "open"\nlevel = "read"\ncan_fail = true', "clause ADDR-OTHERSEG",
            "leaves it open"),
        "excluded clause that fails": ("can_fail = false\nexcluded", "can_fail = true\nexcluded",
            "clause CAT-ICS", "is excluded"),
        "clause without a remedy": ('remedy = "Mount', '#remedy = "Mount', "clause ADDR-BASE",
            "has a remedy if it can fail"),
        "long quote": ('quote = "Base address', f'quote = "{"x" * 400}', "", "of length <= 400"),
    },
    "gaps.toml": {
        "gap answered by nothing known": ('"write.method"', '"body.method"', "answered_by",
            "no field of a profile"),
    },
}
# fmt: on
CASES = [(file, name) for file, rows in BREAKAGES.items() for name in rows]


@pytest.mark.parametrize(("file", "name"), CASES)
def test_breakage_is_refused(data: Path, file: str, name: str) -> None:
    """Each kind of breakage is refused with its file, its row and the reason."""
    old, new, what, why = BREAKAGES[file][name]
    row = row_with(data / file, old)
    edit(data, file, old, new)
    found = problems_of(data)
    place = file if what == file else f"{row}: {what}"
    assert any(each.startswith(file) and place in each and why in each for each in found), "\n".join(found)


def test_all_problems_are_named_at_once(data: Path) -> None:
    """Three mistakes in three files are found by one load, each in the message."""
    edit(data, "settings.toml", "line = 37", "line = 0")
    edit(data, "clauses.toml", 'id = "ADDR-BASE"', 'id = "x"')
    (data / "gaps.toml").unlink()
    found = problems_of(data)
    assert {problem.partition(":")[0] for problem in found} == {"settings.toml", "clauses.toml", "gaps.toml"}
