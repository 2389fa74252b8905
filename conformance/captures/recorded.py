"""Reads what others have recorded: HAR 1.2, and NDJSON with an exchange a line.

HAR is what browsers and proxies save. A line of NDJSON is an exchange as a ledger has it, without what only a
run of this suite knows; `line_schema` says what it may hold, for whoever writes such lines.
"""

import base64
import binascii
import json
import mmap
import re
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import IO, Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct, field

from conformance.checks.exchange import DEFAULT
from conformance.files.foreign_files import CAPTURE, lines_within, opened
from conformance.records.ledger_lines import shared

STANDARD_INPUT = Path("-")
"""Stands for what another process hands over, such as what was recorded with its secrets."""
_HAR = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"log"')
_BEGINNING = 1024
_NO_CONTENT = 204
_NOT_HAR = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
_ODD = "its request or its answer is not as HAR has them"
_CACHED = "the browser answered from its cache"
_CACHES = ("Disk Cache", "Memory Cache")
"""How Safari names what it did not ask for."""


class CaptureError(Exception):
    """A capture that cannot be read; the text names the file and says why."""


class Recorded(Struct, frozen=True):
    """An exchange as somebody else recorded it: whole, and with all its headers and secrets.

    `at` is when the request was sent; `text` is what it carried, None for nothing; `body` is what came back,
    decoded. `status` is 0 where a write got no answer.
    """

    at: datetime
    method: str
    url: str
    request_headers: tuple[tuple[str, str], ...]
    text: str | None
    status: int
    response_headers: tuple[tuple[str, str], ...]
    body: bytes
    elapsed_ms: float


class _Header(Struct):
    name: str
    value: str


class _Posted(Struct):
    text: str | None = None


class _Named(Struct):
    """What tells that a write was sent, however odd it is else."""

    method: str
    url: str


class _Asked(_Named):
    headers: list[_Header] = []
    sent: _Posted | None = field(default=None, name="postData")


class _Content(Struct, frozen=True):
    size: object = -1
    text: str | None = None
    encoding: str | None = None


class _Came(Struct):
    status: int
    headers: list[_Header] = []
    content: _Content = _Content()


class _Entry(Struct):
    """What is read of an entry; without a usable `size` or `time` it shows all that is judged.

    `cache` is how Chrome says that it did not ask, and `source` how Safari does.
    """

    request: Raw
    response: Raw
    at: datetime = field(name="startedDateTime")
    time: object = 0
    cache: object = field(default=None, name="_fromCache")
    source: object = field(default=None, name="_fetchType")

    @property
    def is_cached(self) -> bool:
        """Whether what stands for an answer is an older one: the target was not asked."""
        return bool(self.cache) or self.source in _CACHES


class _Log(Struct):
    """Each entry is decoded by itself: an odd one leaves the others, and all of them at once are large."""

    entries: list[Raw]


class _Har(Struct):
    log: _Log


_Headers = tuple[tuple[str, str], ...]
_Moment = Annotated[datetime, Meta(tz=True, description="When the request was sent (RFC 3339).")]


class LineRequest(Struct, forbid_unknown_fields=True):
    """What was sent; the secrets of headers and of the query are taken out when it is read."""

    method: Annotated[str, Meta(pattern="^[A-Z]+$")]
    url: Annotated[str, Meta(pattern="^https?://", description="The whole address.")]
    headers: _Headers = ()
    body: Annotated[str | None, Meta(description="The text that was sent; null for nothing.")] = None


class LineResponse(Struct, forbid_unknown_fields=True):
    """What came back, decoded; `body_encoding` is for bytes that are no text of UTF-8."""

    status: Annotated[int, Meta(ge=100, le=599)]
    headers: _Headers = ()
    body: str = ""
    body_encoding: Literal["base64"] | None = None
    elapsed_ms: Annotated[float, Meta(ge=0)] = 0


class RecordedLine(Struct, forbid_unknown_fields=True):
    """An exchange, one a line."""

    at: _Moment
    request: LineRequest
    response: LineResponse


def line_schema() -> dict[str, Any]:
    """The JSON Schema of a line of NDJSON."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **msgspec.json.schema(RecordedLine)}


def render_line_schema() -> str:
    """The schema as text."""
    return f"{json.dumps(line_schema(), indent=2)}\n"


def named(path: Path) -> str:
    """Where a capture stands, for messages."""
    return "standard input" if path == STANDARD_INPUT else str(path)


def recorded_in(path: Path, left: Counter[str]) -> Iterator[Recorded]:
    """The exchanges of a file in its order, HAR or NDJSON by what it holds; `left` counts others by why.

    Raises:
        CaptureError: when it is neither, or over its bounds.
    """
    try:
        with _opened(path) as file:
            is_har = _HAR.match(file.read(_BEGINNING)) is not None
            file.seek(0)
            yield from _of_har(file, path, left) if is_har else _of_lines(file, path)
    except OSError as error:
        raise CaptureError(f"{named(path)}: {error.strerror or error}") from error


@contextmanager
def _opened(path: Path) -> Generator[IO[bytes]]:
    """What standard input holds is kept in memory alone, with its secrets."""
    if path == STANDARD_INPUT:
        yield BytesIO(sys.stdin.buffer.read(CAPTURE.whole + 1))
    else:
        with opened(path) as file:
            yield file


def _of_har(file: IO[bytes], path: Path, left: Counter[str]) -> Iterator[Recorded]:
    if file.seek(0, 2) > CAPTURE.whole:
        raise CaptureError(
            f"{named(path)}: is longer than {CAPTURE.whole >> 30} GiB, the most for a {CAPTURE.name}"
        )
    is_given = isinstance(file, BytesIO)  # which gives its bytes away without a copy
    content = file.getvalue() if is_given else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    start = 3 if content[:3] == b"\xef\xbb\xbf" else 0
    try:
        with memoryview(content) as whole:
            entries = msgspec.json.decode(whole[start:], type=_Har).log.entries
    except _NOT_HAR as error:
        raise CaptureError(f"{named(path)}: is neither HAR 1.2 nor NDJSON: {str(error)[:200]}") from error
    for text in entries:
        try:
            found = _of_entry(msgspec.json.decode(text, type=_Entry), left)
        except _NOT_HAR:
            left[_ODD] += 1
        else:
            yield from [found] if found else ()


def _of_entry(entry: _Entry, left: Counter[str]) -> Recorded | None:
    """An exchange; None for a read that was not recorded whole."""
    try:
        asked, is_odd = msgspec.json.decode(entry.request, type=_Asked), False
    except _NOT_HAR:
        named = msgspec.json.decode(entry.request, type=_Named)
        asked, is_odd = _Asked(named.method, named.url), True
    try:
        came = msgspec.json.decode(entry.response, type=_Came)
        body, why = _body_of(came)
    except _NOT_HAR:
        came, body, why = _Came(0), b"", _ODD
    why = _ODD if is_odd else _CACHED if entry.is_cached else why
    if why and asked.method.upper() == "GET":
        left[why] += 1
        return None
    return Recorded(
        entry.at if entry.at.tzinfo else entry.at.replace(tzinfo=UTC),
        asked.method.upper(),
        asked.url,
        _pairs(asked.headers),
        asked.sent.text if asked.sent else None,
        0 if why else came.status,  # a write may have had its effect, whatever came of its answer
        _pairs(came.headers),
        body,
        max(entry.time, 0) if isinstance(entry.time, int | float) else 0,
    )


def _body_of(came: _Came) -> tuple[bytes, str]:
    """The body of an answer, and why the answer is of no use; empty where it is."""
    text, size = came.content.text, came.content.size
    if came.status == 0:
        return b"", "no answer was recorded"
    if came.status == 304:
        return b"", "not modified: the body is that of an earlier one"
    if text is None and size != 0 and came.status != _NO_CONTENT:
        return b"", "the body was not recorded"
    try:
        is_packed = came.content.encoding == "base64"
        return base64.b64decode(text or "", validate=True) if is_packed else (text or "").encode(), ""
    except (binascii.Error, UnicodeEncodeError):
        return b"", "the body cannot be decoded"


def _pairs(headers: list[_Header]) -> tuple[tuple[str, str], ...]:
    return shared(tuple((header.name, header.value) for header in headers))


def _of_lines(file: IO[bytes], path: Path) -> Iterator[Recorded]:
    decoder = msgspec.json.Decoder(RecordedLine)
    for number, text in enumerate(lines_within(file, path, CAPTURE), start=1):
        if not text.strip():
            continue
        try:
            line = decoder.decode(text)
            came = line.response
            encoded = came.body_encoding
            body = base64.b64decode(came.body, validate=True) if encoded else came.body.encode(DEFAULT)
        except (msgspec.DecodeError, binascii.Error, RecursionError, UnicodeError) as error:
            what = "is neither a ledger nor HAR 1.2, and " if number == 1 else ""
            told = f"{named(path)}: {what}line {number} is no exchange: {str(error)[:200]}"
            raise CaptureError(told) from error
        yield Recorded(
            line.at,
            line.request.method,
            line.request.url,
            line.request.headers,
            line.request.body,
            came.status,
            came.headers,
            body,
            came.elapsed_ms,
        )
