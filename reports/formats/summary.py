"""The short renderings: a summary in Markdown for a pull request or the page of a job, and a badge."""

import json
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from conformance.files.text_files import encoded
from conformance.records.faults import own_faults
from conformance.records.results import CaseResult, Results
from conformance.records.verdicts import RunVerdict
from reports.changes.model import Comparison
from reports.changes.text import render_changes_part
from reports.phrases import WORD, also_in, headline, in_findings, lead, mask, sample_in_words, sentence_of
from reports.recorded.restored import alarms, sent_in_words
from reports.recorded.saved_journal import SavedJournal
from reports.results.headline import certified_as, is_conditional, next_step, said_of
from reports.results.not_judged import condition, lacks
from reports.texts import code_span, fence_around, plural, script_lines

MOST_FINDINGS: Final = 50
MOST_REASONS: Final = 20
_MOST_NOTICES: Final = 20
MOST_PLACES: Final = 8  # named of each clause of a finding
MOST_SCRIPT_LINES: Final = 30
MOST_BYTES: Final = 900_000  # a build server drops a summary of more than 1 MiB whole
VARIABLE: Final = "GITHUB_STEP_SUMMARY"  # names the file of the page of a job
MOST_PAGE_BYTES: Final = 1_048_576
_LINE: Final = 400  # characters of a reason, a fault or a waiver
_FINDING: Final = 600  # characters of a finding
_COLOR: Final[dict[RunVerdict, str]] = {
    "pass": "brightgreen",
    "fail": "red",
    "inconclusive": "yellow",
    "error": "orange",
}
_EXCUSED: Final = "yellow"  # which shields.io draws as amber
_UNDECIDED: Final = "blue"  # neither good nor bad: nobody claimed anything, or a part was judged


def render_markdown(
    results: Results, journal: SavedJournal | None = None, changes: Comparison | None = None
) -> str:
    """A summary of at most 50 findings and 900 kB, in which every text of the target stands in a code span.

    What was not put back comes first. `changes` are those since a baseline.
    """
    conditional = condition(results.cases)
    blocks = [
        *(f"**{code_span(alarm)}**" for alarm in alarms(results, journal)),
        f"## {said_of(_in_code(headline(results)), code_span(results.run.target.name))}",
        lead_in_code(results),
        _facts(results, journal),
        _counts(results),
        *([render_changes_part(changes)] if changes else []),
        *([f"**{conditional}**"] if conditional else []),
        *([f"**Certificate:** {certified_as(results)}"] if results.certify and not results.refused else []),
        *([_in_code(following)] if (following := next_step(results)) else []),
        *(f"**No certificate:** {code_span(reason)}" for reason in results.refused),
        *(f"**Fault of the suite:** {code_span(str(fault), _LINE)}" for fault in own_faults(results.faults)),
        *(f"**Stale waiver:** {code_span(waiver, _LINE)}" for waiver in results.stale_waivers),
        *_errors(results),
        *_findings(results),
        *_reasons(results),
        *_not_judged(results),
    ]
    return "\n\n".join(_fitting(blocks)) + "\n"


def render_badge(results: Results) -> str:
    """The badge as an endpoint of shields.io understands it."""
    waived = sum(finding.waived for finding in results.findings)
    color = _COLOR[results.verdict]
    shown = results.run.level if results.run.requests.writes else "read"
    passed = f"conforms ({shown})"
    if is_conditional(results):
        passed, color = f"conforms conditionally ({shown})", _EXCUSED
    elif results.claims_nothing or results.partial:
        passed = f"{'nothing claimed' if results.claims_nothing else 'partly judged'}, nothing contradicted"
        color = _UNDECIDED
    if waived:
        passed, color = f"{passed}, {waived:,} waived", _EXCUSED
    said = {
        "pass": passed,
        "fail": plural(sum(not finding.waived for finding in results.findings), "finding"),
        "inconclusive": "inconclusive",
        "error": "suite fault",
    }
    badge = {
        "schemaVersion": 1,
        "label": "conformance",
        "message": said[results.verdict],
        "color": color if results.verdict == "pass" else _COLOR[results.verdict],
    }
    return json.dumps(badge, indent=1) + "\n"


def lead_in_code(results: Results) -> str:
    """The sentences under the headline; nothing in them, such as the name of an appliance, is markup."""
    return _in_code(lead(results))


def _in_code(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|!#&@])", r"\\\1", text)


def append_summary(summary: Path, environment: Mapping[str, str]) -> str:
    """Adds `summary` to the file the build server names, if it names one; returns why it could not.

    Other steps may have written to that file, and one of more than 1 MiB is dropped whole: what does not fit
    is not added.
    """
    place = environment.get(VARIABLE)
    if not place or not summary.is_file():
        return ""
    try:
        text = summary.read_bytes()
        with Path(place).open("ab") as page:
            if page.tell() + len(text) > MOST_PAGE_BYTES:
                return f"{VARIABLE}: {summary.name} is not added: a page of more than 1 MiB would be dropped"
            page.write(text)
    except OSError as problem:
        return f"{VARIABLE}: {summary.name} is not added: {problem.strerror or problem}"
    return ""


def _fitting(blocks: list[str]) -> list[str]:
    """The blocks there is room for, and the number of those there is none for."""
    kept: list[str] = []
    room = MOST_BYTES
    for block in blocks:
        size = len(encoded(block)) + 2
        if size <= room:
            kept.append(block)
            room -= size
    left_out = len(blocks) - len(kept)
    more = f"… {plural(left_out, 'part')} left out to keep the summary short: see report.html."
    return [*kept, more] if left_out else kept


def _facts(results: Results, journal: SavedJournal | None) -> str:
    run = results.run
    product = f" ({code_span(run.target.product)})" if run.target.product else ""
    appliances = Counter(appliance.kind for appliance in run.appliances)
    kinds = ", ".join(f"{number} {code_span(kind)}" for kind, number in appliances.items()) or "no appliance"
    requests = run.requests
    lines = [
        f"- target: {code_span(run.target.base_url)}{product}",
        f"- judged: {kinds}, level {run.level}, {run.started} to {run.finished}",
        *([f"- sample: {code_span(sample_in_words(run.sample))}"] if run.sample else []),
        *(f"- note: {code_span(notice)}" for notice in run.notices[:_MOST_NOTICES]),
        f"- sent: {requests.reads:,} reads, {requests.controls:,} controls, {requests.writes:,} writes",
        *([f"- journal: {code_span(sent_in_words(journal))}"] if journal else []),
        f"- suite {run.suite_version}, catalog {run.catalog_sha256[:12]}",
    ]
    return "\n".join(lines)


def _counts(results: Results) -> str:
    names = [*WORD.values(), "waived"]
    values = [f"{results.counts.get(verdict, 0):,}" for verdict in (*WORD, "waived")]
    return f"| {' | '.join(names)} |\n|{'---:|' * len(names)}\n| {' | '.join(values)} |"


def _errors(results: Results) -> list[str]:
    cases = results.of("error")
    blocks = ["\n".join(_finding(case, "", [])) for case in cases[:MOST_FINDINGS]]
    return _section(plural(len(cases), "error of the suite", "errors of the suite"), blocks, len(cases))


def _findings(results: Results) -> list[str]:
    cases = results.by_id
    blocks: list[str] = []
    for finding in results.findings[:MOST_FINDINGS]:
        case = cases[finding.case]
        place, words = sentence_of(case)
        lines = [f"  - {place}: {code_span(words)}"] if words else []
        lines += [f"  - hint: {code_span(case.hint)}"] if case.hint else []
        others = also_in((cases[name] for name in finding.cases if name != finding.case), MOST_PLACES)
        if others:
            lines.append(f"  - the same in {plural(len(finding.cases) - 1, 'further case')}")
            lines += [f"    - {code_span(other, _FINDING)}" for other in others]
        told = replace(case, message=finding.message)
        blocks.append("\n".join(_finding(told, " (waived)" if finding.waived else "", lines)))
    return _section(in_findings(results.findings), blocks, len(results.findings))


def _section(title: str, blocks: list[str], number: int) -> list[str]:
    """A title, the blocks under it, and how many of `number` are left out; nothing without a block."""
    left = number - len(blocks)
    more = [f"… and {left:,} more in report.html."] if left else []
    return [f"### {title}", *blocks, *more] if blocks else []


def _finding(case: CaseResult, waived: str, lines: list[str]) -> list[str]:
    """A finding as an item of a list, by the case that stands for it."""
    message = code_span(case.message, _FINDING) or "no message"
    script = _script(case.curl) if case.curl else []
    return [f"- {message}{waived}", f"  - {code_span(case.id)}", *lines, *script]


def _script(curl: str) -> list[str]:
    """A curl line as a code span, a script as a block of its own; both end where the list item does."""
    lines = script_lines(curl, MOST_SCRIPT_LINES)
    if len(lines) == 1:
        return [f"  - {code_span(lines[0])}"]
    fence = fence_around("\n".join(lines), 3)
    return [f"  {fence}sh", *(f"  {line}" for line in lines), f"  {fence}"]


def _reasons(results: Results) -> list[str]:
    reasons = Counter(map(mask, results.of("inconclusive"))).most_common()
    lines = [f"- {number:,} × {code_span(reason)}" for reason, number in reasons[:MOST_REASONS]]  # noqa: RUF001  the sign says times
    if len(reasons) > MOST_REASONS:
        lines.append(f"- … and {plural(len(reasons) - MOST_REASONS, 'further reason')}")
    title = f"### {plural(sum(number for _, number in reasons), 'case')} not decided, and why"
    return [title, "\n".join(lines)] if lines else []


def _not_judged(results: Results) -> list[str]:
    found = lacks(results)
    lines = [
        f"- `{lack.field}`: {plural(lack.number, 'case')}, {lack.reason} ({', '.join(lack.clauses)})"
        for lack in found
    ]
    title = f"{plural(sum(lack.number for lack in found), 'case')} not judged, and why"
    # folded, since it is the same every night
    folded = ["<details>", f"<summary>{title}</summary>", "", *lines, "", "</details>"]
    return ["\n".join(folded)] if lines else []
