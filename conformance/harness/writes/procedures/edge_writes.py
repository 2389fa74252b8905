"""Writes of generated values near the type and the range of one setting: what they leave must be allowed."""

from collections.abc import Iterable, Iterator
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.view import View
from conformance.harness.generated.candidates import number_of
from conformance.harness.generated.edge_values import EdgeValue, edge_values
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures.guarding import state_reads
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import acting_reads
from conformance.harness.writes.procedures.script_steps import Due, Look, ScriptWrite, Step, Wait
from conformance.harness.writes.procedures.scripts import Played, Scripted
from conformance.model.state_table import LIGHT_STATES


class EdgeWrites(Scripted):
    """Writes generated values to a setting."""

    kind = ProcedureKind.EDGE
    turn = 5
    is_shareable = True
    despite = LIGHT_STATES

    def is_to_be_ignored(self, seen: View) -> bool:
        """None is a Boolean, or a member of an enumeration; a number may be one of its range."""
        return seen.catalog.entries[self.group.subject].type in {"Boolean", "Enumeration"}

    def rests_on(self, seen: View) -> set[str]:
        """Its neighbours, too, which must not move."""
        return WriteProcedure.rests_on(self, seen) | {*self.neighbours(seen)}

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """Its neighbours."""
        return [reread(stage.seen, key, self.group) for key in self.neighbours(stage.seen)]

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """Nothing where the setting has no share of the generated values."""
        return Scripted.opening(self, stage) if share_of(stage.seen, self.group.subject, stage.seed) else ()

    def may_begin(self, now: Played) -> bool:
        """Also while the light is off, or another colour chosen."""
        return now.first(self.group.subject) is not None and Scripted.may_begin(self, now)

    def was_expected(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """Generated values are made where they may."""
        return False

    def closing(self, now: Played) -> Iterable[Ask]:
        """What the state is made of, too: a write must not have moved it unseen."""
        return (*state_reads(now), *acting_reads(now.seen, self.group))

    def script(self, now: Played) -> Iterator[Step]:
        """As many values as the setting has a share of, and one wait for all.

        The old value is written back in between, where each is waited for.
        """
        seen, key = now.seen, self.group.subject
        before = cast("Answer", now.first(key))
        found = cast("JsonValue", before.value)
        watch = tuple(self.watched(now.stage))
        share = share_of(seen, key, now.stage.seed)
        for value in edge_values(seen, seen.catalog.entries[key], before, now.stage.seed)[:share]:
            if now.is_patient and not now.shows(key, found):
                yield ScriptWrite(key, found, wait=Wait.NONE)
            yield self._write(now, value, watch)
        yield Look(
            watch=(self.own_read(seen, key), *watch) if self.is_to_be_ignored(seen) else watch,
            look=() if self.is_to_be_ignored(seen) else (self.own_read(seen, key),),
            wait=Wait.QUIET,
        )

    def _write(self, now: Played, value: EdgeValue, watch: tuple[Ask, ...]) -> ScriptWrite:
        comes = Due.NOTHING if self.is_to_be_ignored(now.seen) else Due.ANYTHING
        wait = Wait.QUIET if now.is_patient else Wait.NONE
        return ScriptWrite(
            self.group.subject,
            value.value,
            comes,
            wait,
            text=value.text,
            watch=watch if now.is_patient else (),
        )


def share_of(seen: View, key: str, seed: str) -> int:
    """How many of the generated values of an appliance one setting gets: each as many, or some one each.

    Where that is less than one each, one setting of each type comes before a second one.
    """
    own = [
        one
        for one in seen.tried
        if ".Setting." in one
        and one != POWER_STATE
        and seen.profile.may_write(one)
        and seen.value(one) is not None
    ]
    drawn = sorted(own, key=lambda one: number_of(f"{seed}/{seen.appliance.ha_id}/{one}", 1 << 32))
    if key not in drawn:
        return 0
    each, left = divmod(seen.profile.generated_writes, len(drawn))
    types = [seen.catalog.entries[one].type for one in drawn]
    before = [types[:place].count(of_type) for place, of_type in enumerate(types)]
    in_turn = sorted(drawn, key=lambda one: before[drawn.index(one)])
    return each + (in_turn.index(key) < left)
