"""Exchanges enter the ledger in an order that no timing can change; what waits gives way to others."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Failure, Request, Response
from conformance.harness import clock as harness_clock
from conformance.harness.errors import DayBudgetError, TransportError
from conformance.harness.ledger import Header, Ledger, read_ledger
from conformance.harness.observing import Observations
from conformance.harness.reach import Reach
from conformance.harness.scheduler import Scheduler
from conformance.harness.steps import Ask, Pause, Procedure
from conformance.harness.wire.messages import Heard, Sent, Wanted
from conformance.harness.wire.network import SOCKETS
from conformance.harness.wire.transport import Transport
from conformance.proof.own_time import OwnTime
from conformance.selftest.support.handmade import ANCHOR, HA_ID, exchange, numbered, profile_of


def made_of(method: str, path: str, status: int) -> Sent:
    """A request and its answer."""
    return Sent(Request(method, path, ()), Response(status, (), b"", 1), None, "2026-01-01T00:00:00+00:00")


class Scripted(Transport):
    """Answers each path with a status, without a network; `budget` requests are all there is."""

    def __init__(self, statuses: Callable[[str], int], budget: int = 1000) -> None:
        self.statuses = statuses
        self.budget = budget
        self.granted = SimpleQueue()

    def send(
        self,
        wanted: Wanted,
        *,
        permit: int | None = None,  # noqa: ARG002  as that of a transport
        made: list[Sent] | None = None,
    ) -> list[Sent]:
        """One attempt, while the budget lasts."""
        self.budget -= 1
        if self.budget < 0:
            raise DayBudgetError
        attempts = [] if made is None else made
        attempts.append(made_of("GET", wanted.path, self.statuses(wanted.path)))
        return attempts


def only_good(path: str) -> int:
    """The status of a server that knows one path."""
    return 200 if path == "good" else 404


def ask(path: str) -> Ask:
    """A read that is known by its path."""
    return Ask("read", None, HA_ID, ANCHOR, "settings", Wanted(path))


@dataclass
class Desk:
    """Runs schedules in a directory."""

    path: Path
    clock: harness_clock.Clock = harness_clock.REAL

    def run(self, transport: Transport, act: Callable[[Scheduler], object], **pace: object) -> list[str]:
        """The paths in the ledger after some scheduling, at this pace."""
        header = Header("1", "", "", "read", "", {}, "2026-01-01T00:00:00.000+00:00")
        observations = Observations(profile_of(pace=pace))
        network = SOCKETS._replace(clock=self.clock)
        with (
            Ledger(self.path / "ledger", header) as ledger,
            Scheduler(transport, ledger, observations, network=network) as it,
        ):
            act(it)
        return [exchange.request.url for exchange in read_ledger(self.path / "ledger")[1]]

    def urls(self, *stories: Procedure, **pace: object) -> list[str]:
        """The same after some procedures whose requests are all answered."""
        return self.run(Scripted(lambda _: 200), lambda it: it.run(stories), **pace)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A directory of its own for each test."""
    return Desk(tmp_path)


def story(name: str, *steps: float) -> Procedure:
    """Asks as often as there are whole numbers, and pauses for the others."""
    for number, step in enumerate(steps):
        yield Pause(step) if isinstance(step, float) else ask(f"{name}{number}")


def test_order_depends_on_no_timing(desk: Desk) -> None:
    """Whatever time each answer takes, the requests of many procedures stand in one order."""
    chance = random.Random(1)

    def status(_path: str) -> int:
        time.sleep(chance.choice([0, 0, 0, 0.002]))
        return 200

    def stories() -> list[Procedure]:
        return [story(f"{number} ", *[1] * (1 + number % 7)) for number in range(40)]

    uneven = [desk.run(Scripted(status), lambda it: it.run(stories()), concurrency=16) for _ in range(2)]
    assert uneven[0] == uneven[1] == desk.urls(*stories(), concurrency=16)


@pytest.mark.parametrize("width", [1, 2, 16])
def test_pausing_procedure_gives_way(desk: Desk, width: int) -> None:
    """While one pauses the others go on; when all pause, the longest pause is made once."""
    desk.clock = clock = OwnTime()
    order = desk.urls(story("a", 1, 5.0, 1), story("b", 3.0, 1), story("c", 1, 1), concurrency=width)
    assert (sorted(order[:3]), sorted(order[3:])) == (["a0", "c0", "c1"], ["a2", "b1"])
    assert clock.now() == pytest.approx(Pause(5).lasts_s)


@pytest.mark.parametrize("width", [1, 4])
def test_anchor_is_read_after_refusals_in_a_row(desk: Desk, width: int) -> None:
    """After as many refusals as are allowed, one read of a key that gave an answer comes in between."""
    asks = [ask("good"), *(ask(f"bad{number}") for number in range(8))]
    pace = {"max_refusals_in_a_row": 3, "concurrency": width}
    order = desk.run(Scripted(only_good), lambda it: it.fetch(asks), **pace)
    assert order == ["good", "bad0", "bad1", "bad2", "good", "bad3", "bad4", "bad5", "good", "bad6", "bad7"]


@pytest.mark.parametrize("width", [1, 16])
def test_every_request_before_the_end_of_the_day_is_kept(desk: Desk, width: int) -> None:
    """When the budget is used up nothing more is asked, and all that was sent stands in the ledger."""
    spent: list[bool] = []

    def act(scheduler: Scheduler) -> None:
        scheduler.fetch(ask(f"{number}") for number in range(100))
        scheduler.run([story("a", 1)])
        spent.append(scheduler.spent)

    order = desk.run(Scripted(lambda _: 200, budget=21), act, concurrency=width)
    assert (len(order), spent) == (21, [True])


def test_what_is_lost_beside_others_tells_nothing_once_it_is_made_again(desk: Desk) -> None:
    """Of what a procedure has asked, only the answer to the request that was alone is judged."""
    asked = Counter[str]()

    class Crowded(Scripted):
        def send(self, wanted: Wanted, *, made: list[Sent] | None = None, **how: Any) -> list[Sent]:
            asked[wanted.path] += 1
            attempts = super().send(wanted, made=made, **how)
            if wanted.path == "b0" and asked["b0"] == 1:
                attempts[-1] = replace(attempts[-1], response=None, failure=Failure("timeout", "late"))
            return attempts

    desk.run(Crowded(lambda _: 200), lambda it: it.run([story(name, 1, 1) for name in "abc"]), concurrency=4)
    exchanges = read_ledger(desk.path / "ledger").exchanges
    assert [one.purpose for one in exchanges if one.request.url == "b0"] == ["wait", "read"]
    assert [one.response is None for one in exchanges if one.purpose == "read"] == [False] * 6


def test_requests_without_an_answer_wait_beside_each_other(desk: Desk) -> None:
    """Where nothing answers any more, no request waits for those that were sent once it had ended."""
    lock, now, alone = threading.Lock(), Counter[str](), list[str]()

    class Silent(Scripted):
        def send(self, wanted: Wanted, *, made: list[Sent] | None = None, **how: Any) -> list[Sent]:
            attempts = super().send(wanted, made=made, **how)
            if wanted.path != "good":
                with lock:
                    now["under way"] += 1
                time.sleep(0.02)
                with lock:
                    alone.extend([wanted.path] * (now["under way"] == 1))
                    now["under way"] -= 1
                attempts[-1] = replace(attempts[-1], response=None, failure=Failure("timeout", "late"))
            return attempts

    asks = [ask("good"), *(ask(f"{number}") for number in range(40))]
    desk.run(Silent(lambda _: 200), lambda it: it.fetch(asks), concurrency=4)
    assert len(alone) < len(asks) / 2


ENDINGS = [TransportError, KeyboardInterrupt]


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("width", [1, 2, 16])
def test_what_was_under_way_at_the_end_is_kept(desk: Desk, width: int, ending: type[BaseException]) -> None:
    """Where one request of a batch ends the run, what the others sent stands in the ledger."""
    sent: list[str] = []

    def status(path: str) -> int:
        if path == "3":
            raise ending
        sent.append(path)
        return 200

    def act(scheduler: Scheduler) -> None:
        with suppress(ending):
            scheduler.fetch(ask(f"{number}") for number in range(100))

    order = desk.run(Scripted(status), act, concurrency=width)
    assert (sorted(order), order[:3]) == (sorted(sent), ["0", "1", "2"])
    assert len(order) < 100


@pytest.mark.parametrize("ending", ENDINGS)
def test_anchor_that_ends_a_run_is_kept(desk: Desk, ending: type[BaseException]) -> None:
    """The read between refusals stands in the ledger, too, where the run ends with it."""
    sent: list[str] = []

    class Ending(Scripted):
        def send(self, wanted: Wanted, **how: Any) -> list[Sent]:
            sent.append(wanted.path)
            attempts = super().send(wanted, **how)
            if sent.count("good") < 2:
                return attempts
            raise ending

    def act(scheduler: Scheduler) -> None:
        with suppress(ending):
            scheduler.fetch([ask("good"), ask("bad0"), ask("bad1")])

    pace = {"max_refusals_in_a_row": 1, "concurrency": 1}
    assert desk.run(Ending(only_good), act, **pace) == sent == ["good", "bad0", "good"]


def test_token_for_a_stream_that_is_not_opened_is_kept(desk: Desk) -> None:
    """What was asked for on the way to a stream stands in the ledger, also where none is opened."""

    class Closed(Scripted):
        @contextmanager
        def listening(self, wanted: Wanted, made: list[Sent]) -> Generator[SimpleQueue[Heard]]:  # noqa: ARG002  as that of a transport
            self.granted.put(made_of("POST", "token", 401))
            raise TransportError
            yield

    def act(it: Scheduler) -> None:
        with pytest.raises(TransportError), it.listening(ask("/events")):
            pass

    assert desk.run(Closed(only_good), act) == ["token"]


def test_clock_that_is_set_meanwhile_moves_no_exchange(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was sent a moment later is not dated years before: checks see how long an effect took."""
    clock = harness_clock.Clock()
    before = clock.since_1970()
    monkeypatch.setattr(harness_clock.time, "time", lambda: 0.0)
    assert 0 <= clock.since_1970() - before < 60


def test_run_that_goes_on_knows_what_the_earlier_one_has_learnt() -> None:
    """It asks for one at a time where a request was answered only alone; elsewhere as the profile says."""
    first, last = exchange(ANCHOR, 200, b"{}"), exchange(CHILD_LOCK, 200, b"{}")
    missed = replace(last, response=None, failure=Failure("timeout", "nothing"))
    told = numbered([first, replace(missed, purpose="wait"), last])
    for earlier, width in ((told, 1), (told[::2], 4)):
        reach = Reach(4)
        reach.learn(earlier)
        assert reach.width == width
