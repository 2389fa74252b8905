"""verify."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.exits import USAGE
from conformance.runs.interruption import interruptible


@click.command("verify")
@click.argument("certificate", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option(
    "--public-key",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Check the signature beside CERTIFICATE with this Ed25519 key (PEM).",
)
def verify_command(certificate: Path, public_key: Path | None) -> None:
    """Recompute CERTIFICATE (a certificate.json) from the evidence.ndjson beside it; no network.

    The chain of the ledger is checked, the ledger judged again, and the certificate made of that compared with this one; the first
    difference is named. Ends with 0 when it holds, 1 when it or the ledger was altered or the signature is not that of the key, 2 for wrong
    usage or no certificate, 3 when it cannot be recomputed here (no ledger, another version of the suite), 4 when it holds but has expired.
    """
    from conformance.signing import SigningError  # noqa: PLC0415  so that --help answers at once
    from conformance.verifying import verify  # noqa: PLC0415  likewise
    from reports.certificate import CertificateError  # noqa: PLC0415  likewise
    from reports.wording import one_line  # noqa: PLC0415  likewise

    try:
        with interruptible():
            verified = verify(certificate, public_key)
    except (CertificateError, SigningError) as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)
    first, *others = (one_line(line, 1_000) for line in verified.lines)  # whoever made the ledger may have put anything into it
    click.echo("\n  ".join((f"{certificate}: {first}", *others)))
    sys.exit(int(verified.outcome))
