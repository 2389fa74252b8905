"""Texts that do something where they are shown: in a terminal, a page, a build log, a table, or the suite's own words.

Each server gives one text wherever a text can stand: as the value of an enumeration (which fails), as the name of a map,
in refusals, in a header and as the reason phrase.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from conformance.mutants.hostile.model import Hostile, Outcome, Robot
from conformance.mutants.hostile.replies import JSON
from conformance.mutants.soil import CHARGING_CONNECTION, MAP_NAME_1

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.mutants.hostile.model import Answer, Asked

MARK: Final = "hITmArK"
"""Stands in every text that a page, a log or a terminal may obey: what obeyed it can be found by this word."""

FOUND = Outcome(exit=1, fails=frozenset({"ENUM-CHARGECONN"}))
TEXTS_THAT_ACT: Final = {
    "text-page": (
        "is a script, a picture with a handler, an attribute and an open comment",
        f'"\'></script><script>window.{MARK}=1</script><img src=x onerror=window.{MARK}=1>" onmouseover="{MARK}" x=\'<!--',
    ),
    "text-markdown": (
        "is a picture, a link and a table in Markdown, and mentions a team",
        f"a | b |\n|---|---|\n@everyone fixes #1 ![x](http://127.0.0.1:9/{MARK})\n\n[click](javascript:{MARK})\n\n# {MARK}\n\n```\n",
    ),
    "text-cdata": (
        "ends a section of XML and a test case, and declares an entity",
        f"]]></failure><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;</testcase><testcase name='{MARK}'/><![CDATA[",
    ),
    "text-no-xml": ("holds characters that XML has not", f"\x01\x08\x0b\ufffe\uffff {MARK}"),
    "text-escape-sequence": ("clears a terminal and colors it", f"\x1b[2J\x1b[31;1m{MARK}\x1b[8m\x9b2J"),
    "text-title": (
        "sets the title of a terminal and fills its clipboard",
        f"\x1b]0;{MARK}\x07\x1b]52;c;aGl0\x07\x1b]8;;http://127.0.0.1/\x1b\\",
    ),
    "text-carriage-return": ("overwrites its line", f"wrong\rConforms: {MARK}\x08\x08\x7f"),
    "text-direction": ("reverses and hides letters", f"\u202e{MARK}\u2066\u200f\u061c\u2069\u202c\u200b\ufeff\u00ad\U000e0041"),
    "text-line-separators": ("begins new lines by other means", f"a\u2028::error::{MARK}\u2029\x85::error::{MARK}\x0c"),
    "text-github": (
        "commands a build on GitHub",
        f"\n::error file=x::{MARK}\n::set-output name=x::{MARK}\n::add-mask::{MARK}\n##[error]{MARK}\n",
    ),
    "text-azure": (
        "commands a build on Azure and on TeamCity",
        f"\n##vso[task.complete result=Succeeded;]{MARK}\n##teamcity[buildStatus text='{MARK}' status='SUCCESS']\n",
    ),
    "text-shell": ("is a command of a shell", f"'; touch {MARK}; echo $(touch {MARK}) `touch {MARK}` \\\n#"),
    "text-template": (
        "is an expression of three template languages",
        f"{{{{ 7*7 }}}}{{% raw %}}${{{{ {MARK} }}}}<%= 7*7 %>{{0.__class__}}%s%n",
    ),
    "text-markup": ("is markup of a library for terminals", f"[bold red]{MARK}[/bold red][link=http://127.0.0.1/]x[/link]"),
    "text-state": ("is the reason with which the suite excuses an entry", "X4: #123456 while X4: PowerState is Off"),
    "text-verdict": (
        "is a verdict of the suite",
        "\nConforms: hub at http://127.0.0.1\nNothing contradicts the document\nNOT RESTORED\nPASSED",
    ),
    "text-variable": ("names a variable that holds a secret", "${HOSTILE_TOKEN} $HOSTILE_TOKEN ${HOSTILE_CLIENT_SECRET} %HOSTILE_TOKEN%"),
    "text-without-breaks": ("has 20,000 letters and no space", "w" * 20_000),
}
"""Name, what the text does, the text."""


def gives(text: str) -> Callable[[], Answer]:
    """A server that gives a text wherever a text can stand."""
    one_line = " ".join(text.split())
    plain = bytes(byte for byte in one_line.encode() if byte >= 0x20 and byte != 0x7F)[:1000]

    def answer(asked: Asked) -> tuple[bytes]:
        body = asked.reply.body
        document: dict[str, Any] = json.loads(body or b"{}")
        if asked.gives_a_value and asked.key in {CHARGING_CONNECTION, MAP_NAME_1}:
            document["data"] |= {"value": text, "name": text}
        if "error" in document:
            document["error"]["description"] = text
        body = json.dumps(document).encode()
        lines = b"Content-Type: %s\r\nX-Text: %s\r\nContent-Length: %d" % (JSON.encode(), plain, len(body))
        return (b"HTTP/1.1 %d %s\r\n%s\r\n\r\n%s" % (asked.reply.status, plain, lines, body),)

    return lambda: answer


TEXTS = tuple(
    Hostile(name, f"The text {what}.", gives(text), FOUND, service=Robot, options=("--certify",))
    for name, (what, text) in TEXTS_THAT_ACT.items()
)
