"""How a target is reached: whether a server is there, and how many requests it takes at once."""

from collections.abc import Iterable, Sequence
from typing import Final

from conformance.checks.exchange import Exchange, FailureKind
from conformance.harness.wire.messages import Sent

_TELLING: Final = 3
_NO_SERVER: Final = frozenset[FailureKind](
    {"name", "refused", "untrusted", "expired", "other name", "not tls", "tls"}
)
"""Failures that the next request will meet as well; others may be chance."""
WITHOUT_CONNECTION: Final = frozenset[FailureKind]({"timeout", "closed", "refused", "connect"})
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
        is lost is followed by answers on a new one. What is lost late is not worth a try before that is seen.
        """
        under_way = [made, *beside]
        self._answered |= {one.response.connection for some in under_way for one in some if one.response}
        if not is_lost(made):
            return False
        self._is_crowded = 0 < len(self._answered) <= self._lost + sum(map(is_lost, under_way))
        self._lost += 1
        is_late = made[-1].failure is not None and made[-1].failure.kind == "timeout"
        return self.width == 1 or (self._in_vain < _TELLING and (self._is_crowded or not is_late))

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
    return bool(made and made[-1].failure and made[-1].failure.kind in WITHOUT_CONNECTION)
