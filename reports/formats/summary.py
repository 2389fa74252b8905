"""The short renderings: a summary in Markdown for a pull request or the page of a job, and a badge."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from conformance.files.text_files import encoded
from conformance.records.results import Results
from conformance.records.verdicts import RunVerdict
from reports.changes.model import Comparison
from reports.phrases import COUNT_WORD
from reports.recorded.saved_journal import SavedJournal
from reports.results.headline import is_conditional
from reports.results.not_judged import lacks
from reports.story import telling
from reports.story.blocks import MARKDOWN, Block, Line, ListRow, markdown
from reports.texts import code_span, period, plural

MOST_BYTES: Final = 900_000  # a build server drops a summary of more than 1 MiB whole
VARIABLE: Final = "GITHUB_STEP_SUMMARY"  # names the file of the page of a job
MOST_PAGE_BYTES: Final = 1_048_576
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
    blocks: list[Block] = [
        *telling.trouble(results, journal, MARKDOWN),
        telling.title(results, MARKDOWN),
        *telling.why(results, MARKDOWN),
        *_facts(results),
        _counts(results),
        *telling.beside_the_verdict(results, MARKDOWN, changes),
        *telling.certificate(results),
        *telling.sent(results, journal, MARKDOWN),
        *telling.errors(results, MARKDOWN),
        *telling.findings(results, MARKDOWN),
        *telling.reasons(results, MARKDOWN),
    ]
    return "\n\n".join(_fitting([*markdown(blocks), *_not_judged(results)])) + "\n"


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
    if results.stale_waivers:
        passed, color = f"{passed}, stale waiver", _EXCUSED
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


def _counts(results: Results) -> Block:
    """The cases by verdict, as a table."""
    values = (f"{results.counts.get(name, 0):,}" for name in COUNT_WORD)
    names, rule = " | ".join(COUNT_WORD.values()), "---:|" * len(COUNT_WORD)
    return Line(f"| {names} |\n|{rule}\n| {' | '.join(values)} |")


def _facts(results: Results) -> list[Block]:
    """What was judged, and by what."""
    run = results.run
    product = f" ({code_span(run.target.product)})" if run.target.product else ""
    appliances = Counter(appliance.kind for appliance in run.appliances)
    kinds = ", ".join(f"{number} {code_span(kind)}" for kind, number in appliances.items()) or "no appliance"
    return [
        ListRow(f"target: {code_span(run.target.base_url)}{product}"),
        ListRow(f"judged: {kinds}, level {run.level}, {period(run.started, run.finished)}"),
        ListRow(f"suite {run.suite_version}, catalog {run.catalog_sha256[:12]}"),
    ]


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
