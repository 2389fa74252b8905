"""A template is compiled once, and again whenever its compiled form may be another one."""

import sys
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from reports.page.compiled import CompiledTemplates

PAGE = "page.html.j2"


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the template PAGE, which says "one", and with `made_by`."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / PAGE).write_text("{{ 'one' }}", encoding="utf-8")
    (tmp_path / "made_by").write_text("rules", encoding="utf-8")
    return tmp_path


def rendered(templates: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, bool]:
    """What a new process would render, and whether it would compile for that."""
    compiled: list[object] = []
    compile_one: Any = Environment.compile
    made = Environment(
        loader=FileSystemLoader(templates), bytecode_cache=CompiledTemplates(str(templates / "made_by"))
    )

    def noted(self: Environment, *words: object, **named: object) -> Any:
        compiled.append(words)
        return compile_one(self, *words, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Environment, "compile", noted)
        return made.get_template(PAGE).render(), bool(compiled)


def kept(templates: Path) -> list[Path]:
    """The files beside a template that hold a compiled form."""
    return list(templates.rglob("__pycache__/*"))


def test_template_is_compiled_once(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process takes what the first has compiled."""
    runs = [rendered(templates, monkeypatch) for _ in range(2)]
    assert runs == [("one", True), ("one", False)]


@pytest.mark.parametrize(("name", "text"), [(PAGE, "{{ 'two' }}"), ("made_by", "other rules")])
def test_what_was_changed_is_compiled_again(
    templates: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    """Another template, or other rules of compiling it, have another compiled form."""
    rendered(templates, monkeypatch)
    (templates / name).write_text(text, encoding="utf-8")
    assert rendered(templates, monkeypatch) == ("two" if name == PAGE else "one", True)


@pytest.mark.parametrize("length", [0, 20, 100, 200])
def test_broken_form_is_compiled_again(templates: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """A compiled form that ends too early is no obstacle, and is replaced."""
    rendered(templates, monkeypatch)
    [file] = kept(templates)
    file.write_bytes(file.read_bytes()[:length])
    assert [rendered(templates, monkeypatch) for _ in range(2)] == [("one", True), ("one", False)]


def test_nothing_is_kept_where_python_keeps_nothing(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PYTHONDONTWRITEBYTECODE is heeded."""
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(templates, monkeypatch) == ("one", True)
    assert not kept(templates)


def test_directory_that_takes_no_file_is_no_obstacle(
    templates: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where nothing can be written, each process compiles."""
    (templates / "__pycache__").write_text("a file", encoding="utf-8")
    assert [rendered(templates, monkeypatch) for _ in range(2)] == [("one", True), ("one", True)]
