"""What a check needs to be read, what it hints at, and which field would change what it says."""

import hashlib
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, DOSING_1, SETPOINT
from conformance.cases import CATALOG
from conformance.checks.case import Case
from conformance.checks.exchange import Cut, Remark, character_set
from conformance.checks.groups import Group, guard_group
from conformance.checks.hints import hint_of
from conformance.checks.learned import Trail
from conformance.checks.permission import below, why_not_written
from conformance.checks.reads.ranges import assert_in_common_range
from conformance.checks.reads.reading import walks
from conformance.checks.writes.guarding import inside
from conformance.checks.writes.judging import judge_writes
from conformance.model.json_values import same, type_word
from conformance.records.results import CaseResult
from conformance.runs.notices import notices_of
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    STATUS_PATH,
    exchange,
    judged,
    profile_of,
    refusal,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.samples.handtraced import attempt, procedure, read, traced, working

POWER, LOCK, MAP = (
    "Vendor.Common.Setting.PowerState",
    "Vendor.Common.Setting.ChildLock",
    "ConsumerProducts.CleaningRobot.Setting.NameOfMap1",
)
CAMERA, LOCAL = "Vendor.Common.Status.Video.CameraState", "Vendor.Common.Status.LocalControlActive"
UNIT, VOLUME = (f"Vendor.Common.Setting.{name}Unit" for name in ("Temperature", "LiquidVolume"))
WATER = "ConsumerProducts.CoffeeMaker.Status.BeverageCounterHotWater"
FRIDGE = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FAHRENHEIT = value(UNIT, "Vendor.Common.EnumType.TemperatureUnit.Fahrenheit")
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


def test_levels_say_what_they_leave_out() -> None:
    """A level that is too low is named with what it does not do."""
    assert below("attended").words == "a person or a test bench acts at level attended (--level attended)"


def test_settings_that_are_watched() -> None:
    """Boolean and enumeration settings are, and nothing else."""
    watched = [entry for entry in CATALOG.entries.values() if walks(entry)]
    kept = {"Boolean", "Enumeration"}
    assert watched == [entry for entry in CATALOG.settings if entry.type in kept]


def test_groups_and_cases_are_named() -> None:
    """A group is read back from its name; a case of no key has no subject."""
    assert all(str(Group.parse(text)) == text for text in ("version", "again/settings/x"))
    case = Case(CATALOG.clauses["ADDR-BASE"], None, "one", "Oven", "unknown", profile_of())
    assert (case.id, case.is_of_absent_kind) == ("ADDR-BASE::*@one", False)
    with pytest.raises(LookupError, match=r"ADDR-BASE::\*@one is about no single key"):
        _ = case.subject


@pytest.mark.parametrize("name", ["x" * 61, "unicode_escape", "rot13", "a\0b"])
def test_character_sets(name: str) -> None:
    """A name that is no character set of text stands for UTF-8."""
    assert [character_set(each) for each in ("latin-1", "UTF-16", name)] == ["latin-1", "UTF-16", "utf-8"]


def test_what_was_missed_is_noted() -> None:
    """A key that was not asked is missed; one that was asked, or lies elsewhere, is not."""
    trail = Trail()
    seen = seen_of(profile_of(), value(ANCHOR, 5)).along(trail)
    assert [seen.read(key) is None for key in (ANCHOR, LOCK, MAP)] == [False, True, True]
    assert (list(trail.missed), list(trail.answers)) == ([LOCK], [1])


def test_value_of_a_read_that_failed_is_that_of_its_tries() -> None:
    """A server error says nothing of the entry; the first try that gave a value does."""
    group = Group.parse(f"again/settings/{LOCK}")
    answers = value(ANCHOR, 5), exchange(LOCK, 500), value(LOCK, True)
    tries = [replace(each, groups=(group,)) for each in answers]
    assert seen_of(profile_of(), exchange(LOCK, 500), *tries).value(LOCK) is True
    assert seen_of(profile_of(), refusal(LOCK), *tries).value(LOCK) is None


NAN = float("nan")


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        *(
            ([1], [1], True),
            ({"a": float("nan")}, {"a": float("nan")}, True),
            (NAN, NAN, True),
            (1, 1.0, True),
            ("1", "1", True),
        ),
        *(([1], [2], False), (1, True, False)),
    ],
)
def test_values_that_are_the_same(one: object, other: object, *, alike: bool) -> None:
    """Values are compared as JSON has them: NaN is itself, true is no number."""
    assert same(one, other) is alike


def test_what_was_cut_is_known_by_its_digest() -> None:
    """Of a body that is over a bound, length and digest are kept."""
    assert Cut.of(b"abc", "body_bytes") == Cut(3, hashlib.sha256(b"abc").hexdigest(), "body_bytes")


def test_refusal_is_that_of_a_write() -> None:
    """What kept a write from being sent is told of writes alone."""
    group = Group.parse(f"set/{LOCK}")
    note: dict[str, Any] = {"refused": "not on the write list"}
    told = [Remark(purpose, group, "one", LOCK, note).refusal for purpose in ("write", "event")]
    assert told == ["not on the write list", ""]


WORDS = {"string": "yes", "number": 5.5, "boolean": True, "array": [1], "object": {"a": 1}, "null": None}


@pytest.mark.parametrize("word", WORDS)
def test_value_is_called_by_its_type(word: str) -> None:
    """A finding calls a value by its type in JSON."""
    assert type_word(WORDS[word]) == word


# What a number outside its range may mean; no verdict rests on it.
OR_CELSIUS = "or it looks like °C: 4.5 °C are 40.1 °F"
OR_FAHRENHEIT = "or it looks like °F: 39 °F are 3.9 °C"
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
    "no bounds": (SETPOINT, 50, None, ""),
    "the common range": (ALARM_CLOCK, 383_000, None, "a tenth of 383000 lies within"),
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
    failed = judged(assert_in_common_range, "RANGE-ALARMCLOCK", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", HINTS["the common range"][3])
    (notice,) = notices_of([seen_of(profile_of(), value(SETPOINT, -32768))])
    assert notice == f"one gave -32768 for SetpointTemperatureRefrigerator: {HINTS['not available'][3]}"


def test_a_value_of_the_run_has_no_hint() -> None:
    """A forbidden number that was written and stored looks like nothing but itself."""
    stored = attempt(ALARM_CLOCK, 38341, 38341, 38341) * 2
    seen = traced(
        [*working(ALARM_CLOCK, 0, 60), *procedure(guard_group(ALARM_CLOCK), read(ALARM_CLOCK, 0), stored)]
    )
    failed = judged(judge_writes(inside), "RANGE-WRITE-OUT", ALARM_CLOCK, seen)
    assert isinstance(failed.result, CaseResult)
    assert (failed.verdict, failed.result.hint) == ("fail", "")
