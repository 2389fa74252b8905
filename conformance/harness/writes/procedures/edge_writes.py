"""Writes of generated values near the type and the range of one setting: what they leave must be allowed."""

from collections import deque
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.generated.server_errors import is_broken
from conformance.checks.groups import ProcedureKind
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.harness.generated.candidates import number_of
from conformance.harness.generated.edge_values import EdgeValue, edge_values, shorter
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    ask_all,
    begin_writing,
    end_writing,
    read_controllers,
    show_the_same,
    wait_quietly,
    watch_wrong,
    write_until_shown,
)
from conformance.harness.writes.procedures.requests import write_text
from conformance.model.json_values import same
from conformance.model.state_table import LIGHT_STATES
from conformance.model.states import write_exempting_state


class EdgeWrites(WriteProcedure):
    """Writes generated values to a setting, and reads it after each; one by one where something is wrong."""

    kind = ProcedureKind.EDGE
    turn = 5
    is_shareable = True

    def is_to_be_ignored(self, seen: View) -> bool:
        """None is a Boolean, or a member of an enumeration; a number may be one of its range."""
        return seen.catalog.entries[self.group.subject].type in {"Boolean", "Enumeration"}

    def looks_at(self, seen: View) -> set[str]:
        """Its neighbours, too, which must not move."""
        return WriteProcedure.looks_at(self, seen) | {*self.neighbours(seen)}

    def steps(self, stage: Stage) -> Part[bool]:
        """As many values as the setting has a share of; what leaves a wrong one again, and cut shorter."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        share = share_of(seen, entry.key, stage.seed)
        if not share:
            return True
        before = yield from begin_writing(seen, entry.key, group, despite=LIGHT_STATES)
        if before is None:
            return True
        watched = [reread(seen, key, group) for key in self.neighbours(seen)]
        first = yield from ask_all(watched)
        values = edge_values(seen, entry, before, stage.seed)[:share]
        is_well = yield from self._together(seen, entry, values)
        if stage.is_shared and self.is_to_be_ignored(seen):
            is_well &= same(before.value, (yield reread(seen, entry.key, group)).value)
        is_well = show_the_same(first, (yield from ask_all(watched))) and is_well
        if not is_well:
            if stage.is_shared:
                return False
            yield from watch_wrong(seen, entry, group)
            yield from write_until_shown(seen, entry, cast("JsonValue", before.value), group)
            for value in values:
                yield from self._alone(seen, entry, value, before, watched)
        # what the state is made of: a write must not have moved it unseen
        if write_exempting_state(seen, entry.key):
            yield from read_controllers(seen, [entry.key], group)
        yield from end_writing(seen, group)
        return True

    def _together(self, seen: View, entry: Entry, values: list[EdgeValue]) -> Part[bool]:
        """One after the other, with one wait for all; whether each left a value that is allowed.

        The first that meets an error of the server is followed by shorter ones, as long as these do, too; the
        shortest of them is written again where the profile calls that a fail. One of them that leaves a wrong
        value is added to `values`.
        """
        broken: EdgeValue | None = None
        coming = deque(values)
        while coming:
            value = coming.popleft()
            answer = yield write_text(seen, self.group, entry.key, value.text)
            read = yield reread(seen, entry.key, self.group)
            if not seen.admits(read):
                values += [value] if value not in values else []
                return False
            if is_broken(answer) and (broken is None or value == shorter(broken)):
                broken, cut = value, shorter(value)
                coming.extendleft([cut] if cut else [])
        if broken and seen.profile.interpretation.server_errors == "fail":
            for _ in range(1, TIMES):
                yield write_text(seen, self.group, entry.key, broken.text)
                yield reread(seen, entry.key, self.group)
        yield from wait_quietly(seen, entry.key)
        answer = yield reread(seen, entry.key, self.group)
        return seen.admits(answer)

    def _alone(
        self, seen: View, entry: Entry, value: EdgeValue, before: Answer, watched: list[Ask]
    ) -> Part[None]:
        """One value; where it leaves a wrong one or moves a neighbour, again, and shorter ones."""
        found = cast("JsonValue", before.value)
        first = yield from ask_all(watched)
        if (yield from self._is_harmless(seen, entry, value)):
            if show_the_same(first, (yield from ask_all(watched))):
                return
            for again in (False, True, False):
                if again:
                    yield from self._is_harmless(seen, entry, value)
                else:
                    yield from write_until_shown(seen, entry, found, self.group)
                yield from ask_all(watched)
            return
        yield from write_until_shown(seen, entry, found, self.group)
        harmful: EdgeValue | None = value
        for _ in range(1, TIMES):
            yield from self._is_harmless(seen, entry, value)
            yield from write_until_shown(seen, entry, found, self.group)
        while harmful := shorter(harmful):
            harmless = yield from self._is_harmless(seen, entry, harmful)
            yield from write_until_shown(seen, entry, found, self.group)
            if harmless:
                return

    def _is_harmless(self, seen: View, entry: Entry, value: EdgeValue) -> Part[bool]:
        """Writes a value; whether what is read then is allowed, also when it has settled."""
        yield write_text(seen, self.group, entry.key, value.text)
        answer = yield reread(seen, entry.key, self.group)
        if seen.admits(answer):
            yield from wait_quietly(seen, entry.key)
            answer = yield reread(seen, entry.key, self.group)
        if seen.admits(answer):
            return True
        yield from watch_wrong(seen, entry, self.group)
        return False


def share_of(seen: View, key: str, seed: str) -> int:
    """How many of the generated values of an appliance one setting gets: each as many, or some one each."""
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
    return each + (drawn.index(key) < left)
