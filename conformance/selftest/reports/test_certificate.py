"""The certificate: what refuses it, what it says, and its page; and the waivers that it tells of."""

import json
import re
from datetime import date
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.json import encode
from msgspec.structs import replace
from playwright.sync_api import Browser

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE
from conformance.checks.verdict import Verdict
from conformance.model.state_table import STATES
from conformance.profiles.model import Waiver
from conformance.records.certificates import Certificate
from conformance.records.results import CaseResult, RunEnding, WaiverResult
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.altered import places_taken
from conformance.selftest.support.commands import command
from conformance.selftest.support.pages import Seen
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.results import CLAIMED, FAIL, FRIDGE, PASS, RUN, a_case, results_of
from conformance.selftest.support.shown_runs import show
from reports.certificate import (
    CertificateError,
    build_certificate,
    load_certificate,
    reach_in_words,
    read_certificate,
    render_certificate,
)
from reports.kills import Kills
from reports.page.certificate_page import certified
from reports.renderings import render_signable
from reports.results.findings import apply_waivers

KILLS = Kills("ef" * 32, {"TYPE-INTEGER": 7, "RANGE-ALARMCLOCK": 0})
HELD = replace(PASS, claimed=True)
OFF = replace(CLAIMED, exempt="X4", message="the appliance is off")
WAIVED = replace(FAIL, waived=True)
WAIVER = WaiverResult("RANGE-*@fridge-1", "mended in 3.3", "hub team", "2026-12-24", "used", (FAIL.id,))
STALE = replace(WAIVER, state="expired", waives=())
UNUSED = replace(STALE, state="open", expires="2026-12-01")


def certificate_of(*cases: CaseResult, waivers: tuple[WaiverResult, ...] = ()) -> Certificate:
    """The certificate of a run with these cases."""
    return build_certificate(replace(results_of(*cases), waivers=waivers), "12" * 32, KILLS)


LATER = replace(RUN, started="2026-11-20T09:00:00Z")


def test_certificate_ends_after_a_year_or_with_a_waiver() -> None:
    """With the first one that excuses a failure, and only such a one; without a condition it conforms."""
    excused, plain = certificate_of(PASS, WAIVED, waivers=(WAIVER, UNUSED)), certificate_of(PASS)
    assert (excused.verdict, excused.expires) == ("conforms conditionally", "2026-12-24T23:59:59+00:00")
    assert (plain.verdict, plain.expires) == ("conforms", "2027-11-21T09:04:11+00:00")


@pytest.mark.parametrize(
    ("cases", "waivers", "writes", "said"),
    [
        ((HELD,), (), 0, "No setting was written: "),
        ((HELD,), (), 9, "clauses were not judged."),
        ((HELD, OFF), (), 9, "1 claimed case was not decided because of a state of an appliance"),
        (
            (HELD, WAIVED),
            (WAIVER,),
            9,
            "1 failure that was found is answered for by hub team until 24 Dec 2026",
        ),
    ],
)
def test_page_says_what_the_certificate_does_not_show(
    cases: tuple[CaseResult, ...], waivers: tuple[WaiverResult, ...], writes: int, said: str
) -> None:
    """What was not written, not decided or waived stands in its first sentences, and never the contrary."""
    run = replace(RUN, requests=replace(RUN.requests, writes=writes))
    results = replace(results_of(*cases, run=run, certify=True), waivers=waivers, refused=())
    certificate = build_certificate(results, "", KILLS)
    page = Seen(certified(certificate)).text
    assert (said in page, "everything that is claimed was judged" in page.lower()) == (True, False)


def test_page_and_verify_count_the_settings_that_took_a_write() -> None:
    """Of the claimed settings, those whose writes had an effect: a level alone does not say how many."""
    took = replace(HELD, id="SET-WRITABLE::k", clause="SET-WRITABLE", key=ALARM_CLOCK)
    kept = replace(HELD, id="READ-SETTING::k", clause="READ-SETTING", key=CHILD_LOCK)
    status = replace(HELD, id="READ-STATUS::k", clause="READ-STATUS", key=DOOR_STATE)
    told = "1 of 2 claimed settings took a written value"
    run = replace(RUN, requests=replace(RUN.requests, writes=9))
    certificate = build_certificate(results_of(took, kept, status, run=run), "", KILLS)
    assert certificate.scope.appliances[0].written == [ALARM_CLOCK]
    assert told in reach_in_words(certificate)
    assert told in Seen(certified(certificate)).text


def test_names_of_one_appliance_stand_among_the_answers() -> None:
    """Two haIds of one appliance are not compared: whoever reads the certificate sees which they are."""
    run = replace(RUN, answers={**RUN.answers, "appliance.alias_of": '{"washer-1": "fridge-1"}'})
    certificate = build_certificate(results_of(HELD, run=run), "", KILLS)
    told = [gap.answer for gap in certificate.gaps if "alias_of" in gap.answered_by]
    assert [text.endswith('appliance.alias_of = {"washer-1": "fridge-1"}') for text in told] == [True]


def test_file_is_read_back(tmp_path: Path) -> None:
    """The written text is JSON with the same content; that of another run, or none, is not shown."""
    certificate = certificate_of(PASS, OFF)
    (tmp_path / "certificate.json").write_text(render_certificate(certificate), encoding="utf-8")
    assert load_certificate(tmp_path, RUN) == certificate
    assert load_certificate(tmp_path, LATER) is None
    assert load_certificate(tmp_path / "nowhere", RUN) is None


TWICE = render_certificate(certificate_of(PASS)).replace('"base_url":', '"vendor":')
"""Readers disagree on which of two members of one name counts."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no JSON object, or is cut short: Expecting value"),
        ("{", "is no JSON object, or is cut short: Expecting property name"),
        ("[]", "is no JSON object, or is cut short: it is a list"),
        ('{"schema": "appliance-conformance/certificate/1"}', "missing required field `verdict`"),
        pytest.param("[" * 1_000_000, "nested too deeply", id="nested"),
        (TWICE, '"vendor" stands twice in one object'),
    ],
)
def test_other_files_are_no_certificate(tmp_path: Path, text: str, said: str) -> None:
    """A file that is none says so with its name, and why."""
    (tmp_path / "certificate.json").write_text(text, encoding="utf-8")
    with pytest.raises(CertificateError, match=rf"certificate\.json: .*{said}"):
        read_certificate(tmp_path / "certificate.json")


def test_member_of_another_type_is_refused(tmp_path: Path) -> None:
    """Wherever a member has another type, there is no certificate, which is said in one line.

    What writing teaches of an appliance is a number, or null where nothing was written.
    """
    path = tmp_path / "certificate.json"

    def read(document: object) -> None:
        path.write_bytes(encode(document))
        read_certificate(path)

    certificate = certificate_of(HELD, OFF, WAIVED, waivers=(WAIVER,))
    places = places_taken(json.loads(render_certificate(certificate)), read, CertificateError)
    nothing = {f"scope.appliances.0.{name}" for name in ("slowest_effect_s", "quiet_s")}
    assert {place.partition(".")[0] for place in places - nothing} <= {"readings"}  # a Boolean or a word


# As a page, and what `verify` lists of it.
EVIL = "</style><script>alert(1)</script>\x1b[31m"
FLEET = tuple(
    JudgedAppliance(f"MAKER-{number}-{EVIL}", kind) for number in range(300) for kind in ("Oven", EVIL)
)


@pytest.fixture(scope="module")
def conditional(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A certified run of lights that are off."""
    words = ("run", "variant:lights-off-null", "--level", "read", "--certify")
    return command(*words, directory=tmp_path_factory.mktemp("off"))


def large(directory: Path) -> Path:
    """A certified run of 600 appliances with hostile names, half of them behind a state, and 40 waivers."""
    cases = [
        a_case("TYPE-NOTNULL", "inconclusive", appliance=one, claimed=True, message=EVIL)
        for one in FLEET[:300]
    ]
    exempt = [replace(case, exempt=state) for case, state in zip(cases, cycle(STATES), strict=False)]
    passed = [a_case("TYPE-INTEGER", "pass", appliance=one, claimed=True) for one in FLEET]
    results = results_of(replace(FAIL, waived=True), *exempt, *passed, run=replace(RUN, appliances=FLEET))
    waiver = WaiverResult(f"RANGE-*{EVIL}", EVIL * 9, EVIL, "2027-01-31", "used", (FAIL.id,))
    approved = replace(results, certify=True, refused=(), waivers=(waiver,) * 40)
    directory.mkdir()
    (directory / "evidence.ndjson").touch()
    return show(directory, approved).with_name("results.json")


@pytest.mark.parametrize("which", ["small", "large"])
def test_certificate_prints_on_two_pages(
    which: str, browser: Browser, conditional: Ran, tmp_path: Path
) -> None:
    """Whatever the size of the fleet: rows that no page holds are counted, and so are waivers left out.

    Nothing that a server or a profile says is more than a text in it.
    """
    results = large(tmp_path / "run") if which == "large" else conditional.out / "results.json"
    page = tmp_path / "certificate.html"
    text = render_signable(results)
    page.write_text(text, encoding="utf-8")
    shown = browser.new_page()
    shown.goto(page.as_uri())
    printed = shown.pdf(prefer_css_page_size=True)
    shown.close()
    assert len(re.findall(rb"/Type\s*/Page[^s]", printed)) == 2
    assert "<script" not in text
    assert "\x1b" not in text
    assert ("counted by kind" in text, "And 37 further waivers" in text) == (which == "large",) * 2
    assert "MAKER-0" not in text


def test_page_counts_what_the_certificate_holds(conditional: Ran, tmp_path: Path) -> None:
    """Cases and appliances by state, keys by appliance or by kind, and clauses by what the run lacked."""
    told = read_certificate(conditional.out / "certificate.json")
    text = Seen(render_signable(conditional.out / "results.json")).text
    places = {case.ha_id for case in told.conditions}
    lacking = {row.clause for row in told.scope.not_judged if row.field == "--level write"}
    assert f": {len(told.conditions)} cases on {len(places)} appliances" in text
    assert f"--level write ({len(lacking)} clauses)" in text
    for row in told.scope.appliances:
        assert f"{row.ha_id}{row.kind}{len(row.claimed)}{len(row.served)}{len(row.written)}" in text
    assert "Oven30030000" in Seen(render_signable(large(tmp_path / "run"))).text


def test_report_makes_the_page(conditional: Ran, tmp_path: Path) -> None:
    """`report DIR --format certificate` does; of a run without a certificate it says so and ends with 2."""
    page = command("report", str(conditional.out), "--format", "certificate").output
    for words in ("Conforms conditionally", "claimed cases, which a state", "Signed by", "kill matrix"):
        assert words in page
    refused = command("report", str(show(tmp_path, results_of(FAIL)).parent), "--format", "certificate")
    assert (refused.code, "no certificate of this run" in refused.output) == (2, True)


def test_verify_lists_the_conditions(conditional: Ran) -> None:
    """`verify DIR` names the states with their cases, and how many claimed cases they excuse."""
    verified = command("verify", str(conditional.out))
    assert verified.code == 0
    assert re.search(r"it says nothing of \d+ of \d+ claimed cases:", verified.output)
    assert re.search(r"- the light is off: \d+ cases of hood-1", verified.output)


# Which failures a waiver excuses, and when it is stale.
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
