"""How a key is made writable: what to write to the keys whose states keep it from that, and the way back.

Each of those keys has values that open the way and values that close it; the way back is the same in reverse.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from pydantic import JsonValue

from catalog.maker import without_maker
from conformance.model.couplings import UNITS
from conformance.model.json_values import NOTHING
from conformance.model.state_table import STATE_ROWS, EndedAt, State, ended_at
from conformance.model.states import ExemptingState, Now

CLEARING: Final = ended_at(EndedAt.LOCK, EndedAt.POWER, EndedAt.MODE, EndedAt.LIGHT)
"""The states that are ended for all, in this order: locks first, since they may refuse the rest."""
PARTICULAR: Final = ended_at(EndedAt.RULE)
"""The states that clauses are about: each is ended for the writes that need it ended, and for no others."""


class Lock(Struct, frozen=True):
    """A key that may keep another one from being written, with its values that open and that close it."""

    row: State
    opening: tuple[JsonValue, ...]
    closing: tuple[JsonValue, ...]

    @property
    def controller(self) -> str:
        """The key to write."""
        return self.row.controller


def locks_of(now: Now, key: str, wanted: Mapping[str, JsonValue]) -> Iterator[Lock]:
    """What may keep a key from being written and can be ended by a write, in the order of the way.

    `wanted` are the values of some keys that stand first among those that open or close.
    """
    rows = [row for row in STATE_ROWS if key in row.keeps and row.ends]
    for row in sorted(rows, key=lambda row: row.id.turn):
        yield lock_of(now, row, [wanted[row.controller]] if row.controller in wanted else ())


def lock_of(now: Now, row: State, wanted: Iterable[JsonValue] = ()) -> Lock:
    """The values of a controlling key, as the appliance has them, that end a state and that make it."""
    choices: tuple[JsonValue, ...] = (*wanted, *(now.here(row.controller).choices or (False, True)))
    named = [
        (value, without_maker(value, now.maker) if isinstance(value, str) else value) for value in choices
    ]
    opening = tuple(value for value, name in named if name in row.ends)
    return Lock(row, opening, tuple(value for value, name in named if name in row.values))


def ending_of(now: Now, state: ExemptingState, may_write: Callable[[str], bool]) -> JsonValue:
    """What to write to the key that shows a state to end it; None where that must not, or cannot be."""
    rows = (row for row in STATE_ROWS if (row.id, row.controller) == (state.id, state.controller))
    if now.value(state.controller) is None or not may_write(state.controller):
        return None
    return next((value for row in rows for value in lock_of(now, row).opening), None)


def turn_back(now: Now, key: str, value: object = NOTHING) -> int:
    """When a key is put back to a value: first what opens the way for others, last what closes it.

    What frees one key and locks another comes after those, and before what only closes. A unit comes first:
    what is measured in it was another number in the other one.
    """
    if key in UNITS:
        return 0
    rows = [row for row in STATE_ROWS if row.controller == key and row.keeps and row.ends]
    if not rows:
        return 1
    if any(row.is_stated for row in rows):
        return 2
    name = without_maker(value, now.maker) if isinstance(value, str) else value
    return 3 if any(name in row.values for row in rows) else 0
