"""The mutants of orders need their order: it shows every time, and nothing less shows it."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from conformance.mutants.faults import orders
from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.bench import Bench, twin

ORDER_FAULTS = [record for record in load_mutants() if record.service.__module__ == orders.__name__]


each_order = pytest.mark.parametrize("broken", ORDER_FAULTS, ids=[record.name for record in ORDER_FAULTS])


def differing(broken: Mutant, steps: Iterable[str]) -> list[int]:
    """The places of the steps after which a mutant and the reference do not answer alike."""
    mutant, healthy = Bench(broken.service), Bench(twin(broken))
    pairs = ((mutant.do(step), healthy.do(step), mutant.everything(), healthy.everything()) for step in steps)
    return [
        place for place, (first, second, shown, due) in enumerate(pairs) if (first, shown) != (second, due)
    ]


def order_of(broken: Mutant) -> list[str]:
    """The writes that bring a fault out."""
    assert broken.shows is not None
    return broken.shows.steps.split("; ")


@each_order
def test_an_order_is_short(broken: Mutant) -> None:
    """Three to five writes bring the fault out."""
    assert 3 <= len(order_of(broken)) <= 5


@each_order
def test_no_write_of_the_order_can_be_left_out(broken: Mutant) -> None:
    """Without any one of its writes the order shows nothing."""
    steps = order_of(broken)
    for left_out in range(len(steps)):
        assert differing(broken, [*steps[:left_out], *steps[left_out + 1 :]]) == []


@each_order
def test_the_fault_comes_each_time(broken: Mutant) -> None:
    """When everything is put back, the same order shows the same fault once more, at the same place."""
    assert broken.shows is not None
    bench = Bench(broken.service)
    found = bench.everything()
    shown: list[Any] = []
    for _ in range(3):
        shown.append([(bench.do(step), bench.everything()) for step in order_of(broken)])
        for step in filter(None, broken.shows.back.split("; ")):
            bench.do(step)
        assert bench.everything() == found
    assert shown[0] == shown[1] == shown[2]


@each_order
def test_nothing_but_a_tour_shows_it(broken: Mutant, tmp_path: Path) -> None:
    """What a run writes for the clause it breaks, without looking for an order, does not."""
    clauses = {broken.clause, *broken.partners}
    assert run_of(broken.service(), tmp_path, "power", clauses=clauses).red() == set()
