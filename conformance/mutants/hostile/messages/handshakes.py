"""Servers whose TLS is wrong: an untrusted certificate, or no TLS where the profile says https."""

import ssl
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from conformance.mutants.hostile.model import Ending, Fault, Hostile, Outcome, Pause
from conformance.mutants.hostile.replies import always, conforming, endless
from conformance.reference.server import HOST

NOTHING_LEARNED = Outcome(exit=3)


@contextmanager
def wrong_certificate(fault: Fault) -> Generator[tuple[ssl.SSLContext, str | bool]]:
    """A context for a server whose certificate has this fault, and the `http.verify` of its profile.

    Raises:
        ModuleNotFoundError: trustme, which makes the certificates, is not installed (it comes with the extra
            dev).
    """
    import trustme  # noqa: PLC0415  only these servers need it

    authority = trustme.CA()
    host = "other.example" if fault == "other-host" else HOST
    end = datetime.now(UTC) + timedelta(days=-1 if fault == "expired" else 1)
    certificate = authority.issue_cert(host, not_before=end - timedelta(days=2), not_after=end)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with TemporaryDirectory() as directory:
        own = Path(directory) / "own.pem"
        certificate.private_key_and_cert_chain_pem.write_to_path(own)
        context.load_cert_chain(own)
        trusted = Path(directory) / "authority.pem"
        authority.cert_pem.write_to_path(trusted)
        yield context, True if fault == "self-signed" else str(trusted)


# fmt: off
HANDSHAKES = (
    Hostile("tls-untrusted", "The certificate is signed by nobody the client trusts.", lambda: conforming,
        NOTHING_LEARNED, scheme="https", certificate="self-signed"),
    Hostile("tls-expired", "The certificate expired yesterday.", lambda: conforming, NOTHING_LEARNED,
        scheme="https", certificate="expired"),
    Hostile("tls-other-host", "The certificate is that of another host.", lambda: conforming,
        NOTHING_LEARNED, scheme="https", certificate="other-host"),
    Hostile("tls-not-spoken", "Plain HTTP is spoken where the profile says https.", always(),
        NOTHING_LEARNED, scheme="https",
        greeting=lambda: (b"HTTP/1.1 400 Bad Request\r\n\r\n", Ending.CLOSE)),
    Hostile("tls-garbage", "Noise answers the handshake, without end.", always(), NOTHING_LEARNED,
        scheme="https", greeting=lambda: endless(bytes(range(256)) * 64)),
    Hostile("tls-silent", "Nothing answers the handshake.", always(), NOTHING_LEARNED, scheme="https",
        greeting=lambda: (Pause(60),)),
)
