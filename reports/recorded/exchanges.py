"""The exchanges a report shows, read from the ledger of the run.

A report shows what stands in the ledger and judges nothing.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct

from conformance.files.foreign_files import LEDGER, FileKind, lines_of, parse_object
from reports.texts import json_text, one_line, visible


def read_objects(path: Path, kind: FileKind, containing: bytes = b"") -> Iterator[dict[str, Any]]:
    """The objects of a file in their order; none when there is no file.

    Args:
        path: The file.
        kind: What it is.
        containing: Only lines with these bytes are looked at, which is much quicker than reading each.

    Raises:
        OSError: It cannot be read, or is over the bounds of its kind.
    """
    for line in lines_of(path, kind) if path.exists() else ():
        if containing in line:
            with suppress(ValueError):
                yield parse_object(line)


SHOWN_CHARACTERS: Final = 2_000
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_OPENING: Final = frozenset("{[")
_CLOSING: Final = frozenset("}]")
_PRETTY_LIMIT: Final = 50_000  # characters; a longer body is shown as it came


class ShownExchange(Struct, frozen=True):
    """An exchange as a report shows it: what was asked and answered, with the body cut and laid out."""

    number: int
    request: str
    request_body: str
    answer: str
    body: str
    left_out: int


def load_exchanges(path: Path, numbers: Collection[int]) -> dict[int, dict[str, Any]]:
    """The lines of the ledger with one of `numbers`; none when the ledger is missing.

    A line that is not JSON is passed over: the report then says that the exchange is not there.
    """
    lines = read_objects(path, LEDGER) if numbers else ()
    return {line["n"]: line for line in lines if isinstance(line.get("n"), int) and line["n"] in numbers}


def show_exchange(number: int, line: Mapping[str, Any]) -> ShownExchange:
    """Lays out one line of the ledger; what it lacks is left empty."""
    request = mapping_of(line.get("request"))
    response = mapping_of(line.get("response"))
    body = visible(lay_out_json(_text(response)))
    note = line.get("note") or ""
    said = note if isinstance(note, str) else json_text(note, SHOWN_CHARACTERS)
    asked = f"{request.get('method', '')} {request.get('url', '')}".strip()
    return ShownExchange(
        number=number,
        request=one_line(asked or said or "no request", SHOWN_CHARACTERS),
        request_body=visible(lay_out_json(_text(request)))[:SHOWN_CHARACTERS],
        answer=_answer(response, mapping_of(line.get("failure"))),
        body=body[:SHOWN_CHARACTERS],
        left_out=max(0, len(body) - SHOWN_CHARACTERS),
    )


def lay_out_json(text: str) -> str:
    """A JSON text with a line for each member, every token exactly as it came.

    Numbers and duplicate members are evidence: the text is not parsed and written again, only the white space
    between its tokens changes. A text that is not JSON is returned unchanged.
    """
    if len(text) > _PRETTY_LIMIT or not text.lstrip().startswith(("{", "[")):
        return text
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return text
    pieces: list[str] = []
    depth = 0
    tokens = _TOKEN.findall(text)
    for before, part, after in zip(["", *tokens], tokens, [*tokens[1:], ""], strict=False):
        if part in _OPENING and after not in _CLOSING:
            depth += 1
            pieces.append(part + _new_line(depth))
        elif part in _CLOSING and before not in _OPENING:
            depth -= 1
            pieces.append(_new_line(depth) + part)
        elif part == ",":
            pieces.append(part + _new_line(depth))
        else:
            pieces.append(": " if part == ":" else part)
    return "".join(pieces)


def _new_line(depth: int) -> str:
    return "\n" + "  " * min(depth, 40)


def _text(message: Mapping[str, Any]) -> str:
    body = message.get("body")
    if body is None or body == "":
        return ""
    if message.get("body_encoding"):
        return f"({message['body_encoding']}) {body}"
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)


def _answer(response: Mapping[str, Any], failure: Mapping[str, Any]) -> str:
    if failure:
        return one_line(f"no answer: {failure.get('kind', '')} {failure.get('text', '')}".strip())
    if not response:
        return "no answer is recorded"
    headers = headers_of(response.get("headers"))
    media_type = next((value for name, value in headers if name.lower() == "content-type"), "")
    elapsed = response.get("elapsed_ms")
    took = f"{elapsed:.0f} ms" if isinstance(elapsed, int | float) else ""
    return one_line(" · ".join(filter(None, (str(response.get("status", "")), media_type, took))))


def headers_of(headers: object) -> list[tuple[str, str]]:
    """The headers of a line, in their order and as often as they stand there."""
    if isinstance(headers, list):
        pairs = [cast("list[Any]", pair) for pair in cast("list[Any]", headers) if isinstance(pair, list)]
        return [(str(pair[0]), str(pair[1])) for pair in pairs if len(pair) > 1]
    return []


def mapping_of(value: object) -> Mapping[str, Any]:
    """A member of a line that is an object; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}
