"""The text files of a run: written whole or not at all, as UTF-8, JSON row by row, and read by their schema.

Of a JSON file each object of a list stands on a line of its own, so that it can be searched and compared by
line.
"""

import json
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Final, cast
from uuid import uuid4

import msgspec

from conformance.files.foreign_files import FileKind, parse_object, read_bytes

_LONGEST: Final = 200  # characters of a schema that is not the one asked for


def read_document(
    path: Path,
    kind: FileKind,
    schema: str,
    error: type[ValueError],
    hook: Callable[[list[tuple[str, Any]]], object] | None = None,
) -> dict[str, Any]:
    """The JSON object of a file that names `schema` as its schema; `hook` makes each object in it.

    Raises:
        ValueError: As `error`: the file cannot be read, is not JSON, or is of another schema. The text names
            the file.
    """
    try:
        members = parse_object(read_bytes(path, kind), hook)
    except OSError as problem:
        raise error(f"{path}: {problem.strerror}") from problem
    except ValueError as problem:
        raise error(f"{path}: is no JSON object, or is cut short: {problem}") from problem
    if members.get("schema") != schema:
        found = json.dumps(members.get("schema"))[:_LONGEST]
        raise error(f"{path}: is no {kind.name} of this suite: its schema is {found}, not {schema}")
    return members


_COMPACT = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=dict)


def compact_json(value: object) -> str:
    """A value on one line; NaN and infinity, which are not JSON, are refused."""
    return _COMPACT.encode(value)


def json_by_row(document: Mapping[str, object]) -> str:
    """The text of a file that holds one object: a line for each member, and for each object of a list."""
    return "".join(pieces_by_row(document))


def pieces_by_row(document: Mapping[str, object]) -> Iterator[str]:
    """The same, piece by piece: a member that is an iterator of objects is never whole in memory."""
    lead = "{\n"
    for name, value in document.items():
        yield f"{lead}{compact_json(name)}: "
        yield from _laid_out(value)
        lead = ",\n"
    yield "\n}\n"


def _laid_out(value: object) -> Iterator[str]:
    if not isinstance(value, list | tuple | Iterator):
        yield compact_json(value)
        return
    rows = iter(cast("Iterable[object]", value))
    first = next(rows, None)
    if not isinstance(first, dict | msgspec.Struct):
        yield compact_json([] if first is None else [first, *rows])
        return
    yield f"[\n {_row(cast('object', first))}"
    for row in rows:
        yield f",\n {_row(row)}"
    yield "\n]"


def _row(value: object) -> str:
    """An object on one line; that of a record, without fractions, takes msgspec a fifth of the time."""
    if isinstance(value, msgspec.Struct):
        with suppress(UnicodeEncodeError):  # a lone surrogate
            return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
        value = msgspec.to_builtins(value)
    return compact_json(value)


def numbered(path: Path) -> Iterator[Path]:
    """A path, then the same with -2, -3 and so on in its name: places for what must not replace another."""
    yield path
    yield from (path.with_stem(f"{path.stem}-{number}") for number in count(2))


def encoded(text: str) -> bytes:
    """`text` as UTF-8; a lone surrogate, which a server can put into a string, as its backslash escape.

    Inside a JSON string that is the same string.
    """
    return text.encode("utf-8", "backslashreplace")


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Writes `text`, which may come in pieces, as UTF-8 whole or not at all."""
    write_bytes(path, (encoded(piece) for piece in ([text] if isinstance(text, str) else text)))


def write_bytes(path: Path, pieces: Iterable[bytes]) -> None:
    """Writes a file whole or not at all."""
    with whole_file(path) as written, written.open("xb") as draft:  # as private as the user's mask says
        draft.writelines(pieces)


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """A file to be written, which takes the place of `path` when it is whole, and goes when it is not."""
    path.parent.mkdir(parents=True, exist_ok=True)
    written = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        yield written
        written.replace(path)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
