"""Puts back what is owed, and looks at an appliance once more: before a run goes on, and at its end."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import cast

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, LOCAL_CONTROL
from catalog.model import Level
from conformance.checks.answer import Absence, Answer
from conformance.checks.case import why_not_written
from conformance.checks.groups import LAST_LOOK, Group
from conformance.checks.traces.effects import shows_as_before
from conformance.checks.traces.trace import STAYS_AFTER_S
from conformance.checks.view import View, with_reads
from conformance.harness.errors import TransportError
from conformance.harness.steps import LAGGING_READS, reread
from conformance.harness.writes.asking import answered
from conformance.harness.writes.keeping.owed import Debt
from conformance.harness.writes.keeping.putting_back import PuttingBack
from conformance.harness.writes.lanes import LiveLane
from conformance.harness.writes.watching import Watch
from conformance.model.couplings import moves_by_itself, of_one_light
from conformance.model.json_values import identical, quoted, same
from conformance.model.states import exempting_state


class LastLooks:
    """Puts back what is owed to appliances, and compares their settings with what they were first.

    Attributes:
        crashes: what broke a procedure, or putting back, by haId and group: the suite's own fault.
        broken: the hooks that did not put back what they had moved.
    """

    def __init__(self, lanes: Mapping[str, LiveLane], level: Level, watch: Watch) -> None:
        """Begins with what was read so far; `watch` knows the settings that moved without a write."""
        self._lanes = lanes
        self._level: Level = level
        self._watch = watch
        self._told: defaultdict[str, set[str]] = defaultdict(set)
        self._returned: dict[str, list[str]] = {}
        self._within: dict[str, dict[str, Answer]] = {}
        self.crashes: dict[tuple[str, Group], Exception] = {}
        self.broken: list[str] = []

    def put_back(self, lane: LiveLane, group: Group, *, looked: bool = False, changed: bool = False) -> None:
        """Puts back what is due, whatever happens meanwhile.

        `looked` is that of `Gate.due`; `changed` is for keys that nobody wrote.
        """
        debts = lane.gate.due(looked=looked)
        was_restoring, lane.is_restoring = lane.is_restoring, True
        # what has been tried as long as it may be is tried again, but not waited for
        is_given_up = bool(lane.gate.closed.owed_by(lane.name))
        patience_s = 0.0 if is_given_up else lane.found.profile.timing.put_back_s
        try:
            for ask in tuple(lane.gate.cleanups):
                (answer,) = answered(lane, [ask], lambda answer: answer.is_acknowledged)
                if not answer.is_acknowledged:
                    words = f"the hook that puts it back answered {answer.words}"
                    self.broken.append(f"{ask.ha_id} {ask.key}: {words}")
            seen = {ha_id: other.found for ha_id, other in self._lanes.items()} | {lane.name: lane.seen}
            with lane.looked_at(lambda _, answer: self._watch.note(answer)):
                PuttingBack(lane, seen, debts, group, patience_s).until_back()
        # where nothing can be sent any more, what is not known to be back is said not to be
        except Exception as error:  # noqa: BLE001  the cases that rest on it say so
            self.crashes[lane.name, group.plain] = error
        finally:
            lane.is_restoring = was_restoring
        lane.gate.settle(debts, changed=changed)

    def look_again(self, lane: LiveLane) -> None:
        """Reads each setting before a run goes on: what its owner has changed meanwhile stays as it is."""
        watched = self._watched(lane)
        self._watch.begin_anew(lane, _read(lane, lane.found, watched))
        lane.gate.settle([])

    def look(self, lane: LiveLane, *, is_final: bool = False, is_last: bool = True) -> None:
        """Compares each setting with its first read, and puts back what changed though nobody wrote it.

        What changes again where the look `is_final` was not put back. One that is not the last one is for
        what is written next: it reads settings alone, and once.

        What has changed is read again once it had time to settle: it may still be moving. So is what gives no
        value any more. What entries show that move by themselves, as statuses may, is read for the clauses of
        values alone. So is what could not be put back before.
        """
        ha_id, seen = lane.name, lane.found
        # what was put back may still fall back, and what was not may still come back
        if waited_for := self._returned.get(ha_id) or lane.gate.closed.owed_by(ha_id):
            lane.pause(max(map(seen.profile.timing.settle_seconds, waited_for)))
        elif is_last and not is_final and lane.gate.debts:
            lane.pause(min(STAYS_AFTER_S, seen.profile.timing.settle_s))
        try:
            # who keeps a value until it was read shows that at a later read
            _read(lane, seen, self._returned.get(ha_id, ()))
            if is_last:
                self._read_followers(lane, seen)
            allowed = self._moved(lane, seen, self._watched(lane))
        except TransportError:
            return  # each procedure has had its own look
        lane.gate.note(list(self._moved_meanwhile(lane)))
        if is_final:
            for debt in allowed:
                debt.note = "it was put back, and moved again"
            lane.gate.settle(allowed)
            return
        self._returned[ha_id] = [debt.key for debt in allowed]
        lane.gate.note(self._moved_unwritten(seen))
        self._give_back(lane, allowed)
        if not is_last:
            return
        moving = [(where, read) for where, read in seen.reads.items() if moves_by_itself(where[1])]
        asks = [reread(seen, key, LAST_LOOK, segment) for (segment, key), read in moving if read.has_value]
        with suppress(TransportError):  # without these reads, the first ones are judged
            shown = lane.ask_all(asks)
            told = [(ask, one) for ask, one in zip(asks, shown, strict=True) if not seen.admits(one)]
            wrong = [ask for ask, one in told if one.has_value or one.absence is Absence.NULL]
            if wrong:  # it is read once more, when it is known to stay
                lane.pause(max(seen.profile.timing.settle_seconds(ask.key) for ask in wrong))
                lane.ask_all(wrong)

    def look_within(self, lane: LiveLane, before: View) -> None:
        """Compares what only a prepared state shows with what it showed first, before that state is given up.

        `before` is the appliance as it was without it.
        """
        first = self._within.setdefault(lane.name, {})
        known = _settings(before)
        hidden = {
            key: first.setdefault(key, read) for key, read in _settings(lane.seen).items() if key not in known
        }
        with suppress(TransportError):
            moved = self._moved(lane, lane.seen, hidden)
            if moved:
                self._give_back(lane, moved)
            lane.gate.note(list(self._hidden_when_found(lane, hidden)), changed=False)

    def _read_followers(self, lane: LiveLane, seen: View) -> None:
        """Reads what may have moved with a light that was written to, as often as reads may lag behind."""
        watched = self._watched(lane)
        with_it = {key for debt in lane.gate.debts for key in of_one_light(debt.key)}
        for _ in range(LAGGING_READS):
            _read(lane, seen, [key for key in watched if key in with_it])

    def _moved(self, lane: LiveLane, seen: View, watched: Mapping[str, Answer]) -> list[Debt]:
        """What has changed since it was read first, and is to be put back; the rest is journalled.

        Raises:
            TransportError: when it could not be read.
        """
        ha_id = lane.name
        written = {debt.key for debt in lane.gate.debts}
        left = lane.gate.closed.owed_by(ha_id) | ({ALARM_CLOCK} - written)  # a clock runs, whoever has set it
        back = _as_put_back(watched, lane.gate.debts)
        now = _read(lane, seen, watched)
        moved = _changed(seen, watched, now, back)
        if moved:
            lane.pause(max(map(seen.profile.timing.settle_seconds, moved)))
            shown, now = now, _read(lane, seen, moved)
            still = _changed(seen, watched, now, back)
            for key in moved:
                if key not in still:
                    self._watch.note(shown[key])
            moved = still
        debts = [
            Debt(ha_id, "settings", key, watched[key].value, now[key].value if now[key].has_value else None)  # pyright: ignore[reportArgumentType]  a value is JSON
            for key in moved
            if key not in left
        ]
        for debt in debts:
            debt.now, debt.note = debt.after, self._why_left(lane, debt)
        lane.gate.note([debt for debt in debts if debt.note])
        return [debt for debt in debts if not debt.note]

    def _moved_unwritten(self, seen: View) -> list[Debt]:
        """What had changed while nothing was written, which stays as it is."""
        ha_id, first = seen.appliance.ha_id, _settings(seen)
        note = "it had changed while nothing was written"
        return [
            Debt(ha_id, "settings", key, first[key].value, now.value, now.value, note=note)  # pyright: ignore[reportArgumentType]  a value is JSON
            for key, now in self._watch.since.get(ha_id, {}).items()
            if key in first and now.has_value and not shows_as_before(first[key], now)
        ]

    def _hidden_when_found(self, lane: LiveLane, hidden: Mapping[str, Answer]) -> Iterator[Debt]:
        """What nobody could read as it was found: what ended that may have moved it, and nothing shows it."""
        told = self._told[lane.name]
        for key in hidden.keys() - told - lane.gate.closed.owed_by(lane.name):
            told.add(key)
            shown = cast("JsonValue", hidden[key].value)
            note = (
                f"it was hidden when found; it showed {quoted(shown)} then, and what it was cannot be known"
            )
            yield Debt(lane.name, "settings", key, shown, now=shown, note=note, restored=True)

    def _moved_meanwhile(self, lane: LiveLane) -> Iterator[Debt]:
        """What has moved while the run went on, though it is as it was found, or was put back since."""
        known, told = self._watched(lane), self._told[lane.name]
        for key, (before, shown) in self._watch.moved.get(lane.name, {}).items():
            if key in known and key not in told | lane.gate.closed.owed_by(lane.name):
                told.add(key)
                moved = f"from {quoted(before)} to {quoted(shown.value)} ({shown.exchange.at[11:19]} UTC)"
                found = cast("JsonValue", known[key].value)
                note = f"it went {moved}, which this run did not do"
                yield Debt(lane.name, "settings", key, found, now=found, note=note, restored=True)

    def _give_back(self, lane: LiveLane, debts: Iterable[Debt]) -> None:
        """Puts back what has changed though nobody wrote it."""
        lane.gate.settle([])
        for debt in debts:
            lane.gate.owe(debt)
        self.put_back(lane, LAST_LOOK, changed=True)

    def _why_left(self, lane: LiveLane, debt: Debt) -> str:
        """Why a setting that has changed is left as it is; empty where it is put back.

        What moves again once it was put back, to a value that this run has neither written nor read while it
        owed anything, was moved by somebody else. Where somebody else was seen to write, what is there
        is his; what this run wrote is back already.
        """
        ha_id = lane.name
        if lane.gate.closed.is_left(ha_id):
            return "somebody else writes to the appliance"
        is_back = debt.key in self._returned.get(ha_id, ())
        if is_back and not lane.gate.may_have_caused(ha_id, debt.key, debt.after):
            return "somebody else changed it"
        if lane.found.value(LOCAL_CONTROL) is True:
            return "changed by nobody here, and somebody operates the appliance"
        is_forbidden = why_not_written(lane.found.profile, self._level, debt.key)
        return "changed by nobody here, and not on the write list" if is_forbidden else ""

    def _watched(self, lane: LiveLane) -> dict[str, Answer]:
        """The settings of an appliance that nobody but this run should change, each as it was first."""
        found = self._watch.since.get(lane.name) or _settings(lane.found)
        return {key: read for key, read in found.items() if read.has_value}


def _settings(seen: View) -> dict[str, Answer]:
    """The settings of an appliance that give a value."""
    reads = ((key, read) for (segment, key), read in seen.reads.items() if segment == "settings")
    return {key: read for key, read in reads if ".Setting." in key and read.has_value}


def _read(lane: LiveLane, seen: View, keys: Iterable[str]) -> dict[str, Answer]:
    """What settings show now; what meets an error, which says nothing of them, is read again."""
    asks = [reread(seen, key, LAST_LOOK) for key in keys]
    read = answered(lane, asks, lambda one: not one.is_error, seen.profile.retry_s)
    return {answer.exchange.key: answer for answer in read}


def _as_put_back(before: Mapping[str, Answer], debts: Iterable[Debt]) -> dict[str, list[object]]:
    """What settings showed once their first values were put back, which may differ by less than a step."""
    shown: dict[str, list[object]] = {key: [] for key in before}
    for debt in debts:
        if debt.restored and debt.key in before and identical(debt.before, before[debt.key].value):
            shown[debt.key].append(debt.now)
    return shown


def _changed(
    seen: View, before: Mapping[str, Answer], now: Mapping[str, Answer], back: Mapping[str, Iterable[object]]
) -> list[str]:
    """The keys that have another value, or none though no state of the appliance may hide it."""
    then = with_reads(seen, now.values())
    return [
        key
        for key, read in now.items()
        if (
            read.has_value
            and not shows_as_before(before[key], read)
            and not any(same(read.value, shown) for shown in back[key])
        )
        or (read.is_refusal and exempting_state(then, key) is None)
    ]
