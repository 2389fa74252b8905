"""What is measured: the commands of the suite, and those that people would use instead.

Whoever runs the suite feels how long it takes to the first finding and to the end, what the requests find
that a remote target allows, and how a run grows with its appliances.
"""

import json
import random
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as ET

from catalog.exports.openapi import openapi_document
from catalog.loader import CATALOG
from catalog.model import Level
from conformance.benchmarks.measuring import Figure, Spent, spend
from conformance.benchmarks.serving import Server, fleet_of, served, write_entries
from conformance.mutants.registry import load_mutants
from conformance.proof.trials import Trial, twin_of, usual_trials
from conformance.reference.service import Service
from reports.formats import FILES
from reports.results.file import RESULTS_FILE, load_results

_SCRIPTS = Path(sys.executable).parent
_PEER = Path(__file__).with_name("peer.py")
_FAULTY = "key-shortened", "acknowledged-and-dropped"
"""A mutant that reads show, and one that writes show."""
_SEED = 1
_MOST_MB_OF = {100: 600, 1000: 2000}
_JUNIT = "schemathesis.xml"


def run_suite(server: Server, level: Level) -> Spent:
    """A run of the suite with all its files, in the directory `out`."""
    words = [str(_SCRIPTS / "appliance-conformance"), "run", str(server.profile_file), "--level", level]
    return spend([*words, f"--out={server.here / 'out'}"], server.here)


def run_peer(server: Server, entries: Path) -> Spent:
    """A run of the hand-written suite, which knows some entries."""
    shutil.copy(_PEER, server.here / "test_by_hand.py")
    words = [sys.executable, "-m", "pytest", "-q", "test_by_hand.py"]
    return spend(words, server.here, {"BASE_URL": server.base_url, "ENTRIES": str(entries)})


def run_schemathesis(server: Server) -> set[tuple[str, str]]:
    """The operations that fail in a run of schemathesis' command, each with the codes of its failures.

    It has ten examples an operation, and all its checks.
    """
    document = cast("dict[str, Any]", openapi_document(CATALOG, maker=server.maker))
    document["components"]["parameters"]["haId"]["schema"] = {
        "enum": [one["ha_id"] for one in server.profile["appliance"]]
    }
    path = server.here / "openapi.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    words = [str(_SCRIPTS / "schemathesis"), "run", str(path), "--url", server.base_url, "--checks=all"]
    words += ["--max-examples=10", "--seed=1", "--generation-database=none", "--report=junit"]
    spend([*words, f"--report-junit-path={server.here / _JUNIT}"], server.here)
    tests = ET.parse(server.here / _JUNIT).iter("testcase")  # noqa: S314  written by schemathesis
    return {
        (test.get("name", ""), failure.get("message", "") if failure.tag == "failure" else failure.tag)
        for test in tests
        for failure in test
        if failure.tag in {"failure", "error"}  # an error is a request without an answer
    }


def of_a_finding(here: Path, runs: int) -> Iterator[Figure]:
    """Seconds to the first finding on one appliance, and to the end, by a mutant at each level."""
    for name in _FAULTY:
        trial = usual_trials()[name]
        with served(here / name, trial) as server:
            spent = [run_suite(server, trial.level) for _ in range(runs + 1)][1:]
        words = f"one appliance, level {trial.level}, to the"
        found = tuple(one.finding_s for one in spent if one.finding_s is not None)
        yield Figure(f"{words} first finding", found, at_most=1.5, unit="s")
        yield Figure(f"{words} end", tuple(one.wall_s for one in spent), at_most=3, unit="s")


def beside_peer(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run as a multiple of one of the hand-written suite, which reads and writes the same keys."""
    levels: tuple[Level, ...] = ("read", "write")
    for level in levels:
        with served(here / level, _sound(Service, level)) as server:
            entries = write_entries(server, writes=level == "write")
            # in turn, since the speed of a machine drifts; the first of each is not counted
            compared = [(run_suite(server, level), run_peer(server, entries)) for _ in range(pairs + 1)]
        ratios = tuple(ours.wall_s / theirs.wall_s for ours, theirs in compared[1:])
        yield Figure(f"run at level {level} / hand-written suite, loopback", ratios)


def of_growth(here: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    """Time for each case, peak memory and size of the report by number of appliances, each once."""
    first = 0.0
    for size in sizes:
        kind = type("Fleet", (Service,), {"fleet": fleet_of(size)})
        with served(here / f"growth-{size}", _sound(kind, "read")) as server:
            spent = run_suite(server, "read")
            out = server.here / "out"
            each = spent.wall_s / len(load_results(out / RESULTS_FILE).cases)
            report = (out / FILES["html"]).stat().st_size
        first = first or each
        name = f"{size} appliances:"
        yield Figure(f"{name} time for each case", (1000 * each,), unit="ms")
        yield Figure(f"{name} the same / {sizes[0]} appliances", (each / first,), at_most=1.2)
        yield Figure(f"{name} peak memory", (spent.peak_bytes / 1e6,), _MOST_MB_OF.get(size), "MB")
        yield Figure(f"{name} report.html", (report / 1e6,), at_most=5, unit="MB")


def of_faults(here: Path, count: int) -> Iterator[Figure]:
    """How many of some mutants each detects, and how many in a hundred requests, at a remote target's budget.

    Schemathesis and a hand-written suite find fault with a server that conforms, too, for what the document
    leaves open: a mutant is detected where something fails that does not fail so without its fault.
    """
    mutants = random.Random(_SEED).sample(load_mutants(), count)  # noqa: S311  a sample, not a secret
    found, requests = Counter[str](), Counter[str]()
    for mutant in mutants:
        trial = usual_trials()[mutant.name].remote
        place = here / mutant.name
        place.mkdir()
        twin = _sound(twin_of(mutant), trial.level)
        with served(place / "faulty", trial) as faulty, served(place / "sound", twin) as sound:
            for name, detected in _detected(faulty, sound, trial.level):
                found[name] += detected
                requests[name] += faulty.requests_since()
    for name in requests:
        yield from figures(name, count, found[name], requests[name])


def _detected(faulty: Server, sound: Server, level: Level) -> Iterator[tuple[str, bool]]:
    """Whether each detects a fault, one after the other."""
    yield "suite", run_suite(faulty, level).code == 1
    entries = write_entries(sound, writes=level != "read")
    yield "hand-written suite", run_peer(faulty, entries).code > run_peer(sound, entries).code
    yield "schemathesis", bool(run_schemathesis(faulty) - run_schemathesis(sound))


def figures(name: str, mutants: int, found: int, requests: int) -> Iterator[Figure]:
    """The share of mutants that were detected, the requests for each, the faults found in 100 requests."""
    yield Figure(f"share of {mutants} mutants detected: {name}", (found / mutants,), unit="")
    yield Figure(f"requests for each mutant: {name}", (requests / mutants,), unit="")
    yield Figure(f"faults found in 100 requests: {name}", (100 * found / requests,), unit="")


def _sound(kind: type[Service], level: Level) -> Trial:
    """A trial of a server without a fault."""
    return Trial(kind.__name__, kind, "full", level, 0)
