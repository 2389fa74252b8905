"""What import-linter cannot say of the rooms: who speaks HTTP, how files are named, what no file may say."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from conformance.selftest.support.commanding import ROOT

SPEAKS_HTTP = "conformance/harness/wire/client.py"
STANDS_IN_FOR_SOCKETS = "conformance/proof/in_process.py"
SILENT = {
    "reports/out",
    "conformance/benchmarks",
    "conformance/reference",
    "conformance/mutants",
    "conformance/selftest",
}
"""Folders with no room of the judge: those judged, the tests of the suite and what it is compared with may be
clients, too.
"""
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


def of_the_judge() -> Iterator[Path]:
    """Every Python file of the judge."""
    for path in [
        ROOT / "conftest.py",
        *(path for room in ("catalog", "conformance", "reports") for path in (ROOT / room).rglob("*.py")),
    ]:
        if not any(path.is_relative_to(ROOT / folder) for folder in SILENT):
            yield path


@cache
def stated(path: Path) -> list[ast.AST]:
    """The imports and the classes of a module, anywhere in it."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom | ast.ClassDef)]


def imported(path: Path) -> set[str]:
    """The top-level names of what a module imports."""
    nodes = stated(path)
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {
        name.partition(".")[0]
        for name in [*plain, *(node.module or "" for node in nodes if isinstance(node, ast.ImportFrom))]
    }


def test_one_module_imports_the_client() -> None:
    """Only one module names the library of the client, so that a move to another is one line."""
    assert [path for path in of_the_judge() if "httpx" in imported(path)] == [ROOT / SPEAKS_HTTP]


def test_only_the_harness_talks() -> None:
    """No other room of the judge knows an HTTP client or a socket, but for what stands in for sockets."""
    clients = {"httpx", "httpcore", "requests", "urllib3", "aiohttp", "socket", "http"}
    assert not [
        path
        for path in of_the_judge()
        if imported(path) & clients
        and not path.is_relative_to(ROOT / "conformance" / "harness")
        and path != ROOT / STANDS_IN_FOR_SOCKETS
    ]


def test_checks_know_no_pytest() -> None:
    """What judges an observation needs no test runner, no clock and no chance."""
    for path in (ROOT / "conformance" / "checks").rglob("*.py"):
        assert not imported(path) & {"pytest", "time", "random", "httpx", "os"}, path


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
    nodes = ((path, node) for path in tests for node in stated(path))
    assert not [
        (path, node.module)
        for path, node in nodes
        if isinstance(node, ast.ImportFrom) and re.search(r"selftest\..*\btest_\w+$", node.module or "")
    ]


def test_name_of_a_module_stands_once() -> None:
    """Two modules of the judge have one name only if one judges what the other does."""
    paths = [path for path in of_the_judge() if path.name not in {"__init__.py", "__main__.py", "model.py"}]
    sides = {"conformance/checks/writes", "conformance/harness/writes/procedures"}
    named = [path for path in paths if path.parent.relative_to(ROOT).as_posix() not in sides]
    names = [path.name for path in named]
    assert {name for name in names if names.count(name) > 1} == set()


def test_name_of_a_class_stands_once() -> None:
    """No two classes of the judge have one name: whoever meets it knows which one is meant."""
    nodes = [node for path in of_the_judge() for node in stated(path)]
    names = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    assert {name for name in names if names.count(name) > 1} == set()
