"""Runs the procedures that write, one at a time, and puts back what each of them wrote, however it ended."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from catalog.keys import ALARM_CLOCK, LOCAL_CONTROL
from conformance.checks.exchange import WRITES
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.permission import why_not_written
from conformance.checks.remark import Remark
from conformance.checks.writes.trace import same
from conformance.harness.errors import TransportError
from conformance.harness.repertoire import Stage, attended_by, clauses_by_group, groups_of, make, why_not_run
from conformance.harness.writes.alphabets import Letter, alphabet_of
from conformance.harness.writes.exploring import REPLAYS, Search, replay
from conformance.harness.writes.interruptions import undisturbed
from conformance.harness.writes.journal import Debt, NotRestored
from conformance.harness.writes.putting_back import make_cleanups, put_back

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from catalog.model import Level
    from conformance.checks.case import Case
    from conformance.checks.view import View
    from conformance.harness.observing import Observations
    from conformance.harness.scheduler import Scheduler
    from conformance.harness.steps import Procedure
    from conformance.harness.writes.gate import Gate

_MOVES_BY_ITSELF = frozenset({ALARM_CLOCK})
_LAST_LOOK = Group(ProcedureKind.LAST_LOOK)


class WriteRunner:
    """Makes the writes that cases rest on; `views` is what was seen of each appliance, and grows."""

    def __init__(  # noqa: PLR0913  what a run is made of meets here
        self,
        observations: Observations,
        scheduler: Scheduler,
        gate: Gate,
        *,
        level: Level,
        seed: str,
        selected: Iterable[Case],
    ) -> None:
        """Begins with what was read so far; `selected` are all cases of the run."""
        self.views: dict[str, View] = dict(observations.views())
        self._observations = observations
        self._scheduler = scheduler
        self._gate = gate
        self._level: Level = level
        self._seed = seed
        self._clauses = clauses_by_group(selected)
        self._done: set[tuple[str, Group]] = set()
        self._written: set[str] = set()
        self._broken: list[str] = []

    def perform(self, case: Case) -> None:
        """Runs what a case rests on and nobody has run yet."""
        hands = attended_by(case)
        for group in (*groups_of(case), *((hands,) if hands else ())):
            if case.ha_id not in self.views or (case.ha_id, group) in self._done:
                continue
            self._done.add((case.ha_id, group))
            if self._scheduler.is_over or why_not_run(self._observations.profile, self._level, group):
                continue
            seen = self.views[case.ha_id]
            if group.kind is ProcedureKind.ORDERS:
                self._explore(group, seen)
                continue
            clauses = self._clauses.get((case.ha_id, group), frozenset())
            procedure = make(group, Stage(seen, self.views, clauses, self._level, self._seed))
            if procedure is not None:
                self._conduct(procedure, group, case.ha_id)

    def _conduct(self, procedure: Procedure, group: Group, ha_id: str) -> None:
        """Runs one procedure and puts everything back, also where it or the run is cut short."""
        since, remarked = len(self._observations.exchanges), len(self._observations.remarks)
        try:
            if ha_id in self._gate.blocked:
                self._scheduler.remark(
                    Remark("write", group, ha_id, "*", {"refused": self._gate.blocked[ha_id]})
                )
            else:
                self._scheduler.perform(procedure, self._gate, ha_id)
        finally:
            procedure.close()
            self._put_back(self._gate.due(), group, ha_id)
            self.views[ha_id] = self._observations.grown(self.views[ha_id], since, remarked)

    def _explore(self, group: Group, seen: View) -> None:
        """Searches for an order of writes that contradicts a clause, and makes it again for judging."""
        ha_id = seen.appliance.ha_id
        alphabet = alphabet_of(group, seen)
        if alphabet is None or ha_id in self._gate.blocked or not seen.profile.generated:
            return
        search = Search(
            seen,
            alphabet,
            lambda part: self._scheduler.perform(part, self._gate, ha_id),
            lambda: self._restored(search.group, ha_id),
        )
        search.history = self._letters(0, ha_id, alphabet.watched)
        order: list[Letter] = []
        try:
            order = search.run()
        finally:
            self._put_back(self._gate.due(), search.group, ha_id)
        for _ in range(REPLAYS if order else 0):
            try:
                search.prepare()
            finally:
                self._put_back(self._gate.due(), search.group, ha_id)
            self._conduct(replay(seen, alphabet, order), group, ha_id)

    def _restored(self, group: Group, ha_id: str) -> list[Letter] | None:
        """Puts back what a search wrote; the writes that took, None where something is not back."""
        debts, since = self._gate.due(), len(self._observations.exchanges)
        self._put_back(debts, group, ha_id)
        return None if ha_id in self._gate.blocked else self._letters(since, ha_id, None)

    def _letters(self, since: int, ha_id: str, keys: Collection[str] | None) -> list[Letter]:
        """The writes to an appliance from the exchange `since` on, of some keys or all."""
        made = (one for one in self._observations.exchanges[since:] if one.ha_id == ha_id)
        writes = (one for one in made if one.purpose in WRITES)
        return [Letter(one.key, one.value) for one in writes if keys is None or one.key in keys]

    def _put_back(self, debts: list[Debt], group: Group, ha_id: str, *, changed: bool = False) -> None:
        held: list[int] = []
        try:
            if debts or self._gate.cleanups:
                with undisturbed() as held, self._scheduler.overdrawn():
                    self._scheduler.perform(
                        make_cleanups(self._gate.cleanups, self._broken), self._gate, ha_id
                    )
                    self._scheduler.perform(put_back(self.views, debts, group), self._gate, ha_id)
                self._written.update(debt.ha_id for debt in debts)
        # where nothing can be sent any more, what is not known to be back is said not to be
        except Exception:
            self._gate.settle(debts, changed=changed)
            raise
        self._gate.settle(debts, changed=changed)
        # A Ctrl-C that had to wait ends the run now; one that is ending it already is not told twice.
        if held and not isinstance(sys.exc_info()[1], KeyboardInterrupt):
            signal.raise_signal(held[0])

    def finish(self) -> list[NotRestored]:
        """A last look at every setting of the appliances that were written to; what could not be put back."""
        left = self._gate.due()  # where the run was interrupted between a procedure and its putting back
        if left:
            self._put_back(left, _LAST_LOOK, left[0].ha_id)
        for ha_id in sorted(self._written) if not self._scheduler.is_over else ():
            if ha_id not in self._gate.blocked:
                # without an access token there is no last look; each procedure has had its own
                with suppress(TransportError):
                    self._look_again(self.views[ha_id])
        self._gate.end()
        owed = (
            NotRestored(debt.words, debt.ha_id, debt.key) for debt in self._gate.debts if not debt.restored
        )
        return list(dict.fromkeys([*owed, *map(NotRestored, self._broken)]))

    def _look_again(self, seen: View) -> None:
        """Compares each setting with its first read, and puts back what changed though nobody wrote it."""
        ha_id = seen.appliance.ha_id
        settings = [
            read
            for (segment, key), read in seen.reads.items()
            if segment == "settings" and ".Setting." in key
        ]
        watched = [read for read in settings if read.has_value and read.exchange.key not in _MOVES_BY_ITSELF]
        now = self._scheduler.look(seen, [answer.exchange.key for answer in watched], _LAST_LOOK)
        debts = [
            Debt(ha_id, "settings", first.exchange.key, first.value, later.value)  # pyright: ignore[reportArgumentType]  a value is JSON
            for first, later in zip(watched, now, strict=False)
            if later.has_value and not same(first.value, later.value)
        ]
        operated = seen.value(LOCAL_CONTROL) is True
        may = (debt for debt in debts if why_not_written(seen.profile, self._level, debt.key) is None)
        allowed = [] if operated else list(may)
        for debt in allowed:
            self._gate.owe(debt)
        self._put_back(allowed, _LAST_LOOK, ha_id, changed=True)
        left = [debt for debt in debts if debt not in allowed]
        for debt in left:
            debt.now, debt.note = debt.after, "changed by nobody here, and not on the write list"
        self._gate.note_changed(left)
