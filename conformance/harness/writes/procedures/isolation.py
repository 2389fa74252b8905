"""Writes of a setting beside which the same setting of other appliances is watched (line 8)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE, short_name
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, serving_beside
from conformance.harness.writes.procedures.parts import locking_reads
from conformance.harness.writes.procedures.script_steps import ScriptWrite, Step, Wait
from conformance.harness.writes.procedures.scripts import Played, Scripted
from conformance.model.couplings import write_controllers_of
from conformance.model.json_values import same
from conformance.model.states import ExemptingState, exempting_state


class Isolation(Scripted):
    """Writes another value, and the old one, and reads the setting of the other appliances after each."""

    kind = ProcedureKind.ISOLATION
    turn = 0
    is_by_itself = True
    is_shareable = True

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """That the appliance is not on, too, where only that hides what may lock its setting."""
        found = self.touched_by(seen)
        unread = (state.controller for state in found if seen.value(state.controller) is None)
        return (*found, *filter(None, (exempting_state(seen, key) for key in unread)))

    def rests_on(self, seen: View) -> set[str]:
        """What may lock it; what else moves on its own appliance tells nothing of the others."""
        return {*self.writes, *write_controllers_of(seen.catalog, self.group.subject)}

    def is_served(self, seen: View) -> bool:
        """Whether another appliance serves the setting, too."""
        return bool(serving_beside(seen, self.group.subject)) and Scripted.is_served(self, seen)

    def may_be_hidden(self, seen: View) -> bool:
        """Whether it may be compared once what hides it has ended."""
        return bool(serving_beside(seen, self.group.subject)) and Scripted.may_be_hidden(self, seen)

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """The setting of the other appliances."""
        key = self.group.subject
        return [reread(other, key, self.group) for other in stage.others_with(key)]

    def known(self, stage: Stage) -> Iterable[Answer]:
        """What the others showed first: who takes what is written here shows it whatever it showed since."""
        key = self.group.subject
        others = () if self.group.alone else stage.others_with(key)
        return [other.reads[other.catalog.entries[key].segment, key] for other in others]

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """Also of the others where the setting is written once more, alone."""
        seen, keys = stage.seen, [self.group.subject]
        own = (*locking_reads(seen, keys, self.group), self.own_read(seen, *keys))
        return (*own, *self.watched(stage)) if self.group.alone else own

    def was_expected(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """Others write the setting, too."""
        return False

    def script(self, now: Played) -> Iterator[Step]:
        """Nothing where there is no other value to write.

        An appliance that has a value already would show nothing of a write of it, and one that has stayed has
        shown that it does.
        """
        key, silent = self.group.subject, tuple(self.watched(now.stage))
        before, entry = cast("Answer", now.first(key)), now.seen.catalog.entries[key]
        reads = [read for ask in silent if (read := now.answer_to(ask))]
        value = _another(now.seen, entry, before, reads) if reads else None
        for each in (value, cast("JsonValue", before.value)) if value is not None else ():
            telling = tuple(
                ask for ask in silent if (read := now.answer_to(ask)) and not same(read.value, each)
            )
            yield ScriptWrite(key, each, wait=Wait.QUIET if telling else Wait.NONE, watch=telling)
            silent = tuple(ask for ask in silent if ask not in telling or not now.was_right)


def _another(seen: View, entry: Entry, before: Answer, beside: Sequence[Answer]) -> JsonValue:
    """A value to write, one that no other appliance has if there is one; None where there is none.

    Every power state can be left for On, but not for each of the others (lines 129 to 133).
    """
    values = choices.other_values(seen, entry, before)
    if entry.key == POWER_STATE and short_name(before.value) != "On":
        values = [value for value in values if short_name(value) == "On"]
    new = [value for value in values if not any(same(value, answer.value) for answer in beside)]
    return next(iter([*new, *values]), None)
