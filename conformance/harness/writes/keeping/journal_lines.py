"""The lines of a journal: read one by one, each member by its type, since anybody may have altered them."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, convert

from conformance.harness.errors import JournalError
from conformance.records.foreign_files import JOURNAL, lines_of, parse_object

_LONGEST = 200  # characters of what is wrong


class _Header(Struct):
    """The first line; `restore` says itself what it lacks of level and profile."""

    schema: str
    at: str = ""
    run: str | None = None
    runs: list[str] = []
    journal: str = ""
    state: str = ""
    ha_id: str = ""
    embedded: bool = False
    profile: dict[str, Any] = {}


class _About(Struct):
    """What every line says that is about a key."""

    n: int
    ha_id: str
    key: str
    segment: Literal["settings", "status"]
    before: Any
    prepared: bool = False


class _Intent(_About, kw_only=True):
    intent: Literal["write", "restore"]
    group: str = ""
    value: Any = None
    locked: Any = None
    beside: dict[str, Any] = {}


class _Settled(_About, kw_only=True):
    restored: bool
    tries: int = 0
    note: str = ""
    changed: bool = False


class _Answered(Struct):
    n: int
    of: int
    outcome: str
    answer: str = ""
    evidence: int | None = None


class _End(Struct):
    n: int
    end: bool
    at: str = ""


class _Joined(Struct):
    n: int
    joined: str


_KINDS: dict[str, type[Struct]] = {
    "schema": _Header,
    "intent": _Intent,
    "restored": _Settled,
    "of": _Answered,
    "end": _End,
    "joined": _Joined,
}
"""The kinds of lines, each by a member that only it has."""


def journal_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a journal, without a last one that was cut.

    Raises:
        JournalError: when the file cannot be read, or another line is not as this suite writes it.
    """
    try:
        return list(_checked(path))
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from error


def _checked(path: Path) -> Iterator[dict[str, Any]]:
    cut = 0
    for number, text in enumerate(lines_of(path, JOURNAL), start=1):
        if cut:
            raise JournalError(f"{path}: line {cut} is cut or altered")
        line = _line(text)
        if line is None:
            cut = number
            continue
        kind = next((kind for member, kind in _KINDS.items() if member in line), None)
        try:
            if kind:
                convert(line, kind)
        except (ValueError, RecursionError) as error:
            told = str(error)[:_LONGEST]
            raise JournalError(f"{path}: line {number} is not as this suite writes it: {told}") from error
        yield line


def _line(text: bytes) -> dict[str, Any] | None:
    try:
        return parse_object(text)
    except ValueError:
        return None


def has_lines(path: Path) -> bool:
    """Whether there is a file, and one whole line in it.

    Raises:
        JournalError: when it cannot be read.
    """
    try:
        return path.exists() and next(lines_of(path, JOURNAL), b"").endswith(b"\n")
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from error


def repaired(path: Path) -> int:
    """Takes a last line that was cut from a file, and ends one that is whole; how many lines there are."""
    lines, begin, last = 0, 0, b""
    for last in lines_of(path, JOURNAL):
        lines += 1
        begin += len(last)
    if not last or last.endswith(b"\n"):
        return lines
    with path.open("r+b") as file:
        if _line(last) is not None:
            file.seek(0, io.SEEK_END)
            file.write(b"\n")
            return lines
        file.truncate(begin - len(last))
    return lines - 1
