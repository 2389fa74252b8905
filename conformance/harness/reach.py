"""How a target is reached: whether a server is there, and how many requests it takes at once."""

from collections.abc import Iterable
from typing import Final

from conformance.checks.exchange import Exchange, FailureKind
from conformance.harness.wire.messages import Sent

_TELLING: Final = 3
_NO_SERVER: Final = frozenset[FailureKind](
    {"name", "refused", "untrusted", "expired", "other name", "not tls", "tls"}
)
"""Failures that the next request will meet as well; others may be chance."""


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
        self._answered: set[int] | None = set()  # the connections on which answers came beside others

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

    def note_beside(self, made: Iterable[Sent]) -> None:
        """Notes the connections of what was answered while others were under way."""
        if self._answered is not None:
            self._answered |= {one.response.connection for one in made if one.response}

    @property
    def may_be_single(self) -> bool:
        """Whether a request may have had no answer in time because others were under way.

        A server may serve a connection until it is closed, and none of the others: then all answers come on
        one connection.
        """
        return self.width == 1 or (self._answered is not None and len(self._answered) == 1)

    def note_alone(self, made: Sent) -> None:
        """Learns from what such a request came to when it was made again alone.

        Where it is answered now, one is asked at a time from here on. Else it did not wait for the others.
        """
        if made.response:
            self.width = 1
        self._answered = None
