"""A profile that there is is completed: what it says stays, and what it does not say is filled in."""

import csv
import json
import tomllib
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.mutants.fleets import HOOD
from conformance.profiles.fields import ProfileError
from conformance.profiles.toml import toml_of
from conformance.reference.server import serve
from conformance.runs.drafts.draft_document import begin_document, with_supports
from conformance.selftest.runs.answered import (
    LOCK,
    POWER,
    VALUES,
    answers,
    appliance,
    draft_of,
)
from conformance.selftest.support.commands import command
from conformance.selftest.support.servers.recording import several

MINE = """# my hub
[target]
name = "mine" # mine
base_url = "http://127.0.0.1:1"

[http]
timeout_s = 5 # slow

[[appliance]] # the first
ha_id = "one"
kind = "Oven"
supports = ["Vendor.Common.Setting.PowerState"] # only this
# power_states: ask Ann

[appliance.step]
"Vendor.Common.Setting.AlarmClock" = 60.0

[[appliance]]
ha_id = "two"
kind = "Hood"
"""


def test_existing_profile_is_completed() -> None:
    """What is declared stays, with its comments; what is missing is added, what is beyond a claim is said."""
    result = draft_of([*answers(), *answers("two")], MINE, {}, ())
    lines = result.text.splitlines()
    assert [line for line in MINE.splitlines() if line not in lines] == []
    assert tomllib.loads(result.text)["answer"] == {"value": "/data/value", "key": "/data/key"}
    assert appliance(result.text)["supports"] == [POWER]
    assert "power_states" not in appliance(result.text)
    assert set(appliance(result.text, "two")["supports"]) == set(VALUES)
    assert any(LOCK in line and "neither under supports nor under lacks" in line for line in result.told)


def test_completing_twice_changes_nothing() -> None:
    """A second time there is nothing left to add, and no question is asked again."""
    both = [*answers(), *answers("two")]
    new = draft_of(both, appliances=("one:Oven", "two:Hood")).text
    for once in (new, draft_of(both, MINE, {}, ()).text):
        assert draft_of(both, once, {}, ()).text == once


def test_appliance_is_added_to_an_existing_profile() -> None:
    """An appliance that is named beside a profile gets a table of its own."""
    result = draft_of([*answers(), *answers("three")], MINE, {}, ("three:Oven", "one:Oven"))
    assert [table["ha_id"] for table in tomllib.loads(result.text)["appliance"]] == ["one", "two", "three"]


def test_declared_pointer_is_kept() -> None:
    """A pointer that a person has written stays, though it leads nowhere; where values seem to be is said."""
    result = draft_of(answers(), MINE + '\n[answer]\nvalue = "/nowhere"\n', {}, ())
    assert (result.served, tomllib.loads(result.text)["answer"]) == (0, {"value": "/nowhere"})
    says = "is declared as '/nowhere', where nothing stands; values seem to stand at '/data/value'"
    assert f"answer.value {says}" in result.told


@pytest.mark.parametrize(
    ("words", "appliances", "place"),
    [
        ({"base_url": "http://other"}, (), "target.base_url"),
        ({}, ("one:Hood",), "appliance one"),
        ({}, ("one",), "one: is not"),
    ],
)
def test_contradiction_is_a_mistake(words: dict[str, str], appliances: tuple[str, ...], place: str) -> None:
    """What is said on the command line never overrules what the file says."""
    with pytest.raises(ProfileError, match=place):
        begin_document(MINE.encode(), words, appliances)


CSV = f"ha_id,kind,template,supports\nhood-1-0,Hood,,\nhood-1-1,Hood,,{CHILD_LOCK}\nhood-1-2,,hood,\n"


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a profile that names a fleet file, and was completed."""
    here = tmp_path_factory.mktemp("fleet")
    with serve({"": several(HOOD, 3)()}) as base_url:
        profile = {
            "target": {"name": "hub", "base_url": base_url},
            "fleet": {"file": "fleet.csv"},
            "template": [{"name": "hood", "kind": "Hood", "supports": [CHILD_LOCK]}],
        }
        (here / "hub.toml").write_text(toml_of(profile), encoding="utf-8")
        (here / "fleet.csv").write_text(CSV, encoding="utf-8")
        assert command("init", "-o", str(here / "hub.toml")).code == 0
    return here


def test_row_that_claims_nothing_is_filled(fleet: Path) -> None:
    """Rows that say what they support, themselves or by a template, stay as they are."""
    rows = list(csv.DictReader((fleet / "fleet.csv").read_text(encoding="utf-8").splitlines()))
    assert [len(row["supports"].split()) for row in rows][1:] == [1, 0]
    assert set(rows[0]["supports"].split()) >= {key for key in HOOD.values if "Setting" in key}


def test_filled_fleet_is_a_profile(fleet: Path) -> None:
    """It has no mistakes, and the pointers of the answers are guessed as ever."""
    assert command("check", str(fleet / "hub.toml")).code == 0
    assert "guess" in (fleet / "hub.toml").read_text(encoding="utf-8")


def test_line_of_json_is_filled() -> None:
    """A file of JSON keeps its other lines as they are."""
    text = '{"ha_id": "a", "kind": "Oven"}\n\n{"ha_id":"b","kind":"Oven","supports":["x"]}\n'
    filled = with_supports("fleet.ndjson", text, {"a": [CHILD_LOCK], "b": [CHILD_LOCK]}).splitlines()
    assert (json.loads(filled[0])["supports"], filled[1:]) == ([CHILD_LOCK], text.splitlines()[1:])


def test_column_is_added_where_there_is_none() -> None:
    """Cells with commas and quotes stay what they are."""
    text = 'ha_id,kind,samples\na,Oven,"{""map_name"": [""x, y""]}"\nb,Hood,\n'
    rows = list(csv.DictReader(with_supports("f.CSV", text, {"a": ["K"]}).splitlines()))
    assert [(row["supports"], row["samples"]) for row in rows] == [("K", '{"map_name": ["x, y"]}'), ("", "")]
