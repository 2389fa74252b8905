"""Every key of the catalog has a mutant of each fault that its row allows."""

from collections import Counter

import pytest

from catalog.model import Entry
from conformance.cases import CATALOG, all_derivations
from conformance.checks.permission import reaches
from conformance.mutants.faults import values
from conformance.mutants.registry import load_mutants

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
