"""One test for each catalog key and appliance: what the test modules say with `@each`.

A test function names its clause and its keys; the cases come from those and the profile of the target. A clause
whose kinds the target lacks keeps a case for each of them, `@no-KIND`, so that the list is the same every night.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from catalog.loader import load_catalog
from conformance.checks.case import Case
from conformance.harness.omissions import omission_of
from conformance.profiles.loader import claimed_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from catalog.model import Catalog, Clause, Entry, Level
    from conformance.checks.extent import Omission
    from conformance.profiles.model import Profile

CATALOG = load_catalog()
_ATTRIBUTE = "derivations"
_PER_PAIR = {"READ-SETTING", "READ-STATUS"}
"""The clauses that keep a case for every key of a kind the target lacks: one for each of the 172 pairs, whatever the target."""


class Derivation(NamedTuple):
    """A clause and the entries it is judged on; None for one about an appliance (`*@ha_id`) or the target (`*@*`) as a whole."""

    clause: Clause
    entries: tuple[Entry, ...] | None
    once: bool = False


def each(entries: Iterable[Entry], *, clause: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Derives a case for each of `entries` and each appliance it is tried on; may stand more than once on a test.

    Raises:
        LookupError: when there are no entries, or no such clause.
    """
    chosen = tuple(entries)
    if not chosen:
        msg = f"{clause} is derived from no entry at all"
        raise LookupError(msg)
    return _adding(Derivation(CATALOG.clauses[clause], chosen))


def each_appliance(*, clause: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Derives a case for each appliance of the target."""
    return _adding(Derivation(CATALOG.clauses[clause], None))


def once(*, clause: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Derives the one case of a clause about the target as a whole."""
    return _adding(Derivation(CATALOG.clauses[clause], None, once=True))


def keys(*names: str) -> tuple[Entry, ...]:
    """Entries by their keys.

    Raises:
        KeyError: when one is not in the catalog.
    """
    return tuple(CATALOG.entries[name] for name in names)


def derivations_of(function: Callable[..., Any]) -> tuple[Derivation, ...]:
    """What `@each` and its kin put on a test function, in the order they are read."""
    return getattr(function, _ATTRIBUTE, ())


def cases_of(derivations: Iterable[Derivation], profile: Profile, level: Level = "attended") -> list[Case]:
    """The cases of some derivations that a run of `level` judges, by appliance and then in catalog order."""
    return [case for derivation in derivations for case in _cases(derivation, profile, CATALOG) if omission_of(case, level) is None]


def omitted_of(derivations: Iterable[Derivation], profile: Profile, level: Level = "attended") -> list[tuple[Case, Omission]]:
    """What a run of `level` does not judge, and why: with `cases_of`, the same at every level."""
    cases = (case for derivation in derivations for case in _cases(derivation, profile, CATALOG))
    return [(case, omission) for case in cases if (omission := omission_of(case, level))]


def _cases(derivation: Derivation, profile: Profile, catalog: Catalog) -> Iterator[Case]:
    clause = derivation.clause
    if derivation.once:
        yield Case(clause, None, "*", "*", "unknown", profile)
        return
    served = 0
    for appliance in profile.appliance:
        if derivation.entries is None:
            yield Case(clause, None, appliance.ha_id, appliance.kind, "yes", profile)
            continue
        tried = set(claimed_keys(appliance, catalog))
        for entry in derivation.entries:
            if entry.key in tried:
                served += 1
                yield Case(clause, entry, appliance.ha_id, appliance.kind, appliance.claim(entry.key), profile)
    if derivation.entries:
        yield from _absent(derivation, profile, catalog, none_served=not served)


def _absent(derivation: Derivation, profile: Profile, catalog: Catalog, *, none_served: bool) -> Iterator[Case]:
    """The cases of kinds the target does not have."""
    present = {appliance.kind for appliance in profile.appliance}
    entries = derivation.entries or ()
    for kind in (kind.name for kind in catalog.kinds if kind.name not in present):
        touched = [entry for entry in entries if kind in entry.kinds]
        if derivation.clause.id in _PER_PAIR:
            yield from (Case(derivation.clause, entry, f"no-{kind}", kind, "no", profile) for entry in touched)
        elif none_served and touched:
            yield Case(derivation.clause, None, f"no-{kind}", kind, "no", profile)


def _adding(derivation: Derivation) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def add(function: Callable[..., None]) -> Callable[..., None]:
        setattr(function, _ATTRIBUTE, (derivation, *derivations_of(function)))
        return function

    return add
