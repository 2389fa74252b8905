"""What findings rest on stands in a golden list: verdicts, exchanges, keys and values. Their words do not.

`GOLDEN=add pytest conformance/selftest/checks` adds what is missing; empty the list first to drop old lines.
"""

import os
import re
from pathlib import Path
from typing import Final

from hypothesis import currently_in_test_context

from conformance.runs.judging import Judged

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "findings.txt"
_KNOWN: Final = set(GOLDEN.read_text(encoding="utf-8").splitlines())
_LONGEST: Final = 240
_WORD: Final = re.compile(r'"[^"]*"|[^\s"()]+')
_FACT: Final = re.compile(r'["\d/°]|\w\.\w|[a-z][A-Z]|^(true|false|null|None|nothing)$')
"""Quoted texts, numbers, paths, keys with or without dots, and JSON's other values."""


def assert_golden(result: Judged, row: str) -> None:
    """In the tests of checks, the finding stands in the list, under the name of the test or of a row of it.

    What a generated example shows is left out.
    """
    module, _, test = os.environ.get("PYTEST_CURRENT_TEST", "").partition("::")
    if currently_in_test_context() or "/checks/" not in module:
        return
    rests = [str(answer.exchange.n) for answer in (result.answer, *result.beside) if answer]
    looked_at = [] if rests or not result.shown else [f"({result.shown.exchange.n})"]
    told = [word.strip(".,;:") for word in _WORD.findall(result.message)]
    facts = [word for word in told if _FACT.search(word)]
    parts = [
        result.verdict,
        *rests,
        *looked_at,
        result.exempt,
        result.field,
        result.manner and result.manner.name,
        *facts,
    ]
    name = row or test.partition("[")[0].partition(" ")[0]
    line = f"{name}: {result.case.clause.id} {' '.join(filter(None, parts))}"[:_LONGEST]
    if line in _KNOWN:
        return
    assert os.environ.get("GOLDEN") == "add", f"not in {GOLDEN.name} (GOLDEN=add puts it there): {line}"
    _KNOWN.add(line)
    GOLDEN.write_text("\n".join(sorted(_KNOWN)) + "\n", encoding="utf-8")
