"""What one procedure, or one prepared state, has read and written: what it owes follows from that."""

from msgspec import Struct
from pydantic import JsonValue


class Account(Struct):
    """What one procedure, or one prepared state, has read and written, by haId and key.

    `first` and `latest` are the first and the last value that was read, `read_at` when that was, `since`
    those of the last reads that came after all writes, `written` the segments of the writes. `refused` are
    the values that were written while each was refused, `taken` the settings of which one was not: a status
    moves by itself, whatever is answered. `locked` is what a setting showed then that shows another value
    since. `sent` is a write that was not answered yet, `last` the last one that was
    taken, or may have been: its value, and when that was. `unshown` are those that no read has shown yet.
    """

    prepared: bool = False
    first: dict[tuple[str, str], JsonValue] = {}
    latest: dict[tuple[str, str], object] = {}
    read_at: dict[tuple[str, str], tuple[float, float]] = {}
    since: dict[tuple[str, str], object] = {}
    written: dict[tuple[str, str], str] = {}
    refused: dict[tuple[str, str], list[JsonValue]] = {}
    taken: set[tuple[str, str]] = set()
    locked: dict[tuple[str, str], object] = {}
    sent: dict[tuple[str, str], tuple[JsonValue, float]] = {}
    last: dict[tuple[str, str], tuple[JsonValue, float]] = {}
    unshown: set[tuple[str, str]] = set()
