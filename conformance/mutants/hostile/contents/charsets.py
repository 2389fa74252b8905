"""Bodies in odd encodings, and media types that name them wrongly.

> The document shows no media type. JSON is UTF-8, and a parameter charset means nothing (RFC 8259, 8.1 and
> 11).
"""

from __future__ import annotations

from collections.abc import Callable

from catalog.keys import MAP_NAME_1
from conformance.mutants.hostile.model import Answer, Hostile, Outcome, Robot
from conformance.mutants.hostile.replies import framed, granted, only, spoiled

NOTHING_WRONG = Outcome(exit=0)
NOTHING_LEARNED = Outcome(exit=3)
GARBLED = Outcome(exit=1, fails=frozenset({"READ-SETTING", "READ-VALUE"}))
_CHARSETS = (
    ("charset-undefined", "undefined", "whose codec of Python refuses everything"),
    ("charset-punycode", "punycode", "whose codec takes minutes for long texts"),
    ("charset-utf-16", "utf-16", "in which two bytes are a letter"),
    ("charset-rot13", "rot13", "whose codec of Python gives no text"),
    ("charset-unicode-escape", "unicode_escape", "which turns backslashes into letters"),
    ("charset-nobody-knows", "../../etc/passwd", "that nobody knows"),
)


def _labelled(charset: str) -> Callable[[], Answer]:
    """The bytes of a conforming server, called by the name of a charset."""
    return spoiled(
        lambda reply: (framed(reply.status, reply.body, media_type=f"application/json; charset={charset}"),)
    )


def _recoded(recode: Callable[[bytes], bytes], charset: str = "utf-8") -> Callable[[], Answer]:
    """The bodies of a conforming server, changed by a function."""
    media_type = f"application/json; charset={charset}"
    return granted(spoiled(lambda reply: (framed(reply.status, recode(reply.body), media_type=media_type),)))


def _named(text: bytes) -> Callable[[], Answer]:
    """A name of a map written with these bytes of JSON."""
    body = b'{"data":{"key":"%s","value":"%s"}}' % (MAP_NAME_1.encode(), text)
    return only(lambda: lambda _asked: (framed(200, body),), MAP_NAME_1)


# fmt: off
CHARSETS = (
    *(
        Hostile(name, f"The media type names a charset {why}.", _labelled(charset), NOTHING_WRONG)
        for name, charset, why in _CHARSETS
    ),
    Hostile("encoded-utf-16", "Bodies are UTF-16 with a byte order mark, and are called so.",
        _recoded(lambda body: body.decode().encode("utf-16"), "utf-16"), NOTHING_WRONG),
    Hostile("byte-order-marks", "Three byte order marks stand before a body.",
        only(_recoded(lambda body: b"\xef\xbb\xbf" * 3 + body)), GARBLED),
    Hostile("encoded-overlong",
        "A quotation mark is written in two bytes, as UTF-8 forbids, for one setting.",
        only(_recoded(lambda body: body.replace(b'"', b"\xc0\xa2", 1))), GARBLED),
    Hostile("nul-plain", "A name holds NUL, unescaped, as JSON forbids.", _named(b"a\0b"), GARBLED,
        service=Robot),
    Hostile("surrogate-alone", "A name holds half of a surrogate pair, which no file can hold as it is.",
        _named(rb"a\ud800b"), GARBLED, service=Robot),
)
# fmt: on
