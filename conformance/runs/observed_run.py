"""A run as it was observed, by which its cases are judged; nothing is sent here.

That of a saved run is what its ledger holds. One that asks a target is a `Session`: whatever goes wrong
between the suite and the target, the cases are still judged, by what was observed until then.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from msgspec.structs import replace

from catalog.model import Level
from conformance.cases import each_case
from conformance.checks.case import Case, Omission
from conformance.checks.groups import WRITING, Group
from conformance.checks.premise import Check
from conformance.checks.remarks import others_in
from conformance.checks.view import View
from conformance.harness.errors import SecretValueError
from conformance.harness.ledger import LedgerContents, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.planning import Look
from conformance.profiles.model import Profile
from conformance.records.faults import Fault
from conformance.records.ledger_lines import NotRestored
from conformance.records.results import RunEnding
from conformance.records.run_facts import RunFacts
from conformance.runs.certainty import Found, held_when_asked_again
from conformance.runs.facts import ending_of, facts_of
from conformance.runs.judging import Judged, as_far_as_seen, judge
from conformance.runs.processes.progress import Progress
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.sightings import Sightings, judge_sightings, sightings_of
from conformance.runs.witnessed import judge_witnessed, witnessed_of


class ObservedRun:
    """What a run has observed, and the verdicts that it comes to.

    Call `select`, `read` and `write` before `judge`, `finish` after the last case, and `close` in any case:
    where a run is saved, there is nothing left to ask.

    Attributes:
        profile: what the target claims.
        contents: what the ledger of the run holds: it can be judged again, with another profile, too.
        found: what came of each case, by its id, and of which check, when everything was read.
    """

    def __init__(self, contents: LedgerContents, profile: Profile) -> None:
        """Judges what a ledger holds with a profile."""
        self.profile = profile
        self.contents = contents
        self.found: Found = {}
        self._observations = Observations(profile, contents.exchanges, contents.remarks)
        self._cases: Sequence[Case] = ()
        self._look: Look = "whole"
        self._faults: list[Fault] | None = None

    @property
    def level(self) -> Level:
        """What the run may do to the target."""
        return self.contents.header.level

    @property
    def trouble(self) -> str:
        """What ended the exchanges early, such as a token that was not granted; empty where nothing did."""
        return self.contents.trouble

    @property
    def has_asked(self) -> bool:
        """Whether the target may have been sent anything."""
        return False

    @property
    def lost(self) -> str:
        """Why a line of the ledger could not be written; empty where each was."""
        return ""

    @property
    def crashes(self) -> Mapping[tuple[str, Group], Exception]:
        """What broke a procedure that writes, by haId and group."""
        return {}

    @cached_property
    def views(self) -> Mapping[str, View]:
        """What was seen of each appliance so far, by haId."""
        return self._observations.views()

    @cached_property
    def _sightings(self) -> Mapping[str, Sightings]:
        return sightings_of(self._observations)

    @cached_property
    def _witnessed(self) -> Mapping[str, View]:
        return witnessed_of(self._observations)

    def select(self, cases: Sequence[Case], look: Look = "whole") -> None:
        """Fixes the cases of the run; the target is asked only what these need.

        Whatever but a `whole` look only reads, each key once, and no finding is made certain.
        """
        self._cases, self._look = cases, look

    def read(self, progress: Progress | None = None, state: Path | None = None) -> None:
        """Makes every exchange that only reads."""

    def write(self, progress: Progress | None = None) -> None:
        """Makes every write of the run, and puts everything back; afterwards nothing is sent any more."""

    def judge(self, case: Case, check: Check) -> Judged:
        """The verdict of `check` on a case; sends nothing."""
        if case.is_of_absent_kind:
            return Judged(case, "not_applicable", f"the target has no {case.kind}")
        if self.level == "seen" and case.clause.in_traces:
            return judge_witnessed(case, check, self._witnessed[case.ha_id])
        if self.level == "seen":
            return judge_sightings(case, check, self._sightings[case.ha_id])
        return self._crashed(case) or self._judged(case, check)

    def _crashed(self, case: Case) -> Judged | None:
        """What is said of a case of which a procedure broke; None where none did."""
        crashes = self.crashes
        for group in (*case.groups, *case.besides) if crashes else ():
            crash = crashes.get((case.ha_id, group))
            if isinstance(crash, SecretValueError):
                return Judged(case, "inconclusive", str(crash))
            if crash:
                return Judged(case, "error", f"{type(crash).__name__}: {crash}", crash=crash)
        return None

    def _judged(self, case: Case, check: Check) -> Judged:
        seen = self.views[case.ha_id]
        noted = (remark for group in case.groups for remark in seen.noted(group))
        refusals = [remark.refusal for remark in noted if remark.refusal]
        judged = self._found(case, check, seen) or judge(check, case, seen)
        # what was seen before counts all the same, and what is wrong with the suite is told
        if refusals and judged.verdict not in {"fail", "error"}:
            return Judged(case, "inconclusive", refusals[0], seen)
        if judged.verdict == "fail":
            judged = held_when_asked_again(judged, check, self._observations.exchanges)
        if judged.verdict == "not_applicable" and judged.missed:
            # what was not asked would tell whether the clause applies
            message = f"not asked in this run: {', '.join(judged.missed)}"
            judged = replace(judged, verdict="inconclusive", message=message)
        judged = as_far_as_seen(judged, seen)
        rests_on_writes = judged.verdict == "fail" and any(one.kind in WRITING for one in case.groups)
        if rests_on_writes and (others := self._others_in(judged)):
            judged = replace(judged, verdict="inconclusive", message=f"{judged.message}; but {others}")
        if judged.verdict != "inconclusive":
            return judged
        trouble = self.trouble or self.lost
        return replace(judged, message=f"{judged.message}; {trouble}") if trouble else judged

    def _others_in(self, judged: Judged) -> str:
        """Who else wrote to the appliance of a case, or to another one that the finding rests on."""
        answers = (answer for answer in (*judged.beside, judged.answer) if answer)
        names = dict.fromkeys([judged.case.ha_id, *(answer.ha_id for answer in answers)])
        found = (others_in(self.views[ha_id].remarks) for ha_id in names if ha_id in self.views)
        return next(filter(None, found), "")

    def _found(self, case: Case, check: Check, seen: View) -> Judged | None:
        """What the check said of a case when everything was read, once; None where more was seen since."""
        used, judged = self.found.pop(case.id, (None, None))
        return judged if judged and judged.seen is seen and used is check else None

    def finish(self, *, interrupted: bool = False) -> list[Fault]:
        """Ends the exchanges of the run, once; what could not be put back or kept, a fault each.

        The ledger of a run that was `interrupted` gets no last line.
        """
        self._cases = ()  # half a million of a large fleet, while the files are made
        if self._faults is None:
            self._faults = self._end(interrupted=interrupted)
        return self._faults

    def _end(self, *, interrupted: bool) -> list[Fault]:
        del interrupted
        return [not_restored(one) for one in self.contents.not_restored]

    def first_unlike(self, saved: "ObservedRun") -> str:
        """The first thing that verdicts of this run rest on and that its saved run holds otherwise, or not.

        What is read after the last verdict, to see what was put back, is compared as an exchange only.
        """
        kept = dict(saved.basis())
        for name, held in self.basis():
            # a value that is no number is unlike itself, and written alike
            if name not in kept or (kept[name] != held and repr(kept[name]) != repr(held)):
                return " ".join(map(str, name))
        return ""

    def basis(self) -> Iterator[tuple[tuple[object, ...], object]]:
        """Everything that verdicts and results are made of, each with what it is."""
        yield from ((("profile",), self.profile), (("level",), self.level), (("trouble",), self.trouble))
        yield ("faults",), self.finish()
        seen = self._observations
        for what, noted in (("exchange", seen.exchanges), ("remark", seen.remarks)):
            yield ("number of each", what), len(noted)
            yield from (((what, number), one) for number, one in enumerate(noted))
        for ha_id, view in self.views.items():
            for what, held in (("read", view.reads), ("group", view.groups), ("remarks", view.remarks)):
                yield from (((what, place, "of", ha_id), answers) for place, answers in held.items())

    def close(self) -> None:
        """Closes what was opened."""

    def leaks(self) -> list[str]:
        """The files of the run that hold a secret; there must be none. Of a saved run no secret is known."""
        return []

    def facts(self, argv: Sequence[str] = ()) -> RunFacts:
        """What is known of the run beside its cases so far; `argv` is shown without secrets."""
        return facts_of(self.contents, self._observations, tuple(map(str, argv)))

    def ending(self, run: RunFacts, every: Iterable[tuple[Case, Omission | None]] | None = None) -> RunEnding:
        """What is known when the run is over, where `run` is what was known before.

        `every` are all cases of the target, with why the run does not make them, if somebody has them.
        """
        every = each_case(self.profile, self.level) if every is None else every
        return ending_of(self.facts(run.argv), self._observations, every)


def observed(run: SavedRun) -> ObservedRun:
    """A saved run, to be judged again.

    Raises:
        LedgerError: when its ledger cannot be read.
        ProfileError: when its profile has mistakes.
    """
    contents = read_ledger(run.ledger)
    return ObservedRun(contents, run.profile_for(contents.header))


def not_restored(left: NotRestored) -> Fault:
    """The fault of a value that could not be put back."""
    return Fault("not_restored", left.words, left.ha_id, left.key)
