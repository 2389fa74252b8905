"""Writes that must have no effect: forbidden values of a setting, and any value of a status."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from catalog.keys import REMOTE_START
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import Group, ProcedureKind, Purpose
from conformance.checks.reads.support import is_hidden
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View, with_reads
from conformance.checks.writes.statuses import QUIET_READS, equal_before
from conformance.harness.reads.gets import reread, shared_answers
from conformance.harness.steps import Part, Pause
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import (
    ask_all,
    begin_writing,
    end_writing,
    read_acting,
    read_controllers,
    read_protecting,
    read_until,
    wait_quietly,
    watch,
    watch_wrong,
    write_until_shown,
)
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import same
from conformance.model.state_table import StateId
from conformance.model.states import ExemptingState, closing_state, write_exempting_state

_CYCLES = 3


class ForbiddenWrites(WriteProcedure):
    """Writes forbidden values to a setting, and reads it after each, and again when it has settled."""

    kind = ProcedureKind.GUARD
    turn = 4
    is_shareable = True
    is_made_as_found = True

    def is_to_be_ignored(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """Each value is forbidden."""
        return True

    def steps(self, stage: Stage) -> Part[bool]:
        """Each value once, twice where the first try left no right value; all are waited for together.

        What comes late belongs to any of them: then each is made again, with a wait of its own. In a state
        that was chosen they are made in a row, and only told from each other where anything comes. They are
        made in any state but those in which others act: a state may refuse them, and excuses nothing that is
        stored.
        """
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        before = yield from begin_writing(seen, entry.key, group, despite=tuple(StateId))
        if before is None:
            return True
        values = self._values(seen, entry, before, stage.seed)
        if values:
            making = self._in_a_row if group.locked else self._each
            answer, is_to_tell = yield from making(stage, values, before)
            if stage.is_shared and not same(answer.value, before.value):
                return (yield from self._left(seen, answer))
            if is_to_tell:
                yield from self._one_by_one(seen, values, before)
            elif group.locked:
                return True  # nothing has come that anybody could have done
        # what the state is made of: a write must not have moved it unseen
        if write_exempting_state(seen, entry.key):
            yield from read_controllers(seen, [entry.key], group)
        yield from end_writing(seen, group)
        return True

    def _in_a_row(
        self, stage: Stage, values: Sequence[JsonValue], before: Answer
    ) -> Part[tuple[Answer, bool]]:
        """Writes all values; the last read, and whether one of them has left anything."""
        for value in values:
            yield write(stage.seen, self.group, self.group.subject, value)
        yield from wait_quietly(stage.seen, self.group.subject)
        answer = yield reread(stage.seen, self.group.subject, self.group)
        return answer, not same(answer.value, before.value)

    def _each(self, stage: Stage, values: Sequence[JsonValue], before: Answer) -> Part[tuple[Answer, bool]]:
        """Writes each value and reads; the last read, and whether it is open which of them has left it.

        Where others are made beside it, any other value than the one of before ends that.
        """
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        at_once = late = False
        shown = before.value
        for value in values:
            for _ in range(TIMES):
                yield write(seen, group, entry.key, value)
                answer = yield reread(seen, entry.key, group)
                if stage.is_shared and not same(answer.value, before.value):
                    return answer, False
                if seen.admits(answer):
                    break
                # a wrong value that comes now, and is not the written one, may be that of an earlier write
                is_own = value is values[0] or same(answer.value, shown) or same(answer.value, value)
                at_once, late, shown = True, late or not is_own, answer.value
                yield from watch_wrong(seen, entry, group)
        yield from wait_quietly(seen, entry.key)
        answer = yield reread(seen, entry.key, group)
        return answer, late or (not at_once and not seen.admits(answer))

    def _left(self, seen: View, answer: Answer) -> Part[bool]:
        """Ends what is to be made again alone; a wrong value may never go, and is looked at once more."""
        entry = seen.catalog.entries[self.group.subject]
        if answer.has_value and not seen.admits(answer):
            yield from watch_wrong(seen, entry, self.group)
        return False

    def _one_by_one(self, seen: View, values: Sequence[JsonValue], before: Answer) -> Part[None]:
        entry = seen.catalog.entries[self.group.subject]
        for value in values:
            for _ in range(TIMES):
                yield from write_until_shown(seen, entry, cast("JsonValue", before.value), self.group)
                yield write(seen, self.group, entry.key, value)
                answer = yield from watch(seen, entry.key, self.group)
                if seen.admits(answer):
                    break
                yield from watch_wrong(seen, entry, self.group)

    def _values(self, seen: View, entry: Entry, before: Answer, seed: str) -> list[JsonValue]:
        """The forbidden values; in a state that was chosen, one for each purpose."""
        types = choices.wrong_types(entry, before) if Purpose.WRONG_TYPES in self.purposes else []
        names = choices.non_members(seen, entry, seed) if Purpose.NO_MEMBERS in self.purposes else []
        outside = choices.outside(seen, entry, before) if Purpose.OUTSIDE in self.purposes else []
        return [*types[:1], *names[:1], *outside[-1:]] if self.group.locked else [*types, *names, *outside]


class StatusWrites(WriteProcedure):
    """Writes a status, which must have no effect; another value where the first seems to have one."""

    kind = ProcedureKind.PROBE
    turn = 5
    is_shareable = True
    is_made_as_found = True

    def is_to_be_ignored(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """No status can be written."""
        return True

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:  # noqa: ARG002  the same of every appliance
        """Nothing: no state excuses a status that follows a write."""
        return ()

    def may_be_hidden(self, seen: View) -> bool:
        """Whether a state now keeps it from being read."""
        return is_hidden(seen, self.group.subject)

    def is_served(self, seen: View) -> bool:
        """Whether it has a value under any segment."""
        return any(answer.has_value for answer in shared_answers(seen, self.group.subject))

    def steps(self, stage: Stage) -> Part[bool]:
        """Under each of its segments, while it is quiet."""
        seen, group, entry = stage.seen, self.group, stage.seen.catalog.entries[self.group.subject]
        serving = next(answer for answer in shared_answers(seen, entry.key) if answer.has_value)
        segment = serving.exchange.segment
        if closing_state(seen, entry.key):
            now = [*(yield from read_acting(seen, group)), *(yield from read_protecting(seen, group))]
            if closing_state(with_reads(seen, now), entry.key):
                return True
        ask = reread(seen, entry.key, group, segment)
        now = yield ask
        reads = [now, *(yield from ask_all([ask] * (QUIET_READS - 1 - equal_before(seen, now))))]
        if not all(answer.has_value and same(answer.value, reads[0].value) for answer in reads):
            return False
        if entry.key == REMOTE_START:
            return (yield from _start_allowed(stage, group, reads[0]))
        first = choices.another_status(seen, entry, reads[0])
        second = choices.another_status(seen, entry, reads[0], [first])
        for under in entry.segments:  # a contested status may be taken for a setting (line 149)
            for value in (first, reads[0].value if second is None else second):
                if value is None:
                    continue
                yield write(seen, group, entry.key, cast("JsonValue", value), under)
                last = yield from watch(seen, entry.key, group, segment)
                if stage.is_shared and not same(last.value, reads[0].value):
                    # it may never go back, and is looked at once more
                    yield Pause(seen.profile.timing.settle_seconds(entry.key), for_wrong=True)
                    yield ask
                    return False
                if not same(last.value, value):
                    break
        return True


def _start_allowed(stage: Stage, group: Group, quiet: Answer) -> Part[bool]:
    """Tries to enable RemoteControlStartAllowed (line 89); false is written only to come back from it."""
    seen = stage.seen
    if quiet.value is not False:
        return True
    for segment in ("status", "settings"):  # a server may take any key where settings are written
        for _ in range(_CYCLES):
            yield write(seen, group, REMOTE_START, value=True, segment=segment)
            last = yield from watch(seen, REMOTE_START, group, "status")
            if stage.is_shared and last.value is not False:
                return False
            if last.value is not True:
                break
            yield write(seen, group, REMOTE_START, value=False, segment=segment)
            yield from read_until(seen, REMOTE_START, group, lambda answer: answer.value is False, "status")
    return True
