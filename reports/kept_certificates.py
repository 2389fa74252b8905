"""Keeps the certificate of a directory before another run writes its files there.

A certificate is kept with what `verify` needs: its attestation and the ledger that it was made from. Each
stands in a directory of its own, named by the time it was issued, so that keeping one again changes nothing.
"""

import shutil
from pathlib import Path
from typing import Final

from conformance.records.ledger_lines import LEDGER_FILE
from reports.certificate import (
    ATTESTATION_FILE,
    CERTIFICATE_FILE,
    CertificateError,
    digest_file,
    read_certificate,
)

KEPT: Final = "certificates"


def keep_certificate(directory: Path) -> Path | None:
    """Copies the certificate in `directory`, if there is one; where it is kept now, if it was not before.

    What is no certificate of this suite is not kept, and neither is a ledger that the certificate is not of.

    Raises:
        OSError: when a file cannot be copied: then no run may take the place of this one.
    """
    certificate = directory / CERTIFICATE_FILE
    if not certificate.is_file():
        return None
    try:
        told = read_certificate(certificate)
    except CertificateError:
        return None
    kept = directory / KEPT / "".join(one for one in told.issued[:19] if one not in ":-")
    ledger = directory / LEDGER_FILE
    is_its_own = ledger.is_file() and digest_file(ledger) == told.digests.get("ledger")
    if not is_its_own or (kept / CERTIFICATE_FILE).is_file():
        return None
    kept.mkdir(parents=True, exist_ok=True)
    for name in (LEDGER_FILE, ATTESTATION_FILE, CERTIFICATE_FILE):
        if (directory / name).is_file():
            shutil.copyfile(directory / name, kept / name)
    return kept / CERTIFICATE_FILE
