"""A mutation is in force when the tests that may find it run, and what is missing is named."""

import gc
import sys
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from conformance.selftest.mutation.__main__ import main
from conformance.selftest.mutation.mutations import Mutation
from conformance.selftest.mutation.running import exchange


def test_functions_out_of_the_search_for_garbage_are_exchanged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests freeze what they have collected, and with it the functions that they test."""
    path = tmp_path / "mutated_sample.py"
    path.write_text("def answer():\n    return 1\n", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    module = import_module("mutated_sample")
    gc.freeze()
    exchange(Mutation(path, "answer", "1", "2", "def answer():\n    return 2\n"))
    gc.freeze()  # again, for the tests that follow
    assert module.answer() == 2


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The operators come with an extra, which few install."""
    monkeypatch.setitem(sys.modules, "libcst", None)
    result = CliRunner().invoke(main, ["checks"])
    assert result.output == "Error: needs the extra `mutation`: pip install -e '.[mutation]'\n"
