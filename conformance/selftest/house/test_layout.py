"""The house is as its texts say: rooms, records, sizes, versions."""

import ast
import hashlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from msgspec.json import schema

from catalog.loader import load_catalog
from conformance.commands import main
from conformance.profiles.model import Profile
from conformance.records.results import Results
from conformance.runs.identity import catalog_digest
from conformance.selftest.support.commanding import ROOT
from conformance.selftest.support.rows import for_each

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


# One test for all records of a table says which are wrong, and how.
class Record(NamedTuple):
    """A record, and whether it is as it should be."""

    name: str
    is_right: bool


def check(record: Record) -> None:
    """What is wrong with a record."""
    assert record.is_right, "it is wrong"


def test_each_wrong_record_is_named() -> None:
    """Also those after the first, and none that is right."""
    records = [Record("one", is_right=False), Record("two", is_right=True), Record("three", is_right=False)]
    with pytest.raises(pytest.fail.Exception) as failed:
        for_each(records)(check)()
    said = [line.partition(":")[0] for line in str(failed.value).splitlines() if "wrong" in line]
    assert said == ["one", "three"]


def test_test_of_no_record_is_none() -> None:
    """A table that has become empty is said."""
    with pytest.raises(LookupError, match="no record"):
        for_each(list[Record]())


# The version rises when something changes that people who compare runs, or scripts that read them, rely on.
GOLDEN = ROOT / "conformance" / "selftest" / "golden"
RECORD = GOLDEN / "published.txt"
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
NEWEST = re.search(
    r"^## (\d\S*) - (\S+)$", (ROOT / ".github" / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
)


def published() -> list[str]:
    """What others rely on, a line each."""
    matrix = hashlib.sha256((ROOT / "reports" / "kill-matrix.json").read_bytes()).hexdigest()
    cases = (GOLDEN / "case_counts.txt").read_text(encoding="utf-8").partition("\n")[0]
    codes = re.findall(r"^\| (\d) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    options = [
        f"option {name} {option}"
        for name in main.list_commands(click.Context(main))
        for parameter in (main.get_command(click.Context(main), name) or main).params
        for option in parameter.opts
    ]
    fields = [
        f"{file} {name}"
        for file, form in (("profile", Profile.model_json_schema()), ("results", schema(Results)))
        for name in names_in(form)
    ]
    return [
        f"catalog {catalog_digest()}",
        f"cases {cases}",
        f"proof {matrix}",
        f"exit codes {' '.join(codes)}",
        *sorted(options),
        *sorted(fields),
    ]


def names_in(schema: dict[str, Any], place: str = "", root: dict[str, Any] | None = None) -> Iterator[str]:
    """The members of a JSON Schema, each with its place: `cases[].id`."""
    root = root or schema
    if "$ref" in schema:
        yield from names_in(root["$defs"][schema["$ref"].rpartition("/")[2]], place, root)
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        yield from names_in(part, place, root)
    if isinstance(schema.get("items"), dict):
        yield from names_in(schema["items"], f"{place}[]", root)
    for name, member in schema.get("properties", {}).items():
        yield f"{place}.{name}".lstrip(".")
        yield from names_in(member, f"{place}.{name}".lstrip("."), root)


def recorded() -> tuple[str, list[str]]:
    """The last version that was released, and what others relied on then."""
    first, *lines = RECORD.read_text(encoding="utf-8").splitlines()
    return first.removeprefix("version "), lines


def record() -> None:
    """Writes what others rely on as that of the present version."""
    RECORD.write_text("\n".join([f"version {VERSION}", *published(), ""]), encoding="utf-8")


def changed(before: list[str], now: list[str]) -> list[str]:
    """What came (+) and what went (-)."""
    return [
        *(f"- {line}" for line in before if line not in now),
        *(f"+ {line}" for line in now if line not in before),
    ]


def is_higher(version: str, than: str) -> bool:
    """Whether a version follows another one."""
    return tuple(map(int, version.split("."))) > tuple(map(int, than.split(".")))


def demand(before: tuple[str, list[str]], now: list[str], version: str) -> str:
    """What must be done before this is released; empty where nothing must."""
    last, lines = before
    differences = changed(lines, now)
    if not differences or is_higher(version, last):
        return ""
    return (
        f"raise the version in pyproject.toml above {last}, and say in .github/CHANGELOG.md what changed:"
        f" {'; '.join(differences)}"
    )


def test_version_is_higher_where_others_rely_on_something_else() -> None:
    """Between two releases of one version number, nothing that is published differs."""
    assert demand(recorded(), published(), VERSION) == ""


RAISE = "raise the version in pyproject.toml above 1.0.0, and say in .github/CHANGELOG.md what changed"


@pytest.mark.parametrize(
    ("lines", "version", "demanded"),
    [
        (["a"], "1.0.0", ""),
        (["a", "b"], "1.0.0", f"{RAISE}: + b"),
        ([], "1.0.0", f"{RAISE}: - a"),
        (["b"], "1.0.1", ""),
        (["b"], "0.10.0", f"{RAISE}: - a; + b"),
    ],
)
def test_same_version_with_another_name_is_refused(lines: list[str], version: str, demanded: str) -> None:
    """A name that comes or goes demands a higher version, and nothing else does."""
    assert demand(("1.0.0", ["a"]), lines, version) == demanded


def test_change_log_begins_with_the_version() -> None:
    """The newest entry of the change log is about the version of pyproject.toml."""
    assert NEWEST
    assert NEWEST[1] == VERSION


def test_released_version_is_recorded() -> None:
    """Once the entry has a date, golden/published.txt holds what that version has published.

    To renew it: python -c "from conformance.selftest.house import test_version as t; t.record()"
    """
    assert NEWEST
    assert NEWEST[2] == "unreleased" or recorded() == (VERSION, published())
