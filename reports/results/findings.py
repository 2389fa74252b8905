"""From failed cases to findings: one defect is told once, with the cases and clauses that show it.

What belongs together is decided by data: the clauses that the catalog says judge the same fact, and the kind
of the answers that decide the cases. Two cases are of one finding

- where their clauses judge the same fact, and both are about the same key of the same appliance;
- where their clauses judge the same fact of one answer, and both rest on that answer;
- where their clause is the same, and one is about the key that generated requests show it of in the other;
- where their clause, their key and the kind of the answer are the same, on two appliances;
- where their clause and the kind of the answer are the same, on two keys of an appliance, and the clause
  holds for no key of it, or for none of the same segment.

Anything less may be two faults that look alike, and stays two findings. A waived failure is never of one
finding with another. A known failure is waived: it is judged and shown all the same, and does not fail the
run.
"""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from itertools import combinations, pairwise
from typing import Final

from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.verdict import Manner
from conformance.profiles.model import Waiver
from conformance.records.results import GENERATED, CaseResult, Finding, RunEnding, WaiverResult, WaiverState
from reports.texts import one_line

_OF_FORM: Final = "ENUM-KEYFORM"
_IN_WORDS: Final[Mapping[str, str]] = {
    Manner.SHORT.value: "short names",
    Manner.CASE.value: "spelled with other letters, small or capital",
    Manner.LABEL.value: "labels",
    Manner.DIGITS.value: "spelled with other digits",
    Manner.SEPARATORS.value: "spelled with other separators",
}
"""What is wrong with many values of enumerations at once."""


def findings_of(
    cases: Collection[CaseResult], values: Mapping[int, str] | None = None
) -> tuple[Finding, ...]:
    """The findings of a run, in the order of their first cases; those waived as a whole come last.

    `values` are those that exchanges showed, by number: a finding of many values gives one as an example.
    """
    holding = {
        (case.clause, case.ha_id, scope)
        for case in cases
        if case.verdict == "pass"
        for scope in ("", _segment(case))
    }
    failed = [case for case in cases if case.verdict == "fail"]
    found: list[Finding] = []
    for waived in (False, True):
        for group in _joined([case for case in failed if case.waived is waived], holding):
            group.sort(key=lambda case: case.key == GENERATED)  # a key of its own tells more
            clauses = tuple(dict.fromkeys(case.clause for case in group))
            ids = tuple(case.id for case in group)
            found.append(Finding(ids[0], _title(group, values or {}), clauses, ids, waived))
    return tuple(found)


def _title(group: Sequence[CaseResult], values: Mapping[int, str]) -> str:
    """The finding in one line: that of its first case, unless many values have one wrong form.

    Then they are counted: `112 enumeration values are short names, such as "On"`.
    """
    wrong = [case for case in group if case.clause == _OF_FORM and case.sights]
    manners = {case.manner for case in wrong}
    keys = {(case.ha_id, case.key) for case in wrong}
    words = _IN_WORDS.get(next(iter(manners), ""))
    shown = values.get(wrong[0].sights[-1].exchange) if wrong else None
    if len(keys) < _MANY or len(manners) > 1 or words is None or shown is None:
        return group[0].message
    return f"{len(keys):,} enumeration values are {words}, such as {one_line(shown, 80)}"


def _joined(failed: Sequence[CaseResult], holding: Collection[Hashable]) -> Iterable[list[CaseResult]]:
    parents = list(range(len(failed)))

    def root(index: int) -> int:
        while parents[index] != index:
            parents[index] = parents[parents[index]]
            index = parents[index]
        return index

    for one, other in (*_alike(failed, holding), *_of_one_fact(failed)):
        first, second = sorted((root(one), root(other)))
        parents[second] = first
    groups: dict[int, list[CaseResult]] = defaultdict(list)
    for index, case in enumerate(failed):
        groups[root(index)].append(case)
    return groups.values()


def _alike(failed: Sequence[CaseResult], holding: Collection[Hashable]) -> Iterable[tuple[int, int]]:
    """Cases of one clause and one kind: of a key on several appliances, or of every key of an appliance."""
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, case in enumerate(failed):
        groups[case.clause, case.key, _kind(case)].append(index)
        for scope in ("", _segment(case)):
            if (case.clause, case.ha_id, scope) not in holding:
                groups[case.clause, case.ha_id, scope, _kind(case)].append(index)
    for group in groups.values():
        yield from pairwise(group)


def _of_one_fact(failed: Sequence[CaseResult]) -> Iterable[tuple[int, int]]:
    """Cases of two clauses that judge the same fact of a key, or of an answer."""
    facts = pairs_of({clause.id: clause.same_fact for clause in CATALOG.clauses.values()})
    answers = pairs_of({clause.id: clause.same_answer for clause in CATALOG.clauses.values()})
    near: dict[Hashable, list[int]] = defaultdict(list)
    for index, case in enumerate(failed):
        for place in {(case.ha_id, case.key), *((sight.ha_id, sight.key) for sight in case.sights)}:
            near[place].append(index)
    for group in near.values():
        for one, other in combinations(group, 2):
            pair = frozenset({failed[one].clause, failed[other].clause})
            is_generated = GENERATED in {failed[one].key, failed[other].key}
            if (
                (len(pair) == 1 and is_generated)
                or pair in facts
                or (pair in answers and _exchanges(failed[one]) & _exchanges(failed[other]))
            ):
                yield one, other


def pairs_of(related: Mapping[str, Collection[str]]) -> frozenset[frozenset[str]]:
    """The pairs of clauses of which one names the other."""
    return frozenset(frozenset({one, other}) for one, others in related.items() for other in others)


def _kind(case: CaseResult) -> Hashable:
    """The manner of a contradiction and the kind of its deciding answer; without one, the id of the case."""
    if not case.sights:
        return case.id
    decides = case.sights[-1]
    return case.manner, decides.outcome, decides.status, decides.type


def _exchanges(case: CaseResult) -> set[int]:
    return {sight.exchange for sight in case.sights}


def _segment(case: CaseResult) -> str:
    entry = CATALOG.entries.get(case.key)
    return entry.segment if entry else ""


_MANY: Final = 3
"""From so many values on, a finding is told by their number, not by the first of them."""
_FINE: Final = frozenset({"pass", "not_applicable", "observed"})


def apply_waivers(
    cases: Iterable[CaseResult], waivers: Sequence[Waiver], ending: RunEnding
) -> tuple[list[CaseResult], tuple[WaiverResult, ...]]:
    """The judged cases with their failures waived, and what became of each waiver of the profile.

    A waiver is expired when its date lies before the day on which the run started. One that matches no case
    is open, not stale, where only some of the target's cases, or a sample of its appliances, were judged, and
    where it matches what was not judged.
    """
    judged = list(cases)
    if not waivers:
        return judged, ()
    today = date.fromisoformat(ending.run.started[:10])
    partial = ending.expected > len(judged) or ending.run.sample is not None
    beside = () if partial else tuple(one.id for one in ending.omitted)
    records = tuple(_settle(waiver, judged, beside, today=today, partial=partial) for waiver in waivers)
    waived = {case for record in records for case in record.waives}
    return [replace(case, waived=case.id in waived) for case in judged], records


def _settle(
    waiver: Waiver, cases: Iterable[CaseResult], omitted: Iterable[str], *, today: date, partial: bool
) -> WaiverResult:
    matched = [case for case in cases if fnmatchcase(case.id, waiver.case)]
    failing = tuple(case.id for case in matched if case.verdict == "fail")
    state: WaiverState
    if waiver.expires < today:
        state, failing = "expired", ()
    elif not matched:
        state = "open" if partial or any(fnmatchcase(name, waiver.case) for name in omitted) else "unmatched"
    elif all(case.verdict in _FINE for case in matched):
        state = "passing"
    else:
        state = "used" if failing else "open"
    return WaiverResult(waiver.case, waiver.reason, waiver.owner, waiver.expires.isoformat(), state, failing)
