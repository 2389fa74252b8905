"""The lines of a ledger, as records of what they hold, and the records of a run made of them again.

A line that was altered by hand may hold anything: every member is read by its type, so that a wrong one is
refused where it is read. On a disk that may be full a line is written whole or not at all.
"""

import base64
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from sys import intern
from typing import Annotated, Any, Literal, cast

from msgspec import Meta, Struct, convert, json, to_builtins
from msgspec.structs import force_setattr

from catalog.model import Level
from conformance.checks.exchange import Cut, Exchange, Remark, Response
from conformance.checks.groups import Group
from conformance.checks.remarks import Interruption, groups_of, note_of
from conformance.files.foreign_files import LEDGER, lines_of, parse_object
from conformance.profiles.places import Places

LEDGER_FILE = "evidence.ndjson"
SCHEMA = "appliance-conformance/evidence/1"
Moment = Annotated[datetime, Meta(tz=True)]


class Header(Struct, frozen=True):
    """The first line: what the run was, and all that judging needs beside the exchanges.

    `places` say where the profile stood; reports name its lines.
    """

    suite: str
    catalog_sha256: str
    judging_sha256: str
    level: Level
    seed: str
    profile: dict[str, Any]
    at: str
    interruptions: tuple[Interruption, ...] = ()
    places: Places = Places()

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        for text in (self.at, *(text for one in self.interruptions for text in (one.after, one.until))):
            convert(text, Moment)


class _Line(Struct):
    """What every line says that is about an appliance."""

    groups: list[str]
    lane: str
    at: Moment


class _Body(Struct):
    """What a line says of the body of an answer, of which `Cut` tells more."""

    body: str
    body_encoding: Literal["base64"] | None = None
    body_cut: bool = False


class NotRestored(Struct, frozen=True):
    """What was not put back, in words; `ha_id` and `key` are empty where it is no key."""

    words: str
    ha_id: str = ""
    key: str = ""


class End(Struct, kw_only=True):
    """The last line of a run that came to its end: what ended it early, and what it could not put back.

    `planned` is about how many requests the whole run takes, where it goes on another day; 0 elsewhere.
    """

    trouble: str = ""
    planned: int = 0
    not_restored: tuple[NotRestored, ...] = ()
    at: str

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        convert(self.at, Moment)


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
    line = to_builtins(exchange, builtin_types=(bytes,))
    line["groups"] = [_text_of(group) for group in exchange.groups]
    if exchange.response:
        line["response"] = _response_line(line["response"])
    return line


def exchange_of(line: Mapping[str, Any]) -> Exchange:
    """The exchange that a line holds.

    Raises:
        ValueError: when a member is missing or of a wrong type.
    """
    read = {**line, "groups": _groups_of(line)}
    if read.get("response") is not None:
        read["response"] = _response_of(read["response"])
    exchange = convert(read, Exchange)
    for name in ("lane", "ha_id", "key", "segment"):
        force_setattr(exchange, name, intern(getattr(exchange, name)))
    force_setattr(exchange.request, "url", intern(exchange.request.url))
    for message in filter(None, (exchange.request, exchange.response)):
        force_setattr(message, "headers", shared(message.headers))
    return exchange


def remark_line(remark: Remark) -> dict[str, Any]:
    """A remark as a line, without its number and the hash of the line before."""
    line = to_builtins(remark)
    del line["group"]
    return {**line, "groups": [str(remark.group)], "lane": remark.ha_id}


def remark_of(line: Mapping[str, Any]) -> Remark:
    """What a line without a request says.

    Raises:
        ValueError: when a member is missing or of a wrong type, or it was noted in no procedure.
    """
    groups = _groups_of(line)
    if not groups:
        raise ValueError("it is noted in no procedure")
    remark = convert({**line, "group": groups[0]}, Remark)
    if remark.purpose == "lost":
        note_of(remark)  # which raises where the note is none of a loss
    elif remark.purpose == "known":
        groups_of(remark)  # which raises, too
    return remark


def end_of(line: Mapping[str, Any]) -> End:
    """What the last line says.

    Raises:
        ValueError: when a member is missing or of a wrong type.
    """
    return convert(line, End)


def recorded_in(
    path: Path, is_wanted: Callable[[bytes], object] = bool
) -> Iterator[tuple[int, Header | Exchange | Remark]]:
    """What the lines of a ledger say, each with its number, as reports show it; nothing without a file.

    A report judges nothing: a line that is cut, or is not as this suite writes it, is passed over.

    Args:
        path: the ledger.
        is_wanted: only lines that it is true of are read, which is much quicker than reading each.

    Raises:
        OSError: when it cannot be read, or is over its bounds.
    """
    for text in filter(is_wanted, lines_of(path, LEDGER)) if path.exists() else ():
        with suppress(ValueError, RecursionError):
            line = parse_object(text)
            number = convert(line.get("n"), int)
            if line.get("purpose") == "run":
                yield number, header_of(line)
            elif line.get("purpose") != "end":
                yield number, exchange_of(line) if "request" in line else remark_of(line)


class _WithNumber(Struct):
    n: int


def number_of(text: bytes) -> int | None:
    """The number of a line, found without reading the rest of it; None where it has none."""
    try:
        return json.decode(text, type=_WithNumber).n
    except (ValueError, RecursionError):
        return None


def _groups_of(line: Mapping[str, Any]) -> list[Group]:
    return list(map(_group, convert(line, _Line).groups))


def _response_line(line: dict[str, Any]) -> dict[str, Any]:
    cut = line.pop("cut", None)
    line |= {"body_cut": True, **cut} if cut else {}
    try:
        return {**line, "body": line["body"].decode("utf-8")}
    except UnicodeDecodeError:
        return {**line, "body": base64.b64encode(line["body"]).decode(), "body_encoding": "base64"}


def _response_of(line: object) -> Response:
    read = convert(line, _Body)
    body = base64.b64decode(read.body, validate=True) if read.body_encoding else read.body.encode("utf-8")
    cut = convert(line, Cut) if read.body_cut else None
    members = {**cast("dict[str, Any]", line), "body": body, "cut": cut}
    return convert(members, Response, builtin_types=(bytes,))


_group = lru_cache(maxsize=4096)(Group.parse)
_text_of = lru_cache(maxsize=4096)(Group.__str__)


@lru_cache(maxsize=4096)
def shared(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
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
