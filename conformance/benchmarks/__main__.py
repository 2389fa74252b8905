"""`python -m conformance.benchmarks [NAME...]` runs the benchmarks and prints a line for each ratio."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from conformance.benchmarks import campaigns, detections, overheads, reading_time, schemathesis_runs
from conformance.benchmarks.measuring import Figure

MACHINE = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--pairs", default=5, show_default=True, help="How often each comparison is made.")
@click.option("--mutants", type=int, help="How many mutants are drawn for `detections`.  [default: all]")
@click.option(
    "--appliances", default=[10, 100, 1000], multiple=True, show_default=True, help="Sizes of `growth`."
)
@click.option("--campaign", default=1000, show_default=True, help="The appliances of `campaign`.")
def main(
    names: tuple[str, ...], pairs: int, mutants: int | None, appliances: tuple[int, ...], campaign: int
) -> None:
    """Measure the suite beside what people would use instead; all benchmarks, or those with these NAMES.

    NAMES are reading, latency, writing, verdict, start, generated, detections, growth, campaign.
    """
    benchmarks: dict[str, Callable[[Path], Iterator[Figure]]] = {
        "reading": partial(reading_time.on_loopback, pairs=pairs),
        "latency": partial(reading_time.at_latency, pairs=pairs),
        "writing": partial(reading_time.measure, pairs=pairs),
        "verdict": partial(overheads.of_a_verdict, pairs=pairs),
        "start": partial(overheads.of_a_start, pairs=pairs),
        "generated": partial(schemathesis_runs.measure, pairs=pairs),
        "detections": lambda _: detections.measure(mutants),
        "growth": partial(campaigns.of_sizes, sizes=appliances),
        "campaign": partial(campaigns.measure, appliances=campaign),
    }
    unknown = [name for name in names if name not in benchmarks]
    if unknown:
        raise click.UsageError(f"no benchmark is called {', '.join(unknown)}: {', '.join(benchmarks)}")
    click.echo(MACHINE)
    for name in names or benchmarks:
        with tempfile.TemporaryDirectory() as directory:
            for figure in benchmarks[name](Path(directory)):
                click.echo(figure.words)


if __name__ == "__main__":
    main()
