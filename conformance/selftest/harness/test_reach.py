"""How many requests a target takes at once, by what those under way came to."""

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Failure, FailureKind, Request, Response
from conformance.harness.reach import Reach
from conformance.harness.wire.messages import Sent
from conformance.selftest.support.samples.handmade import ANCHOR, exchange, numbered

AT = "2026-01-01T00:00:00.000+00:00"
ASKED = Request("GET", "http://target.example/", ())
WIDTH = 4


def answered(connection: int) -> Sent:
    """A request that was answered on a connection."""
    return Sent(ASKED, Response(200, (), b"{}", 1.0, connection=connection), None, AT)


def lost(kind: FailureKind) -> Sent:
    """A request that had no answer."""
    return Sent(ASKED, None, Failure(kind, "nothing"), AT)


@pytest.mark.parametrize(
    ("kind", "connections", "others", "again", "width"),
    [
        ("timeout", [1], 0, True, 1),
        ("timeout", [1, 2], 1, False, WIDTH),
        ("closed", [1, 2, 3, 4], 3, True, 1),
        ("refused", [1, 2], 1, True, 1),
        ("closed", [1, 2, 3], 1, True, WIDTH),
        ("timeout", [1, 2, 3], 1, False, WIDTH),
        ("undecodable", [1], 1, False, WIDTH),
        ("timeout", [], 3, False, WIDTH),
    ],
)
def test_what_is_lost_beside_others_is_made_again(
    kind: FailureKind, connections: list[int], others: int, again: bool, width: int
) -> None:
    """Where it is answered then, and connections are no more than were cut, or one, the width is one."""
    reach = Reach(WIDTH)
    for connection in connections:
        assert not reach.is_lost_beside_others([answered(connection)], [])
    beside = [*[[lost(kind)]] * others, *([answered(one)] for one in connections[:1])]
    assert reach.is_lost_beside_others([lost(kind)], beside) == again
    if again:
        reach.note_alone([answered(9)])
    assert reach.width == width


def test_target_that_was_away_from_all_serves_no_fewer() -> None:
    """What is under way is lost as a whole, where answers had come on more than one connection."""
    reach = Reach(WIDTH)
    for connection in (1, 2):
        reach.is_lost_beside_others([answered(connection)], [])
    for left in (3, 2, 1):
        beside = [*[[lost("timeout")]] * left, *[[answered(5)]] * (3 - left)]
        assert not reach.is_lost_beside_others([lost("timeout")], beside)


def test_one_answer_before_all_others_are_late_is_enough() -> None:
    """Each of the others waits on a connection of its own, and nothing is left to be sent on the one."""
    reach = Reach(WIDTH)
    reach.is_lost_beside_others([answered(1)], [])
    assert reach.is_lost_beside_others([lost("timeout")], [[lost("timeout")], [lost("timeout")]])
    reach.note_alone([answered(5)])
    assert reach.width == 1


def test_run_that_goes_on_knows_what_the_earlier_one_has_learnt() -> None:
    """It asks for one at a time where a request was answered only alone; elsewhere as the profile says."""
    first, last = exchange(ANCHOR, 200, b"{}"), exchange(CHILD_LOCK, 200, b"{}")
    missed = replace(last, response=None, failure=Failure("timeout", "nothing"))
    told = numbered([first, replace(missed, purpose="wait"), last])
    for earlier, width in ((told, 1), (told[::2], WIDTH)):
        reach = Reach(WIDTH)
        reach.learn(earlier)
        assert reach.width == width


def test_requests_that_are_made_again_in_vain_are_few() -> None:
    """A key that is never answered does not wait for others."""
    reach = Reach(WIDTH)
    reach.is_lost_beside_others([answered(1)], [])
    for _ in range(3):
        assert reach.is_lost_beside_others([lost("closed")], [])
        reach.note_alone([lost("closed")])
    assert not reach.is_lost_beside_others([lost("closed")], [])
    assert reach.width == WIDTH
