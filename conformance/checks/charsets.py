"""The names of character sets that a media type may carry, as against other words and codecs."""

from __future__ import annotations

import codecs

DEFAULT = "utf-8"
_LONGEST_NAME = 60
_ESCAPES = frozenset(
    {
        "idna",
        "mbcs",
        "oem",
        "palmos",
        "punycode",
        "raw-unicode-escape",
        "undefined",
        "unicode-escape",
        "utf-7",
    }
)
"""Codecs of Python that stand beside those of character sets, and a transfer encoding."""


def character_set(name: str) -> str:
    """`name` if it names a character set, else UTF-8, the only encoding of JSON (RFC 8259, section 11)."""
    if len(name) > _LONGEST_NAME:
        return DEFAULT
    try:
        "".encode(name)  # raises for a codec that makes no bytes of text
        known = codecs.lookup(name).name
    except (LookupError, ValueError):
        return DEFAULT
    return DEFAULT if known in _ESCAPES else name
