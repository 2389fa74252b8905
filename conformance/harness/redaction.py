"""Keeps secrets out of everything that is written.

A secret is known by the name of its environment variable. Wherever its value turns up, plain, URL-encoded, in
base64 or escaped as in JSON or HTML, `${NAME}` stands instead. A secret of four or five characters is too short to be found inside
a longer base64 text.
"""

from __future__ import annotations

import base64
import html
import json
import re
import threading
from typing import TYPE_CHECKING
from urllib.parse import quote, quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_SHORTEST = 4
_SHORTEST_PART = 6
_ESCAPED_IN_JSON = ("<>&", "<>&'", "<>&'=", "<>&'+`\"")
"""What JSON encoders spell by number though they need not: Go, Python's for a page, Gson, System.Text.Json."""


class Redactor:
    """Replaces secrets in texts, and finds them in files. Thread-safe; tokens fetched on the way may be added."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        """Knows `secrets` by name; values under four characters are too common to be told from other text and are left alone."""
        self._lock = threading.Lock()
        self._forms: list[tuple[str, str]] = []
        for name, value in secrets.items():
            self.add(name, value)

    def add(self, name: str, value: str) -> None:
        """Knows one more secret from now on."""
        if len(value) < _SHORTEST:
            return
        with self._lock:
            forms = {*self._forms, *((form, f"${{{name}}}") for form in _forms(value))}
            self._forms = sorted(forms, key=lambda form: (-len(form[0]), form))

    def text(self, text: str) -> str:
        """`text` with every known secret replaced."""
        for form, stand_in in self._forms:
            if form in text:
                text = text.replace(form, stand_in)
        return text

    def body(self, body: bytes) -> bytes:
        """`body` with every known secret replaced; bytes that are no text are searched as they are."""
        for form, stand_in in self._forms:
            if (needle := form.encode()) in body:
                body = body.replace(needle, stand_in.encode())
        return body

    def leaks(self, paths: Iterable[Path]) -> list[str]:
        """The files among `paths` that hold a secret, each with the name of the first one found."""
        found: list[str] = []
        for path in paths:
            content = path.read_bytes()
            name = next((stand_in for form, stand_in in self._forms if form.encode() in content), None)
            if name:
                found.append(f"{path.name} holds {name}")
        return found


def _escaped(value: str, letters: str, digits: str) -> str:
    """How a JSON encoder writes `value` that spells `letters` by their numbers."""
    written = json.dumps(value)[1:-1]
    written = written.replace('\\"', '"') if '"' in letters else written
    return "".join(f"\\u{ord(letter):{digits}}" if letter in letters else letter for letter in written)


def _forms(value: str) -> set[str]:
    raw = value.encode()
    forms = {value, quote(value, safe=""), quote_plus(value), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]}
    forms |= {re.sub(r"%[0-9A-F]{2}", lambda octet: octet[0].lower(), form) for form in forms}
    forms |= {_escaped(value, letters, digits) for letters in _ESCAPED_IN_JSON for digits in ("04x", "04X")}
    forms |= {html.escape(value), html.escape(value).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")}
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        forms.add(encode(raw).decode().rstrip("="))
        # Inside a longer base64 text (user:password) the secret's bytes may begin at any of three places; the clean middle is what shows.
        middles = {encode(b"\0" * shift + raw).decode()[-(-shift * 8 // 6) : (shift + len(raw)) * 8 // 6] for shift in range(3)}
        forms |= {middle for middle in middles if len(middle) >= _SHORTEST_PART}
    # Some servers escape what JSON need not: what could end a script element (above), or every slash.
    return {form for form in forms | {form.replace("/", r"\/") for form in forms} if len(form) >= _SHORTEST}
