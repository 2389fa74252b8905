"""What every page is rendered with: the templates, the words and filters they use, and the content policy."""

import base64
import hashlib
import shlex
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from reports.phrases import counted, headline, lead
from reports.texts import in_a_sentence, one_line, visible

if TYPE_CHECKING:
    from jinja2 import Environment

_NOTHING_ELSE: Final = "base-uri 'none'; form-action 'none'"


@cache
def environment() -> "Environment":
    """The templates; every value is text, whatever a server put into it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  it takes a moment, and pages come last

    from reports.page.compiled import CompiledTemplates  # noqa: PLC0415  it imports jinja2

    made = Environment(
        loader=PackageLoader("reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        bytecode_cache=CompiledTemplates(Path(__file__).parents[1] / "templates" / "__pycache__"),
    )
    made.filters |= {
        "visible": visible,
        "line": one_line,
        "counted": counted,
        "lead": lead,
        "command": shlex.join,
        "headline": headline,
        "in_a_sentence": in_a_sentence,
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
