"""The rooms: who may import whom, who may speak HTTP, and what no file may say."""

from __future__ import annotations

import ast
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from conformance.selftest.commanding import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTRACTS: list[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
PROFILES, CHECKS, HARNESS = "conformance.profiles", "conformance.checks", "conformance.harness"
REFERENCE, MUTANTS = "conformance.reference", "conformance.mutants"
JUDGE, JUDGED = (PROFILES, CHECKS, HARNESS, "reports"), (REFERENCE, MUTANTS)
ARROWS = [
    ("catalog", "conformance"),
    ("catalog", "reports"),
    (PROFILES, CHECKS),
    (PROFILES, HARNESS),
    (CHECKS, HARNESS),
    (HARNESS, "reports"),
    ("reports", HARNESS),
    (REFERENCE, MUTANTS),
    *((judge, judged) for judge in JUDGE for judged in JUDGED),
    *((judged, judge) for judge in JUDGE for judged in JUDGED),
]
"""A room, and one that it may not import."""
SPEAKS_HTTP = "conformance/harness/client.py"
SILENT = {"reports/out", "conformance/reference", "conformance/mutants", "conformance/selftest"}
"""Folders with no room of the judge: those judged and the tests of the suite may be clients, too."""
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


def forbids(contract: dict[str, Any], source: str, target: str) -> bool:
    """Whether a contract of import-linter keeps `source` from importing `target`."""
    if contract["type"] == "forbidden":
        return source in contract["source_modules"] and target in contract["forbidden_modules"]
    if contract["type"] == "independence":
        return {source, target} <= set(contract["modules"])
    layers: list[str] = contract["layers"]
    return source in layers and target in layers and layers.index(source) > layers.index(target)


@pytest.mark.parametrize(("source", "target"), ARROWS)
def test_imports_point_one_way(source: str, target: str) -> None:
    """A contract that `make test` checks keeps the one room from importing the other."""
    assert any(forbids(contract, source, target) for contract in CONTRACTS)


def test_contracts_are_checked() -> None:
    """`make test` runs import-linter."""
    assert "lint-imports" in (ROOT / "Makefile").read_text(encoding="utf-8")


def of_the_judge() -> Iterator[Path]:
    """Every Python file of the judge."""
    for path in [ROOT / "conftest.py", *(path for room in ("catalog", "conformance", "reports") for path in (ROOT / room).rglob("*.py"))]:
        if not any(path.is_relative_to(ROOT / folder) for folder in SILENT):
            yield path


def imported(path: Path) -> set[str]:
    """The top-level names of what a module imports, anywhere in it."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    plain = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return {name.partition(".")[0] for name in [*plain, *(node.module or "" for node in nodes if isinstance(node, ast.ImportFrom))]}


def test_one_module_imports_the_client() -> None:
    """Only one module names the library of the client, so that a move to another is one line."""
    assert [path for path in of_the_judge() if "httpx" in imported(path)] == [ROOT / SPEAKS_HTTP]


def test_only_the_harness_talks() -> None:
    """No other room of the judge knows an HTTP client or a socket."""
    clients = {"httpx", "httpcore", "requests", "urllib3", "aiohttp", "socket", "http"}
    assert not [path for path in of_the_judge() if imported(path) & clients and path.parent != (ROOT / SPEAKS_HTTP).parent]


def test_checks_know_no_pytest() -> None:
    """What judges an observation needs no test runner, no clock and no chance."""
    for path in (ROOT / "conformance" / "checks").glob("*.py"):
        assert not imported(path) & {"pytest", "time", "random", "httpx", "os"}, path


def written() -> Iterator[Path]:
    """Every file that is written by hand."""
    for place in ("catalog", "conformance", "reports", ".ci", ".github"):
        yield from (path for path in (ROOT / place).rglob("*") if path.is_file() and not {"__pycache__", "out"} & set(path.parts))
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
