"""How texts, values and times are shown, whatever a server put into them.

Escaping for HTML or Markdown is the renderer's. Here control characters are made visible, so that none of
them steers a terminal or turns a line around. Texts that are times were looked at when they were read.
"""

import json
import re
import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

_LONGEST_LINE: Final = 2_000  # characters of a line of a script
_LONGEST_SCRIPT: Final = 6_000  # characters of a script where there is little room
_LONGEST_NAME: Final = 40  # of a value of an enumeration; anything longer is none
_COMMAND_OF_A_LOG: Final = re.compile(r"##(?=\w*\[)")
_SUSPECT: Final = re.compile(r"[^\n\t\x20-\x7e]")
_STEERING: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(text: str) -> str:
    """`text` with control characters, direction marks and lone surrogates as backslash escapes.

    Build servers obey `##vso[` and `##[` anywhere in a line of a log: there the second `#` is escaped, too.
    """
    if "##" in text:
        text = _COMMAND_OF_A_LOG.sub(r"#\\x23", text)
    return text if text.isascii() and text.isprintable() else _SUSPECT.sub(_escaped, text)


def one_line(text: str, limit: int = 400) -> str:
    """The first line of `text` that is not empty, cut before a word where it is over `limit` characters."""
    return visible(_cut(next(iter(text.strip().splitlines()), "").rstrip(), limit))


def json_text(value: object, limit: int = 120) -> str:
    """A JSON value on one line, cut at `limit` characters; a string keeps its quotes: "5" is not 5."""
    return visible(_cut(json.dumps(value, ensure_ascii=False), limit))


def short_value(value: object) -> str:
    """A JSON value in a sentence: the last name of a value of an enumeration, anything else as JSON."""
    family = value.rpartition(".EnumType.")[2] if isinstance(value, str) and ".EnumType." in value else ""
    name = family.rpartition(".")[2]
    return name if name.isalnum() and len(name) <= _LONGEST_NAME else json_text(value)


def script_lines(curl: str, most: int) -> list[str]:
    """At most `most` lines of a script that can still be pasted: a comment says what is left out."""
    lines = visible(curl).strip().split("\n")
    shown: list[str] = []
    for line in lines[:most]:
        if shown and len(line) + sum(map(len, shown)) > _LONGEST_SCRIPT:
            break
        too_long = f"# a line of {len(line):,} characters: see report.html"
        shown.append(line if len(line) <= _LONGEST_LINE else too_long)
    left_out = len(lines) - len(shown)
    return [*shown, f"# {plural(left_out, 'further line')}: see report.html"] if left_out else shown


def code_span(text: str, limit: int = 2000) -> str:
    """The first line of `text` as a code span of Markdown that no back-tick in it can end; "" for no text."""
    shown = one_line(text, limit)
    if not shown:
        return ""
    fence, pad = fence_around(shown, 1), " " if "`" in shown else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def fence_around(text: str, least: int) -> str:
    """More back-ticks than stand together anywhere in `text`."""
    return "`" * max(least, 1 + max(map(len, re.findall(r"`+", text)), default=0))


def plural(number: int, noun: str, many: str = "") -> str:
    """`number` and its noun: 1 case, 2 cases."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def some_of(names: Sequence[str], most: int, separator: str = ", ") -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return separator.join(names[:most]) + more


def in_a_sentence(text: str) -> str:
    """A sentence as a part of another one: it begins with a small letter."""
    return text[:1].lower() + text[1:]


def instant(text: str) -> datetime:
    """The time in UTC that an RFC 3339 text names, or the beginning of a day; no offset means UTC."""
    named = datetime.fromisoformat(text)
    return (named if named.tzinfo else named.replace(tzinfo=UTC)).astimezone(UTC)


def milliseconds(text: str) -> int:
    """Milliseconds from 1970 to the time that `text` names."""
    return round(instant(text).timestamp() * 1000)


def duration_s(started: str, finished: str) -> float:
    """Seconds from one time to the other."""
    return max(0.0, (milliseconds(finished) - milliseconds(started)) / 1000)


def day_in_words(text: str) -> str:
    """The day that a time or a date names, as `3 Nov 2026`."""
    return f"{instant(text).day} {instant(text):%b %Y}"


def time_in_words(text: str) -> str:
    """A time to the second, as `3 Nov 2026, 09:00:00 UTC`."""
    return f"{day_in_words(text)}, {instant(text):%H:%M:%S} UTC"


def period(started: str, finished: str) -> str:
    """Two times as `3 Nov 2026, 09:00:00 to 09:04:11 UTC`."""
    first, last = instant(started), instant(finished)
    end = f"{last:%H:%M:%S} UTC" if first.date() == last.date() else time_in_words(finished)
    return f"{time_in_words(started).removesuffix(' UTC')} to {end}"


def _cut(text: str, limit: int) -> str:
    """The text, cut where it is too long: before a word, unless that word is half of it."""
    if len(text) <= limit:
        return text
    words = text[:limit].rpartition(" ")[0]
    return f"{words} …" if len(words) > limit // 2 else f"{text[: limit - 1]}…"


def _escaped(found: re.Match[str]) -> str:
    char = found[0]
    if unicodedata.category(char) not in _STEERING:
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"
