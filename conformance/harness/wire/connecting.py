"""Why no connection was made, by the types and numbers of the underlying errors, never by their texts."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.checks.exchange import FailureKind

_EXPIRED, _NOT_YET_VALID = 10, 9
_OTHER_NAMES = {62, 64}
"""Codes of OpenSSL's verification (X509_V_ERR_...): of the dates, and of the host name or IP address."""
_NOT_TLS = {
    "WRONG_VERSION_NUMBER",
    "HTTP_REQUEST",
    "UNKNOWN_PROTOCOL",
    "RECORD_LAYER_FAILURE",
    "PACKET_LENGTH_TOO_LONG",
}
"""Reasons that OpenSSL gives where what came back is no TLS record."""


def connection_failure(error: BaseException) -> FailureKind:
    """The kind of a failure to connect, from the error of the system or of OpenSSL below `error`."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, ssl.SSLCertVerificationError):
        return _of_certificate(cause.verify_code)
    if isinstance(cause, ssl.SSLError):
        # one that Python raises itself has none
        return "not tls" if getattr(cause, "reason", "") in _NOT_TLS else "tls"
    if isinstance(cause, socket.gaierror):
        return "name"
    return "refused" if isinstance(cause, ConnectionRefusedError) else "connect"


def _of_certificate(code: int) -> FailureKind:
    if code in {_EXPIRED, _NOT_YET_VALID}:
        return "expired"
    return "other name" if code in _OTHER_NAMES else "untrusted"
