"""The blocks of a story as a part of a page, and how the page tells them."""

from collections.abc import Iterable
from itertools import groupby
from typing import Final

from markupsafe import Markup, escape

from reports.limits import FIRST_SCREEN
from reports.page.shown_findings import anchor_of
from reports.story.blocks import Block, Item, Line, ListRow, Title, VerdictCounts, Voice
from reports.texts import one_line

HEAD: Final = Voice(one_line, str, FIRST_SCREEN, "below")


def html(blocks: Iterable[Block], top: int = 2) -> Markup:
    """Blocks as a part of a page, in which every text is escaped; the first titles are of the level `top`.

    Scripts are left out: the page shows them with their findings.
    """
    parts: list[Markup] = []
    for kind, group in groupby(blocks, type):
        shown = Markup("\n").join(_element(block, top) for block in group)
        parts.append(Markup("<ul>\n%s\n</ul>") % shown if kind in {Item, ListRow} else shown)
    return Markup("\n").join(parts)


def _element(block: Block, top: int) -> Markup:
    match block:
        case Title():
            return Markup("<h{0}>{1}</h{0}>").format(top + block.level - 2, block.text)
        case Line():
            text = _linked(block.text, "" if block.label else block.anchor)
            text = Markup("<strong>{}</strong>").format(text) if block.strong else text
            named = _linked(f"{block.label[:1].upper()}{block.label[1:]}", block.anchor)
            label = Markup("{}: ").format(named) if block.label else ""
            kind = " ".join(filter(None, ("said", block.mood, "strong" if block.strong else "")))
            return Markup('<p class="{}">{}{}</p>').format(kind, label, text)
        case VerdictCounts():
            return Markup("<p>{}</p>").format(block.text)
        case ListRow():
            number = f"{block.number} × " if block.number else ""  # noqa: RUF001  the sign says times
            return Markup("<li>{}{}</li>").format(number, block.text)
        case Item():
            lines = (one for line in block.below for one in (line if isinstance(line, tuple) else (line,)))
            below = Markup("").join(Markup("<br><small>{}</small>").format(line) for line in lines)
            anchor = anchor_of(block.case) if block.case else ""
            return Markup("<li>{}{}</li>").format(_linked(block.text, anchor), below)


def _linked(text: str, anchor: str) -> Markup:
    return Markup('<a href="#{}">{}</a>').format(anchor, text) if anchor else escape(text)
