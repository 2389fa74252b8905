"""Plays tours: every short order of some writes, and once more what contradicted a clause in one.

A tour is played in haste, from the state as found: nobody waits for what must not come. What it sends stands
in the ledger under `tour/...` and is judged by nobody. A write that contradicts a clause is made certain: the
last writes up to it are made twice more from the state as found, or all of them where these do not show it,
and that trace is what the clauses judge under their ordinary case ids.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import cast

from msgspec import structs
from pydantic import JsonValue

from catalog.keys import COOLING_MODES, OPERATION_STATE, POWER_STATE
from catalog.model import Level
from conformance.checks.case import Omission, reaches, why_not_written
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    Group,
    ProcedureKind,
)
from conformance.checks.traces.expecting import Expecting
from conformance.checks.traces.trace import attempts, trace_of
from conformance.checks.view import View
from conformance.checks.writes.expected.power_moves import at_odds
from conformance.checks.writes.judging import TIMES
from conformance.harness.steps import Ask, locking_reads, reread
from conformance.harness.writes.procedures.lights import AmbientLight, HoodLight
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.power import agreeing
from conformance.harness.writes.procedures.scripts import Beside, Due, Played, Scripted, Step, Wait
from conformance.harness.writes.tours.letters import (
    LONGEST,
    Letter,
    Tour,
    contradicts,
    is_certain,
    tour_of,
)
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
class OrdersOfWrites(Scripted):
    """Plays a tour, or makes an `order` of its writes again."""

    order: tuple[Letter, ...] = ()

    kind = ProcedureKind.ORDERS
    turn = 8
    level = "power"
    is_by_itself = True
    is_patient = True
    is_made_again = False

    @property
    def toured(self) -> "OrdersOfWrites":
        """The tour itself, of whose exchanges nothing is judged."""
        return self.named(kind=ProcedureKind.TOUR)

    @property
    def writes(self) -> tuple[str, ...]:
        """The keys of its rules."""
        return _WRITTEN[Group(ProcedureKind.ORDERS, self.group.subject)]

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:  # noqa: ARG002  the same of every appliance
        """Nothing: a tour begins from the state as found."""
        return ()

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
        return seen.profile.generated > 0 and self.own_tour(seen) is not None

    def own_tour(self, seen: View) -> Tour | None:
        """The tour, or that of which some writes are made again; None where there is nothing to play."""
        return tour_of(Group(ProcedureKind.ORDERS, self.group.subject), seen)

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """What may keep the keys from being written, and what tells what a write did."""
        seen, tour = stage.seen, self.own_tour(stage.seen)
        watched = tour.watched if tour else ()
        own = [reread(seen, key, self.group) for key in watched]
        return (*locking_reads(seen, watched, self.group), *own)

    def may_begin(self, now: Played) -> bool:  # noqa: ARG002  each write says for itself
        """Whatever state the appliance is in."""
        return True

    def closing(self, now: Played) -> Iterable[Ask]:  # noqa: ARG002  the same of every tour
        """Nothing."""
        return ()

    def convicts(self, seen: View, key: str) -> bool:  # noqa: ARG002  the same of every appliance
        """Nobody: no write is sent again."""
        return False

    def script(self, now: Played) -> Iterator[Step]:
        """The writes of the tour in haste, or those of an order, each of which comes to rest."""
        tour = self.own_tour(now.seen)
        if tour and self.group.kind is ProcedureKind.TOUR:
            yield from _in_haste(now, tour)
        elif tour:
            yield from _at_rest(now, tour, self.order)


def made_certain(
    orders: OrdersOfWrites, seen: Callable[[], View], make: Callable[[OrdersOfWrites], None]
) -> None:
    """Has made again what contradicted a clause in a tour, until that is certain or gone.

    Args:
        orders: what was toured.
        seen: the appliance, with all that was sent so far.
        make: makes an order from the state as found, and puts back what it wrote.
    """
    now = seen()
    tour = tour_of(orders.group, now)
    if tour is None:
        return
    for rule in tour.rules:
        for order in _orders(tour, rule, now, orders.toured.group):
            if is_certain(rule, now, (*tour.shown_in, orders.group)):
                break
            for _ in range(TIMES):
                make(replace(orders, order=order))
            now = seen()


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


def _in_haste(now: Played, tour: Tour) -> Iterator[Step]:
    """The writes of a tour, as many as `pace.generated` allows where effects come at once.

    What had no effect in a state as often in succession as a contradiction is made again is not waited for
    there any more. Where another setting shows something else, it may have one.
    """
    left = now.seen.profile.generated - len(now.answers)
    dropped = Counter[tuple[str, ...]]()
    for letter in tour.letters:
        value = _value(now, tour, letter)
        if value is None:
            continue
        left -= _WRITE_AND_READ + len(letter.beside)
        if left < 0:
            return
        look = tuple(reread(now.seen, key, now.group) for key in letter.beside)
        step = letter.key, repr(value), *(repr(now.value(key)) for key in tour.watched)
        written = _write(now, letter, value, look=look)
        is_awaited = dropped[step] < _MOST_TRIED
        yield written if is_awaited else structs.replace(written, comes=Due.ANYTHING)
        is_dropped = written.comes is Due.VALUE and not now.shows(letter.key, value)
        dropped[step] = dropped[step] + 1 if is_dropped else 0
        shown = [now.value(key) for key in (POWER_STATE, OPERATION_STATE)]
        if now.group.subject == POWER_ORDERS.subject and at_odds(now.seen, *shown):
            yield Step(beside=agreeing(now.seen, now.group, at_least=1), wait=Wait.NONE)


def _at_rest(now: Played, tour: Tour, order: Sequence[Letter]) -> Iterator[Step]:
    """Writes that can be judged: what one moves late is not the next one's doing, nor what it keeps busy.

    The last one is what is wrong: what was written before it has its whole settle time.
    """
    watched = tuple(reread(now.seen, key, now.group) for key in tour.watched)
    for place, letter in enumerate(order, start=1):
        yield Step(wait=Wait.SETTLED if place == len(order) else Wait.FREE)
        value = _value(now, tour, letter)
        if value is None:
            continue
        if now.group == POWER_ORDERS:
            yield _write(now, letter, value, beside=agreeing(now.seen, now.group))
            continue
        yield _write(now, letter, value)
        yield Step(look=watched, wait=Wait.QUIET)
        if tour.is_contradicted(now.seen, trace_of(now.answers)[-1]):
            # what came may go again, as long as its settle time is not over
            yield Step(look=watched, wait=Wait.SETTLED)


def _value(now: Played, tour: Tour, letter: Letter) -> JsonValue:
    """The value to write next; None where the setting shows it, or nothing may be written."""
    if any(now.value(key) is None for key in tour.watched):
        return None
    return letter.value(now.value(letter.key)) if may_write_now(now.now, tour.watched[0]) else None


def _write(
    now: Played, letter: Letter, value: JsonValue, look: tuple[Ask, ...] = (), beside: Beside | None = None
) -> Step:
    """A write, which is read until it shows where nothing keeps it from that."""
    comes = Due.VALUE if may_write_now(now.now, letter.key) else Due.ANYTHING
    return Step(letter.key, value, comes, Wait.NONE, look=look, beside=beside)
