"""Which keys are tried on which kinds, derived from prefixes and their exceptions."""

from collections.abc import Iterable

from catalog.model import Certainty, Entry, Kind, Line, Pair, Text, Texts
from catalog.rows import Form, Row, by_name


class PrefixRow(Form):
    """A row of kinds.toml: on which kinds the keys are tried that begin so."""

    prefix: Text
    kinds: Texts
    certainty: Certainty
    line: Line
    why: Text


class ExceptionRow(Form):
    """A row of kinds.toml: what holds of some keys instead."""

    keys: Texts
    kinds: Texts
    certainty: Certainty
    line: Line
    why: Text


def read_kinds(rows: Iterable[Row[Kind]]) -> tuple[Kind, ...]:
    """The kinds of kinds.toml in their order."""
    return tuple(row.says for row in by_name(rows, "kind", "name").values())


def read_pairs(
    prefixes: Iterable[Row[PrefixRow]],
    exceptions: Iterable[Row[ExceptionRow]],
    entries: dict[str, Entry],
    kinds: tuple[Kind, ...],
) -> tuple[Pair, ...]:
    """The core pairs of keys and kinds, and those of certainty "unknown", by key and then by kind."""
    names = [kind.name for kind in kinds]
    grounds = by_name(prefixes, "prefix", "prefix")
    for prefix, row in grounds.items():
        _check_kinds(row, names)
        if not any(key.startswith(prefix) for key in entries):
            row.refuse(f"no key begins with {prefix}")
    found = {key: _by_prefix(key, grounds) for key in entries}
    _except(exceptions, names, found)
    for key, by_kind in found.items():
        if not by_kind and grounds:
            next(iter(grounds.values())).refuse(f"neither this prefix nor another one covers the key {key}")
    return tuple(by_kind[name] for by_kind in found.values() for name in names if name in by_kind)


def _except(rows: Iterable[Row[ExceptionRow]], names: list[str], found: dict[str, dict[str, Pair]]) -> None:
    excepted: set[tuple[str, str]] = set()
    for row in rows:
        _check_kinds(row, names)
        for key in row.says.keys:
            if key not in found:
                row.refuse(f"a pair is given for the unknown key {key}")
                continue
            for kind in row.says.kinds:
                if (key, kind) in excepted:
                    row.refuse(f"the pair of {key} and {kind} has an exception already")
                excepted.add((key, kind))
                found[key][kind] = _pair(key, kind, row.says)


def _by_prefix(key: str, grounds: dict[str, Row[PrefixRow]]) -> dict[str, Pair]:
    longest = max((prefix for prefix in grounds if key.startswith(prefix)), key=len, default=None)
    if longest is None:
        return {}
    ground = grounds[longest].says
    return {kind: _pair(key, kind, ground) for kind in ground.kinds}


def _pair(key: str, kind: str, ground: PrefixRow | ExceptionRow) -> Pair:
    return Pair(key, kind, ground.certainty, f"line {ground.line}: {ground.why}")


def _check_kinds(row: Row[PrefixRow] | Row[ExceptionRow], names: list[str]) -> None:
    for kind in row.says.kinds:
        if kind not in names:
            row.refuse(f"unknown kind {kind}")
