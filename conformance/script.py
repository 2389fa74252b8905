"""A finding as a script: the writes that led to it and the reads that show it, numbered, each as a curl line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from conformance.checks.trace import WRITES, same
from conformance.checks.wording import quoted
from conformance.harness.curl import curl_of
from conformance.harness.granting import ACCESS_TOKEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conformance.checks.answer import Answer
    from conformance.checks.seen import Seen

_MOST_STEPS = 24


def steps_to(seen: Seen, shown: Answer) -> list[Answer]:
    """The exchanges that lead to `shown`: for a procedure that wrote, its writes since it began and the last read of each key between them.

    Anything else is one exchange.
    """
    group = shown.exchange.group
    answers = [answer for answer in (seen.groups.get(group, ()) if group else ()) if answer.exchange.n <= shown.exchange.n]
    if not any(answer.exchange.purpose == "write" for answer in answers):
        return [shown]
    begun = max((index + 1 for index, answer in enumerate(answers) if answer.exchange.purpose == "restore"), default=0)
    return list(_telling(answers[begun:], shown))[-_MOST_STEPS:]


def script_of(seen: Seen, shown: Answer) -> str:
    """`steps_to` as lines for a shell; one line where it is one exchange. A comment says what a shell cannot know."""
    steps = steps_to(seen, shown)
    if len(steps) == 1:
        return "\n".join(_token(*_remarks(shown), curl_of(shown.exchange, seen.profile)))
    lines: list[str] = []
    for number, answer in enumerate(steps, start=1):
        exchange = answer.exchange
        name = exchange.key.rpartition(".")[2]
        wrote = exchange.purpose in WRITES
        came = answer.words if wrote or not answer.has_value else quoted(answer.value)
        if wrote and answer.is_acknowledged:
            came = str(answer.status)
        told = f"{f'write {name} {quoted(exchange.value)}' if wrote else f'read {name}'} -> {came}"
        lines.append(f"# {number}. {' '.join(told.splitlines())}")  # what a server says must not leave the comment
        lines += [*_remarks(answer), curl_of(exchange, seen.profile)]
    return "\n".join(_token(*lines))


def _remarks(answer: Answer) -> Iterator[str]:
    """Where the request was redirected from."""
    exchange = answer.exchange
    came = exchange.response or exchange.failure
    if came and came.redirects:
        yield f"# redirected from {exchange.request.url}"


def _token(*lines: str) -> Iterator[str]:
    """The lines, after a word on the access token where they need one."""
    if any(re.search(rf"\${ACCESS_TOKEN}\b|\${{{ACCESS_TOKEN}}}", line) for line in lines):
        yield f"# {ACCESS_TOKEN}: what auth.oauth2.token_url grants"
    yield from lines


def _telling(answers: Sequence[Answer], shown: Answer) -> Iterator[Answer]:
    """The writes, and of the reads between two of them, for each key that is written or shown, the last one of each value in a row."""
    written = {answer.exchange.key for answer in answers if answer.exchange.purpose in WRITES} | {shown.exchange.key}
    pending: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        place = (answer.exchange.ha_id, answer.exchange.key)
        if answer.exchange.purpose in WRITES:
            yield from pending.values()
            pending = {}
            yield answer
        elif answer.exchange.key in written:
            before = pending.pop(place, answer)
            if not same(before.value, answer.value):  # what was there for one read only is part of the story
                yield before
            pending[place] = answer
    yield from pending.values()
