"""One run of the suite, in the order in which its data flows: open, select, read, write, judge, finish."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from pathlib import Path

from msgspec.structs import replace

from catalog.model import Level
from conformance.checks.groups import Group
from conformance.checks.remarks import Interruption
from conformance.harness.clock import REAL
from conformance.harness.errors import DayBudgetError, LedgerError, TransportError, UnmaskableSecretError
from conformance.harness.ledger import Header, Ledger, LedgerContents, read_ledger
from conformance.harness.planning import Plan, forecast, plan_run
from conformance.harness.reads.shared_reads import observe, wait_for_target
from conformance.harness.scheduler import Scheduler
from conformance.harness.wire.network import SOCKETS, Network
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.batches import KeptBatches
from conformance.harness.writes.write_runner import WriteRunner
from conformance.profiles.fleet.sharding import nonces_of
from conformance.profiles.keeping import known_text
from conformance.profiles.model import Profile
from conformance.profiles.validation import dump_profile, secrets_of
from conformance.records.faults import Fault, own_fault
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.run_facts import RunFacts, moment
from conformance.runs.admission.state import budget_of, new_journal
from conformance.runs.certainty import certainty_of, held_when_asked_again, make_certain
from conformance.runs.identity import agent, identity
from conformance.runs.judging import Judged
from conformance.runs.observed_run import ObservedRun, not_restored
from conformance.runs.processes.progress import Progress
from conformance.runs.saved.resuming import kept_of, left_of


class Session(ObservedRun):
    """One run against one target, which sends what its cases need, into the ledger and the observations."""

    def __init__(  # noqa: PLR0913  what a run is made of
        self,
        profile: Profile,
        out: Path,
        level: Level = "read",
        *,
        seed: str | None = None,
        wait_s: float = 0.0,
        network: Network = SOCKETS,
    ) -> None:
        """Opens the transport in `network`; nothing is sent yet.

        Args:
            profile: what the target claims.
            out: the directory of the files of the run.
            level: what the run may do to the target.
            seed: what unknown words and generated requests are drawn from; None for that of the profile.
            wait_s: how long a target that does not answer is waited for when reading begins, in seconds.
            network: what the target is reached through.

        Raises:
            TransportError: when the files for TLS that the profile names cannot be used.
        """
        data, seed = dump_profile(profile), nonces_of(profile) if seed is None else seed
        header = Header(*identity(), level, seed, data, REAL.stamp(), (), profile.places)
        super().__init__(LedgerContents(header, [], complete=True, remarks=[]), profile)
        self.views = {}
        self._out = out
        self._wait_s = wait_s
        self._network = network
        self._stack = ExitStack()
        self._ledger: Ledger | None = None
        self._scheduler: Scheduler | None = None
        self._writes: WriteRunner | None = None
        self._fault = ""
        self._earlier: LedgerContents | None = None
        self._redactor = Redactor(secrets_of(profile), known_text(data))
        transport = Transport(profile, self._redactor, os.environ, agent(), network)
        self._transport = self._stack.enter_context(transport)
        self._plan: Plan | None = None
        self._findings = _Findings()

    def read(self, progress: Progress | None = None, state: Path | None = None) -> None:
        """Makes every exchange that only reads, and prepares for writing where the level writes.

        Args:
            progress: shows how far the reading is.
            state: the directory of the appliances' journals, and of the requests of the day; None for a
                server of the suite.

        Raises:
            UnmaskableSecretError: when an access token is granted that cannot be masked; `finish` reports it.
        """
        cases, header = self._cases, self.contents.header
        plan = self._plan = plan_run(self.profile, cases, self.level, self._look)
        self._out.mkdir(parents=True, exist_ok=True)
        ledger = self._ledger = Ledger(self._out / LEDGER_FILE, header)
        self._stack.callback(ledger.cut_off)  # where `finish` is never called
        self._transport.pace.day = budget_of(self.profile, state)
        scheduler = self._scheduler = self._stack.enter_context(
            Scheduler(self._transport, ledger, self._observations, network=self._network)
        )
        with progress.reading(plan) if progress else nullcontext() as scheduler.on_progress:
            try:
                if self._wait_s:
                    wait_for_target(plan, scheduler, self._wait_s, header.seed)
                if self._earlier:
                    scheduler.reach.learn(self._earlier.exchanges)
                    kept = kept_of(
                        self._earlier, self.profile, self._observations.views(), self._transport.send
                    )
                    self._earlier, scheduler.kept = kept
                generated = observe(plan, scheduler, header.seed)
                if plan.look != "glance":
                    scheduler.presence.look_for_all()
                if plan.look == "whole":
                    self.found = make_certain(cases, self._observations.views, scheduler.run, generated)
            except UnmaskableSecretError as error:
                self._fault = str(error)
                raise
            except TransportError as error:
                self.contents = self.contents._replace(trouble=str(error))
            except DayBudgetError:
                scheduler.spent = True
        scheduler.on_progress = None
        scheduler.kept = None  # what is written to is read anew
        if self.level != "read" and not scheduler.is_over and not self.trouble:
            first = {"suite": header.suite, "level": self.level, "profile": header.profile}
            earlier = self._earlier
            since = earlier.header.at if earlier else ""
            journal = new_journal(self._out, first, self.profile, state, goes_on_since=since)
            self._writes = WriteRunner(
                scheduler,
                journal,
                level=self.level,
                seed=header.seed,
                selected=cases,
                is_open=certainty_of(cases, self._findings.tell),
                kept=KeptBatches(earlier.exchanges, earlier.remarks) if earlier else None,
            )
        else:
            self._note_end_of_night()
        self.views = self._observations.views()

    def resume(self, path: Path) -> str:
        """Goes on from the ledger of a run that did not come to its end; else says why the run begins anew.

        Raises:
            LedgerError: when the ledger cannot be read, is of another profile, suite or level, or of a time
                to come.
        """
        if not path.is_file():
            return f"there is no {path} to go on from: this run begins anew"
        earlier = read_ledger(path)
        if earlier.complete and not earlier.planned:
            return f"the run of {path} had come to its end: this one begins anew"
        header, own = earlier.header, self.contents.header
        # the seed follows from the profile where none is given: it differs as well where that does
        for name in ("suite", "catalog_sha256", "judging_sha256", "level", "profile", "seed"):
            if getattr(header, name) != getattr(own, name):
                options = " (--shard and --sample belong to it)" if name == "profile" else ""
                raise LedgerError(f"{path}: cannot be resumed: its {name} is another one{options}")
        if moment(own.at) < moment(earlier.ended):  # what is asked now would be dated before it
            told = f"its last line is of {earlier.ended}, and the clock of this machine is behind"
            raise LedgerError(f"{path}: cannot be resumed: {told}: {own.at}")
        pauses = (*header.interruptions, Interruption(earlier.ended, REAL.stamp()))
        header = replace(own, at=earlier.header.at, interruptions=pauses)
        self._earlier, self.contents = earlier, self.contents._replace(header=header)
        return ""

    def write(self, progress: Progress | None = None) -> None:
        """Makes every write of the run, and puts everything back; afterwards nothing is sent any more.

        `progress` shows how far it is.

        Raises:
            KeyboardInterrupt: when a signal came; everything is back all the same.
        """
        if not self._writes:
            return
        self._findings.progress = progress
        try:
            exchanges = self._observations.exchanges
            for check, judged in self.found.values():
                if judged.verdict == "fail":
                    self._findings.tell(held_when_asked_again(judged, check, exchanges))
            lengths = self._writes.lengths
            telling = progress.writing(lengths) if progress else nullcontext()
            with telling as self._writes.making.on_progress:
                self._writes.run()
        finally:
            self._note_end_of_night()
            self.views = self._observations.views()

    def _note_end_of_night(self) -> None:
        """Says how far the run has come, and keeps what it would have come to, where another goes on with it.

        That is where the day has ended; or where no token was granted, or the target is lost, in a run that
        goes on, or takes more requests than a day has.
        """
        is_lost = self._scheduler is not None and self._scheduler.presence.is_all_lost
        if not self._plan or self.contents.planned or not (self.day_over or self.trouble or is_lost):
            return
        planned, per_day = forecast(self._plan).requests, self.profile.per_day
        if self.day_over or self._earlier or (per_day and planned > per_day):
            self._keep_left()
            trouble = self.day_over or self.trouble
            self.contents = self.contents._replace(trouble=trouble, planned=planned)

    def _keep_left(self) -> None:
        """Keeps what the run that this one goes on from has made, as far as it had not come to that."""
        if self._earlier and self._scheduler:
            own = self._observations
            self._scheduler.adopt(*left_of(self._earlier, own.exchanges, own.remarks))
        self._earlier = None

    @property
    def day_over(self) -> str:
        """Why the day's requests are used up; empty while they are not."""
        return self._transport.pace.day.over

    @property
    def has_asked(self) -> bool:
        """Whether the target may have been sent anything."""
        return self._transport.pace.is_begun

    @property
    def crashes(self) -> Mapping[tuple[str, Group], Exception]:
        """What broke a procedure that writes, by haId and group."""
        return self._writes.making.crashes if self._writes else {}

    @property
    def lost(self) -> str:
        """Why a line of the ledger could not be written; empty where each was."""
        return self._ledger.lost if self._ledger else ""

    def _end(self, *, interrupted: bool) -> list[Fault]:
        left = self._writes.left if self._writes else []
        faults = [not_restored(one) for one in left]
        if not left:
            self._transport.pace.day.end()
        if self._ledger:
            if interrupted or (self._earlier and self._fault):
                self._keep_left()
                self._ledger.cut_off()
            else:
                self._ledger.end(self.trouble, left, planned=self.contents.planned)
            self.contents = self.contents._replace(ended=self._ledger.ended)
            faults += [own_fault(text) for text in (self.lost, self._fault) if text]
        return faults

    def close(self) -> None:
        """Closes the ledger, and the connections."""
        self._stack.close()

    def leaks(self) -> list[str]:
        """The files of the run that hold a secret; there must be none."""
        return self._redactor.leaks(path for path in sorted(self._out.rglob("*")) if path.is_file())

    def facts(self, argv: Sequence[str] = ()) -> RunFacts:
        """What is known of the run beside its cases so far; `argv` is shown without secrets."""
        return super().facts([self._redactor.text(str(word)) for word in argv])


class _Findings:
    """Says findings before the run has come to its end, once for each clause; `progress` shows them."""

    progress: Progress | None = None

    def __init__(self) -> None:
        self._told = set[str]()

    def tell(self, judged: Judged) -> None:
        """Says what is judged, if it is a finding."""
        case = judged.case
        if self.progress and judged.verdict == "fail" and case.clause.id not in self._told:
            self._told.add(case.clause.id)
            self.progress.finding(f"{case.id}: {judged.message}")
