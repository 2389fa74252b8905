"""Large fleets, in shards that run at once or of growing size: time, memory, size of the page."""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from conformance.benchmarks.commands import merge_shards, results_of, run_shard, run_suite
from conformance.benchmarks.measuring import Figure
from conformance.benchmarks.serving import fleet_of, served
from reports.formats import FILES
from reports.results.file import RESULTS_FILE

SHARDS = 4
_MOST_MB_OF = {100: 600, 1000: 2000}
_MOST_S, _MOST_MB, _MOST_PAGE_MB = 600, 1000, 5


def measure(here: Path, appliances: int) -> Iterator[Figure]:
    """So many appliances at level read in four shards at once, and the run that is made of them."""
    name = f"{appliances} appliances in {SHARDS} shards"
    with served(here / "campaign", fleet=fleet_of(appliances)) as server:
        began = time.perf_counter()
        with ThreadPoolExecutor(SHARDS) as threads:
            asked = list(threads.map(partial(run_shard, server, SHARDS), range(1, SHARDS + 1)))
        asked_s = time.perf_counter() - began
        yield Figure(
            f"{name}: peak memory of each", tuple(one.peak_bytes / 1e6 for one in asked), _MOST_MB, "MB"
        )
        yield Figure(f"{name}: time to ask", (asked_s,), unit="s")
        merged = merge_shards(server, SHARDS)
        cpu_s = sum(one.cpu_s for one in asked) + merged.cpu_s
        yield Figure(f"{name}: peak memory of the merge", (merged.peak_bytes / 1e6,), _MOST_MB, "MB")
        yield Figure(f"{name}: time in all", (asked_s + merged.wall_s,), _MOST_S, "s")
        yield Figure(f"{name}: processor time", (cpu_s,), unit="s")
        out = server.here / "merged"
        yield Figure(
            f"{name}: report.html", ((out / FILES["html"]).stat().st_size / 1e6,), _MOST_PAGE_MB, "MB"
        )
        yield Figure(f"{name}: results.json", ((out / RESULTS_FILE).stat().st_size / 1e6,), unit="MB")


def of_sizes(here: Path, sizes: Sequence[int]) -> Iterator[Figure]:
    """Time for each case, peak memory and size of the report by number of appliances, each once."""
    first = 0.0
    for size in sizes:
        with served(here / f"growth-{size}", fleet=fleet_of(size)) as server:
            spent = run_suite(server)
            each = spent.wall_s / len(results_of(server).cases)
            report = (server.here / "out" / FILES["html"]).stat().st_size
        first = first or each
        yield Figure(f"{size} appliances: time for each case", (1000 * each,), unit="ms")
        yield Figure(f"{size} appliances: the same / {sizes[0]} appliances", (each / first,), at_most=1.2)
        yield Figure(
            f"{size} appliances: peak memory", (spent.peak_bytes / 1e6,), _MOST_MB_OF.get(size), "MB"
        )
        yield Figure(f"{size} appliances: report.html", (report / 1e6,), at_most=5, unit="MB")
