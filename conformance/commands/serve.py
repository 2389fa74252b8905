"""The command serve: runs a server of the suite."""

import re
import sys
import threading
from contextlib import suppress
from pathlib import Path

import click

from conformance.commands import options
from conformance.runs.exit_codes import USAGE
from conformance.runs.processes.interruption import interruptible


@click.command("serve")
@click.argument("target", default="reference")
@options.port(8080)
@options.CLIENT_VENDOR
@options.out(Path("reports/out/serve"))
def command(target: str, port: int, vendor: str | None, out: Path) -> None:
    """Run a server of the suite on loopback until Ctrl-C.

    TARGET is reference, mutant:NAME, variant:NAME, unearned:NAME or hostile:NAME. Prints its base URL, and
    the path of a profile that fits.
    """
    from conformance.profiles.toml import toml_of
    from conformance.reference.server import ServeError
    from conformance.runs.targets import is_embedded, serve_embedded

    if not is_embedded(target):
        raise click.UsageError(
            f"{target!r} is no server of the suite: reference, mutant:NAME, variant:NAME, unearned:NAME or"
            " hostile:NAME"
        )
    if vendor is not None and target.startswith("hostile:"):
        raise click.UsageError("--vendor goes without a hostile server: it answers what it likes")
    if vendor is not None and not re.fullmatch(r"[^./\s]+", vendor):
        raise click.UsageError("--vendor is one word, the first segment of a key")
    try:
        with (
            interruptible(),
            suppress(KeyboardInterrupt),
            serve_embedded(target, port, vendor=vendor or "") as (base_url, profile),
        ):
            out.mkdir(parents=True, exist_ok=True)
            path = out / f"{target.replace(':', '-')}.toml"
            path.write_text(toml_of(profile), encoding="utf-8")
            click.echo(f"base URL  {base_url}\nprofile   {path}\nCtrl-C stops it")
            threading.Event().wait()
    except ServeError as error:
        click.echo(f"{error}: choose another --port", err=True)
        sys.exit(USAGE)
