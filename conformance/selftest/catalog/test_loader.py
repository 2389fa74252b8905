"""The loader refuses data that breaks an invariant, and says where and why; the maker's name is exchanged."""

import re
import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.exports import plain_document
from catalog.loader import CatalogError, load_catalog
from catalog.maker import maker_of, with_maker, without_maker


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
    """A copy of the data gives the same catalog as the package's own."""
    assert plain_document(load_catalog(data)) == plain_document(load_catalog())


def test_the_package_data_is_read_once() -> None:
    """Without a directory every caller gets the same catalog."""
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
        "field of a wrong type": ("own_range = true", 'own_range = "yes"', "",
            "Expected `bool`, got `str` - at `$.own_range`"),
        "missing notes": ('notes = "Child lock state"', "", "", "required field `notes`"),
    },
    "statuses.toml": {
        "a setting among statuses": ("Common.Status.Door.Freezer", "Common.Setting.Door.Freezer",
            "the third segment", "is not Status"),
        "value outside its family": ('"Vendor.Common.EnumType.DoorState.Closed"]',
            '"Vendor.Common.EnumType.DoorState.Ajar"]', "value", "is not of the family"),
        "line beyond the document": ("line = 88", "line = 182", "", "<= 181 - at `$.line`"),
    },
    "enumerations.toml": {
        "negative line": ("line = 78", "line = -78", "", ">= 1 - at `$.values[0].line`"),
        "enumeration without values": ("values = [", "values = []\nothers = [", "",
            "of length >= 1 - at `$.values`"),
        "value under another family": ("PowerState.Off", "PowerStates.Off",
            "value", "is not of the family"),
        "value twice": ("TemperatureUnit.Celsius", "TemperatureUnit.Fahrenheit", "value",
            "stands twice"),
        "family twice": ('family = "Vendor.Common.EnumType.DoorState"',
            'family = "Vendor.Common.EnumType.PowerState"', "family", "stands twice"),
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
        "no list of tables": ("[[rule]]", "[other]\n[[rule]]", "rules.toml", "cannot be read"),
        "rule with an unknown key": ("Setting.AmbientLightBrightness", "Setting.AmbientBrightness",
            "", "unknown key"),
        "rule with an unknown value": ("ColorTemperature.custom", "ColorTemperature.Custom", "",
            "has no value"),
        "rule twice": ('id = "super-freezer"', 'id = "super-refrigerator"', "", "stands twice"),
    },
    "kinds.toml": {
        "kind twice": ('name = "Oven"', 'name = "Hood"', "kind Hood", "stands twice"),
        "unknown kind": ('kinds = ["Washer"]', 'kinds = ["Dryer"]', "", "unknown kind Dryer"),
        "unknown kind in an exception": ('kinds = ["Hood"]\ncertainty = "family"',
            'kinds = ["Hoods"]\ncertainty = "family"', "", "unknown kind Hoods"),
        "pair of an unknown key": ("Status.Video.CameraState", "Status.Video.Camera", "",
            "unknown key Vendor.Common.Status.Video.Camera"),
        "pair excepted twice": ("Robot.Status.Lifted", "Robot.Setting.CurrentMap", "",
            "has an exception already"),
        "prefix of no key": ('prefix = "LaundryCare.Washer."', 'prefix = "LaundryCare.Dryer."',
            "", "no key begins with"),
        "key without prefix": ('prefix = "LaundryCare.Washer."', 'prefix = "LaundryCare.Dryer."',
            "kinds.toml", "covers the key LaundryCare.Washer.Setting.Dosing1BaseLevel"),
        "unknown certainty": ('certainty = "family"', 'certainty = "likely"', "",
            "enum value 'likely'"),
    },
    "clauses.toml": {
        "malformed clause id": ('id = "ADDR-BASE"', 'id = "Addr-Base"', "", "`$.id`"),
        "clause twice": ('id = "ADDR-HAID"', 'id = "ADDR-BASE"', "clause ADDR-BASE",
            "stands twice"),
        "unknown level": ('level = "attended"', 'level = "manual"', "", "enum value 'manual'"),
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
        "malformed gap id": ('id = "NS-01"', 'id = "NS-1"', "", "`$.id`"),
        "gap twice": ('id = "NS-02"', 'id = "NS-01"', "gap NS-01", "stands twice"),
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


CATALOG = load_catalog()
FIRST_SEGMENTS = {text.partition(".")[0] for text in (*CATALOG.entries, *CATALOG.enumerations)} - {"Vendor"}
SPELLED = [
    *CATALOG.entries,
    *(value.key for known in CATALOG.enumerations.values() for value in known.values),
]
MAKERS = st.text(st.characters(exclude_characters=".", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: name not in FIRST_SEGMENTS
)


@given(st.sampled_from(SPELLED), MAKERS)
def test_every_key_and_value_makes_the_round_trip(text: str, maker: str) -> None:
    """What is spelled for a maker is spelled back exactly."""
    assert without_maker(with_maker(text, maker), maker) == text


@given(st.text(), MAKERS)
def test_only_the_first_segment_changes(text: str, maker: str) -> None:
    """Everything behind the first dot stays as it is."""
    assert with_maker(text, maker).partition(".")[1:] == text.partition(".")[1:]


@given(st.text())
def test_vendor_is_the_identity(text: str) -> None:
    """With the maker Vendor both directions change nothing."""
    assert with_maker(text, "Vendor") == without_maker(text, "Vendor") == text


@pytest.mark.parametrize(
    "text", ["Vendor", "", "VendorX.Common", "vendor.Common", "Cooking.Vendor.Setting", " Vendor.Common"]
)
def test_what_does_not_begin_with_the_segment_stays(text: str) -> None:
    """A text whose first segment is not exactly Vendor, or that has no dot, stays as it is."""
    assert with_maker(text, "Acme") == text


def test_maker_of_a_text() -> None:
    """The maker is the first segment of a dotted text; a text without a dot has none."""
    assert maker_of("Acme.Common.Setting.ChildLock") == "Acme"
    assert maker_of("Acme") is None
