"""Which cases there are: one for each clause, key and appliance, as the test modules say with `@each`.

A test function names its clause and its keys; the cases come from those and the profile of the target. A
clause whose kinds the target lacks keeps a case for each of them, `@no-KIND`, so that the list is the same
every night.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, partial
from importlib import import_module
from itertools import chain
from pkgutil import iter_modules
from typing import Any, TypeAlias

from msgspec import Struct

import conformance
from catalog.loader import CATALOG
from catalog.model import Clause, Entry, Level
from conformance.checks.case import Case, Omission
from conformance.checks.groups import Group, Purpose
from conformance.checks.premise import Check
from conformance.harness.omissions import omission_of
from conformance.profiles.kinds import claimed_keys
from conformance.profiles.model import Appliance, Claim, Profile

Judge: TypeAlias = Callable[[Check], None]
"""What a test is given: it judges the case of the test with a check."""
Making: TypeAlias = Callable[[str], Group] | Group
"""The group of a procedure, or what makes that of a key."""
Besides: TypeAlias = Group | Callable[[Profile, Appliance, str], tuple[Group, ...]]
"""A group, or what gives those of a key of an appliance."""
Adding: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]
"""A decorator of a test."""
_ATTRIBUTE = "derivations"


class Derivation(Struct, frozen=True, eq=False):
    """A clause and its entries; None for a clause about an appliance as a whole.

    `written`, `besides` and `purpose` say what is written for its cases, as a `Case` has them. One `per_pair`
    has a case for every key of a kind that the target lacks.
    """

    clause: Clause
    entries: tuple[Entry, ...] | None
    generated: bool = False
    written: Making | None = None
    besides: Besides | None = None
    purpose: Purpose | None = None
    per_pair: bool = False

    def groups(
        self, profile: Profile, appliance: Appliance, *keys: str
    ) -> tuple[tuple[Group, ...], tuple[Group, ...]]:
        """The procedures that the case of some keys rests on, and those that may add to them."""
        made = tuple(_group_of(self.written, key) for key in keys) if self.written else ()
        if self.besides is None or isinstance(self.besides, Group):
            return made, (self.besides,) if self.besides else ()
        found = chain.from_iterable(self.besides(profile, appliance, key) for key in keys)
        return made, tuple(dict.fromkeys(found))


@cache  # those of each appliance and of each run are the same
def _group_of(written: Making, key: str) -> Group:
    return written(key) if callable(written) else written


def each(  # noqa: PLR0913  each word after the entries says one thing of the cases
    entries: Iterable[Entry] | str | None = None,
    *,
    clause: str,
    written: Making | None = None,
    besides: Besides | None = None,
    purpose: Purpose | None = None,
    plain: bool = True,
    generated: bool = False,
    per_pair: bool = False,
) -> Adding:
    """Derives a case for each of `entries` and each appliance; may stand more than once on a test.

    Args:
        entries: what the cases are about, or the key of one; None for an appliance as a whole, and for any
            generated request.
        clause: the clause of the cases.
        written: the procedure whose writes they rest on: its group, or what makes that of a key; none where
            reads decide.
        besides: the procedure that may add to what they rest on, or what gives such ones of a key.
        purpose: what they need of these procedures.
        plain: whether there are these cases, and not just those of generated requests.
        generated: whether each appliance has one more case, for its generated requests; none where it is
            asked none of the entries.
        per_pair: whether a kind that the target lacks keeps a case for every key, so that there is one for
            each pair of a key and a kind, whatever the target.

    Raises:
        LookupError: when there is no such clause or key.
    """
    if isinstance(entries, str):
        entries = (CATALOG.entries[entries],)
    chosen = None if entries is None else tuple(entries)
    return _adding(
        *(
            Derivation(CATALOG.clauses[clause], chosen, is_generated, written, besides, purpose, per_pair)
            for is_generated in (*[False] * plain, *[True] * generated)
        )
    )


each_appliance = partial(each, None)
"""Derives a case for each appliance of the target."""
each_generated = partial(each, plain=False, generated=True)
"""Derives a case for the generated requests of each appliance."""


def each_rule(*, written: Making, besides: Besides) -> Adding:
    """Derives a case of each rule that keeps something, for its controller; the rest is as for `each`."""
    rules = [rule for rule in CATALOG.rules if rule.clause]
    return _adding(
        *(
            Derivation(
                CATALOG.clauses[rule.clause],
                (CATALOG.entries[rule.controller],),
                written=written,
                besides=besides,
            )
            for rule in rules
        )
    )


def derivations_of(function: Callable[..., Any]) -> tuple[Derivation, ...]:
    """What `@each` and its kin put on a test function, in the order they are read."""
    return getattr(function, _ATTRIBUTE, ())


def cases_of(derivations: Iterable[Derivation], profile: Profile, level: Level) -> list[Case]:
    """The cases of some derivations that a run of `level` judges, by appliance and then in catalog order."""
    return [case for case in _cases(derivations, profile) if omission_of(case, level) is None]


@cache
def all_tests() -> tuple[Callable[[Judge], None], ...]:
    """Every test of every test module, in the order pytest collects them."""
    names = sorted(
        module.name for module in iter_modules(conformance.__path__) if module.name.startswith("test_")
    )
    modules = [import_module(f"conformance.{name}") for name in names]
    return tuple(
        function for module in modules for name, function in vars(module).items() if name.startswith("test_")
    )


def check_of(case: Case) -> Check:
    """What the test of a case judges it with."""
    return _checks()[case.clause.id, case.generated]


@cache
def _checks() -> Mapping[tuple[str, bool], Check]:
    """The check of each clause, and that of its generated requests."""
    return {
        (derivation.clause.id, derivation.generated): used_by(test)
        for test in all_tests()
        for derivation in derivations_of(test)
    }


def used_by(test: Callable[[Judge], None]) -> Check:
    """The check that a test judges with: it is called with a judge that only takes the check."""
    given: list[Check] = []
    test(given.append)
    (check,) = given
    return check


def all_derivations() -> list[Derivation]:
    """What every test of every test module is derived from, in the order pytest collects them."""
    return [derivation for function in all_tests() for derivation in derivations_of(function)]


def all_cases(profile: Profile, level: Level = "attended") -> list[Case]:
    """Every case of a run of `level` against the target of `profile`."""
    return [case for case, omission in each_case(profile, level) if omission is None]


def each_case(profile: Profile, level: Level) -> Iterator[tuple[Case, Omission | None]]:
    """What a run of `level` judges, and what not, and why: together the same at every level."""
    for case in _cases(all_derivations(), profile):
        yield case, omission_of(case, level)


def _cases(derivations: Iterable[Derivation], profile: Profile) -> Iterator[Case]:
    tried: list[tuple[Appliance, dict[str, Claim]]] = [
        (own, {key: own.claim(key) for key in claimed_keys(own)}) for own in profile.appliance
    ]
    kinds = {own.kind for own in profile.appliance}
    absent = [kind.name for kind in CATALOG.kinds if kind.name not in kinds]
    for derivation in derivations:
        served = False
        for appliance, claims in tried:
            for entry, keys in _subjects(derivation, claims):
                served = True
                yield Case(
                    derivation.clause,
                    entry,
                    appliance.ha_id,
                    appliance.kind,
                    claims[entry.key] if entry else "yes",
                    profile,
                    *derivation.groups(profile, appliance, *keys),
                    purpose=derivation.purpose,
                    generated=derivation.generated,
                    about=keys if derivation.generated and derivation.entries else (),
                )
        if derivation.entries and not derivation.generated and (derivation.per_pair or not served):
            yield from _absent(derivation, profile, absent)


def _subjects(
    derivation: Derivation, tried: Collection[str]
) -> Iterator[tuple[Entry | None, tuple[str, ...]]]:
    """What each case of an appliance is about: an entry, or None for the appliance; and the keys of that."""
    entries = [entry for entry in derivation.entries or () if entry.key in tried]
    if derivation.entries is None:
        yield None, ("*",)
    elif not derivation.generated:
        yield from ((entry, (entry.key,)) for entry in entries)
    elif entries:
        yield None, tuple(entry.key for entry in entries)


def _absent(derivation: Derivation, profile: Profile, absent: Iterable[str]) -> Iterator[Case]:
    """The cases of kinds the target does not have: of each entry, or one where none of them is served."""
    for kind in absent:
        touched = [entry for entry in derivation.entries or () if kind in entry.kinds]
        for entry in touched if derivation.per_pair else [None] * bool(touched):
            yield Case(derivation.clause, entry, f"no-{kind}", kind, "no", profile)


def _adding(*derivations: Derivation) -> Adding:
    def add(function: Callable[..., None]) -> Callable[..., None]:
        setattr(function, _ATTRIBUTE, (*derivations, *derivations_of(function)))
        return function

    return add
