"""What a profile claims, what it leaves to be assumed, what it answers the gaps of the document with, and
how it is written.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK, DOSING_1
from conformance.cases import CATALOG
from conformance.profiles.answers import answers_of
from conformance.profiles.fields import ProfileError
from conformance.profiles.from_arguments import command_line_profile
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Claim
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


def test_samples_are_told_as_the_catalog_names_them() -> None:
    """Each sample that fills a gap is found under the field that the catalog names."""
    said = answers_of(profile_of(appliance={"samples": {"map_name": ["Attic"], "custom_color": ["#4a88f8"]}}))
    fields = {
        field.strip() for gap in CATALOG.gaps for field in gap.answered_by.split(",") if ".samples." in field
    }
    assert fields == {name for name in said if ".samples." in name}
