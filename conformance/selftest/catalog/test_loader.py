"""The loader refuses data that breaks an invariant, and says where and why."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, NamedTuple

import pytest

from catalog.exports import plain_document
from catalog.loader import CatalogError, load_catalog

if TYPE_CHECKING:
    from pathlib import Path


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


def problems_of(data: Path) -> tuple[str, ...]:
    """What the loader finds wrong with the copy."""
    with pytest.raises(CatalogError) as caught:
        load_catalog(data)
    return caught.value.problems


def test_an_untouched_copy_loads(data: Path) -> None:
    """A copy of the data gives the same catalog as the package's own."""
    assert plain_document(load_catalog(data)) == plain_document(load_catalog())


def test_the_package_data_is_read_once() -> None:
    """Without a directory every caller gets the same catalog."""
    assert load_catalog() is load_catalog()


class Breakage(NamedTuple):
    """One edit of one file, and what the problem it makes must say."""

    file: str
    old: str
    new: str
    where: str
    why: str


BREAKAGES = {
    "duplicate key": Breakage(
        "settings.toml",
        "Setting.SetpointTemperatureFreezer",
        "Setting.SetpointTemperatureRefrigerator",
        "[[row]] 8: key",
        "stands twice",
    ),
    "key listed twice in a row": Breakage(
        "settings.toml", "Setting.NameOfMap2", "Setting.NameOfMap1", "[[row]] 24:", "twice"
    ),
    "a status among settings": Breakage(
        "settings.toml",
        "Vendor.Common.Setting.ChildLock",
        "Vendor.Common.Status.ChildLock",
        "[[row]] 4: the third segment",
        "is not Setting",
    ),
    "a setting among statuses": Breakage(
        "statuses.toml",
        "Common.Status.Door.Freezer",
        "Common.Setting.Door.Freezer",
        "[[row]] 9: the third segment",
        "is not Status",
    ),
    "unknown family": Breakage(
        "settings.toml",
        'family = "Cooking.Hood.EnumType.ColorTemperature"',
        'family = "Cooking.Hood.EnumType.Color"',
        "[[row]] 30:",
        "unknown family",
    ),
    "enumeration without family": Breakage(
        "settings.toml",
        'family = "Cooking.Hood.EnumType.ColorTemperature"\n',
        "",
        "[[row]] 30:",
        "unknown family",
    ),
    "family beside another type": Breakage(
        "settings.toml",
        'type = "Boolean"',
        'type = "Boolean"\nfamily = "Vendor.Common.EnumType.PowerState"',
        "[[row]] 4:",
        "beside the type Boolean",
    ),
    "value outside its family": Breakage(
        "statuses.toml",
        '"Vendor.Common.EnumType.DoorState.Closed"]',
        '"Vendor.Common.EnumType.DoorState.Ajar"]',
        "[[row]] 6: value",
        "is not of the family",
    ),
    "min above max": Breakage(
        "settings.toml",
        "min = 0, max = 38340",
        "min = 38341, max = 38340",
        "[[row]] 5, range:",
        "is greater than max",
    ),
    "range of a text": Breakage(
        "settings.toml",
        'type = "String"',
        'type = "String"\nown_range = true',
        "[[row]] 24:",
        "beside the type String",
    ),
    "two ranges": Breakage(
        "settings.toml",
        "min = 0, max = 38340 }",
        "min = 0, max = 38340 }\nown_range = true",
        "[[row]] 5:",
        "beside own_range",
    ),
    "examples of a common range": Breakage(
        "settings.toml", "own_range = true\n", "", "[[row]] 7:", "where there is no own_range"
    ),
    "unknown type": Breakage(
        "settings.toml", 'type = "Integer"', 'type = "Int"', "[[row]] 5: type", "must be one of"
    ),
    "contested setting": Breakage(
        "settings.toml",
        'type = "Integer"',
        'type = "Integer"\ncontested = true',
        "[[row]] 5:",
        "only a status",
    ),
    "hint for another key": Breakage(
        "settings.toml",
        '"Cooking.Oven.Setting.SabbathMode" = ',
        '"Cooking.Oven.Setting.Sabbath" = ',
        "[[row]] 15:",
        "does not list",
    ),
    "line zero": Breakage("settings.toml", "line = 37", "line = 0", "[[row]] 1: line", "must name lines"),
    "negative line": Breakage(
        "enumerations.toml", "line = 78", "line = -78", "values 1: line", "must name lines"
    ),
    "line beyond the document": Breakage(
        "statuses.toml", "line = 88", "line = 182", "[[row]] 1: line", "must name lines"
    ),
    "unknown field": Breakage(
        "settings.toml", "own_range = true", "own_ranges = true", "[[row]] 7:", "unknown field 'own_ranges'"
    ),
    "field of a wrong type": Breakage(
        "settings.toml",
        "own_range = true",
        'own_range = "yes"',
        "[[row]] 7: own_range",
        "must be true or false",
    ),
    "missing notes": Breakage(
        "settings.toml", 'notes = "Child lock state"', "", "[[row]] 4: notes", "must be a text"
    ),
    "unknown table": Breakage(
        "power.toml", "\n[[edge]]", "\n[[edges]]", "power.toml:", "unknown table 'edges'"
    ),
    "no TOML": Breakage("rules.toml", "[[rule]]", "[[rule", "rules.toml:", "cannot be read"),
    "enumeration without values": Breakage(
        "enumerations.toml",
        "values = [",
        "values = []\nothers = [",
        "[[enumeration]] 1: values",
        "something in it",
    ),
    "value under another family": Breakage(
        "enumerations.toml",
        "PowerState.Off",
        "PowerStates.Off",
        "[[enumeration]] 1, values 1: value",
        "is not of the family",
    ),
    "value twice": Breakage(
        "enumerations.toml",
        "TemperatureUnit.Celsius",
        "TemperatureUnit.Fahrenheit",
        "[[enumeration]] 2: value",
        "stands twice",
    ),
    "family twice": Breakage(
        "enumerations.toml",
        'family = "Vendor.Common.EnumType.DoorState"',
        'family = "Vendor.Common.EnumType.PowerState"',
        "[[enumeration]] 10: family",
        "stands twice",
    ),
    "numbers run backwards": Breakage(
        "enumerations.toml",
        "from = 1,",
        "from = 100,",
        "[[enumeration]] 8, values 2, numbered: from",
        "is greater than to",
    ),
    "no place for the number": Breakage(
        "enumerations.toml", "Color{n}", "Color", "numbered: key", "has no place"
    ),
    "kind twice": Breakage(
        "kinds.toml", 'name = "Oven"', 'name = "Hood"', "[[kind]] 6: kind Hood", "stands twice"
    ),
    "unknown kind": Breakage(
        "kinds.toml", 'kinds = ["Washer"]', 'kinds = ["Dryer"]', "[[prefix]] 9:", "unknown kind Dryer"
    ),
    "unknown kind in an exception": Breakage(
        "kinds.toml",
        'kinds = ["Hood"]\ncertainty = "family"',
        'kinds = ["Hoods"]\ncertainty = "family"',
        "[[exception]] 2:",
        "unknown kind Hoods",
    ),
    "pair of an unknown key": Breakage(
        "kinds.toml",
        "Status.Video.CameraState",
        "Status.Video.Camera",
        "[[exception]] 3:",
        "unknown key Vendor.Common.Status.Video.Camera",
    ),
    "pair excepted twice": Breakage(
        "kinds.toml",
        "Robot.Status.Lifted",
        "Robot.Setting.CurrentMap",
        "[[exception]] 7:",
        "has an exception already",
    ),
    "prefix of no key": Breakage(
        "kinds.toml",
        'prefix = "LaundryCare.Washer."',
        'prefix = "LaundryCare.Dryer."',
        "[[prefix]] 9:",
        "no key begins with",
    ),
    "key without prefix": Breakage(
        "kinds.toml",
        'prefix = "LaundryCare.Washer."',
        'prefix = "LaundryCare.Dryer."',
        "kinds.toml:",
        "covers the key LaundryCare.Washer.Setting.Dosing1BaseLevel",
    ),
    "unknown certainty": Breakage(
        "kinds.toml",
        'certainty = "family"',
        'certainty = "likely"',
        "[[exception]] 2: certainty",
        "must be one of",
    ),
    "unknown power state": Breakage(
        "power.toml",
        'write = "Vendor.Common.EnumType.PowerState.On"',
        'write = "Vendor.Common.EnumType.PowerState.Eco"',
        "[[edge]] 1:",
        "unknown state",
    ),
    "power edge twice": Breakage(
        "power.toml",
        'write = "Vendor.Common.EnumType.PowerState.Standby"',
        'write = "Vendor.Common.EnumType.PowerState.Off"',
        "[[edge]] 3:",
        "stands twice",
    ),
    "rule with an unknown key": Breakage(
        "rules.toml",
        "Setting.AmbientLightBrightness",
        "Setting.AmbientBrightness",
        "[[rule]] 6:",
        "unknown key",
    ),
    "rule with an unknown value": Breakage(
        "rules.toml", "ColorTemperature.custom", "ColorTemperature.Custom", "[[rule]] 5:", "has no value"
    ),
    "rule twice": Breakage(
        "rules.toml", 'id = "super-freezer"', 'id = "super-refrigerator"', "[[rule]] 2:", "stands twice"
    ),
    "malformed clause id": Breakage(
        "clauses.toml", 'id = "ADDR-BASE"', 'id = "Addr-Base"', "[[clause]] 1: id", "is malformed"
    ),
    "clause twice": Breakage(
        "clauses.toml",
        'id = "ADDR-HAID"',
        'id = "ADDR-BASE"',
        "[[clause]] 3: clause ADDR-BASE",
        "stands twice",
    ),
    "unknown level": Breakage(
        "clauses.toml", 'level = "attended"', 'level = "manual"', "[[clause]]", "level must be one of"
    ),
    "clause without lines": Breakage(
        "clauses.toml", "lines = [181]", "lines = []", "[[clause]] 2: lines", "something in it"
    ),
    "open clause that fails": Breakage(
        "clauses.toml",
        'basis = "open"\nlevel = "read"\ncan_fail = false',
        'basis = "open"\nlevel = "read"\ncan_fail = true',
        "[[clause]] 11: clause ADDR-OTHERSEG",
        "leaves it open",
    ),
    "long quote": Breakage(
        "clauses.toml", 'quote = "Base address', f'quote = "{"x" * 200}', "[[clause]] 1: quote", "characters"
    ),
    "malformed gap id": Breakage("gaps.toml", 'id = "NS-01"', 'id = "NS-1"', "[[gap]] 1: id", "is malformed"),
    "gap twice": Breakage(
        "gaps.toml", 'id = "NS-02"', 'id = "NS-01"', "[[gap]] 2: gap NS-01", "stands twice"
    ),
    "gap answered by nothing known": Breakage(
        "gaps.toml", '"write.method"', '"body.method"', "[[gap]] 15: answered_by", "no field of a profile"
    ),
}


@pytest.mark.parametrize("breakage", BREAKAGES.values(), ids=BREAKAGES)
def test_breakage_is_refused(data: Path, breakage: Breakage) -> None:
    """Each kind of breakage is refused with its file, its row and the reason."""
    edit(data, breakage.file, breakage.old, breakage.new)
    found = problems_of(data)
    wanted = [problem for problem in found if breakage.where in problem and breakage.why in problem]
    assert any(problem.startswith(breakage.file) for problem in wanted), "\n".join(found)


def test_all_problems_are_named_at_once(data: Path) -> None:
    """Three mistakes in three files are found by one load, each in the message."""
    edit(data, "settings.toml", "line = 37", "line = 0")
    edit(data, "clauses.toml", 'id = "ADDR-BASE"', 'id = "x"')
    (data / "gaps.toml").unlink()
    found = problems_of(data)
    assert {problem.partition(":")[0] for problem in found} == {"settings.toml", "clauses.toml", "gaps.toml"}


def test_message_shows_every_problem(data: Path) -> None:
    """The text of the error holds all its problems, for whoever only prints it."""
    edit(data, "settings.toml", "line = 37", "line = 0")
    with pytest.raises(CatalogError, match=r"settings\.toml: \[\[row\]\] 1: line must name lines 1 to 181"):
        load_catalog(data)
