"""Which other keys a write is watched on: those that nothing ties to it (line 7)."""

import re
from functools import lru_cache

from catalog import keys
from catalog.model import Catalog, Entry
from conformance.checks.reads.states import SABBATH_MODES, controllers_of, is_light, write_controllers_of
from conformance.checks.view import View

_MOST_UNRELATED = 2
_NUMBER = re.compile(r"\d+")
_COUPLED = frozenset(
    {
        keys.POWER_STATE,
        keys.TEMPERATURE_UNIT,
        keys.LIQUID_UNIT,
        keys.CURRENT_MAP,
        *keys.MAP_NAMES,
        *keys.COOLING_MODES,
        *SABBATH_MODES,
    }
)


def siblings_of(seen: View, entry: Entry) -> tuple[str, ...]:
    """The served settings of the same table row, or of the same name with another number; no lights."""
    if is_light(entry.key) or entry.key in SABBATH_MODES:
        return ()
    return tuple(
        other
        for other in seen.learned.settings
        if other != entry.key and _is_sibling(seen.catalog.entries[other], entry)
    )


def unrelated_to(seen: View, entry: Entry) -> tuple[str, ...]:
    """Two served Boolean settings that nothing couples with `entry`; none for a coupled key."""
    if is_coupled(entry.key):
        return ()
    beside = siblings_of(seen, entry)
    booleans = [
        key
        for key in seen.learned.settings
        if seen.catalog.entries[key].type == "Boolean" and not is_coupled(key)
    ]
    return tuple(key for key in booleans if key != entry.key and key not in beside)[:_MOST_UNRELATED]


def is_coupled(key: str) -> bool:
    """Whether a key moves others or is moved by them: power, modes, lights, units, maps."""
    return key in _COUPLED or is_light(key)


def may_move(catalog: Catalog, written: str, key: str) -> bool:
    """Whether a write of one key may move another: itself, what depends on it, what is coupled to it."""
    is_one_of_many = is_coupled(written) and is_coupled(key)
    return written == key or is_one_of_many or written in controllers_of(catalog, key)


@lru_cache(maxsize=8_192)
def are_tied(catalog: Catalog, one: str, other: str) -> bool:
    """Whether a write of one of two keys may move the other, keep it from being written, or show who acts."""
    if may_move(catalog, one, other):
        return True
    return one in write_controllers_of(catalog, other) or other in write_controllers_of(catalog, one)


def _is_sibling(one: Entry, other: Entry) -> bool:
    if one.segment != other.segment or one.type != other.type:
        return False
    return are_numbered(one.key, other.key) or one.line == other.line


@lru_cache(maxsize=8_192)  # all pairs of keys
def are_numbered(one: str, other: str) -> bool:
    """Whether two keys differ by a number alone."""
    return one != other and _NUMBER.sub("#", one) == _NUMBER.sub("#", other)
