"""The words every report uses: for verdicts, for waivers, and for what a run came to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from catalog.keys import short_name
from catalog.model import Gap
from conformance.checks.verdict import Verdict
from conformance.records.faults import failed_restores, own_faults
from conformance.records.results import CaseResult, Finding, Results, WaiverResult
from conformance.records.run_facts import RunFacts, Sample, day, moment
from conformance.records.verdicts import VERDICTS, ClauseVerdict
from reports.changes.model import CaseChange, Side
from reports.results.headline import headline as headline_of
from reports.results.headline import no_effect, off_appliances
from reports.results.not_judged import silent_cases
from reports.texts import json_text, one_line, plural, some_of, visible

if TYPE_CHECKING:
    from reports.history.model import Night

WORD: Final[dict[Verdict, str]] = {verdict: verdict.replace("_", " ") for verdict in VERDICTS}
SHORT_WORD: Final[dict[Verdict, str]] = {**WORD, "not_applicable": "n/a"}
COUNT_WORD: Final[dict[str, str]] = {**WORD, "waived": "waived"}
CLAUSE_WORD: Final[dict[ClauseVerdict, str]] = {**WORD, "not_judged": "not judged"}
SYMBOL: Final[dict[Verdict, str]] = {
    "pass": "✓",
    "fail": "✗",
    "inconclusive": "?",
    "not_applicable": "–",  # noqa: RUF001  a dash
    "observed": "○",
    "error": "!",
}
HOW_TO_CLAIM: Final = (
    "A verdict of conformance needs a profile that claims what each appliance supports (appliance.supports);"
    " appliance-conformance init drafts one."
)
NO_REASON: Final = "no reason given"
_LONGEST_REASON: Final = 900  # why an appliance gave no value: what to look at first stands at its end
_MOST_SILENT: Final = 8  # appliances, named of those that gave no value
_WEEK: Final = 7
_MOST_REASONS: Final = 3  # why appliances gave no value
_TAKEN: Final[dict[bool | str, str]] = {True: "the reading is taken", False: "the reading is not taken"}
_OUT_OF_SCOPE: Final = "out of scope"
_AN_OBSERVATION: Final = "observation"
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'


def headline(run: Results | Side | Night) -> str:
    """The verdict of a run as a reader is told it; of a saved run, as it was told then."""
    if isinstance(run, Results):
        return headline_of(run)
    return one_line(run.headline, _LONGEST_REASON) or WORD[run.verdict].capitalize()


def counted(counts: Mapping[str, int]) -> str:
    """The counts in a sentence, without those that are 0."""
    told = [f"{counts[name]:,} {word}" for name, word in COUNT_WORD.items() if counts.get(name)]
    return " · ".join(told) or "no cases"


def lead(results: Results) -> str:
    """What the verdict rests on, in a few sentences."""
    errors, run = results.counts.get("error", 0), results.run
    left, own = len(failed_restores(results.faults)), len(own_faults(results.faults))
    failed = [finding for finding in results.findings if not finding.waived]
    judged = len(results.cases)
    is_part = results.unselected and not results.interrupted
    is_open = results.verdict == "inconclusive" and not results.interrupted
    claims_nothing = results.verdict == "pass" and results.claims_nothing
    rows = (
        (own, f"The run has {plural(own, 'fault of the suite', 'faults of the suite')}."),
        (
            errors,
            f"In {plural(errors, 'case')} the suite itself failed, which says nothing about the target.",
        ),
        (results.interrupted, "The run was interrupted: the cases that it had not reached are not judged."),
        (is_part, f"{_share(judged, judged + results.unselected, 'case')} selected."),
        (failed, f"The target contradicts the document: {in_findings(failed)}."),
        (left, f"{plural(left, 'key')} of the target {'was' if left == 1 else 'were'} not put back."),
        *((True, sentence) for sentence in _beside_the_headline(results)),
        (not run.requests.in_vain, answers_in_error(results)),
        (results.verdict == "pass", _pass_sentence(results)),
        (is_open, _inconclusive_sentence(results, put_back=not left)),
        (not run.in_vain, _undecided_sentence(results)),
        *(
            (True, f"The waiver of {one_line(waiver.case)} ends on {waiver.expires}.")
            for waiver in ending_soon(results)
        ),
        (claims_nothing, HOW_TO_CLAIM),
    )
    return " ".join(sentence for applies, sentence in rows if applies and sentence)


def by_reason(cases: Iterable[CaseResult]) -> list[tuple[str, list[CaseResult]]]:
    """Cases by the reason they give, the most frequent first.

    What is said of one key in cases of several is one reason.
    """
    told: dict[str, list[CaseResult]] = {}
    for case in cases:
        told.setdefault(mask(case, of_key=False), []).append(case)
    found: dict[str, list[CaseResult]] = {}
    for reason, alike in told.items():
        is_own = len({case.key for case in alike}) == 1
        found.setdefault(mask(alike[0]) if is_own else reason, []).extend(alike)
    ordered = sorted(found.values(), key=lambda alike: -len(alike))
    return [(reason_of(alike), alike) for alike in ordered]


def reason_of(alike: Sequence[CaseResult | CaseChange]) -> str:
    """The reason that cases share; it names a key, or an appliance, that all of them name."""
    said = {one_line(case.message) or NO_REASON for case in alike}
    of_one_key = {mask(case, of_key=False) for case in alike}
    return next((one for one, *others in (said, of_one_key) if not others), mask(alike[0]))


def mask(case: CaseResult | CaseChange, *, of_key: bool = True) -> str:
    """The message of a case without its own key and appliance, so that equal reasons are counted together.

    Only whole words are replaced, and none in a quoted value: there they are part of what the server said.
    Without `of_key` its key stays.
    """
    text = one_line(case.message) or NO_REASON
    keys = (case.key, short_name(case.key)) if of_key else ()
    for own, stands_for in ((case.ha_id, "<haId>"), *((key, "<key>") for key in keys)):
        if len(own) > 1 and own in text:
            word = re.compile(rf"{_QUOTED}|(?<![\w.-]){re.escape(own)}(?![\w-]|\.\w)")
            text = word.sub(lambda found, new=stands_for: found[0] if found[0].startswith('"') else new, text)
    return text


def sentence_of(case: CaseResult) -> tuple[str, str]:
    """The sentence of the document that a case rests on: `line 41` and `0 to 38340 seconds`."""
    place, _, words = one_line(case.document, 1_000).partition(": ")
    return place, words


def in_findings(findings: Iterable[Finding]) -> str:
    """The number of findings and of their cases: `4 findings in 19 cases, on 2 clauses`."""
    told = list(findings)
    clauses = {clause for finding in told for clause in finding.clauses}
    on = f", on {len(clauses)} clauses" if len(clauses) > 1 else ""
    return f"{plural(len(told), 'finding')} in {plural(sum(len(one.cases) for one in told), 'case')}{on}"


def also_in(cases: Iterable[CaseResult], most: int) -> list[str]:
    """Where else a finding shows, a line for each clause, with at most `most` places in it."""
    of_clause: dict[str, list[str]] = {}
    for case in cases:
        place = case.ha_id if case.key == "*" else f"{short_name(case.key)}@{case.ha_id}"
        of_clause.setdefault(case.clause, []).append(visible(place))
    return [f"{clause}: {some_of(places, most)}" for clause, places in of_clause.items()]


def sample_in_words(sample: Sample) -> str:
    """What a sample was taken of: `at most 2 of each kind, chosen by seed "a", of 40 Oven, 60 Hood`."""
    kinds = ", ".join(f"{number:,} {visible(kind)}" for kind, number in sample.listed.items())
    return f"at most {sample.per_kind:,} of each kind, chosen by seed {json_text(sample.seed)}, of {kinds}"


def ending_soon(results: Results) -> list[WaiverResult]:
    """The waivers in use that end within a week of the run."""
    last = moment(results.run.started).date() + timedelta(days=_WEEK)
    return [waiver for waiver in results.waivers if waiver.waives and day(waiver.expires) <= last]


def answers_in_error(results: Results) -> str:
    """How many answers were errors: `59 of 590 answers were errors (5xx, or no answer).`; empty for none."""
    requests = results.run.requests
    if not requests.errors:
        return ""
    errors = "an error" if requests.errors == 1 else "errors"
    return f"{_share(requests.errors, requests.total, 'answer')} {errors} (5xx, or no answer)."


def _share(few: int, of: int, noun: str) -> str:
    return f"{few:,} of {plural(of, noun)} {'was' if few == 1 else 'were'}"


def _beside_the_headline(results: Results) -> list[str]:
    """What keeps a run from being decided, where the headline says something else."""
    off = off_appliances(results)
    lost = [(one_line(loss.words), loss.ha_id) for loss in results.run.lost]
    told = [
        *(f"{words if words.startswith(ha_id) else words[:1].upper() + words[1:]}." for words, ha_id in lost),
        f"Nothing could be judged of {some_of(off, _MOST_SILENT)}." if off else "",
        "" if results.verdict == "inconclusive" else _silent_sentence(results),
        no_effect(results),
    ]
    said = headline_of(results).casefold()
    return [words for words in told if words.casefold().rstrip(".") not in said]


def silent_appliances(results: Results) -> tuple[str, ...]:
    """The haIds of the appliances that gave no value for any key (lines 142, 146, 147)."""
    bases = (case for case in results.cases if case.clause == "ADDR-BASE" and case.verdict != "pass")
    return tuple(dict.fromkeys(case.ha_id for case in bases if case.ha_id in results.run.places))


def _silent_sentence(results: Results) -> str:
    silent, number = silent_appliances(results), len(results.run.appliances)
    named = some_of([*map(visible, silent)], _MOST_SILENT)
    return f"{len(silent):,} of {plural(number, 'appliance')} gave no value: {named}." if silent else ""


def _undecided_sentence(results: Results) -> str:
    number, still = results.counts.get("inconclusive", 0), results.open
    if not number:
        return ""
    is_told = results.verdict == "pass" and still.cases and not results.claims_nothing
    claimed = f", {still.cases:,} of the {still.of:,} claimed ones without a state that explains it"
    return f"{plural(number, 'case')} could not be decided{claimed if is_told else ''}."


def _pass_sentence(results: Results) -> str:
    clauses = {case.clause for case in results.of("pass")}
    passed = f"{plural(results.counts['pass'], 'case')} passed, on {plural(len(clauses), 'clause')}."
    if not results.claims_nothing:
        but = "Nothing else contradicts" if results.counts.get("waived") else "Nothing contradicts"
        return f"{but} the document: {passed}"
    keys = results.run.keys
    return f"{keys.gave_value:,} of {plural(keys.tried, 'key')} gave a value. {passed}" if keys else passed


def _inconclusive_sentence(results: Results, *, put_back: bool) -> str:
    silent = silent_cases(results)
    if silent and not results.run.lost:
        places = list(dict.fromkeys(visible(case.ha_id) for case in silent))
        named = some_of(places, _MOST_SILENT)
        first: dict[str, str] = {}
        for case in silent:
            first.setdefault(mask(case), one_line(case.message, _LONGEST_REASON))
        why = list(first.values())[: 1 if results.run.requests.in_vain else _MOST_REASONS]
        told = f"No value could be read from {plural(len(silent), 'appliance')}, {named}: {'; '.join(why)}"
        return told if told.endswith((".", "?")) else f"{told}."
    if passed := results.counts.get("pass"):
        but = "" if put_back and not results.run.lost else ", but the target was not judged to the end"
        return f"{plural(passed, 'case')} passed{but}."
    return "No case passed, so nothing is known about the target."


def answer_to(gap: Gap, run: RunFacts) -> str:
    """How a gap of the document was answered in a run: as declared, by a default, or not at all."""
    if gap.answered_by == _OUT_OF_SCOPE:
        return "not judged"
    if gap.answered_by == _AN_OBSERVATION:
        return "observed, not judged"
    taken = [run.interpretations[name] for name in gap.interpretations if name in run.interpretations]
    told = [_TAKEN.get(chosen, str(chosen)) for chosen in taken]
    told += [answer for field in gap.fields for answer in _declared(field, run)]
    return "; ".join(told) or "not declared"


def _declared(field: str, run: RunFacts) -> list[str]:
    """What a run recorded of a field of the profile, or of each field of a table."""
    return [
        f"{name} = {answer}"
        for name, answer in run.answers.items()
        if name == field or name.startswith(f"{field}.")
    ]
