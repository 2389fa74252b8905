"""serve and prove."""

from __future__ import annotations

import shutil
import sys
import threading
from contextlib import suppress
from pathlib import Path

import click

from conformance.exits import USAGE
from conformance.runs.interruption import interruptible


@click.command("serve")
@click.argument("target", default="reference")
@click.option("--port", type=click.IntRange(0, 65535), default=8080, show_default=True, help="0 takes a free one.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reports/out/serve"), show_default=True)
def serve_command(target: str, port: int, out: Path) -> None:
    """Run a server of the suite on loopback until Ctrl-C: reference, mutant:NAME, variant:NAME or hostile:NAME.

    Prints its base URL, and the path of a profile that fits.
    """
    from conformance.profiles.writing import toml_of  # noqa: PLC0415  so that --help answers at once
    from conformance.reference.server import ServeError  # noqa: PLC0415  for the same reason
    from conformance.targets import is_embedded, serve_embedded  # noqa: PLC0415  for the same reason

    if not is_embedded(target):
        raise click.UsageError(f"{target!r} is no server of the suite: reference, mutant:NAME, variant:NAME or hostile:NAME")
    try:
        with interruptible(), suppress(KeyboardInterrupt), serve_embedded(target, port) as (base_url, profile):
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{target.replace(':', '-')}.toml"
            path.write_text(toml_of(profile), encoding="utf-8")
            click.echo(f"base URL  {base_url}\nprofile   {path}\nCtrl-C stops it")
            threading.Event().wait()
    except ServeError as error:
        click.echo(f"{error}: choose another --port", err=True)
        sys.exit(USAGE)


@click.command("prove")
@click.option("--only", metavar="TEXT", default="", help="Only mutants and variants whose name holds TEXT; the matrix is then partial.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("reports/out/proof"), show_default=True)
@click.option("--workers", type=click.IntRange(1, 64), default=None, help="Processes; one more than there are processors by default.")
@click.option("--publish", is_flag=True, help="Let certificates name this matrix from now on, where the whole proof holds.")
def prove_command(only: str, out: Path, workers: int | None, *, publish: bool) -> None:
    """Judge every mutant and every variant, and print which clause kills which mutant.

    The ledger of each is judged again, and must give the same. Ends with 1 when that differs, when a mutant survives or turns an undeclared
    clause red, when a variant or the reference gets a fail, or when a clause that can fail has no mutant.
    """
    from conformance.mutants.registry import load_mutants, load_variants  # noqa: PLC0415  so that --help answers at once
    from conformance.proof import MATRIX, prove, render_matrix  # noqa: PLC0415  likewise
    from reports.kills import PUBLISHED  # noqa: PLC0415  likewise

    if publish and only:
        raise click.UsageError("--publish needs the whole proof, without --only")

    if not any(only in record.name for record in (*load_mutants(), *load_variants())):
        raise click.UsageError(f"no mutant and no variant has {only!r} in its name")
    with interruptible():
        proof = prove(out, only=only, workers=workers)
    click.echo(render_matrix(proof))
    click.echo(f"written: {out / MATRIX}, {out / 'kill-matrix.md'}")
    if publish and proof.holds:
        shutil.copyfile(out / MATRIX, PUBLISHED)
        click.echo(f"published: {PUBLISHED}")
    sys.exit(0 if proof.holds else 1)
