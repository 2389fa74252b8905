"""What a run ends with on the terminal: findings, undecided cases, the verdict, and where the report is."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final, Protocol

from catalog.model import Catalog
from conformance.checks.verdict import Verdict
from conformance.records.faults import failed_restores, own_faults
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.results import CaseResult, Results
from reports.certificate import CERTIFICATE_FILE
from reports.changes.files import load_changes
from reports.changes.text import render_changes_lines
from reports.formats import FILES
from reports.phrases import also_in, counted, headline, in_findings, lead, mask, sample_in_words, sentence_of
from reports.recorded.restored import alarms, sent_in_words
from reports.recorded.saved_journal import SavedJournal, load_journal
from reports.results.headline import certified_as, next_step, said_of
from reports.results.not_judged import condition, legend, not_judged_in_a_line
from reports.suspected import suspected_in_lines
from reports.texts import one_line, plural, script_lines, visible


class Terminal(Protocol):
    """What is needed of pytest's terminal reporter."""

    def write_sep(
        self, sep: str, title: str | None = None, fullwidth: int | None = None, **markup: bool
    ) -> None:
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
    """Writes the summary of a run to the terminal; what was not put back comes first."""
    journal = load_journal(output / JOURNAL_FILE, results.run)
    for alarm in alarms(results, journal):
        terminal.write_line(alarm, **MARKUP["error"])
    for fault in own_faults(results.faults):
        terminal.write_line(f"fault of the suite: {one_line(str(fault))}", **MARKUP["error"])
    for waiver in results.stale_waivers:
        terminal.write_line(f"stale waiver: {one_line(waiver)}", yellow=True, bold=True)
    if results.interrupted and results.verdict == "inconclusive":
        terminal.write_line(_interrupted(results, output), **MARKUP["inconclusive"])
        return
    if results.run.requests.in_vain and not results.findings and not results.of("error"):
        _write_in_vain(results, output, terminal)
        return
    _write_sections(results, catalog, terminal)
    _write_errors(results.of("error"), terminal)
    _write_findings(results, catalog, terminal)
    _write_reasons(results.of("inconclusive"), terminal)
    _write_verdict(results, output, journal, terminal)


def _write_sections(results: Results, catalog: Catalog, terminal: Terminal) -> None:
    """A line for each section of the clauses with its verdicts, in the order of the catalog."""
    counts = {clause.section: Counter[str]() for clause in catalog.clauses.values()}
    for case in results.cases:
        if clause := catalog.clauses.get(case.clause):
            counts[clause.section][case.verdict] += 1
    for section, verdicts in counts.items():
        if verdicts:
            terminal.write_line(f"{section:<6} {counted(verdicts)}")


def _write_verdict(results: Results, output: Path, journal: SavedJournal | None, terminal: Terminal) -> None:
    """The verdict, what it rests on, and where the files are."""
    markup, run = MARKUP[results.verdict], results.run
    terminal.write_sep("=", "verdict", **markup)
    target = f"{one_line(run.target.name)} at {one_line(run.target.base_url)}"
    terminal.write_line(said_of(headline(results), target), **markup)
    terminal.write_line(lead(results))
    for line in suspected_in_lines(results):
        terminal.write_line(line, yellow=True)
    cases = f"{len(results.cases):,} case{'' if len(results.cases) == 1 else 's'}"
    terminal.write_line(f"{cases}, level {run.level}: {counted(results.counts)}")
    if run.sample:
        terminal.write_line(f"sample: {sample_in_words(run.sample)}")
    changes = load_changes(output, run.started)
    for line in render_changes_lines(changes) if changes else ():
        terminal.write_line(line)
    _write_beside(results, terminal)
    for reason in results.refused:
        terminal.write_line(f"no certificate: {one_line(reason, 1_000)}")
    if results.certify and not results.refused:
        terminal.write_line(f"certificate ({certified_as(results)}): {output / CERTIFICATE_FILE}")
    if following := next_step(results):
        terminal.write_line(following)
    sent = run.requests
    terminal.write_line(f"{sent.reads:,} reads, {sent.controls:,} controls, {sent.writes:,} writes")
    if journal:
        terminal.write_line(f"journal: {sent_in_words(journal)}")
    if (output / FILES["html"]).is_file():
        terminal.write_line(f"report: {output / FILES['html']}")


def _write_beside(results: Results, terminal: Terminal) -> None:
    """What limits the verdict, and what else was seen: states that excuse, what was not judged, notices."""
    if conditional := condition(results.cases):
        terminal.write_line(conditional, yellow=True)
    if not_judged := not_judged_in_a_line(results):
        terminal.write_line(not_judged)
    for notice in results.run.notices[:MOST_REASONS]:
        terminal.write_line(one_line(notice, 1_000), yellow=True)


def _write_in_vain(results: Results, output: Path, terminal: Terminal) -> None:
    """A run that got no answer: why, and nothing of cases that are all open for the same reason."""
    target = f"{one_line(results.run.target.name)} at {one_line(results.run.target.base_url)}"
    terminal.write_line(f"{headline(results)}: {target}", **MARKUP[results.verdict])
    terminal.write_line(lead(results))
    for reason in results.refused:
        terminal.write_line(f"no certificate: {one_line(reason, 1_000)}")
    if (output / FILES["html"]).is_file():
        terminal.write_line(f"report: {output / FILES['html']}")


def _interrupted(results: Results, output: Path) -> str:
    """A run that was cut off and has found nothing, in a line."""
    requests, report = results.run.requests, output / FILES["html"]
    sent = f"{plural(requests.reads + requests.controls, 'read')} and {plural(requests.writes, 'write')}"
    back = ", what was written is put back" if requests.writes and not failed_restores(results.faults) else ""
    judged = f"{plural(len(results.cases), 'case')} judged, nothing found so far"
    where = f"; report: {report}" if report.is_file() else ""
    return f"Interrupted after {sent}{back}; {judged}{where}"


def _write_errors(cases: list[CaseResult], terminal: Terminal) -> None:
    if not cases:
        return
    terminal.write_sep("=", plural(len(cases), "error of the suite", "errors of the suite"))
    for case in cases[:MOST_FINDINGS]:
        terminal.write_line(one_line(case.message) or "no message", **MARKUP["error"])
        _write_case(case, terminal)
    if len(cases) > MOST_FINDINGS:
        terminal.write_line(f"... and {len(cases) - MOST_FINDINGS:,} more in the report")


def _write_findings(results: Results, catalog: Catalog, terminal: Terminal) -> None:
    if not results.findings:
        return
    cases = results.by_id
    terminal.write_sep("=", in_findings(results.findings))
    for finding in results.findings[:MOST_FINDINGS]:
        case = cases[finding.case]
        message = one_line(finding.message) or "no message"
        terminal.write_line(f"{message}{' (waived)' if finding.waived else ''}", **MARKUP["fail"])
        place, words = sentence_of(case)
        lines = [f"{place}: > {words}"] if words else []
        lines += [f"hint: {one_line(case.hint)}"] if case.hint else []
        clause = catalog.clauses.get(case.clause)
        lines += [f"remedy: {clause.remedy}"] if clause else []
        others = also_in((cases[name] for name in finding.cases if name != finding.case), MOST_PLACES)
        same = f"the same in {plural(len(finding.cases) - 1, 'further case')}:"
        _write_case(case, terminal, lines, [same, *(f"  {line}" for line in others)] if others else ())
    left = len(results.findings) - MOST_FINDINGS
    if left > 0:
        terminal.write_line(f"... and {plural(left, 'further finding')} in the report")


def _write_case(
    case: CaseResult, terminal: Terminal, above: Iterable[str] = (), below: Iterable[str] = ()
) -> None:
    """The id of a case between other lines, and then what makes its exchanges again."""
    script = script_lines(case.curl, MOST_SCRIPT_LINES) if case.curl else ()
    for line in (*above, visible(case.id), *below, *script):
        terminal.write_line(f"    {line}")


def _write_reasons(cases: list[CaseResult], terminal: Terminal) -> None:
    if not cases:
        return
    terminal.write_sep("=", f"{plural(len(cases), 'case')} not decided, and why")
    reasons = Counter(map(mask, cases)).most_common()
    for reason, number in reasons[:MOST_REASONS]:
        terminal.write_line(f"{number:>6,}  {reason}")
    if len(reasons) > MOST_REASONS:
        terminal.write_line(f"... and {plural(len(reasons) - MOST_REASONS, 'further reason')} in the report")
    for line in legend(cases):
        terminal.write_line(f"        {line}")
