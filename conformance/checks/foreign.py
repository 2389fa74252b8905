"""What a body that is not JSON is, with its first line, to show who answered instead of the service."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

Nature: TypeAlias = Literal["a sign-in page (HTML)", "HTML", "XML", "text", "no text"]

_LOOKED_AT = 20_000
_LONGEST_LINE = 100
_MARKUP = re.compile(r"<(?:!doctype\s+(\w+)|(\?xml)|(?:[\w.-]+:)?([a-z][\w.-]*)[\s/>])", re.IGNORECASE)
_PAGES = {"html", "head", "body"}
_PASSWORD_FIELD = re.compile(r"<input\b[^>]*\btype\s*=\s*[\"']?password\b", re.IGNORECASE)


def nature_of(body: bytes, media_type: str) -> Nature:
    """What a body seems to be; only ever said to a reader, no verdict rests on it."""
    text = body[:_LOOKED_AT].decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    begins = _MARKUP.match(text)
    page = bool(begins) and any(name and name.casefold() in _PAGES for name in begins.groups())
    if page or media_type in {"text/html", "application/xhtml+xml"}:
        return "a sign-in page (HTML)" if _PASSWORD_FIELD.search(text) else "HTML"
    if begins or media_type.endswith(("/xml", "+xml")):
        return "XML"
    return "no text" if b"\0" in body[:_LOOKED_AT] or "\ufffd" in text else "text"


def first_line(body: bytes) -> str:
    """The first line of a body that is not empty, at most 100 characters, control characters made visible."""
    text = body[:_LOOKED_AT].decode("utf-8", "backslashreplace").lstrip("\ufeff")
    line = next((line for line in text.splitlines() if line.strip()), "").strip()
    shown = "".join(character if character.isprintable() else repr(character)[1:-1] for character in line)
    return shown if len(shown) <= _LONGEST_LINE else f"{shown[:_LONGEST_LINE]}..."
