"""The rows of cases.html, pytest-html's sortable table: one for each case that is worth reading alone.

What passed and what is not applicable is folded: a sentence in the summary counts it. pytest-html puts what its
hooks answer into the page as it is, so every value is escaped here. It reads a cell again with a pattern that ends at the line,
and colors log lines that begin with E: each text therefore stays on one line.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from typing import TYPE_CHECKING, Any, Final

import pytest

from reports.attached import attached_case
from reports.wording import WORD, counted, one_line, script_lines, visible

if TYPE_CHECKING:
    from catalog.model import Catalog
    from reports.records import CaseResult, Target
    from reports.verdicts import Verdict

MOST_FAILED: Final = 700  # rows; the page stays quick to open below about 1,500 in all
MOST_OTHERS: Final = 700
MOST_SCRIPT_LINES: Final = 30
_COLUMNS: Final = ("clause", "key", "kind", "haId", "verdict")
_FOLDED: Final[frozenset[Verdict]] = frozenset({"pass", "not_applicable"})
_RESULT: Final[dict[Verdict, str]] = {
    "pass": "Passed",
    "fail": "Failed",
    "inconclusive": "Skipped",
    "not_applicable": "Skipped",
    "observed": "Passed",
    "error": "Error",
}


class Table:
    """The hooks of pytest-html; without that plugin none of them is called."""

    def __init__(self, catalog: Catalog, target: Target) -> None:
        """Takes the clauses to quote and the target to name."""
        self._catalog = catalog
        self._target = target
        self._verdicts: dict[str, Verdict] = {}  # by case, since a teardown can change one
        self._rows: Counter[str] = Counter()

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Names the target, also in the place of the machine, its packages and whatever a build server sets.

        The title is escaped by pytest-html, the table of the environment is not.
        """
        report.title = f"Cases: {one_line(self._target.name)}"
        report.set_data("environment", {"target": _text(self._target.name), "base address": _text(self._target.base_url)})

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """The columns; the hidden one is what the page's own filter goes by."""
        columns = [f'<th class="sortable" data-column-type="{name}">{name}</th>' for name in _COLUMNS]
        cells[:] = [*columns, '<th class="sortable" data-column-type="result" hidden>result</th>']

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: pytest.TestReport | pytest.CollectReport, cells: list[str]) -> None:
        """The row of a case, or none when it is folded; what is no case keeps a row only when it fails."""
        carried = attached_case(report)
        if carried is not None:
            cells[:] = _cells(carried[1]) if self._has_row(carried[1]) else []
        elif report.failed:
            cells[:] = _row((one_line(report.nodeid), "", "", "", "error of the suite"), "Error")
        else:
            cells.clear()

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: pytest.TestReport | pytest.CollectReport, data: list[str]) -> None:
        """The finding, the sentence and the curl line in the place of a traceback."""
        carried = attached_case(report)
        if carried is not None:
            data[:] = [self._details(carried[1])]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Says, readable without JavaScript, what the table does not show."""
        target = f"{escape(one_line(self._target.name))} at {escape(one_line(self._target.base_url))}"
        counts: Counter[str] = Counter(self._verdicts.values())
        folded = counted({verdict: counts[verdict] for verdict in _FOLDED})
        prefix.append(f"<p>{target}: {escape(counted(counts))}.</p>")
        prefix.append(f"<p>Folded, without a row of their own: {escape(folded)}.</p>")
        if self._rows["cut"]:
            prefix.append(f"<p>{self._rows['cut']:,} further cases have no row here, to keep the table usable: see results.json.</p>")
        prefix.append('<p>The table below needs JavaScript; <a href="report.html">report.html</a> says it all without.</p>')

    def _has_row(self, case: CaseResult) -> bool:
        self._verdicts[case.id] = case.verdict
        if case.verdict in _FOLDED:
            return False
        sort, most = ("failed", MOST_FAILED) if case.verdict in {"fail", "error"} else ("other", MOST_OTHERS)
        fits = self._rows[sort] < most
        self._rows[sort if fits else "cut"] += 1
        return fits

    def _details(self, case: CaseResult) -> str:
        clause = self._catalog.clauses.get(case.clause)
        parts = [f"<b>{_text(case.message)}</b>"]
        if clause is not None:
            parts.append(f"line {clause.line}: &gt; {_text(clause.quote)}")
        parts.append(_text(case.id))
        if case.curl:
            parts += [f"<code>{_text(line, 2000)}</code>" for line in script_lines(case.curl, MOST_SCRIPT_LINES)]
        return "<br>".join(parts)


def _cells(case: CaseResult) -> list[str]:
    return _row((case.clause, case.key, case.kind, case.ha_id, WORD[case.verdict]), _RESULT[case.verdict])


def _row(values: tuple[str, ...], result: str) -> list[str]:
    columns = [f'<td class="col-{name}">{_text(value)}</td>' for name, value in zip(_COLUMNS, values, strict=True)]
    return [*columns, f'<td class="col-result" hidden>{result}</td>']


def _text(value: str, limit: int = 400) -> str:
    return escape(one_line(visible(value), limit))
