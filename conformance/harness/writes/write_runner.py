"""Makes all writes of a run, and puts back what was written, however a procedure ends."""

import signal
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeAlias, cast

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.model import Level
from conformance.checks.case import Case, why_not_written
from conformance.checks.groups import LAST_LOOK, PREPARE, Group, conducted
from conformance.checks.view import View
from conformance.harness.interruptions import undisturbed
from conformance.harness.scheduler import Scheduler
from conformance.harness.writes.batches import Batch, IsOpen, KeptBatches, Unsure, batches_of, was_refused
from conformance.harness.writes.conducting import Conducting, as_read_last
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import Journal
from conformance.harness.writes.keeping.owed import Closed, Debt
from conformance.harness.writes.lanes import Lanes, LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.making import Making
from conformance.harness.writes.preparing import Preparation
from conformance.harness.writes.procedures.attending import Attended
from conformance.harness.writes.procedures.isolation import compared_first, compared_last, shared_by, turns_of
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.power import PowerWalk
from conformance.harness.writes.procedures.registry import procedures_of
from conformance.harness.writes.tours.playing import OrdersOfWrites, made_certain
from conformance.harness.writes.watching import Watch
from conformance.profiles.fleet.companions import devices_of
from conformance.records.ledger_lines import NotRestored

_Work: TypeAlias = Callable[[LiveLane], None]
_Parts: TypeAlias = Callable[[list[WriteProcedure]], list[list[WriteProcedure]]]


class WriteRunner:
    """Makes the writes that the selected cases rest on.

    Attributes:
        making: makes the procedures, and knows what broke one.
    """

    def __init__(  # noqa: PLR0913  what a run is made of meets here
        self,
        scheduler: Scheduler,
        journal: Journal,
        *,
        level: Level,
        seed: str,
        selected: Iterable[Case],
        is_open: IsOpen,
        kept: KeptBatches | None = None,
    ) -> None:
        """Begins with what was read so far; `selected` are all cases of the run.

        `is_open` says whether one of them is neither certain nor gone.

        `kept` is what an interrupted run has made of them, which is not made again.
        """
        observations = self._observations = scheduler.observations
        self._scheduler = scheduler
        self._journal = journal
        self._level: Level = level
        self._views = observations.views()
        self._selected = [case for case in selected if case.ha_id in self._views]
        self._planned = procedures_of(self._selected, level)
        closed = Closed(self._views.values())
        at_rest = _writable(self._views, level)
        self._lanes = Lanes(scheduler, in_turn=kept is not None and scheduler.transport.pace.day.is_limited)
        self._lane_of: dict[str, LiveLane] = {}
        for ha_id, seen in self._views.items():
            gate = Gate(observations.profile, level, journal, closed, at_rest, clock=scheduler.clock)
            self._lane_of[ha_id] = lane = LiveLane(self._lanes, ha_id, seen, gate)
            lane.seen = as_read_last(seen)
        gates = [lane.gate for lane in self._lane_of.values()]  # a lane holds the scheduler, and so the pace
        scheduler.transport.pace.aside = lambda: sum(gate.owing for gate in gates)
        self._kept = kept
        kept_until = max((one.began for one in kept.exchanges), default=0.0) if kept else 0.0
        self._watch = Watch(self._lane_of, observations.exchanges, kept_until=kept_until)
        self._looks = LastLooks(self._lane_of, level, self._watch)
        self._left_for_rest: defaultdict[str, list[WriteProcedure]] = defaultdict(list)
        self.making = Making(
            self._lane_of,
            scheduler,
            seed=seed,
            watch=self._watch,
            looks=self._looks,
            unsure=Unsure(observations.view, is_open),
            kept=kept,
        )

    def run(self) -> None:
        """Makes all writes, and puts everything back; a signal ends that early, and is raised at the end.

        Raises:
            KeyboardInterrupt: when there was a signal.
        """
        with undisturbed(self._lanes.interrupt) as held:
            if self._kept:
                for ha_id in self._planned:  # what it prepared is prepared anew, and told all the same
                    self.making.adopt(Batch(ha_id, (PREPARE,)))
            self._compare(compared_first)
            self._work_on_all()
            for ha_id in self._planned:
                self._run([ha_id], self._attend)
            known = {*self.making.shared}
            self._compare(lambda own: [compared_last(own)])
            for ha_id in self.making.shared.keys() - known:
                for one in self._planned[ha_id]:  # each of the two was written to beside the other
                    self._scheduler.remark(one.refused(ha_id, self.making.shared[ha_id]))
            if not self._scheduler.is_over:
                if self._kept:  # what the nights before have made is looked at, too
                    left = [ha_id for ha_id in self._planned if ha_id not in self._watch.since]
                    self._run(left, self._looks.look_again)
                self._look_a_last_time()
                self._scheduler.presence.look_for_all()
        self._journal.end()
        if held:
            signal.raise_signal(held[0])
        if self._scheduler.is_interrupted:
            raise KeyboardInterrupt

    @property
    def lengths(self) -> dict[str, int]:
        """How many procedures the lane of each appliance has at most."""
        return {ha_id: len(procedures) for ha_id, procedures in self._planned.items()}

    @property
    def left(self) -> list[NotRestored]:
        """What could not be put back."""
        debts = (debt for ha_id in self._lane_of for debt in self._owed(ha_id))
        owed = (NotRestored(debt.words, debt.ha_id, debt.key) for debt in debts)
        return list(dict.fromkeys([*owed, *map(NotRestored, self._looks.broken)]))

    def _run(self, names: Iterable[str], work: _Work, *, is_last: bool = False) -> None:
        self._lanes.run([self._lane_of[ha_id] for ha_id in names], work, is_last=is_last)

    def _attend(self, lane: LiveLane) -> None:
        self.making.attend(lane, [one for one in self._planned[lane.name] if isinstance(one, Attended)])

    def _compare(self, parts_of: _Parts) -> None:
        """Writes settings of each appliance while others are watched, to which nobody writes meanwhile.

        What has to be made again alone waits until the others rest. Those that are seen to share one are not
        written to any further.
        """
        for names in turns_of(self._planned, self._views, self._observations.profile):
            self.making.is_beside = len(names) > 1
            self._run(names, partial(self._compare_in_parts, parts_of=parts_of))
            for ha_id in (ha_id for ha_id in names if self._left_for_rest[ha_id]):
                self._run([ha_id], self._write_at_rest)
        self.making.shared = shared_by(self._selected, self._observations.views())

    def _compare_in_parts(self, lane: LiveLane, parts_of: _Parts) -> None:
        for part in parts_of(self._planned[lane.name]):
            self._conduct(lane, part)

    def _work_on_all(self) -> None:
        """What is written to each device beside the others; then, in turn, what waits for rest."""
        devices = [[own.ha_id for own in device] for device in devices_of(self._observations.profile)]
        written = [[ha_id for ha_id in names if ha_id in self._planned] for names in devices]
        names_of = {names[0]: names for names in written if names}
        self.making.is_beside = len(names_of) > 1
        self._run(names_of, lambda lane: self._work(names_of[lane.name]))
        if self.making.is_beside:
            left = [ha_id for ha_id in self._planned if self._left_for_rest[ha_id] or self._owed(ha_id)]
            self._run(left, self._write_at_rest)

    def _work(self, names: Sequence[str]) -> None:
        """What is written to one device, by the haIds it has, beside the other devices: its tours at last."""
        for ha_id in names:
            lane, own = self._lane_of[ha_id], self._planned[ha_id]
            self._conduct(lane, [one for one in own if not one.is_by_itself])
            seen = self._views[ha_id]
            tours = [one for one in own if isinstance(one, OrdersOfWrites) and one.is_served(seen)]
            if tours and ha_id not in self.making.shared and not self.making.kept(ha_id, LAST_LOOK):
                self._looks.look(lane, is_last=False)
                lane.remark(Batch(ha_id, (LAST_LOOK,)).remark)
            for batch in batches_of(tours, seen):
                if left := [one for one in batch if not self.making.why_closed(lane, *one.writes)]:
                    self._play(lane, left)

    def _made(self, lane: LiveLane, batch: list[WriteProcedure]) -> list[WriteProcedure]:
        """Makes a batch; what is to be made again may have to wait until the others rest."""
        again = self.making.made(lane, batch)
        # what moves with a comparison may be the doing of another one;
        # who is switched on may switch off another appliance, which a walk of that one would be blamed for;
        # a hub may refuse a write that is claimed to be taken, as long as it is busy with another appliance
        waiting = [
            one
            for one in again
            if self.making.may_wait_for_rest(one)
            and (one.is_by_itself or isinstance(one, PowerWalk) or self._was_refused(lane.name, one))
        ]
        self._left_for_rest[lane.name] += [one.named(alone=True) for one in waiting]
        return [one for one in again if one not in waiting]

    def _was_refused(self, ha_id: str, one: WriteProcedure) -> bool:
        """Whether a write was refused that is claimed to be taken, when others were written to."""
        seen = self._observations.view(ha_id)
        return was_refused(one, seen, seen.made.get(one.group.plain, ()), throughout=False)

    def _write_at_rest(self, lane: LiveLane) -> None:
        """Makes again what waited for rest: nothing is written to any other appliance meanwhile.

        What could not be put back before is put back first. A hub that has refused may be busy with another
        appliance until what was written to that has settled.
        """
        left, owed = self._left_for_rest.pop(lane.name, []), self._owed(lane.name)
        with self.making.alone.writing(lane):
            if owed or any(self._was_refused(lane.name, one) for one in left):
                lane.pause(self._observations.profile.timing.settle_s)
            for debt in owed:
                lane.gate.owe(debt)
            if owed:
                self._looks.put_back(lane, LAST_LOOK)
            self._conduct(lane, left)

    def _owed(self, ha_id: str) -> list[Debt]:
        """What could not be put back so far."""
        return [debt for debt in self._lane_of[ha_id].gate.debts if not debt.restored]

    def _conduct(self, lane: LiveLane, procedures: Sequence[WriteProcedure]) -> None:
        """Makes some of the procedures of an appliance, each in a state in which it shows something.

        When all of them were made, the ledger says so: a run that goes on from this one prepares no state.
        What is not served counts as made, unless a state may hide it whenever it would be made.
        """
        if not procedures:
            return
        groups = [one.group for one in procedures]
        whole = conducted(groups[0])
        if self.making.kept_whole(lane.name, whole, groups):
            return
        asked: list[Group] = []
        noted = len(self._observations.remarks)
        hidden = [one for one in procedures if _is_hidden(one, lane.seen)]

        def make(batch: list[WriteProcedure]) -> list[WriteProcedure]:
            asked.extend(one.group for one in batch)
            return self._made(lane, batch)

        def enter(preparation: Preparation) -> None:
            self.making.prepared(lane, preparation)
            hidden[:] = [one for one in hidden if _is_hidden(one, lane.seen)]

        conducting = Conducting(
            lane,
            self._level,
            make=make,
            enter=enter,
            leave=partial(self.making.given_up, lane),
        )
        conducting.conduct(procedures)
        own = [one for one in self._observations.remarks[noted:] if one.ha_id == lane.name]
        batches = [Batch.of(one) for one in own if one.purpose == "made"]
        made = {group for batch in batches for group in batch.groups}
        again = {replace(group, alone=True) for batch in batches for group in batch.again}
        if made.issuperset([*asked, *again]) and not (hidden or self._owed(lane.name)):
            lane.remark(Batch(lane.name, tuple(dict.fromkeys([whole, *groups, *asked]))).remark)

    def _play(self, lane: LiveLane, tours: Sequence[OrdersOfWrites]) -> None:
        """Plays tours together, and makes again what contradicted a clause in one."""

        def make(one: OrdersOfWrites) -> None:
            self._watch.look(lane, one.writes)
            self.making.made(lane, [one])

        whole = Batch(lane.name, tuple(each.group for one in tours for each in (one.toured, one)))
        if self.making.kept(lane.name, *whole.groups):
            return
        if self._kept:  # not the tours: a night that is over before their orders are certain has played them
            self._kept.forget(lane.name, *(one.group for one in tours))
        try:
            self.making.made(lane, [one.toured for one in tours])
            for orders in tours:
                made_certain(orders, lambda: self._observations.view(lane.name), make)
            lane.remark(whole.remark)
        except Exception as error:  # noqa: BLE001  the cases that rest on it say so; the others are still judged
            self.making.crashes |= dict.fromkeys(((lane.name, one.group) for one in tours), error)

    def _look_a_last_time(self) -> None:
        """Looks at all that was written to; again, twice at most, where that had to put anything back."""
        for is_final in (False, False, True):
            before = [debt for lane in self._lane_of.values() for debt in lane.gate.debts]
            look = partial(self._looks.look, is_final=is_final)
            written = [
                ha_id
                for ha_id, lane in self._lane_of.items()
                if lane.gate.debts or ha_id in self._watch.since
            ]
            self._run(written, look, is_last=True)
            now = [debt for lane in self._lane_of.values() for debt in lane.gate.debts]
            # one of now may be equal to one of a procedure before
            if not any(debt.tries and all(debt is not one for one in before) for debt in now):
                return


def _is_hidden(procedure: WriteProcedure, seen: View) -> bool:
    """Whether a state keeps what a procedure is about from being read."""
    return not procedure.is_served(seen) and procedure.may_be_hidden(seen)


def _writable(views: Mapping[str, View], level: Level) -> dict[tuple[str, str], JsonValue]:
    """The settings that a run may write, by haId and key, each as it was found."""
    return {
        (ha_id, key): cast("JsonValue", value)
        for ha_id, seen in views.items()
        for key in seen.tried
        if ".Setting." in key and not why_not_written(seen.profile, level, key)
        if (value := seen.value(key)) is not None
    }
