"""What was merely seen is judged: what holds at one time, and is seen at two."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, OPERATION_STATE, POWER_STATE
from conformance.captures.taking import take
from conformance.cases import CATALOG, all_cases, check_of
from conformance.profiles.validation import build_profile
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.samples.captured import BASE, entry, har, url_of, write

DECLARED = {
    "target": {"name": "hub", "base_url": BASE},
    "answer": {"value": "/data/value"},
    "appliance": [{"ha_id": "fridge-1", "kind": "Refrigerator"}],
}
LOCK, POWER, OPERATION = url_of(CHILD_LOCK), url_of(POWER_STATE), url_of(OPERATION_STATE, "status")
ON, INACTIVE = (f"Vendor.Common.EnumType.{name}" for name in ("PowerState.On", "OperationState.Inactive"))


def said(tmp_path: Path, case: str, *entries: Mapping[str, Any]) -> tuple[str, str]:
    """Verdict and finding of a case (`CLAUSE::key`) of a capture."""
    identity = "1.0", "c" * 64, "d" * 64
    profile = build_profile(DECLARED, CATALOG, source="x.toml")
    take([har(tmp_path / "x.har", entries)], profile, tmp_path / "seen.ndjson", identity, CATALOG)
    session = Session.of_saved(SavedRun(tmp_path / "seen.ndjson"), tmp_path)
    cases = all_cases(session.profile, "seen")
    session.select(cases)
    session.read()
    (chosen,) = (one for one in cases if one.id == f"{case}@fridge-1")
    judged = session.judge(chosen, check_of(chosen))
    return judged.verdict, judged.message


def values(url: str, *values: object, every_s: float = 300) -> Sequence[Mapping[str, Any]]:
    """What a key gave, again and again."""
    return [entry(url, value, number * every_s) for number, value in enumerate(values)]


TEXT = 'value is "true" (string), document says Boolean'


@pytest.mark.parametrize(
    ("shown", "verdict", "words"),
    [
        ((True, False), "pass", ""),
        (("true", "true"), "fail", TEXT),
        ((True, "true", True, "true"), "fail", TEXT),
        (("true",), "inconclusive", f"{TEXT}; seen once"),
        ((True, "true", True), "inconclusive", f"{TEXT}; seen once"),
    ],
)
def test_finding_needs_two_exchanges(
    tmp_path: Path, shown: Sequence[object], verdict: str, words: str
) -> None:
    """Nobody can be asked again."""
    assert said(tmp_path, f"TYPE-BOOLEAN::{CHILD_LOCK}", *values(LOCK, *shown)) == (verdict, words)


def test_key_that_nobody_read_is_not_judged(tmp_path: Path) -> None:
    """It is listed so, with what would change that."""
    got = said(tmp_path, f"TYPE-ENUM::{POWER_STATE}", *values(LOCK, True))
    assert got == ("not_judged", "no answer of success was seen")


def states(every_s: float, times: int) -> list[Mapping[str, Any]]:
    """PowerState On beside OperationState Inactive, which contradict each other once settled."""
    return [
        one
        for number in range(times)
        for one in (entry(POWER, ON, number * every_s), entry(OPERATION, INACTIVE, number * every_s + 1))
    ]


@pytest.mark.parametrize(
    ("seen", "verdict"),
    [
        (states(30, 4), "fail"),
        (states(30, 2), "inconclusive"),
        (states(3600, 9), "inconclusive"),
        ([*states(30, 2), write(POWER, ON, 50), *states(30, 4)[4:]], "inconclusive"),
    ],
    ids=["stays", "not long enough", "hours apart", "written meanwhile"],
)
def test_states_contradict_each_other_where_they_stay(
    tmp_path: Path, seen: Sequence[Mapping[str, Any]], verdict: str
) -> None:
    """Two that were read hours apart, or before and after a write, do not."""
    assert said(tmp_path, f"OPS-ON-NOT-INACTIVE::{OPERATION_STATE}", *seen)[0] == verdict


def test_null_of_a_key_that_nobody_claims_is_a_doubt(tmp_path: Path) -> None:
    """It may be how the appliance answers for what it does not have."""
    beside = values(POWER, ON, ON)
    verdict, words = said(tmp_path, f"TYPE-NOTNULL::{CHILD_LOCK}", *values(LOCK, None, None), *beside)
    assert (verdict, words.rpartition("; ")[2]) == (
        "inconclusive",
        "nobody claims it, and it gave no value at any time",
    )
