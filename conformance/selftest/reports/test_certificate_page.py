"""The certificate as a page to sign and file, and what `verify` lists of it."""

import re
from itertools import cycle
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Browser

from conformance.model.state_table import STATES
from conformance.records.results import WaiverResult
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.commands import command
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.results import (
    FAIL,
    RUN,
    a_case,
    results_of,
)
from conformance.selftest.support.samples.shown_runs import show
from reports.page.certificate_page import MOST_APPLIANCES
from reports.renderings import render_signable

EVIL = "</style><script>alert(1)</script>\x1b[31m"
FLEET = tuple(
    JudgedAppliance(f"MAKER-{number}-{EVIL}", kind) for number in range(300) for kind in ("Oven", EVIL)
)


@pytest.fixture(scope="module")
def conditional(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A certified run of lights that are off."""
    return command(
        "run",
        "variant:lights-off-null",
        "--level",
        "read",
        "--certify",
        directory=tmp_path_factory.mktemp("off"),
    )


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
    certified = replace(results, certify=True, refused=(), waivers=(waiver,) * 40)
    directory.mkdir()
    (directory / "evidence.ndjson").touch()
    return show(directory, certified).with_name("results.json")


@pytest.mark.parametrize("which", ["small", "large"])
def test_certificate_prints_on_two_pages(
    which: str, browser: Browser, conditional: Ran, tmp_path: Path
) -> None:
    """Whatever the size of the fleet; nothing that a server or a profile says is more than a text in it."""
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


def test_large_fleet_is_counted_by_kind(tmp_path: Path) -> None:
    """Rows that no page holds are counted; each waiver that is left out is counted, too."""
    text = render_signable(large(tmp_path / "run"))
    assert len(FLEET) > MOST_APPLIANCES
    assert "counted by kind" in text
    assert "MAKER-0" not in text
    assert "And 37 further waivers" in text


def test_times_have_one_form(conditional: Ran) -> None:
    """Nobody has to read RFC 3339 in what is made for people: day first, to the second, UTC."""
    texts = [(conditional.out / name).read_text(encoding="utf-8") for name in ("report.html", "summary.md")]
    assert [re.findall(r"\d{4}-\d\d-\d\d(?:T[\d:.+]+)?", text) for text in texts] == [[], []]


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
