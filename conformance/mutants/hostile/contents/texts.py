"""Texts that act where they are shown: in a terminal, a page, a build log, a table, or the suite's own words.

Each server gives three of them wherever a text can stand: as the value of an enumeration (which fails), as
the name of a map, in refusals, in a header and as the reason phrase.
"""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from conformance.mutants.hostile.model import (
    AUTHORIZED,
    NAMES,
    PLACES,
    Answer,
    Asked,
    Hostile,
    Outcome,
    Robot,
)
from conformance.mutants.hostile.replies import JSON

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
