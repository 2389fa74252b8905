"""The exchanges a report shows, read from the ledger of the run.

A report shows what stands in the ledger and judges nothing.
"""

import base64
import json
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final, TypeAlias

from msgspec import Struct

from conformance.checks.exchange import Exchange, Failure, Remark, Response
from conformance.records.ledger_lines import Header, number_of, recorded_in
from reports.texts import json_text, one_line, visible

Recorded: TypeAlias = Exchange | Remark
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


def load_exchanges(path: Path, numbers: Collection[int]) -> dict[int, Recorded]:
    """What the ledger holds under `numbers`; nothing when it is missing.

    A line that cannot be read is passed over: the report then says that the exchange is not there.
    """
    lines = recorded_in(path, lambda text: number_of(text) in numbers) if numbers else ()
    return {number: line for number, line in lines if not isinstance(line, Header)}


def show_exchange(number: int, line: Recorded) -> ShownExchange:
    """Lays out one line of the ledger."""
    if isinstance(line, Remark):
        noted = one_line(json_text(line.note, SHOWN_CHARACTERS), SHOWN_CHARACTERS)
        return ShownExchange(number, noted, "", "no answer is recorded", "", 0)
    body = visible(lay_out_json(text_of(line.response))) if line.response else ""
    return ShownExchange(
        number=number,
        request=one_line(f"{line.request.method} {line.request.url}", SHOWN_CHARACTERS),
        request_body=visible(lay_out_json(line.request.body or ""))[:SHOWN_CHARACTERS],
        answer=_answer(line.response, line.failure),
        body=body[:SHOWN_CHARACTERS],
        left_out=max(0, len(body) - SHOWN_CHARACTERS),
    )


def text_of(response: Response) -> str:
    """The body of an answer as text; one that is no UTF-8 in base64."""
    try:
        return response.body.decode()
    except UnicodeDecodeError:
        return f"(base64) {base64.b64encode(response.body).decode()}"


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


def _answer(response: Response | None, failure: Failure | None) -> str:
    if failure:
        return one_line(f"no answer: {failure.kind} {failure.text}".strip())
    if not response:
        return "no answer is recorded"
    said = (str(response.status), response.header("content-type"), f"{response.elapsed_ms:.0f} ms")
    return one_line(" · ".join(filter(None, said)))
