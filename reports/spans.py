"""Code spans and blocks of Markdown that no text of a server can end."""

from __future__ import annotations

import re

from reports.wording import one_line


def code_span(text: str, limit: int = 2000) -> str:
    """`text` as a code span that no back-tick in it can end; empty where it says nothing."""
    shown = one_line(text, limit)
    if not shown:
        return ""
    fence = fence_around(shown, 1)
    pad = " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fence_around(text: str, least: int) -> str:
    """More back-ticks than stand together anywhere in `text`."""
    return "`" * max(least, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
