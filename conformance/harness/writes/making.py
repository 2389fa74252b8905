"""Makes procedures in the lane of their appliance, and puts back what they wrote, however they end."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial

from conformance.checks.groups import PREPARE, Group, ProcedureKind
from conformance.checks.view import View
from conformance.harness.scheduler import Scheduler
from conformance.harness.writes.batches import (
    Batch,
    KeptBatches,
    Unsure,
    has_taken_all,
    odd_in,
    scripts_of,
    was_refused,
)
from conformance.harness.writes.lanes import Alone, LiveLane
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.player import Player
from conformance.harness.writes.preparing import Preparation
from conformance.harness.writes.procedures.attending import Attended
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.power import PowerWalk
from conformance.harness.writes.procedures.scripts import Played
from conformance.harness.writes.watching import CONFIRMED, Watch
from conformance.model.states import closing_state


class Making:
    """Makes batches of procedures, some of them in a prepared state.

    Attributes:
        crashes: what broke a procedure, by haId and group: the suite's own fault.
        shared: why nothing more is written to some appliances, by haId: they share a setting with others.
        is_beside: whether other lanes write meanwhile: what is to be made again may wait until they rest.
        alone: what lanes take turns by that write one at a time.
        on_progress: is told in which lane procedures begin, for what the first of them is, and how many of
            them had not begun before.
    """

    def __init__(  # noqa: PLR0913  what a batch is made of meets here
        self,
        lanes: Mapping[str, LiveLane],
        scheduler: Scheduler,
        *,
        seed: str,
        watch: Watch,
        looks: LastLooks,
        unsure: Unsure,
        kept: KeptBatches | None,
    ) -> None:
        """Begins with what was read of the appliances; what is `kept` is not made again."""
        self._views = {ha_id: lane.found for ha_id, lane in lanes.items()}
        self._scheduler = scheduler
        self._seed = seed
        self._watch = watch
        self._looks = looks
        self._unsure = unsure
        self._kept = kept
        self.crashes = looks.crashes
        self.shared: dict[str, str] = {}
        self.is_beside = False
        self.alone = Alone(lanes)
        self.on_progress: Callable[[str, Group, int], None] | None = None
        self._begun: set[tuple[str, ProcedureKind, str]] = set()

    def made(self, lane: LiveLane, batch: list[WriteProcedure]) -> list[WriteProcedure]:
        """Makes a batch and puts everything back, also where it or the run is cut short.

        One that is made again alone is made until what comes of it is certain, or gone.

        Returns: those that have to be made again alone, where the lane may do so.
        """
        if kept := self.kept(lane.name, *(one.group for one in batch)):
            return [one for one in batch if one.group in kept.again]
        self._look_again(lane)
        batch = self._not_closed(lane, batch)
        if not batch:
            return []
        groups = tuple(one.group for one in batch)
        self._tell(lane, batch)
        again, plays = batch, 0
        made: Sequence[Played] = ()
        while again and (not plays or batch[0].group.alone):
            made = self._once(lane, batch)
            if self._others_write(lane, batch, made):
                return []
            plays += 1
            # a busy hub takes, and puts back, once the others rest what it refused beside them
            may_rest = self.may_wait_for_rest(batch[0])
            is_over = made[0].is_patient and not may_rest and self.why_closed(lane, *batch[0].writes)
            refused = [
                one.procedure
                for one in made
                if may_rest and was_refused(one.procedure, one.seen, one.answers, throughout=True)
            ]
            unsure = [] if is_over else self._unsure.of(made, lane.seen, plays)
            again = [one for one in batch if one in unsure or one in refused]
        for one in made:
            if one.error:
                self.crashes[lane.name, one.procedure.group.plain] = one.error
        for remark in () if again else self._unsure.tries_ended(made):
            lane.remark(remark)
        # what a state kept from writing is tried by the run that goes on from this one
        unwritten = [one for one in made if not any(answer.is_write for answer in one.answers)]
        hindered = [one.procedure for one in unwritten if _is_kept_from_writing(one)]
        if len(hindered) < len(batch) and all(one.error is None for one in made):
            left = tuple(one.group for one in batch if one in again or one in hindered)
            lane.remark(Batch(lane.name, groups, left).remark)
        return again

    def attend(self, lane: LiveLane, procedures: Iterable[Attended]) -> None:
        """Makes procedures that move hands or time, each once; what they moved is put back."""
        for one in procedures:
            if not one.is_served(lane.seen) or self.kept(lane.name, one.group):
                continue
            self._look_again(lane)
            if not self._not_closed(lane, [one]):
                continue
            self._tell(lane, [one])
            try:
                one.make(lane.seen, lane)
            except Exception as error:  # noqa: BLE001  the cases that rest on it say so
                self.crashes[lane.name, one.group.plain] = error
            finally:
                self._looks.put_back(lane, one.group)
            if (lane.name, one.group.plain) not in self.crashes:
                lane.remark(Batch(lane.name, (one.group,)).remark)

    def _tell(self, lane: LiveLane, batch: Sequence[WriteProcedure]) -> None:
        """Tells that procedures begin; a tour and its orders, made again, are of one kind."""
        if self.on_progress:
            begin = {(lane.name, one.kind, one.group.subject) for one in batch}
            self.on_progress(lane.name, batch[0].group, len(begin - self._begun))
            self._begun |= begin

    def _look_again(self, lane: LiveLane) -> None:
        """Looks at an appliance before a run that goes on writes to it, once."""
        if self._kept and lane.name not in self._watch.since:
            self._looks.look_again(lane)

    def _once(self, lane: LiveLane, batch: Sequence[WriteProcedure]) -> Sequence[Played]:
        """Makes a batch, and puts everything back; nothing where somebody else writes."""
        stage = Stage(lane.seen, self._views, self._seed, partial(self.why_closed, lane))
        made, is_whole = scripts_of(batch, stage), False
        try:
            with self._watch.guarded(lane):
                Player(lane).play(made)
                is_whole = True
        except Exception as error:  # noqa: BLE001  the cases that rest on it say so
            is_whole = True
            for one in made:
                one.error = error
        finally:
            looked = is_whole and all(one.has_rested and one.error is None for one in made)
            self._looks.put_back(lane, batch[0].group, looked=looked)
        return made if is_whole else []

    def _others_write(self, lane: LiveLane, batch: Sequence[WriteProcedure], made: Sequence[Played]) -> bool:
        """Whether somebody else was seen to write to an appliance, before a batch or since."""
        if not made:
            self._not_closed(lane, batch)
            return True
        is_alone = len(batch) == 1 and batch[0].kind in CONFIRMED
        procedure = lane.name, batch[0].group
        own = made[0]
        odd = odd_in(own) if is_alone else None
        doubted = self._unsure.doubted.pop(procedure, None)
        # two runs that both look see nothing: what does not come again was somebody else's
        if doubted and odd is None and has_taken_all(own):
            self._watch.leave(lane, *doubted)
            return True
        # what came otherwise beside others is made again alone, and watched then
        is_made_again = batch[0].kind in CONFIRMED and not is_alone
        if is_made_again or (odd is None and all(one.is_well for one in made)):
            return False
        is_own = odd is not None and odd[1].exchange.key in batch[0].writes
        is_new = odd if is_own and not doubted else None
        waits = isinstance(batch[0], PowerWalk) and self.may_wait_for_rest(batch[0])
        if not (waits and is_new):  # what is made again once the others rest is watched then
            written = [key for one in batch for key in one.writes]
            with nullcontext() if lane.gate.is_holding else self.alone.looking(lane):
                if self._watch.look(lane, written):
                    return True
        if is_new and not self.why_closed(lane, *batch[0].writes):
            self._unsure.doubted[procedure] = is_new
        return False

    def may_wait_for_rest(self, procedure: WriteProcedure) -> bool:
        """Whether others may be why one came otherwise: then it is made again alone once they rest."""
        return self.is_beside and not procedure.group.alone

    def _not_closed(self, lane: LiveLane, batch: Iterable[WriteProcedure]) -> list[WriteProcedure]:
        """Those of a batch that may not move what was not put back; of the others it is said why."""
        found: list[WriteProcedure] = []
        for procedure in batch:
            if why := self.why_closed(lane, *procedure.writes):
                lane.remark(procedure.refused(lane.name, why))
            else:
                found.append(procedure)
        return found

    def why_closed(self, lane: LiveLane, *keys: str) -> str:
        """Why some keys, or any, are not to be written any more; empty where they may be."""
        closed = lane.gate.closed.why_not(lane.name, keys)
        return closed or self._scheduler.presence.lost.get(lane.name, "") or self.shared.get(lane.name, "")

    def kept(self, ha_id: str, *groups: Group) -> Batch | None:
        """The batch of some procedures that an interrupted run has made, which is taken over as it is."""
        batch = self._kept.made(ha_id, groups) if self._kept else None
        if batch:
            self.adopt(batch)
        return batch

    def kept_whole(self, ha_id: str, first: Group, groups: Iterable[Group]) -> bool:
        """Whether a batch that begins with this, and has all these, was made by an earlier run: as `kept`."""
        batch = self._kept.begun_with(ha_id, first, groups) if self._kept else None
        if batch:
            self.adopt(batch)
        return batch is not None

    def adopt(self, batch: Batch) -> None:
        """Takes what an interrupted run has sent and noted for a batch."""
        if self._kept:
            self._scheduler.adopt(self._kept.sent(batch), self._kept.noted(batch))

    def prepared(self, lane: LiveLane, preparation: Preparation) -> None:
        """Prepares a state of an appliance, which is owed to it until that is given up."""
        self._look_again(lane)
        lane.gate.prepare()
        try:
            if not (self.why_closed(lane) or lane.gate.closed.owed_by(lane.name)):
                with self._watch.guarded(lane):
                    preparation.make(lane)
        except Exception as error:  # noqa: BLE001  what rests on the state says so
            self.crashes |= dict.fromkeys(
                ((lane.name, one.group.plain) for one in preparation.procedures), error
            )
        finally:
            lane.gate.hold()

    def given_up(self, lane: LiveLane, before: View) -> None:
        """Gives up the state that was prepared last: the appliance is as it was `before` it."""
        try:
            if not self._scheduler.presence.lost.get(lane.name):
                self._looks.look_within(lane, before)
        finally:  # also where the run ends meanwhile
            if lane.gate.release():
                self._looks.put_back(lane, PREPARE)


def _is_kept_from_writing(one: Played) -> bool:
    """Whether a state keeps a script from writing: one that touches its writes, or that ends all writes."""
    return bool(one.procedure.hindered_by(one.now)) or closing_state(one.now) is not None
