"""`python -m conformance.benchmarks [NAME...]` runs the benchmarks and prints a line for each figure."""

import os
import platform
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import click

from conformance.benchmarks import asked, comparing
from conformance.benchmarks.measuring import Figure

MACHINE = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


@click.command()
@click.argument("names", nargs=-1)
@click.option("--pairs", default=5, show_default=True, help="How often each run and comparison is made.")
@click.option("--mutants", default=20, show_default=True, help="How many mutants are drawn for `faults`.")
@click.option(
    "--appliances", default=[10, 100, 1000], multiple=True, show_default=True, help="Sizes of `growth`."
)
def main(names: tuple[str, ...], pairs: int, mutants: int, appliances: tuple[int, ...]) -> None:
    """Measure the suite beside what people would use instead; all benchmarks, or those with these NAMES.

    NAMES are finding, requests, waits, peer, faults, growth.
    """
    benchmarks: dict[str, Callable[[Path], Iterator[Figure]]] = {
        "finding": partial(comparing.of_a_finding, runs=pairs),
        "requests": asked.measure,
        "waits": asked.waited,
        "peer": partial(comparing.beside_peer, pairs=pairs),
        "faults": partial(comparing.of_faults, count=mutants),
        "growth": partial(comparing.of_growth, sizes=appliances),
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
