"""What writing costs, counted before anything is sent: every procedure is run against an obedient stand-in.

The stand-in serves each key that is tried, with a value that it may have, and takes every allowed write: at
once, or after the settle time, which is how long a run may have to wait. So the plan cannot differ from the
procedures. What a run would prepare is what ends the states of an appliance that has all of them in the way.
"""

import os
from collections.abc import Collection, Iterable
from copy import copy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from msgspec.structs import replace
from pydantic import JsonValue

from catalog import keys
from catalog.loader import CATALOG
from catalog.maker import with_maker, without_maker
from catalog.model import Entry, Level
from conformance.checks.answer import Answer, Outcome, Signature
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES, Exchange, Remark, Request, Response
from conformance.checks.groups import PREPARE, Group
from conformance.checks.traces.effects import Effects
from conformance.checks.traces.trace import STAYS_AFTER_S
from conformance.checks.view import View
from conformance.harness.clock import Clock
from conformance.harness.known_answers import may_change
from conformance.harness.steps import Ask, read
from conformance.harness.wire.messages import Wanted
from conformance.harness.writes.asking import Lane
from conformance.harness.writes.batches import batches_of, scripts_of
from conformance.harness.writes.conducting import Conducting
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.keeping.owed import Closed
from conformance.harness.writes.keeping.putting_back import PuttingBack
from conformance.harness.writes.player import Player
from conformance.harness.writes.preparing import Preparation, endings
from conformance.harness.writes.procedures.isolation import compared_first, compared_last, turns_of
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.registry import procedures_of
from conformance.harness.writes.tours.playing import OrdersOfWrites
from conformance.model.json_values import number
from conformance.model.state_table import STATE_ROWS
from conformance.model.values import NO_MEMBERS, Shown, fits
from conformance.model.ways import CLEARING, PARTICULAR
from conformance.profiles.fleet.companions import companions_of
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Profile

_STARTED = datetime(2026, 1, 1, tzinfo=UTC)
_REQUEST_S = 0.001
_OWN_RANGE = (2, 10)
"""What an appliance may show for a number whose range the document leaves to it."""


@dataclass
class Rehearsed:
    """The writes of an appliance, and all requests, also those that put back.

    `looks` is how often all its settings are looked at then: before its tours, and at last.
    `seconds` is how long it is waited for values to settle and to stay, also before its last look, and
    `comparing_s` how long of that while it is compared with other appliances, in which `turn`. `prepared` are
    the keys with which states may be ended, and the values that end them.
    """

    writes: int = 0
    requests: int = 0
    looks: int = 0
    seconds: float = 0.0
    comparing_s: float = 0.0
    turn: int = 0
    prepared: dict[str, JsonValue] = field(default_factory=dict[str, "JsonValue"])


class Passed(Clock):
    """The time of what is not there.

    Attributes:
        seconds: how many have passed.
    """

    seconds = 0.0

    def now(self) -> float:
        """So many seconds."""
        return self.seconds


@dataclass
class StandIn(Lane):
    """An appliance that is not there: what it would answer, at which time.

    A write takes effect at once, or after the settle time where it `is_late`: then it is `coming` at a time.
    """

    profile: Profile
    is_late: bool = False
    cost: Rehearsed = field(default_factory=Rehearsed)
    hindered: bool = False
    time: Passed = field(default_factory=Passed)
    values: dict[tuple[str, str], JsonValue] = field(default_factory=dict[tuple[str, str], "JsonValue"])
    coming: list[tuple[float, Ask]] = field(default_factory=list[tuple[float, Ask]])
    known: dict[Wanted, Answer] = field(default_factory=dict[Wanted, Answer])
    views: dict[str, View] = field(default_factory=dict[str, View])

    def __post_init__(self) -> None:
        nowhere = Journal(JournalFile(Path(os.devnull), {}, count=1))  # it is begun: nothing is unlinked
        self.gate = Gate(self.profile, "power", nowhere, Closed(), clock=self.time)

    def ask(self, ask: Ask) -> Answer:
        """The answer to a request, which is made unless it is known and may be."""
        if ask.purpose in WRITES:
            intent, left = self.gate.admit(ask), self.known.items()
            self.known = {one: answer for one, answer in left if not may_change(ask, answer.exchange.key)}
            answer = self._made(ask)
            self.gate.answered(intent, answer)
        else:
            known = self.known.get(ask.wanted) if ask.may_be_known else None
            answer = self.known[ask.wanted] = known or self._made(ask)
        self.effects.note(answer)
        self.gate.learn(answer)
        return answer

    def put_back(self, group: Group, *, looked: bool = False) -> None:
        """Puts back what is owed."""
        debts, seen = self.gate.due(looked=looked), {self.seen.appliance.ha_id: self.seen}
        PuttingBack(self, {**self.views, **seen}, debts, group, self.profile.timing.put_back_s).until_back()
        self.gate.settle(debts)

    def _made(self, ask: Ask) -> Answer:
        """The answer to a request; an allowed write of a setting is taken."""
        entry, place = CATALOG.entries.get(ask.key), (ask.ha_id, ask.key)
        at = (_STARTED + timedelta(seconds=self.time.seconds)).isoformat(timespec="milliseconds")
        self.time.seconds += _REQUEST_S
        self.cost.requests += 1
        response = Response(200, (), b"", _REQUEST_S * 1000)
        request = Request(ask.wanted.method, ask.wanted.path, ())
        groups = (ask.group,) if ask.group else ()
        asked = (ask.purpose, groups, ask.lane, ask.ha_id, ask.key, ask.segment)
        exchange = Exchange(self.cost.requests, *asked, at, request, response, value=ask.value)
        outcome = Outcome.VALUE if place in self.values else Outcome.REFUSED
        if ask.purpose in WRITES and entry:
            self.cost.writes += ask.purpose == "write"
            may = self._takes(entry, ask)
            outcome = Outcome.NOVALUE if may else Outcome.REFUSED
            if may:
                settle_s = self.profile.timing.settle_seconds(ask.key)
                self.coming.append((self.time.seconds + settle_s * self.is_late, ask))
        for _, came in (one for one in self.coming if one[0] <= self.time.seconds):
            self.values[came.ha_id, came.key] = came.value
            self._follow(came)
        self.coming = [one for one in self.coming if one[0] > self.time.seconds]
        shown = Shown(min=_OWN_RANGE[0], max=_OWN_RANGE[1]) if entry and entry.own_range else NO_MEMBERS
        value = self.values.get(place)
        return Answer(exchange, outcome, Signature(outcome, 200, "", ""), value, shown=shown)

    def _follow(self, ask: Ask) -> None:
        """OperationState goes with the power state, which is waited for where it does not."""
        place = ask.ha_id, keys.OPERATION_STATE
        if ask.key == keys.POWER_STATE and place in self.values:
            is_on = str(ask.value).endswith(".PowerState.On")
            maker = str(self.values[place]).partition(".")[0]
            self.values[place] = with_maker(keys.READY if is_on else keys.INACTIVE, maker)

    def _takes(self, entry: Entry, ask: Ask) -> bool:
        if ask.segment != "settings" or ".Setting." not in ask.key or not fits(entry, ask.value):
            return False
        if self.is_locked(ask):
            return False
        if entry.values:
            return self.views[ask.ha_id].values(entry.key).is_of(ask.value)
        low, high = (entry.range.min, entry.range.max) if entry.range else _OWN_RANGE
        return not entry.is_numeric or low <= number(ask.value) <= high

    def is_locked(self, ask: Ask) -> bool:
        """Whether a rule keeps a setting from being written now."""
        maker, values = self.views[ask.ha_id].maker, self.values
        rows = (row for row in STATE_ROWS if row.is_stated and ask.key in row.keeps)
        return any(_spelled(values.get((ask.ha_id, row.controller)), maker) in row.values for row in rows)

    @property
    def clock(self) -> Clock:
        """Its own."""
        return self.time

    def pause(self, seconds: float) -> None:
        """Nothing passes but time on its clock."""
        self.time.seconds += seconds
        self.cost.seconds += seconds

    def remark(self, remark: Remark) -> None:
        """Keeps nothing."""

    def view(self, ha_id: str) -> View:
        """What was seen of one of its appliances when all keys were read once; it is at work then."""
        own = next(appliance for appliance in self.profile.appliance if appliance.ha_id == ha_id)
        tried = claimed_keys(own)
        seen = self.views[ha_id] = View(self.profile, own, tried, {}, {})
        entries = [CATALOG.entries[key] for key in tried if own.claim(key) != "no"]
        for entry in entries:
            self.values[ha_id, entry.key] = self._found(entry, seen)
        asks = [read(seen, entry.key, segment) for entry in entries for segment in entry.segments]
        reads = {(ask.segment, ask.key): self._made(ask) for ask in asks}
        self.cost.requests = 0
        self.seen = replace(seen, reads=reads)
        self.effects = Effects(self.seen)
        return self.seen

    def _found(self, entry: Entry, seen: View) -> JsonValue:
        """A value that an entry may have: nothing is in the way of a write, or all that can be ended is."""
        rows = [row for row in STATE_ROWS if row.controller == entry.key and not row.is_stated]
        maker = seen.maker
        choices = (False, True) if entry.type == "Boolean" else seen.values(entry.key).choices
        is_in_the_way = self.hindered and any(row.ends for row in rows)
        fitting = (
            one
            for one in reversed(choices)
            if all((_spelled(one, maker) in row.values) is is_in_the_way for row in rows)
        )
        if rows and (found := next(fitting, None)) is not None:
            return found
        if entry.values:
            return with_maker(entry.values[-1], maker)
        if entry.is_numeric:
            return entry.range.min if entry.range else _OWN_RANGE[0]
        return False if entry.type == "Boolean" else "a"


def _spelled(value: JsonValue, maker: str) -> JsonValue:
    """A value as the document spells it."""
    return without_maker(value, maker) if isinstance(value, str) else value


def rehearse(
    cases: Iterable[Case],
    profile: Profile,
    level: Level,
    *,
    is_late: bool = False,
) -> dict[str, Rehearsed]:
    """What a run of `level` would write for its cases, by haId.

    Effects come at once, or as late as the settle time allows where it `is_late`.
    """
    planned = procedures_of(cases, level)
    compared = companions_of(profile)
    seen = {ha_id: StandIn(profile).view(ha_id) for ha_id in compared}
    reads = {ha_id: each.reads for ha_id, each in seen.items()}
    seen = {
        ha_id: replace(
            each, companions=compared[ha_id], beside={other: reads[other] for other in compared[ha_id]}
        )
        for ha_id, each in seen.items()
    }
    known = {ha_id: made for ha_id, made in planned.items() if ha_id in seen}
    alike, costs = dict[object, Rehearsed](), dict[str, Rehearsed]()
    for ha_id, made in known.items():
        asked = (seen[each].appliance for each in (ha_id, *compared[ha_id]))
        own = (*(each.model_dump_json(exclude={"ha_id"}) for each in asked), *made)
        if own not in alike:  # those of which the profile says the same cost the same
            alike[own] = _cost(seen, ha_id, level, made, is_late=is_late)
        costs[ha_id] = copy(alike[own])
    for place, turn in enumerate(turns_of(known, seen, profile)):
        for ha_id in turn:
            costs[ha_id].turn = place
    return costs


def seconds_in_all(costs: Collection[Rehearsed]) -> float:
    """How long a run of some appliances waits at most: those of one turn are compared side by side."""
    beside = (cost.seconds - cost.comparing_s for cost in costs)
    turns: dict[int, float] = {}
    for cost in costs:
        turns[cost.turn] = max(cost.comparing_s, turns.get(cost.turn, 0.0))
    return max(beside, default=0.0) + sum(turns.values())


def _cost(
    views: dict[str, View], ha_id: str, level: Level, procedures: list[WriteProcedure], *, is_late: bool
) -> Rehearsed:
    seen = views[ha_id]
    stand_in = StandIn(seen.profile, is_late=is_late)
    for each in (*seen.companions, ha_id):
        stand_in.view(each)

    def make(batch: list[WriteProcedure]) -> list[WriteProcedure]:
        made = scripts_of(batch, Stage(stand_in.seen, {**views, ha_id: stand_in.seen}))
        Player(stand_in).play(made)
        stand_in.put_back(batch[0].group, looked=all(one.has_rested for one in made))
        return []

    def enter(preparation: Preparation) -> None:
        stand_in.gate.prepare()
        preparation.make(stand_in)
        stand_in.gate.hold()

    def leave(_: View) -> None:
        if stand_in.gate.release():
            stand_in.put_back(PREPARE)

    stand_in.seen = seen
    served = [one for one in procedures if one.is_served(seen)]
    compared = [*compared_first(served), compared_last(served)]
    for part in (*compared, [one for one in served if not one.is_by_itself]):
        stand_in.cost.comparing_s = stand_in.cost.seconds  # until the last part
        Conducting(stand_in, level, make, enter, leave).conduct(part)
    tours: list[WriteProcedure] = [one.toured for one in served if isinstance(one, OrdersOfWrites)]
    for batch in batches_of(tours, seen):
        make(batch)
    hindered = StandIn(seen.profile, hindered=True).view(ha_id)
    stand_in.cost.looks = bool(tours) + bool(stand_in.cost.writes)
    if stand_in.cost.writes:
        stand_in.pause(min(STAYS_AFTER_S, seen.profile.timing.settle_s))  # before its last look
    ended = endings(hindered, served, level, (*CLEARING, *PARTICULAR))
    stand_in.cost.prepared = {state.controller: value for state, value in ended}
    return stand_in.cost
