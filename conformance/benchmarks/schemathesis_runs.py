"""Generated requests: schemathesis' command line on the exported document, beside the suite."""

from __future__ import annotations

import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree as ET

from catalog.exports.openapi import openapi_document
from catalog.loader import load_catalog
from conformance.benchmarks.commands import FOUND, results_of, run_schemathesis, run_suite
from conformance.benchmarks.measuring import Figure, in_turn, walls
from conformance.benchmarks.serving import served
from conformance.mutants.registry import load_mutants
from conformance.proof.trials import all_trials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conformance.benchmarks.serving import Server

SEED = 1


def measure(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run at level read as a multiple of one of schemathesis on the same server."""
    with served(here / "generated", tables={}) as server:
        compared = in_turn(
            lambda: run_suite(server), lambda: run_schemathesis(server, _document(server)), pairs
        )
    yield Figure("run / schemathesis, ten examples an operation", walls(compared), at_most=0.2)


def detections(here: Path, count: int | None) -> Iterator[Figure]:
    """How many of the mutants each of the two detects, and in how many requests.

    `count` are drawn at random; None for all. The suite may do what shows the fault, with the hooks of the
    server in the place of a person.
    Schemathesis also finds fault with a server without a fault, for what the document leaves open: a mutant
    is detected where an operation fails that does not fail, or not so, without the fault.
    """
    ours, theirs = Detections(), Detections()
    mutants = load_mutants()
    if count:
        mutants = random.Random(SEED).sample(mutants, count)  # noqa: S311  a sample, not a secret
    without_fault: dict[str, set[tuple[str, str]]] = {}  # by fleet, which many mutants share
    for mutant in mutants:
        with served(here / mutant.name, mutant.service, tables={}) as server:
            run_suite(server, all_trials()[mutant.name].level)
            made = server.requests
            ours.add(made, found=results_of(server).verdict == "fail")
            with_fault = _failing(server)
            made = server.requests - made
        fleet = repr(mutant.service.fleet)
        if fleet not in without_fault:
            with served(here / f"{mutant.name}-without", fleet=mutant.service.fleet) as server:
                without_fault[fleet] = _failing(server)
        theirs.add(made, found=bool(with_fault - without_fault[fleet]))
    for name, tally in (("suite", ours), ("schemathesis", theirs)):
        found = f"share of {len(mutants)} mutants detected: {name}"
        yield Figure(found, (tally.found / len(mutants),), unit="")
        yield Figure(f"requests for each mutant: {name}", (tally.requests / len(mutants),), unit="")
        yield Figure(f"faults found in 1,000 requests: {name}", (tally.in_a_thousand,), unit="")


@dataclass
class Detections:
    """The faults that were found, and the requests that it took to look for them."""

    found: int = 0
    requests: int = 0

    def add(self, requests: int, *, found: bool) -> None:
        """One mutant more."""
        self.requests += requests
        self.found += found

    @property
    def in_a_thousand(self) -> float:
        """Faults found in 1,000 requests."""
        return 1000 * self.found / self.requests


def _failing(server: Server) -> set[tuple[str, str]]:
    """The operations that fail in a run of schemathesis, each with the codes of its failures."""
    run_schemathesis(server, _document(server))
    tests = ET.parse(server.here / FOUND).iter("testcase")  # noqa: S314  written by schemathesis
    return {
        (test.get("name", ""), failure.get("message", ""))
        for test in tests
        for failure in test.iter("failure")
    }


def _document(server: Server) -> Path:
    """The exported OpenAPI document, with the appliances of a server."""
    document = cast("dict[str, Any]", openapi_document(load_catalog()))
    ha_ids = [appliance["ha_id"] for appliance in server.profile["appliance"]]
    document["components"]["parameters"]["haId"]["schema"] = {"enum": ha_ids}
    path = server.here / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path
