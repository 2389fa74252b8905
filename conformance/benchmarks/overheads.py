"""What a verdict costs beside an empty test of pytest, and a start beside that of pytest."""

import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from conformance.benchmarks.commands import exchanges_of, judge_again, results_of, run_empty_tests, run_suite
from conformance.benchmarks.measuring import Figure, Spent, in_turn, spend
from conformance.benchmarks.serving import fleet_of, served

FEW, MANY = 1, 12
"""Appliances: what twelve cost more than one is the cost of their cases."""


def of_a_verdict(here: Path, pairs: int) -> Iterator[Figure]:
    """The processor time of a verdict, beside that of an empty parametrized test, in ms."""
    fleets = fleet_of(FEW), fleet_of(MANY)
    with served(here / "few", fleet=fleets[0]) as few, served(here / "many", fleet=fleets[1]) as many:
        run_suite(few)
        run_suite(many)
        cases = len(results_of(many).cases) - len(results_of(few).cases)
        ours = _ms_each(cases, in_turn(lambda: judge_again(many), lambda: judge_again(few), pairs))
    empty = in_turn(lambda: run_empty_tests(here, cases + 1), lambda: run_empty_tests(here, 1), pairs)
    theirs = _ms_each(cases, empty)
    more = tuple(own - other for own, other in zip(ours, theirs, strict=True))
    yield Figure("a verdict", ours, unit="ms")
    yield Figure("an empty parametrized test of pytest", theirs, unit="ms")
    yield Figure("a verdict above an empty test", more, at_most=0.3, unit="ms")


def of_a_start(here: Path, pairs: int) -> Iterator[Figure]:
    """The time until the first request, as a multiple of `python -m pytest --version`."""
    with served(here / "start", fleet=fleet_of(FEW)) as server:
        starts: list[float] = []

        def ours() -> Spent:
            spent = run_suite(server)
            first = min(datetime.fromisoformat(one.at).timestamp() for one in exchanges_of(server))
            starts.append(first - spent.began)
            return spent

        compared = in_turn(ours, lambda: spend([sys.executable, "-m", "pytest", "--version"], here), pairs)
    ratios = (start / theirs.wall_s for start, (_, theirs) in zip(starts[1:], compared, strict=True))
    yield Figure("start to first request / python -m pytest --version", tuple(ratios), at_most=1.3)


def _ms_each(count: int, pairs: tuple[tuple[Spent, Spent], ...]) -> tuple[float, ...]:
    """What the first of each pair took more than the second, in ms of processor time for each of `count`."""
    return tuple(1000 * (more.cpu_s - less.cpu_s) / count for more, less in pairs)
