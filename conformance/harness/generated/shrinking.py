"""Shorter requests than one that broke a server: the shortest is what its developer wants to see."""

from __future__ import annotations

import re
from dataclasses import replace

from conformance.harness.wire.messages import Wanted

_LONG = 200
"""What is longer is cut: half of it is still longer than any key, and so no name that an entry has."""
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?$")


def halved(wanted: Wanted) -> Wanted | None:
    """A request with its longest part cut in half: a path segment, the query or a header; None if short."""
    path, mark, query = wanted.path.partition("?")
    longest = max([*path.split("/"), query, *(value for _, value in wanted.headers)], key=len)
    if len(longest) <= _LONG:
        return None
    half = _CUT_ESCAPE.sub("", longest[: len(longest) // 2])
    return replace(
        wanted,
        path=f"{path.replace(longest, half)}{mark}{query.replace(longest, half)}",
        headers=tuple((name, value.replace(longest, half)) for name, value in wanted.headers),
    )
