"""An exchange as a command line that makes it again; secrets stay `$NAME`."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

_VARIABLE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")


def curl_of(exchange: Exchange) -> str:
    """The request of `exchange` for a POSIX shell with curl."""
    request = exchange.request
    words = ["curl", "-sS", "-i", "--path-as-is"]
    if request.method != "GET" or request.body is not None:
        words += ["-X", request.method]
    for name, value in request.headers:
        words += ["-H", _quoted(f"{name}: {value}")]
    if request.body is not None:
        words += ["--data-binary", _quoted(request.body)]
    return " ".join([*words, _quoted(request.url)])


def _quoted(text: str) -> str:
    """`text` as one word: single quotes, or double ones where a variable has to be filled in."""
    if not _VARIABLE.search(text):
        return shlex.quote(text)
    escaped = "".join(re.sub(r'([\\"`$])', r"\\\1", part) for part in _VARIABLE.split(text)[:1])
    for variable, rest in zip(_VARIABLE.findall(text), _VARIABLE.split(text)[1:], strict=True):
        escaped += variable + re.sub(r'([\\"`$])', r"\\\1", rest)
    return f'"{escaped}"'
