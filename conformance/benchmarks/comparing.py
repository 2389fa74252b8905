"""What is measured: the commands of the suite, and those that people would use instead.

Whoever runs the suite feels how long it takes to the first finding and to the end, beside a suite written by
hand, and how a run grows with its appliances.
"""

import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from catalog.model import Level
from conformance.benchmarks.measuring import Figure, Spent, spend
from conformance.benchmarks.serving import Server, fleet_of, served, write_entries
from conformance.proof.trials import Trial, usual_trials
from conformance.reference.service import Service
from reports.formats import FILES
from reports.results.file import RESULTS_FILE, load_results

_SCRIPTS = Path(sys.executable).parent
_PEER = Path(__file__).with_name("peer.py")
_FAULTY = "key-shortened", "acknowledged-and-dropped"
"""A mutant that reads show, and one that writes show."""
_MOST_MB_OF = {100: 600, 1000: 2000}


def run_suite(server: Server, level: Level) -> Spent:
    """A run of the suite with all its files, in the directory `out`."""
    words = [str(_SCRIPTS / "appliance-conformance"), "run", str(server.profile_file), "--level", level]
    return spend([*words, f"--out={server.here / 'out'}"], server.here)


def run_peer(server: Server, entries: Path) -> Spent:
    """A run of the hand-written suite, which knows some entries."""
    shutil.copy(_PEER, server.here / "test_by_hand.py")
    words = [sys.executable, "-m", "pytest", "-q", "test_by_hand.py"]
    return spend(words, server.here, {"BASE_URL": server.base_url, "ENTRIES": str(entries)})


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


def _sound(kind: type[Service], level: Level) -> Trial:
    """A trial of a server without a fault."""
    return Trial(kind.__name__, kind, "full", level, 0)
