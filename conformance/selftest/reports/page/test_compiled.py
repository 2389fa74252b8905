"""A template is compiled once, and again where its compiled form cannot be read or kept."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from reports.page.compiled import CompiledTemplates


def rendered(directory: Path, text: str) -> str:
    """What a new process would render of a template."""
    made = Environment(loader=DictLoader({"page": text}), bytecode_cache=CompiledTemplates(directory))
    return made.get_template("page").render()


@pytest.mark.parametrize("length", [0, 20, 100, 1_000])
def test_broken_form_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """A compiled form that ends too early, or is of another text, is no obstacle, and is replaced."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    [file] = (tmp_path / "kept").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    assert file.read_bytes() == whole
    assert rendered(tmp_path / "kept", "{{ 'two' }}") == "two"


def test_directory_that_takes_no_file_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written, or Python is told to write nothing, each process compiles."""
    (tmp_path / "kept").touch()
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path / "none", "{{ 'one' }}") == "one"
    assert not (tmp_path / "none").exists()
