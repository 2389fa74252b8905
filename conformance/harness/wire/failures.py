"""Turns an error that was raised in place of an answer into one of a few kinds of failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks.exchange import Failure
from conformance.harness.wire.bodies import BodyError, CodingError
from conformance.harness.wire.client import httpx
from conformance.harness.wire.connecting import connection_failure

if TYPE_CHECKING:
    from conformance.checks.exchange import FailureKind

INTERRUPTED = Failure("other", "the run was interrupted before there was an answer")


def failure_of(error: Exception, words: str, timeout_s: float) -> Failure:
    """The failure that `error` amounts to; `words` is what it says, free of secrets."""
    if isinstance(error, httpx.TimeoutException):
        began = (
            "no whole answer"
            if isinstance(error, httpx.ReadTimeout)
            else "no connection, or the request could not be sent,"
        )
        return Failure("timeout", f"{began} within {timeout_s:g} s")
    return Failure(_kind(error), words)


def _kind(error: Exception) -> FailureKind:
    if isinstance(error, httpx.ConnectError):
        return connection_failure(error)
    if isinstance(error, httpx.RemoteProtocolError):
        return "closed" if "disconnected" in str(error) or "without sending" in str(error) else "protocol"
    if isinstance(error, httpx.NetworkError):
        return "closed"
    if isinstance(error, CodingError):
        return "undecodable"
    return "protocol" if isinstance(error, BodyError) else "other"
