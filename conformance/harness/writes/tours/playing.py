"""Plays tours: every short order of some writes, and once more what contradicted a clause in one.

A tour is played in haste, from the state as found: nobody waits for what must not come. What it sends stands
in the ledger under `tour/...` and is judged by nobody. A write that contradicts a clause is made certain: the
last writes up to it are made twice more from the state as found, or all of them where these do not show it,
and that trace is what the clauses judge under their ordinary case ids.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

from msgspec import Struct, structs
from pydantic import JsonValue

from catalog.keys import COOLING_MODES, OPERATION_STATE, POWER_STATE
from catalog.model import Catalog, Level
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    ProcedureKind,
)
from conformance.checks.permission import Omission, reaches, why_not_written
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.traces.expecting import Expecting
from conformance.checks.traces.trace import attempts, trace_of
from conformance.checks.view import View, with_reads
from conformance.checks.writes.power_states import at_odds
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part, Pause, Procedure
from conformance.harness.writes.procedures.lights import AmbientLight, HoodLight
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.parts import ask_all, read_controllers, read_until, wait_quietly
from conformance.harness.writes.procedures.power import compared
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.tours.letters import (
    LONGEST,
    Letter,
    Tour,
    contradicts,
    is_certain,
    tour_of,
)
from conformance.model.json_values import same
from conformance.model.state_table import is_setpoint
from conformance.model.states import ExemptingState, may_write_now
from conformance.profiles.model import Profile

_WRITTEN = {
    POWER_ORDERS: (POWER_STATE,),
    AMBIENT_ORDERS: AmbientLight.keys,
    HOOD_ORDERS: HoodLight.keys,
    COOLING_ORDERS: COOLING_MODES,
}
"""The keys of each set of rules."""
_WRITE_AND_READ = 2
_MOST_TRIED = 3
"""Contradictions of one rule in a tour, of which it is tried whether they come again."""


@dataclass(frozen=True, slots=True)
class OrdersOfWrites(WriteProcedure):
    """Plays a tour, or makes an `order` of its writes again."""

    order: tuple[Letter, ...] = ()

    kind = ProcedureKind.ORDERS
    turn = 8
    level = "power"
    is_by_itself = True

    @property
    def toured(self) -> "OrdersOfWrites":
        """The tour itself, of whose exchanges nothing is judged."""
        return self.of_group(structs.replace(self.group, kind=ProcedureKind.TOUR))

    @property
    def writes(self) -> tuple[str, ...]:
        """The keys of its rules."""
        return _WRITTEN[Group(ProcedureKind.ORDERS, self.group.subject)]

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:  # noqa: ARG002  the same of every appliance
        """Nothing: a tour begins from the state as found."""
        return ()

    def watches(self, catalog: Catalog) -> set[str]:
        """What may lock them, and the setpoints."""
        return WriteProcedure.watches(self, catalog) | set(filter(is_setpoint, catalog.entries))

    def why_not(self, profile: Profile, level: Level) -> Omission | None:
        """For the cooling modes, those that may be written are enough."""
        if not reaches(level, self.level):
            return Omission("orders of writes are made at level power", "--level power")
        if self.group == COOLING_ORDERS:
            omissions = [why_not_written(profile, level, key) for key in self.writes]
            return omissions[0] if all(omissions) else None
        return WriteProcedure.why_not(self, profile, level)

    def is_served(self, seen: View) -> bool:
        """Whether there is anything to play, and a request for it."""
        return seen.profile.generated > 0 and self._tour(seen) is not None

    def steps(self, stage: Stage) -> Part[bool]:
        """The writes, and what is read after each."""
        tour = self._tour(stage.seen)
        if tour and self.group.kind is ProcedureKind.TOUR:
            yield from _play(stage.seen, tour, self.group)
        elif tour:
            yield from _make_again(stage.seen, tour, self.group, self.order)
        return True

    def _tour(self, seen: View) -> Tour | None:
        return tour_of(Group(ProcedureKind.ORDERS, self.group.subject), seen)


def made_certain(
    orders: OrdersOfWrites, seen: Callable[[], View], make: Callable[[OrdersOfWrites], Procedure]
) -> Procedure:
    """Has made again what contradicted a clause in a tour, until that is certain or gone.

    Args:
        orders: what was toured.
        seen: the appliance, with all that was sent so far.
        make: makes an order from the state as found, and puts back what it wrote.
    """
    tour = tour_of(orders.group, seen())
    if tour is None:
        return
    for rule in tour.rules:
        for order in _orders(tour, rule, seen(), orders.toured.group):
            if is_certain(rule, seen(), (*tour.shown_in, orders.group)):
                break
            for _ in range(TIMES):
                yield from make(replace(orders, order=order))


def _orders(tour: Tour, rule: Expecting, seen: View, toured: Group) -> Iterable[tuple[Letter, ...]]:
    """What may show again what contradicted a rule in a tour: the last writes that begin at home, then all.

    What was written before the tour may have led to the first contradiction, and can not be made again.
    """
    tried, longest = attempts(seen, toured), LONGEST[Group(ProcedureKind.ORDERS, toured.subject)]
    writes = tuple(Letter(one.key, (cast("JsonValue", one.value),)) for one in tried)
    ends = (end for end in range(1, len(tried) + 1) if contradicts(rule, seen, tried[end - 1]))
    last, whole = list[tuple[Letter, ...]](), list[tuple[Letter, ...]]()
    for end in islice(ends, _MOST_TRIED):
        latest = range(max(0, end - longest), end)
        begin = next((one for one in latest if tour.begins_at_home(tried[one])), 0)
        last.append(writes[begin:end])
        whole.append(writes[:end])
    return dict.fromkeys((*last, *whole))


class _Played(Struct):
    """What a tour has sent on one appliance, and what came of it."""

    seen: View
    tour: Tour
    group: Group
    answers: list[Answer] = []

    def begin(self) -> Part[None]:
        """Reads what may keep the keys from being written, and the watched keys."""
        self.answers += yield from read_controllers(self.seen, self.tour.watched, self.group)
        yield from self.look(self.tour.watched)

    def look(self, keys: Iterable[str]) -> Part[None]:
        """Reads some keys."""
        self.answers += yield from ask_all([reread(self.seen, key, self.group) for key in keys])

    @property
    def now(self) -> View:
        """The appliance as it was read last."""
        return with_reads(self.seen, (one for one in self.answers if one.exchange.purpose not in WRITES))

    def value(self, letter: Letter) -> JsonValue:
        """The value to write next; None where the setting shows it, or nothing may be written."""
        now = self.now
        if any(now.value(key) is None for key in self.tour.watched):
            return None
        return letter.value(now.value(letter.key)) if may_write_now(now, self.tour.watched[0]) else None

    def write(self, letter: Letter, value: JsonValue) -> Part[None]:
        """Writes a value, and reads it until it shows where it should."""
        key, is_free = letter.key, may_write_now(self.now, letter.key)
        sent = yield write(self.seen, self.group, key, value)
        self.answers.append(sent)
        if sent.is_acknowledged and is_free:
            took = yield from read_until(self.seen, key, self.group, lambda one: same(one.value, value))
            self.answers.append(took)
        else:
            yield from self.look([key])

    @property
    def is_odd(self) -> bool:
        """Whether the last reads of PowerState and OperationState contradict each other."""
        return at_odds(self.seen, *(self.now.value(key) for key in (POWER_STATE, OPERATION_STATE)))


def _play(seen: View, tour: Tour, group: Group) -> Part[None]:
    """Makes the writes of a tour in haste, as many as `pace.generated` allows where effects come at once."""
    played = _Played(seen, tour, group)
    yield from played.begin()
    left = seen.profile.generated - len(played.answers)
    for letter in tour.letters:
        value = played.value(letter)
        if value is None:
            continue
        left -= _WRITE_AND_READ + len(letter.beside)
        if left < 0:
            return
        yield from played.write(letter, value)
        yield from played.look(letter.beside)
        if group.subject == POWER_ORDERS.subject and played.is_odd:
            yield from compared(seen, group, at_least=1)


def _make_again(seen: View, tour: Tour, group: Group, order: Iterable[Letter]) -> Part[None]:
    """Makes writes so that they can be judged: each comes to rest before the next one."""
    played = _Played(seen, tour, group)
    yield from played.begin()
    for letter in order:
        value = played.value(letter)
        if value is None:
            continue
        yield from played.write(letter, value)
        if group == POWER_ORDERS:
            yield from compared(seen, group)
            continue
        yield from wait_quietly(seen, letter.key)  # what the write moves late is not the next one's doing
        yield from played.look(tour.watched)
        if tour.is_contradicted(seen, trace_of(played.answers)[-1]):
            # what came may go again, as long as its settle time is not over
            yield Pause(seen.profile.timing.settle_seconds(letter.key), for_wrong=True)
            yield from played.look(tour.watched)
