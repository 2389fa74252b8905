"""Servers that send a secret back, in the forms in which a reader, a browser or a program would read it.

The secret is the bearer token of the request, which stands in no file of a run and on no terminal in any of them.
"""

from __future__ import annotations

import base64
import json
from html.entities import codepoint2name
from typing import TYPE_CHECKING, Any, Final

from conformance.mutants.hostile.model import TOKEN, Hostile, Outcome, Robot
from conformance.mutants.hostile.replies import conforming, framed
from conformance.mutants.soil import CHARGING_CONNECTION, MAP_NAME_1

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from conformance.mutants.hostile.model import Answer, Asked, Piece

FOUND = Outcome(exit=1, fails=frozenset({"ENUM-CHARGECONN"}))
NOTHING_WRONG = Outcome(exit=0)
GARBLED = Outcome(exit=1, fails=frozenset({"READ-SETTING", "READ-VALUE"}))
_TOKEN = {"auth": {"headers": {"Authorization": f"Bearer ${{{TOKEN}}}"}}}


def _twice(text: str) -> str:
    return base64.b64encode(base64.b64encode(text.encode())).decode()


def _percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


FORMS: Final[Mapping[str, tuple[str, Callable[[str], str]]]] = {
    "plain": ("as it is", str),
    "reversed": ("reversed", lambda text: text[::-1]),
    "hexadecimal": ("in hexadecimal digits", lambda text: text.encode().hex()),
    "percent": ("with every byte percent-encoded", _percent),
    "percent-twice": ("with every byte percent-encoded twice", lambda text: _percent(text).replace("%", "%25")),
    "entities-decimal": ("in numeric entities of HTML", lambda text: "".join(f"&#{ord(letter)};" for letter in text)),
    "entities-hexadecimal": ("in hexadecimal entities of HTML", lambda text: "".join(f"&#x{ord(letter):x};" for letter in text)),
    "entities-named": (
        "with named entities of HTML",
        lambda text: "".join(f"&{codepoint2name[ord(c)]};" if ord(c) in codepoint2name else c for c in text),
    ),
    "base64": ("in base64", lambda text: base64.b64encode(text.encode()).decode()),
    "base64-twice": ("in base64 twice", _twice),
    "base64-of-header": ("in base64 of the whole header", lambda text: base64.b64encode(f"Authorization: Bearer {text}".encode()).decode()),
    "escaped": (r"in escapes \u00xx, twice", lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)),
    "capitals": ("in capitals", str.upper),
}
"""Name, how the secret is written, the function that writes it so."""


def _secret(asked: Asked) -> str:
    return asked.request.headers.get("authorization", "").removeprefix("Bearer ")


def _as_value(write: Callable[[str], str]) -> Callable[[], Answer]:
    """The secret in a form as the value of an enumeration, the name of a map, and in a header of every answer."""

    def answer(asked: Asked) -> Iterable[Piece]:
        text = write(_secret(asked))
        document: dict[str, Any] = json.loads(asked.reply.body or b"{}")
        if asked.gives_a_value and asked.key in {CHARGING_CONNECTION, MAP_NAME_1}:
            document["data"]["value"] = text
        return (framed(asked.reply.status, json.dumps(document).encode(), f"X-Echo: {text}"),)

    return lambda: answer


def _as_bytes(write: Callable[[str], bytes], media_type: str = "application/json") -> Callable[[], Answer]:
    """A body for one setting and for every refusal that is made of the secret."""

    def answer(asked: Asked) -> Iterable[Piece]:
        if asked.gives_a_value and asked.key != MAP_NAME_1:
            return conforming(asked)
        return (framed(asked.reply.status, write(_secret(asked)), media_type=media_type),)

    return lambda: answer


def _escaped(secret: str) -> bytes:
    text = "".join(rf"\u{ord(letter):04x}" for letter in secret)
    return f'{{"data":{{"value":"{text}","{text}":"{text}"}}}}'.encode()


def _plain(secret: str) -> bytes:
    return json.dumps({"data": {"value": secret}}).encode()


def _wide(secret: str) -> bytes:
    return json.dumps({"data": {"value": secret}}, ensure_ascii=False).encode("utf-16")


def _in_names(asked: Asked) -> Iterable[Piece]:
    """The secret in the name of a header, as it is and in hexadecimal digits, and in a cookie."""
    secret = _secret(asked)
    lines = (f"X-{secret}: 1", f"{secret.encode().hex()}: 1", f"Set-Cookie: token={secret}; Path=/{secret}")
    return (framed(asked.reply.status, asked.reply.body, *lines),)


def _in_location(asked: Asked) -> Iterable[Piece]:
    """The secret in the address of a redirect, as a user and in the query."""
    secret = _percent(_secret(asked))
    return (framed(302, b"", f"Location: {asked.base_url.replace('//', f'//{secret}@')}/?token={secret}"),)


def _in_reason(asked: Asked) -> Iterable[Piece]:
    """The secret as the reason phrase."""
    return (framed(asked.reply.status, asked.reply.body).replace(b"\r\n", b" " + _secret(asked).encode() + b"\r\n", 1),)


def _echo(name: str, harm: str, start: Callable[[], Answer], outcome: Outcome = NOTHING_WRONG) -> Hostile:
    return Hostile(f"echo-{name}", f"The token comes back {harm}.", start, outcome, service=Robot, profile=_TOKEN)


ECHOES = (
    *(_echo(name, how, _as_value(write), FOUND) for name, (how, write) in FORMS.items()),
    _echo("escaped-in-body", r"in escapes \u00xx in the bytes of a body, also as the name of a member", _as_bytes(_escaped)),
    _echo("utf-16", "in a body in UTF-16", _as_bytes(_wide), GARBLED),
    _echo("charset-wrong", "in a body in UTF-8 that says it is UTF-16", _as_bytes(_plain, "application/json; charset=utf-16")),
    _echo("utf-16-of-charset", "in a body in UTF-16 that says so", _as_bytes(_wide, "application/json; charset=utf-16")),
    _echo("header-names", "in names of headers and in a cookie", lambda: _in_names),
    _echo("location", "in the address of a redirect", lambda: _in_location, Outcome(exit=3)),
    _echo("reason", "as the reason phrase", lambda: _in_reason),
)
