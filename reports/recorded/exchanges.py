"""The exchanges a report shows, read from the ledger of the run.

A report shows what stands in the ledger and judges nothing.
"""

import base64
import re
from collections.abc import Collection
from itertools import accumulate
from pathlib import Path
from typing import Final

from msgspec import DecodeError, Struct, json

from conformance.checks.exchange import Exchange, Failure, Response
from conformance.records.ledger_lines import number_of, recorded_in
from reports.texts import one_line, visible

SHOWN_CHARACTERS: Final = 2_000
_PRETTY_LIMIT: Final = 50_000  # characters; a longer body is shown as it came
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')
_DEEPEST: Final = 40  # objects and lists around a line, by each of which it is indented


class ShownExchange(Struct, frozen=True):
    """An exchange as a report shows it: what was asked and answered, with the body cut and laid out."""

    number: int
    request: str
    request_body: str
    answer: str
    body: str
    left_out: int


def load_exchanges(path: Path, numbers: Collection[int]) -> dict[int, Exchange]:
    """The exchanges that the ledger holds under `numbers`; nothing when it is missing.

    A line that cannot be read is passed over: the report then says that the exchange is not there.
    """
    lines = recorded_in(path, lambda text: number_of(text) in numbers) if numbers else ()
    return {number: line for number, line in lines if isinstance(line, Exchange)}


def show_exchange(number: int, line: Exchange) -> ShownExchange:
    """Lays out one line of the ledger."""
    body = lay_out_json(text_of(line.response)) if line.response else ""
    return ShownExchange(
        number=number,
        request=one_line(f"{line.request.method} {line.request.url}", SHOWN_CHARACTERS),
        request_body=visible(lay_out_json(line.request.body or "")[:SHOWN_CHARACTERS]),
        answer=_answer(line.response, line.failure),
        body=visible(body[:SHOWN_CHARACTERS]),
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

    Numbers and duplicate members are evidence: only the white space between tokens changes. A text that is
    not JSON is returned unchanged, and so is a deep one, which would become a thousand times as long.
    """
    if len(text) > _PRETTY_LIMIT:
        return text
    depths = accumulate((char in "[{") - (char in "]}") for char in _STRING.sub("", text))
    if max(depths, default=0) > _DEEPEST:
        return text
    try:
        return json.format(text.encode("utf-8", "surrogatepass"), indent=2).decode("utf-8", "surrogatepass")
    except DecodeError:
        return text


def _answer(response: Response | None, failure: Failure | None) -> str:
    if failure:
        return one_line(f"no answer: {failure.kind} {failure.text}".strip())
    if not response:
        return "no answer is recorded"
    said = (str(response.status), response.header("content-type"), f"{response.elapsed_ms:.0f} ms")
    return one_line(" · ".join(filter(None, said)))
