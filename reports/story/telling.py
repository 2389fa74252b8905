"""The story of a run, chapter by chapter; each place takes them in its own order."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from catalog.loader import CATALOG
from conformance.records.faults import own_faults
from conformance.records.results import CaseResult, Finding, Results
from reports.certificate import CERTIFICATE_FILE
from reports.changes.model import Comparison
from reports.changes.text import changes_in_short
from reports.phrases import (
    also_in,
    by_reason,
    counted,
    headline,
    in_findings,
    lead,
    sample_in_words,
    sentence_of,
)
from reports.recorded.restored import alarms, sent_in_words
from reports.recorded.saved_journal import SavedJournal
from reports.results.headline import certified_as, next_step, said_of
from reports.results.not_judged import condition, legend
from reports.story.blocks import Block, Item, Line, ListRow, Title, Voice, some_lines, under
from reports.suspected import suspected_in_lines
from reports.texts import plural, script_lines, some_of

_MOST_TRACES = 3  # ids of requests that prove a finding


def trouble(results: Results, journal: SavedJournal | None, voice: Voice) -> Iterator[Block]:
    """What comes before anything else, since it is wrong beside the target.

    What was not put back, faults of the suite, and waivers that are true no longer.
    """
    for text in alarms(results, journal):
        yield Line(voice.quote(text, 2_000), mood="error", strong=True)
    faults = map(str, own_faults(results.faults))
    yield from some_lines(faults, Line("", "fault of the suite", "error"), voice)
    yield from some_lines(results.stale_waivers, Line("", "stale waiver", "inconclusive"), voice)


def title(results: Results, voice: Voice, *, address: bool = False) -> Block:
    """The verdict, and what it is about; with the `address` of the target where asked."""
    target = results.run.target
    name = voice.quote(target.name, 400)
    named = f"{name} at {voice.quote(target.base_url, 400)}" if address else name
    return Title(said_of(voice.sentence(headline(results)), named), 2, results.verdict, quiet=True)


def why(results: Results, voice: Voice) -> Iterator[Block]:
    """What the verdict rests on in a few sentences, and whether the profile may be at fault."""
    yield Line(voice.sentence(lead(results)))
    yield from (Line(voice.sentence(one), mood="inconclusive") for one in suspected_in_lines(results))


def counts(results: Results) -> Block:
    """The cases by verdict."""
    number = plural(len(results.cases), "case")
    return Line(f"{number}, level {results.run.level}: {counted(results.counts)}")


def beside_the_verdict(
    results: Results, voice: Voice, changes: Comparison | None, *, not_judged: str = ""
) -> Iterator[Block]:
    """What limits the verdict, what is new, and what comes next."""
    run = results.run
    if run.sample:
        yield Line(voice.quote(sample_in_words(run.sample), 2_000), "sample")
    if changes:
        yield from changes_in_short(changes, voice)
    if conditional := condition(results):
        yield Line(conditional, mood="inconclusive", strong=True, anchor="conditional")
    if not_judged:
        yield Line(not_judged)
    yield from some_lines(run.notices, Line("", mood="inconclusive"), voice)
    if results.power:
        yield Line(results.power.faults.words)
    yield from refusals_of(results, voice)
    if following := next_step(results):
        yield Line(voice.sentence(following))


def refusals_of(results: Results, voice: Voice) -> Iterator[Block]:
    """Why there is no certificate."""
    return some_lines(results.refused, Line("", "no certificate", anchor="certificate"), voice)


def certificate(results: Results, place: Path | None = None) -> Iterator[Block]:
    """What the run was certified as, and where its certificate lies."""
    if results.is_certified:
        said = certified_as(results)
        text, label = (
            (str(place / CERTIFICATE_FILE), f"certificate ({said})") if place else (said, "certificate")
        )
        yield Line(text, label, anchor="certificate")


def sent(results: Results, journal: SavedJournal | None, voice: Voice) -> Iterator[Block]:
    """What was sent to the target."""
    requests = results.run.requests
    yield Line(f"{requests.reads:,} reads, {requests.controls:,} controls, {requests.writes:,} writes")
    if journal:
        yield Line(voice.quote(sent_in_words(journal, requests.again), 2_000), "journal")


def sections(results: Results) -> Iterator[Block]:
    """A line for each section of the clauses with its verdicts, in the order of the catalog."""
    of_section = {clause.section: Counter[str]() for clause in CATALOG.clauses.values()}
    for case in results.cases:
        if clause := CATALOG.clauses.get(case.clause):
            of_section[clause.section][case.verdict] += 1
    return (Line(f"{section:<6} {counted(found)}") for section, found in of_section.items() if found)


def errors(results: Results, voice: Voice) -> Iterator[Block]:
    """The cases in which the suite itself failed."""
    cases = results.of("error")
    items = [
        Item(_message(case.message, voice), (voice.quote(case.id, 2_000),), _script(case, voice), "error")
        for case in cases[: voice.limits.findings]
    ]
    title = plural(len(cases), "error of the suite", "errors of the suite")
    return under(title, items, len(cases), "further error", voice)


def findings(results: Results, voice: Voice, remedies: Mapping[str, str] | None = None) -> Iterator[Block]:
    """What is wrong with the target, each thing once: the sentence it contradicts, where else, a script.

    `remedies` say by clause how such a thing is usually mended.
    """
    cases, limits = results.by_id, voice.limits
    items: list[Item] = []
    for finding in results.findings[: limits.findings]:
        case = cases[finding.case]
        place, words = sentence_of(case)
        above = (f"{place}: > {voice.quote(words, 2_000)}",) if words else ()
        above += (f"hint: {voice.quote(case.hint, 400)}",) if case.hint else ()
        above += (f"a conforming server answers: {voice.quote(case.good, 400)}",) if case.good else ()
        above += (f"trace: {some_of(case.traces, _MOST_TRACES)}",) if case.traces else ()
        above += (f"remedy: {remedies[case.clause]}",) if remedies and case.clause in remedies else ()
        others = also_in((cases[id_] for id_ in finding.cases if id_ != finding.case), limits.places)
        same = f"the same in {plural(len(finding.cases) - 1, 'further case')}:"
        below = (same, tuple(voice.quote(one, limits.characters) for one in others)) if others else ()
        lines = (*above, voice.quote(case.id, 2_000), *below)
        items.append(Item(_finding(finding, voice), lines, _script(case, voice), "fail"))
    yield from under(in_findings(results.findings), items, len(results.findings), "further finding", voice)


def findings_in_short(results: Results, voice: Voice) -> Iterator[Block]:
    """The same, each with its clauses alone, for a place that tells them in full elsewhere."""
    items = [
        Item(_finding(finding, voice), (", ".join(finding.clauses),), mood="fail", case=finding.case)
        for finding in results.findings[: voice.limits.findings]
    ]
    return under(in_findings(results.findings), items, len(results.findings), "further finding", voice)


def reasons(results: Results, voice: Voice) -> Iterator[Block]:
    """Why cases were not decided, each reason with its number, and what the states in them are.

    Where nothing tells of the target they are all open for the reason that the first sentences give.
    """
    if results.run.in_vain:
        return
    cases = results.of("inconclusive")
    found = by_reason(cases)
    rows = [
        ListRow(voice.quote(reason, 400), f"{len(alike):,}")
        for reason, alike in found[: voice.limits.reasons]
    ]
    title = f"{plural(len(cases), 'case')} not decided, and why"
    yield from under(title, rows, len(found), "further reason", voice)
    yield from (ListRow(line) for line in legend(results))


def _finding(finding: Finding, voice: Voice) -> str:
    return _message(finding.message, voice) + (" (waived)" if finding.waived else "")


def _message(text: str, voice: Voice) -> str:
    return voice.quote(text, voice.limits.characters) or "no message"


def _script(case: CaseResult, voice: Voice) -> tuple[str, ...]:
    return tuple(script_lines(case.curl, voice.limits.script_lines)) if case.curl else ()
