"""Reads the body of an answer, and inflates it, within bounds; or tells what failed in place of an answer.

A body of a few kilobytes may inflate to gigabytes. So nothing is inflated beyond the bound, which holds while
it is read, and one content coding at most is undone: gzip or deflate, which is what requests accept.

An error that was raised becomes one of a few kinds of failure. Why no connection was made is told by the
types and numbers of the underlying errors, never by their texts.
"""

import socket
import ssl
import zlib
from collections.abc import Iterator
from io import BytesIO
from typing import NamedTuple, cast

import httpcore

from conformance.checks.exchange import Cut, Failure, FailureKind, Response
from conformance.harness.wire.client import httpx
from conformance.profiles.sections import LimitName, Limits

ACCEPTED = "gzip, deflate"
_MOST_OF_HEAD = 100 * 1_024
"""Bytes of a head that h11 certainly reads; more of them it reads or not, by how they come in packets."""
_SMALL = 1 << 16
_GZIP = zlib.MAX_WBITS | 16
_UNREADABLE = frozenset(
    {"br", "zstd", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"}
)
"""Registered content codings that are not undone here; a word that names none is ignored, since the body may
be plain all the same.
"""


class CodingError(Exception):
    """A body that cannot be read at all: its content coding is none that is undone here, or stands twice."""


class BodyError(Exception):
    """A body that is not compressed as its content coding says."""


class Body(NamedTuple):
    """What was read of a body, whether that is all, and the bound that it exceeds."""

    data: bytes
    complete: bool
    limit: LimitName | None = None


class BodyReader:
    """Reads one body; `limit` names the bound that was met, None as long as there was none."""

    def __init__(self, response: httpx.Response, most: int, inflation: int) -> None:
        """Prepares to read `most` bytes, decoded, and no more than `inflation` for each byte that comes.

        Raises:
            CodingError: when the body cannot be decoded.
        """
        self._response = response
        self._most = most
        self._inflation = inflation
        self._inflater = _inflater(response)
        self.limit: LimitName | None = None

    @property
    def is_whole(self) -> bool:
        """Whether the body came to its end."""
        return self.limit is None and (self._inflater is None or self._inflater.is_whole)

    def pieces(self) -> Iterator[bytes]:
        """The decoded body, one byte beyond the bound at most.

        Raises:
            BodyError: when it is not compressed as its content coding says.
            Exception: of httpcore, when the target breaks off.
        """
        came = decoded = 0
        # unlike httpx's iterators, this leaves the connection with the response
        for chunk in cast("httpx.SyncByteStream", self._response.stream):
            room = self._most + 1 - decoded
            piece = self._inflater.some(chunk, room) if self._inflater else chunk[:room]
            came, decoded = came + len(chunk), decoded + len(piece)
            yield piece
            if max(came, decoded) > self._most:
                self.limit = "body_bytes"
            elif decoded > max(_SMALL, came * self._inflation):
                self.limit = "inflation"
            if self.limit:
                return


def read_body(response: httpx.Response, limits: Limits) -> Body:
    """The decoded body, as far as `limits` allow; none of it where the headers are over their bounds.

    Raises:
        BodyError: when it is not compressed as its content coding says.
        CodingError: when it cannot be decoded.
        Exception: of httpcore, when nothing of it comes, and where its head may be too long to be read.
    """
    headers = response.headers.raw
    header_bytes = sum(len(name) + len(value) for name, value in headers)
    if header_bytes > limits.header_bytes and _head_bytes(response, header_bytes) > _MOST_OF_HEAD:
        raise httpcore.RemoteProtocolError("Receive buffer too long")
    if len(headers) > limits.headers:
        return Body(b"", complete=True, limit="headers")
    if header_bytes > limits.header_bytes:
        return Body(b"", complete=True, limit="header_bytes")
    reader = BodyReader(response, limits.body_bytes, limits.inflation)
    data = BytesIO()  # gives its bytes away without a copy
    try:
        for piece in reader.pieces():
            data.write(piece)
    except httpcore.RemoteProtocolError:
        if not data.tell():
            raise
        return Body(data.getvalue(), complete=False)
    return Body(data.getvalue(), reader.is_whole or reader.limit is not None, reader.limit)


def _head_bytes(response: httpx.Response, header_bytes: int) -> int:
    """How long the head of an answer was whose names and values are `header_bytes` long."""
    status_line = f"{response.http_version} {response.status_code} {response.reason_phrase}\r\n"
    return len(status_line) + header_bytes + len(": \r\n") * len(response.headers.raw) + len("\r\n")


def _inflater(response: httpx.Response) -> "_Inflater | None":
    """What undoes the content coding; None for a plain body.

    Raises:
        CodingError: when nothing here does.
    """
    if "content-encoding" not in response.headers:
        return None
    words = [word.strip().lower() for word in response.headers["content-encoding"].split(",")]
    known = _UNREADABLE | {"gzip", "x-gzip", "deflate"}
    codings = [word.removeprefix("x-") for word in words if word in known]
    if not codings:
        return None
    if len(codings) > 1:
        raise CodingError(f"the body has {len(codings)} content codings, one inside the other")
    if codings[0] in _UNREADABLE:
        raise CodingError(f"the body has the content coding {codings[0]}, where requests accept {ACCEPTED}")
    return _Inflater(codings[0])


class _Inflater:
    """Undoes gzip or deflate, some bytes at a time."""

    def __init__(self, coding: str) -> None:
        self._coding = coding
        self._stream = zlib.decompressobj(_GZIP if coding == "gzip" else zlib.MAX_WBITS)
        self._is_fresh = True

    @property
    def is_whole(self) -> bool:
        """Whether the compressed data came to its end; so did data of which nothing came, as after a 204."""
        return self._is_fresh or self._stream.eof

    def some(self, data: bytes, most: int) -> bytes:
        """What `data` inflates to, `most` bytes of it.

        Raises:
            BodyError: when it is not compressed like that.
        """
        try:
            return self._tried(data, most)
        except zlib.error as error:
            raise BodyError(f"the body is not {self._coding}: {error}") from error

    def _tried(self, data: bytes, most: int) -> bytes:
        fresh, self._is_fresh = self._is_fresh, self._is_fresh and not data
        if self._stream.eof:
            return b""  # what stands after the end of compressed data is none of it
        try:
            return self._stream.decompress(data, most)
        except zlib.error:
            if self._coding != "deflate" or not fresh:
                raise
            self._stream = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers leave out the zlib header
            return self._stream.decompress(data, most)


def response_of(
    streamed: httpx.Response, body: Body, elapsed_s: float, connection: int = 0, surplus: int = 0
) -> Response:
    """What is kept of an answer whose body was read.

    `elapsed_s` is how long it took, `connection` the number of its connection, `surplus` the bytes beyond it.
    """
    headers, elapsed_ms = tuple(streamed.headers.multi_items()), round(elapsed_s * 1000, 1)
    cut = Cut.of(body.data, body.limit) if body.limit else None
    shown = streamed.status_code, headers, body.data, elapsed_ms
    return Response(*shown, (), body.complete, connection, surplus, cut)


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
