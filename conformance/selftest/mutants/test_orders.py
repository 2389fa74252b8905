"""The mutants of orders need their order: nothing less shows them."""

from pathlib import Path

import pytest

from conformance.mutants.faults import orders
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.selftest.support.judged_runs import run_of

ORDER_FAULTS = [record for record in load_mutants() if record.service.__module__ == orders.__name__]


each_order = pytest.mark.parametrize("broken", ORDER_FAULTS, ids=[record.name for record in ORDER_FAULTS])


@each_order
def test_nothing_but_a_tour_shows_it(broken: Mutant, tmp_path: Path) -> None:
    """What a run writes for the clause it breaks, without looking for an order, does not."""
    clauses = {broken.clause, *broken.partners}
    assert run_of(broken.service(), tmp_path, "power", clauses=clauses).red() == set()
