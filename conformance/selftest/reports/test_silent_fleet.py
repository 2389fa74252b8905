"""Access that fails everywhere is told in one sentence, however many appliances there are."""

from __future__ import annotations

from conformance.selftest.support.samples.results import a_case, results_of
from reports.phrases import lead
from reports.results.build import exit_code
from reports.results.run_facts import JudgedAppliance

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


def test_refused_access_ends_with_3() -> None:
    """Nothing is known of the target."""
    assert exit_code(SILENT) == 3
