"""The command verify: recomputes a certificate."""

import sys
from functools import partial
from pathlib import Path

import click

from conformance.commands import around, options
from conformance.runs.processes.interruption import interruptible


@click.command("verify")
@click.argument("certificate", type=options.RUN)
@click.option(
    "--public-key",
    type=options.FILE,
    help="Check the signature of the attestation beside CERTIFICATE with this key (PEM).",
)
def command(certificate: Path, public_key: Path | None) -> None:
    """Recompute CERTIFICATE (a certificate.json, or the directory of one) from its ledger; no network.

    It checks the chain of the evidence.ndjson beside it, judges that again, makes a certificate of it, and
    names the first difference from this one. Where there is an attestation beside it, it compares what that
    says with what follows from the certificate, and names the first difference. Ends with 0 if it holds, 1
    if it, the ledger or the attestation was altered or is not signed with the key, 2 for wrong usage or no
    certificate, 3 if it cannot be recomputed here (no ledger, another version of the suite), 4 if it holds
    but has expired, or is of a time to come.

    The power that a certificate names is found again with the profile of the ledger: that takes a minute or
    two the first time.
    """
    from conformance.runs.admission.state import state_directory
    from conformance.runs.saved.saved_run import in_run
    from conformance.runs.saved.verifying import verify
    from reports.certificate import CERTIFICATE_FILE
    from reports.texts import one_line

    certificate = in_run(certificate, CERTIFICATE_FILE)
    with interruptible():
        state = state_directory("", None)
        verified = verify(certificate, public_key, power_of=partial(around.power_of, state=state))
    # whoever made the ledger may have put anything into it
    first, *others = (one_line(line, 1_000) for line in verified.lines)
    click.echo("\n  ".join((f"{certificate}: {first}", *others)))
    sys.exit(int(verified.outcome))
