"""The lines of a ledger, as records of what they hold, and the records of a run made of them again.

A line that was altered by hand may hold anything: every member is read by its type, so that a wrong one is
refused where it is read. On a disk that may be full a line is written whole or not at all.
"""

import base64
import io
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from sys import intern
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, convert, to_builtins

from catalog.model import Level
from conformance.checks.exchange import (
    WRITES,
    Cut,
    Exchange,
    Failure,
    Noted,
    Purpose,
    Remark,
    Request,
    Response,
)
from conformance.checks.groups import Group
from conformance.checks.losses import note_of
from conformance.harness.writes.keeping.owed import NotRestored
from conformance.profiles.sections import LimitName

SCHEMA = "appliance-conformance/evidence/1"
Count = Annotated[int, Meta(ge=0)]
Moment = Annotated[datetime, Meta(tz=True)]


class Header(Struct, frozen=True):
    """The first line: what the run was, and all that judging needs beside the exchanges."""

    suite: str
    catalog_sha256: str
    judging_sha256: str
    level: Level
    seed: str
    profile: dict[str, Any]
    at: str

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        convert(self.at, Moment)


class _Request(Struct):
    method: str
    url: str
    headers: dict[str, str]
    body: str | None


class _Response(Struct, kw_only=True):
    status: int
    headers: list[tuple[str, str]]
    body: str
    body_encoding: Literal["base64"] | None = None
    elapsed_ms: float
    connection: Count
    surplus_bytes: Count
    redirects: tuple[str, ...] = ()
    complete: bool = True
    body_cut: bool = False
    body_length: Count = 0
    body_sha256: str = ""
    limit: LimitName | None = None


class _Line(Struct):
    n: Count
    groups: list[str]
    lane: str
    ha_id: str
    key: str


class _Exchange(_Line):
    at: Moment
    purpose: Purpose
    segment: str
    request: _Request
    response: _Response | None = None
    failure: Failure | None = None
    value: Any = None


class _Remark(_Line):
    at: str
    purpose: Noted
    note: dict[str, Any]


class End(Struct, kw_only=True):
    """The last line of a run that came to its end: what ended it early, and what it could not put back."""

    trouble: str = ""
    not_restored: tuple[NotRestored, ...] = ()
    at: str


def header_line(header: Header) -> dict[str, Any]:
    """The first line of a ledger."""
    return {"n": 0, "purpose": "run", "schema": SCHEMA, **to_builtins(header)}


def header_of(line: Mapping[str, Any]) -> Header:
    """What the first line says.

    Raises:
        ValueError: when a member is missing or of a wrong type (msgspec's ValidationError is one).
    """
    if (line.get("purpose"), line.get("schema")) != ("run", SCHEMA):
        raise ValueError("not the first line of a run")
    return convert(line, Header)


def exchange_line(exchange: Exchange) -> dict[str, Any]:
    """An exchange as a line, without the hash of the line before."""
    line: dict[str, Any] = {
        "n": exchange.n,
        "purpose": exchange.purpose,
        "groups": [_text_of(group) for group in (exchange.group, *exchange.also) if group],
        "lane": exchange.lane,
        "ha_id": exchange.ha_id,
        "key": exchange.key,
        "segment": exchange.segment,
        "request": {
            "method": exchange.request.method,
            "url": exchange.request.url,
            "headers": dict(exchange.request.headers),
            "body": exchange.request.body,
        },
    }
    if exchange.purpose in WRITES:
        line["value"] = exchange.value
    if exchange.response:
        line["response"] = _response_line(exchange.response)
    if exchange.failure:
        redirects = {"redirects": list(exchange.failure.redirects)} if exchange.failure.redirects else {}
        line["failure"] = {"kind": exchange.failure.kind, "text": exchange.failure.text, **redirects}
    return {**line, "at": exchange.at}


def exchange_of(line: Mapping[str, Any]) -> Exchange:
    """The exchange that a line holds.

    Raises:
        ValueError: when a member is missing or of a wrong type.
    """
    read = convert(line, _Exchange)
    headers = _shared(tuple(read.request.headers.items()))
    request = Request(intern(read.request.method), read.request.url, headers, read.request.body)
    response = _response_of(read.response) if read.response else None
    groups = [_group(text) for text in read.groups]
    lane, ha_id, key, segment = map(intern, (read.lane, read.ha_id, read.key, read.segment))
    place = (read.n, read.purpose, groups[0] if groups else None, lane, ha_id, key, segment)
    came = (request, response, read.failure, line["at"], read.value)
    return Exchange(*place, *came, also=tuple(groups[1:]))


def remark_of(line: Mapping[str, Any]) -> Remark:
    """What a line without a request says.

    Raises:
        ValueError: when a member is missing or of a wrong type, or it was noted in no procedure.
    """
    read = convert(line, _Remark)
    if not read.groups:
        raise ValueError(f"line {read.n} is noted in no procedure")
    remark = Remark(read.purpose, Group.parse(read.groups[0]), read.ha_id, read.key, read.note)
    if remark.purpose == "lost":
        note_of(remark)  # which raises where the note is none of a loss
    return remark


def end_of(line: Mapping[str, Any]) -> End:
    """What the last line says.

    Raises:
        ValueError: when a member is missing or of a wrong type.
    """
    return convert(line, End)


def _response_line(response: Response) -> dict[str, Any]:
    line: dict[str, Any] = {
        "status": response.status,
        "headers": [list(header) for header in response.headers],
    }
    try:
        line["body"] = response.body.decode("utf-8")
    except UnicodeDecodeError:
        line |= {"body": base64.b64encode(response.body).decode(), "body_encoding": "base64"}
    line |= {
        "elapsed_ms": response.elapsed_ms,
        "connection": response.connection,
        "surplus_bytes": response.surplus_bytes,
    }
    if response.redirects:
        line["redirects"] = list(response.redirects)
    if not response.complete:
        line["complete"] = False
    if response.cut:
        line |= {
            "body_cut": True,
            "body_length": response.cut.length,
            "body_sha256": response.cut.sha256,
            "limit": response.cut.limit,
        }
    return line


def _response_of(read: _Response) -> Response:
    body = base64.b64decode(read.body, validate=True) if read.body_encoding else read.body.encode("utf-8")
    cut = Cut(read.body_length, read.body_sha256, read.limit) if read.body_cut and read.limit else None
    came = (read.elapsed_ms, read.redirects, read.complete, read.connection, read.surplus_bytes, cut)
    return Response(read.status, _shared(tuple(read.headers)), body, *came)


_group = lru_cache(maxsize=4096)(Group.parse)
_text_of = lru_cache(maxsize=4096)(Group.__str__)


@lru_cache(maxsize=4096)
def _shared(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """`headers`, which a hundred thousand exchanges then hold once."""
    return headers


def append(file: io.FileIO, text: str) -> None:
    """Writes `text` at the end of a file.

    Raises:
        OSError: when it could not all be written; then nothing of it is there.
    """
    whole = rest = memoryview(text.encode())
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        file.seek(len(rest) - len(whole), io.SEEK_CUR)
        file.truncate()
        raise
