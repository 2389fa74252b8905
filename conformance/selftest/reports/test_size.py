"""report.html stays small enough to open at once, however much was judged or sent."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from catalog.loader import load_catalog
from conformance.selftest.support.large import CASES, FINDINGS, large_report
from conformance.selftest.support.sample_results import ALARM, a_case, results_of
from conformance.selftest.support.shown_runs import exchange
from reports.page.document import render_page
from reports.page.shown_findings import ROOM

if TYPE_CHECKING:
    from pathlib import Path

MOST_BYTES = 3_000_000


def test_report_of_many_cases_is_small(tmp_path: Path) -> None:
    """25,000 cases with 200 findings make a page of less than 3 MB that shows every finding."""
    text = large_report(tmp_path).read_text(encoding="utf-8")
    assert len(text.encode()) < MOST_BYTES
    assert len(re.findall(r'<article class="finding"', text)) == FINDINGS
    assert f"{CASES:,}" in text


def test_long_bodies_leave_the_page_small() -> None:
    """Where findings rest on long bodies, the later ones name their exchanges only."""
    numbers = range(900)
    failed = [a_case("TYPE-INTEGER", "fail", f"{ALARM}{number}", evidence=(number,)) for number in numbers]
    exchanges = {number: exchange(number, "x" * 5_000) for number in numbers}
    text = render_page(results_of(*failed), load_catalog(), exchanges)
    assert ROOM < len(text.encode()) < MOST_BYTES
    assert "exchange 899 of evidence.ndjson" in text


def test_hostile_messages_leave_the_page_small() -> None:
    """A megabyte in every message and every script is cut."""
    failed = a_case("TYPE-INTEGER", "fail", message="x" * 1_000_000, curl="y" * 1_000_000)
    others = [replace(failed, id=word, verdict=word) for word in ("inconclusive", "observed", "error")]
    page = render_page(results_of(failed, *others), load_catalog(), {})
    assert len(page.encode()) < MOST_BYTES / 10


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of 25,000 cases."""
    return large_report(tmp_path_factory.mktemp("large"))
