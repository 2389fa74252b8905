"""Writes of a setting beside which the same setting of other appliances is watched (line 8)."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE, short_name
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part, Pause
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    ask_all,
    begin_writing,
    end_writing,
    show_the_same,
    write_until_shown,
)
from conformance.model.couplings import is_light, write_controllers_of
from conformance.model.json_values import same
from conformance.model.states import ExemptingState, exempting_state


class Isolation(WriteProcedure):
    """Writes another value, and the old one; again where it had no effect, or the other appliances moved."""

    kind = ProcedureKind.ISOLATION
    turn = 0
    is_by_itself = True
    is_shareable = is_followed = is_left = True

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:
        """That the appliance is not on, too, where only that hides what may lock its setting."""
        found = self.touched_by(seen)
        unread = (state.controller for state in found if seen.value(state.controller) is None)
        return (*found, *filter(None, (exempting_state(seen, key) for key in unread)))

    def rests_on(self, seen: View) -> set[str]:
        """What may lock it; what else moves on its own appliance tells nothing of the others."""
        return {*self.writes, *write_controllers_of(seen.catalog, self.group.subject)}

    def looks_at(self, seen: View) -> set[str]:  # noqa: ARG002  the same of every appliance
        """Nothing of its own appliance, once its value was there."""
        return set()

    def steps(self, stage: Stage) -> Part[bool]:
        """Nothing where no other appliance serves the setting.

        The old value of a light is written beside others only where it tells what the other one does not:
        whoever runs the procedure puts it back together with those that it locks.
        """
        seen, key, group = stage.seen, self.group.subject, self.group
        beside = [reread(other, key, group) for other in stage.others_with(key)]
        first = yield from ask_all(beside)
        before = yield from begin_writing(seen, key, group)
        if before is None or not beside:
            return True
        entry = seen.catalog.entries[key]
        value = _another(seen, entry, before, first)
        if value is None:
            return True
        is_left = stage.is_shared and is_light(key)
        stayed, took, now = True, False, first
        for _ in range(TIMES):
            stayed, took, silent = True, True, {answer.exchange.ha_id for answer in first}
            for each in (value, cast("JsonValue", before.value)):
                if is_left and not silent:
                    break
                took &= yield from write_until_shown(seen, entry, each, group)
                # one that has that value already would show nothing; one that stayed has shown that it does
                telling = {answer.exchange.ha_id for answer in now if not same(answer.value, each)}
                if telling & silent or (telling and not (stayed and took)):
                    settle_s = seen.profile.timing.settle_seconds(key)
                    yield Pause(settle_s, is_quiet=True, is_last=is_left and silent <= telling)
                    now = yield from ask_all(beside)
                    stayed &= show_the_same(first, now)
                    silent -= telling
            if (stayed and took) or (stage.is_shared and not stayed):
                break
        yield from end_writing(seen, group)
        return stayed and took


def _another(seen: View, entry: Entry, before: Answer, beside: Sequence[Answer]) -> JsonValue:
    """A value to write, one that no other appliance has if there is one; None where there is none.

    Every power state can be left for On, but not for each of the others (lines 129 to 133).
    """
    values = choices.other_values(seen, entry, before)
    if entry.key == POWER_STATE and short_name(before.value) != "On":
        values = [value for value in values if short_name(value) == "On"]
    new = [value for value in values if not any(same(value, answer.value) for answer in beside)]
    return next(iter([*new, *values]), None)
