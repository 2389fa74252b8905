"""Why no connection is made is a kind of failure, so that whoever reads it knows what to look at first."""

from __future__ import annotations

import socket
import ssl
from typing import TYPE_CHECKING

import pytest

from conformance.harness.wire.connecting import connection_failure
from conformance.selftest.support.certificates import self_signed, showing
from conformance.selftest.support.raw_server import always, http, profile_at, raw_server, sent

if TYPE_CHECKING:
    from pathlib import Path

CERTIFICATES: dict[str, tuple[str, int, bool]] = {
    "untrusted": ("localhost", 1, False),
    "expired": ("localhost", -1, True),
    "other name": ("other.example", 1, True),
}
"""By the kind of failure: the host of a certificate, the days until it ends, whether the profile trusts it.
"""


def failure_at(url: str, **http_table: object) -> str | None:
    """The kind of failure a request to `url` ends with."""
    (attempt,) = sent(profile_at(url, http={"timeout_s": 5, **http_table}))
    return attempt.failure and attempt.failure.kind


@pytest.mark.parametrize("kind", CERTIFICATES)
def test_fault_of_a_certificate_is_named(kind: str, tmp_path: Path) -> None:
    """A certificate that nobody has signed, that has expired, or that is for another host: each is a kind of
    its own.
    """
    host, days, trusted = CERTIFICATES[kind]
    certificate = self_signed(tmp_path / "server.pem", host, days=days)
    with showing(certificate) as url:
        assert failure_at(url, verify=str(certificate) if trusted else True) == kind


def test_server_without_tls_is_named() -> None:
    """An https address where plain HTTP is spoken is no fault of a certificate."""
    with raw_server(always(http())) as raw:
        assert failure_at(raw.url.replace("http:", "https:")) == "not tls"


def test_nobody_listens() -> None:
    """A refused connection is a failure of its own."""
    with raw_server(always(b"")) as raw:
        url = raw.url
    assert failure_at(url) == "refused"


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (socket.gaierror(-2, "anything"), "name"),
        (OSError(113, "No route to host"), "connect"),
        (ssl.SSLError(1, "[SSL: TLSV1_ALERT_PROTOCOL_VERSION]"), "tls"),
        (None, "connect"),
    ],
)
def test_kind_comes_from_the_error_below(cause: OSError | None, kind: str) -> None:
    """The kind is that of the error from which the client's own was raised, however many lie between,
    whatever their texts say.
    """
    between, error = RuntimeError("SSL certificate refused"), RuntimeError("name")
    between.__cause__, error.__cause__ = cause, between
    assert connection_failure(error) == kind
