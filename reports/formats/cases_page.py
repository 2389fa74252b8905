"""cases.html: a sortable table of the cases that are worth reading alone, by pytest-html.

When the results are known, the session that judges loads the plugin and tells it of each case that has a row;
its hooks are answered here. Cases that passed or are not applicable are only counted: 6,000 rows
take a browser 7 seconds. What the hooks return stands in the page as it is, so every value is escaped here. A
cell is read again with a pattern that ends at the line, so each text stays on one line.
"""

from collections import Counter
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import pytest

from conformance.checks.verdict import Verdict
from conformance.files.text_files import whole_file
from conformance.records.results import CaseResult, Results
from conformance.records.verdicts import WORST_FIRST
from reports.limits import CASES
from reports.phrases import WORD, counted, sentence_of
from reports.results.headline import headline
from reports.texts import one_line, period, script_lines, visible

PLUGIN: Final = "pytest_html.plugin"
_NAMES: Final = (PLUGIN, "html")  # the second one is what bare pytest calls it
_OPTIONS: Final = ("htmlpath", "self_contained_html", "css")
_COLUMNS: Final = ("clause", "key", "kind", "haId", "verdict", "finding")
_FOLDED: Final[frozenset[Verdict]] = frozenset({"pass", "not_applicable"})
_Word: TypeAlias = Literal["passed", "failed", "skipped", "error"]
_VERDICT_OF: Final[dict[_Word, Verdict]] = {
    "passed": "observed",
    "failed": "fail",
    "skipped": "inconclusive",
    "error": "error",
}
"""The words by which pytest-html filters, and the verdict of the rows that each of them filters here."""
_RESULT: Final[dict[Verdict, _Word]] = {verdict: word for word, verdict in _VERDICT_OF.items()}
_VIEWPORT: Final = '<meta name="viewport" content="width=device-width, initial-scale=1">'


def write_cases(session: pytest.Session, results: Results, path: Path) -> None:
    """Writes cases.html.

    Args:
        session: The one that judges; where it was told to do without the plugin, nothing is written.
        results: What was judged.
        path: The file.
    """
    config = session.config
    manager, option = config.pluginmanager, config.option
    if any(map(manager.is_blocked, _NAMES)):
        return
    for name in _OPTIONS:
        vars(option).setdefault(name, None)  # as if nobody had asked for a page
    if not any(map(manager.has_plugin, _NAMES)):
        # only now: it imports jinja2, which nobody waits for at the start
        manager.register(import_module(PLUGIN), PLUGIN)
    plugin: Any = next(filter(None, map(manager.get_plugin, _NAMES)))
    of_the_machine: Any = import_module("pytest_metadata.plugin")
    typed = {name: getattr(option, name) for name in _OPTIONS}
    rows = CaseRows(results)
    with whole_file(path) as draft:
        known = manager.get_plugins()
        vars(option).update(htmlpath=str(draft), self_contained_html=True, css=[])
        manager.register(rows)
        try:
            config.stash.setdefault(of_the_machine.metadata_key, {})  # the page does not name it
            plugin.pytest_configure(config)
            page: Any = (manager.get_plugins() - known - {rows}).pop()
            manager.unregister(page)  # it would keep each report of the session
            page.pytest_sessionstart(session)
            for case in rows.rows:
                page.pytest_runtest_logreport(CaseReport(case))
                page.pytest_runtest_logreport(CaseReport(case, "teardown"))
            page.pytest_sessionfinish(session)
        finally:
            manager.unregister(rows)
            vars(option).update(typed)


class CaseReport(pytest.TestReport):
    """What pytest would report of a case; pytest-html shows it when it has seen the teardown."""

    def __init__(self, case: CaseResult, when: Literal["call", "teardown"] = "call") -> None:
        """Reports one phase of the case."""
        result = "passed" if when == "teardown" else _RESULT[case.verdict]
        outcome = "failed" if result == "error" else result
        phase = "setup" if result == "error" else when
        super().__init__(case.id, ("", None, case.id), {}, outcome, None, phase)  # pyright: ignore[reportUnknownMemberType]  pytest leaves `extra` untyped
        self.case = case


class CaseRows:
    """Gives pytest-html the rows to show; `rows` are the cases that have one."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self.rows = _with_rows(results)

    @pytest.hookimpl(optionalhook=True)
    def pytest_html_report_title(self, report: Any) -> None:
        """Names the target, also in the place of the machine, its packages and whatever a build server sets.

        The title is escaped by pytest-html, the table of the environment is not. Beside the filters stand our
        verdicts.
        """
        target = self._results.run.target
        report.title = f"Cases: {one_line(target.name)}"
        report.set_data("environment", {"target": _text(target.name), "base address": _text(target.base_url)})
        report.set_data("renderCollapsed", ["all"])
        for word, verdict in _VERDICT_OF.items():
            report.outcomes[word]["label"] = WORD[verdict]

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
        counts, run = self._results.counts, self._results.run
        said = [f"{_text(run.target.name)} at {_text(run.target.base_url)}: {escape(counted(counts))}."]
        said.append(f"Judged {escape(period(run.started, run.finished))}.")
        folded = counted({verdict: counts.get(verdict, 0) for verdict in _FOLDED})
        said.append(f"Counted only, without a row of their own: {escape(folded)}.")
        cut = Counter(case.verdict for case in self._results.cases if case.verdict not in _FOLDED)
        cut.subtract(case.verdict for case in self.rows)
        if cut.total():
            said.append(f"Without a row, to keep the table usable: {escape(counted(cut))}.")
            said[-1] += " results.json has every case."
        page = '<a href="report.html">report.html</a>'
        said.append(f"The table below needs JavaScript; {page} shows everything without it.")
        verdict = f'<p class="{self._results.verdict}">{escape(headline(self._results))}</p>'
        # the option for styles would show the path of their file, which names who installed the suite
        style = (files("reports") / "templates" / "cases.css").read_text(encoding="utf-8")
        prefix += [_VIEWPORT, f"<style>{style}</style>", verdict, *(f"<p>{line}</p>" for line in said)]


def _with_rows(results: Results) -> list[CaseResult]:
    """The cases that are neither folded nor beyond what the table can hold, the worst first.

    What was only observed leaves its room to what is inconclusive.
    """
    told = (case for case in results.cases if case.verdict not in _FOLDED)
    ordered = sorted(told, key=lambda case: WORST_FIRST.index(case.verdict))
    failed = [case for case in ordered if case.verdict in {"fail", "error"}]
    return [*failed[: CASES.findings], *ordered[len(failed) : len(failed) + CASES.rows]]


def _details(case: CaseResult) -> str:
    place, words = sentence_of(case)
    parts = [*([f"{_text(place)}: &gt; {_text(words)}"] if words else []), _text(case.id)]
    if case.curl:
        parts += [f"<code>{_text(line, 2000)}</code>" for line in script_lines(case.curl, CASES.script_lines)]
    return "<br>".join(parts)


def _cells(case: CaseResult) -> list[str]:
    word = WORD[case.verdict] + (", waived" if case.waived else "")
    values = (case.clause, case.key, case.kind, case.ha_id, word, case.message)
    named = zip(_COLUMNS, values, strict=True)
    columns = [
        f'<td class="col-{name}{f" {case.verdict}" if name == "verdict" else ""}">{_text(value)}</td>'
        for name, value in named
    ]
    return [*columns, f'<td class="col-result" hidden>{_RESULT[case.verdict].title()}</td>']


def _text(value: str, limit: int = 400) -> str:
    return escape(one_line(visible(value), limit))
