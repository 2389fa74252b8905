"""What is measured: the commands of the suite, and the hand-written suite that people would use instead.

Whoever runs the suite feels how long it takes to the first finding and to the end, and how a run grows with
its appliances.
"""

import json
import shutil
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from catalog.exports.openapi import operation_path
from catalog.model import Level
from conformance.benchmarks.measuring import Figure, Spent, spend
from conformance.profiles.toml import toml_of
from conformance.proof.trials import PREFIX, Trial, usual_trials
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming
from reports.formats import FILES
from reports.results.file import RESULTS_FILE, load_results

_SCRIPTS = Path(sys.executable).parent
_PEER = Path(__file__).with_name("peer.py")
_FAULTY = "key-shortened", "acknowledged-and-dropped"
"""A mutant that reads show, and one that writes show."""
_MOST_MB_OF = {100: 600, 1000: 2000}


@contextmanager
def served(here: Path, trial: Trial) -> Generator[str]:
    """The address of the server of a trial, whose profile is in a new directory for another process."""
    here.mkdir()
    service = trial.server()
    with serve({PREFIX: service}) as base_url:
        (here / "hub.toml").write_text(toml_of(trial.profile(service, base_url)), encoding="utf-8")
        yield base_url + PREFIX


def run_suite(here: Path, level: Level) -> Spent:
    """A run of the suite with all its files, in the directory `out`."""
    return spend(
        [str(_SCRIPTS / "appliance-conformance"), "run", "hub.toml", "--level", level, "--out=out"], here
    )


def run_peer(here: Path, base_url: str) -> Spent:
    """A run of the hand-written suite."""
    shutil.copy(_PEER, here / "test_by_hand.py")
    (here / "entries.json").write_text(json.dumps(entries_of(Service())), encoding="utf-8")
    return spend([sys.executable, "-m", "pytest", "-q", "test_by_hand.py"], here, {"BASE_URL": base_url})


def entries_of(service: Service) -> list[tuple[str, str]]:
    """The path and the data type of each key of the appliances, under the segments that answer."""
    return [
        (path, entry.type)
        for appliance in service.appliances.values()
        for entry in (service.entries[key] for key in appliance.values)
        for segment in entry.segments
        for path in [operation_path(entry, segment).replace("{haId}", quote(appliance.ha_id))]
        if service.handle(Incoming("GET", path)).status == HTTPStatus.OK
    ]


def of_a_finding(here: Path, runs: int) -> Iterator[Figure]:
    """Seconds to the first finding on one appliance, and to the end, by a mutant at each level."""
    for name in _FAULTY:
        trial = usual_trials()[name]
        with served(here / name, trial):
            spent = [run_suite(here / name, trial.level) for _ in range(runs + 1)][1:]
        words = f"one appliance, level {trial.level}, to the"
        found = tuple(one.finding_s for one in spent if one.finding_s is not None)
        yield Figure(f"{words} first finding", found, at_most=1.5, unit="s")
        yield Figure(f"{words} end", tuple(one.wall_s for one in spent), at_most=3, unit="s")


def beside_peer(here: Path, pairs: int) -> Iterator[Figure]:
    """A run that reads as a multiple of one of the hand-written suite, which reads the same keys."""
    with served(here / "peer", _sound(Service)) as base_url:
        # in turn, since the speed of a machine drifts; the first of each is not counted
        compared = [
            (run_suite(here / "peer", "read"), run_peer(here / "peer", base_url)) for _ in range(pairs + 1)
        ]
    ratios = tuple(ours.wall_s / theirs.wall_s for ours, theirs in compared[1:])
    yield Figure("run at level read / hand-written suite, loopback", ratios)


def of_growth(here: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    """Time for each case, peak memory and size of the report by number of appliances, each once."""
    first = 0.0
    for size in sizes:
        place = here / f"growth-{size}"
        with served(place, _sound(type("Fleet", (Service,), {"fleet": fleet_of(size)}))):
            spent = run_suite(place, "read")
        each = spent.wall_s / len(load_results(place / "out" / RESULTS_FILE).cases)
        report = (place / "out" / FILES["html"]).stat().st_size
        first = first or each
        name = f"{size} appliances:"
        yield Figure(f"{name} time for each case", (1000 * each,), unit="ms")
        yield Figure(f"{name} the same / {sizes[0]} appliances", (each / first,), at_most=1.2)
        yield Figure(f"{name} peak memory", (spent.peak_bytes / 1e6,), _MOST_MB_OF.get(size), "MB")
        yield Figure(f"{name} report.html", (report / 1e6,), at_most=5, unit="MB")


def fleet_of(count: int) -> tuple[ApplianceSpec, ...]:
    """So many appliances: those of the reference over and over."""
    specs = islice(cycle(Service.fleet), count)
    return tuple(replace(spec, ha_id=f"{spec.ha_id}-{number}") for number, spec in enumerate(specs))


def _sound(kind: type[Service]) -> Trial:
    """A trial of a server without a fault, of which everything is known and nothing written."""
    return Trial(kind.__name__, kind, "full", "read", 0)
