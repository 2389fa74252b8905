"""Who caused a difference between two runs: the server, the suite, the profile, or how far the runs went.

The old ledger is judged again. A difference that the installed suite does not find against the old exchanges
is caused by the suite; one that is gone when they are judged with the new profile is caused by the profile;
the others are caused by the server.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

from catalog.model import LEVELS
from conformance.records.results import CaseResult, Results
from reports.certificate import SERVED
from reports.changes.model import Baseline, Cause, Change

Place = tuple[str, str]

_CONTESTED: Final = frozenset({"PATH-BATTERYLEVEL", "PATH-DUSTBOX", "PATH-LOST", "PATH-LIFTED"})
"""Where a key fails one of these, neither segment serves it."""
_SELECTING: Final = ("-k", "-m", "--deselect", "--maxfail")
_STOPPING: Final = ("-x", "--exitfirst")


class IndexedResults:
    """The results of a run by id and by place: its cases, and which keys its appliances serve."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.cases = results.by_id

    @cached_property
    def omitted(self) -> frozenset[str]:
        """The ids of what level and profile left out."""
        return frozenset(name for row in self.results.not_judged for name in row.ids)

    @cached_property
    def leads(self) -> Mapping[str, str]:
        """The case that stands for the finding of each failed case."""
        return {case: finding.case for finding in self.results.findings for case in finding.cases}

    @cached_property
    def readings(self) -> Mapping[Place, CaseResult]:
        """The case that says whether an appliance serves a key, by haId and key."""
        return {(case.ha_id, case.key): case for case in self.results.cases if case.clause in SERVED}

    @cached_property
    def served(self) -> Mapping[Place, bool | None]:
        """Whether a key is served; None where the run does not know."""
        known: dict[Place, bool | None] = {
            place: None if case.verdict in {"inconclusive", "error"} else case.verdict == "pass"
            for place, case in self.readings.items()
        }
        failed = self.results.of("fail")
        refused = ((case.ha_id, case.key) for case in failed if case.clause in _CONTESTED)
        return known | dict.fromkeys(refused, False)


class Causes:
    """Finds the cause of a difference between a baseline and a new run."""

    def __init__(self, baseline: Baseline, new: Results) -> None:
        """Judges nothing: what was judged again is in the baseline."""
        self._old = IndexedResults(baseline.results)
        self._new = IndexedResults(new)
        self._again = IndexedResults(baseline.again) if baseline.again else None
        self._reprofiled = IndexedResults(baseline.reprofiled) if baseline.reprofiled else None

    def fails_no_more(self, case: str) -> bool:
        """Whether a case failed in the old run, and does not when the installed suite judges it again."""
        was, again = self._old.cases.get(case), self._again.cases.get(case) if self._again else None
        return bool(was and again and was.verdict == "fail" and again.verdict not in {"fail", "error"})

    def of_case(
        self, case: CaseResult, change: Change, between: Callable[[CaseResult | None], Change | None]
    ) -> Cause:
        """The cause of a change of a case of the new run; `between` compares it with another judgement."""

        def persists(judged: IndexedResults) -> bool:
            found = between(judged.cases.get(case.id))
            return found == change or (change == "changed" and found == "new_failure")

        judgements = (self._again, self._reprofiled)
        is_judged = any(judged and case.id in judged.cases for judged in judgements)
        if case.id in self._old.cases:
            explained, otherwise = "unknown", "suite"
        else:
            explained = otherwise = self.of_case_of_one(case)
            is_judged = is_judged and _has(self._old, case)
        cause = self._of(case.id, persists, otherwise=otherwise) if is_judged else explained
        return explained if cause == "server" and not self._was_visible(case.id) else cause

    def _was_visible(self, case: str) -> bool:
        """Whether what a run sees of a case is what the other one could see.

        A run that writes judges a case by what it wrote for others, too, and no result says by which of them.
        """
        old, new = self._old.results, self._new.results
        if (old.run.level, selection_of(old)) == (new.run.level, selection_of(new)):
            return True
        again = self._again.cases.get(case) if self._again else None
        only_read = old.run.level == new.run.level == "read"
        return bool(only_read and again and again.verdict != "inconclusive")

    def of_key(self, place: Place, persists: Callable[[bool | None], bool]) -> Cause:
        """The cause of a key's change; `persists` says whether another judgement of the old run shows it.

        A run of a higher level may have switched on what serves a key.
        """
        again = self._again.readings.get(place) if self._again else None
        if again is None:
            return "unknown"
        cause = self._of(again.id, lambda judged: persists(judged.served.get(place)), otherwise="suite")
        serving, other = self._new, self._old
        if not serving.served.get(place):
            serving, other = other, serving
        levels = [LEVELS.index(run.results.run.level) for run in (serving, other)]
        return "extent" if cause == "server" and levels[0] > levels[1] else cause

    def of_case_of_one(self, case: CaseResult) -> Cause:
        """Why only one of the runs has the case."""
        is_new = case.id in self._new.cases
        lacking = self._old if is_new else self._new
        if case.id in lacking.omitted or (not is_new and is_cut_short(self._new.results)):
            return "extent"
        if not _has(lacking, case):
            return "profile"
        if self._again is None:
            return "unknown"
        if (case.id in self._again.cases) is is_new:
            return "extent" if is_new and is_cut_short(self._old.results) else "suite"
        if self._reprofiled and (case.id in self._reprofiled.cases) is is_new:
            return "profile"
        # nothing else but the level explains it
        return "extent" if self._old.results.run.level != self._new.results.run.level else "unknown"

    def _of(self, case: str, persists: Callable[[IndexedResults], bool], *, otherwise: Cause) -> Cause:
        """The cause of a difference by what persists of it; `otherwise` if the installed suite finds none."""
        again = self._again.cases.get(case) if self._again else None
        if self._again and again and not persists(self._again):
            return otherwise
        if self._reprofiled is None:
            return "server"
        if not persists(self._reprofiled):
            return "profile"
        now = self._reprofiled.cases.get(case)
        is_known = now and now.verdict != "inconclusive"
        was_asked = is_known or (now and again and again.verdict == "inconclusive")
        # the old run may not have asked what the new profile needs
        return "server" if was_asked else "unknown"


def is_cut_short(results: Results) -> bool:
    """Whether a run judged only some of the target's cases: interrupted, or told to select."""
    return results.interrupted or results.partial


def selection_of(results: Results) -> str:
    """What selected the cases of a run, as it was typed."""
    picked: list[str] = []
    words = iter(results.run.argv)
    for word in words:
        if word in _SELECTING:
            picked += [word, next(words, "")]
        elif word.startswith(_SELECTING) or word in _STOPPING or "::" in word:
            picked.append(word)
    return " ".join(picked) or ("some cases" if results.partial and not results.interrupted else "every case")


def _has(run: IndexedResults, case: CaseResult) -> bool:
    """Whether a run was about the appliance of a case; about a kind that it lacks is every run."""
    return case.ha_id in {f"no-{case.kind}", *run.results.run.places}
