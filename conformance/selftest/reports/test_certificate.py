"""The certificate: what refuses it, and what it says."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.records.certificates import (
    Certificate,
)
from conformance.records.results import CaseResult, WaiverResult
from conformance.selftest.support.samples.pages import Seen
from conformance.selftest.support.samples.results import (
    CLAIMED,
    FAIL,
    PASS,
    RUN,
    results_of,
)
from reports.certificate import (
    CertificateError,
    build_certificate,
    load_certificate,
    read_certificate,
    render_certificate,
)
from reports.kills import Kills
from reports.page.certificate_page import certified

KILLS = Kills("ef" * 32, {"TYPE-INTEGER": 7, "RANGE-ALARMCLOCK": 0})
HELD = replace(PASS, claimed=True)
OFF = replace(CLAIMED, exempt="X4", message="the appliance is off")
WAIVED = replace(FAIL, waived=True)
WAIVER = WaiverResult("RANGE-*@fridge-1", "mended in 3.3", "hub team", "2026-12-24", "used", (FAIL.id,))
STALE = replace(WAIVER, state="expired", waives=())
UNUSED = replace(STALE, state="open", expires="2026-12-01")


def certificate_of(*cases: CaseResult, waivers: tuple[WaiverResult, ...] = ()) -> Certificate:
    """The certificate of a run with these cases."""
    return build_certificate(replace(results_of(*cases), waivers=waivers), load_catalog(), "12" * 32, KILLS)


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
    certificate = build_certificate(results, load_catalog(), "", KILLS)
    page = Seen(certified(certificate, load_catalog())).text
    assert (said in page, "everything that is claimed was judged" in page.lower()) == (True, False)


def test_file_is_read_back(tmp_path: Path) -> None:
    """The written text is JSON with the same content; that of another run, or none, is not shown."""
    certificate = certificate_of(PASS, OFF)
    (tmp_path / "certificate.json").write_text(render_certificate(certificate), encoding="utf-8")
    assert load_certificate(tmp_path, RUN) == certificate
    assert load_certificate(tmp_path, LATER) is None
    assert load_certificate(tmp_path / "nowhere", RUN) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[]", "no JSON object"),
        ('{"schema": "appliance-conformance/certificate/1"}', "missing required field `verdict`"),
        ("[" * 9_999, "nested too deeply"),
    ],
)
def test_other_files_are_no_certificate(tmp_path: Path, text: str, said: str) -> None:
    """A file that is none says so with its name, and why."""
    (tmp_path / "certificate.json").write_text(text, encoding="utf-8")
    with pytest.raises(CertificateError, match=rf"certificate\.json: .*{said}"):
        read_certificate(tmp_path / "certificate.json")


def test_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    """Readers disagree on which of two members of one name counts, so the one that stands twice is named."""
    text = render_certificate(certificate_of(PASS)).replace('"base_url":', '"vendor":')
    (tmp_path / "certificate.json").write_text(text, encoding="utf-8")
    with pytest.raises(CertificateError, match='"vendor" stands twice in one object'):
        read_certificate(tmp_path / "certificate.json")
