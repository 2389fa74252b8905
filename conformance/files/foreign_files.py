"""The files that a command is given, read in bounded time and memory, whoever made them.

Each kind of file has its bounds in the table below, more than twice what the largest campaigns make. A file
over them, or one that is no regular file, is refused as one that cannot be read: with an `OSError` that names
it and says why. JSON is read here, too, so that what is nested too deeply, no UTF-8 or no JSON is one kind of
error.
"""

import errno
import gzip
import json
import os
import re
import tomllib
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import IO, Any, Final, cast

from msgspec import Struct

_MOST_DOTS = 50  # of the keys and numbers of one line of TOML
_DEEPEST = 64  # tables and lists of TOML within each other
_UNKEYED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|#.*')
"""What of a line of TOML is no bare key and no number: texts and comments."""
_KIB, _MIB, _GIB = 1 << 10, 1 << 20, 1 << 30


class FileKind(Struct, frozen=True):
    """A kind of file: the most bytes of it, and of one line in it."""

    name: str
    whole: int
    line: int


PROFILE: Final = FileKind("profile", 4 * _MIB, _MIB)
FLEET: Final = FileKind("fleet", 8 * _MIB, _MIB)
RESULTS: Final = FileKind("file of results", _GIB, 64 * _MIB)
CHANGES: Final = FileKind("file of changes", 64 * _MIB, 64 * _MIB)
CERTIFICATE: Final = FileKind("certificate", 8 * _MIB, 8 * _MIB)
LEDGER: Final = FileKind("ledger", 16 * _GIB, 96 * _MIB)
JOURNAL: Final = FileKind("journal", 4 * _GIB, 16 * _MIB)
KEY: Final = FileKind("key or attestation", 64 * _KIB, 64 * _KIB)
AUTHORITIES: Final = FileKind("file of certificates", 8 * _MIB, _MIB)
LOCK: Final = FileKind("lock", 4 * _MIB, 4 * _MIB)
CAPTURE: Final = FileKind("capture", 4 * _GIB, 96 * _MIB)


@contextmanager
def opened(path: Path) -> Generator[IO[bytes]]:
    """A regular file, opened for reading; nothing is waited for.

    Raises:
        OSError: when it cannot be opened, or is a pipe, a device or a directory.
    """
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except ValueError as error:  # no file has such a name
        raise FileNotFoundError(errno.ENOENT, str(error), repr(str(path))) from error
    mode = os.fstat(number).st_mode
    if not S_ISREG(mode):
        os.close(number)
        if S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        raise OSError(errno.EINVAL, "is no regular file", str(path))
    with os.fdopen(number, "rb") as file:
        yield file


def owner_of(path: Path) -> str:
    """Whose file that is, in words; empty where there is none, or nobody may tell."""
    try:
        return f"user {path.owner()}"
    except KeyError:  # one whom this machine has no name for
        return f"user {path.stat().st_uid}"
    except OSError:
        return ""


def lines_of(path: Path, kind: FileKind) -> Iterator[bytes]:
    """The lines of a file, each as it stands in it.

    Raises:
        OSError: when it cannot be read, or is over its bounds; as soon as that shows.
    """
    with opened(path) as file:
        yield from lines_within(file, path, kind)


def lines_within(file: IO[bytes] | gzip.GzipFile, path: Path, kind: FileKind) -> Iterator[bytes]:
    """The lines of a stream, each as it stands in it; `path` names it.

    Raises:
        OSError: when it is over its bounds.
    """
    read = 0
    while line := file.readline(kind.line + 1):
        read += len(line)
        if len(line) > kind.line:
            raise _too_long(path, kind, "a line", kind.line)
        if read > kind.whole:
            raise _too_long(path, kind, "it", kind.whole)
        yield line


def read_bytes(path: Path, kind: FileKind) -> bytes:
    """The content of a file, unpacked where its name ends in `.gz`.

    Raises:
        OSError: when it cannot be read, or is over its kind.
    """
    content = BytesIO()  # which gives its bytes away without a copy
    with opened(path) as file:
        if path.suffix != ".gz":
            content.writelines(lines_within(file, path, kind))
            return content.getvalue()
        try:
            with gzip.open(file) as unpacked:
                content.writelines(lines_within(unpacked, path, kind))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise OSError(errno.EINVAL, f"is no gzip file: {error}", str(path)) from error
    return content.getvalue()


def read_text(path: Path, kind: FileKind) -> str:
    """The text of a file in UTF-8, without the mark that some editors put before it.

    Raises:
        OSError: when it cannot be read, is over its kind, or is not UTF-8.
    """
    try:
        return read_bytes(path, kind).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OSError(errno.EILSEQ, f"is not UTF-8 text: {error.reason}", str(path)) from error


def parse_json(text: str | bytes, hook: Callable[[list[tuple[str, Any]]], object] | None = None) -> object:
    """The value of a JSON text; `hook` makes each object in it.

    Raises:
        ValueError: when the text is no JSON, or is nested too deeply.
    """
    try:
        return json.loads(text, object_pairs_hook=hook)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parse_object(
    text: str | bytes, hook: Callable[[list[tuple[str, Any]]], object] | None = None
) -> dict[str, Any]:
    """The object that a JSON text is; `hook` makes each object in it.

    Raises:
        ValueError: when the text is no JSON, is nested too deeply, or is no object.
    """
    value = parse_json(text, hook)
    if not isinstance(value, dict):
        told = "a list" if isinstance(value, list) else "a single value"
        raise ValueError(f"it is {told}")  # noqa: TRY004  wherever this is called, what is no JSON is a ValueError
    return cast("dict[str, Any]", value)


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text.

    Raises:
        ValueError: when the text is no TOML, or is nested too deeply: no profile is.
    """
    for number, line in enumerate(_UNKEYED.sub("", text).split("\n"), start=1):
        if line.count(".") > _MOST_DOTS:  # which would take the time of their square
            raise ValueError(f"a key has more than {_MOST_DOTS} parts (at line {number})")
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    values: list[object] = [tables]
    for _ in range(_DEEPEST):
        values = [member for value in values for member in _members(value)]
        if not values:
            return tables
    raise ValueError("it is nested too deeply")


def _members(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _too_long(path: Path, kind: FileKind, what: str, most: int) -> OSError:
    size, unit = next(one for one in ((_GIB, "GiB"), (_MIB, "MiB"), (_KIB, "KiB")) if most >= one[0])
    told = f"{what} is longer than {most // size} {unit}, the most for a {kind.name}"
    return OSError(errno.EFBIG, told, str(path))
