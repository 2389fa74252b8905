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
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, Struct, field

from conformance.checks.exchange import DEFAULT
from conformance.files.foreign_files import CAPTURE, lines_of, lines_within, opened
from conformance.records.ledger_lines import shared

STANDARD_INPUT = Path("-")
"""Stands for lines that another process hands over, such as what was recorded with its secrets."""
_NOTHING = b""
_HAR = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"log"')
_BEGINNING = 1024


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


class Unusable(Struct):
    """How many exchanges of a file were left out, by why."""

    counts: dict[str, int] = {}

    def add(self, why: str) -> None:
        """Counts one more."""
        self.counts[why] = self.counts.get(why, 0) + 1


_NO_HEADERS, _NO_CONTENT = Raw(b"[]"), Raw(b"{}")
"""Both are read when their entry is: those of a hundred thousand at once are large."""


class _Header(Struct):
    name: str
    value: str


class _Posted(Struct):
    text: str | None = None


class _Asked(Struct):
    method: str
    url: str
    headers: Raw = _NO_HEADERS
    sent: _Posted | None = field(default=None, name="postData")


class _Content(Struct):
    size: int = -1
    text: str | None = None
    encoding: str = ""


class _Came(Struct):
    status: int
    headers: Raw = _NO_HEADERS
    content: Raw = _NO_CONTENT


class _Entry(Struct):
    request: _Asked
    response: _Came
    at: datetime = field(name="startedDateTime")
    time: float = 0


class _Log(Struct):
    entries: list[_Entry]


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


def recorded_in(path: Path, left: Unusable) -> Iterator[Recorded]:
    """The exchanges of a file in its order, HAR or NDJSON by what it holds; those left out are counted.

    `STANDARD_INPUT` is NDJSON.

    Raises:
        CaptureError: when it is neither, or over its bounds.
    """
    try:
        is_har = path != STANDARD_INPUT and _begins_as_har(path)
        yield from _of_har(path, left) if is_har else _of_lines(path)
    except OSError as error:
        raise CaptureError(f"{path}: {error.strerror or error}") from error


def _begins_as_har(path: Path) -> bool:
    with opened(path) as file:
        return _HAR.match(file.read(_BEGINNING)) is not None


def _of_har(path: Path, left: Unusable) -> Iterator[Recorded]:
    with opened(path) as file:
        file.seek(0, 2)
        size = file.tell()
        if size > CAPTURE.whole:
            raise CaptureError(
                f"{path}: is longer than {CAPTURE.whole >> 30} GiB, the most for a {CAPTURE.name}"
            )
        try:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else _NOTHING
            start = 3 if content[:3] == b"\xef\xbb\xbf" else 0
            with memoryview(content) as whole:
                entries = msgspec.json.decode(whole[start:], type=_Har).log.entries
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise CaptureError(f"{path}: is neither HAR 1.2 nor NDJSON: {str(error)[:200]}") from error
    entries.reverse()
    while entries:
        try:
            found = _of_entry(entries.pop(), left)
        except msgspec.DecodeError:
            left.add("its headers or its content are not as HAR has them")
        else:
            yield from [found] if found else ()


def _of_entry(entry: _Entry, left: Unusable) -> Recorded | None:
    asked, came = entry.request, entry.response
    content = msgspec.json.decode(came.content, type=_Content)
    text, body = content.text, _NOTHING
    if came.status == 0 and asked.method.upper() == "GET":  # a write may have had its effect
        left.add("no answer was recorded")
    elif came.status == 304:
        left.add("not modified: the body is that of an earlier one")
    elif text is None and content.size > 0:
        left.add("the body was not recorded")
    else:
        try:
            if text:
                body = (
                    base64.b64decode(text, validate=True) if content.encoding == "base64" else text.encode()
                )
        except (binascii.Error, UnicodeEncodeError):
            left.add("the body cannot be decoded")
            return None
        at = entry.at if entry.at.tzinfo else entry.at.replace(tzinfo=UTC)
        sent = asked.sent.text if asked.sent else None
        return Recorded(
            at,
            asked.method.upper(),
            asked.url,
            _pairs(asked.headers),
            sent,
            came.status,
            _pairs(came.headers),
            body,
            max(entry.time, 0),
        )
    return None


def _pairs(headers: Raw) -> tuple[tuple[str, str], ...]:
    named = msgspec.json.decode(headers, type=list[_Header])
    return shared(tuple((header.name, header.value) for header in named))


def _of_lines(path: Path) -> Iterator[Recorded]:
    decoder = msgspec.json.Decoder(RecordedLine)
    is_file = path != STANDARD_INPUT
    lines = lines_of(path, CAPTURE) if is_file else lines_within(sys.stdin.buffer, path, CAPTURE)
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = decoder.decode(text)
            came = line.response
            encoded = came.body_encoding
            body = base64.b64decode(came.body, validate=True) if encoded else came.body.encode(DEFAULT)
        except (msgspec.DecodeError, binascii.Error, RecursionError, UnicodeError) as error:
            raise CaptureError(f"{path}: line {number} is no exchange: {str(error)[:200]}") from error
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
