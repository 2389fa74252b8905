"""The rows of cases.html, pytest-html's sortable table: one for each case that is worth reading alone.

Cases that passed or are not applicable are only counted. pytest-html puts what its hooks return into the page
as it is, so every value is escaped here. It reads a cell again with a pattern that ends at the line, and
colors log lines that begin with E: each text stays on one line.
"""

from collections import Counter
from html import escape
from typing import Any, Final, Literal

import pytest

from conformance.checks.verdict import Verdict
from conformance.records.results import CaseResult, Results
from conformance.records.verdicts import WORST_FIRST
from reports.phrases import WORD, counted, sentence_of
from reports.results.headline import headline
from reports.texts import one_line, script_lines, visible

Phase = Literal["setup", "call", "teardown"]
PytestOutcome = Literal["passed", "failed", "skipped"]

MOST_FAILED: Final = 700  # rows; the page stays quick to open below about 1,500 in all
MOST_OTHERS: Final = 700
MOST_SCRIPT_LINES: Final = 30
_COLUMNS: Final = ("clause", "key", "kind", "haId", "verdict", "finding")
_FOLDED: Final[frozenset[Verdict]] = frozenset({"pass", "not_applicable"})
VERDICT_OF: Final[dict[str, Verdict]] = {
    "Passed": "observed",
    "Failed": "fail",
    "Skipped": "inconclusive",
    "Error": "error",
}
"""The words by which pytest-html filters, and the verdict of the rows that each of them filters here."""
_RESULT: Final = {verdict: word for word, verdict in VERDICT_OF.items()}
_OUTCOME: Final[dict[Verdict, tuple[Phase, PytestOutcome]]] = {
    "observed": ("call", "passed"),
    "fail": ("call", "failed"),
    "inconclusive": ("call", "skipped"),
    "error": ("setup", "failed"),
}
"""The phase and the outcome of a report that pytest-html counts under that word."""


class CaseReport(pytest.TestReport):
    """What pytest would report of a case."""

    def __init__(self, case: CaseResult, when: Phase, outcome: PytestOutcome) -> None:
        """Reports one phase of the case; pytest-html shows it when it has seen the teardown."""
        super().__init__(case.id, ("", None, case.id), {}, outcome, None, when)  # pyright: ignore[reportUnknownMemberType]  pytest leaves `extra` untyped
        self.case = case


class CaseRows:
    """A pytest plugin: its session reports saved cases, and it gives pytest-html the rows to show.

    `rows` are the cases it shows; `trouble` is what went wrong in it, empty when nothing did.
    """

    def __init__(self, results: Results) -> None:
        self._results = results
        self.rows = _with_rows(results)
        self.trouble = ""

    def pytest_collection(self) -> bool:
        """Nothing is looked for: the cases are there."""
        return True

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Reports each case that has a row, the worst first."""
        for case in self.rows:
            when, outcome = _OUTCOME[case.verdict]
            for report in (CaseReport(case, when, outcome), CaseReport(case, "teardown", "passed")):
                session.config.hook.pytest_runtest_logreport(report=report)
        return True

    def pytest_internalerror(self, excrepr: object) -> bool:
        """Keeps what went wrong for whoever has started the session."""
        self.trouble = str(excrepr).strip().rpartition("\n")[2]
        return True

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Names the target, also in the place of the machine, its packages and whatever a build server sets.

        The title is escaped by pytest-html, the table of the environment is not.
        """
        target = self._results.run.target
        report.title = f"Cases: {one_line(target.name)}"
        report.set_data("environment", {"target": _text(target.name), "base address": _text(target.base_url)})

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_header(self, cells: list[str]) -> None:
        """The columns; the hidden one is what the page's own filter goes by."""
        columns = [f'<th class="sortable" data-column-type="{name}">{name}</th>' for name in _COLUMNS]
        cells[:] = [*columns, '<th class="sortable" data-column-type="result" hidden>result</th>']

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_row(self, report: CaseReport, cells: list[str]) -> None:
        """The row of a case; its teardown, which pytest-html waits for, has none."""
        cells[:] = _cells(report.case) if report.when != "teardown" else []

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_table_html(self, report: CaseReport, data: list[str]) -> None:
        """The sentence and the curl line in the place of a traceback."""
        data[:] = [_details(report.case)]

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_results_summary(self, prefix: list[str]) -> None:
        """Says, readable without JavaScript, what the table does not show."""
        counts, target = self._results.counts, self._results.run.target
        prefix.append(f'<p class="{self._results.verdict}">{escape(headline(self._results))}</p>')
        prefix.append(f"<p>{_text(target.name)} at {_text(target.base_url)}: {escape(counted(counts))}.</p>")
        folded = counted({verdict: counts.get(verdict, 0) for verdict in _FOLDED})
        prefix.append(f"<p>Counted only, without a row of their own: {escape(folded)}.</p>")
        cut = Counter(case.verdict for case in self._results.cases if case.verdict not in _FOLDED)
        cut.subtract(case.verdict for case in self.rows)
        if cut.total():
            more = f"Without a row, to keep the table usable: {counted(cut)}. results.json has every case."
            prefix.append(f"<p>{escape(more)}</p>")
        page = '<a href="report.html">report.html</a>'
        prefix.append(f"<p>The table below needs JavaScript; {page} shows everything without it.</p>")


def _with_rows(results: Results) -> list[CaseResult]:
    """The cases that are neither folded nor beyond what the table can hold, the worst first.

    What was only observed leaves its room to what is inconclusive.
    """
    told = (case for case in results.cases if case.verdict not in _FOLDED)
    ordered = sorted(told, key=lambda case: WORST_FIRST.index(case.verdict))
    failed = [case for case in ordered if case.verdict in {"fail", "error"}]
    return [*failed[:MOST_FAILED], *ordered[len(failed) : len(failed) + MOST_OTHERS]]


def _details(case: CaseResult) -> str:
    place, words = sentence_of(case)
    parts = [*([f"{_text(place)}: &gt; {_text(words)}"] if words else []), _text(case.id)]
    if case.curl:
        parts += [f"<code>{_text(line, 2000)}</code>" for line in script_lines(case.curl, MOST_SCRIPT_LINES)]
    return "<br>".join(parts)


def _cells(case: CaseResult) -> list[str]:
    word = WORD[case.verdict] + (", waived" if case.waived else "")
    values = (case.clause, case.key, case.kind, case.ha_id, word, case.message)
    named = zip(_COLUMNS, values, strict=True)
    columns = [
        f'<td class="col-{name}{f" {case.verdict}" if name == "verdict" else ""}">{_text(value)}</td>'
        for name, value in named
    ]
    return [*columns, f'<td class="col-result" hidden>{_RESULT[case.verdict]}</td>']


def _text(value: str, limit: int = 400) -> str:
    return escape(one_line(visible(value), limit))
