"""The page of a large fleet shows appliances together that are alike, and stays small where none are."""

import re
from dataclasses import replace

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.samples.results import FRIDGE, RUN, a_case, results_of
from reports.page.document import render_page
from reports.page.matrix import MOST_SHOWN, MOST_SINGLE, shown_fleet
from reports.results.model import CaseResult
from reports.results.run_facts import JudgedAppliance

KEYS = tuple(load_catalog().entries)
LARGE = 1_000
MOST_BYTES = 5_000_000


def fleet_of(size: int) -> tuple[JudgedAppliance, ...]:
    """So many refrigerators and ovens in turns."""
    kinds = (FRIDGE.kind, "Oven")
    return tuple(JudgedAppliance(f"appliance-{number:04}", kinds[number % 2]) for number in range(size))


def cases_of(appliances: tuple[JudgedAppliance, ...], *, differing: bool) -> list[CaseResult]:
    """A case of every key and appliance; where they are `differing`, no two appliances ended alike."""
    return [
        a_case("TYPE-INTEGER", "fail" if differing and place >> bit & 1 else "pass", key, appliance)
        for place, appliance in enumerate(appliances)
        for bit, key in enumerate(KEYS)
    ]


def test_small_fleet_is_shown_one_by_one() -> None:
    """As long as a person can look at each."""
    run = replace(RUN, appliances=fleet_of(MOST_SINGLE))
    fleet = shown_fleet(results_of(*cases_of(run.appliances, differing=False), run=run))
    assert [one.name for one in fleet.appliances] == [one.ha_id for one in run.appliances]


def test_those_that_ended_alike_are_one_column() -> None:
    """Those of each kind, and one that has failed by itself."""
    appliances = fleet_of(LARGE)
    cases = cases_of(appliances, differing=False)
    results = results_of(
        replace(cases[0], verdict="fail"), *cases[1:], run=replace(RUN, appliances=appliances)
    )
    assert [one.name for one in shown_fleet(results).appliances] == [
        "appliance-0000",
        f"appliance-0001 and {LARGE // 2 - 1} alike",
        f"appliance-0002 and {LARGE // 2 - 2} alike",
    ]


@pytest.mark.parametrize("differing", [False, True])
def test_page_of_a_thousand_appliances_is_small(*, differing: bool) -> None:
    """It counts every case, whatever is shown together; those that failed most stand by themselves."""
    appliances = fleet_of(LARGE)
    cases = cases_of(appliances, differing=differing)
    results = results_of(*cases, run=replace(RUN, appliances=appliances))
    text = render_page(results, load_catalog(), {})
    assert len(text.encode()) < MOST_BYTES
    table = text[text.index('<table id="by-appliance"') :]
    rows = re.findall(r"<tr>.*?data-appliance>(.*?)</th>(.*)</tr>", table[: table.index("</table>")])
    counted = sum(
        int(number.replace(",", "")) for _, row in rows for number in re.findall(r">([\d,]+)<", row)
    )
    assert (counted, len(rows)) == (len(cases), MOST_SHOWN + 2 if differing else 2)
