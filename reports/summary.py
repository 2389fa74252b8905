"""The short renderings: a summary in Markdown for a pull request or a job, and a badge."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Final

from reports.changes.text import render_changes_part
from reports.conditional import condition
from reports.faults import own_faults
from reports.not_judged import lacks
from reports.restoring import alarms, sent_in_words
from reports.results_file import encoded
from reports.spans import code_span as _code
from reports.spans import fence_around as _fence
from reports.wording import WORD, also_in, headline, in_findings, lead, mask, one_line, plural, script_lines

if TYPE_CHECKING:
    from reports.changes.records import Comparison
    from reports.journal import Journal
    from reports.records import CaseResult, Results
    from reports.verdicts import RunVerdict

MOST_FINDINGS: Final = 50
MOST_REASONS: Final = 20
MOST_PLACES: Final = 8  # named of each clause of a finding
MOST_SCRIPT_LINES: Final = 30
MOST_BYTES: Final = 900_000  # a build server drops a summary of more than 1 MiB whole
_COLOR: Final[dict[RunVerdict, str]] = {"pass": "brightgreen", "fail": "red", "inconclusive": "yellow", "error": "orange"}
_UNCLAIMED: Final = "blue"  # neither good nor bad: nobody claimed anything


def render_markdown(results: Results, journal: Journal | None = None, changes: Comparison | None = None) -> str:
    """A summary of at most 50 findings and 900 kB: what was not put back comes first, every text of the target stands in a code span.

    `changes` are those since a baseline.
    """
    run = results.run
    conditional = condition(results.cases)
    blocks = [
        *(f"**{_code(alarm)}**" for alarm in alarms(results, journal)),
        f"## {headline(results)}: {_code(run.target.name)}",
        lead_in_code(results),
        _facts(results, journal),
        _counts(results),
        *([render_changes_part(changes)] if changes else []),
        *([f"**{conditional}**"] if conditional else []),
        *(f"**No certificate:** {_code(reason)}" for reason in results.refused),
        *(f"**Fault of the suite:** {_code(one_line(str(fault)))}" for fault in own_faults(results.faults)),
        *(f"**Stale waiver:** {_code(one_line(waiver))}" for waiver in results.stale_waivers),
        *_errors(results),
        *_findings(results),
        *_reasons([case for case in results.cases if case.verdict == "inconclusive"]),
        *_not_judged(results),
    ]
    return "\n\n".join(_fitting(blocks)) + "\n"


def render_badge(results: Results) -> str:
    """The badge as an endpoint of shields.io understands it."""
    failed = sum(not finding.waived for finding in results.findings)
    said = {
        "pass": "nothing claimed, nothing contradicted" if results.claims_nothing else f"conforms ({results.run.level})",
        "fail": plural(failed, "finding"),
        "inconclusive": "inconclusive",
        "error": "suite fault",
    }
    color = _UNCLAIMED if results.verdict == "pass" and results.claims_nothing else _COLOR[results.verdict]
    badge = {"schemaVersion": 1, "label": "conformance", "message": said[results.verdict], "color": color}
    return json.dumps(badge, indent=1) + "\n"


def lead_in_code(results: Results) -> str:
    """The sentences under the headline, with the appliances' names, which are the target's, kept as text."""
    return re.sub(r"([\\`*_\[\]<>|!#&@])", r"\\\1", lead(results))


def _fitting(blocks: list[str]) -> list[str]:
    """The blocks there is room for, and how many there is none for."""
    kept: list[str] = []
    room = MOST_BYTES
    for block in blocks:
        size = len(encoded(block)) + 2
        if size <= room:
            kept.append(block)
            room -= size
    left_out = len(blocks) - len(kept)
    return [*kept, f"… {plural(left_out, 'part')} left out for want of room: see report.html."] if left_out else kept


def _facts(results: Results, journal: Journal | None) -> str:
    run = results.run
    product = f" ({_code(run.target.product)})" if run.target.product else ""
    appliances = Counter(appliance.kind for appliance in run.appliances)
    kinds = ", ".join(f"{number} {_code(kind)}" for kind, number in appliances.items()) or "no appliance"
    requests = run.requests
    lines = [
        f"- target: {_code(run.target.base_url)}{product}",
        f"- judged: {kinds}, level {run.level}, {run.started} to {run.finished}",
        f"- sent: {requests.reads:,} reads, {requests.controls:,} controls, {requests.writes:,} writes",
        *([f"- journal: {_code(sent_in_words(journal))}"] if journal else []),
        f"- suite {run.suite_version}, catalog {run.catalog_sha256[:12]}",
    ]
    return "\n".join(lines)


def _counts(results: Results) -> str:
    names = [*WORD.values(), "waived"]
    values = [f"{results.counts.get(verdict, 0):,}" for verdict in (*WORD, "waived")]
    return f"| {' | '.join(names)} |\n|{'---:|' * len(names)}\n| {' | '.join(values)} |"


def _errors(results: Results) -> list[str]:
    cases = [case for case in results.cases if case.verdict == "error"]
    if not cases:
        return []
    blocks = [f"### {plural(len(cases), 'error of the suite', 'errors of the suite')}"]
    blocks += ["\n".join(_finding(case, "", [])) for case in cases[:MOST_FINDINGS]]
    left = len(cases) - MOST_FINDINGS
    return [*blocks, *([f"… and {left:,} more in report.html."] if left > 0 else [])]


def _findings(results: Results) -> list[str]:
    if not results.findings:
        return []
    clauses = {clause.id: clause for clause in results.clauses}
    cases = {case.id: case for case in results.cases}
    blocks = [f"### {in_findings(results.findings)}"]
    for finding in results.findings[:MOST_FINDINGS]:
        case = cases[finding.case]
        others = also_in((cases[name] for name in finding.cases if name != finding.case), MOST_PLACES)
        lines = [f"  - line {clauses[case.clause].line}: {_code(clauses[case.clause].quote)}"] if case.clause in clauses else []
        if others:
            lines.append(f"  - the same in {plural(len(finding.cases) - 1, 'further case')}")
            lines += [f"    - {_code(one_line(other, 600))}" for other in others]
        blocks.append("\n".join(_finding(case, " (waived)" if finding.waived else "", lines)))
    left = len(results.findings) - MOST_FINDINGS
    return [*blocks, *([f"… and {left:,} more in report.html."] if left > 0 else [])]


def _finding(case: CaseResult, waived: str, lines: list[str]) -> list[str]:
    """A finding as an item of a list, by the case that stands for it."""
    first = [f"- {_code(one_line(case.message, 600)) or 'no message'}{waived}", f"  - {_code(case.id)}"]
    return [*first, *lines, *(_script(case.curl) if case.curl else [])]


def _script(curl: str) -> list[str]:
    """A curl line as a code span, a script of several as a block of their own: both end where the list item does."""
    lines = script_lines(curl, MOST_SCRIPT_LINES)
    if len(lines) == 1:
        return [f"  - {_code(lines[0])}"]
    fence = _fence("\n".join(lines), 3)
    return [f"  {fence}sh", *(f"  {line}" for line in lines), f"  {fence}"]


def _reasons(cases: list[CaseResult]) -> list[str]:
    if not cases:
        return []
    reasons = Counter(mask(case) for case in cases).most_common()
    lines = [f"- {number:,} × {_code(reason)}" for reason, number in reasons[:MOST_REASONS]]  # noqa: RUF001  the sign says times
    if len(reasons) > MOST_REASONS:
        lines.append(f"- … and {plural(len(reasons) - MOST_REASONS, 'further reason')}")
    return [f"### {plural(len(cases), 'case')} not decided, and why", "\n".join(lines)]


def _not_judged(results: Results) -> list[str]:
    found = lacks(results)
    lines = [f"- `{lack.field}`: {plural(lack.number, 'case')}, {lack.reason} ({', '.join(lack.clauses)})" for lack in found]
    return [f"### {plural(sum(lack.number for lack in found), 'case')} not judged, and why", "\n".join(lines)] if lines else []
