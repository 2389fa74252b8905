"""What linters cannot say of the rooms: how files are named, what no file may say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from catalog.loader import load_catalog
from conformance.selftest.support.commanding import ROOT

NOT_THE_JUDGE = (
    "reports/out",
    *(f"conformance/{room}" for room in ("benchmarks", "mutants", "reference", "selftest")),
)
UNSPOKEN = [
    "py" + r"pi\.",
    "python" + r"hosted\.",
    "artif" + "actory",
    r"\.\./" + "shared",
    r"(?<![\w.])/work" + "/",
    "/ro" + "ot/",
    "/ho" + "me/",
]
"""Hosts of registries, places of one machine, and material that is not part of the project."""


def of_the_judge() -> list[Path]:
    """Every Python file of the judge."""
    paths = [path for room in ("catalog", "conformance", "reports") for path in (ROOT / room).rglob("*.py")]
    return [
        path
        for path in (ROOT / "conftest.py", *paths)
        if not any(path.is_relative_to(ROOT / folder) for folder in NOT_THE_JUDGE)
    ]


def stated(path: Path, pattern: str) -> list[str]:
    """What stands in the group of a pattern, wherever a line of a module begins so."""
    return re.findall(rf"^\s*{pattern}", path.read_text(encoding="utf-8"), re.MULTILINE)


def repeated(names: list[str]) -> set[str]:
    """Those that stand more than once."""
    return {name for name in names if names.count(name) > 1}


def written() -> Iterator[Path]:
    """Every file that is written by hand."""
    for place in ("catalog", "conformance", "reports", ".ci", ".github"):
        yield from (
            path
            for path in (ROOT / place).rglob("*")
            if path.is_file() and not {"__pycache__", "out"} & set(path.parts)
        )
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.name != ".git")


def test_no_file_speaks_of_one_machine() -> None:
    """No file holds the host of a registry, a path of one machine, or a place beside the project."""
    pattern = re.compile("|".join(UNSPOKEN))
    found = [
        f"{path.relative_to(ROOT)}: {hit}"
        for path in written()
        for hit in pattern.findall(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_no_test_imports_another() -> None:
    """What test modules share stands in `support`."""
    tests = (ROOT / "conformance" / "selftest").rglob("*.py")
    pattern = r"(?:from|import) (conformance\.selftest\.(?:\w+\.)*test_\w+)\b"
    assert {path: found for path in tests if (found := stated(path, pattern))} == {}


def test_name_of_a_module_stands_once() -> None:
    """Two modules of the judge have one name only if one judges what the other does."""
    paths = [path for path in of_the_judge() if path.name not in {"__init__.py", "__main__.py", "model.py"}]
    sides = {"conformance/checks/writes", "conformance/harness/writes/procedures"}
    named = [path.name for path in paths if path.parent.relative_to(ROOT).as_posix() not in sides]
    assert repeated(named) == set()


def test_name_of_a_class_stands_once() -> None:
    """No two classes of the judge have one name: whoever meets it knows which one is meant."""
    names = [name for path in of_the_judge() for name in stated(path, r"class (\w+)")]
    assert repeated(names) == set()


def test_no_module_lists_clauses() -> None:
    """What a clause needs stands in its row of the catalog or beside its test, nowhere else by its id.

    Words for a reader may name a clause.
    """
    clauses = set(load_catalog().clauses)
    found = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for path in of_the_judge()
        if path.is_relative_to(ROOT / "conformance") and not path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in clauses
    ]
    assert found == []
