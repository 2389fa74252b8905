"""Texts of a run with stand-ins for what tells whose target it is: haIds, hosts, names, serial numbers.

Two rules go together. What is known to identify the target, and every text that it sent, is replaced wherever
it stands, in whatever spelling. And of what is quoted, only the words of the document, and those of which
bodies of JSON are made, are let through. The same text has the same stand-in everywhere.
"""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final
from urllib.parse import quote, quote_plus, unquote, urlsplit

from catalog.loader import CATALOG
from reports.texts import visible

BASE_URL: Final = "https://target.example"
_HOST: Final = "target.example"
_OTHER_URL: Final = "https://elsewhere.example"
_UNKNOWN: Final = "another-haId"
_ID: Final = "(id)"
_LEAST: Final = 3  # characters of a text of the target that is replaced outside quotation marks, too
_LEAST_ENCODED: Final = 4  # and of one that is looked for in base64
_MOST_DIGITS: Final = 6  # of a number that can be no serial number
_WORDS: Final = frozenset(
    {
        *(
            "data",
            "error",
            "errors",
            "key",
            "value",
            "values",
            "unit",
            "type",
            "min",
            "max",
            "step",
            "stepsize",
        ),
        *("constraints", "allowedvalues", "access", "description", "code", "message", "status", "detail"),
        *("title", "items", "settings", "name", "read", "write", "readwrite", "readonly", "true", "false"),
        *("null", "yes", "no", "on", "off", "none", "string", "number", "boolean", "integer", "double"),
        *("float", "enumeration", "object", "array", "list", "application/json", "text/html", "text/plain"),
    }
)
"""Words of the shape of answers, in lower case: they name nobody."""
_QUOTED: Final = re.compile(r'"((?:[^"\\]|\\.)*)("|\.\.\.|…|$)')
_APPLIANCE: Final = re.compile(r"(homeappliances/+)([^/?#\s\"'<>]+)", re.IGNORECASE)
_URL: Final = re.compile(r"\b(?:https?|wss?)://[^\s\"'<>)\]},]+", re.IGNORECASE)
_SAYS: Final = re.compile(r"\((status \d{3}), .*\)|; it begins: .*?\. Is there ")
_FAILURE: Final = re.compile(r"\bnothing \((\w+): .*?\)")
_PATTERNS: Final = re.compile(
    r"\b[\w.+-]+@[\w-]+\.[\w.]+\b"  # an address of mail
    r"|\b(?:\d{1,3}\.){3}\d{1,3}\b"  # of IPv4
    r"|\b(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}\b"  # of a network card
    r"|\b[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\b"  # a UUID
    rf"|(?<![\w.#-])\d{{{_MOST_DIGITS + 1},}}(?![\w.])"
    r"|\b(?=\w*\d)(?=\w*[A-Za-z])\w{8,}\b"
)
_LONG_NUMBER: Final = re.compile(rf"(?<![\w.\"])\d{{{_MOST_DIGITS + 1},}}(?![\w\"])")
_COLOR: Final = re.compile(r"#[0-9A-Fa-f]{6}")
_SMALL: Final = re.compile(rf"[-+]?\d{{1,{_MOST_DIGITS}}}(?:\.\d{{1,{_MOST_DIGITS}}})?")


class StandIns:
    """What to replace, and by what; grows with each text that is met."""

    def __init__(self, base_url: str, ha_ids: Iterable[str]) -> None:
        """`base_url` is the address of the target, `ha_ids` are those of its appliances."""
        self._names = dict[str, str]()
        self._texts = dict[str, str]()
        self._own = _document_words()
        parts = urlsplit(base_url)
        for number, ha_id in enumerate(dict.fromkeys(ha_ids), start=1):
            self._names[ha_id] = f"appliance-{number}"
        self._ha_ids = {ha_id.lower(): name for ha_id, name in self._names.items()}
        for text, name in (
            (base_url, BASE_URL),
            (base_url.rstrip("/"), BASE_URL),
            (parts.netloc, _HOST),
            (parts.hostname or "", _HOST),
            (parts.path.rstrip("/"), ""),
        ):
            self._names.setdefault(text, name)
        self._names.pop("", None)

    def name(self, text: str, stand_in: str) -> None:
        """Has `text`, such as the name of a target, replaced everywhere; nothing of it is let through."""
        if text and text.lower() not in self._own:
            self._names.setdefault(text, stand_in)
            self.__dict__.pop("_known", None)

    def learn(self, sent: str) -> None:
        """Has what a target sent replaced everywhere: the texts of a JSON body, or all of another one."""
        for text in _texts_of(sent):
            if text[:1] in {"{", "["} and text != sent:  # a body within a body
                self.learn(text)
            if len(text) >= _LEAST and not self._is_harmless(text):
                self.name(text, self._text(text))

    def hide(self, text: str) -> str:
        """The text with stand-ins; what quotes a body that is no JSON is left out."""
        shown = _FAILURE.sub(r"nothing (\1)", _SAYS.sub(_without_body, self.replaced(text)))
        return _PATTERNS.sub(self._pattern, _QUOTED.sub(self._quoted, shown))

    def replaced(self, text: str) -> str:
        """The text with stand-ins for what is known, for texts of our own that quote nothing."""
        if text in self._ha_ids:
            return self._ha_ids[text]
        shown = _APPLIANCE.sub(self._appliance, text)
        shown = self._known.sub(lambda found: self._by_spelling[found[0].lower()], shown)
        return _URL.sub(lambda found: found[0] if found[0].startswith(BASE_URL) else _OTHER_URL, shown)

    def body(self, text: str) -> str:
        """A body with stand-ins, each other token of its JSON as it came; what is no JSON is left out."""
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            return "(left out: no JSON)" if text else ""
        return _LONG_NUMBER.sub("0", _QUOTED.sub(self._quoted, self.replaced(text)))

    def value(self, text: str) -> str:
        """A text that is a value of the target, or its stand-in."""
        return text if self._is_harmless(text) else self._text(text)

    @cached_property
    def _by_spelling(self) -> dict[str, str]:
        return {spelling.lower(): name for text, name in self._names.items() for spelling in _spellings(text)}

    @cached_property
    def _known(self) -> re.Pattern[str]:
        """All that is to be replaced in its spellings, the longest first."""
        self.__dict__.pop("_by_spelling", None)
        spellings = sorted(self._by_spelling, key=len, reverse=True)
        return re.compile("|".join(map(_anywhere, spellings)) or r"(?!)", re.IGNORECASE)

    def _appliance(self, found: re.Match[str]) -> str:
        """The haId in a path, however it is encoded; one that is none of the target may be nearly one."""
        return f"{found[1]}{self._ha_ids.get(unquote(found[2]).lower(), _UNKNOWN)}"

    def _quoted(self, found: re.Match[str]) -> str:
        text = found[1]
        if found[2] == '"' and (self._is_harmless(text) or text in self._stand_ins):
            return found[0]
        return f'"{self._text(text)}"'

    @property
    def _stand_ins(self) -> frozenset[str]:
        return frozenset((*self._names.values(), *self._texts.values(), _UNKNOWN))

    def _pattern(self, found: re.Match[str]) -> str:
        return found[0] if found[0].lower() in self._own or found[0] in self._stand_ins else _ID

    def _text(self, text: str) -> str:
        return self._texts.setdefault(text.lower(), f"text {len(self._texts) + 1}")

    def _is_harmless(self, text: str) -> bool:
        """Whether a text names nobody: a word of the document or of a body, a small number, a color."""
        word = text.lower()
        return (
            word in _WORDS
            or word in self._own
            or word.partition(".")[2] in self._own  # whatever the maker is called
            or bool(_SMALL.fullmatch(text) or _COLOR.fullmatch(text))
        )


def _document_words() -> frozenset[str]:
    """Keys, values, types and notes of the document in lower case: whole, without their maker, in parts."""
    values = (value for family in CATALOG.enumerations.values() for value in family.values)
    entries = CATALOG.entries.values()
    whole = {*CATALOG.entries, *CATALOG.enumerations, *(value.key for value in values)}
    whole |= {text for entry in entries for text in (entry.type, entry.unit or "", entry.notes)}
    tails = {text.partition(".")[2] for text in whole}
    parts = {part for text in whole for part in text.split(".")}
    return frozenset(text.lower() for text in whole | tails | parts if text)


def _texts_of(sent: str) -> Iterator[str]:
    """The texts in a JSON body, its names among them, and its long numbers; else the body and its lines."""
    try:
        json.loads(sent)
    except (ValueError, RecursionError):
        yield from (line.strip() for line in (sent, *sent.splitlines()))
        return
    yield from (str(json.loads(f'"{found[1]}"')) for found in _QUOTED.finditer(sent))
    yield from _LONG_NUMBER.findall(sent)


def _spellings(text: str) -> set[str]:
    """How a text may be written in a path, in JSON, in a page, on a terminal, and in base64."""
    spelt = {text, quote(text, safe=""), quote(text), quote_plus(text), html.escape(text), visible(text)}
    for _ in range(2):  # a body within a body is escaped twice
        spelt |= {json.dumps(one, ensure_ascii=plain)[1:-1] for one in spelt for plain in (True, False)}
    return spelt | (set(_in_base64(text)) if len(text) >= _LEAST_ENCODED else set())


def _in_base64(text: str) -> Iterator[str]:
    """What stands for a text in base64, wherever in the encoded text it begins."""
    sent = text.encode("utf-8", "backslashreplace")
    for before in range(3):
        encoded = base64.b64encode(b"\0" * before + sent).decode()
        # the first characters depend on what stands before it, the last ones on what follows
        inner = encoded[(0, 2, 3)[before] : len(encoded) - (0, 4, 4)[(before + len(sent)) % 3]]
        if len(inner) >= _LEAST_ENCODED:
            yield inner
            yield inner.replace("+", "-").replace("/", "_")


def _anywhere(spelling: str) -> str:
    """A pattern for a spelling; a short one, which may stand in any word, only as a word of its own."""
    escaped = re.escape(spelling)
    return rf"(?<![\w-]){escaped}(?![\w-])" if len(spelling) <= _LEAST else escaped


def _without_body(found: re.Match[str]) -> str:
    return f"({found[1]})" if found[1] else ". Is there "
