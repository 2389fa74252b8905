"""The summary a run ends with on the terminal: findings, what was not decided, verdict, where the report is."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from reports.certificate import CERTIFICATE_FILE
from reports.changes.file import load_changes
from reports.changes.text import render_changes_lines
from reports.conditional import condition
from reports.faults import failed_restores, own_faults
from reports.journal import JOURNAL_FILE, load_journal
from reports.not_judged import not_judged_in_a_line
from reports.render import FILES
from reports.restoring import alarms, sent_in_words
from reports.wording import also_in, counted, headline, in_findings, lead, mask, one_line, plural, script_lines, visible

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Protocol

    from catalog.model import Catalog
    from reports.journal import Journal
    from reports.records import CaseResult, Results
    from reports.verdicts import Verdict

    class Terminal(Protocol):
        """What is needed of pytest's terminal reporter."""

        def write_sep(self, sep: str, title: str | None = None, fullwidth: int | None = None, **markup: bool) -> None:
            """A ruled line with a title."""

        def write_line(self, line: str | bytes, **markup: bool) -> None:
            """A line."""


MARKUP: Final[dict[Verdict, dict[str, bool]]] = {
    "pass": {"green": True},
    "fail": {"red": True},
    "inconclusive": {"yellow": True},
    "not_applicable": {"light": True},
    "observed": {"cyan": True},
    "error": {"red": True, "bold": True},
}
MOST_FINDINGS: Final = 20
MOST_REASONS: Final = 12
MOST_PLACES: Final = 4  # named of each clause of a finding
MOST_SCRIPT_LINES: Final = 16


def summarize(results: Results, catalog: Catalog, output: Path, terminal: Terminal) -> None:
    """Writes the summary of a run to the terminal: first of all what was not put back."""
    journal = load_journal(output / JOURNAL_FILE, results.run)
    for alarm in alarms(results, journal):
        terminal.write_line(alarm, red=True, bold=True)
    for fault in own_faults(results.faults):
        terminal.write_line(f"fault of the suite: {one_line(str(fault))}", red=True, bold=True)
    for waiver in results.stale_waivers:
        terminal.write_line(f"stale waiver: {one_line(waiver)}", yellow=True, bold=True)
    if results.interrupted and results.verdict == "inconclusive":
        terminal.write_line(_interrupted(results, output), **MARKUP["inconclusive"])
        return
    _write_errors([case for case in results.cases if case.verdict == "error"], terminal)
    _write_findings(results, catalog, terminal)
    _write_reasons([case for case in results.cases if case.verdict == "inconclusive"], terminal)
    _write_verdict(results, output, journal, terminal)


def _write_verdict(results: Results, output: Path, journal: Journal | None, terminal: Terminal) -> None:
    """The verdict, what it rests on, and where the files are."""
    markup = MARKUP[results.verdict]
    target = results.run.target
    terminal.write_sep("=", "verdict", **markup)
    terminal.write_line(f"{headline(results)}: {one_line(target.name)} at {one_line(target.base_url)}", **markup)
    terminal.write_line(lead(results))
    terminal.write_line(f"{len(results.cases):,} cases, level {results.run.level}: {counted(results.counts)}")
    changes = load_changes(output, results.run)
    for line in render_changes_lines(changes) if changes else ():
        terminal.write_line(line)
    conditional = condition(results.cases)
    if conditional:
        terminal.write_line(conditional, yellow=True)
    for line in (
        *filter(None, [not_judged_in_a_line(results)]),
        *(f"no certificate: {one_line(reason, 1_000)}" for reason in results.refused),
    ):
        terminal.write_line(line)
    if results.certify and not results.refused:
        terminal.write_line(f"certificate: {output / CERTIFICATE_FILE}")
    requests = results.run.requests
    terminal.write_line(f"{requests.reads:,} reads, {requests.controls:,} controls, {requests.writes:,} writes")
    if journal:
        terminal.write_line(f"journal: {sent_in_words(journal)}")
    if (output / FILES["html"]).is_file():
        terminal.write_line(f"report: {output / FILES['html']}")


def _interrupted(results: Results, output: Path) -> str:
    """A run that was cut off and has found nothing, in a line."""
    requests = results.run.requests
    sent = f"{plural(requests.reads + requests.controls, 'read')} and {plural(requests.writes, 'write')}"
    back = ", what was written is put back" if requests.writes and not failed_restores(results.faults) else ""
    report = output / FILES["html"]
    where = f"; report: {report}" if report.is_file() else ""
    return f"Interrupted after {sent}{back}; {plural(len(results.cases), 'case')} judged, nothing found so far{where}"


def _write_errors(cases: list[CaseResult], terminal: Terminal) -> None:
    if not cases:
        return
    terminal.write_sep("=", plural(len(cases), "error of the suite", "errors of the suite"))
    for case in cases[:MOST_FINDINGS]:
        terminal.write_line(f"{one_line(case.message) or 'no message'}", **MARKUP["error"])
        terminal.write_line(f"    {visible(case.id)}")
        _write_script(case, terminal)
    if len(cases) > MOST_FINDINGS:
        terminal.write_line(f"... and {len(cases) - MOST_FINDINGS:,} more in the report")


def _write_findings(results: Results, catalog: Catalog, terminal: Terminal) -> None:
    if not results.findings:
        return
    cases = {case.id: case for case in results.cases}
    terminal.write_sep("=", in_findings(results.findings))
    for finding in results.findings[:MOST_FINDINGS]:
        case = cases[finding.case]
        terminal.write_line(f"{one_line(finding.message) or 'no message'}{' (waived)' if finding.waived else ''}", **MARKUP["fail"])
        clause = catalog.clauses.get(case.clause)
        if clause is not None:
            terminal.write_line(f"    line {clause.line}: > {one_line(clause.quote)}")
        terminal.write_line(f"    {visible(case.id)}")
        others = also_in((cases[name] for name in finding.cases if name != finding.case), MOST_PLACES)
        if others:
            terminal.write_line(f"    the same in {plural(len(finding.cases) - 1, 'further case')}:")
        for line in others:
            terminal.write_line(f"      {line}")
        _write_script(case, terminal)
    if len(results.findings) > MOST_FINDINGS:
        terminal.write_line(f"... and {plural(len(results.findings) - MOST_FINDINGS, 'further finding')} in the report")


def _write_script(case: CaseResult, terminal: Terminal) -> None:
    for line in script_lines(case.curl, MOST_SCRIPT_LINES) if case.curl else ():
        terminal.write_line(f"    {line}")


def _write_reasons(cases: list[CaseResult], terminal: Terminal) -> None:
    if not cases:
        return
    terminal.write_sep("=", f"{plural(len(cases), 'case')} not decided, and why")
    reasons = Counter(mask(case) for case in cases).most_common()
    for reason, number in reasons[:MOST_REASONS]:
        terminal.write_line(f"{number:>6,}  {reason}")
    if len(reasons) > MOST_REASONS:
        terminal.write_line(f"... and {plural(len(reasons) - MOST_REASONS, 'further reason')} in the report")
