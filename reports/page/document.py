"""report.html: one self-contained page that a person decides from.

It is read in this order: the verdict, what was judged, what was not and why, waivers; the findings with the
sentences they contradict; the matrix; then the details. It needs no JavaScript, and without its style sheet
(a strict content policy blocks that too) it is still a document in the same order. Its policy names its style
sheet and its script, which filters rows, by their hashes, and lets nothing else in.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Final

from msgspec import Struct

from catalog.loader import CATALOG
from conformance.checks.verdict import Verdict
from conformance.profiles.model import Interpretation
from conformance.records.results import ClauseResult, NotJudged, Results
from conformance.records.verdicts import merge_verdicts
from reports.changes.text import changes_story
from reports.limits import FIRST_SCREEN
from reports.page.certificate_page import certified
from reports.page.matrix import (
    build_matrix,
    count_by_appliance,
    count_elsewhere,
    shown_fleet,
    unserved_keys,
)
from reports.page.reasons import group_observations, group_reasons
from reports.page.rendering import render
from reports.page.shown_findings import anchor_of, anchors_of, errors_as_findings, show_findings
from reports.phrases import answer_to
from reports.recorded.restored import alarms, sent_in_words, state_rows
from reports.results.not_judged import condition, conditional_cases, lacks
from reports.shown_run import ShownRun
from reports.story import telling
from reports.story.blocks import Block, Voice
from reports.texts import one_line

HEAD: Final = Voice(one_line, str, FIRST_SCREEN, "below")
"""How the page writes the story that every report begins with."""


class Coverage(Struct, frozen=True):
    """A clause and what became of it.

    `places` say on which appliances of the run it ended how, `left_out` is what level and profile left out.
    `passed` says on how many appliances it holds where it does not on all: `pass on 59 of 60`.
    """

    clause: ClauseResult
    places: Mapping[Verdict, tuple[int, ...]]
    left_out: Sequence[NotJudged]
    passed: str = ""


def cover(results: Results, places: Mapping[str, int]) -> tuple[Coverage, ...]:
    """The clauses in the order of the results; `places` are the numbers of what the page shows, by haId."""
    found: dict[str, dict[Verdict, set[int]]] = defaultdict(dict)
    ended: dict[str, dict[str, list[Verdict]]] = defaultdict(lambda: defaultdict(list))
    for case in results.cases:
        if case.ha_id in results.run.places:
            ended[case.clause][case.ha_id].append(case.verdict)
        where = found[case.clause].setdefault(case.verdict, set())
        if case.ha_id in places:
            where.add(places[case.ha_id])
    left_out: dict[str, list[NotJudged]] = defaultdict(list)
    for row in results.not_judged:
        left_out[row.clause].append(row)
    return tuple(
        Coverage(
            clause=clause,
            places={verdict: tuple(sorted(where)) for verdict, where in found.get(clause.id, {}).items()},
            left_out=left_out[clause.id],
            passed=_passed(merge_verdicts(verdicts) for verdicts in ended[clause.id].values()),
        )
        for clause in results.clauses
    )


def _passed(verdicts: Iterable[Verdict]) -> str:
    """On how many of the appliances to which a clause applies it passed; empty where on all, or on none."""
    counts = Counter(verdicts)
    judged = counts["pass"] + counts["fail"] + counts["inconclusive"] + counts["error"]
    return f"pass on {counts['pass']:,} of {judged:,}" if 0 < counts["pass"] < judged else ""


def _in_groups(blocks: Iterable[Block]) -> list[tuple[str, list[Block]]]:
    """Blocks of one sort in a row, with its name."""
    return [(sort.__name__, [*group]) for sort, group in groupby(blocks, type)]


def render_page(run: ShownRun) -> str:
    """The text of report.html."""
    results, changes, journal = run.results, run.changes, run.journal
    fleet = shown_fleet(results)
    places = fleet.places
    titles = {clause.id: clause.title for clause in CATALOG.clauses.values()}
    errors = errors_as_findings(results)
    found = anchors_of(results.findings, "findings")
    undecided = group_reasons(results.of("inconclusive"), "reason", places, "undecided")
    topics = group_observations(results.of("observed"), places)
    anchors = {**found, **anchors_of(errors, "errors"), **undecided.anchors}
    for topic in topics.values():
        anchors |= topic.anchors
    shown = partial(show_findings, results=results, places=places, exchanges=run.exchanges)
    beside = (
        *telling.beside_the_verdict(results, HEAD, changes),
        *telling.certificate(results),
        *telling.findings_in_short(results, HEAD),
    )
    return render(
        *("report.html.j2", "report.css"),
        script="report.js",
        results=results,
        run=results.run,
        places=places,
        titles=titles,
        remedies={clause.id: clause.remedy for clause in CATALOG.clauses.values()},
        anchors=anchors,
        is_left=bool(alarms(results, journal)),
        trouble=_in_groups(telling.trouble(results, journal, HEAD)),
        why=_in_groups(telling.why(results, HEAD)),
        beside=_in_groups(beside),
        anchor_of=anchor_of,
        conditional=condition(results),
        conditional_cases=conditional_cases(results.cases),
        states=state_rows(journal) if journal else (),
        journal=journal,
        sent=sent_in_words(journal, results.run.requests.again) if journal else "",
        gaps=[(gap, answer_to(gap, results.run)) for gap in CATALOG.gaps],
        readings={
            field.alias or name: field.description for name, field in Interpretation.model_fields.items()
        },
        findings=shown(results.findings),
        errors=shown(errors),
        undecided=undecided,
        topics=topics,
        not_applicable=group_reasons(results.of("not_applicable"), "lack", places, "undecided"),
        blocks=build_matrix(results, fleet, anchors),
        unserved=unserved_keys(results),
        by_appliance=count_by_appliance(results, fleet),
        kinds=Counter(appliance.kind for appliance in results.run.appliances),
        elsewhere=count_elsewhere(results),
        coverage=cover(results, places),
        lacks=lacks(results),
        changes=changes,
        changed=_in_groups(changes_story(changes, HEAD)) if changes else (),
        certificate=run.certificate,
        alone=run.is_alone,
        certified=certified(run.certificate) if run.certificate else "",
    )
