"""Which keys go together: what is read to judge one, what a write may move, what stands beside a key.

All but a few couplings follow from the table of states.
"""

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Entry, Rule
from conformance.model.state_table import (
    LIGHTS,
    SABBATH_MODES,
    SETPOINTS,
    STATE_ROWS,
    SWITCHES,
    EndedAt,
)

_MOST_UNRELATED = 2
_NUMBER = re.compile(r"\d+")
UNITS: Final = frozenset({keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT})


_MEASURED = frozenset(
    entry.key for entry in CATALOG.entries.values() if entry.own_range or entry.unit == "ml"
)
_MOVED: Final = {
    **dict.fromkeys(UNITS, _MEASURED),
    **dict.fromkeys((keys.ECO_MODE, keys.VACATION_MODE, keys.FRESH_MODE), SETPOINTS),
    keys.OPERATION_STATE: frozenset({keys.POWER_STATE}),
    keys.AMBIENT_COLOR: frozenset({keys.AMBIENT_ENABLED}),
}
"""What a write of a key may move that its states neither hide nor lift.

A mode may move every setpoint, also where it lifts one range alone; with the power state a program ends; a
colour that is chosen may switch its light on.
"""
LOCKS: Final = frozenset(row.controller for row in STATE_ROWS if row.id.turn is EndedAt.LOCK)
"""The keys that keep every other one from being written while they are on."""
KEEPING_ALL: Final = frozenset(row.controller for row in STATE_ROWS if row.id.turn <= EndedAt.POWER)
"""The settings in some value of which no other setting need be written: the locks and the power state."""
MODES: Final = tuple(dict.fromkeys(row.controller for row in STATE_ROWS if row.blurs))
"""The modes of which one may end or exclude another (lines 48 to 53)."""
_COUPLED: Final = frozenset(
    [
        *(row.controller for row in STATE_ROWS if row.moves_others),
        *UNITS,
        *LIGHTS,
        keys.CURRENT_MAP,
    ]
)


@cache  # each case about a key asks for them when a run is planned
def controllers_of(key: str) -> frozenset[str]:
    """The other keys that a judgement of `key` needs: what its states and its unit depend on."""
    rows = {row.controller for row in STATE_ROWS if key in row.hides or key in row.lifts}
    movers = {mover for mover, moved in _MOVED.items() if key in moved}
    return frozenset(rows | movers)


@cache
def write_controllers_of(key: str) -> frozenset[str]:
    """The other keys that a judgement of a write of `key` needs: what may lock it, or shows others acting."""
    rows = {row.controller for row in STATE_ROWS if key in row.keeps}
    return frozenset((controllers_of(key) | rows) - UNITS - {key})


@cache
def kept_with(controller: str) -> frozenset[str]:
    """The keys that rules of the document keep as they are while a key has some value (lines 48 to 53)."""
    return frozenset(key for rule in CATALOG.keeping(controller) for key in rule.subjects)


@cache
def unsettling(rule: Rule) -> tuple[str, ...]:
    """The other modes that may move what a rule keeps: no rule says of them that they keep all of it."""
    kept = frozenset(rule.subjects)
    return tuple(one for one in MODES if one != rule.controller and not kept <= kept_with(one))


def may_unsettle(rule: Rule, key: str, value: object) -> bool:
    """Whether a write may move what a rule keeps: of its kind, of a unit, of a mode that is switched on."""
    if key in rule.subjects or key in SETPOINTS:
        return True
    return value is not False and any(key in controllers_of(kept) for kept in rule.subjects)


def ends_by_itself(key: str, value: object) -> bool:
    """Whether the appliance may soon take a value back that it took: a super mode has its time (line 48)."""
    return key in keys.SUPER_MODES and value is True


def moves_by_itself(key: str) -> bool:
    """Whether an entry changes though nobody writes it: a status, or the alarm clock, which runs down."""
    return ".Status." in key or key == keys.ALARM_CLOCK


def of_one_light(key: str) -> tuple[str, ...]:
    """The other settings of the light that a key is of, which may follow a write; none if it is of none."""
    lights = ((switch, *lit) for switch, lit in SWITCHES.items())
    return next((tuple(other for other in light if other != key) for light in lights if key in light), ())


def is_light(key: str) -> bool:
    """Whether a key is a light's switch or one of the settings it may carry along (lines 61 to 70)."""
    return key in LIGHTS


def is_coupled(key: str) -> bool:
    """Whether a key moves others or is moved by them: power, modes, lights, units, maps."""
    return key in _COUPLED


def may_move(written: str, key: str) -> bool:
    """Whether a write of one key may move another: itself, what depends on it, what is coupled to it."""
    is_one_of_many = is_coupled(written) and is_coupled(key)
    return written == key or is_one_of_many or written in controllers_of(key)


def may_bring(written: str, status: str) -> bool:
    """Whether a write may move a status: one of itself, of the power state, or of what moves it."""
    return written == keys.POWER_STATE or may_move(written, status)


def may_carry_along(written: str, key: str) -> bool:
    """Whether another setting may follow a write, as those of a light do; the power state follows none."""
    return may_move(written, key) and key not in {written, keys.POWER_STATE}


@lru_cache(maxsize=8_192)
def are_tied(one: str, other: str) -> bool:
    """Whether a write of one of two keys may move the other, keep it from being written, or show who acts."""
    if may_move(one, other):
        return True
    return one in write_controllers_of(other) or other in write_controllers_of(one)


def siblings_of(served: Iterable[str], key: str) -> tuple[str, ...]:
    """The served settings of the same table row, or of the same name with another number; no lights."""
    if is_light(key) or key in SABBATH_MODES:
        return ()
    own = CATALOG.entries[key]
    return tuple(other for other in served if other != key and _is_sibling(CATALOG.entries[other], own))


def unrelated_to(served: Iterable[str], key: str) -> tuple[str, ...]:
    """Two served Boolean settings that nothing couples with a key; none for a coupled key."""
    if is_coupled(key):
        return ()
    settings = tuple(served)
    taken = {key, *siblings_of(settings, key)}
    free = (
        other
        for other in settings
        if CATALOG.entries[other].type == "Boolean" and not is_coupled(other) and other not in taken
    )
    return tuple(free)[:_MOST_UNRELATED]


def _is_sibling(one: Entry, other: Entry) -> bool:
    if one.segment != other.segment or one.type != other.type:
        return False
    return are_numbered(one.key, other.key) or one.line == other.line


@lru_cache(maxsize=8_192)  # all pairs of keys
def are_numbered(one: str, other: str) -> bool:
    """Whether two keys differ by a number alone."""
    return one != other and _NUMBER.sub("#", one) == _NUMBER.sub("#", other)
