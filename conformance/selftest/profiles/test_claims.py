"""What a profile claims and leaves to be assumed, how it is written, and what an editor and a reader are told
of it: its schema, the lines of its fields, what a word may have meant.
"""

import json
import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from catalog.keys import CHILD_LOCK, DOSING_1
from catalog.loader import CATALOG
from conformance import profiles
from conformance.commands.around import write_used
from conformance.profiles.contradictions import stale_waivers
from conformance.profiles.fields import ProfileError
from conformance.profiles.from_arguments import command_line_profile
from conformance.profiles.kinds import claimed_keys, unnamed_kinds
from conformance.profiles.model import Claim, Interpretation, Profile
from conformance.profiles.places import Place
from conformance.profiles.schema import profile_schema
from conformance.profiles.sections import Limits
from conformance.profiles.validation import (
    build_profile,
    digest_profile,
    dump_profile,
    load_profile,
    secrets_of,
)
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.service import Service
from conformance.runs.facts import answers_of
from conformance.selftest.support.commands import command
from conformance.selftest.support.handmade import HA_ID, profile_of

CLAIMS: dict[str, tuple[list[str], list[str], Claim]] = {
    "nothing said": ([], [], "unknown"),
    "by name": ([CHILD_LOCK], [], "yes"),
    "by glob": (["Vendor.*"], [], "yes"),
    "another glob": (["Refrigeration.*"], [], "unknown"),
    "everything": (["*"], [], "yes"),
    "denied by name": ([], [CHILD_LOCK], "no"),
    "denied by glob": ([], ["Vendor.Common.Setting.*"], "no"),
    "a name within a denied glob": ([CHILD_LOCK], ["Vendor.*"], "yes"),
    "a denied name within a glob": (["Vendor.*"], [CHILD_LOCK], "no"),
    "two globs": (["Vendor.*"], ["*.ChildLock"], "no"),
    "in another case": (["vendor.*"], [], "unknown"),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_claim(name: str) -> None:
    """A name counts before a glob, and what is lacking before what is supported."""
    supports, lacks, claim = CLAIMS[name]
    appliance = (
        profile_of().appliance[0].model_copy(update={"supports": tuple(supports), "lacks": tuple(lacks)})
    )
    assert appliance.claim(CHILD_LOCK) == claim


def test_keys_of_the_kind_are_tried() -> None:
    """An appliance is asked for the keys of its kind, in catalog order. A name reaches beyond the kind, a
    glob does not; a kind that the document does not name is asked all keys, and claims none of them by that.
    """
    usual = tuple(entry.key for entry in CATALOG.of_kind("Refrigerator"))
    tables: list[dict[str, list[str]]] = [{}, {"supports": [DOSING_1]}, {"supports": ["*"]}]
    asked = [claimed_keys(profile_of(appliance=table).appliance[0]) for table in tables]
    assert (asked[0], {*asked[1]} - {*usual}, asked[2]) == (usual, {DOSING_1}, usual)
    unnamed = profile_of("FridgeFreezer").appliance[0]
    assert claimed_keys(unnamed) == tuple(CATALOG.entries)
    assert {unnamed.claim(key) for key in CATALOG.entries} == {"unknown"}


PACE = ("concurrency", "per_minute", "per_day", "max_refusals_in_a_row", "retry_s", "repeat_sample")
LOCAL, REMOTE = (16, None, None, None, 0.2, None), (1, 40, 900, 8, 5, 3)
LOCAL_HOSTS = ["127.0.0.1", "127.9.9.9:8080", "[::1]:80", "localhost", "LOCALHOST:1", "hub.localhost"]
REMOTE_HOSTS = ["localhost.example", "192.168.0.1", "0.0.0.0", "hub.example/127.0.0.1", "[2001:db8::1]"]


def pace_of(host: str, **tables: Mapping[str, object]) -> tuple[object, ...]:
    """The pace at which a host is asked."""
    profile = profile_of(target={"name": "x", "base_url": f"http://{host}"}, **tables)
    return tuple(getattr(profile, name) for name in PACE)


@pytest.mark.parametrize("host", [*LOCAL_HOSTS, *REMOTE_HOSTS])
def test_host_suggests_the_pace(host: str) -> None:
    """On this machine nothing has to be spared; anywhere else everything is. What is declared is not
    second-guessed, zero included.
    """
    assert pace_of(host) == (LOCAL if host in LOCAL_HOSTS else REMOTE)
    pace = {"concurrency": 2, "per_minute": 7, "per_day": 9, "max_refusals_in_a_row": 4}
    timing = {"retry_s": 0, "repeat_sample": 0}
    assert pace_of(host, pace=pace, timing=timing) == (*pace.values(), *timing.values())


def test_maker_is_the_appliances_own_before_the_targets() -> None:
    """Line 3 knows one maker's name; a profile may know one for each appliance."""
    target = {"name": "x", "base_url": "http://x", "vendor": "Acme"}
    own, none = profile_of(target=target, appliance={"vendor": "Beta"}), profile_of(target=target)
    assert (own.vendor_of(own.appliance[0]), none.vendor_of(none.appliance[0])) == ("Beta", "Acme")


def test_dump_says_what_was_written_and_keeps_secrets_out() -> None:
    """Defaults are left out, variables stay variables."""
    profile = profile_of(answer={}, auth={"headers": {"A": "Bearer ${TOKEN}"}}, interpretation={"I-3": False})
    dumped = dump_profile(profile)
    assert set(dumped) == {"target", "answer", "auth", "interpretation", "appliance"}
    assert dumped["auth"] == {"headers": {"A": "Bearer ${TOKEN}"}}
    assert dumped["interpretation"] == {"I-3": False}
    assert secrets_of(profile, {"TOKEN": "open sesame", "OTHER": "x"}) == {"TOKEN": "open sesame"}


def test_digest_is_that_of_what_is_said() -> None:
    """The order of tables does not count, what they say does."""
    one = profile_of(pace={"concurrency": 2}, timing={"poll_s": 1})
    assert digest_profile(one) == digest_profile(profile_of(timing={"poll_s": 1}, pace={"concurrency": 2}))
    assert digest_profile(one) != digest_profile(profile_of(pace={"concurrency": 3}, timing={"poll_s": 1}))
    assert digest_profile(profile_of()) == digest_profile(build_profile(dump_profile(profile_of())))


def test_written_profile_is_read_back_equal(tmp_path: Path) -> None:
    """Everything the reference can say about itself survives a file."""
    waiver = {"case": "RANGE-*", "reason": 'a "reason"\n', "owner": "ä", "expires": "2027-01-31"}
    data = {
        **truthful_profile(Service(), "http://127.0.0.1:1"),
        "waiver": [waiver],
        "interpretation": {"I-3": False},
    }
    profile = build_profile(data)
    again = load_profile(write_used(profile, tmp_path / "profile.toml"))
    assert again == profile
    assert digest_profile(again) == digest_profile(profile)


def test_command_line_claims_nothing() -> None:
    """A haId may hold colons; everything is left open. HAID:KIND has both parts, or a mistake says so."""
    profile = command_line_profile("http://x", ["a:b:Oven"])
    assert (profile.appliance[0].ha_id, profile.appliance[0].kind) == ("a:b", "Oven")
    assert profile.appliance[0].claim(CHILD_LOCK) == "unknown"
    for text in ("one", ":Oven", "one:", ""):
        with pytest.raises(ProfileError, match="HAID:KIND"):
            command_line_profile("http://x", [text])


def test_field_is_told() -> None:
    """A field is told as it was declared, and as it is by default where it was not."""
    colors = {"samples": {"custom_color": ["#4a88f8"]}}
    told = answers_of(profile_of(appliance=colors, paths={"authoritative": "status"}))
    said = {
        "appliance.samples.custom_color": f'{{"{HA_ID}": ["#4a88f8"]}}',
        "paths.authoritative": '"status"',
        "power.probe_unlisted": "false (default)",
        "http.success": '"200-299" (default)',
        "pace.concurrency": "16 (default)",
    }
    assert said.items() <= told.items()


# Its schema.
FILES = Path(profiles.__file__).parent
SCHEMA = Draft7Validator(profile_schema())
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
    assert printed == profile_schema()
    Draft7Validator.check_schema(printed)


@pytest.mark.parametrize("name", ["template.toml", "reference.toml"])
def test_profile_with_every_field_is_valid(name: str) -> None:
    """Every field that the template explains is one of the schema."""
    assert is_valid(tomllib.loads((FILES / name).read_text(encoding="utf-8")))


def test_template_shows_the_defaults() -> None:
    """What it says of limits is what holds where nothing is declared; of each reading it has the words."""
    text = (FILES / "template.toml").read_text(encoding="utf-8")
    template = tomllib.loads(text)
    assert template["http"]["limits"] == Limits().model_dump()
    assert template["interpretation"] == Interpretation().model_dump(by_alias=True)
    words = (field.description or "-" for field in Interpretation.model_fields.values())
    assert [one for one in words if f" # {' '.join(one.split())}\n" not in text] == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_check_refuses_is_refused(mistake: Mapping[str, object]) -> None:
    """A field that there is not, a wrong type, a value out of bounds, a missing field."""
    data = laid_over(truthful_profile(Service(), "http://127.0.0.1"), mistake)
    with pytest.raises(ProfileError):
        build_profile(data)
    assert not is_valid(data)


# Where a profile says what: the lines that a report may name, and none where one cannot be told.
OVEN = '[[appliance]]\nha_id = "oven-1"\nkind = "Oven"\n'
HOB = '[[ appliance ]]  # beside it\nkind = "CookProcessor"\nha_id = "hob-1"\n'
TARGET = '[target]\nname = "hub"\nbase_url = "http://localhost"\n'


def profile_in(directory: Path, text: str) -> Profile:
    """The profile `hub.toml` of a directory."""
    (directory / "hub.toml").write_text(text, encoding="utf-8")
    return load_profile(directory / "hub.toml", {})


def test_appliances_and_fields_have_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each appliance at its header, each field of a table at its own line, below the working directory."""
    monkeypatch.chdir(tmp_path.parent)
    text = f'# ours\n{TARGET}\n[answer]\nvalue = "/value"\n\n{OVEN}\n{HOB}'
    found, file = profile_in(tmp_path, text).places, f"{tmp_path.name}/hub.toml"
    assert found.file == file
    assert found.appliances == {"oven-1": Place(file, 9), "hob-1": Place(file, 13)}
    assert found.fields == {"target.name": 3, "target.base_url": 4, "answer.value": 7}
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert profile_in(tmp_path, text).places.file == (tmp_path / "hub.toml").as_posix()  # which is not below


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
    assert profile_in(tmp_path, appliances).places.appliances == {}


def test_row_of_a_fleet_has_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An appliance of a fleet file stands there, after those of the profile."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.csv").write_text("ha_id,kind\nhob-1,CookProcessor\n", encoding="utf-8")
    found = profile_in(tmp_path, f'{TARGET}[fleet]\nfile = "fleet.csv"\n{OVEN}').places
    assert found.appliances == {"oven-1": Place("hub.toml", 6), "hob-1": Place("fleet.csv", 2)}


def test_profile_is_the_same_wherever_it_stands(tmp_path: Path) -> None:
    """Neither its data nor its digest has a line in it."""
    one, other = profile_in(tmp_path, TARGET + OVEN), profile_in(tmp_path, f"\n\n{TARGET}{OVEN}")
    assert one.places != other.places
    told = [(each, dump_profile(each), digest_profile(each)) for each in (one, other)]
    assert told[0] == told[1]


# What a word of a profile, of the environment or of the command line may have been meant to be, is said.
DATA: dict[str, Any] = {"target": {"name": "hub", "base_url": "http://127.0.0.1:1"}, "appliance": [FIRST]}
"""A profile without a mistake."""


def test_stale_waivers_are_told() -> None:
    """One that has expired, and one that names a clause or an appliance that is not there."""
    cases = ("RANGE-ALARM::*@NOBODY", "TYPE-*::*@fridge-1", "ADDR-BASE::*@no-Oven")
    waivers = [
        {"case": case, "reason": "known", "owner": "me", "expires": date(2020 + 7 * number, 1, 31)}
        for number, case in enumerate(cases)
    ]
    profile = build_profile({**DATA, "waiver": waivers})
    found = [str(problem) for problem in stale_waivers(profile, date(2026, 1, 1))]
    assert found == [
        "waiver[0].expires: expired on 2020-01-31",
        "waiver[0].case: there is no clause 'RANGE-ALARM' (did you mean 'RANGE-ALARMCLOCK'?)",
        "waiver[0].case: there is no appliance 'NOBODY'",
    ]


def test_kind_that_people_call_otherwise_is_asked_about() -> None:
    """Another word may be another kind: it is no mistake, but the one that may be meant is named."""
    for kind, meant in (("Fridge", "(did you mean Refrigerator?)"), ("WineCooler", "")):
        (line,) = unnamed_kinds(build_profile({**DATA, "appliance": [{**FIRST, "kind": kind}]}))
        assert line.endswith(meant)
        assert ("did you mean" in line) == bool(meant)


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
