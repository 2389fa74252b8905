"""Generated requests: schemathesis' command line on the exported document, beside the suite."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any, cast
from xml.etree import ElementTree as ET

from catalog.exports.openapi import openapi_document
from catalog.loader import load_catalog
from conformance.benchmarks.commands import FOUND, results_of, run_schemathesis, run_suite
from conformance.benchmarks.measuring import Figure, in_turn, walls
from conformance.benchmarks.serving import served
from conformance.mutants.registry import load_mutants

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


def detections(here: Path, count: int) -> Iterator[Figure]:
    """The share of so many mutants, drawn at random, that each of the two detects.

    Schemathesis also finds fault with a server without a fault, for what the document leaves open: a mutant
    is detected where an operation fails that does not fail, or not so, without the fault.
    """
    ours: list[bool] = []
    theirs: list[bool] = []
    for mutant in random.Random(SEED).sample(load_mutants(), count):  # noqa: S311  a sample, not a secret
        with served(here / mutant.name, mutant.service, tables={}) as server:
            run_suite(server, "power")
            ours.append(results_of(server).verdict == "fail")
            with_fault = _failing(server)
        with served(here / f"{mutant.name}-without", fleet=mutant.service.fleet) as server:
            theirs.append(bool(with_fault - _failing(server)))
    yield Figure(f"share of {count} mutants detected: suite", (sum(ours) / count,), unit="")
    yield Figure(f"share of {count} mutants detected: schemathesis", (sum(theirs) / count,), unit="")


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
