"""A fleet in a file: its rows, its templates, and mistakes in them."""

from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK, POWER_STATE
from conformance.cases import CATALOG
from conformance.profiles.fields import ProfileError
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile, load_profile

PROFILE = """
[target]
name = "hub"
base_url = "https://staging.example"
[fleet]
file = "{file}"
[[template]]
name = "fridge"
kind = "Refrigerator"
supports = ["Vendor.Common.Setting.PowerState"]
power_states = ["On"]
"""
CSV = """ha_id,kind,template,supports,unattended,samples
f-1,,fridge,,true,
o-1,Oven,,Vendor.Common.Setting.PowerState Vendor.Common.Status.*,,"{""map_name"": [""a""]}"
0042,Refrigerator,fridge,"[""Vendor.Common.Setting.ChildLock""]",,
"""
NDJSON = """{"ha_id": "f-1", "template": "fridge", "unattended": true}

{"ha_id": "o-1", "kind": "Oven"}
"""


def fleet_of(directory: Path, rows: str, file: str = "fleet.csv", more: str = "") -> Profile:
    """The profile with a fleet file of these rows."""
    (directory / file).write_text(rows, encoding="utf-8")
    (directory / "hub.toml").write_text(PROFILE.format(file=file) + more, encoding="utf-8")
    return load_profile(directory / "hub.toml", CATALOG, {})


def mistakes_in(directory: Path, rows: str, file: str = "fleet.csv", more: str = "") -> list[str]:
    """The mistakes of such a profile."""
    with pytest.raises(ProfileError) as caught:
        fleet_of(directory, rows, file, more)
    return [str(problem) for problem in caught.value.problems]


def test_row_is_completed_by_its_template(tmp_path: Path) -> None:
    """What a row does not say its template says; what it says itself counts.

    A list is words with blanks between them, or JSON like any other field; an empty cell says nothing.
    """
    first, oven, third = fleet_of(tmp_path, CSV).appliance
    assert (first.kind, first.supports, first.unattended) == ("Refrigerator", (POWER_STATE,), True)
    assert (third.ha_id, third.supports, third.power_states) == ("0042", (CHILD_LOCK,), ("On",))
    assert oven.supports == ("Vendor.Common.Setting.PowerState", "Vendor.Common.Status.*")
    assert (oven.samples.map_name, oven.power_states) == (("a",), None)


def test_rows_may_be_json(tmp_path: Path) -> None:
    """A file that is not called .csv holds an object in each line; tables of the profile come before them."""
    more = '[[appliance]]\nha_id = "first"\ntemplate = "fridge"\n'
    found = fleet_of(tmp_path, NDJSON, "fleet.ndjson", more=more).appliance
    assert [one.ha_id for one in found] == ["first", "f-1", "o-1"]
    assert found[0].kind == "Refrigerator"


def test_whole_profile_is_written_down(tmp_path: Path) -> None:
    """What a ledger keeps of the profile needs no other file: it has every appliance, and gives it again."""
    profile = fleet_of(tmp_path, CSV)
    assert build_profile(dump_profile(profile), CATALOG) == profile
    assert profile.fleet is None


@pytest.mark.parametrize(
    ("rows", "mistake"),
    [
        ("ha_id,kind\na,Oven\na,Oven\n", "fleet.csv:3.ha_id: 'a' stands already at fleet.csv:2"),
        ("ha_id,kind\na,oven\n", "fleet.csv:2.kind: 'oven' is none of CoffeeMaker, "),
        (
            "ha_id,kind,suports\na,Oven,x\n",
            "fleet.csv:1: no such field: 'suports' (did you mean 'supports'?)",
        ),
        ("ha_id,template\na,fridg\n", "fleet.csv:2.template: there is no template 'fridg' (did you mean 'f"),
        ("ha_id,kind\na,Oven,b\n", "fleet.csv:2: has 3 cells, and the first line 2"),
        ("ha_id,kind\na,Oven\n,Hood\n", "fleet.csv:3.ha_id: is missing"),
        ("ha_id,kind,online\na,Oven,perhaps\n", "fleet.csv:2.online: must be true or false, not a text"),
        ('ha_id,kind\n"a,Oven\n', "fleet.csv:2: is not CSV: unexpected end of data"),
        ("ha_id,ha_id\na,b\n", "fleet.csv:1: names a field twice"),
        ("", "fleet.file: "),
        ('{"ha_id": "a", "kind": "Oven"}\n{"ha_id"\n', "fleet.ndjson:2: is no JSON object: Expecting"),
        ("[]\n", "fleet.ndjson:1: is no JSON object"),
        (
            '{"ha_id": "a", "kind": "Oven", "lack": []}\n',
            "fleet.ndjson:1.lack: no such field (did you mean 'lacks'?)",
        ),
    ],
)
def test_mistake_names_file_and_line(rows: str, mistake: str, tmp_path: Path) -> None:
    """Whoever has thousands of rows, of CSV or JSON, is told which one is wrong."""
    file = "fleet.ndjson" if "ndjson" in mistake else "fleet.csv"
    assert any(told.startswith(mistake) for told in mistakes_in(tmp_path, rows, file))


@pytest.mark.parametrize(
    ("table", "mistake"),
    [
        ('name = "x"\nsuports = []', "template[1].suports: no such field (did you mean 'supports'?)"),
        ('name = "x"\nha_id = "a"', "template[1].ha_id: stands in the row of each appliance"),
        (
            'name = "x"\nkind = "Oven"\nsupports = ["Vendor.Common.Setting.PowerStat"]',
            "template[1].supports[0]: ",
        ),
        ('kind = "Oven"', "template[1].name: is missing"),
        ('name = "x"\nonline = "perhaps"', "template[1].online: must be true or false, not a text"),
    ],
)
def test_mistake_in_a_template_is_told_once(table: str, mistake: str, tmp_path: Path) -> None:
    """Not once for each appliance that follows it."""
    rows = "ha_id,template,kind\n" + "".join(f"a{n},x,Oven\n" for n in range(5))
    (told,) = (
        one
        for one in mistakes_in(tmp_path, rows, more=f"[[template]]\n{table}\n")
        if "there is no" not in one
    )
    assert told.startswith(mistake)


def test_fleet_of_ten_thousand_is_read(tmp_path: Path) -> None:
    """Appliances of one make are checked once."""
    rows = "ha_id,kind,supports\n" + "".join(
        f"a{n},{('Oven', 'Hood')[n % 2]},Vendor.Common.*\n" for n in range(10_000)
    )
    assert len(fleet_of(tmp_path, rows).appliance) == 10_000
