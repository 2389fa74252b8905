"""What a run ends with on the terminal: findings, undecided cases, the verdict, and where the report is."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

from catalog.loader import CATALOG
from conformance.checks.verdict import Verdict
from conformance.records.faults import failed_restores
from conformance.records.results import Results
from reports.formats import FILES
from reports.results.headline import next_step
from reports.results.not_judged import not_judged_in_a_line
from reports.shown_run import ShownRun
from reports.story import telling
from reports.story.blocks import PLAIN, Block, Line, Title, plain
from reports.texts import plural

MARKUP: Final[dict[Verdict, dict[str, bool]]] = {
    "pass": {"green": True},
    "fail": {"red": True},
    "inconclusive": {"yellow": True},
    "not_applicable": {"light": True},
    "observed": {"cyan": True},
    "error": {"red": True, "bold": True},
}


def summarize(run: ShownRun, terminal: pytest.TerminalReporter) -> None:
    """Writes the summary of a run to the terminal; what was not put back comes first."""
    for block in _story(run):
        for line, mood in plain([block]):
            markup = MARKUP[mood] if mood else {}
            if isinstance(block, Title) and not block.quiet:
                terminal.write_sep("=", line, **markup)
            else:
                terminal.write_line(line, **markup)


def _story(run: ShownRun) -> Iterable[Block]:
    """The chapters in the order of a terminal, on which the verdict is read last, and so first."""
    results, journal = run.results, run.journal
    page = run.directory / FILES["html"]
    report = [Line(str(page), "report")] if page.is_file() else []
    wrong = telling.trouble(results, journal, PLAIN)
    if results.interrupted and results.verdict == "inconclusive":
        cut = Line(_interrupted(results, page), mood="inconclusive")
        return [*wrong, cut, *map(Line, filter(None, [next_step(results)]))]
    verdict = [telling.title(results, PLAIN, address=True), *telling.why(results, PLAIN)]
    if results.run.in_vain and not results.findings and not results.of("error"):
        # cases that are all open for the same reason say nothing more
        return [*wrong, *verdict, *telling.refusals_of(results, PLAIN), *report]
    left = not_judged_in_a_line(results)
    remedies = {clause.id: clause.remedy for clause in CATALOG.clauses.values()}
    return chain(
        wrong,
        telling.sections(results),
        telling.errors(results, PLAIN),
        telling.findings(results, PLAIN, remedies),
        telling.reasons(results, PLAIN),
        [Title("verdict", mood=results.verdict)],
        verdict,
        [telling.counts(results)],
        telling.beside_the_verdict(results, PLAIN, run.changes, not_judged=left),
        telling.certificate(results, run.directory),
        telling.sent(results, journal, PLAIN),
        report,
    )


def _interrupted(results: Results, page: Path) -> str:
    """A run that was cut off and has found nothing, in a line."""
    requests = results.run.requests
    sent = f"{plural(requests.reads + requests.controls, 'read')} and {plural(requests.writes, 'write')}"
    back = ", what was written is put back" if requests.writes and not failed_restores(results.faults) else ""
    judged = f"{plural(len(results.cases), 'case')} judged, nothing found so far"
    where = f"; report: {page}" if page.is_file() else ""
    return f"Interrupted after {sent}{back}; {judged}{where}"
