"""Mutants are well-named, sorted, told truthfully, and between them they break every clause that can fail."""

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from catalog.loader import load_catalog
from conformance.checks.permission import reaches
from conformance.mutants import model
from conformance.mutants.faults import orders
from conformance.mutants.fleets import MACHINE
from conformance.mutants.model import REGISTERED_MUTANTS, Mutant
from conformance.mutants.registry import load_mutants
from conformance.reference.service import Service
from conformance.selftest.support.records import for_each

CATALOG = load_catalog()
MUTANTS = load_mutants()
OF_ORDERS = {record.name: record for record in MUTANTS if record.service.__module__ == orders.__name__}

each_mutant = for_each(MUTANTS)


@pytest.fixture
def registering() -> Iterator[None]:
    """Forget what a test registers."""
    known = dict(REGISTERED_MUTANTS)
    yield
    REGISTERED_MUTANTS.clear()
    REGISTERED_MUTANTS.update(known)


def overridden(service: type[Service]) -> set[str]:
    """The methods of the reference that a service replaces, itself or through a shape."""
    above = service.__mro__[: service.__mro__.index(Service)]
    return {
        name
        for layer in above
        for name, member in vars(layer).items()
        if callable(member) and hasattr(Service, name)
    }


def named(clause: str) -> list[str]:
    """The mutants that name a clause as the one they break."""
    return [record.name for record in MUTANTS if record.clause == clause]


@pytest.mark.parametrize(
    "clause",
    [
        clause.id
        for clause in CATALOG.clauses.values()
        if clause.can_fail and not reaches("read", clause.level)
    ],
)
def test_a_clause_of_a_writing_run_has_two_mutants(clause: str) -> None:
    """Each clause that needs writes, or more, has two mutants at least that need no order of writes."""
    assert len(set(named(clause)) - OF_ORDERS.keys()) >= 2


def test_there_are_mutants_of_orders() -> None:
    """Ten mutants at least need several writes in a certain order."""
    assert len(OF_ORDERS) >= 10
    assert {record.seen_at for record in OF_ORDERS.values()} == {"L3"}


@each_mutant
def test_a_mutant_has_a_name_of_words(broken: Mutant) -> None:
    """A name is made of lower-case words, and the service knows it."""
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", broken.name)
    assert broken.service.name == broken.name


@each_mutant
def test_a_mutant_says_how_it_is_wrong(broken: Mutant) -> None:
    """The fault is one sentence."""
    assert re.fullmatch(r"[A-Z].+\.", broken.fault)


@each_mutant
def test_a_mutant_gives_each_partner_a_reason(broken: Mutant) -> None:
    """Partners are other clauses that can fail, each with a sentence."""
    for clause, reason in broken.partners.items():
        assert clause != broken.clause
        assert CATALOG.clauses[clause].can_fail
        assert re.fullmatch(r"[A-Z].+\.", reason)


@each_mutant
def test_a_mutant_overrides_one_method(broken: Mutant) -> None:
    """Whatever a mutant does otherwise than the reference, it does in one place."""
    assert len(overridden(broken.service)) == 1


@each_mutant
def test_a_mutant_is_small(broken: Mutant) -> None:
    """A mutant has one to four appliances of few keys, or as many as it takes where many are wrong."""
    most = len(broken.everywhere)
    assert 1 <= len(broken.service.fleet) <= max(most, 4)
    assert all(2 <= len(spec.values) <= max(most + 3, 8) for spec in broken.service.fleet)


def test_faults_are_told_apart() -> None:
    """No two mutants describe the same fault."""
    assert len({record.fault for record in MUTANTS}) == len(MUTANTS)


def test_the_order_follows_the_catalog() -> None:
    """Mutants stand in the order of their clauses."""
    places = [list(CATALOG.clauses).index(record.clause) for record in MUTANTS]
    assert places == sorted(places)


def test_the_order_does_not_depend_on_imports() -> None:
    """Another process that imports a late module first loads the same mutants in the same order."""
    script = (
        "import conformance.mutants.faults.types\n"
        "from conformance.mutants.registry import load_mutants\n"
        "print(*(record.name for record in load_mutants()))"
    )
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == [record.name for record in MUTANTS]


@pytest.mark.usefixtures("registering")
def test_a_name_is_given_once() -> None:
    """A second mutant of the same name is an error that names both."""
    row = ("twin", "TYPE-BOOLEAN", "L0", MACHINE, Service, "ChildLock is wrong.")
    model.broken(*row)
    with pytest.raises(ValueError, match=r"twin: .*Twin and .*Twin"):
        model.broken(*row)
