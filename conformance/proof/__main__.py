"""`python -m conformance.proof` runs every mutant and variant in each way, and names what differs."""

import sys
from collections import Counter
from pathlib import Path

import click

from conformance.proof.equivalence import compare_ways
from conformance.proof.pool import import_once


@click.command()
@click.option("--only", metavar="TEXT", multiple=True, help="Only servers with TEXT in their name.")
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reports/out/equivalence")
)
@click.option("--workers", type=click.IntRange(1, 64), default=None, help="The number of processes.")
def main(only: tuple[str, ...], out: Path, workers: int | None) -> None:
    """Run each server with one lane and with sixteen, whole and in shards that are merged.

    A few servers are left out, which `equivalence` names with the reasons. Ends with 1 where results differ
    in more than times.
    """
    import_once()
    outcomes = compare_ways(out, only=only, workers=workers)
    unlike = {name: outcome for name, outcome in outcomes.items() if outcome.troubles}
    for name, outcome in unlike.items():
        click.echo(f"{name}: {'; '.join(outcome.troubles)}")
    verdicts = Counter(outcome.verdict for outcome in outcomes.values())
    click.echo(f"{len(outcomes) - len(unlike)} of {len(outcomes)} servers get the same results in each way")
    click.echo(", ".join(f"{number} {verdict}" for verdict, number in sorted(verdicts.items())))
    sys.exit(bool(unlike))


if __name__ == "__main__":
    main()
