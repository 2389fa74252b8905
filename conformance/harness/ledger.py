"""The ledger: every exchange of a run, one a line, each line carrying the hash of the line before.

The first line describes the run and holds the whole profile, so that the file alone is enough to judge; the
last has the purpose `end`. Lines are written and flushed as they come: a run that is killed leaves a ledger
that is valid as far as it goes.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

from msgspec import to_builtins

from conformance.checks.exchange import Exchange, Remark
from conformance.files.foreign_files import LEDGER, lines_of, parse_object
from conformance.harness.clock import REAL
from conformance.harness.errors import LedgerError, NoLedgerError
from conformance.records.ledger_lines import (
    SCHEMA,
    End,
    Header,
    NotRestored,
    append,
    end_of,
    exchange_line,
    exchange_of,
    header_line,
    header_of,
    remark_line,
    remark_of,
)

START = "0" * 64
_LONGEST = 200  # characters of what is wrong
_text = json.JSONEncoder(separators=(",", ":")).encode
"""A line as it is written, made by one encoder: `json.dumps` would make one for each."""
Record = TypeVar("Record")


class Ledger:
    """Writes a ledger; use it as a context, so that its last line is written on leaving without an error.

    `lost` says why a line could not be written, empty as long as each was: none is written after it, and the
    ledger stays without its last line. That raises nothing, since what was written to a target has to be put
    back first. `count` is the number of the last line.
    """

    count: int

    def __init__(self, path: Path, header: Header) -> None:
        """Opens `path` anew and writes the first line."""
        path.unlink(missing_ok=True)  # one that somebody else could read would stay so
        self._file = path.open("wb", buffering=0)
        self._previous = START
        self.lost = ""
        self.ended = ""
        self._write(header_line(header))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            raise LedgerError(f"exchange {exchange.n} cannot follow {self.count}")
        self._write(exchange_line(exchange))

    def remark(self, remark: Remark) -> None:
        """Appends what is known beside exchanges."""
        self._write({"n": self.count + 1, **remark_line(remark), "at": REAL.stamp()})

    def end(
        self,
        trouble: str = "",
        not_restored: Sequence[NotRestored] = (),
        *,
        planned: int = 0,
        at: str | None = None,
    ) -> None:
        """Writes the last line, once.

        Args:
            trouble: what ended the run early.
            not_restored: what could not be put back.
            planned: about how many requests the run takes that goes on another day.
            at: when the run was over (RFC 3339); now by default.
        """
        if self.lost:
            self.cut_off()
        elif not self._file.closed:
            self.ended = at or REAL.stamp()
            told = {"trouble": trouble, "planned": planned, "not_restored": to_builtins(not_restored)}
            told = {name: value for name, value in told.items() if value}
            line = {"n": self.count + 1, "purpose": "end", "at": self.ended, **told}
            # no line after it would carry its hash
            self._write({**line, "seal": _digest(_text({**line, "previous": self._previous}))})
            self._file.close()

    def cut_off(self) -> None:
        """Closes the ledger of a run that did not come to its end: it gets no last line."""
        self.ended = self.ended or REAL.stamp()
        self._file.close()

    def _write(self, line: dict[str, Any]) -> None:
        text = _text({**line, "previous": self._previous})
        digest = _digest(text)
        try:
            if not self.lost:
                append(self._file, f"{text}\n")
        except OSError as error:
            self.lost = f"{self._file.name} could not be written: {error.strerror}"
        finally:
            # An interruption must not break the chain: the run still puts back what it wrote.
            self.count, self._previous = line["n"], digest


class LedgerContents(NamedTuple):
    """What a ledger holds.

    Attributes:
        header: its first line: when the run began, and when it was interrupted.
        exchanges: the exchanges, in order.
        complete: whether the run came to its end.
        remarks: what is known beside exchanges.
        ended: the time of its last line; empty of a run that goes on.
        trouble: what ended the reading early; empty where nothing did.
        not_restored: what could not be put back.
        planned: about how many requests the whole run takes, where it goes on another day; else 0.
    """

    header: Header
    exchanges: list[Exchange]
    complete: bool
    remarks: list[Remark]
    ended: str = ""
    trouble: str = ""
    not_restored: tuple[NotRestored, ...] = ()
    planned: int = 0


def read_ledger(path: Path) -> LedgerContents:
    """What a ledger holds.

    Raises:
        NoLedgerError: when the file is no ledger of this suite, or cannot be read.
        LedgerError: when a line was altered, removed or cut.
    """
    exchanges: list[Exchange] = []
    remarks: list[Remark] = []
    end: End | None = None
    try:
        lines = _checked_lines(path)
        line = next(lines, dict[str, Any]())
        if line.get("schema") != SCHEMA:
            raise NoLedgerError(f"{path}: not a ledger of this suite")
        header = _read(path, line, header_of)
        for line in lines:
            if "request" in line:
                exchanges.append(_read(path, line, exchange_of))
            elif line.get("purpose") == "end":
                end = _read(path, line, end_of)
            else:
                remarks.append(_read(path, line, remark_of))
    except OSError as error:
        raise NoLedgerError(f"{path}: {error.strerror or error}") from error
    ended = end or End(at=str(line.get("at", header.at)))
    return LedgerContents(
        header,
        exchanges,
        end is not None,
        remarks,
        ended.at,
        ended.trouble,
        ended.not_restored,
        ended.planned,
    )


def _read(path: Path, line: dict[str, Any], convert: Callable[[dict[str, Any]], Record]) -> Record:
    try:
        return convert(line)
    except ValueError as error:
        reason = str(error)[:_LONGEST]
        raise LedgerError(f"{path}: line {line['n'] + 1} is not as this suite writes it: {reason}") from error


def _checked_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a ledger, each when the next one has shown that it was not altered."""
    previous, number = START, 0
    raw, line = b"", dict[str, Any]()
    for number, raw in enumerate(lines_of(path, LEDGER), start=1):
        try:
            read = parse_object(raw)
            follows, in_turn = read["previous"] == previous, read["n"] == number - 1
        except (ValueError, LookupError) as error:
            if number == 1:
                raise NoLedgerError(f"{path}: line 1 is cut or altered, or this is no ledger") from error
            raise LedgerError(f"{path}: line {number} is cut or altered") from error
        if line.get("purpose") == "end":
            raise LedgerError(f"{path}: line {number} stands after the line that ends the run")
        if not follows:
            told = f"line {number} does not follow the line before it"
            raise LedgerError(f"{path}: {told}: one of them was altered or removed")
        if not in_turn:
            raise LedgerError(f"{path}: line {number} is altered: its number is {read['n']}")
        previous = _digest(raw.removesuffix(b"\n"))
        if line:
            yield line
        line = read
    if not line:
        return
    if not _is_last(raw, line):
        raise LedgerError(f"{path}: line {number} is cut or altered")
    yield line


def _is_last(raw: bytes, line: dict[str, Any]) -> bool:
    """Whether a line that no other follows, so that none carries its hash, is as it was written."""
    members = dict(line)
    seal = members.pop("seal", None)
    is_sealed = seal == _digest(_text(members)) if seal or line.get("purpose") == "end" else True
    return is_sealed and raw == f"{_text(line)}\n".encode()


def _digest(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()
