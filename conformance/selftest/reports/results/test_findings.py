"""One defect is told once: which cases make one finding, how findings and reasons are counted and
shown, and waived.
"""

from datetime import date
from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.verdict import Verdict
from conformance.mutants.registry import load_mutants
from conformance.profiles.model import Waiver
from conformance.records.results import CaseResult, DecidingExchange, RunEnding
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.samples.pages import Seen, html_of
from conformance.selftest.support.samples.results import FAIL, FRIDGE, PASS, RUN, a_case, results_of
from reports.phrases import by_reason, mask
from reports.results.findings import apply_waivers, findings_of, pairs_of

RELATED = pairs_of({one.id: (*one.same_fact, *one.same_answer) for one in CATALOG.clauses.values()})
OVEN = JudgedAppliance("oven-1", "Oven")
LOCK, CLOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "AlarmClock", "PowerState"))
OPERATION, REMOTE = "Vendor.Common.Status.OperationState", "Vendor.Common.Status.RemoteControlActive"


@pytest.mark.parametrize(
    "clause", [clause.id for clause in CATALOG.clauses.values() if clause.same_fact or clause.same_answer]
)
def test_relation_is_shown_by_a_mutant(clause: str) -> None:
    """Each clause that is related to others has a mutant that turns it red together with one of them."""
    pairs = {frozenset({mutant.clause, partner}) for mutant in load_mutants() for partner in mutant.partners}
    assert any(clause in pair for pair in pairs & RELATED)


def failed(
    clause: str, key: str = LOCK, appliance: JudgedAppliance = FRIDGE, manner: str = "", **seen: Any
) -> CaseResult:
    """A failed case; exchange 7 decides it, a value of its own key, unless another sight is given."""
    sight = replace(DecidingExchange(7, appliance.ha_id, seen.pop("of", key), "value"), **seen)
    return replace(
        a_case(clause, "fail", key, appliance, message=f"{clause} of {key}"), sights=(sight,), manner=manner
    )


TEXT: dict[str, Any] = {"type": "string"}
REFUSED: dict[str, Any] = {"outcome": "refused", "status": 404}
HOLDS = a_case("TYPE-BOOLEAN", "pass", REMOTE)
# fmt: off
ONE = {
    "two clauses on one answer": (failed("ENUM-KEYFORM", POWER), failed("ENUM-POWERSTATE", POWER)),
    "two clauses on one fact of a key": (failed("READ-SETTING", exchange=4, **REFUSED),
        failed("ADDR-SEG-SETTINGS", exchange=27)),
    "two keys that judge one fact": (failed("PWR-READBACK", POWER, of=OPERATION),
        failed("OPS-READY", OPERATION, exchange=8)),
    "a chain of partners": (failed("OPS-READY", OPERATION),
        failed("PWR-READBACK", POWER, of=OPERATION, exchange=8),
        failed("OPS-INACTIVE", OPERATION, exchange=9)),
    "a power state that reads stale": (failed("OPS-INACTIVE", OPERATION, of=POWER),
        failed("PWR-ON-OFF", POWER)),
    "one key of two appliances": (failed("TYPE-BOOLEAN", **TEXT),
        failed("TYPE-BOOLEAN", appliance=OVEN, **TEXT), HOLDS),
    "a key, and generated values of it": (failed("RANGE-WRITE-OUT", CLOCK),
        failed("RANGE-WRITE-OUT", "~generated", of=CLOCK, exchange=9)),
    "every key of an appliance": (failed("TYPE-BOOLEAN", **TEXT), failed("TYPE-BOOLEAN", REMOTE, **TEXT)),
    "every key of a segment": (failed("ADDR-KEY-LAST"), failed("ADDR-KEY-LAST", CLOCK),
        a_case("ADDR-KEY-LAST", "pass", REMOTE)),
}
TWO = {
    "clauses that have nothing to do with each other": (failed("TYPE-BOOLEAN", **TEXT),
        failed("READ-REPEAT")),
    "partners on two answers": (failed("ENUM-KEYFORM", POWER), failed("ENUM-POWERSTATE", POWER, exchange=8)),
    "partners on two keys": (failed("READ-SETTING", **REFUSED),
        failed("READ-VALUE", CLOCK, outcome="the body is malformed")),
    "partners on two appliances": (failed("READ-SETTING", **REFUSED), failed("READ-VALUE", appliance=OVEN)),
    "one key, two kinds of answer": (failed("READ-SETTING", **REFUSED),
        failed("READ-SETTING", appliance=OVEN, outcome="no response")),
    "one key, two manners": (failed("RANGE-ALARMCLOCK", CLOCK, manner="above the range"),
        failed("RANGE-ALARMCLOCK", CLOCK, OVEN, manner="below the range")),
    "two keys of an appliance of which a third is right": (failed("TYPE-BOOLEAN", **TEXT),
        failed("TYPE-BOOLEAN", REMOTE, **TEXT),
        a_case("TYPE-BOOLEAN", "pass", "Vendor.Common.Setting.AmbientLightEnabled"),
        a_case("TYPE-BOOLEAN", "pass", "Vendor.Common.Status.LocalControlActive")),
    "a key, and generated values of another": (failed("SET-TYPEGUARD", CLOCK),
        failed("SET-TYPEGUARD", "~generated", of=LOCK, exchange=9, **TEXT)),
    "a waived one beside one that is not": (failed("TYPE-BOOLEAN", **TEXT),
        replace(failed("TYPE-BOOLEAN", appliance=OVEN), waived=True)),
    "cases of which nothing is known": (a_case("TYPE-BOOLEAN", "fail", LOCK),
        a_case("TYPE-BOOLEAN", "fail", LOCK, OVEN)),
}
# fmt: on


@pytest.mark.parametrize("name", ONE)
def test_one_fact_is_one_finding(name: str) -> None:
    """Cases that clauses and answers show to be one fact are one finding."""
    (finding,) = findings_of(ONE[name], CATALOG)
    assert finding.cases == tuple(case.id for case in ONE[name] if case.verdict == "fail")
    assert finding.case == ONE[name][0].id


@pytest.mark.parametrize("name", TWO)
def test_two_faults_are_two_findings(name: str) -> None:
    """What may be two faults that look alike is not merged."""
    assert len(findings_of(TWO[name], CATALOG)) == 2


def test_keys_that_nobody_serves_share_a_line() -> None:
    """A key without a case but such as do not apply has no row in the matrix; it is named below."""
    absent = [a_case("TYPE-BOOLEAN", "not_applicable", LOCK, appliance) for appliance in (FRIDGE, OVEN)]
    half = [a_case("TYPE-INTEGER", "not_applicable", CLOCK, OVEN), PASS]
    html = html_of(results_of(*absent, *half))
    matrix = html.partition('<table class="matrix"')[2].partition("</table>")[0]
    assert ("AlarmClock" in matrix, "ChildLock" in matrix) == (True, False)
    assert "1 key that no appliance serves has no row" in Seen(html).text


ON = "Vendor.Common.EnumType.PowerState.On"
REASONS = {
    f"{POWER} gave no answer": "<key> gave no answer",
    "PowerState of one was not read": "<key> of <haId> was not read",
    "no one else answered: none, phone, one-2, PowerState2": (
        "no <haId> else answered: none, phone, one-2, PowerState2"
    ),
    f'"{ON}" is PowerState.': f'"{ON}" is <key>.',
    f"unit is {ON}": f"unit is {ON}",
    r'a name "say \" one \" twice" for one': r'a name "say \" one \" twice" for <haId>',
}
"""A reason as a case gives it, and as it stands where equal reasons are counted together."""


@pytest.mark.parametrize("said", REASONS)
def test_reason_is_folded_without_touching_values(said: str) -> None:
    """The case's own key and appliance are replaced as whole words, and not in values."""
    case = a_case("PWR-READBACK", "inconclusive", POWER, JudgedAppliance("one", "Oven"), message=said)
    assert mask(case) == REASONS[said]


def test_one_reason_of_several_keys_names_the_key_it_is_about() -> None:
    """What is said of one key in the cases of two is counted once, and what each says of its own."""
    appliance, said = JudgedAppliance("one", "Oven"), "ChildLock of one was not put back"
    cases = [
        *(
            a_case("SET-WRITABLE", "inconclusive", key, appliance, message=said)
            for key in (POWER, LOCK, POWER)
        ),
        *(
            a_case("TYPE-NOTNULL", "inconclusive", key, appliance, message=f"{key} was not read")
            for key in (POWER, LOCK)
        ),
    ]
    told = [(reason, len(alike)) for reason, alike in by_reason(cases)]
    assert told == [(said, 3), ("<key> was not read", 2)]


def test_reason_names_what_all_its_cases_name() -> None:
    """A key, or an appliance, is left out of a reason only where its cases name different ones."""
    one, two = JudgedAppliance("one", "Oven"), JudgedAppliance("two", "Oven")
    cases = [
        *(
            a_case(
                "SET-WRITABLE",
                "inconclusive",
                LOCK,
                appliance,
                message=f"ChildLock of {appliance.ha_id} is off",
            )
            for appliance in (one, two)
        ),
        a_case("TYPE-NOTNULL", "inconclusive", POWER, one, message="PowerState of one was not read"),
    ]
    told = [reason for reason, _ in by_reason(cases)]
    assert told == ["ChildLock of <haId> is off", "PowerState of one was not read"]


ENDING = RunEnding(replace(RUN, started="2026-11-21T10:00:00+00:00"))
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
    settled, (used,) = apply_waivers([case("fail"), case("fail", "oven-2")], [waiver()], ENDING)
    assert [one.waived for one in settled] == [True, False]
    assert (used.state, used.waives, used.stale) == ("used", (settled[0].id,), "")


@pytest.mark.parametrize(
    ("glob", "expires", "verdict", "reason"),
    [
        (GLOB, "2026-11-20", "fail", "expired on 2026-11-20"),
        ("RANGE-ALARMCLOCK::*@oven-9", "2027-01-01", "fail", "matches no case"),
        (GLOB, "2027-01-01", "pass", "nothing fails there any more"),
        (GLOB, "2027-01-01", "not_applicable", "nothing fails there any more"),
        (GLOB, "2026-11-21", "inconclusive", ""),
    ],
)
def test_stale_waiver_is_named_with_its_reason(
    glob: str, expires: str, verdict: Verdict, reason: str
) -> None:
    """A waiver that is expired, matches nothing or passes is stale, and waives nothing; what could not be
    judged tonight neither uses nor outdates one.
    """
    settled, (record,) = apply_waivers([case(verdict)], [waiver(glob, expires)], ENDING)
    told = f"{glob}: {reason} (hub team)" if reason else ""
    assert (record.stale, record.state == "open", settled[0].waived) == (told, not reason, False)


def test_selection_does_not_outdate_a_waiver() -> None:
    """Where only some cases were selected, a waiver of another case is not stale."""
    _, (record,) = apply_waivers([case("pass", "oven-2")], [waiver()], replace(ENDING, expected=2))
    assert record.stale == ""
