"""Puts back what a run left that was killed, from its journal alone: the command `restore`.

The journal says what was there before each write and whether it came back, its first line how to talk to the
target. What is done is written on in the same journal, so that a second attempt begins where the first one
ended.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.model import LEVELS, Level
from conformance.checks.case import why_not_written
from conformance.checks.exchange import JUDGED
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.view import View
from conformance.files.text_files import numbered
from conformance.harness.clock import REAL
from conformance.harness.errors import TransportError, UnreachableError
from conformance.harness.ledger import Header, Ledger
from conformance.harness.observing import Observations
from conformance.harness.reads.controls import find_anchor
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import LAGGING_READS, read, shared_answers
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.owed import Closed, Debt, Unfinished, read_journal
from conformance.harness.writes.keeping.putting_back import PuttingBack
from conformance.harness.writes.lanes import Lanes, LiveLane
from conformance.model.couplings import write_controllers_of
from conformance.model.json_values import same
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile, dump_profile, secrets_of
from conformance.records.journal_lines import JournalError
from conformance.runs.admission.admitting import hold_for_restoring
from conformance.runs.admission.state import budget_of, continued_journal, forget_settled
from conformance.runs.identity import agent, identity

RESTORE_LEDGER = "restore-evidence.ndjson"
"""The ledger of a first attempt, beside the journal; that of a second one has a 2 in its name, so that no
proof is lost.
"""
_GROUP = Group(ProcedureKind.RESTORE)


class Restored(Struct, frozen=True):
    """What became of each key that was owed, the ledger if anything was sent, and files with a secret."""

    debts: tuple[Debt, ...] = ()
    ledger: Path | None = None
    leaks: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        """A line for each key."""
        return [_line(debt) for debt in self.debts]

    @property
    def is_clean(self) -> bool:
        """Whether nothing is owed any more, and no file holds a secret."""
        return all(debt.restored for debt in self.debts) and not self.leaks


def restore(path: Path, environment: Mapping[str, str]) -> Restored:
    """Puts back what the journal `path` says is owed; nothing is sent where that is nothing.

    Raises:
        JournalError: when the file is no journal.
        RefusedError: when a run is at work that it is the journal of, or that writes to the same appliances.
        ProfileError: when the profile in its first line cannot be used, or a secret that it names is not set.
        TransportError: when the files for TLS that it names cannot be used.
        UnreachableError: when the target does not answer.
    """
    with ExitStack() as stack:
        hold_for_restoring(stack, path)
        unfinished = read_journal(path)
        return _restored(path, unfinished, environment) if unfinished.owed else Restored()


def _restored(path: Path, unfinished: Unfinished, environment: Mapping[str, str]) -> Restored:
    level, data = _first_line(path, unfinished.header)
    profile = build_profile(data, source=str(path), environment=environment)
    redactor = Redactor(secrets_of(profile, environment))
    observations = Observations(profile)
    with Transport(profile, redactor, environment, agent()) as transport:
        state = str(unfinished.header.get("state", ""))
        transport.pace.day = budget_of(profile, Path(state) if state else None)
        journal = continued_journal(path)
        gate = Gate(profile, level, journal, Closed())
        place = next(one for one in numbered(path.with_name(RESTORE_LEDGER)) if not one.exists())
        header = Header(*identity(), level, "", dump_profile(profile), REAL.stamp())
        try:
            with (
                Ledger(place, header) as ledger,
                Scheduler(transport, ledger, observations, owed=True) as scheduler,
            ):
                debts = _Restoring(profile, level, observations, scheduler, gate).run(unfinished)
                journal.end(str(unfinished.header.get("ha_id", "")))  # which the copy of one appliance names
        except TransportError as error:
            raise UnreachableError(str(error)) from error
    restored = Restored(tuple(debts), place, tuple(redactor.leaks([path, place])))
    if state:  # so that another user, who could not read them, is not kept out by what is settled
        ha_ids = {debt.ha_id for debt in unfinished.owed}
        forget_settled(profile.target.base_url, ha_ids, Path(state))
    return restored


@dataclass
class _Restoring:
    """One attempt: what is owed is read, then put back, one appliance after the other."""

    profile: Profile
    level: Level
    observations: Observations
    scheduler: Scheduler
    gate: Gate

    def run(self, unfinished: Unfinished) -> list[Debt]:
        """Every debt, with what became of it.

        Raises:
            UnreachableError: when nothing answers; then nothing is written, not even to the journal.
        """
        known = {appliance.ha_id for appliance in self.profile.appliance}
        readable = [debt for debt in unfinished.owed if debt.ha_id in known and debt.key in CATALOG.entries]
        views = self._read(readable)
        done: list[Debt] = []
        for ha_id in dict.fromkeys(debt.ha_id for debt in unfinished.owed):
            owed = [debt for debt in unfinished.owed if debt.ha_id == ha_id]
            # a procedure is undone in the state that was prepared for it, then that state; what shows a value
            # as it was found is compared once the appliance is as it was found
            for kind in ((False, False), (True, False), (False, True)):
                made = [debt for debt in owed if (debt.prepared, debt.is_beside) == kind]
                for _ in range(LAGGING_READS):
                    self._read([debt for debt in made if debt.is_beside and debt in readable])
                done += self._put_back(made, views, known)
        return list({debt.place: debt for debt in done}.values())  # the last one of a key says what it is now

    def _put_back(self, owed: Sequence[Debt], views: Mapping[str, View], known: set[str]) -> list[Debt]:
        """Puts back what is owed to one appliance, where it may; every debt, with what became of it."""
        allowed: list[Debt] = []
        forbidden: list[Debt] = []
        for debt in owed:
            debt.note = self._why_not(debt, known)
            if debt.note:
                _compare(debt, views.get(debt.ha_id))
                forbidden.append(debt)
            else:
                self.gate.owe(debt)
                allowed.append(debt)
        if allowed:  # it grows by what had to be opened on the way
            patience_s, lanes = self.profile.timing.put_back_s, Lanes(self.scheduler)
            ha_id = allowed[0].ha_id
            lane = LiveLane(lanes, ha_id, views[ha_id], self.gate, is_restoring=True)
            putting_back = PuttingBack(lane, views, allowed, _GROUP, patience_s)
            lanes.run([lane], lambda _: putting_back.until_back())
        self.gate.settle([*allowed, *forbidden])
        return [*allowed, *forbidden]

    def _read(self, debts: Sequence[Debt]) -> Mapping[str, View]:
        """The appliances, after a read of what is owed and of what may lock it."""
        views = self.observations.views()
        locks = [
            (debt.ha_id, key)
            for debt in debts
            for key in sorted(write_controllers_of(debt.key))
            if key in views[debt.ha_id].tried
        ]
        keys = [*((debt.ha_id, debt.key) for debt in debts), *locks]
        wanted = [(ha_id, segment, key) for ha_id, key in keys for segment in CATALOG.entries[key].segments]
        self.scheduler.fetch(
            read(views[ha_id], key, segment) for ha_id, segment, key in dict.fromkeys(wanted)
        )
        made = [exchange for exchange in self.observations.exchanges if exchange.purpose in JUDGED]
        if made and all(exchange.response is None for exchange in made):
            failure = made[-1].failure
            reason = failure.text if failure else "no response"
            raise UnreachableError(f"{self.profile.target.base_url} does not answer: {reason}")
        if self.profile.answer.value is None:
            owners = {debt.ha_id for debt in debts}
            views = self.observations.views()
            unsure = [seen for ha_id, seen in views.items() if ha_id in owners and seen.anchor is None]
            self.scheduler.run(find_anchor(seen) for seen in unsure)
        return self.observations.views()

    def _why_not(self, debt: Debt, known: set[str]) -> str:
        """Why a debt must not be written; empty where it may."""
        if debt.ha_id not in known:
            return "the profile names no such appliance"
        if debt.key not in CATALOG.entries:
            return "the catalog has no such key"
        if debt.before is None:
            return "what was there before is not known"
        omission = why_not_written(self.profile, self.level, debt.key)
        return omission.words if omission else ""


def _first_line(path: Path, header: Mapping[str, Any]) -> tuple[Level, dict[str, Any]]:
    found: list[Level] = [level for level in LEVELS if level == header.get("level")]
    data = header.get("profile")
    if not found or not isinstance(data, dict):
        raise JournalError(f"{path}: its first line lacks the level or the profile")
    return found[0], cast("dict[str, Any]", data)


def _compare(debt: Debt, seen: View | None) -> None:
    """What a debt that must not be written is now: it may be back by itself."""
    answers = shared_answers(seen, debt.key) if seen and debt.key in CATALOG.entries else []
    shown = next((answer for answer in answers if answer.has_value), None)
    debt.now = shown.value if shown else None
    debt.restored = shown is not None and same(shown.value, debt.before)


def _line(debt: Debt) -> str:
    if not debt.restored:
        return f"NOT put back: {debt.words}" + (f" ({debt.note})" if debt.note else "")
    what = "put back" if debt.tries else "was back already"
    return f"{what}: {debt.ha_id} {debt.key} is {json.dumps(debt.now, ensure_ascii=False)}"
