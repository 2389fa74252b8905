"""One run of the suite, in the order in which its data flows: open, select, read, write, judge, finish.

A session is opened for the profile of a target, or for a saved run; the latter sends nothing. Whatever goes
wrong between the suite and the target, the cases are still judged, by what was observed until then.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from catalog.model import Level
from conformance.cases import each_case
from conformance.checks.case import Case, Omission
from conformance.checks.groups import WRITING
from conformance.checks.premise import Check
from conformance.checks.remarks import others_in
from conformance.checks.view import View
from conformance.harness.clock import REAL
from conformance.harness.errors import LedgerError, SecretValueError
from conformance.harness.ledger import LedgerContents, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.planning import Look, Plan, plan_run
from conformance.harness.wire.network import SOCKETS, Network
from conformance.harness.wire.redaction import Redactor
from conformance.profiles.keeping import known_text
from conformance.profiles.model import Profile
from conformance.profiles.validation import dump_profile, secrets_of
from conformance.records.faults import Fault
from conformance.records.results import RunEnding
from conformance.records.run_facts import RunFacts, moment
from conformance.runs.certainty import held_when_asked_again
from conformance.runs.facts import campaign_of, ending_of, facts_of
from conformance.runs.judging import Judged, as_far_as_seen, judge
from conformance.runs.live_run import LiveRun, not_restored
from conformance.runs.processes.progress import Progress
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.sightings import Sightings, judge_sightings, sightings_of
from conformance.runs.witnessed import judge_witnessed, witnessed_of


class Session:
    """One run against one target, or one saved run.

    Call `select`, `read` and `write` before `judge`, `finish` after the last case, and `close` in any case.

    Attributes:
        profile: what the target claims.
        level: what the run may do to the target.
        is_cut_off: whether the saved run that is judged did not come to its end.
        live: asks the target, as its attributes say; None where a run is saved.
    """

    def __init__(
        self,
        profile: Profile,
        out: Path,
        level: Level = "read",
        *,
        saved: LedgerContents | None = None,
        network: Network = SOCKETS,
    ) -> None:
        """Opens the transport in `network`; nothing is sent yet, and nothing at all where a run is `saved`.

        Raises:
            TransportError: when the files for TLS that the profile names cannot be used.
        """
        self.profile = profile
        self.level: Level = level
        self.is_cut_off = saved is not None and not saved.complete
        self._out = out
        self._cases: Sequence[Case] = ()
        self._look: Look = "whole"
        self._faults = [not_restored(left) for left in saved.not_restored] if saved else None
        self._observations = Observations(
            profile, saved.exchanges if saved else [], saved.remarks if saved else []
        )
        secrets = {} if saved else secrets_of(profile)  # a ledger holds none
        self._redactor = Redactor(secrets, known_text(dump_profile(profile)))
        self._source = saved or LiveRun(self._observations, out, level, self._redactor, network)
        self.live = self._source if isinstance(self._source, LiveRun) else None

    @classmethod
    def of_saved(cls, run: SavedRun) -> Self:
        """A session that judges a saved run again.

        Raises:
            LedgerError: when its ledger cannot be read.
            ProfileError: when its profile has mistakes.
        """
        contents = read_ledger(run.ledger)
        return cls.of_contents(contents, run.profile_for(contents.header))

    @classmethod
    def of_contents(cls, contents: LedgerContents, profile: Profile) -> Self:
        """A session that judges what a ledger holds with a profile, and has no files of its own."""
        return cls(profile, Path(), contents.header.level, saved=contents)

    def select(self, cases: Sequence[Case], look: Look = "whole") -> None:
        """Fixes the cases of the run; the target is asked only what these need.

        Whatever but a `whole` look only reads, each key once, and no finding is made certain.
        """
        self._cases, self._look = cases, look

    @cached_property
    def plan(self) -> Plan:
        """What the run reads for its cases."""
        plan = plan_run(self.profile, self._cases, self.level)
        return plan if self._look == "whole" else replace(plan, look=self._look, generated=frozenset())

    def read(self, progress: Progress | None = None, state: Path | None = None) -> None:
        """Makes every exchange that only reads; `progress` and `state` are those of `LiveRun.read`.

        Raises:
            UnmaskableSecretError: when an access token is granted that cannot be masked; `finish` reports it.
        """
        if self.live:
            self.live.read(self.plan, self._cases, progress, state)

    def resume(self, path: Path) -> str:
        """Goes on from the ledger of a run that did not come to its end; else says why the run begins anew.

        Raises:
            LedgerError: when the ledger cannot be read, is of another profile, suite or level, or of a time
                to come.
        """
        if not path.is_file():
            return f"there is no {path} to go on from: this run begins anew"
        earlier = read_ledger(path)
        if (earlier.complete and not earlier.planned) or not self.live:
            return f"the run of {path} had come to its end: this one begins anew"
        header, own = earlier.header, self.live.header
        # the seed follows from the profile where none is given: it differs as well where that does
        for name in ("suite", "catalog_sha256", "judging_sha256", "level", "profile", "seed"):
            if getattr(header, name) != getattr(own, name):
                options = " (--shard and --sample belong to it)" if name == "profile" else ""
                raise LedgerError(f"{path}: cannot be resumed: its {name} is another one{options}")
        if moment(own.at) < moment(earlier.ended):  # what is asked now would be dated before it
            told = f"its last line is of {earlier.ended}, and the clock of this machine is behind"
            raise LedgerError(f"{path}: cannot be resumed: {told}: {own.at}")
        self.live.resume(earlier)
        return ""

    @property
    def contents(self) -> LedgerContents:
        """What the ledger of the run holds: it can be judged again, with another profile, too."""
        if isinstance(self._source, LedgerContents):
            return self._source
        run, seen = self._source, self._observations
        return LedgerContents(
            run.header,
            seen.exchanges,
            complete=True,
            remarks=seen.remarks,
            ended=run.ended,
            trouble=run.trouble,
            not_restored=(),
            planned=run.planned,
        )

    @property
    def views(self) -> Mapping[str, View]:
        """What was seen of each appliance so far, by haId."""
        return self.live.views if self.live else self._saved_views

    @cached_property
    def _saved_views(self) -> Mapping[str, View]:
        return self._observations.views()

    @cached_property
    def _sightings(self) -> Mapping[str, Sightings]:
        return sightings_of(self._observations)

    @cached_property
    def _witnessed(self) -> Mapping[str, View]:
        return witnessed_of(self._observations)

    def write(self, progress: Progress | None = None) -> None:
        """Makes every write of the run, and puts everything back; afterwards nothing is sent any more.

        `progress` is that of `LiveRun.write`.

        Raises:
            KeyboardInterrupt: when a signal came; everything is back all the same.
        """
        if self.live:
            self.live.write(progress)

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
        if not self.live or not (crashes := self.live.crashes):
            return None
        for group in (*case.groups, *case.besides):
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
        if refusals and judged.verdict != "fail":  # what was seen before counts all the same
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
        trouble = self.trouble or (self.live.lost if self.live else "")
        return replace(judged, message=f"{judged.message}; {trouble}") if trouble else judged

    def _others_in(self, judged: Judged) -> str:
        """Who else wrote to the appliance of a case, or to another one that the finding rests on."""
        answers = (answer for answer in (*judged.beside, judged.answer) if answer)
        names = dict.fromkeys([judged.case.ha_id, *(answer.ha_id for answer in answers)])
        found = (others_in(self.views[ha_id].remarks) for ha_id in names if ha_id in self.views)
        return next(filter(None, found), "")

    def _found(self, case: Case, check: Check, seen: View) -> Judged | None:
        """What the check said of a case when everything was read, once; None where more was seen since."""
        used, judged = self.live.found.pop(case.id, (None, None)) if self.live else (None, None)
        return judged if judged and judged.seen is seen and used is check else None

    @property
    def has_asked(self) -> bool:
        """Whether the target may have been sent anything."""
        return self.live is not None and self.live.has_asked

    @property
    def trouble(self) -> str:
        """What ended the exchanges early, such as a token that was not granted; empty where nothing did."""
        return self._source.trouble

    def finish(self, *, interrupted: bool = False) -> list[Fault]:
        """Ends the exchanges of the run, once; what could not be put back or kept, a fault each.

        The ledger of a run that was `interrupted` gets no last line.
        """
        self._cases = ()  # half a million of a large fleet, while the files are made
        if self._faults is None:
            self._faults = self.live.end(interrupted=interrupted) if self.live else []
        return self._faults

    def first_unlike(self, saved: Self) -> str:
        """The first thing that verdicts of this run rest on and that its saved run holds otherwise, or not.

        What is read after the last verdict, to see what was put back, is compared as an exchange only.
        """
        own, kept = self._rests_on(), saved._rests_on()
        unlike = (name for name, held in own.items() if name not in kept or kept[name] != held)
        # a value that is no number is unlike itself, and written alike
        first = next((name for name in unlike if repr(own[name]) != repr(kept.get(name))), ())
        return " ".join(map(str, first))

    def _rests_on(self) -> dict[tuple[object, ...], object]:
        """Everything that verdicts and results are made of, by what it is."""
        seen = self._observations
        found: dict[tuple[object, ...], object] = {
            ("profile",): self.profile,
            ("level",): self.level,
            ("trouble",): self.trouble,
            ("faults",): self.finish(),
            **{("exchange", number): exchange for number, exchange in enumerate(seen.exchanges)},
            **{("remark", number): remark for number, remark in enumerate(seen.remarks)},
            ("exchanges",): len(seen.exchanges),
            ("remarks",): len(seen.remarks),
        }
        for ha_id, view in self.views.items():
            for what, held in (("read", view.reads), ("group", view.groups), ("remarks", view.remarks)):
                found |= {(what, place, "of", ha_id): answers for place, answers in held.items()}
        return found

    def close(self) -> None:
        """Closes what was opened."""
        if self.live:
            self.live.close()

    def leaks(self) -> list[str]:
        """The files of the run that hold a secret; there must be none. Of a saved run no secret is known."""
        paths = sorted(self._out.rglob("*")) if self.live else ()
        return self._redactor.leaks(path for path in paths if path.is_file())

    def facts(self, argv: Sequence[str] = ()) -> RunFacts:
        """What is known of the run beside its cases so far; `argv` is shown without secrets."""
        words = tuple(self._redactor.text(str(word)) for word in argv)
        started, finished = self._source.started, self._source.ended or REAL.stamp()
        facts = facts_of(self._observations, self.level, started=started, finished=finished, argv=words)
        facts = replace(facts, campaign=campaign_of(self._observations, self._source.planned))
        return replace(facts, interruptions=self._source.interruptions)

    def ending(self, run: RunFacts, every: Iterable[tuple[Case, Omission | None]] | None = None) -> RunEnding:
        """What is known when the run is over, where `run` is what was known before.

        `every` are all cases of the target, with why the run does not make them, if somebody has them.
        """
        every = each_case(self.profile, self.level) if every is None else every
        return ending_of(self.facts(run.argv), self._observations, every)
