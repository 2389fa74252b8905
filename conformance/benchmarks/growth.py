"""How a run at level read grows with the number of appliances: time, memory, files."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.benchmarks.commands import results_of, run_suite
from conformance.benchmarks.measuring import Figure
from conformance.benchmarks.serving import fleet_of, served

_MOST_MB = {100: 600, 1000: 2000}
_REPORT = "report.html"


def measure(here: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    """Time for each case, peak memory and size of the report by number of appliances, each once."""
    first = 0.0
    for size in sizes:
        with served(here / f"growth-{size}", fleet=fleet_of(size)) as server:
            spent = run_suite(server)
            each = spent.wall_s / len(results_of(server).cases)
            report = (server.here / "out" / _REPORT).stat().st_size
        first = first or each
        yield Figure(f"{size} appliances: time for each case", (1000 * each,), unit="ms")
        yield Figure(f"{size} appliances: the same / {sizes[0]} appliances", (each / first,), at_most=1.2)
        yield Figure(f"{size} appliances: peak memory", (spent.peak_bytes / 1e6,), _MOST_MB.get(size), "MB")
        yield Figure(f"{size} appliances: report.html", (report / 1e6,), at_most=5, unit="MB")
