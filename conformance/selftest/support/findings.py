"""What a check says of a row of a table stands beside the name of the row: `"fail 4 ChildLock ~3f2"`.

It is the verdict, the exchanges it rests on, what excuses it, and the facts of its sentence (values, numbers,
keys). The last word is a mark of all else: it changes with the other words of the sentence, with what the
check looked at, and with what it wants to be asked again.

`RENEW=1 pytest conformance/selftest/checks` writes what is said now into each row that says something else.
"""

import fcntl
import os
import re
from pathlib import Path
from typing import Final
from zlib import crc32

from conformance.runs.judging import Judged

_ROOT: Final = Path(__file__).parents[3]
_LONGEST: Final = 60  # characters, of whole words
_WORD: Final = re.compile(r'"[^"]*"|[^\s"()]+')
_FACT: Final = re.compile(r'["\d/°]|\w\.\w|[a-z][A-Z]|^(true|false|null|None|nothing)$')
"""Quoted texts, numbers, paths, keys with or without dots, and JSON's other values."""
_LONG_NAME: Final = re.compile(
    r"\b(?:Vendor|Refrigeration|Cooking|ConsumerProducts|LaundryCare)(?:\.\w+)*?\.(?:EnumType|Setting|Status)\."
)
"""What stands before the last names of a key or a value of the document."""


def said(result: Judged) -> str:
    """What a check said, in the short form of a row, and the mark of what that leaves out."""
    rests = [str(answer.exchange.n) for answer in (result.answer, *result.beside) if answer]
    shown = [] if rests or not result.shown else [f"({result.shown.exchange.n})"]
    told = [word.strip(".,;:") for word in _WORD.findall(result.message)]
    facts = [_LONG_NAME.sub("…", word) for word in told if _FACT.search(word)]
    manner = result.manner.name if result.manner else ""
    parts = (result.verdict, *rests, *shown, result.exempt, result.field, manner, *facts)
    text = " ".join(filter(None, parts))
    short = text if len(text) <= _LONGEST else text[: _LONGEST + 1].rpartition(" ")[0]
    looked_at = [answer.n for answer in result.rests_on]
    asked = [sorted(map(str, each)) for each in (result.named, result.missed, result.wanted)]
    mark = crc32(f"{result.message} {looked_at} {asked}".encode()) % 0x1000
    return f"{short} ~{mark:03x}"


def assert_said(result: Judged, expected: str, row: str) -> None:
    """The check said of a row what stands beside its name; with RENEW, that is written there."""
    told = said(result)
    assert "None" not in result.message, f"{row}: {result.message}"
    if told != expected and os.environ.get("RENEW"):
        module = os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]
        renew(_ROOT / module, row, expected, told)
        return
    assert told == expected, f"{row}: {result.message}"


def renew(module: Path, name: str, expected: str, told: str) -> None:
    """Writes what is said of a row into its module, in place of what was expected.

    Raises:
        AssertionError: no row of the module has that name and is expected to say that, or several are.
    """
    row = re.compile(rf"({re.escape(_quoted(name))}: \(\s*){re.escape(_quoted(expected))}")
    with module.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # other workers renew rows of the same module
        text, count = row.subn(lambda found: found[1] + _quoted(told), file.read())
        assert count == 1, f"{module.name}: {name}: {count} rows are expected to say that: write {told!r}"
        file.seek(0)
        file.write(text)
        file.truncate()


def _quoted(text: str) -> str:
    """A text as it stands in a module that was formatted."""
    return repr(text) if '"' in text else f'"{repr(text)[1:-1]}"'
