"""report.html: one self-contained page that a person decides from.

It is read in this order: the verdict, what was judged, what was not and why, waivers; the findings with the
sentences they contradict; the matrix; then the details. It needs no JavaScript, and without its style sheet
(a strict content policy blocks that too) it is still a document in the same order. Its policy names its style
sheet and its script, which filters rows, by their hashes, and lets nothing else in.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import groupby
from typing import Final

from markupsafe import Markup, escape
from msgspec import Struct

from conformance.checks.verdict import Verdict
from conformance.records.results import ClauseResult, NotJudged, Results
from conformance.records.verdicts import merge_verdicts
from reports.changes.text import changes_story
from reports.limits import FIRST_SCREEN
from reports.page.certificate_page import certified
from reports.page.matrix import (
    MOST_SINGLE,
    build_matrix,
    count_by_appliance,
    count_elsewhere,
    shown_fleet,
    unserved_keys,
)
from reports.page.reasons import group_observations, group_reasons
from reports.page.rendering import render
from reports.page.shown_findings import anchor_of, anchors_of, errors_as_findings, show_findings
from reports.readings import answer_to
from reports.recorded.restored import alarms, sent_in_words, state_rows
from reports.results.not_judged import condition, conditional_cases, lacks
from reports.shown_run import ShownRun
from reports.story import telling
from reports.story.blocks import Block, Item, Line, ListRow, Title, VerdictCounts, Voice
from reports.texts import one_line

HEAD: Final = Voice(one_line, str, FIRST_SCREEN, "below")
"""How the page writes the story that every report begins with."""


class Coverage(Struct, frozen=True):
    """A clause and what became of it.

    `why` says why it has no case, `places` on which appliances of the run it ended how, `not_judged` how many
    cases level and profile left out. `passed` says on how many appliances it holds where it does not on all:
    `pass on 59 of 60`.
    """

    clause: ClauseResult
    why: str
    places: Mapping[Verdict, tuple[int, ...]]
    not_judged: int
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
            why=_why_no_case(clause, left_out[clause.id]),
            places={verdict: tuple(sorted(where)) for verdict, where in found.get(clause.id, {}).items()},
            not_judged=sum(row.number for row in left_out[clause.id]),
            passed=_passed(merge_verdicts(verdicts) for verdicts in ended[clause.id].values()),
        )
        for clause in results.clauses
    )


def _passed(verdicts: Iterable[Verdict]) -> str:
    """On how many of the appliances to which a clause applies it passed; empty where on all, or on none."""
    counts = Counter(verdicts)
    judged = counts["pass"] + counts["fail"] + counts["inconclusive"] + counts["error"]
    return f"pass on {counts['pass']:,} of {judged:,}" if 0 < counts["pass"] < judged else ""


def _why_no_case(clause: ClauseResult, left_out: list[NotJudged]) -> str:
    if any(clause.counts.values()):
        return ""
    if clause.excluded:
        return f"no cases: {clause.excluded}"
    fields = dict.fromkeys(row.field for row in left_out)
    return f"not judged: needs {', '.join(fields)}" if fields else "no case in this run"


def html(blocks: Iterable[Block], top: int = 2) -> Markup:
    """Blocks as a part of a page, in which every text is escaped; the first titles are of the level `top`.

    Scripts are left out: the page shows them with their findings.
    """
    parts: list[Markup] = []
    for kind, group in groupby(blocks, type):
        shown = Markup("\n").join(_element(block, top) for block in group)
        parts.append(Markup("<ul>\n%s\n</ul>") % shown if kind in {Item, ListRow} else shown)
    return Markup("\n").join(parts)


def _element(block: Block, top: int) -> Markup:
    match block:
        case Title():
            return Markup("<h{0}>{1}</h{0}>").format(top + block.level - 2, block.text)
        case Line():
            text = _linked(block.text, "" if block.label else block.anchor)
            text = Markup("<strong>{}</strong>").format(text) if block.strong else text
            named = _linked(f"{block.label[:1].upper()}{block.label[1:]}", block.anchor)
            label = Markup("{}: ").format(named) if block.label else ""
            kind = " ".join(filter(None, ("said", block.mood, "strong" if block.strong else "")))
            return Markup('<p class="{}">{}{}</p>').format(kind, label, text)
        case VerdictCounts():
            return Markup("<p>{}</p>").format(block.text)
        case ListRow():
            number = f"{block.number} × " if block.number else ""  # noqa: RUF001  the sign says times
            return Markup("<li>{}{}</li>").format(number, block.text)
        case Item():
            lines = (one for line in block.below for one in (line if isinstance(line, tuple) else (line,)))
            below = Markup("").join(Markup("<br><small>{}</small>").format(line) for line in lines)
            anchor = anchor_of(block.case) if block.case else ""
            return Markup("<li>{}{}</li>").format(_linked(block.text, anchor), below)


def _linked(text: str, anchor: str) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(anchor, text) if anchor else escape(text)


def render_page(run: ShownRun) -> str:
    """The text of report.html."""
    results, catalog, changes, journal = run.results, run.catalog, run.changes, run.journal
    cases = results.cases
    fleet = shown_fleet(results)
    places = fleet.places
    titles = {clause.id: clause.title for clause in catalog.clauses.values()}
    errors = errors_as_findings(results)
    found = anchors_of(results.findings, "findings")
    undecided = group_reasons(results.of("inconclusive"), "reason", places, "undecided")
    topics = group_observations(results.of("observed"), places)
    anchors = {**found, **anchors_of(errors, "errors"), **undecided.anchors}
    for topic in topics.values():
        anchors |= topic.anchors
    shown = partial(show_findings, results=results, places=places, titles=titles, exchanges=run.exchanges)
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
        remedies={clause.id: clause.remedy for clause in catalog.clauses.values()},
        anchors=anchors,
        MOST_SINGLE=MOST_SINGLE,
        is_left=bool(alarms(results, journal)),
        trouble=html(telling.trouble(results, journal, HEAD)),
        why=html(telling.why(results, HEAD)),
        beside=html(beside, top=1),
        conditional=condition(cases),
        conditional_cases=conditional_cases(cases),
        states=state_rows(journal) if journal else (),
        journal=journal,
        sent=sent_in_words(journal) if journal else "",
        gaps=[(gap, answer_to(gap, results.run)) for gap in catalog.gaps],
        findings=shown(results.findings),
        errors=shown(errors),
        errors_in_all=len(errors),
        undecided=undecided,
        topics=topics,
        not_applicable=group_reasons(results.of("not_applicable"), "lack", places, "undecided"),
        blocks=build_matrix(results, fleet, catalog, anchors),
        unserved=unserved_keys(results, catalog),
        by_appliance=count_by_appliance(results, fleet),
        kinds=Counter(appliance.kind for appliance in results.run.appliances),
        elsewhere=count_elsewhere(results),
        coverage=cover(results, places),
        lacks=lacks(results),
        changes=changes,
        changed=html(changes_story(changes, HEAD)) if changes else "",
        certificate=run.certificate,
        alone=run.is_alone,
        certified=certified(run.certificate, catalog) if run.certificate else "",
    )
