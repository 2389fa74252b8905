"""Generated requests: schemathesis' command line on the exported document, beside the suite."""

import contextlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

from click.testing import CliRunner
from schemathesis.cli import schemathesis

from catalog.exports.openapi import openapi_document
from catalog.loader import load_catalog
from catalog.maker import STAND_IN
from conformance.benchmarks.commands import JUDGED, JUNIT, run_schemathesis, run_suite, schemathesis_words
from conformance.benchmarks.measuring import CommandError, Figure, in_turn, walls
from conformance.benchmarks.serving import served


def measure(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run at level read as a multiple of one of schemathesis on the same server."""
    with served(here / "generated", tables={}) as server:
        document = write_document(server.here, [one["ha_id"] for one in server.profile["appliance"]])
        compared = in_turn(lambda: run_suite(server), lambda: run_schemathesis(server, document), pairs)
    yield Figure("run / schemathesis, ten examples an operation", walls(compared), at_most=0.2)


def write_document(here: Path, ha_ids: Iterable[str], maker: str = STAND_IN) -> Path:
    """The file of the exported OpenAPI document, with these appliances."""
    document = cast("dict[str, Any]", openapi_document(load_catalog(), maker=maker))
    document["components"]["parameters"]["haId"]["schema"] = {"enum": list(ha_ids)}
    path = here / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def failures(document: Path, base_url: str, operations: Iterable[str] = ()) -> set[tuple[str, str]]:
    """The operations that fail in a run of schemathesis' command, each with the codes of its failures.

    The command is called in this process: hundreds of runs need not load it anew.

    Args:
        document: the OpenAPI document; what the run writes is put beside it.
        base_url: the server.
        operations: the paths that it is restricted to; none for all.

    Raises:
        CommandError: when the command does not come to a verdict.
    """
    words = [*schemathesis_words(document, base_url), *(f"--include-path={path}" for path in operations)]
    with contextlib.chdir(document.parent):
        ended = CliRunner().invoke(schemathesis, words)
    if ended.exit_code not in JUDGED:
        raise CommandError(f"schemathesis {' '.join(words)}: exit code {ended.exit_code}: {ended.output}")
    tests = ET.parse(document.parent / JUNIT).iter("testcase")  # noqa: S314  written by schemathesis
    return {
        (test.get("name", ""), failure.get("message", "") if failure.tag == "failure" else failure.tag)
        for test in tests
        for failure in test
        if failure.tag in {"failure", "error"}  # an error is a request without an answer
    }
