"""Event streams that never end, never begin, or hold what no client can keep.

> Events: not shown (line 159). They are listened to while something is written, and nothing fails for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from catalog.keys import CHILD_LOCK
from conformance.mutants.hostile.model import Answer, Asked, Ending, Hostile, Outcome, Pause, Piece
from conformance.mutants.hostile.replies import conforming, endless, head

NOTHING_WRONG = Outcome(exit=0)
_LISTENED = {"write": {"allow": [CHILD_LOCK]}}
_HEAD = head(200, media_type="text/event-stream")


def _streaming(stream: Callable[[Asked], Iterable[Piece]]) -> Callable[[], Answer]:
    """A conforming server with a hostile stream."""
    return lambda: (
        lambda asked: stream(asked) if asked.request.path.endswith("/events") else conforming(asked)
    )


# fmt: off
_ROWS: tuple[tuple[str, str, Callable[[], Answer]], ...] = (
    ("event-endless", "One event has line after line and never ends.",
        _streaming(lambda _asked: endless(b"data: more\n" * 6000, _HEAD))),
    ("events-endless", "Event follows event without a pause.",
        _streaming(lambda _asked: endless(b'event: NOTIFY\ndata: {"items":[]}\n\n' * 2000, _HEAD))),
    ("event-of-a-gigabyte", "One line of an event has a gigabyte.",
        _streaming(lambda _asked: (_HEAD, b"data: ", *([b"x" * 1_000_000] * 1000), b"\n\n"))),
    ("event-nested", "The data of an event are a million arrays.",
        _streaming(lambda _asked: endless(Pause(1), _HEAD, b"data: " + b"[" * 1_000_000 + b"\n\n"))),
    ("event-id-nul", "Events have a line of NUL and escape sequences for an id.",
        _streaming(lambda _asked: endless(Pause(1), _HEAD, b"id: \0\x1b[2J\r\rdata: {}\r\r"))),
    ("events-silent", "The stream is accepted and never begins.", _streaming(lambda _asked: ())),
    ("events-charset", "The stream names a charset that Python refuses.",
        _streaming(lambda _asked: (head(200, media_type="text/event-stream; charset=undefined"),
            b"data: {}\n\n", Ending.CLOSE))),
)
# fmt: on

STREAMS = tuple(
    Hostile(
        name, harm, start, NOTHING_WRONG, knowledge="full", profile=_LISTENED, options=("--level", "write")
    )
    for name, harm, start in _ROWS
)
