"""Servers that send a secret back, in the forms in which a reader, a browser or a program would read it.

The secret is the bearer token of the request, which stands in no file of a run and on no terminal in any of
them.
"""

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from html.entities import codepoint2name
from typing import Final

from conformance.mutants.hostile.contents.texts import failing, gives, place_of
from conformance.mutants.hostile.model import AUTHORIZED, NAMES, Answer, Asked, Hostile, Outcome, Piece, Robot
from conformance.mutants.hostile.replies import JSON, conforming, framed

GARBLED = Outcome(exit=1, fails=frozenset({"READ-SETTING", "READ-VALUE"}))


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


FORMS: Final[Mapping[str, tuple[str, tuple[Callable[[str], str], ...]]]] = {
    "plain": ("as it is, reversed, and in capitals", (str, lambda text: text[::-1], str.upper)),
    "percent": (
        "with every byte percent-encoded, the same twice, and in hexadecimal digits",
        (_percent, lambda text: _percent(text).replace("%", "%25"), lambda text: text.encode().hex()),
    ),
    "entities": (
        "in entities of HTML: numeric, hexadecimal and named",
        (
            lambda text: "".join(f"&#{ord(letter)};" for letter in text),
            lambda text: "".join(f"&#x{ord(letter):x};" for letter in text),
            lambda text: "".join(
                f"&{codepoint2name[ord(c)]};" if ord(c) in codepoint2name else c for c in text
            ),
        ),
    ),
    "base64": (
        "in base64, in base64 twice, and in base64 of the whole header",
        (_base64, lambda text: _base64(_base64(text)), lambda text: _base64(f"Authorization: Bearer {text}")),
    ),
    "escaped": (
        r"in escapes \u00xx, twice",
        (lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),),
    ),
}
"""Name, how the secret is written, the functions that write it so, one for each place of a text."""


def _secret(asked: Asked) -> str:
    return asked.request.headers.get("authorization", "").removeprefix("Bearer ")


def _as_bodies(*bodies: tuple[Callable[[str], bytes], str]) -> Callable[[], Answer]:
    """Bodies made of the secret, one for each name of a map and for refusals, with their media types."""

    def answer(asked: Asked) -> Iterable[Piece]:
        if asked.gives_a_value and asked.key not in NAMES:
            return conforming(asked)
        write, media_type = bodies[place_of(asked.key) % len(bodies)]
        return (framed(asked.reply.status, write(_secret(asked)), media_type=media_type),)

    return lambda: answer


def _escaped(secret: str) -> bytes:
    text = "".join(rf"\u{ord(letter):04x}" for letter in secret)
    return f'{{"data":{{"value":"{text}","{text}":"{text}"}}}}'.encode()


def _plain(secret: str) -> bytes:
    return json.dumps({"data": {"value": secret}}).encode()


def _wide(secret: str) -> bytes:
    return json.dumps({"data": {"value": secret}}, ensure_ascii=False).encode("utf-16")


def _in_heads(asked: Asked) -> Iterable[Piece]:
    """The secret in a header name, plain and in hexadecimal, in a cookie, and as the reason phrase."""
    secret = _secret(asked)
    lines = (f"X-{secret}: 1", f"{secret.encode().hex()}: 1", f"Set-Cookie: token={secret}; Path=/{secret}")
    whole = framed(asked.reply.status, asked.reply.body, *lines)
    return (whole.replace(b"\r\n", b" " + secret.encode() + b"\r\n", 1),)


def _in_location(asked: Asked) -> Iterable[Piece]:
    """The secret in the address of a redirect, as a user and in the query."""
    secret = _percent(_secret(asked))
    return (framed(302, b"", f"Location: {asked.base_url.replace('//', f'//{secret}@')}/?token={secret}"),)


def _echo(name: str, harm: str, start: Callable[[], Answer], outcome: Outcome) -> Hostile:
    return Hostile(
        f"echo-{name}", f"The token comes back {harm}.", start, outcome, service=Robot, profile=AUTHORIZED
    )


# fmt: off
ECHOES = (
    *(
        _echo(name, how, gives([lambda asked, one=one: one(_secret(asked)) for one in write]),
            failing(len(write)))
        for name, (how, write) in FORMS.items()
    ),
    _echo("body",
        r"in the bytes of a body: in escapes \u00xx, also as the name of a member; in UTF-8 that says it is"
        r" UTF-16; in UTF-16 that says so", _as_bodies((_escaped, JSON), (_plain, f"{JSON}; charset=utf-16"),
            (_wide, f"{JSON}; charset=utf-16")), Outcome(exit=0)),
    _echo("body-in-utf-16", "in a body in UTF-16", _as_bodies((_wide, JSON)), GARBLED),
    _echo("heads", "in names of headers, in a cookie, and as the reason phrase", lambda: _in_heads,
        Outcome(exit=0)),
    _echo("location", "in the address of a redirect", lambda: _in_location, Outcome(exit=3)),
)
