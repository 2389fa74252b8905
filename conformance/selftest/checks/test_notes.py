"""What is noted and not judged, what keeps a key from being written, what a wrong value hints at."""

from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOSING_1, ECO_MODE, RUN, SETPOINT
from catalog.loader import CATALOG
from conformance.checks.case import why_not_written
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import WATCH, Group, edge_group, guard_group, setting_group
from conformance.checks.hints import hint_of
from conformance.checks.remarks import (
    NOWHERE,
    groups_of,
    known,
    moved_by_others,
    others_in,
    read_of,
    renumbered,
    with_known,
)
from conformance.checks.view import segment_of
from conformance.harness.observing import Observations
from conformance.records.results import CaseResult
from conformance.runs.notices import notices_of
from conformance.selftest.support.handmade import (
    ANCHOR,
    HA_ID,
    STATUS_PATH,
    UNKNOWN,
    Reads,
    exchange,
    numbered,
    profile_of,
    refusal,
    ruling,
    seen_of,
    tried,
    value,
    write_table,
)
from conformance.selftest.support.handtraced import attempt, procedure, read, traced, working, write

LOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState"))
OPERATION, DOOR, BATTERY = (
    f"Vendor.Common.Status.{name}" for name in ("OperationState", "DoorState", "BatteryLevel")
)
SERVED, LOCKED, GONE = value(ANCHOR, 5), value(LOCK, True), refusal(LOCK, 409)
AGAIN = Group.parse(f"repeat/status/{OPERATION}")


def surplus(number: int) -> Any:
    """An answer that so many bytes follow."""
    assert LOCKED.response
    return replace(LOCKED, response=replace(LOCKED.response, surplus_bytes=number))


FRIDGE = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
WARMER = "ConsumerProducts.CoffeeMaker.Setting.CupWarmer"
LISTS = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data/settings"}}
ITEMS = (
    b'{"data": {"settings": [{"key": "Vendor.Common.Setting.ChildLock"}, {"key": "Foo.Bar"}, {"key": 7}, 3]}}'
)


def listed(body: bytes) -> Exchange:
    """A list of settings with this body."""
    return exchange("*", 200, body, group=Group.parse("list/settings"), segment="settings", purpose="list")


STATUS_LIST = replace(listed(ITEMS), groups=(Group.parse("list/status"),))


def enumerated(key: str, name: str, allowed: object = None) -> Exchange:
    """A read of an enumeration."""
    return value(key, f"Vendor.Common.EnumType.{key.rpartition('.')[2]}.{name}", allowed=allowed)


# fmt: off
ROWS = {
    ("CAT-FIELD-DESC", "*"): {
        "descriptions": ("observed (3) 1 3 1 7 ~08c",
            Reads(value(ANCHOR, 5, description="Clock"), value(LOCK, True, description=7), value(DOOR, "x"))),
    },
    ("CAT-FIELD-TYPE", "*"): {
        "labels": ('observed (3) "Integer" 2 "Float" 1 ~bad',
            Reads(value(ANCHOR, 5, type="Integer"), value(LOCK, True, type="Float"), value(DOOR, "x",
                type="Integer"))),
        "no labels": ("observed (1) ~70d", Reads(SERVED)),
        "labels are not the catalog's": ("fail 2 …ChildLock ~901",
            Reads(SERVED, value(LOCK, True, type="Float"),
                interpretation={"type_label_is_catalog_type": True})),
    },
    ("CAT-SUPPORT-VARIES", "*"): {
        "support": ("observed (4) 3 1 2 51 ~b32",
            Reads(SERVED, UNKNOWN, LOCKED, refusal(POWER), refusal(OPERATION, 409), exchange(DOOR, 200,
                b"{}"), value(BATTERY, 5))),
        "a broken one": ("observed (9) 1 1 55 ~e2f",
            Reads(SERVED, *tried(GONE), appliance={"supports": [LOCK]})),
        "a kind that the document does not name": ("observed 1 81 ~6fd",
            Reads(value(WARMER, True), appliance={"kind": "Kettle"})),
    },
    ("PROT-LIST", "*"): {
        "no list was asked for": ("inconclusive ~f3b", Reads()),
        "a list with keys that the catalog lacks": ('observed (1) 200 4 1 "Foo.Bar" ~9c1',
            Reads(listed(ITEMS), list=LISTS)),
        "a list of statuses, whose shape is not declared": ("observed (1) 200 ~a28",
            Reads(replace(STATUS_LIST, segment="status"), list=LISTS)),
        "a list of another shape": ("observed (1) 200 ~afd",
            Reads(listed(b'{"data": {"settings": 5}}'), list=LISTS)),
    },
    ("ENUM-SUBSET", "*"): {
        "values never seen": ("observed (1) 1 1 nothing PowerState ~6ac", Reads(enumerated(POWER, "On"))),
        "unlisted values": ("observed (4) 2 2 nothing PowerState TemperatureUnit ~242",
            Reads(enumerated(POWER, "Asleep"), replace(enumerated(POWER, "Idle"), groups=(AGAIN,),
                ha_id="two"), LOCKED, enumerated("Vendor.Common.Setting.TemperatureUnit", "Celsius",
                allowed=["Kelvin"]))),
    },
    ("PROT-SHAPE", "*"): {
        "a shape": ("observed application/json '/data/value' ~2ed", Reads(SERVED)),
        "no shape": ("observed ~445", Reads(GONE)),
    },
    ("PROT-ERRORS", "*"): {
        "errors": ("observed 200 1 404 3 409 1 ~13f",
            Reads(SERVED, GONE, refusal(POWER), refusal(DOOR), exchange(OPERATION, 200),
                value(OPERATION, RUN, group=AGAIN), refusal(OPERATION, group=AGAIN))),
        "no errors, and surplus bytes": ("observed 1 2 ~2e1", Reads(surplus(3), SERVED)),
    },
    ("PROT-AUTH", "*"): {
        "access": ("observed 1 ~6c5",
            Reads(SERVED, exchange(LOCK, 401), exchange(POWER, 403), GONE,
                auth={"headers": {"Authorization": "${TOKEN}", "X-Key": "${TOKEN}"}})),
        "access without anything": ("observed nothing 0 ~2ce", Reads(SERVED)),
    },
    ("PROT-RATE", "*"): {
        "no pace": ("observed 16 1 ~a49", Reads(SERVED, exchange(LOCK, 429))),
    },
    ("PROT-WRITE", "*"): {
        "a number with a point": ("observed /api/homeappliances/{ha_id}/settings/{key} 35 37 ~9d6",
            Reads(SERVED, *procedure(setting_group(FRIDGE), read(FRIDGE, 4), write(FRIDGE, 6), write(FRIDGE,
                6.0, 400), write(FRIDGE, 4)), write=write_table("*"))),
        "a point, and it is taken": ("observed /api/homeappliances/{ha_id}/settings/{key} 35 37 ~4e5",
            Reads(SERVED, *procedure(setting_group(FRIDGE), read(FRIDGE, 4), write(FRIDGE, 6.0)),
                write=write_table("*"))),
        "no writes": ("inconclusive ~282", Reads(SERVED)),
    },
}
# fmt: on

test_notes = Reads.each_of(ROWS)


# What keeps a key from being written, which values are the same, and what a wrong one hints at.
LOCAL = "Vendor.Common.Status.LocalControlActive"
WRITE, STATUSES = write_table("*Power*"), write_table("*Power*", status_path=STATUS_PATH)


@pytest.mark.parametrize(
    ("level", "write", "key", "field"),
    [
        ("read", WRITE, POWER, "--level write"),
        ("write", None, POWER, "write"),
        ("write", WRITE, LOCK, "write.allow"),
        ("write", WRITE, LOCAL, "write.status_path"),
        ("write", STATUSES, LOCAL, ""),
        ("write", WRITE, POWER, "--level power"),
        ("power", WRITE, POWER, ""),
        ("attended", WRITE, POWER, ""),
        ("write", WRITE, "Refrigeration.Common.Setting.Light.Internal.Power", ""),
    ],
)
def test_why_a_key_is_not_written(level: Any, write: object, key: str, field: str) -> None:
    """The level, the declaration or the list keeps a key from being written, and is named."""
    omission = why_not_written(profile_of(write=write), level, key)
    assert (omission.field if omission else "") == field


# What a number outside its range may mean; no verdict rests on it.
OR_CELSIUS = "or it looks like °C: 4.5 °C are 40.1 °F"
HINTS: dict[str, tuple[str, float, tuple[float, float] | None, str]] = {
    "tenths": (SETPOINT, 4.5, (20, 80), f"ten times 4.5 lies within; {OR_CELSIUS}"),
    "times ten": (SETPOINT, 505, (20, 80), "a tenth of 505 lies within"),
    "degrees Fahrenheit": (
        SETPOINT,
        39,
        (2, 8),
        "a tenth of 39 lies within; or it looks like °F: 39 °F are 3.9 °C",
    ),
    "no unit of a volume": (DOSING_1, 39, (2, 3.5), ""),
    "not available": (SETPOINT, -32768, (2, 8), "-32768 often means that no value is available"),
    "within": (SETPOINT, 5, (2, 8), ""),
    "the least": (SETPOINT, 2, (2, 20), ""),
    "the most": (SETPOINT, 20, (2, 20), ""),
    "zero": (SETPOINT, 0, (2, 8), ""),
    "no bounds": (SETPOINT, 50, None, ""),
    "the common range": (ALARM_CLOCK, 383_000, None, "a tenth of 383000 lies within"),
    "a percentage": ("Vendor.Common.Setting.AmbientLightBrightness", 5, None, "ten times 5 lies within"),
    "a share": (SETPOINT, 0.05, (5, 8), "a hundred times 0.05 lies within"),
    "nothing near": (SETPOINT, 5_000_000, (2, 8), ""),
}


@pytest.mark.parametrize("name", HINTS)
def test_hint_says_what_a_value_may_mean(name: str) -> None:
    """Another scale, another unit, a number that stands for nothing; where nobody can tell, nothing."""
    key, shown, bounds, hint = HINTS[name]
    members: dict[str, Any] = {"min": bounds[0], "max": bounds[1]} if bounds else {}
    kind = "Washer" if key == DOSING_1 else "Oven" if key == ALARM_CLOCK else "Refrigerator"
    answer = seen_of(profile_of(kind), value(key, shown, **members)).read(key)
    assert answer
    assert hint_of(CATALOG.entries[key], answer) == hint


def test_finding_has_its_hint() -> None:
    """It stands beside the finding, which stays as it is; without a finding it stands beside the verdict."""
    seen = seen_of(profile_of("Oven"), value(ALARM_CLOCK, 383_000))
    failed = ruling("RANGE-ALARMCLOCK", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", HINTS["the common range"][3])
    (notice,) = notices_of([seen_of(profile_of(), value(SETPOINT, -32768))])
    assert notice == f"one gave -32768 for SetpointTemperatureRefrigerator: {HINTS['not available'][3]}"


def test_a_value_of_the_run_has_no_hint() -> None:
    """A forbidden number that was written and stored looks like nothing but itself."""
    stored = attempt(ALARM_CLOCK, 38341, 38341, 38341) * 2
    tries = procedure(guard_group(ALARM_CLOCK), read(ALARM_CLOCK, 0), stored)
    seen = traced([*working(ALARM_CLOCK, 0, 60), *tries])
    failed = ruling("RANGE-WRITE-OUT", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", "")


def test_what_may_be_put_back_is_a_value_of_the_key() -> None:
    """Of its type, in its range; and a key stands under a segment of its own."""
    for answer, is_admitted in (
        (value(CHILD_LOCK, shown=True), True),
        (value(CHILD_LOCK, "yes"), False),
        (refusal(CHILD_LOCK), False),
    ):
        seen = seen_of(profile_of(), answer)
        found = seen.reads["settings", CHILD_LOCK]
        assert seen.admits(found) is is_admitted
        assert seen.here(CHILD_LOCK).entry is CATALOG.entries[CHILD_LOCK]
        assert segment_of(found) == "settings"


NOW, NEXT, LATER = setting_group(CHILD_LOCK), guard_group(ECO_MODE), edge_group(CHILD_LOCK)


def test_read_that_was_known_is_of_each_procedure() -> None:
    """It stands among what they made themselves, in the order of the run."""
    early, own, late = numbered([value(CHILD_LOCK, shown=shown) for shown in (1, 2, 3)])
    found = Observations(profile_of(), [early, own, late], [])
    answers = {one.n: found.answer(one) for one in (early, own, late)}
    made = known((NOW, NEXT, LATER), HA_ID, early)
    assert (made.key, made.ha_id, read_of(made)) == (CHILD_LOCK, HA_ID, 1)
    assert groups_of(made) == (NOW, NEXT, LATER)
    remarks = [made, replace(made, purpose="others"), renumbered(made, {2: 9})]
    assert [read_of(renumbered(made, numbers)) for numbers in ({1: 3}, {})] == [3, NOWHERE]
    heard = Remark("event", NOW, HA_ID, CHILD_LOCK, {"heard": 1})
    assert renumbered(heard, {1: 3}) == heard
    whole = with_known({NOW: [answers[2], answers[3]]}, remarks, answers.get)
    shown = {group: [one.n for one in read] for group, read in whole.items()}
    assert shown == {NOW: [1, 2, 3], NEXT: [1], LATER: [1]}


def test_somebody_else_who_writes_is_named() -> None:
    """With what moved, from which value to which, and when."""
    read = replace(value(CHILD_LOCK, shown=True), at="2026-01-01T10:49:32.000+00:00")
    now = next(iter(seen_of(profile_of(), read).reads.values()))
    noted = moved_by_others(False, now)
    assert (noted.purpose, noted.group, noted.ha_id, noted.key) == ("others", WATCH, HA_ID, CHILD_LOCK)
    other = Remark("operator", WATCH, HA_ID, "*", {"said": "yes"})
    seen = seen_of(profile_of(), read, remarks=[other, noted])
    assert others_in(seen.remarks).startswith(
        "ChildLock of one went from false to true, which this run did not do (10:49:32 UTC): somebody else"
    )
    assert others_in(seen_of(profile_of(), read, remarks=[other]).remarks) == ""
    assert others_in(seen_of(profile_of(), read).remarks) == ""
