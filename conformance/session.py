"""One run of the suite: where the rooms meet.

A session opens the target, plans from the cases pytest selected, observes once, before the first case is judged,
and then judges case by case. Whatever goes wrong on the way to the target, the cases are still judged on what was seen.
What one session has observed, others can judge from its ledger: that is how processes share the work of a run.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NotRequired, TypedDict

from conformance.cases import all_cases, all_omitted
from conformance.checks.exchange import JUDGED
from conformance.derive import CATALOG
from conformance.harness.conducting import Conductor
from conformance.harness.evidence import Evidence
from conformance.harness.gate import Gate
from conformance.harness.ledger import Header, Ledger, read_ledger
from conformance.harness.messages import TransportError, UnmaskableSecretError
from conformance.harness.observe import observe
from conformance.harness.omissions import omission_of
from conformance.harness.plan import Plan, plan_run
from conformance.harness.redaction import Redactor
from conformance.harness.repertoire import groups_of
from conformance.harness.scheduler import Scheduler
from conformance.harness.transport import Transport
from conformance.judge import Judged, judge
from conformance.profiles.answers import answers_of
from conformance.profiles.keeping import NO_SECRET, known_text
from conformance.profiles.loader import build_profile, claimed_keys, digest_profile, dump_profile, load_profile, secrets_of
from conformance.runs.confirmation import confirmed, reads_again
from conformance.runs.identity import DISTRIBUTION, catalog_digest, judging_digest, suite_version
from conformance.runs.state import new_journal
from conformance.targets import level_of, open_target
from reports.faults import Fault, own_fault
from reports.records import Appliance, Ending, Keys, Omitted, Requests, RunFacts, Target

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from catalog.model import Level
    from conformance.checks.case import Case
    from conformance.checks.premise import Check
    from conformance.checks.seen import Seen
    from conformance.harness.journal import Left
    from conformance.profiles.model import Profile

EVIDENCE = "evidence.ndjson"
_VARIABLES = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Observed(TypedDict):
    """What is needed to judge a run that somebody else made: its ledger, and another profile or none."""

    ledger: str
    profile: NotRequired[str]


class Session:
    """A run against one target; finish it, so that the ledger gets its last line, and close it, so that an embedded server stops.

    `level` says what the run may do to the target: read < write < power < attended. `is_cut_off` says that what was
    `observed` is a run that did not come to its end.
    """

    def __init__(  # noqa: PLR0913  what a run is made of meets here
        self,
        target: str,
        out: Path,
        *,
        level: Level | None = None,
        progress: Callable[[Plan], AbstractContextManager[Callable[[int], None]]] | None = None,
        observed: Observed | None = None,
        state: Path | None = None,
    ) -> None:
        """Opens the target; nothing is sent yet, and nothing ever where another session has `observed` it.

        Without a `level`, a server of the suite may be switched off and on, and any other target is only read. In the directory
        `state` it is kept what appliances are owed; without one a killed run can be undone only from its own journal.

        Raises:
            ProfileError: when its profile has mistakes, or says nothing of what the level needs.
            TransportError: when the files for TLS that it names cannot be used.
            LedgerError: when what was observed cannot be read.
        """
        self._stack = ExitStack()
        self._progress = progress
        self._out = out
        self._state = state
        self._cases: Sequence[Case] = ()
        self._trouble = self._fault = ""
        self._finished: list[Fault] | None = None
        if observed:
            ledger = read_ledger(Path(observed["ledger"]))
            exchanges, remarks = ledger.exchanges, ledger.remarks
            self.profile: Profile = profile_of_saved(ledger.header, observed)
            self._started, self._ended, self._trouble = ledger.header.started, ledger.ended, ledger.trouble
            self._finished = list(map(_not_restored, ledger.not_restored))
            self.level: Level = ledger.header.level
            self.is_cut_off = not ledger.complete
        else:
            exchanges, remarks = [], []
            self.profile = self._stack.enter_context(open_target(target))
            self._started, self._ended = _now(), ""
            self.level = level_of(target, self.profile, level)
            self.is_cut_off = False
        self._evidence = Evidence(self.profile, CATALOG, exchanges, remarks)
        self._conductor: Conductor | None = None
        self._ledger: Ledger | None = None
        secrets = {} if observed else secrets_of(self.profile)  # a ledger holds none
        self._redactor = Redactor(secrets, known_text(CATALOG, dump_profile(self.profile)))
        self._transport = None if observed else self._stack.enter_context(self._opened_transport())

    def select(self, cases: Sequence[Case]) -> None:
        """Fixes the cases of the run; only what these need is asked."""
        self._cases = cases

    @cached_property
    def plan(self) -> Plan:
        """What the run sends for its cases."""
        return plan_run(self.profile, CATALOG, self._cases, self.level)

    @cached_property
    def _read_only(self) -> Mapping[str, Seen]:
        """What was seen of each appliance by reading; looking at it the first time makes every exchange that reads."""
        if self._transport is None:
            return self._evidence.views()
        self._out.mkdir(parents=True, exist_ok=True)
        header = Header(
            suite_version(), catalog_digest(), judging_digest(), self.level, self._seed, dump_profile(self.profile), self._started
        )
        ledger = self._ledger = Ledger(self._out / EVIDENCE, header)
        self._stack.callback(ledger.cut_off)  # where no end of the run was told
        scheduler = self._stack.enter_context(Scheduler(self._transport, ledger, self._evidence))
        with self._progress(self.plan) if self._progress else nullcontext() as scheduler.on_progress:
            try:
                observe(self.plan, self._evidence, scheduler, self._seed)
                scheduler.run(reads_again(self._cases, self._evidence.views(), self.profile, self.level))
            except UnmaskableSecretError as error:
                self._fault = str(error)
                raise
            except TransportError as error:
                self._trouble = str(error)
        scheduler.on_progress = None
        if scheduler.spent:
            self._trouble = f"the {self.profile.per_day} requests of a day are used up (pace.per_day)"
        if self.level != "read" and not scheduler.is_over and not self._trouble:
            told = {"suite": suite_version(), "level": self.level, "profile": dump_profile(self.profile)}
            journal = new_journal(self._out, told, self.profile, self._state)
            gate = Gate(self.profile, self.level, journal)
            self._conductor = Conductor(self._evidence, scheduler, gate, level=self.level, seed=self._seed, selected=self._cases)
        return self._evidence.views()

    @property
    def views(self) -> Mapping[str, Seen]:
        """What has been seen of each appliance so far."""
        read_only = self._read_only
        return self._conductor.views if self._conductor else read_only

    def observe(self) -> None:
        """Makes every exchange that reads, once; judging does it where nobody has before.

        Raises:
            UnmaskableSecretError: when an access token is granted that cannot be kept secret; `finish` tells it as a fault.
        """
        _ = self._read_only

    def perform(self) -> None:
        """Makes the writes of all cases at once, in their order, for others to judge."""
        for case in self._cases:
            self._perform(case)

    def finish(self, *, interrupted: bool = False) -> list[Fault]:
        """Ends the exchanges of the run, once: a last look at what was written to, the last lines of ledger and journal.

        What could not be put back or kept is told, a fault each. A run that was `interrupted`, by whatever, leaves a ledger without a
        last line.
        """
        if self._finished is None:
            left = self._conductor.finish() if self._conductor else []
            self._finished = list(map(_not_restored, left))
            if self._ledger:
                if interrupted:
                    self._ledger.cut_off()
                else:
                    self._ledger.end(self._trouble, left)
                self._ended = self._ledger.ended
                self._finished += [own_fault(told) for told in (self._ledger.lost, self._fault) if told]
        return self._finished

    def share(self) -> Observed:
        """What other processes judge the run from, after this one has observed."""
        return {"ledger": str((self._out / EVIDENCE).resolve())}

    def judge(self, case: Case, check: Check) -> Judged:
        """The verdict of `check` on a case, with all that a report shows of it."""
        if case.is_of_absent_kind:
            return Judged(case, "not_applicable", f"the target has no {case.kind}")
        omission = omission_of(case, self.level)
        if omission:
            return Judged(case, "not_judged", omission.reason, field=omission.field)
        try:
            self._perform(case)
        except Exception as error:  # noqa: BLE001  a procedure that breaks is the suite's own fault; the other cases are still judged
            return Judged(case, "error", f"{type(error).__name__}: {error}", crash=error)
        seen = (self.views[case.ha_id] if case.ha_id != "*" else next(iter(self.views.values()))).for_case()
        refused = next((remark.refusal for group in groups_of(case) for remark in seen.remarks.get(group, ()) if remark.refusal), "")
        if refused:
            return Judged(case, "inconclusive", refused, seen)
        judged = judge(check, case, seen)
        if judged.verdict == "fail":
            judged = confirmed(judged, check, self._evidence.exchanges)
        if judged.verdict == "not_applicable" and seen.missed:  # whether the clause has a subject is what nobody asked
            judged = replace(judged, verdict="inconclusive", message=f"not asked in this run: {', '.join(seen.missed)}")
        trouble = self._trouble or (self._ledger.lost if self._ledger else "")
        if trouble and judged.verdict == "inconclusive":
            return replace(judged, message=f"{judged.message}; {trouble}")
        return judged

    def _perform(self, case: Case) -> None:
        self.observe()
        if self._conductor:
            self._conductor.perform(case)

    @property
    def trouble(self) -> str:
        """What ended the exchanges early, such as a token that was not granted; empty where nothing did."""
        return self._trouble

    def close(self) -> None:
        """Stops what was started."""
        self._stack.close()

    def leaks(self) -> list[str]:
        """The files of the run that hold a secret; there must be none."""
        return self._redactor.leaks(path for path in sorted(self._out.rglob("*")) if path.is_file())

    def facts(self, argv: Sequence[str] = ()) -> RunFacts:
        """What is known of the run beside its cases, as far as it has come."""
        target = self.profile.target
        purposes = [exchange.purpose for exchange in self._evidence.exchanges]
        reads, writes = purposes.count("read"), purposes.count("write") + purposes.count("restore")
        return RunFacts(
            suite_version=suite_version(),
            catalog_sha256=catalog_digest(),
            judging_sha256=judging_digest(),
            target=Target(target.name, target.base_url, target.vendor, target.product, digest_profile(self.profile)),
            appliances=tuple(Appliance(appliance.ha_id, appliance.kind) for appliance in self.profile.appliance),
            level=self.level,
            started=self._started,
            finished=self._ended or _now(),
            requests=Requests(reads, len(purposes) - reads - writes, writes),
            interpretations=self.profile.interpretation.model_dump(by_alias=True),
            argv=tuple(self._redactor.text(str(word)) for word in argv),
            answers=answers_of(self.profile),
        )

    def ending(self, run: RunFacts) -> Ending:
        """What is known when the run is over, where `run` is what was known before."""
        judged = (exchange for exchange in self._evidence.exchanges if exchange.purpose in JUDGED)
        answers = ((exchange.n, self._evidence.answer(exchange)) for exchange in judged)
        values = {number: json.dumps(answer.value, sort_keys=True) for number, answer in answers if answer.has_value}
        facts = replace(self.facts(run.argv), keys=self._keys())
        guess = self._evidence.guess
        told = {"answer.value": guess.value, "answer.status.value": guess.status}
        answers = {name: f"{json.dumps(place)} (guessed once in this run)" for name, place in told.items() if place is not None}
        facts = replace(facts, answers={**facts.answers, **answers})
        omitted = tuple(
            Omitted(case.clause.id, case.key, case.ha_id, omission.reason, omission.field)
            for case, omission in all_omitted(self.profile, self.level)
        )
        return Ending(facts, values, frozenset(case.id for case in all_cases(self.profile, self.level)), omitted)

    def _keys(self) -> Keys:
        """How many keys are tried and claimed, and how many gave a value when they were read."""
        tried = [(appliance, key) for appliance in self.profile.appliance for key in claimed_keys(appliance, CATALOG)]
        reads = (exchange for exchange in self._evidence.exchanges if exchange.purpose == "read")
        served = {(exchange.ha_id, exchange.key) for exchange in reads if self._evidence.answer(exchange).has_value}
        return Keys(len(tried), sum(appliance.claim(key) == "yes" for appliance, key in tried), len(served))

    def _opened_transport(self) -> Transport:
        return Transport(self.profile, self._redactor, os.environ, f"{DISTRIBUTION}/{suite_version()}")

    @property
    def _seed(self) -> str:
        """The seed of the words nobody uses: from the profile, so that a second run asks for the same."""
        return digest_profile(self.profile)[:16]


def _not_restored(left: Left) -> Fault:
    return Fault("not_restored", left.words, left.ha_id, left.key)


def saved(ledger: str | None, profile: str | None = None) -> Observed | None:
    """What is judged where a ledger is given in place of a target; None where none is."""
    if ledger is None:
        return None
    observed: Observed = {"ledger": ledger}
    return {**observed, "profile": profile} if profile else observed


def profile_of_saved(header: Header, observed: Observed) -> Profile:
    """The profile a saved run is judged with: its own, whose secrets nobody needs any more, or another one."""
    other = observed.get("profile")
    if other:
        return load_profile(Path(other), CATALOG, dict.fromkeys(_VARIABLES.findall(Path(other).read_text(encoding="utf-8")), NO_SECRET))
    names = _VARIABLES.findall(json.dumps(header.profile))
    return build_profile(header.profile, CATALOG, source=observed["ledger"], environment=dict.fromkeys(names, NO_SECRET))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")
