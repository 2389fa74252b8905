"""Words of the reports: times that are the same everywhere, reasons that are counted together, and one
sentence for access that fails everywhere.
"""

import time
from collections.abc import Generator
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.samples.pages import Seen
from conformance.selftest.support.samples.results import PASS, a_case, results_of
from conformance.selftest.support.samples.shown_runs import show
from reports.phrases import lead, mask
from reports.texts import duration_s, one_line, period

IDS = [f"READ-SETTING::Vendor.Common.Setting.PowerState@fridge-{number}" for number in range(20)]
BEFORE_TIME = "0001-01-01T00:00:00+14:00"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a long word", "a long word"),
        ("a long word too many", "a long word …"),
        ("incomprehensibilities", "incomprehensi…"),
        ("a incomprehensibilities", "a incomprehen…"),
    ],
)
def test_text_is_cut_between_words(text: str, said: str) -> None:
    """What is too long for its line ends before a word, unless that word is most of it."""
    assert one_line(text, 14) == said


def test_reason_for_no_certificate_ends_with_a_whole_id(tmp_path: Path) -> None:
    """A report cuts a long reason before an id of a case."""
    results = replace(results_of(PASS), certify=True, refused=(f"claimed: {', '.join(IDS)}",))
    text = Seen(show(tmp_path, results).read_text(encoding="utf-8")).text
    told = text.partition("No certificate: claimed: ")[2].partition(", …")[0].split(", ")
    assert 10 < len(told) < len(IDS)
    assert told == IDS[: len(told)]


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A machine whose clock is nine hours ahead."""
    monkeypatch.setenv("TZ", "Elsewhere-9")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize(
    ("started", "finished", "said"),
    [
        ("2026-11-21T09:00:00Z", "2026-11-21T09:04:11Z", "21 Nov 2026, 09:00:00 to 09:04:11 UTC"),
        ("2026-11-21T09:00:00", "2026-11-21T09:04:11", "21 Nov 2026, 09:00:00 to 09:04:11 UTC"),
        (
            "2026-11-21T23:00:00+00:00",
            "2026-11-22T02:00:00+01:00",
            "21 Nov 2026, 23:00:00 to 22 Nov 2026, 01:00:00 UTC",
        ),
        ("yesterday", "today", "yesterday to today"),
        (BEFORE_TIME, "2026-11-21T09:04:11Z", f"{BEFORE_TIME} to 2026-11-21T09:04:11Z"),
    ],
)
def test_period_is_the_same_everywhere(started: str, finished: str, said: str) -> None:
    """Two moments are told in UTC wherever the page is made; texts that are none stay as they are."""
    assert period(started, finished) == said


POWER, ON = "Vendor.Common.Setting.PowerState", "Vendor.Common.EnumType.PowerState.On"
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


def test_no_moment_lasts_no_time() -> None:
    """Between texts that name no moment no time is counted."""
    assert duration_s("2026-11-21T09:00:00Z", "2026-11-21T09:00:01.5Z") == 1.5
    assert duration_s(BEFORE_TIME, "now") == 0.0


@pytest.mark.parametrize("said", REASONS)
def test_reason_is_folded_without_touching_values(said: str) -> None:
    """The case's own key and appliance are replaced as whole words, and not in values."""
    case = a_case("PWR-READBACK", "inconclusive", POWER, JudgedAppliance("one", "Oven"), message=said)
    assert mask(case) == REASONS[said]


WHY = "access is refused (status 401): declare in a profile what the target asks for"
SILENT = results_of(
    *(
        a_case("ADDR-BASE", "inconclusive", "*", JudgedAppliance(f"oven-{number}", "Oven"), message=WHY)
        for number in range(1_000)
    )
)


def test_refused_access_is_one_sentence() -> None:
    """The first appliances are named, the others counted, and the reason stands once."""
    told = lead(SILENT)
    assert told.startswith("No value could be read from 1,000 appliances, oven-0, oven-1, ")
    assert (told.count(WHY), "and 992 more" in told, len(told) < 400) == (1, True, True)


def test_reason_that_names_its_appliance_stands_once() -> None:
    """Two reasons that differ in the appliance alone are one; another one follows."""
    asked = [f"HTML, no JSON. GET /{name}/settings was asked" for name in ("oven-0", "oven-1")]
    told = lead(
        results_of(
            *(
                a_case(
                    "ADDR-BASE", "inconclusive", "*", JudgedAppliance(f"oven-{number}", "Oven"), message=why
                )
                for number, why in enumerate([*asked, WHY])
            )
        )
    )
    assert (told.count("HTML, no JSON"), f"{asked[0]}; {WHY}." in told) == (1, True)
