"""Waivers: a known failure is shown and does not fail the run, as long as it is still true."""

from dataclasses import replace
from datetime import date

import pytest

from conformance.checks.verdict import Verdict
from conformance.profiles.model import Waiver
from conformance.selftest.support.samples.results import FAIL, FRIDGE
from reports.results.findings import apply_waivers
from reports.results.model import CaseResult

STARTED = "2026-11-21T10:00:00+00:00"
GLOB = "RANGE-ALARMCLOCK::*@fridge-1"


def case(verdict: Verdict, ha_id: str = FRIDGE.ha_id) -> CaseResult:
    """A case of the alarm clock's range."""
    return replace(FAIL, id=FAIL.id.replace(FRIDGE.ha_id, ha_id), ha_id=ha_id, verdict=verdict)


def waiver(glob: str = GLOB, expires: str = "2026-11-21") -> Waiver:
    """A waiver that is valid for one more day."""
    day = date.fromisoformat(expires)
    return Waiver(case=glob, reason="firmware 3.3 mends it", owner="hub team", expires=day)


def test_only_a_matching_failure_is_waived() -> None:
    """The failing case that the glob names is waived, the same failure of another appliance is not."""
    settled, (used,) = apply_waivers([case("fail"), case("fail", "oven-2")], [waiver()], started=STARTED)
    assert [one.waived for one in settled] == [True, False]
    assert (used.state, used.waives, used.stale) == ("used", (settled[0].id,), "")


@pytest.mark.parametrize(
    ("glob", "expires", "verdict", "reason"),
    [
        (GLOB, "2026-11-20", "fail", "expired on 2026-11-20"),
        ("RANGE-ALARMCLOCK::*@oven-9", "2027-01-01", "fail", "matches no case"),
        (GLOB, "2027-01-01", "pass", "nothing fails there any more"),
        (GLOB, "2027-01-01", "not_applicable", "nothing fails there any more"),
    ],
)
def test_stale_waiver_is_named_with_its_reason(
    glob: str, expires: str, verdict: Verdict, reason: str
) -> None:
    """A waiver that is expired, matches nothing or passes is stale, and waives nothing."""
    settled, (record,) = apply_waivers([case(verdict)], [waiver(glob, expires)], started=STARTED)
    assert (record.stale, settled[0].waived) == (f"{glob}: {reason} (hub team)", False)


def test_inconclusive_case_keeps_its_waiver() -> None:
    """What could not be judged tonight neither uses nor outdates a waiver."""
    settled, (record,) = apply_waivers([case("inconclusive")], [waiver()], started=STARTED)
    assert (settled[0].waived, record.state, record.stale) == (False, "open", "")


def test_selection_does_not_outdate_a_waiver() -> None:
    """Where only some cases were selected, a waiver of another case is not stale."""
    _, (record,) = apply_waivers([case("pass", "oven-2")], [waiver()], started=STARTED, partial=True)
    assert record.stale == ""
