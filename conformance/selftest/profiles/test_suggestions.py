"""What a word of a profile, of the environment or of the command line may have been meant to be, is said."""

from datetime import date
from typing import Any

import pytest

from conformance.cases import CATALOG
from conformance.profiles.fields import ProfileError
from conformance.profiles.from_arguments import command_line_profile
from conformance.profiles.kinds import unnamed_kinds
from conformance.profiles.stale_waivers import stale_waivers
from conformance.profiles.validation import build_profile
from conformance.selftest.support.samples.handmade import write_table

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


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "is not set in the environment"),
        ("", "is empty"),
        ("open sesame\n", "whose value ends with a line end"),
    ],
)
def test_variable_that_cannot_be_used_is_told(value: str | None, told: str) -> None:
    """A variable that is empty is not one that is not set, and a line end is named as the variable's."""
    data = {**DATA, "auth": {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}}
    environment = {} if value is None else {"HUB_TOKEN": value}
    with pytest.raises(ProfileError, match=told):
        build_profile(data, CATALOG, environment=environment)


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
