"""What a run reaches its target through: connections, requests at once, TLS, and the time of a request.

A timeout for each read does not bound an answer: a server may send a header a byte at a time, or interim
responses without end. So every read, write and connect of a request has only what is left of that request's
time.
"""

import ssl
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import httpcore

from conformance.files.foreign_files import AUTHORITIES, read_bytes
from conformance.harness.clock import REAL, Clock
from conformance.harness.errors import TransportError
from conformance.profiles.keeping import fill
from conformance.profiles.model import Profile


class Network(NamedTuple):
    """What opens connections, what makes as many requests at once as it is told, and what speaks HTTP.

    Time goes on by the `clock`.
    """

    backend: httpcore.NetworkBackend
    pool: Callable[[int], Executor]
    connections: Callable[..., httpcore.ConnectionPool] = httpcore.ConnectionPool
    clock: Clock = REAL


SOCKETS = Network(httpcore.SyncBackend(), ThreadPoolExecutor)
"""The network of the system, with a thread for each request."""


def verification(profile: Profile, environment: Mapping[str, str]) -> ssl.SSLContext | None:
    """One TLS context for all connections: building one is slow, and only https needs it.

    Raises:
        TransportError: when a file that the profile names cannot be read, or holds nothing of use.
    """
    token_url = profile.auth.oauth2.token_url if profile.auth.oauth2 else ""
    if "https" not in {urlsplit(url).scheme for url in (profile.target.base_url, token_url)}:
        return None
    bundle = profile.http.verify if isinstance(profile.http.verify, str) else None
    files = [fill(text, environment) for text in profile.http.client_cert]
    # OpenSSL would wait for a pipe, and read a device to its end
    if bundle is not None:
        _require_readable("verify", bundle, bundle)
    for file, text in zip(files[:2], profile.http.client_cert, strict=False):
        _require_readable("client_cert", file, text)
    try:
        context = ssl.create_default_context(cafile=bundle)
        if files:
            context.load_cert_chain(*files)
    except OSError as error:
        raise TransportError(f"http.verify or http.client_cert cannot be used: {error}") from error
    if profile.http.verify is False:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def _require_readable(field: str, file: str, text: str) -> None:
    """Requires a file that the profile names with a text, in which no secret is filled."""
    try:
        read_bytes(Path(file), AUTHORITIES)
    except OSError as error:
        raise TransportError(f"http.{field}: {text}: {error.strerror or error}") from error


class Deadline(threading.local):
    """When the request of this thread began and until when its answer may take, in seconds of a clock."""

    began: float = 0.0
    until: float = float("inf")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def begin(self, seconds: float) -> None:
        """The time of a request runs from now."""
        self.began = self._clock.now()
        self.until = self.began + seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the request began."""
        return self._clock.now() - self.began

    def left(self, timeout: float | None) -> float:
        """The seconds that one more operation may take.

        Raises:
            httpcore.ReadTimeout: when there are none.
        """
        seconds = self.until - self._clock.now()
        if seconds <= 0:
            raise httpcore.ReadTimeout("no whole answer in time")
        return seconds if timeout is None else min(timeout, seconds)
