"""The ledger: every exchange of a run, one a line, each line carrying the hash of the line before.

The first line describes the run and holds the whole profile, so that the file alone is enough to judge; the last
has the purpose `end`. Lines are written and flushed as they come: a run that is killed leaves a ledger that is
valid as far as it goes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from conformance.checks.exchange import WRITES, Cut, Exchange, Failure, Request, Response
from conformance.checks.groups import Group
from conformance.checks.remark import Remark
from conformance.harness.lines import append
from conformance.profiles.limits import LIMIT_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from catalog.model import Level

SCHEMA = "appliance-conformance/evidence/1"
START = "0" * 64
_HEADER = ("suite", "catalog_sha256", "judging_sha256", "level", "seed", "profile", "at")


class LedgerError(Exception):
    """A ledger that cannot be read: not one of ours, altered, or cut within a line."""


@dataclass(frozen=True, slots=True)
class Header:
    """The first line: what the run was, and all that judging needs beside the exchanges."""

    suite: str
    catalog_sha256: str
    judging_sha256: str
    level: Level
    seed: str
    profile: dict[str, Any]
    started: str


class Ledger:
    """Writes a ledger; use it as a context, so that its last line is written on leaving without an error.

    `lost` says why a line could not be written, empty as long as each was: none is written after it, and the ledger stays without
    its last line. That raises nothing, since what was written to a target has to be put back first.
    """

    def __init__(self, path: Path, header: Header) -> None:
        """Opens `path` anew and writes the first line."""
        self._file = path.open("wb", buffering=0)
        self._previous = START
        self.lost = ""
        self.count = -1
        self.ended = ""
        self._write(
            {
                "n": 0,
                "purpose": "run",
                "schema": SCHEMA,
                "suite": header.suite,
                "catalog_sha256": header.catalog_sha256,
                "judging_sha256": header.judging_sha256,
                "level": header.level,
                "seed": header.seed,
                "profile": header.profile,
                "at": header.started,
            }
        )

    def __enter__(self) -> Self:
        """The ledger, open."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Closes the file; only a run that came to its end gets the last line."""
        if kind is None:
            self.end()
        self._file.close()

    def add(self, exchange: Exchange) -> None:
        """Appends an exchange; its `n` must be the next.

        Raises:
            LedgerError: when it is not.
        """
        if exchange.n != self.count + 1:
            msg = f"exchange {exchange.n} cannot follow {self.count}"
            raise LedgerError(msg)
        self._write(_as_line(exchange))

    def remark(self, remark: Remark) -> None:
        """Appends what is known beside exchanges."""
        line = {"n": self.count + 1, "purpose": remark.purpose, "groups": [str(remark.group)], "lane": remark.ha_id}
        self._write({**line, "ha_id": remark.ha_id, "key": remark.key, "note": remark.note, "at": _now()})

    def end(self, trouble: str = "", not_restored: Sequence[str] = ()) -> None:
        """Writes the last line, once; its time is when the run was over, `trouble` what ended it early."""
        if self.lost:
            self.cut_off()
        elif not self._file.closed:
            self.ended = _now()
            told = {"trouble": trouble, "not_restored": list(not_restored)}
            told = {name: value for name, value in told.items() if value}
            line = {"n": self.count + 1, "purpose": "end", "at": self.ended, **told}
            self._write({**line, "seal": _digest(_text({**line, "previous": self._previous}))})  # no line after it would carry its hash
            self._file.close()

    def cut_off(self) -> None:
        """Closes the ledger of a run that did not come to its end: it gets no last line."""
        self.ended = self.ended or _now()
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        text = _text({**line, "previous": self._previous})
        digest = _digest(text)
        try:
            if not self.lost:
                append(self._file, f"{text}\n")
        except OSError as error:
            self.lost = f"{self._file.name} could not be written: {error.strerror}"
        finally:  # an interruption that strikes after the writing must not break the chain: the run still puts back what it wrote
            self.count, self._previous = line["n"], digest


class Saved(NamedTuple):
    """A ledger that was read: its first line, its exchanges, whether the run came to its end, and what is known beside exchanges.

    `ended` is the time of the last line that has one, `trouble` what ended the run early, empty where nothing did,
    `not_restored` what it could not put back.
    """

    header: Header
    exchanges: list[Exchange]
    complete: bool
    remarks: list[Remark]
    ended: str
    trouble: str
    not_restored: tuple[str, ...]


def read_ledger(path: Path) -> Saved:
    """What a ledger holds.

    Raises:
        LedgerError: when the file is no ledger, or a line was altered, removed or cut.
    """
    try:
        lines = list(_checked_lines(path))
    except OSError as error:
        msg = f"{path}: {error.strerror or error}"
        raise LedgerError(msg) from error
    if not lines or lines[0].get("schema") != SCHEMA:
        msg = f"{path}: not a ledger of this suite"
        raise LedgerError(msg)
    first = lines[0]
    try:
        header = Header(*(first[name] for name in _HEADER))
        exchanges = [_from_line(line) for line in lines[1:] if "request" in line]
        remarks = [_remark_of(line) for line in lines[1:] if "note" in line]
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        msg = f"{path}: a line lacks what this suite writes: {error}"
        raise LedgerError(msg) from error
    last = lines[-1]
    ended = next((str(line["at"]) for line in reversed(lines) if "at" in line), header.started)
    left = tuple(str(line) for line in last.get("not_restored", ()))
    return Saved(header, exchanges, last.get("purpose") == "end", remarks, ended, str(last.get("trouble", "")), left)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _checked_lines(path: Path) -> Iterator[dict[str, Any]]:
    previous, ended, number = START, False, 0
    raw, line = b"", dict[str, Any]()
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                line = json.loads(raw.decode("utf-8"))
                follows, in_turn = line["previous"] == previous, line["n"] == number - 1
            except (ValueError, TypeError, LookupError, RecursionError) as error:
                doubt = ", or this is no ledger" if number == 1 else ""
                raise LedgerError(f"{path}: line {number} is cut or altered{doubt}") from error
            if ended:
                raise LedgerError(f"{path}: line {number} stands after the line that ends the run")
            if not follows:
                raise LedgerError(f"{path}: line {number} does not follow the line before it: one of them was altered or removed")
            if not in_turn:
                raise LedgerError(f"{path}: line {number} is altered: its number is {line['n']}")
            previous = _digest(raw.removesuffix(b"\n"))
            ended = line.get("purpose") == "end"
            yield line
    if number and not _is_last(raw, line):
        raise LedgerError(f"{path}: line {number} is cut or altered")


def _is_last(raw: bytes, line: dict[str, Any]) -> bool:
    """Whether a line that no other follows, so that none carries its hash, is as it was written."""
    members = dict(line)
    seal = members.pop("seal", None)
    is_sealed = seal == _digest(_text(members)) if seal or line.get("purpose") == "end" else True
    return is_sealed and raw == f"{_text(line)}\n".encode()


def _text(line: dict[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=True, separators=(",", ":"))


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def _as_line(exchange: Exchange) -> dict[str, Any]:
    line: dict[str, Any] = {
        "n": exchange.n,
        "purpose": exchange.purpose,
        "groups": [str(exchange.group)] if exchange.group else [],
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


def _response_line(response: Response) -> dict[str, Any]:
    line: dict[str, Any] = {"status": response.status, "headers": [list(header) for header in response.headers]}
    try:
        line["body"] = response.body.decode("utf-8")
    except UnicodeDecodeError:
        line |= {"body": base64.b64encode(response.body).decode(), "body_encoding": "base64"}
    line |= {"elapsed_ms": response.elapsed_ms, "connection": response.connection, "surplus_bytes": response.surplus_bytes}
    if response.redirects:
        line["redirects"] = list(response.redirects)
    if not response.complete:
        line["complete"] = False
    if response.cut:
        line |= {"body_cut": True, "body_length": response.cut.length, "body_sha256": response.cut.sha256, "limit": response.cut.limit}
    return line


def _from_line(line: dict[str, Any]) -> Exchange:
    sent = line["request"]
    request = Request(sent["method"], sent["url"], tuple(sent["headers"].items()), sent["body"])
    response = failure = None
    if "response" in line:
        came = line["response"]
        body = base64.b64decode(came["body"]) if came.get("body_encoding") == "base64" else came["body"].encode("utf-8")
        headers = tuple((name, value) for name, value in came["headers"])
        whole = came.get("complete", True)
        line_of = (came["connection"], came["surplus_bytes"])
        cut = Cut(came["body_length"], came["body_sha256"], LIMIT_NAMES[came["limit"]]) if came.get("body_cut") else None
        response = Response(came["status"], headers, body, came["elapsed_ms"], tuple(came.get("redirects", ())), whole, *line_of, cut)
    if "failure" in line:
        failure = Failure(line["failure"]["kind"], line["failure"]["text"], tuple(line["failure"].get("redirects", ())))
    identity = (line["n"], line["purpose"], _group_of(line), line["lane"], line["ha_id"], line["key"], line["segment"])
    return Exchange(*identity, request, response, failure, line["at"], line.get("value"))


def _remark_of(line: dict[str, Any]) -> Remark:
    group = _group_of(line)
    if group is None:
        msg = f"line {line['n']} is noted in no procedure"
        raise ValueError(msg)
    return Remark(line["purpose"], group, line["ha_id"], line["key"], line["note"])


def _group_of(line: dict[str, Any]) -> Group | None:
    """The procedure that a line was written for; None for a shared read."""
    groups = [Group.parse(text) for text in line["groups"]]
    return groups[0] if groups else None
