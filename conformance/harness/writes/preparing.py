"""Brings an appliance into a state in which procedures can be told from: what is in their way is ended.

Nothing here puts anything back: the gate owes what was there before until the state is given up.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import POWER_STATE
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.checks.answer import Answer, Outcome
from conformance.checks.case import why_not_written
from conformance.checks.groups import PREPARE
from conformance.checks.reads.ranges import is_lifted
from conformance.checks.reads.reading import walks
from conformance.checks.reads.support import is_hidden, needs_again
from conformance.checks.traces.effects import reads_back
from conformance.checks.traces.trace import STAYS_AFTER_S
from conformance.checks.view import View, with_reads
from conformance.checks.writes.judging import TIMES
from conformance.harness.reads.repeats import series_in, tries_in
from conformance.harness.steps import reread, write
from conformance.harness.writes.asking import TRIES, Lane, answered, read_until
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.model.couplings import controllers_of, is_light, write_controllers_of
from conformance.model.json_values import same
from conformance.model.state_table import SHOWING_WHO_ACTS, STATE_ROWS, EndedAt, StateId
from conformance.model.states import ExemptingState, closing_state, power_is_on, write_exempting_states
from conformance.model.ways import PARTICULAR, ending_of, lock_of


class Preparation:
    """Ends the states that are in the way of some procedures; its lane knows it without them then."""

    def __init__(
        self, procedures: Sequence[WriteProcedure], level: Level, states: Collection[StateId]
    ) -> None:
        """Ends no other than `states`, and those only where a run of `level` may."""
        self.procedures = procedures
        self._level: Level = level
        self._states = states

    def make(self, lane: Lane) -> None:
        """Ends the states together; again, where one had no effect and another one was ended since."""
        self._found = lane.seen
        self._tries: Counter[str] = Counter()
        self._looked: dict[str, Answer] = {}  # what was read since the last write
        self._look(lane)
        while ending := self._ending(lane.seen):
            self._tries.update(ending.keys())
            ended = list[str]()
            for key, value in ending.items():
                if self._end(lane, key, value):
                    ended.append(key)
            if ended:
                self._settle(lane, ended)
            else:
                lane.pause(lane.seen.profile.retry_s)
            self._look(lane)
        if self._tries:
            self._uncover(lane)

    def _ending(self, seen: View) -> dict[str, JsonValue]:
        """The keys to write now, with their values; what keeps one from having an effect comes before it."""
        wanted = endings(seen, self.procedures, self._level, self._states)
        without_effect = {state.controller for state, _ in wanted if self._tries[state.controller]}
        wanted = endings(seen, self.procedures, self._level, self._states, besides=without_effect)
        wanted.sort(key=lambda one: self._tries[one[0].controller])
        return {state.controller: value for state, value in wanted if self._tries[state.controller] < TRIES}

    def _end(self, lane: Lane, key: str, value: JsonValue) -> bool:
        """Writes what ends a state, and reads until it shows; whether it does."""
        seen = lane.seen
        ask = reread(seen, key, PREPARE)
        before = self._looked.get(key) or lane.ask(ask)
        self._looked.clear()
        if not seen.admits(before) or same(before.value, value):
            return False
        sent = lane.ask(write(seen, PREPARE, key, value))

        def took(answer: Answer) -> bool:
            return reads_back(seen.values(key, answer), value, answer, sent)

        is_refused = sent.outcome is Outcome.REFUSED
        return took(lane.ask(ask) if is_refused else read_until(lane, seen, ask, took))

    def _settle(self, lane: Lane, ended: Collection[str]) -> None:
        """Waits once for all that ended: it has to stay, and what will be written to show its own value.

        What shows another value than in the state that ended is back. What a colour locks is not read:
        nothing of it has to come. A light that was dark may take its settle time; else the time is the
        learned one.
        """
        seen, timing = lane.seen, lane.seen.profile.timing
        longest = max(map(timing.settle_seconds, ended))
        keys = dict.fromkeys(key for procedure in self.procedures for key in procedure.writes)
        moved = [key for key in keys if not controllers_of(key).isdisjoint(ended)]
        found = [seen.reads.get(("settings", key)) for key in moved if key not in self._tries]
        shown = [answer for answer in found if answer and answer.has_value]
        asks = [reread(seen, answer.exchange.key, PREPARE) for answer in shown]
        now = lane.ask_all(asks) if self._states is not PARTICULAR else []
        if any(same(before.value, after.value) for before, after in zip(shown, now, strict=False)):
            dark = [key for key in ended if is_light(key)]
            quiet_s = lane.effects.quiet_s(longest)
            lane.pause(max(map(timing.settle_seconds, dark)) if dark else quiet_s)
            lane.ask_all(asks)
        else:
            lane.pause(lane.effects.quiet_s(min(STAYS_AFTER_S, longest)))

    def _uncover(self, lane: Lane) -> None:
        """Reads what the states may have hidden, or moved out of its range, after what a judgement needs."""
        found = self._found
        moved = [key for key in found.tried if is_lifted(found, key)]
        hidden = [key for key in found.tried if is_hidden(found, key) or key in moved]
        needed = {controller for key in hidden for controller in controllers_of(key)}
        beside = [key for key in found.tried if key in needed.difference(hidden) and found.is_asked(key)]
        now = lane.ask_all([reread(lane.seen, key, PREPARE) for key in (*beside, *hidden)])
        lane.seen = with_reads(lane.seen, now)
        if any(answer.outside for answer in now if answer.exchange.key in moved):
            lane.pause(max(map(found.profile.timing.settle_seconds, self._tries)))
            lane.ask_all([reread(lane.seen, key, PREPARE) for key in moved for _ in range(TIMES)])
        silent = [answer for answer in now[len(beside) :] if _is_silent(lane.seen, answer)]
        if silent:  # an appliance that was switched on may take its time to show everything
            lane.pause(found.profile.timing.settle_seconds(POWER_STATE))
        shown = [answer for answer in now[len(beside) :] if answer.exchange.key not in moved]
        for answer in silent:
            tries = lane.take(tries_in(PREPARE, lane.seen, answer))
            shown += [one for one in tries if one.exchange.key == answer.exchange.key]
        # what was hidden is read in series, as what is found is, as many keys as the sample holds
        first = {answer.exchange.key: answer for answer in reversed(shown) if answer.has_value}
        watched = sorted(first, key=lambda key: not walks(CATALOG.entries[key]))
        for key in watched[: found.profile.repeat_sample]:
            lane.take(series_in(PREPARE, lane.seen, first[key]))

    def _look(self, lane: Lane) -> None:
        """Reads what shows the states, and what they may have hidden; then only what may have moved since."""
        ended = self._tries.keys()
        found = (write_controllers_of(key) for one in self.procedures for key in one.writes)
        wanted = {*ended}.union(*found)
        if ended:
            wanted = {
                key for key in wanted if key in ended or not write_controllers_of(key).isdisjoint(ended)
            }
        self._look_at(lane, wanted)

    def _look_at(self, lane: Lane, wanted: Collection[str]) -> None:
        """Reads what is wanted, and what procedures write that is not served as far as is known."""
        seen = lane.seen
        hidden = {key for one in self.procedures if not one.is_served(seen) for key in one.writes}
        keys = [key for key in seen.tried if key in {*wanted, *hidden} and seen.is_asked(key)]
        asks = [replace(reread(seen, key, PREPARE), may_be_known=True) for key in keys]
        now = answered(lane, asks, lambda one: one.key in hidden or not one.is_error, seen.profile.retry_s)
        self._looked = {answer.exchange.key: answer for answer in now}
        lane.seen = with_reads(seen, now)


class Locking(Preparation):
    """Chooses the colours that lock what some procedures write, which must have no effect."""

    def __init__(
        self, procedures: Sequence[WriteProcedure], level: Level, chosen: Mapping[str, JsonValue]
    ) -> None:
        """Writes what is `chosen`, by key."""
        super().__init__(procedures, level, PARTICULAR)
        self._chosen = chosen

    def _ending(self, seen: View) -> dict[str, JsonValue]:
        if closing_state(seen):
            return {}
        left = {key: value for key, value in self._chosen.items() if not same(seen.value(key), value)}
        return {key: value for key, value in left.items() if self._tries[key] < TRIES}

    def _look(self, lane: Lane) -> None:
        """Reads what shows that somebody acts, then whether the state stays; each procedure reads more."""
        acting = (key for key in SHOWING_WHO_ACTS if lane.seen.value(key) is not None)
        wanted = {*self._chosen} if self._tries else {*acting}
        self._look_at(lane, wanted)


def _is_silent(seen: View, answer: Answer) -> bool:
    """Whether an entry still gives no value, and only further tries can tell how it stands."""
    entry = CATALOG.entries[answer.exchange.key]
    return not entry.contested and needs_again(seen, entry, answer)


def locking(
    seen: View, procedures: Iterable[WriteProcedure], level: Level, states: Collection[StateId]
) -> dict[str, JsonValue]:
    """The keys that show some states, each with a value in which it may lock what procedures write.

    Of several states that lock the same, one is chosen, and none for a key whose range it lifts (X5): what
    is outside that may be its own doing. Where more than one value does, it is the first of the document,
    but for a power state: what is off may show nothing.
    """
    left = {key for one in procedures for key in one.writes}
    chosen: dict[str, JsonValue] = {}
    if closing_state(seen) or not (seen.profile.write and seen.profile.write.prepare):
        return chosen
    lifted = {row.controller: row.lifts for row in STATE_ROWS if row.lifts}
    for row in STATE_ROWS:
        key, locked = row.controller, row.keeps - lifted.get(row.controller, frozenset())
        if row.id not in states or left.isdisjoint(locked) or key in chosen:
            continue
        closing = lock_of(seen, row).closing
        if closing and seen.value(key) is not None and _may_move(seen, key, level):
            chosen[key] = closing[-1 if row.id.turn is EndedAt.POWER else 0]
            left -= locked
    return chosen


def endings(
    seen: View,
    procedures: Sequence[WriteProcedure],
    level: Level,
    states: Collection[StateId],
    *,
    besides: Iterable[str] = (),
) -> list[tuple[ExemptingState, JsonValue]]:
    """Those of some states that are in the way of procedures and may be ended, each with what to write.

    `besides` are further keys that are to be written.
    What an appliance hides while it is not on is no sign of somebody acting: it is switched on, and asked.
    """
    hidden = () if power_is_on(seen) else tuple(key for key in SHOWING_WHO_ACTS if seen.value(key) is None)
    shown = replace(seen, tried=tuple(key for key in seen.tried if key not in hidden))
    if closing_state(shown) or not (seen.profile.write and seen.profile.write.prepare):
        return []
    states = [state for state in states if state.turn is EndedAt.POWER] if closing_state(seen) else states
    hindering = [
        *(one.hindered_by(seen) for one in procedures),
        *(write_exempting_states(seen, key) for key in besides),
    ]
    found = dict.fromkeys(state for each in hindering for state in each if state.is_shown)
    ordered = sorted((one for one in found if one.id in states), key=lambda one: list(states).index(one.id))
    values = ((state, ending_value(seen, state, level)) for state in ordered)
    return [(state, value) for state, value in values if value is not None]


def ending_value(seen: View, state: ExemptingState, level: Level) -> JsonValue:
    """What a run of `level` writes to the key of a state to end it; None where it may not, or cannot."""
    return ending_of(seen, state, lambda key: _may_move(seen, key, level))


def _may_move(seen: View, key: str, level: Level) -> bool:
    """Whether a run of `level` may write the key of a state, and the appliance takes writes of it."""
    closed = Closed([seen])
    is_closed = why_not_written(seen.profile, level, key) or closed.why_secret(seen.appliance.ha_id, (key,))
    return not (is_closed or seen.here(key).is_read_only)
