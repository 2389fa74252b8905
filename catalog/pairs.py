"""Which keys are tried on which kinds, derived from prefixes and their exceptions."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast, get_args

from catalog.model import Certainty, Entry, Kind, Pair
from catalog.rows import Row


@dataclass(frozen=True, slots=True)
class _Ground:
    """What a prefix or an exception says of the kinds it lists."""

    kinds: tuple[str, ...]
    certainty: Certainty
    why: str


def read_kinds(rows: Iterable[Row]) -> tuple[Kind, ...]:
    """The kinds of kinds.toml in their order."""
    found: dict[str, Kind] = {}
    for row in rows:
        kind = Kind(row.text("name"), row.text("phrase"), row.line())
        row.close()
        if kind.name in found:
            row.refuse(f"kind {kind.name} stands twice")
        found[kind.name] = kind
    return tuple(found.values())


def read_pairs(
    prefixes: Iterable[Row], exceptions: Iterable[Row], entries: dict[str, Entry], kinds: tuple[Kind, ...]
) -> tuple[Pair, ...]:
    """The core pairs of keys and kinds, and those of certainty "unknown", by key and then by kind."""
    names = [kind.name for kind in kinds]
    grounds = _read_prefixes(prefixes, names, entries)
    found = {key: _by_prefix(key, grounds) for key in entries}
    _except(exceptions, names, found)
    for key, by_kind in found.items():
        if not by_kind and grounds:
            row = next(iter(grounds.values()))[0]
            row.refuse(f"neither this prefix nor another one covers the key {key}")
    return tuple(by_kind[name] for by_kind in found.values() for name in names if name in by_kind)


def _read_prefixes(
    rows: Iterable[Row], names: list[str], entries: dict[str, Entry]
) -> dict[str, tuple[Row, _Ground]]:
    grounds: dict[str, tuple[Row, _Ground]] = {}
    for row in rows:
        prefix, ground = row.text("prefix"), _ground(row, names)
        row.close()
        if prefix in grounds:
            row.refuse(f"prefix {prefix} stands twice")
        if not any(key.startswith(prefix) for key in entries):
            row.refuse(f"no key begins with {prefix}")
        grounds[prefix] = (row, ground)
    return grounds


def _except(rows: Iterable[Row], names: list[str], found: dict[str, dict[str, Pair]]) -> None:
    excepted: set[tuple[str, str]] = set()
    for row in rows:
        keys, ground = row.texts("keys"), _ground(row, names)
        row.close()
        for key in keys:
            if key not in found:
                row.refuse(f"a pair is given for the unknown key {key}")
                continue
            for kind in ground.kinds:
                if (key, kind) in excepted:
                    row.refuse(f"the pair of {key} and {kind} has an exception already")
                excepted.add((key, kind))
                found[key][kind] = Pair(key, kind, ground.certainty, ground.why)


def _by_prefix(key: str, grounds: dict[str, tuple[Row, _Ground]]) -> dict[str, Pair]:
    longest = max((prefix for prefix in grounds if prefix and key.startswith(prefix)), key=len, default=None)
    if longest is None:
        return {}
    ground = grounds[longest][1]
    return {kind: Pair(key, kind, ground.certainty, ground.why) for kind in ground.kinds}


def _ground(row: Row, names: list[str]) -> _Ground:
    kinds = row.texts("kinds")
    for kind in kinds:
        if kind not in names:
            row.refuse(f"unknown kind {kind}")
    certainty = cast("Certainty", row.choice("certainty", get_args(Certainty)))
    return _Ground(kinds, certainty, f"line {row.line()}: {row.text('why')}")
