"""The command prove: the kill matrix of every mutant, every variant and every unearned server."""

import shutil
import sys
from pathlib import Path

import click

from conformance.runs.processes.interruption import interruptible


@click.command("prove")
@click.option(
    "--only",
    metavar="TEXT",
    multiple=True,
    help="Only servers with TEXT in their name; the matrix is then partial. May be repeated.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reports/out/proof"),
    show_default=True,
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=None,
    help="The number of processes. Default: one more than there are processors.",
)
@click.option(
    "--publish", is_flag=True, help="Make this the matrix that certificates name, if the whole proof holds."
)
def command(only: tuple[str, ...], out: Path, workers: int | None, *, publish: bool) -> None:
    """Judge every mutant, variant and unearned server, and print which clause kills which mutant.

    The ledger of each must hold what was judged. Ends with 1 if it does not, if a mutant survives or fails a
    clause that it does not declare, if a variant or the reference fails, if a clause that can fail has no
    mutant, or if the run of an unearned server is green: it ends otherwise than it must, a guard passes, or a
    certificate is given.
    """
    from conformance.mutants.registry import load_mutants, load_unearned, load_variants
    from conformance.proof.pool import import_once
    from conformance.proof.proving import MATRIX, prove, render_matrix
    from reports.kills import PUBLISHED

    if publish and only:
        raise click.UsageError("--publish needs the whole proof, without --only")

    names = [record.name for record in (*load_mutants(), *load_variants(), *load_unearned())]
    for text in only:
        if not any(text in name for name in names):
            raise click.UsageError(f"no server has {text!r} in its name")
    import_once()
    with interruptible():
        proof = prove(out, only=only, workers=workers)
    click.echo(render_matrix(proof))
    click.echo(f"written: {out / MATRIX}, {out / 'kill-matrix.md'}")
    if publish and proof.holds:
        shutil.copyfile(out / MATRIX, PUBLISHED)
        click.echo(f"published: {PUBLISHED}")
    sys.exit(0 if proof.holds else 1)
