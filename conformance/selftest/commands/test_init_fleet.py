"""`init` fills the fleet file of a profile with what its appliances show."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.mutants.fleets import HOOD
from conformance.profiles.toml import toml_of
from conformance.reference.server import serve
from conformance.runs.drafts.draft_document import with_supports
from conformance.selftest.support.commanding import said
from conformance.selftest.support.samples.fleets import several

CSV = f"ha_id,kind,template,supports\nhood-1-0,Hood,,\nhood-1-1,Hood,,{CHILD_LOCK}\nhood-1-2,,hood,\n"


@pytest.fixture(scope="module")
def drafted(tmp_path_factory: pytest.TempPathFactory) -> Path:
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
        assert said("init", "-o", str(here / "hub.toml")).exit_code == 0
    return here


def test_row_that_claims_nothing_is_filled(drafted: Path) -> None:
    """Rows that say what they support, themselves or by a template, stay as they are."""
    rows = list(csv.DictReader((drafted / "fleet.csv").read_text(encoding="utf-8").splitlines()))
    assert [len(row["supports"].split()) for row in rows][1:] == [1, 0]
    assert set(rows[0]["supports"].split()) >= {key for key in HOOD.values if "Setting" in key}


def test_filled_fleet_is_a_profile(drafted: Path) -> None:
    """It has no mistakes, and the pointers of the answers are guessed as ever."""
    assert said("check", str(drafted / "hub.toml")).exit_code == 0
    assert "guess" in (drafted / "hub.toml").read_text(encoding="utf-8")


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
