"""What a profile claims and leaves to be assumed, what it answers the gaps of the document with, how it is
written, and the appliances of a fleet that stand in a file.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK, DOSING_1, POWER_STATE
from conformance.cases import CATALOG
from conformance.profiles.answers import answers_of
from conformance.profiles.fields import ProfileError
from conformance.profiles.from_arguments import command_line_profile
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Claim, Profile
from conformance.profiles.toml import write_profile
from conformance.profiles.validation import (
    build_profile,
    digest_profile,
    dump_profile,
    load_profile,
    secrets_of,
)
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.selftest.support.samples.handmade import HA_ID, profile_of

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
    """An appliance is asked for the keys of its kind, in catalog order."""
    assert claimed_keys(profile_of().appliance[0], CATALOG) == tuple(
        entry.key for entry in CATALOG.of_kind("Refrigerator")
    )


def test_foreign_key_is_tried_where_it_is_named() -> None:
    """A name reaches beyond the kind, a glob does not."""
    named = claimed_keys(profile_of(appliance={"supports": [DOSING_1]}).appliance[0], CATALOG)
    assert DOSING_1 in named
    assert DOSING_1 not in claimed_keys(profile_of(appliance={"supports": ["*"]}).appliance[0], CATALOG)


def test_unnamed_kind_is_asked_every_key() -> None:
    """A kind the document does not name is asked all keys, and claims none of them by that."""
    appliance = profile_of("FridgeFreezer").appliance[0]
    assert claimed_keys(appliance, CATALOG) == tuple(CATALOG.entries)
    assert {appliance.claim(key) for key in CATALOG.entries} == {"unknown"}


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
    """On this machine nothing has to be spared; anywhere else everything is."""
    assert pace_of(host) == (LOCAL if host in LOCAL_HOSTS else REMOTE)


@pytest.mark.parametrize("host", ["127.0.0.1", "hub.example"])
def test_declared_pace_counts_everywhere(host: str) -> None:
    """What is declared is not second-guessed, zero included."""
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
    assert digest_profile(profile_of()) == digest_profile(build_profile(dump_profile(profile_of()), CATALOG))


def test_written_profile_is_read_back_equal(tmp_path: Path) -> None:
    """Everything the reference can say about itself survives a file."""
    waiver = {"case": "RANGE-*", "reason": 'a "reason"\n', "owner": "ä", "expires": "2027-01-31"}
    data = {
        **truthful_profile(Service(), "http://127.0.0.1:1"),
        "waiver": [waiver],
        "interpretation": {"I-3": False},
    }
    profile = build_profile(data, CATALOG)
    again = load_profile(write_profile(profile, tmp_path / "profile.toml"), CATALOG)
    assert again == profile
    assert digest_profile(again) == digest_profile(profile)


@pytest.mark.parametrize("text", ["one", ":Oven", "one:", ""])
def test_appliance_on_the_command_line_needs_both_parts(text: str) -> None:
    """HAID:KIND, or a mistake that says so."""
    with pytest.raises(ProfileError, match="HAID:KIND"):
        command_line_profile("http://x", [text])


def test_command_line_claims_nothing() -> None:
    """A haId may hold colons; everything is left open."""
    profile = command_line_profile("http://x", ["a:b:Oven"])
    assert (profile.appliance[0].ha_id, profile.appliance[0].kind) == ("a:b", "Oven")
    assert profile.appliance[0].claim(CHILD_LOCK) == "unknown"
    with pytest.raises(ProfileError, match="at least one appliance"):
        command_line_profile("http://x", [])


SAID = answers_of(
    profile_of(appliance={"samples": {"custom_color": ["#4a88f8"]}}, paths={"authoritative": "status"})
)


@pytest.mark.parametrize(
    ("field", "answer"),
    [
        ("appliance.samples.custom_color", f'{{"{HA_ID}": ["#4a88f8"]}}'),
        ("paths.authoritative", '"status"'),
        ("power.probe_unlisted", "false (default)"),
        ("http.success", '"200-299" (default)'),
        ("pace.concurrency", "16 (default)"),
    ],
)
def test_field_is_told(field: str, answer: str) -> None:
    """A field is told as it was declared, and as it is by default where it was not."""
    assert SAID[field] == answer


# A fleet stands in a file: its rows are appliances, its templates what they have in common.
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
    """Any file that is not called .csv holds an object in each line."""
    assert [one.ha_id for one in fleet_of(tmp_path, NDJSON, "fleet.ndjson").appliance] == ["f-1", "o-1"]


def test_appliance_of_the_profile_may_follow_a_template(tmp_path: Path) -> None:
    """Tables of the profile come before the rows of the file."""
    more = '[[appliance]]\nha_id = "first"\ntemplate = "fridge"\n'
    assert fleet_of(tmp_path, CSV, more=more).appliance[0].kind == "Refrigerator"


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


def test_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The place is the field, the text has the path."""
    (tmp_path / "hub.toml").write_text(PROFILE.format(file="none.csv"), encoding="utf-8")
    with pytest.raises(ProfileError, match=r"fleet\.file: .*none\.csv: No such file"):
        load_profile(tmp_path / "hub.toml", CATALOG, {})


def test_fleet_of_ten_thousand_is_read(tmp_path: Path) -> None:
    """Appliances of one make are checked once."""
    rows = "ha_id,kind,supports\n" + "".join(
        f"a{n},{('Oven', 'Hood')[n % 2]},Vendor.Common.*\n" for n in range(10_000)
    )
    assert len(fleet_of(tmp_path, rows).appliance) == 10_000
