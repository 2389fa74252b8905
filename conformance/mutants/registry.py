"""All mutants, variants and unearned servers, in one order that does not depend on who imported what first.

Every module of this room is imported, so that none can be forgotten.
"""

import pkgutil
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import TypeVar

from catalog.loader import CATALOG
from conformance import mutants
from conformance.mutants import faults, variants
from conformance.mutants.model import REGISTERED, Ground, Mutant, Unearned, Variant
from conformance.reference.service import Service

_Record = TypeVar("_Record", Mutant, Variant, Unearned)
_Judged = TypeVar("_Judged", Mutant, Variant)


@cache
def load_mutants() -> tuple[Mutant, ...]:
    """Every mutant: by clause in the catalog's order, then by module, then as they stand in it.

    Raises:
        ValueError: two mutants have one name, or one names a clause that the catalog does not have.
    """
    return _in_order(Mutant)


@cache
def load_variants() -> tuple[Variant, ...]:
    """Every variant: by clause in the catalog's order, then by module, then as they stand in it.

    Raises:
        ValueError: two variants have one name, or one names a clause that the catalog does not have.
    """
    return _in_order(Variant)


@cache
def load_unearned() -> tuple[Unearned, ...]:
    """Every unearned server: by its ground, then by module, then as they stand in it.

    Raises:
        ValueError: two of them have one name.
    """
    grounds = list(Ground)
    found = _ours(Unearned)
    return tuple(sorted(found, key=lambda one: (grounds.index(one.ground), one.service.__module__)))


def find_server(name: str) -> type[Service]:
    """The mutant, the variant or the unearned server of this name.

    Raises:
        KeyError: there is none.
    """
    _import_all()
    return REGISTERED[name].service


def is_among(name: str, only: Sequence[str]) -> bool:
    """Whether a name holds one of the texts `only`, or there are none."""
    return not only or any(text in name for text in only)


def _import_all() -> None:
    for room in (faults, variants):
        for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
            import_module(module.name)
    import_module(f"{mutants.__name__}.unearned")


def _ours(kind: type[_Record]) -> list[_Record]:
    """The records of this room; those that a test has registered for itself are left out."""
    _import_all()
    room = f"{mutants.__name__}."
    known = [record for record in REGISTERED.values() if isinstance(record, kind)]
    return [record for record in known if record.service.__module__.startswith(room)]


def _in_order(kind: type[_Judged]) -> tuple[_Judged, ...]:
    places = {clause: place for place, clause in enumerate(CATALOG.clauses)}
    ours = _ours(kind)
    unknown = [f"{record.name} ({record.clause})" for record in ours if record.clause not in places]
    if unknown:
        raise ValueError(f"no such clause: {', '.join(unknown)}")
    # Sorting is stable, so what one module says about one clause stays as it stands there.
    return tuple(sorted(ours, key=lambda record: (places[record.clause], record.service.__module__)))
