"""Texts that act where they are shown, and servers that send a secret back.

A text acts in a terminal, a page, a build log, a table, or the suite's own words: each server gives three of
them wherever a text can stand: as the value of an enumeration (which fails), as the name of a map, in
refusals, in a header and as the reason phrase.

The secret is the bearer token of the request, in forms in which a reader, a browser or a program would read
it; it stands in no file of a run and on no terminal in any of them. The last ones are issuers of access
tokens (RFC 6749, 5) that grant nothing, garbage, or what cannot be kept secret.

> Authentication: not shown (line 155).
"""

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import unquote_plus

from conformance.mutants.hostile.model import (
    AUTHORIZED,
    CLIENT_SECRET,
    GARBLED,
    NAMES,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    PLACES,
    Answer,
    Asked,
    Hostile,
    Outcome,
    Piece,
    Robot,
)
from conformance.mutants.hostile.replies import JSON, conforming, endless, framed, head, moved

MARK: Final = "hITmArK"
"""Stands in every text that a page, a log or a terminal may obey: what obeyed it
can be found by this word.
"""


def gives(write: Sequence[Callable[[Asked], str]]) -> Answer:
    """A server that gives each text in its place; other answers hold one of them by their key."""

    def answer(asked: Asked) -> tuple[bytes]:
        texts = [one(asked) for one in write]
        number = place_of(asked.key)
        text = texts[number % len(texts)]
        document: dict[str, Any] = json.loads(asked.reply.body or b"{}")
        if asked.gives_a_value and number < len(texts) and asked.key in (*PLACES, *NAMES):
            document["data"] |= {"value": text, "name": text}
        if "error" in document:
            document["error"]["description"] = text
        body = json.dumps(document).encode()
        line = " ".join(text.split()).encode()
        plain = bytes(byte for byte in line if byte >= 0x20 and byte != 0x7F)[:1000]
        lines = b"Content-Type: %s\r\nX-Text: %s\r\nContent-Length: %d" % (JSON.encode(), plain, len(body))
        return (b"HTTP/1.1 %d %s\r\n%s\r\n\r\n%s" % (asked.reply.status, plain, lines, body),)

    return answer


def place_of(key: str) -> int:
    """The number of the text that an answer for this key holds."""
    places = {name: place for names in (PLACES, NAMES) for place, name in enumerate(names)}
    return places.get(key, sum(key.encode()))


def failing(count: int) -> Outcome:
    """What is said of a server that gives so many texts: each enumeration that holds one fails."""
    return Outcome(exit=1, fails=frozenset([*PLACES.values()][:count]))


def _acts(name: str, harm: str, *texts: str) -> Hostile:
    """A server that gives the texts, one for each place."""
    answer, outcome = gives([lambda _asked, text=text: text for text in texts]), failing(len(texts))
    return Hostile(name, harm, answer, outcome, service=Robot, profile=AUTHORIZED, certified=True, whole=True)


# fmt: off
TEXTS = (
    _acts("text-pages",
        "A script, a picture, an attribute and a comment of HTML; a table of Markdown; the end of a section"
        " of XML.",
        f'"\'></script><script>window.{MARK}=1</script><img src=x onerror=window.{MARK}=1>'
        f'" onmouseover="{MARK}" x=\'<!--',
        f"a | b |\n|---|---|\n@everyone fixes #1 ![x](http://127.0.0.1:9/{MARK})\n\n"
        f"[click](javascript:{MARK})\n\n# {MARK}\n\n```\n",
        "]]></failure><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;</testcase><testcase"
        f" name='{MARK}'/><![CDATA["),
    _acts("text-markup",
        "Characters that XML has not, an expression of template languages, and markup of a library for"
        " terminals.",
        f"\x01\x08\x0b\ufffe\uffff {MARK}",
        f"{{{{ 7*7 }}}}{{% raw %}}${{{{ {MARK} }}}}<%= 7*7 %>{{0.__class__}}%s%n",
        f"[bold red]{MARK}[/bold red][link=http://127.0.0.1/]x[/link]"),
    _acts("text-terminals",
        "What clears and colors a terminal, sets its title and fills its clipboard, and overwrites a line.",
        f"\x1b[2J\x1b[31;1m{MARK}\x1b[8m\x9b2J",
        f"\x1b]0;{MARK}\x07\x1b]52;c;aGl0\x07\x1b]8;;http://127.0.0.1/\x1b\\",
        f"wrong\rConforms: {MARK}\x08\x08\x7f"),
    _acts("text-lines",
        "Letters reversed and hidden, lines begun by other means, and 20,000 letters without a space.",
        f"\u202e{MARK}\u2066\u200f\u061c\u2069\u202c\u200b\ufeff\u00ad\U000e0041",
        f"a\u2028::error::{MARK}\u2029\x85::error::{MARK}\x0c",
        "w" * 20_000),
    _acts("text-builds",
        "Commands of a build on GitHub, of one on Azure and TeamCity, and of a shell.",
        f"\n::error file=x::{MARK}\n::set-output name=x::{MARK}\n::add-mask::{MARK}\n##[error]{MARK}\n",
        f"\n##vso[task.complete result=Succeeded;]{MARK}\n##teamcity[buildStatus text='{MARK}'"
        " status='SUCCESS']\n",
        f"'; touch {MARK}; echo $(touch {MARK}) `touch {MARK}` \\\n#"),
    _acts("text-words",
        "The reason with which the suite excuses an entry, its verdict, and the names of variables that hold"
        " a secret.",
        "X4: #123456 while X4: PowerState is Off",
        "\nConforms: hub at http://127.0.0.1\nNothing contradicts the document\nNOT RESTORED\nPASSED",
        "${HOSTILE_TOKEN} $HOSTILE_TOKEN ${HOSTILE_CLIENT_SECRET} %HOSTILE_TOKEN%"),
)
# fmt: on


def _base64(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def _percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def _secret(asked: Asked) -> str:
    return asked.request.headers.get("authorization", "").removeprefix("Bearer ")


def _as_bodies(*bodies: tuple[Callable[[str], bytes], str]) -> Answer:
    """Bodies made of the secret, one for each name of a map and for refusals, with their media types."""

    def answer(asked: Asked) -> Iterable[Piece]:
        if asked.gives_a_value and asked.key not in NAMES:
            return conforming(asked)
        write, media_type = bodies[place_of(asked.key) % len(bodies)]
        return (framed(asked.reply.status, write(_secret(asked)), media_type=media_type),)

    return answer


def _escaped(secret: str) -> bytes:
    text = "".join(rf"\u{ord(letter):04x}" for letter in secret)
    return f'{{"data":{{"value":"{text}","{text}":"{text}"}}}}'.encode()


def _encoded(charset: str) -> Callable[[str], bytes]:
    return lambda secret: json.dumps({"data": {"value": secret}}).encode(charset)


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


def _echo(name: str, how: str, answer: Answer, outcome: Outcome) -> Hostile:
    harm = f"The token comes back {how}."
    return Hostile(f"echo-{name}", harm, answer, outcome, service=Robot, profile=AUTHORIZED, whole=True)


# fmt: off
ECHOES = (
    # The tests of what masks a secret write it in every other way.
    _echo("spelled", "as it is, with every byte percent-encoded twice, and in base64 of the whole header",
        gives([_secret, lambda asked: _percent(_secret(asked)).replace("%", "%25"),
            lambda asked: _base64(f"Authorization: Bearer {_secret(asked)}")]), failing(3)),
    _echo("body",
        r"in the bytes of a body: in escapes \u00xx, also as the name of a member; in UTF-8 that says it is"
        r" UTF-16; in UTF-16 that says so", _as_bodies((_escaped, JSON),
            *((_encoded(written), f"{JSON}; charset=utf-16") for written in ("utf-8", "utf-16"))),
        NOTHING_WRONG),
    _echo("body-in-utf-16", "in a body in UTF-16", _as_bodies((_encoded("utf-16"), JSON)), GARBLED),
    _echo("heads", "in names of headers, in a cookie, and as the reason phrase", _in_heads,
        NOTHING_WRONG),
    _echo("location", "in the address of a redirect", _in_location, NOTHING_LEARNED),
)
# fmt: on


_GRANTED = {
    "auth": {
        "oauth2": {
            "token_url": "{base_url}/token",
            "client_id": "the-suite",
            "client_secret": f"${{{CLIENT_SECRET}}}",
            "scope": "read",
        }
    }
}


def _issuer(issue: Answer) -> Answer:
    """A conforming server whose token endpoint is hostile."""
    return lambda asked: issue(asked) if asked.request.path.endswith("/token") else conforming(asked)


def _grants(token: str, lifetime: object = 3600) -> Answer:
    """An issuer that grants this token for so many seconds."""
    members = {"access_token": token, "token_type": "bearer", "expires_in": lifetime}
    return _issuer(lambda _asked: (framed(200, json.dumps(members).encode()),))


def _echoes(asked: Asked) -> Iterable[Piece]:
    """The request comes back in the error, decoded and not."""
    said = asked.request.body.decode("latin-1")
    basic = asked.request.headers.get("authorization", "").removeprefix("Basic ")
    plain = base64.b64decode(basic + "==").decode("latin-1")
    told = " ".join((said, unquote_plus(said), basic, plain, unquote_plus(plain)))
    body = json.dumps({"error": "invalid_client", "error_description": told})
    return (framed(400, body.encode()),)


_token = partial(Hostile, profile=_GRANTED)

# fmt: off
TOKENS = (
    _token("token-empty", "The token is empty.", _grants(""), NOTHING_LEARNED),
    _token("token-two-lines", "The token holds the end of a header and another header.",
        _grants("aaaaaaaaaaaa\r\nX-Injected: yes"), NOTHING_LEARNED),
    _token("token-short",
        "The token is a word of the catalog, which cannot be masked without changing evidence.",
        _grants("On"), Outcome(exit=5), whole=True),
    _token("token-of-ten-megabytes", "The token has ten million letters.", _grants("t" * 10_000_000),
        NOTHING_LEARNED),
    _token("token-lives-for-ever", "The token lives for 10 to the power of 308 seconds.",
        _grants("t0k3n-for-ever-and-ever", 1e308), NOTHING_WRONG),
    _token("token-dead", "Each token is dead when it is granted.", _grants("t0k3n-that-was-dead", -1),
        NOTHING_LEARNED),
    _token("token-echoed", "The issuer sends the client secret back in its error.", _issuer(_echoes),
        NOTHING_LEARNED, whole=True),
    _token("token-endless", "The answer of the issuer never ends.",
        _issuer(lambda _asked: endless(b" " * 65_536, head(200))), NOTHING_LEARNED),
    _token("token-elsewhere", "The issuer leads to another host, which would get the client secret.",
        _issuer(moved("http://localhost:{port}/token", 307)), NOTHING_LEARNED),
)
