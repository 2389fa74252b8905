"""Turns an error that was raised in place of an answer into one of a few kinds of failure.

Why no connection was made is told by the types and numbers of the underlying errors, never by their texts.
"""

import socket
import ssl

import httpcore

from conformance.checks.exchange import Failure, FailureKind
from conformance.harness.wire.bodies import BodyError, CodingError

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
INTERRUPTED = Failure("other", "the run was interrupted before there was an answer")


def failure_of(error: Exception, words: str, timeout_s: float) -> Failure:
    """The failure that `error` amounts to; `words` is what it says, free of secrets."""
    if isinstance(error, httpcore.TimeoutException):
        began = (
            "no whole answer"
            if isinstance(error, httpcore.ReadTimeout)
            else "no connection, or the request could not be sent,"
        )
        return Failure("timeout", f"{began} within {timeout_s:g} s")
    return Failure(_kind(error), words)


def _kind(error: Exception) -> FailureKind:
    if isinstance(error, httpcore.ConnectError):
        return connection_failure(error)
    if isinstance(error, httpcore.RemoteProtocolError):
        return "closed" if "disconnected" in str(error) or "without sending" in str(error) else "protocol"
    if isinstance(error, httpcore.NetworkError):
        return "closed"
    if isinstance(error, CodingError):
        return "undecodable"
    return "protocol" if isinstance(error, BodyError) else "other"


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
    if isinstance(cause, ConnectionResetError):  # how far the client has come by then is chance
        return "closed"
    return "refused" if isinstance(cause, ConnectionRefusedError) else "connect"


def _of_certificate(code: int) -> FailureKind:
    if code in {_EXPIRED, _NOT_YET_VALID}:
        return "expired"
    return "other name" if code in _OTHER_NAMES else "untrusted"
