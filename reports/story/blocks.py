"""The blocks that every report of a run begins with, or is made of, and two ways to print them.

A `Voice` says how a place writes a text that is not ours, so that a block holds what stands there in the end.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from conformance.checks.verdict import Verdict
from reports.limits import SUMMARY, TERMINAL, MostShown
from reports.texts import code_span, fence_around, one_line, plural

_LONGEST: Final = 1_000  # characters of a reason that somebody has to act on
Mood: TypeAlias = Verdict | Literal[""]
"""The verdict in whose color a terminal shows a block."""


class Title(Struct, frozen=True):
    """What the next blocks are about; a `quiet` one is no rule across a terminal."""

    text: str
    level: int = 3
    mood: Mood = ""
    quiet: bool = False


class Line(Struct, frozen=True):
    """A line or a few sentences; `label` says what of, as in `stale waiver: RANGE-*`.

    `anchor` is the part of report.html that says more.
    """

    text: str
    label: str = ""
    mood: Mood = ""
    strong: bool = False
    anchor: str = ""


class Item(Struct, frozen=True):
    """One thing of several: its first line, those below it (a tuple stands a step further in), a script.

    `case` is the id of a failed case whose finding report.html tells in full.
    """

    text: str
    below: tuple[str | tuple[str, ...], ...] = ()
    script: tuple[str, ...] = ()
    mood: Mood = ""
    case: str = ""


class ListRow(Struct, frozen=True):
    """A line of a list; `number` is how often it applies, empty where that is not counted."""

    text: str
    number: str = ""


Block: TypeAlias = Title | Line | Item | ListRow


class Voice(Struct, frozen=True):
    """How a place writes a text of a target, a sentence of ours that may hold a name, and how much of all.

    `rest` is where that stands for which there is no room.
    """

    quote: Callable[[str, int], str]
    sentence: Callable[[str], str]
    limits: MostShown
    rest: str = "in report.html"


def escaped(text: str) -> str:
    """A sentence in which nothing, such as the name of an appliance, is markup."""
    return re.sub(r"([\\`*_\[\]<>|!#&@])", r"\\\1", text)


PLAIN: Final = Voice(one_line, str, TERMINAL)
MARKDOWN: Final = Voice(code_span, escaped, SUMMARY)


def under(title: str, blocks: Sequence[Block], number: int, noun: str, voice: Voice) -> Iterator[Block]:
    """A title, the blocks under it, and how many of `number` are left out; nothing without a block."""
    if blocks:
        yield Title(title)
        yield from blocks
        yield from left_out(number - len(blocks), noun, voice.rest)


def some_lines(texts: Iterable[str], like: Line, voice: Voice) -> Iterator[Block]:
    """A line like another one for each text, and how many are left out."""
    told = list(texts)
    most = voice.limits.reasons
    yield from (replace(like, text=voice.quote(text, _LONGEST)) for text in told[:most])
    if len(told) > most:
        yield replace(like, text=f"… and {len(told) - most:,} more {voice.rest}")


def left_out(number: int, noun: str, place: str) -> Iterator[Block]:
    """How many things more there are than stand above, and where; nothing where all of them do."""
    if number > 0:
        yield Line(f"… and {plural(number, noun)} {place}")


def plain(blocks: Iterable[Block]) -> Iterator[tuple[str, Mood]]:
    """The lines of blocks as a terminal shows them, each with its mood; titles as they are."""
    for block in blocks:
        match block:
            case Title():
                yield block.text, block.mood
            case Line():
                yield f"{block.label}: {block.text}" if block.label else block.text, block.mood
            case ListRow():
                yield f"{block.number:>6}  {block.text}" if block.number else f"    {block.text}", ""
            case Item():
                yield block.text, block.mood
                for line in (*block.below, *block.script):
                    under = [f"  {one}" for one in line] if isinstance(line, tuple) else [line]
                    for one in under:
                        yield f"    {one}", ""


def markdown(blocks: Iterable[Block]) -> list[str]:
    """The parts of a text in Markdown, with an empty line between each two of them."""
    parts: list[str] = []
    for before, block in pairwise([None, *blocks]):
        part = _part(block) if block else ""
        if isinstance(before, ListRow) and isinstance(block, ListRow):
            parts[-1] += f"\n{part}"
        else:
            parts.append(part)
    return parts


def _part(block: Block) -> str:
    match block:
        case Title():
            return f"{'#' * block.level} {block.text}"
        case Line(label=label):
            text = f"**{label[:1].upper()}{label[1:]}:** {block.text}" if label else block.text
            return f"**{text}**" if block.strong else text
        case ListRow():
            return f"- {block.number} × {block.text}" if block.number else f"- {block.text}"  # noqa: RUF001  the sign says times
        case Item():
            below = (
                "\n".join(f"    - {one}" for one in line) if isinstance(line, tuple) else f"  - {line}"
                for line in block.below
            )
            return "\n".join([f"- {block.text}", *below, *_script(block.script)])


def _script(lines: tuple[str, ...]) -> list[str]:
    """A curl line as a code span, a script as a block of its own; both end where the list item does."""
    if len(lines) <= 1:
        return [f"  - {code_span(line)}" for line in lines]
    fence = fence_around("\n".join(lines), 3)
    return [f"  {fence}sh", *(f"  {line}" for line in lines), f"  {fence}"]
