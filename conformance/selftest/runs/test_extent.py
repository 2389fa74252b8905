"""What a run does not try is no case: it is listed, with the field or level that would change it."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import LEVELS, Level
from conformance.cases import CATALOG, each_case
from conformance.mutants.fleets import AMBIENT, ROBOT_NAMED
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.proof.in_process import BASE_URL
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.targets import profile_of
from conformance.selftest.support.commands import BARE, command
from conformance.selftest.support.judged_runs import begin, session_of
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table

URL = "http://127.0.0.1:1"
WRITE = write_table("*", keys.CHILD_LOCK, keys.OVEN_SABBATH, keys.FRIDGE_SABBATH)
HOOK = {"path": "/bench", "body": "{seconds}"}
FIELDS: dict[str, dict[str, Any]] = {
    "write": {"write": {**WRITE, "allow": []}},
    "write.allow": {"write": WRITE},
    "write.status_path": {"write": {**WRITE, "status_path": STATUS_PATH}},
    "answer.key": {"answer": {"key": "/key"}},
    "answer.unit": {"answer": {"unit": "/unit"}},
    "answer.type": {"answer": {"type": "/type"}},
    "answer.description": {"answer": {"description": "/description"}},
    "answer.allowed": {"answer": {"allowed": "/allowed"}},
    "answer.min, answer.max": {"answer": {"min": "/min", "max": "/max"}},
    "appliance.samples.map_name": {"own": {"samples": {"map_name": ["a", "b"]}}},
    "appliance.samples.custom_color": {"own": {"samples": {"custom_color": ["a", "b"]}}},
    "appliance.streaming_camera": {"own": {"streaming_camera": False}},
    "appliance.unattended": {"own": {"unattended": True}},
    "paths.probe_other_segment": {"paths": {"probe_other_segment": True}},
    "power.probe_unlisted": {"power": {"probe_unlisted": True}},
    "list": {"list": {"settings": {"path": "/{ha_id}", "items": "/items"}}},
    "events": {"events": {"path": "/{ha_id}/events"}},
    "hooks.advance": {"hooks": {"advance": HOOK}},
    **{f"interpretation.I-{n}": {"interpretation": {f"I-{n}": True}} for n in (1, 2, 4, 6, 7, 8, 9, 10)},
}
"""What a profile that says nothing would have to say, by the field that is named."""
OFF = {f"I-{n}": False for n in range(1, 11)}
"""The files that are read here, and no others."""


def profile(own: dict[str, Any] | None = None, **tables: Any) -> Profile:
    """The profile of an appliance that is asked every key, with nothing declared but what is given."""
    appliance = {"ha_id": "a", "kind": "Anything", **(own or {})}
    return build_profile(
        {"target": {"name": "x", "base_url": URL}, "appliance": [appliance], **tables}, CATALOG
    )


def fields(profile: Profile, level: Level = "attended") -> Counter[str]:
    """How many cases wait for each field."""
    return Counter(omission.field for _, omission in each_case(profile, level) if omission)


@pytest.mark.parametrize(
    "told", [profile_of("reference"), profile(), profile(interpretation=OFF)], ids=["all", "nothing", "off"]
)
def test_each_case_is_judged_or_listed_at_every_level(told: Profile) -> None:
    """Cases and what is not judged are one list, whatever the level, and have nothing in common."""
    lists = [Counter(case.id for case, _ in each_case(told, level)) for level in LEVELS]
    assert all(one == lists[0] for one in lists)
    assert set(lists[0].values()) == {1}


@pytest.mark.parametrize("field", FIELDS)
def test_field_that_is_named_changes_it(field: str) -> None:
    """A case waits for the field where a profile lacks it, and for that one no more when it is declared."""
    before: dict[str, Any] = {"interpretation": OFF} if field.startswith("interpretation") else {}
    before |= {"write.allow": FIELDS["write"], "write": {}}.get(field, {"write": WRITE})
    level: Level = "read" if field == "appliance.unattended" else "attended"
    assert fields(profile(**before), level)[field]
    assert not fields(profile(**{**before, **FIELDS[field]}), level)[field]


@pytest.mark.parametrize(
    ("fleet", "needed"),
    [(DISHWASHER.only(keys.POWER_STATE, keys.CHILD_LOCK), set[str]()), (AMBIENT, {keys.CUSTOM_COLOR})],
)
def test_field_is_named_for_keys_that_the_appliance_has(
    fleet: ApplianceSpec, needed: set[str], tmp_path: Path
) -> None:
    """Of an appliance that refuses a key as one that cannot exist, no field would change anything."""
    service = type("Own", (Service,), {"fleet": (fleet,)})()
    with session_of(service, tmp_path, "write", {"write": WRITE}, knowledge="L0") as session:
        begin(session)
        omitted = session.ending(session.facts()).omitted
    assert {one.key for one in omitted if one.field.startswith("appliance.samples.")} == needed


class Small(Service):
    """An appliance with statuses that can be tried."""

    fleet = (
        replace(
            DISHWASHER.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.LOCAL_CONTROL, keys.DOOR_STATE),
            kind="Oven",
        ),
    )


def test_what_was_not_tried_is_listed_and_no_case(tmp_path: Path) -> None:
    """Statuses that no path is declared for, with the field; what a sample of repeated reads leaves out, as
    soon as it has read; and nothing is called not applicable for that.
    """
    truth: dict[str, Any] = truthful_profile(Small(), BASE_URL)
    write = {**truth["write"], "status_path": None}
    tables = {"write": write, "timing": {**truth["timing"], "repeat_sample": 1}}
    with session_of(Small(), tmp_path, "write", tables) as session:
        results = judged_in(session)
    rows = [row for row in results.not_judged if row.clause == "STA-READONLY"]
    assert {row.field for row in rows} == {"write.status_path"}
    assert sum(len(row.keys) * len(row.ha_ids) for row in rows) == 8
    late = {row.clause for row in results.not_judged if row.field == "timing.repeat_sample"}
    assert late == {"READ-REPEAT", "READ-SAFE"}
    assert {one.clause for one in results.cases}.isdisjoint({"STA-READONLY"})
    said = " ".join(one.message for one in results.of("not_applicable"))
    assert not re.search("level |not tried|write list|switched off|sample", said)


def test_unclaimed_run_says_so(tmp_path: Path) -> None:
    """A run without a profile claims nothing, and says that and no more; what is generated is left out."""
    with serve({"": type("One", (Service,), {"fleet": (ROBOT_NAMED,)})()}) as base_url:
        ran = command(
            "run",
            *("--base-url", base_url, "--appliance", f"{ROBOT_NAMED.ha_id}:CleaningRobot"),
            *(*BARE, "-k", "not generated"),
            directory=tmp_path,
        )
    assert ran.code == 0
    assert "Nothing contradicts the document; nothing was claimed" in ran.output
    assert f"{len(ROBOT_NAMED.values)} of 26 keys gave a value" in ran.output
    assert ran.results["keys"]["claimed"] == 0
