"""What an editor and a reader are told of a profile: its schema, the lines of its fields, what a word may
have meant.
"""

import json
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from conformance import profiles
from conformance.cases import CATALOG
from conformance.profiles.contradictions import stale_waivers
from conformance.profiles.fields import ProfileError
from conformance.profiles.from_arguments import command_line_profile
from conformance.profiles.kinds import unnamed_kinds
from conformance.profiles.model import Profile
from conformance.profiles.places import Place, Places
from conformance.profiles.schema import profile_schema
from conformance.profiles.sections import Limits
from conformance.profiles.validation import build_profile, digest_profile, dump_profile, load_profile
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.runs.drafts.draft_document import begin_document
from conformance.selftest.support.commands import command
from conformance.selftest.support.samples.handmade import write_table

FILES = Path(profiles.__file__).parent
SCHEMA = Draft7Validator(profile_schema(CATALOG))
FIRST = {"ha_id": "fridge-1", "kind": "Refrigerator"}

MISTAKES: list[Mapping[str, object]] = [
    {"target": {"vendr": "Acme"}},
    {"answer": {"value": 1}},
    {"pace": {"per_minute": "40"}},
    {"pace": {"concurrency": 65}},
    {"paths": {"authoritative": "statuses"}},
    {"write": {"method": "DELETE"}},
    {"judging": {"most_open": 2}},
    {"appliance": [{"ha_id": "fridge-1"}]},
    {"appliance": [{**FIRST, "power_states": ["Sleep"]}]},
    {"appliance": [{**FIRST, "suports": []}]},
    {"appliance": []},
    {"waiver": [{"case": "*"}]},
]


def is_valid(data: Mapping[str, Any]) -> bool:
    """Whether the schema takes a profile; TOML has dates, JSON their texts."""
    return SCHEMA.is_valid(json.loads(json.dumps(data, default=str)))  # pyright: ignore[reportUnknownMemberType]  jsonschema leaves a parameter untyped


def test_schema_is_one() -> None:
    """The command prints it, and it is a schema of its draft."""
    ran = command("catalog", "--format", "profile-schema")
    printed = json.loads(ran.output)
    assert printed == profile_schema(CATALOG)
    Draft7Validator.check_schema(printed)


@pytest.mark.parametrize("name", ["template.toml", "reference.toml"])
def test_profile_with_every_field_is_valid(name: str) -> None:
    """Every field that the template explains is one of the schema."""
    assert is_valid(tomllib.loads((FILES / name).read_text(encoding="utf-8")))


def test_template_shows_the_defaults() -> None:
    """What it says of limits is what holds where nothing is declared."""
    template = tomllib.loads((FILES / "template.toml").read_text(encoding="utf-8"))
    assert template["http"]["limits"] == Limits().model_dump()


def test_truthful_profile_is_valid() -> None:
    """What the reference says of itself is a profile."""
    assert is_valid(truthful_profile(Service(), "http://127.0.0.1"))


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_check_refuses_is_refused(mistake: Mapping[str, object]) -> None:
    """A field that there is not, a wrong type, a value out of bounds, a missing field."""
    data = laid_over(truthful_profile(Service(), "http://127.0.0.1"), mistake)
    with pytest.raises(ProfileError):
        build_profile(data, CATALOG)
    assert not is_valid(data)


def test_new_draft_names_the_schema() -> None:
    """An editor finds the schema by the first line of a draft."""
    words = {"name": "hub", "base_url": "http://127.0.0.1"}
    assert begin_document(None, words, ["fridge-1:Refrigerator"]).as_string().startswith("#:schema ./")


# Where a profile says what: the lines that a report may name, and none where one cannot be told.
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


# What a word of a profile, of the environment or of the command line may have been meant to be, is said.
DATA: dict[str, Any] = {
    "target": {"name": "hub", "base_url": "http://127.0.0.1:1"},
    "appliance": [{"ha_id": "one", "kind": "Refrigerator"}],
}
"""A profile without a mistake."""


@pytest.mark.parametrize(
    ("glob", "meant"),
    [("Vendor.Common.Settings.*", "Vendor.Common.Setting.*"), ("Refrigerator.*", "Refrigeration.*")],
)
def test_glob_is_answered_with_a_glob(glob: str, meant: str) -> None:
    """Whoever means many keys is not told one of them."""
    data = {**DATA, "write": write_table(glob)}
    with pytest.raises(ProfileError, match="names no setting") as caught:
        build_profile(data, CATALOG)
    assert [problem.suggestion for problem in caught.value.problems] == [meant]


def test_stale_waivers_are_told() -> None:
    """One that has expired, and one that names a clause or an appliance that is not there."""
    cases = ("RANGE-ALARM::*@FRIDGE", "TYPE-*::*@one", "ADDR-BASE::*@no-Oven")
    waivers = [
        {"case": case, "reason": "known", "owner": "me", "expires": date(2020 + 7 * number, 1, 31)}
        for number, case in enumerate(cases)
    ]
    profile = build_profile({**DATA, "waiver": waivers}, CATALOG)
    found = [str(problem) for problem in stale_waivers(profile, CATALOG, date(2026, 1, 1))]
    assert found == [
        "waiver[0].expires: expired on 2020-01-31",
        "waiver[0].case: there is no clause 'RANGE-ALARM' (did you mean 'RANGE-ALARMCLOCK'?)",
        "waiver[0].case: there is no appliance 'FRIDGE'",
    ]


def test_kind_that_people_call_otherwise_is_asked_about() -> None:
    """Another word may be another kind: it is no mistake, but the one that may be meant is named."""
    data = {**DATA, "appliance": [{"ha_id": "one", "kind": "Fridge"}]}
    (line,) = unnamed_kinds(build_profile(data, CATALOG), CATALOG)
    assert line.endswith("(did you mean Refrigerator?)")
    other = {**data, "appliance": [{"ha_id": "one", "kind": "WineCooler"}]}
    assert "did you mean" not in unnamed_kinds(build_profile(other, CATALOG), CATALOG)[0]


def test_header_of_the_command_line_takes_secrets_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A literal is only taken where it holds no secret, and no error repeats one."""
    monkeypatch.setenv("HUB_TOKEN", "open sesame")
    words = ("Authorization: Bearer ${HUB_TOKEN}", "Accept-Language: de")
    profile = command_line_profile("http://x", ["one:Hood"], headers=words)
    assert profile.auth.headers == {"Authorization": "Bearer ${HUB_TOKEN}"}
    assert profile.http.headers["Accept-Language"] == "de"
    assert "Accept" in profile.http.headers
    for wrong in ("X-Id: open-sesame", "open-sesame"):
        with pytest.raises(ProfileError) as caught:
            command_line_profile("http://x", ["one:Hood"], headers=[wrong])
        assert "open-sesame" not in str(caught.value)
