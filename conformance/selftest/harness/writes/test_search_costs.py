"""A search for an order of writes, without a server: what it costs, what it finds, and when it ends."""

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import FREEZER_SETPOINT, OPERATION_STATE, POWER_STATE, VACATION_MODE
from conformance.checks.answer import Answer
from conformance.checks.exchange import Exchange
from conformance.checks.groups import COOLING_ORDERS, POWER_ORDERS, Group
from conformance.checks.view import View
from conformance.harness.answers.classes import Classifier
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part, Pause, Result
from conformance.harness.writes.procedures.requests import write as write_request
from conformance.harness.writes.searching.alphabets import Alphabet, alphabet_of
from conformance.harness.writes.searching.exploring import Search
from conformance.harness.writes.searching.machine import Machine
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value, write_table
from conformance.selftest.support.samples.handtraced import procedure, read, write
from conformance.selftest.support.samples.power_walks import wire

_ORDER = ["Off", "On", "Off", "On"]


class Toy:
    """An appliance without a server that ignores the second switching on, unless it is healthy."""

    def __init__(
        self,
        generated: int,
        url: str = "http://127.0.0.1:1",
        *,
        healthy: bool = False,
        sticky: bool = False,
        answer_s: float = 0.0,
    ) -> None:
        """Is on; `sticky` appliances do not go back, and each answer takes `answer_s`."""
        tables: dict[str, Any] = {
            "target": {"name": "toy", "base_url": url},
            "write": write_table("*"),
            "pace": {"generated": generated},
        }
        appliance = {"power_states": ["On", "Off", "Standby"]}
        self.profile = profile_of("Dishwasher", appliance=appliance, timing={"power_settle_s": 2}, **tables)
        self.seen = seen_of(self.profile, value(POWER_STATE, wire("On")))
        self.asked = self.longest = self._in_step = 0
        self.writes: list[Any] = []
        self._healthy, self._sticky, self._answer_s = healthy, sticky, answer_s
        self._state, self._trail, self._seconds, self._n = wire("On"), list[str](), 0.0, 0

    def search(self) -> list[str] | None:
        """The order that a search finds, by its short names; None where it did not begin."""
        alphabet = alphabet_of(POWER_ORDERS, self.seen)
        assert alphabet
        search = Search(self.seen, alphabet, self.restore)
        order = self.perform(search.run())
        if order:
            self.perform(
                search.make_again(order, lambda: Machine(self.seen, alphabet, POWER_ORDERS).follow(order))
            )
        names = [value.rpartition(".")[2] for _, value in cast("list[tuple[str, str]]", [*(order or ())])]
        return names if order is not None else None

    def perform(self, procedure: Part[Result]) -> Result:
        """Does what a procedure asks; a pause takes no time."""
        answer: Answer | None = None
        while True:
            try:
                step = next(procedure) if answer is None else procedure.send(answer)
            except StopIteration as end:
                return end.value
            answer = None
            if isinstance(step, Pause):
                self._seconds += step.seconds
            elif isinstance(step, Ask):
                self._in_step = 0 if step.purpose == "write" else self._in_step
                self._in_step += 1
                self.asked += 1
                self.longest = max(self.longest, self._in_step)
                answer = Classifier(self.profile).answer(self._exchange(step))

    def restore(self, group: Group) -> Part[bool]:
        """Puts the appliance back, unless it does not go back."""
        if self._state != wire("On") and not self._sticky:
            yield replace(write_request(self.seen, group, POWER_STATE, wire("On")), purpose="restore")
        return not self._sticky

    def _exchange(self, ask: Ask) -> Exchange:
        writes = ask.purpose in {"write", "restore"}
        if writes:
            self._take(ask.value)
        made = write(POWER_STATE, ask.value) if writes else value(POWER_STATE, self._state)
        at = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self._seconds)
        self._n += 1
        self._seconds += self._answer_s
        return replace(
            made,
            n=self._n,
            purpose=ask.purpose,
            groups=(ask.group,),
            at=at.isoformat(timespec="milliseconds"),
        )

    def _take(self, wanted: Any) -> None:
        self.writes.append(wanted)
        self._trail.append(wanted.rpartition(".")[2])
        if self._healthy or self._trail[-len(_ORDER) :] != _ORDER:
            self._state = wanted
        else:
            self._trail.clear()


@pytest.mark.parametrize("generated", [1, 20, 100, 600])
def test_a_third_of_the_budget_is_for_looking(generated: int) -> None:
    """A search that finds nothing ends after a third of its budget, or when every short order was made."""
    toy = Toy(generated, healthy=True)
    assert not toy.search()
    assert toy.asked < generated / 3 + toy.longest


def test_every_short_order_is_made() -> None:
    """With a large budget a search writes every order of five power states from On, and ends."""
    toy = Toy(10_000, healthy=True)
    toy.search()
    short = [str(state).rpartition(".")[2] for state in toy.writes]
    made = {tuple(short[index : index + 5]) for index in range(len(short) - 4)}
    after = {"On": ("Off", "Standby"), "Off": ("On",), "Standby": ("On", "Off")}
    orders = {(one,) for one in after["On"]}
    for _ in range(4):
        orders = {(*order, state) for order in orders for state in after[order[-1]]}
    assert orders <= made
    assert len(short) < 40


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "https://hub.example"])
@pytest.mark.parametrize("generated", [60, 200, 600])
def test_a_find_costs_no_more_than_the_budget(generated: int, url: str) -> None:
    """Looking, making the order shorter and making it again together stay within the declared number."""
    toy = Toy(generated, url)
    order = toy.search() or []
    assert toy.asked < generated + toy.longest
    assert order == [] or order[-len(_ORDER) :] == _ORDER


def test_a_find_is_made_short() -> None:
    """With the budget of loopback, the order that comes out of a search has no write too many."""
    assert Toy(600).search() == _ORDER


def test_search_is_the_same_every_time() -> None:
    """Nothing of a search is left to chance."""
    one, other = Toy(200), Toy(200)
    assert one.search() == other.search()
    assert one.writes == other.writes


@pytest.mark.parametrize("generated", range(120, 420, 20))
def test_search_does_not_depend_on_how_long_answers_take(generated: int) -> None:
    """How often a value is read until its time is over does, and counts as the most that it may be."""
    quick, slow = Toy(generated), Toy(generated, answer_s=0.1)
    assert quick.search() == slow.search()
    assert quick.writes == slow.writes


def test_search_ends_where_nothing_goes_back() -> None:
    """An appliance that does not go back is left alone: the search ends before its next example."""
    toy = Toy(600, healthy=True, sticky=True)
    assert toy.search() is None
    assert toy.asked < 300


def test_what_may_not_be_written_now_is_not() -> None:
    """While a program is active nothing is written at all, and nobody says that it was searched."""
    toy = Toy(600)
    toy.seen = seen_of(
        toy.profile,
        value(POWER_STATE, wire("On")),
        value(OPERATION_STATE, "Vendor.Common.EnumType.OperationState.Run"),
    )
    assert (toy.search(), toy.writes) == (None, [])


def test_cooling_order_comes_to_rest_after_each_write() -> None:
    """What a mode moves late is waited for when an order is made again: the next write has not moved it."""
    profile = profile_of("Refrigerator", write=write_table("*"))
    off, on = (
        seen_of(profile, value(VACATION_MODE, shown), value(FREEZER_SETPOINT, -18)) for shown in (False, True)
    )
    sent = seen_of(profile, replace(write(VACATION_MODE, wanted=True), groups=(COOLING_ORDERS,)))
    alphabet = alphabet_of(COOLING_ORDERS, off)
    assert alphabet
    steps = Machine(off, alphabet, COOLING_ORDERS).follow(((VACATION_MODE, "True"),))
    told, now, made = None, off, list[str]()
    while step := _next(steps, told):
        now = on if isinstance(step, Ask) and step.purpose == "write" else now
        made.append(step.key if isinstance(step, Ask) else "quiet")
        told = (
            (sent.groups[COOLING_ORDERS][0] if step.purpose == "write" else now.reads["settings", step.key])
            if isinstance(step, Ask)
            else None
        )
    assert made[-3:] == ["quiet", VACATION_MODE, FREEZER_SETPOINT]


@pytest.mark.parametrize(("is_quiet", "counted"), [(True, 2), (False, 15)])
def test_only_polls_count_as_the_most_that_they_may_be(is_quiet: bool, counted: int) -> None:
    """What is read after a quiet wait is read once, however long that took: the budget is spent the same."""
    told = procedure(COOLING_ORDERS, read(VACATION_MODE, shown=False), 100, read(VACATION_MODE, shown=False))
    profile = profile_of("Refrigerator", write=write_table("*"))
    seen = seen_of(profile, value(VACATION_MODE, shown=False), value(FREEZER_SETPOINT, -18), *told)
    machine = Machine(seen, cast("Alphabet", alphabet_of(COOLING_ORDERS, seen)), COOLING_ORDERS)
    first, second = seen.groups[COOLING_ORDERS]
    steps = machine.counted(_read_twice(seen, Pause(100, is_quiet=is_quiet)))
    for answer in (None, first, None, second):
        _next(steps, answer)
    assert machine.asked == counted


def _read_twice(seen: View, between: Pause) -> Part[None]:
    yield reread(seen, VACATION_MODE, COOLING_ORDERS)
    yield between
    yield reread(seen, VACATION_MODE, COOLING_ORDERS)


def _next(steps: Part[None], told: Answer | None) -> Any:
    """The next step of a procedure; None at its end."""
    try:
        return next(steps) if told is None else steps.send(told)
    except StopIteration:
        return None
