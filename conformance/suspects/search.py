"""Finds the edits of a profile by which findings would vanish.

An edit is tried on a few appliances first: the cases of the findings are judged again, and where that helps,
so is everything. One by which anything fails that passed is none, nor is one by which much is open that
passed: it finds other values, and loses those that were right. What is left is tried on more appliances.

An edit explains a finding if none of its cases fails any more and at least one passes. If they are only no
longer judged, or a claim was taken back, it may be the profile or the target: nobody can tell from here.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from conformance.harness.ledger import LedgerContents
from conformance.model.state_table import STATES
from conformance.profiles.fields import ProfileError
from conformance.records.results import Results, Suspect
from conformance.suspects.edits import ROWS, Edit
from conformance.suspects.replay import Replay, Verdicts

_MOST = 3
"""Suspects that are named."""
_TRIED_ON, _CONFIRMED_ON = 3, 16
"""Appliances that every edit is tried on, and those that the best are tried on as well."""
_MOST_EDITS = 60
_HALF, _TENTH = 2, 10
"""Of so many open cases an edit has to decide one; where a run ended as nothing fitted, most rest on more."""
_OPEN = frozenset({"inconclusive", "fail"})
_SHARE = 10
"""Cases that an edit helps for each that fails with it; what was not asked again may fail as it stands."""


class _Doubts(Struct, frozen=True):
    """What an edit may explain: the cases of each finding, by the case that stands for it, and open cases.

    An edit helps that decides one in `share` of these.
    """

    findings: Mapping[str, Collection[str]]
    still_open: frozenset[str]
    share: int = _HALF

    @classmethod
    def of(cls, results: Results) -> "_Doubts":
        """The findings that nobody waives, and the claimed cases that no state leaves open."""
        open_cases = (
            case.id
            for case in results.of("inconclusive")
            if case.claimed and not case.waived and case.exempt not in STATES
        )
        found = {one.case: one.cases for one in results.findings if not one.waived}
        is_misfit = any(loss.misfit for loss in results.run.lost)
        return cls(found, frozenset(open_cases), _TENTH if is_misfit else _HALF)

    def among(self, run: Replay, verdicts: Verdicts) -> "_Doubts":
        """What of it some verdicts show, too: an open case of a key that was not asked, no edit decides.

        Where no answer fitted the profile, so that all is open, what fails here counts with that.
        """
        kept = {
            name: [case for case in cases if verdicts.get(case) == "fail"]
            for name, cases in self.findings.items()
        }
        still = (case for case in self.still_open if verdicts.get(case) in _OPEN and run.asked(case))
        kept = {name: cases for name, cases in kept.items() if cases}
        return replace(self, findings=kept, still_open=frozenset(still))

    def are_decided(self, cases: int) -> bool:
        """Whether so many of the open cases are enough."""
        return self.share * cases >= max(1, len(self.still_open))

    @property
    def cases(self) -> Iterator[str]:
        """The cases of it, those that stand for a finding first."""
        yield from self.findings
        yield from sorted(self.still_open)
        for cases in self.findings.values():
            yield from cases


class _Tried(Struct, frozen=True):
    """What came of an edit: findings that it explains, those no longer judged, how many open cases pass."""

    edit: Edit
    explains: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    decides: int = 0

    @property
    def weight(self) -> tuple[bool, int, int, int]:
        """The greater, the likelier."""
        return self.edit.is_shown, len(self.explains), self.decides, len(self.perhaps)

    def told(self, data: Mapping[str, Any]) -> Suspect:
        """The suspect that it is in a profile."""
        found = self.edit.suspected_in(data)
        return replace(found, explains=self.explains, perhaps=self.perhaps, decides=self.decides)


def suspects_of(contents: LedgerContents, results: Results) -> tuple[Suspect, ...]:
    """The likeliest mistakes of the profile with which a run was judged, at most three.

    Args:
        contents: what the run saw.
        results: what it was judged to, whole or in part.
    """
    doubts = _Doubts.of(results)
    known = results.run.places
    by_id = results.by_id
    asked = [name for name in dict.fromkeys(by_id[case].ha_id for case in doubts.cases) if name in known]
    if not asked:
        return ()
    few, more = asked[:_TRIED_ON], asked[:_CONFIRMED_ON]
    found = list(_found(_Search(Replay.of(contents, few), doubts)))
    if more != few and found:
        whole = _Search(Replay.of(contents, more), doubts)
        found = [one for tried in found for one in [whole.tried(tried.edit)] if one]
    data = contents.header.profile
    return tuple(tried.told(data) for tried in found[:_MOST])


def _found(search: "_Search") -> Iterator[_Tried]:
    """The edits that help most, then those that explain what is left once the first one is made."""
    found = search.all_tried()
    yield from found
    first = next(iter(found), None)
    if (
        first
        and first.explains
        and (left := [name for name in search.doubts.findings if name not in first.explains])
    ):
        told = {one.edit for one in found}
        rest = _Doubts({name: search.doubts.findings[name] for name in left}, frozenset())
        then = _Search(Replay(search.run.contents, first.edit.applied(search.run.data)), rest)
        yield from (one for one in then.all_tried() if one.edit not in told and one.explains)


class _Search:
    """The edits of one profile, tried on one run."""

    def __init__(self, run: Replay, doubts: _Doubts) -> None:
        self.run = run
        before = run.verdicts()
        self.doubts = doubts.among(run, before)
        self._clauses = {case.partition("::")[0] for case in self.doubts.cases}
        self._passed = [case for case, verdict in before.items() if verdict == "pass"]
        self._failed = _fails(before)

    def all_tried(self) -> list[_Tried]:
        """The edits that help, the likeliest first; no further kind is tried once all is explained."""
        found: list[_Tried] = []
        for row in ROWS:
            found += filter(None, map(self.tried, islice(row(self.run.seen), _MOST_EDITS)))
            if any(self._explains_all(one) for one in found):
                break
        return sorted(found, key=lambda one: one.weight, reverse=True)

    def tried(self, edit: Edit) -> _Tried | None:
        """What an edit explains; None where it helps nothing, does harm, or makes no valid profile."""
        if edit.is_shown:
            return _Tried(edit)
        try:
            run = Replay(self.run.contents, edit.applied(self.run.data))
        except ProfileError:
            return None
        again = run.verdicts(self._clauses)
        gone = [
            name
            for name, cases in self.doubts.findings.items()
            if not any(again.get(case) == "fail" for case in cases)
        ]
        explains = tuple(
            name
            for name in gone
            if not edit.is_claim and any(again.get(case) == "pass" for case in self.doubts.findings[name])
        )
        decides = sum(again.get(case) == "pass" for case in self.doubts.still_open)
        helps = bool(gone) or self.doubts.are_decided(decides)
        if not helps:
            return None
        after = run.verdicts()
        helped = decides + sum(len(self.doubts.findings[name]) for name in gone)
        is_dear = _SHARE * (_fails(after) - self._failed) > helped
        unseen = sum(after.get(case) != "pass" for case in self._passed)
        if is_dear or _HALF * unseen > helped or any(after.get(case) == "fail" for case in self._passed):
            return None
        return _Tried(edit, explains, tuple(name for name in gone if name not in explains), decides)

    def _explains_all(self, one: _Tried) -> bool:
        is_decided = not self.doubts.still_open or self.doubts.are_decided(one.decides)
        return one.edit.is_shown or (
            len(one.explains + one.perhaps) == len(self.doubts.findings) and is_decided
        )


def _fails(verdicts: Verdicts) -> int:
    return sum(verdict == "fail" for verdict in verdicts.values())
