"""The lines of a journal as records, each member read by its type, since anybody may have altered them."""

import io
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias

from msgspec import Struct, convert

from conformance.files.foreign_files import JOURNAL, lines_of, owner_of, parse_object

JOURNAL_FILE = "journal.ndjson"
SCHEMA = "appliance-conformance/journal/1"
_LONGEST = 200  # characters of what is wrong


class JournalError(Exception):
    """A journal cannot be read, or must not be overwritten."""


class JournalStart(Struct):
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


class _About(Struct, omit_defaults=True):
    """What every line says that is about a key; `prepared` where it is for a state that others need."""

    n: int
    ha_id: str
    key: str
    segment: Literal["settings", "status"]
    before: Any
    at: str = ""
    prepared: bool = False


class Intent(_About, kw_only=True):
    """A write that was about to be sent.

    `locked` is what the setting showed instead of `before` while it could not be written; `beside` are other
    settings that it may move, each with what it was before.
    """

    intent: Literal["write", "restore"]
    group: str
    value: Any
    locked: Any = None
    beside: dict[str, Any] = {}


class Settled(_About, kw_only=True):
    """What became of a key: `after` was read before it was put back in `tries` writes, `now` at the end.

    One that is `changed` moved though this run did not write it.
    """

    restored: bool
    after: Any
    now: Any
    tries: int
    note: str
    changed: bool = False


class WriteAnswer(Struct, omit_defaults=True):
    """What the target answered to the write that the line `of` intends."""

    n: int
    of: int
    outcome: str
    answer: str
    evidence: int | None = None


class JournalEnd(Struct, omit_defaults=True):
    """The last line of a run that came to its end, or of putting back, perhaps for one appliance alone."""

    n: int
    end: bool
    at: str = ""
    ha_id: str = ""


class Joined(Struct):
    """The journal that this one was joined into."""

    n: int
    joined: str


JournalLine: TypeAlias = JournalStart | Intent | Settled | WriteAnswer | JournalEnd | Joined
_KINDS: dict[str, type[JournalLine]] = {
    "schema": JournalStart,
    "intent": Intent,
    "restored": Settled,
    "of": WriteAnswer,
    "end": JournalEnd,
    "joined": Joined,
}
"""The kinds of lines, each by a member that only it has."""


def line_of(members: Mapping[str, Any]) -> JournalLine | None:
    """What a line says; None for one of a kind that is not known here.

    Raises:
        ValueError: when a member is missing or of a wrong type.
        RecursionError: when it is nested too deeply.
    """
    kind = next((kind for member, kind in _KINDS.items() if member in members), None)
    return convert(members, kind) if kind else None


def journal_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a journal, without a last one that was cut.

    Raises:
        JournalError: when the file cannot be read, or another line is not as this suite writes it.
    """
    return [members for members, _ in _checked(path)]


def journal_records(path: Path) -> tuple[dict[str, Any], list[JournalLine]]:
    """The first line of a journal, empty where there is none, and what its lines say.

    Raises:
        JournalError: as `journal_lines` does.
    """
    lines = _checked(path)
    return (lines[0][0] if lines else {}), [line for _, line in lines if line]


def legible_lines(path: Path) -> Iterator[tuple[dict[str, Any], JournalLine | None]]:
    """The lines of a journal as far as they can be read, for reports; nothing where there is no file.

    A line that is none of this suite says nothing: None stands beside its members.

    Raises:
        OSError: when the file cannot be read, or is over its bounds.
    """
    for text in lines_of(path, JOURNAL) if path.exists() else ():
        members, line = _members(text), None
        if members is not None:
            with suppress(ValueError, RecursionError):
                line = line_of(members)
            yield members, line


def _checked(path: Path) -> list[tuple[dict[str, Any], JournalLine | None]]:
    cut = 0
    read: list[tuple[dict[str, Any], JournalLine | None]] = []
    try:
        for number, text in enumerate(lines_of(path, JOURNAL), start=1):
            if cut:
                raise JournalError(f"{path}: line {cut} is cut or altered")
            members = _members(text)
            if members is None:
                cut = number
                continue
            try:
                read.append((members, line_of(members)))
            except (ValueError, RecursionError) as error:
                told = str(error)[:_LONGEST]
                raise JournalError(f"{path}: line {number} is not as this suite writes it: {told}") from error
    except OSError as error:
        raise _unreadable(path, error) from error
    return read


def _members(text: bytes) -> dict[str, Any] | None:
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
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> JournalError:
    owner = owner_of(path) if isinstance(error, PermissionError) else ""
    return JournalError(f"{path}: {error.strerror}{owner and f': {owner} alone can read and restore it'}")


def repaired(path: Path) -> int:
    """Takes a last line that was cut from a file, and ends one that is whole; how many lines there are."""
    lines, begin, last = 0, 0, b""
    for last in lines_of(path, JOURNAL):
        lines += 1
        begin += len(last)
    if not last or last.endswith(b"\n"):
        return lines
    with path.open("r+b") as file:
        if _members(last) is not None:
            file.seek(0, io.SEEK_END)
            file.write(b"\n")
            return lines
        file.truncate(begin - len(last))
    return lines - 1
