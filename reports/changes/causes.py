"""Who made a difference between two runs: the server, the suite, the profile, or how far the runs went.

The old ledger, judged again, tells. A difference that is not there any more against the old exchanges in the judgement of the installed
suite is the suite's; one that is gone when they are judged with the new profile, too, is the profile's; what is left is the server's.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from reports.certificate import SERVED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reports.changes.records import Baseline, Cause, Change
    from reports.records import CaseResult, Results

    Place = tuple[str, str]

_CONTESTED: Final = frozenset({"PATH-BATTERYLEVEL", "PATH-DUSTBOX", "PATH-LOST", "PATH-LIFTED"})  # failed, neither segment does


class Judged:
    """The results of a run to look things up in: its cases by id, and which keys its appliances serve."""

    def __init__(self, results: Results) -> None:
        """Reads nothing else."""
        self.results = results
        self.cases = {case.id: case for case in results.cases}

    @cached_property
    def omitted(self) -> frozenset[str]:
        """The ids of what level and profile left out."""
        return frozenset(name for row in self.results.not_judged for name in row.ids)

    @cached_property
    def readings(self) -> Mapping[Place, CaseResult]:
        """The case that says whether an appliance serves a key, by haId and key."""
        return {(case.ha_id, case.key): case for case in self.results.cases if case.clause in SERVED}

    @cached_property
    def served(self) -> Mapping[Place, bool | None]:
        """Whether a key is served; None where the run does not know."""
        known: dict[Place, bool | None] = {place: _is_served(case) for place, case in self.readings.items()}
        refused = [(case.ha_id, case.key) for case in self.results.cases if case.clause in _CONTESTED and case.verdict == "fail"]
        return known | dict.fromkeys(refused, False)


class Causes:
    """Finds the cause of a difference between a baseline and a new run."""

    def __init__(self, baseline: Baseline, new: Results) -> None:
        """Judges nothing: what was judged again is in the baseline."""
        self._old = Judged(baseline.results)
        self._new = Judged(new)
        self._again = Judged(baseline.again) if baseline.again else None
        self._reprofiled = Judged(baseline.reprofiled) if baseline.reprofiled else None

    def has_acquitted(self, case: str) -> bool:
        """Whether a case failed in the old run, and its exchanges are no failure in the judgement of the installed suite."""
        was, again = self._old.cases.get(case), self._again.cases.get(case) if self._again else None
        return was is not None and was.verdict == "fail" and again is not None and again.verdict not in {"fail", "error"}

    def of_case(self, case: CaseResult, change: Change, between: Callable[[CaseResult | None], Change | None]) -> Cause:
        """The cause of a change of a case that the new run has; `between` says how it changed from another judgement of the old run."""

        def persists(judged: Judged) -> bool:
            found = between(judged.cases.get(case.id))
            return found == change or (change == "changed" and found == "new_failure")

        judgements = [judged for judged in (self._again, self._reprofiled) if judged and case.id in judged.cases]
        if case.id in self._old.cases:
            return self._of(case.id, persists, otherwise="suite") if judgements else "unknown"
        explained = self.of_new_case(case)
        return self._of(case.id, persists, otherwise=explained) if judgements and _has(self._old, case) else explained

    def of_key(self, place: Place, persists: Callable[[bool | None], bool]) -> Cause:
        """The cause of a key's coming or going; `persists` says whether it is still one against another judgement of the old run."""
        again = self._again.readings.get(place) if self._again else None
        return self._of(again.id, lambda judged: persists(judged.served.get(place)), otherwise="suite") if again else "unknown"

    def of_new_case(self, case: CaseResult) -> Cause:
        """Why the old run did not have the case."""
        if case.id in self._old.omitted:
            return "extent"
        if not _has(self._old, case):
            return "profile"
        if self._again is None:
            return "unknown"
        if case.id in self._again.cases:
            return "extent" if went_partway(self._old.results) else "suite"
        if self._reprofiled and case.id in self._reprofiled.cases:
            return "profile"
        return self._by_level()

    def of_lost_case(self, case: CaseResult) -> Cause:
        """Why the new run does not have the case."""
        if case.id in self._new.omitted or went_partway(self._new.results):
            return "extent"
        if not _has(self._new, case):
            return "profile"
        if self._again is None:
            return "unknown"
        if case.id not in self._again.cases:
            return "suite"
        if self._reprofiled and case.id not in self._reprofiled.cases:
            return "profile"
        return self._by_level()

    def _by_level(self) -> Cause:
        """The cause of what only the level can explain."""
        return "extent" if self._old.results.run.level != self._new.results.run.level else "unknown"

    def _of(self, case: str, persists: Callable[[Judged], bool], *, otherwise: Cause) -> Cause:
        """The cause of a difference by what persists of it; `otherwise` where the suite that is installed finds none."""
        again = self._again.cases.get(case) if self._again else None
        if self._again and again and not persists(self._again):
            return otherwise
        if self._reprofiled is None:
            return "server"
        if not persists(self._reprofiled):
            return "profile"
        reprofiled = self._reprofiled.cases.get(case)
        was_asked = reprofiled is not None and (reprofiled.verdict != "inconclusive" or (again and again.verdict == "inconclusive"))
        return "server" if was_asked else "unknown"  # the old run may not have asked what the new profile wants to know


def went_partway(results: Results) -> bool:
    """Whether a run judged only some of the target's cases: it was cut off, or told to select."""
    return results.interrupted or results.partial


def _is_served(case: CaseResult) -> bool | None:
    return None if case.verdict in {"inconclusive", "error"} else case.verdict == "pass"


def _has(run: Judged, case: CaseResult) -> bool:
    """Whether a run was about the appliance of a case; what is about none of the target's, every run is about."""
    known = {appliance.ha_id for appliance in run.results.run.appliances}
    return case.ha_id in {"*", f"no-{case.kind}", *known}
