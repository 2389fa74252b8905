"""The exchanges of one run with its target: opened, read, written, ended."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, nullcontext
from functools import partial
from pathlib import Path

from catalog.model import Level
from conformance.checks.case import Case
from conformance.checks.groups import Group
from conformance.checks.remarks import Interruption
from conformance.checks.view import View
from conformance.harness.clock import REAL
from conformance.harness.errors import DayBudgetError, TransportError, UnmaskableSecretError
from conformance.harness.ledger import Header, Ledger, LedgerContents
from conformance.harness.observing import Observations
from conformance.harness.planning import Forecast, Plan, forecast
from conformance.harness.reads.shared_reads import observe, wait_for_target
from conformance.harness.scheduler import Scheduler
from conformance.harness.wire.network import Network
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.batches import KeptBatches
from conformance.harness.writes.write_runner import WriteRunner
from conformance.profiles.fleet.sharding import nonces_of
from conformance.profiles.validation import dump_profile
from conformance.records.faults import Fault, own_fault
from conformance.records.ledger_lines import LEDGER_FILE, NotRestored
from conformance.runs.admission.state import budget_of, new_journal
from conformance.runs.certainty import Found, certainty_of, held_when_asked_again, make_certain
from conformance.runs.identity import agent, identity, suite_version
from conformance.runs.judging import Judged
from conformance.runs.processes.progress import Progress
from conformance.runs.saved.resuming import kept_of, left_of


class LiveRun:
    """Sends what a run asks its target, into the ledger and the observations.

    Call `read` and `write` once, then `end`, and `close` in any case.

    Attributes:
        started, ended: times (RFC 3339); `ended` is empty until the run has ended.
        interruptions: when the run was interrupted, if it goes on from one that was.
        seed: what unknown words and generated requests are drawn from.
        wait_s: how long a target that does not answer is waited for when reading begins, in seconds.
        trouble: what ended the reading early, such as a token that was not granted; empty if nothing did.
        views: what was seen of each appliance so far.
        found: what came of each case, by its id, and of which check, when everything was read.
        planned: about how many requests the whole run takes, where it goes on another day; else 0.
    """

    def __init__(
        self, observations: Observations, out: Path, level: Level, redactor: Redactor, network: Network
    ) -> None:
        """Opens the transport in `network`; nothing is sent yet.

        Raises:
            TransportError: when the files for TLS that the profile names cannot be used.
        """
        self._observations = observations
        self._profile = observations.profile
        self._out = out
        self._level: Level = level
        self._network = network
        self._stack = ExitStack()
        self._ledger: Ledger | None = None
        self._scheduler: Scheduler | None = None
        self._writes: WriteRunner | None = None
        self._fault = ""
        self._earlier: LedgerContents | None = None
        self.seed = nonces_of(self._profile)
        transport = Transport(self._profile, redactor, os.environ, agent(), network)
        self._transport = self._stack.enter_context(transport)
        self.started, self.ended, self.trouble = REAL.stamp(), "", ""
        self.interruptions: tuple[Interruption, ...] = ()
        self.wait_s = 0.0
        self.views: Mapping[str, View] = {}
        self.found: Found = {}
        self.planned = 0
        self._forecast: Callable[[], Forecast] | None = None
        self._findings = _Findings()

    def read(self, plan: Plan, cases: Sequence[Case], progress: Progress | None, state: Path | None) -> None:
        """Makes every exchange that only reads, and prepares for writing where the level writes.

        Args:
            plan: what to read.
            cases: the selected cases; what their findings rest on is read a second time.
            progress: shows how far the reading is.
            state: the directory of the appliances' journals, and of the requests of the day; None for a
                server of the suite.

        Raises:
            UnmaskableSecretError: when an access token is granted that cannot be masked; `end` reports it.
        """
        self._out.mkdir(parents=True, exist_ok=True)
        self._forecast = partial(forecast, plan, cases, self._level)
        ledger = self._ledger = Ledger(self._out / LEDGER_FILE, self.header)
        self._stack.callback(ledger.cut_off)  # where `end` is never called
        self._transport.pace.day = budget_of(self._profile, state)
        scheduler = self._scheduler = self._stack.enter_context(
            Scheduler(self._transport, ledger, self._observations, network=self._network)
        )
        with progress.reading(plan) if progress else nullcontext() as scheduler.on_progress:
            try:
                if self.wait_s:
                    wait_for_target(plan, scheduler, self.wait_s, self.seed)
                if self._earlier:
                    scheduler.reach.learn(self._earlier.exchanges)
                    kept = kept_of(
                        self._earlier, self._profile, self._observations.views(), self._transport.send
                    )
                    self._earlier, scheduler.kept = kept
                generated = observe(plan, scheduler, self.seed)
                if plan.look != "glance":
                    scheduler.presence.look_for_all()
                if plan.look == "whole":
                    self.found = make_certain(cases, self._observations.views, scheduler.run, generated)
            except UnmaskableSecretError as error:
                self._fault = str(error)
                raise
            except TransportError as error:
                self.trouble = str(error)
            except DayBudgetError:
                scheduler.spent = True
        scheduler.on_progress = None
        scheduler.kept = None  # what is written to is read anew
        if self._level != "read" and not scheduler.is_over and not self.trouble:
            header = {"suite": suite_version(), "level": self._level, "profile": dump_profile(self._profile)}
            earlier = self._earlier
            since = earlier.started if earlier else ""
            journal = new_journal(self._out, header, self._profile, state, goes_on_since=since)
            self._writes = WriteRunner(
                scheduler,
                journal,
                level=self._level,
                seed=self.seed,
                selected=cases,
                is_open=certainty_of(cases, self._findings.tell),
                kept=KeptBatches(earlier.exchanges, earlier.remarks) if earlier else None,
            )
        self.views = self._observations.views()

    def resume(self, earlier: LedgerContents) -> None:
        """Goes on from a run that did not come to its end."""
        self.started, self._earlier = earlier.started, earlier
        self.interruptions = (*earlier.header.interruptions, Interruption(earlier.ended, REAL.stamp()))

    def write(self, progress: Progress | None = None) -> None:
        """Makes the writes that the cases rest on, and puts everything back; `progress` shows how far it is.

        Raises:
            KeyboardInterrupt: when a signal came; everything is back all the same.
        """
        self._findings.progress = progress
        try:
            if self._writes:
                exchanges = self._observations.exchanges
                for check, judged in self.found.values():
                    if judged.verdict == "fail":
                        self._findings.tell(held_when_asked_again(judged, check, exchanges))
                lengths = self._writes.lengths
                telling = progress.writing(lengths) if progress else nullcontext()
                with telling as self._writes.making.on_progress:
                    self._writes.run()
        finally:
            self._note_end_of_day()
            self.views = self._observations.views()

    def _note_end_of_day(self) -> None:
        """Says how far the run has come, and keeps what it would have come to, where the day has ended."""
        if self.day_over and self._forecast and not self.planned:
            self._keep_left()
            self.trouble, self.planned = self.day_over, self._forecast().requests

    def _keep_left(self) -> None:
        """Keeps what the run that this one goes on from has made, as far as it had not come to that."""
        if self._earlier and self._scheduler:
            self._scheduler.adopt(*left_of(self._earlier, self._observations.exchanges))
        self._earlier = None

    @property
    def day_over(self) -> str:
        """Why the day's requests are used up; empty while they are not."""
        return self._transport.pace.day.over

    @property
    def has_asked(self) -> bool:
        """Whether anything may have been sent."""
        return self._transport.pace.is_begun

    @property
    def crashes(self) -> Mapping[tuple[str, Group], Exception]:
        """What broke a procedure that writes, by haId and group."""
        return self._writes.making.crashes if self._writes else {}

    @property
    def lost(self) -> str:
        """Why a line of the ledger could not be written; empty where each was."""
        return self._ledger.lost if self._ledger else ""

    def end(self, *, interrupted: bool) -> list[Fault]:
        """Writes the last line of the ledger.

        Args:
            interrupted: whether the run was cut short; then the ledger gets no last line.

        Returns:
            A fault for each value that could not be put back, and for each file that could not be written.
        """
        left = self._writes.left if self._writes else []
        faults = [not_restored(one) for one in left]
        if not left:
            self._transport.pace.day.end()
        if self._ledger:
            if interrupted:
                self._keep_left()
                self._ledger.cut_off()
            else:
                self._ledger.end(self.trouble, left, planned=self.planned)
            self.ended = self._ledger.ended
            faults += [own_fault(text) for text in (self.lost, self._fault) if text]
        return faults

    def close(self) -> None:
        """Closes the ledger, and the connections."""
        self._stack.close()

    @property
    def header(self) -> Header:
        """The first line of its ledger."""
        told = self._level, self.seed, dump_profile(self._profile), self.started, self.interruptions
        return Header(*identity(), *told, self._profile.places)


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


def not_restored(left: NotRestored) -> Fault:
    """The fault of a value that could not be put back."""
    return Fault("not_restored", left.words, left.ha_id, left.key)
