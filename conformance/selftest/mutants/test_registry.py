"""Mutants and unearned servers are well-named, sorted and told truthfully, and between them they break every
clause and every rule on green.
"""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from catalog.model import Entry
from conformance.cases import CATALOG, all_derivations
from conformance.checks.permission import reaches
from conformance.mutants import model
from conformance.mutants.faults import orders, values
from conformance.mutants.fleets import MACHINE
from conformance.mutants.model import REGISTERED_MUTANTS, Ground, Mutant, Unearned
from conformance.mutants.registry import load_mutants, load_unearned
from conformance.reference.service import Service
from conformance.selftest.support.records import for_each

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


# Unearned servers are well-named, told in a sentence, and there is one for each rule on green.
SERVERS = load_unearned()

each_server = for_each(SERVERS)


@pytest.mark.parametrize("ground", Ground)
def test_a_rule_on_green_has_a_server(ground: Ground) -> None:
    """Each rule is a sentence, and a green run of one of the servers would break it."""
    assert re.fullmatch(r"[A-Z].+\.", ground.value)
    assert ground in {server.ground for server in SERVERS}


def test_access_is_lost_at_many_places() -> None:
    """A token expires after sixty different numbers of requests, and there are thirty other servers."""
    expiring = [server for server in SERVERS if server.name.startswith("token-expires-after-")]
    assert len(expiring) == 60
    assert len(SERVERS) - len(expiring) >= 30


@each_server
def test_a_server_has_a_name_of_words_and_a_sentence(server: Unearned) -> None:
    """A name is made of lower-case words, and the service knows it."""
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", server.name)
    assert re.fullmatch(r"[A-Z].+\.", server.what)
    assert server.service.name == server.name


@each_server
def test_guards_are_clauses_that_can_fail(server: Unearned) -> None:
    """Each names a clause of the catalog, perhaps with one of its keys."""
    for guard in server.guards:
        clause, _, key = guard.partition("::")
        assert CATALOG.clauses[clause].can_fail
        assert not key or key in CATALOG.entries


@each_server
def test_green_is_qualified_or_not_there(server: Unearned) -> None:
    """A server that may have a certificate says in what words the run is told; each says how it may end."""
    assert server.ends
    assert not server.certified or server.headline


def test_servers_are_told_apart() -> None:
    """No two have one name, or are told in one sentence."""
    assert len({server.what for server in SERVERS}) == len(SERVERS)
    assert len({server.name for server in SERVERS}) == len(SERVERS)


# Every key of the catalog has a mutant of each fault that its row allows.
GENERATED = [record for record in load_mutants() if record.service.__module__ == values.__name__]
FAULTS = Counter((record.clause, key) for record in GENERATED for key in record.everywhere)
"""How many mutants have a fault in a key on which a clause must be red."""
ENTRIES = list(CATALOG.entries.values())
SEVERAL = ("TYPE-", "ENUM-", "RANGE-", "UNIT-")
ONCE = {"TYPE-NOTNULL", "ENUM-ADVERTISED", "RANGE-COUNT"}
"""Clauses that a value can break in one way alone; all others have two mutants at least."""
OF_VALUES = [
    (derivation.clause.id, entry.key)
    for derivation in all_derivations()
    for entry in derivation.entries or ()
    if derivation.clause.id.startswith(SEVERAL)
    and reaches("read", derivation.clause.level)
    and derivation.clause.can_fail
]


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.key for entry in ENTRIES])
def test_key_has_a_mutant_of_each_fault_of_its_row(entry: Entry) -> None:
    """Each clause on values that judges the key has mutants with a fault in it."""
    clauses = {clause for clause, key in OF_VALUES if key == entry.key}
    assert "TYPE-NOTNULL" in clauses
    due = {clause: 1 if clause in ONCE else 2 for clause in clauses}
    few = [clause for clause, least in due.items() if FAULTS[clause, entry.key] < least]
    assert few == [], f"conformance/mutants/faults/values.py has too few mutants of {entry.key}"


def test_faults_are_of_keys_that_their_clause_judges() -> None:
    """No mutant names a key that its clause says nothing about."""
    assert set(FAULTS) <= set(OF_VALUES)
