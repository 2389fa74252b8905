"""Where a profile says what: the lines that a report may name, and none where one cannot be told."""

from pathlib import Path

import pytest

from conformance.cases import CATALOG
from conformance.profiles.model import Profile
from conformance.profiles.places import Place, Places
from conformance.profiles.validation import digest_profile, dump_profile, load_profile

OVEN = '[[appliance]]\nha_id = "oven-1"\nkind = "Oven"\n'
HOB = '[[ appliance ]]  # beside it\nkind = "CookProcessor"\nha_id = "hob-1"\n'
TARGET = '[target]\nname = "hub"\nbase_url = "http://localhost"\n'


def places_in(directory: Path, text: str) -> Places:
    """Where a profile that is a file of the working directory says what."""
    return profile_in(directory, text).places


def profile_in(directory: Path, text: str) -> Profile:
    """The profile `hub.toml` of a directory."""
    (directory / "hub.toml").write_text(text, encoding="utf-8")
    return load_profile(directory / "hub.toml", CATALOG, {})


def test_appliances_and_fields_have_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each appliance at its header, each field of a table at its own line, below the working directory."""
    monkeypatch.chdir(tmp_path.parent)
    text = f'# ours\n{TARGET}\n[answer]\nvalue = "/value"\n\n{OVEN}\n{HOB}'
    found, file = places_in(tmp_path, text), f"{tmp_path.name}/hub.toml"
    assert found.file == file
    assert found.appliances == {"oven-1": Place(file, 9), "hob-1": Place(file, 13)}
    assert found.fields == {"target.name": 3, "target.base_url": 4, "answer.value": 7}


def test_file_elsewhere_is_named_in_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not lie below the working directory is named from the root."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert places_in(tmp_path, TARGET + OVEN).file == (tmp_path / "hub.toml").as_posix()


@pytest.mark.parametrize(
    "appliances",
    [
        'appliance = [{ ha_id = "oven-1", kind = "Oven" }]\n' + TARGET,
        TARGET + 'product = """\n[[appliance]]\n"""\n' + OVEN,
    ],
    ids=["in a line", "in a long text"],
)
def test_line_that_cannot_be_told_is_none(tmp_path: Path, appliances: str) -> None:
    """Where headers and appliances are not as many as each other, no appliance has a line."""
    assert places_in(tmp_path, appliances).appliances == {}


def test_row_of_a_fleet_has_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An appliance of a fleet file stands there, after those of the profile."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.csv").write_text("ha_id,kind\nhob-1,CookProcessor\n", encoding="utf-8")
    found = places_in(tmp_path, f'{TARGET}[fleet]\nfile = "fleet.csv"\n{OVEN}')
    assert found.appliances == {"oven-1": Place("hub.toml", 6), "hob-1": Place("fleet.csv", 2)}


def test_profile_is_the_same_wherever_it_stands(tmp_path: Path) -> None:
    """Neither its data nor its digest has a line in it."""
    one, other = profile_in(tmp_path, TARGET + OVEN), profile_in(tmp_path, f"\n\n{TARGET}{OVEN}")
    assert one.places != other.places
    assert (one, dump_profile(one), digest_profile(one)) == (
        other,
        dump_profile(other),
        digest_profile(other),
    )
