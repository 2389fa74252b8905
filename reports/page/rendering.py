"""What every page is rendered with: the templates, the words and filters they use, and the content policy."""

import base64
import hashlib
import shlex
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from catalog.model import Level
from conformance.checks.case import GENERATED_KEY
from conformance.checks.verdict import Verdict
from conformance.model.state_table import STATES
from conformance.records.verdicts import VERDICTS
from reports.changes.text import CAUSE_WORDS
from reports.limits import FIRST_SCREEN, HISTORY, PAGE
from reports.phrases import (
    CLAUSE_WORD,
    SHORT_WORD,
    SYMBOL,
    WAIVER_STATES,
    WORD,
    counted,
    headline,
    in_findings,
)
from reports.readings import READINGS
from reports.results.headline import is_conditional
from reports.texts import day_in_words, json_text, one_line, period, plural, time_in_words, visible

if TYPE_CHECKING:
    from jinja2 import Environment

MEANING: Final[dict[Verdict, str]] = {
    "pass": "The premise of the clause was shown, and the server did what the clause asks.",
    "fail": "The premise was shown, and the server contradicts a sentence of the document.",
    "inconclusive": (
        "Nothing was learned, neither for the server nor against it; the reason is given: a refusal for the"
        " moment, an appliance that is off, a field of the profile that is not declared."
    ),
    "not_applicable": "The clause asks nothing here: the appliance does not have the entry.",
    "observed": "The document leaves it open; what was seen is recorded, and is neither right nor wrong.",
    "error": "The suite itself failed; that says nothing about the server.",
}
"""What each verdict says of a case."""
LEVEL_MEANING: Final[dict[Level, str]] = {
    "seen": "nothing was sent: what others had recorded was judged",
    "read": "nothing was written",
    "write": "settings were written and put back, no appliance was switched off",
    "power": "settings were written and put back, appliances were switched off and on",
    "attended": "as power, and a person or a test bench did what a server cannot",
}
"""What a run of each level did."""
OTHER_WORDS: Final[dict[str, str]] = {
    "clause": "A sentence of the document that can be tested. Each names its line.",
    "case": "One clause on one key of one appliance. A case has one verdict.",
    "finding": "One defect of the server, with all the cases that show it.",
    "not judged": "What the run did not try: its level is too low, or a field of the profile is missing.",
    "waived": "A failure that the profile excuses until a day, with a reason and an owner. It is shown.",
    "level": "; ".join(f"{level}: {text}" for level, text in LEVEL_MEANING.items()) + ".",
    "is it the profile?": (
        "Edits of the profile were tried on what the run saw. No verdict rests on that; appliance-conformance"
        " suspect says it at length."
    ),
    "controls": (
        "Requests that check what the suite presupposes: keys and appliances that do not exist, the same"
        " request once more, generated requests. Their answers tell a key that an appliance lacks from one"
        " that is broken."
    ),
    "claimed": "What the profile says an appliance supports. Only what is claimed can be missing.",
    "conditional": (
        "A certificate excuses claimed cases that a state of an appliance prevented, such as a light that was"
        " off, or a failure that is waived. It says nothing about those."
    ),
}
_NOTHING_ELSE: Final = "base-uri 'none'; form-action 'none'"
_WORDS: Final[dict[str, Any]] = {
    "CAUSE_WORDS": CAUSE_WORDS,
    "CLAUSE_WORD": CLAUSE_WORD,
    "FIRST_SCREEN": FIRST_SCREEN,
    "GENERATED_KEY": GENERATED_KEY,
    "HISTORY": HISTORY,
    "LEVEL_MEANING": LEVEL_MEANING,
    "MEANING": MEANING,
    "OTHER_WORDS": OTHER_WORDS,
    "PAGE": PAGE,
    "READINGS": READINGS,
    "SHORT_WORD": SHORT_WORD,
    "STATES": STATES,
    "SYMBOL": SYMBOL,
    "VERDICTS": VERDICTS,
    "WAIVER_STATES": WAIVER_STATES,
    "WORD": WORD,
    "day_in_words": day_in_words,
    "in_findings": in_findings,
    "is_conditional": is_conditional,
    "period": period,
    "plural": plural,
    "time_in_words": time_in_words,
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
