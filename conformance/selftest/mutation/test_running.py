"""A mutation is in force when the tests that may find it run, and what is missing is named."""

import gc
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.selftest.mutation.__main__ import main
from conformance.selftest.mutation.mutations import Mutation
from conformance.selftest.mutation.running import exchange

CLOSING = """\
def closing(one, other):
    def inner(given):
        return one(given) if other(given) else None
    return inner

closed = closing(lambda given: given, lambda given: True)
"""


def imported(path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module of a source that is written to a path."""
    path.write_text(source, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(path.parent), *sys.path])
    sys.modules.pop(path.stem, None)
    return import_module(path.stem)


@pytest.mark.parametrize(
    ("before", "after", "answers"),
    [("one(given) if", "7 if", 7), ("other(given)", "not other(given)", None), ("True", "False", None)],
)
def test_functions_that_exist_are_exchanged_with_what_they_close_over(
    before: str, after: str, answers: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the change leaves a name out, and where two functions stand in one line."""
    path = tmp_path / "closing_sample.py"
    module = imported(path, CLOSING, monkeypatch)
    assert module.closed(3) == 3
    exchange(Mutation(path, "closing", before, after, CLOSING.replace(before, after)))
    assert module.closed(3) == answers


def test_functions_out_of_the_search_for_garbage_are_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests freeze what they have collected, and with it the functions that they test."""
    path = tmp_path / "mutated_sample.py"
    module = imported(path, "def answer():\n    return 1\n", monkeypatch)
    gc.freeze()
    exchange(Mutation(path, "answer", "1", "2", "def answer():\n    return 2\n"))
    gc.freeze()  # again, for the tests that follow
    assert module.answer() == 2


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operators come with an extra, which few install."""
    monkeypatch.setitem(sys.modules, "libcst", None)
    result = CliRunner().invoke(main, ["checks"])
    assert result.output == "Error: needs the extra `mutation`: pip install -e '.[mutation]'\n"
