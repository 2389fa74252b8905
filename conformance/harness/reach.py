"""How a target is reached: whether a server is there, and how many requests it takes at once."""

from collections.abc import Iterable, Sequence
from itertools import pairwise, takewhile
from typing import Final, NamedTuple

from conformance.checks.exchange import Exchange, FailureKind
from conformance.harness.wire.messages import Sent

_TELLING: Final = 3
_NO_SERVER: Final = frozenset[FailureKind](
    {"name", "refused", "untrusted", "expired", "other name", "not tls", "tls"}
)
"""Failures that the next request will meet as well; others may be chance."""
_WITHOUT_CONNECTION: Final = frozenset[FailureKind]({"timeout", "closed", "refused", "connect"})
"""How a request may fail for which a server has no connection left."""


class Reach:
    """How a target is reached, by what came of the requests so far.

    Attributes:
        width: how many requests may be under way at once.
        is_shown: whether one of them found a server.
    """

    def __init__(self, width: int) -> None:
        """Knows how many requests the profile allows at once."""
        self.width = width
        self.is_shown = False
        self._unconnected = 0
        self._answered = set[int]()  # the connections on which answers came while others were under way
        self._lost = 0  # requests that had none while others were under way
        self._is_crowded = False  # whether no fewer requests were lost than connections gave answers
        self._in_vain = 0  # requests that were made again alone, and had no answer either

    @property
    def is_nobody_there(self) -> bool:
        """Whether the first exchanges, three or more, found no server: no name, port or certificate."""
        return not self.is_shown and self._unconnected >= _TELLING

    def note(self, made: Iterable[Exchange]) -> None:
        """Counts what found no server, until one is found."""
        for exchange in made:
            if self.is_shown or exchange.purpose == "wait":
                return
            self.is_shown = not (exchange.failure and exchange.failure.kind in _NO_SERVER)
            self._unconnected += 1

    def is_lost_beside_others(self, made: Sequence[Sent], beside: Iterable[Sequence[Sent]]) -> bool:
        """Whether a request may have no answer because others were under way, which came to what is `beside`.

        A server may serve a few connections until they are closed, and no others, which wait or are cut: then
        all answers come on these few, and no fewer requests are lost. Where a server opens others, each that
        is lost is followed by answers on a new one. What is lost late is not worth a try before that is seen,
        and may be what the server never answers at first: then only one connection tells that others wait.
        """
        under_way = [made, *beside]
        self._answered |= {one.response.connection for some in under_way for one in some if one.response}
        if not is_lost(made):
            return False
        is_late = made[-1].failure is not None and made[-1].failure.kind == "timeout"
        most = 1 if is_late else self._lost + sum(map(is_lost, under_way))
        self._is_crowded = 0 < len(self._answered) <= most
        self._lost += 1
        return self.width == 1 or (self._in_vain < _TELLING and (self._is_crowded or not is_late))

    def learn(self, earlier: Sequence[Exchange]) -> None:
        """Learns from an earlier run, whose answers may be kept: they would not show it again."""
        if crowding_in(earlier):
            self.width = 1

    def note_alone(self, made: Sequence[Sent]) -> None:
        """Learns from what such a request came to when it was made again, alone; nothing where it was not.

        Where it is answered now, and connections are few, one is asked at a time from here on.
        """
        if not made:
            return
        if made[-1].response and self._is_crowded:
            self.width = 1
        elif self.width > 1:
            self._in_vain += made[-1].response is None


def is_lost(made: Sequence[Sent]) -> bool:
    """Whether a request has ended without an answer, as one does for which no connection is left."""
    return bool(made and made[-1].failure and made[-1].failure.kind in _WITHOUT_CONNECTION)


class Crowding(NamedTuple):
    """How many requests of a run were answered only when alone, and how many connections served before."""

    lost: int
    served: int


def crowding_in(exchanges: Sequence[Exchange]) -> Crowding | None:
    """What shows that a target serves few connections at a time; None where nothing does."""
    lost = [
        one
        for one, other in pairwise(exchanges)
        if _was_lost(one) and _is_answer_alone(other) and one.request.url == other.request.url
    ]
    before = takewhile(lambda one: one.n < lost[0].n, exchanges) if lost else ()
    served = len({one.response.connection for one in before if one.response})
    return Crowding(len(lost), served) if lost and served <= len(lost) else None


def _was_lost(one: Exchange) -> bool:
    """Whether a request had no answer beside others, for which it was made again alone."""
    return one.purpose == "wait" and one.failure is not None and one.failure.kind in _WITHOUT_CONNECTION


def _is_answer_alone(one: Exchange) -> bool:
    """Whether it is the answer of such a request, not that of one which waits until a server is there."""
    return one.purpose != "wait" and one.response is not None
