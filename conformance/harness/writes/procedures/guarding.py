"""Writes that must have no effect, or leave an allowed value: forbidden values, generated ones, statuses."""

import json
from collections.abc import Iterable, Iterator
from functools import partial
from typing import cast

from pydantic import JsonValue

from catalog.keys import POWER_STATE, REMOTE_START
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import ProcedureKind, Purpose
from conformance.checks.reads.support import is_hidden
from conformance.checks.view import View
from conformance.checks.writes.statuses import QUIET_READS, equal_before
from conformance.harness.generated.candidates import number_of
from conformance.harness.steps import Ask, acting_reads, reread, shared_answers
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.model import Stage
from conformance.harness.writes.procedures.scripts import Beside, Due, Played, Scripted, Step, Wait
from conformance.model.couplings import LOCKS
from conformance.model.json_values import same
from conformance.model.state_table import LIGHT_STATES, StateId
from conformance.model.states import ExemptingState, closing_state

_CYCLES = 3


class ForbiddenWrites(Scripted):
    """Writes forbidden values to a setting, in any state but those in which others act.

    A state may refuse them, and excuses nothing that is stored.
    """

    kind = ProcedureKind.GUARD
    turn = 5
    is_made_as_found = True
    despite = tuple(StateId)

    def is_to_be_ignored(self) -> bool:
        """Each value is forbidden."""
        return True

    def script(self, now: Played) -> Iterator[Step]:
        """Each value once, and one wait for all; the old value is written back where one came.

        They are made in a row, and read in between where that has shown something: what is there at last as
        it was before, no write of the row has moved.
        """
        key = self.group.subject
        found = cast("Answer", now.first(key))
        values = self._values(now, found)
        for value in values:
            if not now.shows(key, cast("JsonValue", found.value)):
                yield Step(key, cast("JsonValue", found.value), wait=Wait.NONE)
            yield Step(key, value, Due.NOTHING, Wait.NONE, is_read=False)
        if values:
            yield Step(watch=(self.own_read(now.seen, key),), wait=Wait.QUIET)

    def _values(self, now: Played, before: Answer) -> list[JsonValue]:
        """The forbidden values; in a state that was chosen, one for each purpose."""
        entry, seed = CATALOG.entries[self.group.subject], now.stage.seed
        types = choices.wrong_types(entry, before) if Purpose.WRONG_TYPES in self.purposes else []
        names = choices.non_members(now.seen, entry, seed) if Purpose.NO_MEMBERS in self.purposes else []
        outside = choices.outside(now.seen, entry, before) if Purpose.OUTSIDE in self.purposes else []
        return [*types[:1], *names[:1], *outside[-1:]] if self.group.locked else [*types, *names, *outside]


class StatusWrites(Scripted):
    """Writes a status, which must have no effect; another value where the first seems to have one."""

    kind = ProcedureKind.PROBE
    turn = 5
    is_made_as_found = True

    def is_to_be_ignored(self) -> bool:
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

    def own_read(self, seen: View, key: str) -> Ask:
        """A read under the segment that serves it."""
        serving = next(answer for answer in shared_answers(seen, key) if answer.has_value)
        return reread(seen, key, self.group, serving.exchange.segment)

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """What would close the appliance to all writes, where anything did, and the status."""
        seen, key = stage.seen, self.group.subject
        protecting = (one for one in CATALOG.entries if one in LOCKS)
        closing = (*acting_reads(seen, self.group), *self.reads(seen, *protecting))
        return (*(closing if closing_state(seen, key) else ()), self.own_read(seen, key))

    def may_begin(self, now: Played) -> bool:
        """Whether it was read, and the appliance is closed to no write."""
        key = self.group.subject
        return now.first(key) is not None and not closing_state(now.now, key)

    def closing(self, now: Played) -> Iterable[Ask]:  # noqa: ARG002  the same of every script
        """Nothing."""
        return ()

    def script(self, now: Played) -> Iterator[Step]:
        """Under each of its segments, since it may be taken for a setting (line 149), and one wait for all.

        What does not show what was written stays as it was. Where it shows that, or moves, it is first seen
        to be quiet for as long as the effect of a write is waited for, and each write is waited for.
        """
        seen, key = now.seen, self.group.subject
        own, quiet = self.own_read(seen, key), cast("Answer", now.first(key))
        if now.is_patient:
            yield Step(watch=(own,), wait=Wait.SETTLED)
            yield Step(watch=(own,), beside=Beside((own,), partial(_has_moved, quiet)), wait=Wait.NONE)
        later = 1 if now.is_patient else 2  # the opening, and the last look
        for _ in range(QUIET_READS - later - equal_before(seen, quiet)):
            yield Step(watch=(own,), wait=Wait.NONE)
        if now.has_moved or now.value(key) is None:
            return
        yield from self._start_allowed(now, quiet) if key == REMOTE_START else self._written(now, quiet)
        if not now.is_patient:
            yield Step(watch=(own,), wait=Wait.QUIET)

    def _written(self, now: Played, quiet: Answer) -> Iterator[Step]:
        """Another value under each segment, and a second one where the first shows."""
        seen, key = now.seen, self.group.subject
        entry: Entry = CATALOG.entries[key]
        first = choices.another_status(seen, entry, quiet)
        second = choices.another_status(seen, entry, quiet, [first])
        for under in entry.segments:
            for value in (first, quiet.value if second is None else second):
                if value is not None:
                    yield self._write(cast("JsonValue", value), under)
                    if not now.shows(key, cast("JsonValue", value)):
                        break

    def _start_allowed(self, now: Played, quiet: Answer) -> Iterator[Step]:
        """Tries to enable RemoteControlStartAllowed (line 89); false is written only to come back from it."""
        if quiet.value is not False:
            return
        for segment in ("status", "settings"):  # a server may take any key where settings are written
            for _ in range(_CYCLES):
                yield self._write(True, segment)  # noqa: FBT003  a value
                if now.value(REMOTE_START) is not True:
                    break
                yield Step(REMOTE_START, False, wait=Wait.NONE, segment=segment)  # noqa: FBT003  a value

    def _write(self, value: JsonValue, segment: str) -> Step:
        return Step(self.group.subject, value, Due.NOTHING, Wait.NONE, segment, is_read=False)


def _has_moved(quiet: Answer, shown: Iterable[Answer]) -> bool:
    return any(one.has_value and not same(one.value, quiet.value) for one in shown)


class EdgeWrites(Scripted):
    """Writes generated values to a setting."""

    kind = ProcedureKind.EDGE
    turn = 4
    despite = LIGHT_STATES

    def is_to_be_ignored(self) -> bool:
        """None is a Boolean, or a member of an enumeration; a number may be one of its range."""
        return CATALOG.entries[self.group.subject].type in {"Boolean", "Enumeration"}

    def watched(self, stage: Stage) -> Iterable[Ask]:
        """Its neighbours."""
        return self.reads(stage.seen, *self.neighbours(stage.seen))

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """Nothing where the setting has no share of the generated values."""
        return Scripted.opening(self, stage) if share_of(stage.seen, self.group.subject, stage.seed) else ()

    def was_expected(self, seen: View) -> bool:  # noqa: ARG002  the same of every appliance
        """Generated values are made where they may."""
        return False

    def script(self, now: Played) -> Iterator[Step]:
        """As many values as the setting has a share of, and one wait for all.

        The old value is written back in between, where each is waited for.
        """
        seen, key = now.seen, self.group.subject
        before = cast("Answer", now.first(key))
        found = cast("JsonValue", before.value)
        watch = tuple(self.watched(now.stage))
        share = share_of(seen, key, now.stage.seed)
        comes = Due.NOTHING if self.is_to_be_ignored() else Due.ANYTHING
        for text in choices.edge_values(seen, CATALOG.entries[key], before, now.stage.seed)[:share]:
            if now.is_patient and not now.shows(key, found):
                yield Step(key, found, wait=Wait.NONE)
            wait, beside = (Wait.QUIET, watch) if now.is_patient else (Wait.NONE, ())
            is_read = comes is Due.ANYTHING
            yield Step(key, json.loads(text), comes, wait, text=text, watch=beside, is_read=is_read)
        own = (self.own_read(seen, key),)
        watch, look = ((*own, *watch), ()) if comes is Due.NOTHING else (watch, own)
        yield Step(watch=watch, look=look, wait=Wait.QUIET)


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
    each, left = divmod(seen.profile.generated_writes, len(drawn))
    types = [CATALOG.entries[one].type for one in drawn]
    before = [types[:place].count(of_type) for place, of_type in enumerate(types)]
    in_turn = sorted(drawn, key=lambda one: before[drawn.index(one)])
    return each + (in_turn.index(key) < left)
