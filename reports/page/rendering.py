"""What every page is rendered with: the templates, the words and filters they use, and the content policy."""

import base64
import hashlib
import shlex
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from conformance.checks.case import GENERATED_KEY
from conformance.model.state_table import STATES
from conformance.records.verdicts import VERDICTS
from reports.changes.text import CAUSE_WORDS
from reports.limits import FIRST_SCREEN, HISTORY, PAGE
from reports.phrases import CLAUSE_WORD, SHORT_WORD, SYMBOL, WORD, counted, headline, in_findings
from reports.results.headline import is_conditional
from reports.texts import day_in_words, json_text, one_line, period, plural, time_in_words, visible

if TYPE_CHECKING:
    from jinja2 import Environment

_NOTHING_ELSE: Final = "base-uri 'none'; form-action 'none'"
_WORDS: Final[dict[str, Any]] = {
    "CAUSE_WORDS": CAUSE_WORDS,
    "CLAUSE_WORD": CLAUSE_WORD,
    "FIRST_SCREEN": FIRST_SCREEN,
    "GENERATED_KEY": GENERATED_KEY,
    "HISTORY": HISTORY,
    "PAGE": PAGE,
    "SHORT_WORD": SHORT_WORD,
    "STATES": STATES,
    "SYMBOL": SYMBOL,
    "VERDICTS": VERDICTS,
    "WORD": WORD,
    **{
        function.__name__: function
        for function in (day_in_words, in_findings, is_conditional, period, plural, time_in_words)
    },
}
"""What every template may use."""


def render(template: str, *styles: str, script: str = "", **values: object) -> str:
    """The text of a page, with its own style sheets and script, which its content policy names."""
    style = Markup("").join(map(own_text, styles))
    code = own_text(script) if script else Markup("")
    page = environment().get_template(template)
    return page.render(style=style, script=code, policy=content_policy(style, code), **values)


def render_part(template: str, **values: object) -> Markup:
    """A part of a page."""
    return Markup(environment().get_template(template).render(**values))  # noqa: S704  it was escaped just now


@cache
def environment() -> "Environment":
    """The templates; every value is text, whatever a server put into it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  it takes a moment, and pages come last

    made = Environment(
        loader=PackageLoader("reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals |= _WORDS
    made.filters |= {
        "visible": visible,
        "line": one_line,
        "json": json_text,
        "counted": counted,
        "command": shlex.join,
        "headline": headline,
    }
    return made


@cache
def own_text(name: str) -> Markup:
    """A style sheet or a script: our own text, which holds nothing of a server and needs no escape."""
    return Markup((files("reports") / "templates" / name).read_text(encoding="utf-8"))  # noqa: S704  a file of this package


def content_policy(style: str, script: str = "") -> str:
    """The content policy of a page: its own style sheet and script, by their hashes, and nothing else."""
    scripts = f" script-src {_hash(script)};" if script else ""
    return f"default-src 'none'; style-src {_hash(style)};{scripts} {_NOTHING_ELSE}"


def _hash(text: str) -> str:
    """How a content policy names a text that it lets in."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
