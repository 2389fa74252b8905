"""The house is as its texts say: rooms, records, sizes, versions."""

import ast
import hashlib
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from msgspec.json import schema

from catalog.loader import CATALOG
from conformance.commands import main
from conformance.profiles.model import Profile
from conformance.records.results import Results
from conformance.runs.identity import catalog_digest, judging_digest, judging_files
from conformance.selftest.support import ROOT
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


def files_by_hand() -> Iterator[Path]:
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
        for path in files_by_hand()
        for hit in pattern.findall(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []


def test_no_test_imports_another() -> None:
    """What test modules share stands in `support`."""
    tests = (ROOT / "conformance" / "selftest").rglob("*.py")
    pattern = r"(?:from|import) (conformance\.selftest\.(?:\w+\.)*test_\w+)\b"
    assert {path: found for path in tests if (found := stated(path, pattern))} == {}


def test_what_a_test_makes_is_called_by_a_noun() -> None:
    """No function or fixture of the tests has one of the names that a dozen different things had."""
    tests = (ROOT / "conformance" / "selftest").rglob("*.py")
    pattern = r"(?:async )?def ((?:told|judged|asked|made|found|ended)\(.*)"
    assert {path: names for path in tests if (names := stated(path, pattern))} == {}


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
    clauses = set(CATALOG.clauses)
    found = [
        f"{path.relative_to(ROOT)}: {node.value}"
        for path in of_the_judge()
        if path.is_relative_to(ROOT / "conformance") and not path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in clauses
    ]
    assert found == []


def test_one_test_of_all_records_names_each_that_is_wrong() -> None:
    """Also those after the first, and none that is right; a table that has become empty is said."""

    def check(record: SimpleNamespace) -> None:
        if not record.is_right:
            raise ValueError("wrong")

    records = [SimpleNamespace(name=name, is_right=name == "two") for name in ("one", "two", "three")]
    with pytest.raises(pytest.fail.Exception, match=r"^one: ValueError: wrong\nthree: ValueError: wrong$"):
        for_each(records)(check)()
    with pytest.raises(LookupError, match="no record"):
        for_each([])


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


def last_record() -> tuple[str, list[str]]:
    """The last version that was released, and what others relied on then."""
    first, *lines = RECORD.read_text(encoding="utf-8").splitlines()
    return first.removeprefix("version "), lines


def record() -> None:
    """Writes what others rely on as that of the present version."""
    RECORD.write_text("\n".join([f"version {VERSION}", *published(), ""]), encoding="utf-8")


def test_version_is_higher_where_others_rely_on_something_else() -> None:
    """Between two releases of one version number, nothing that is published differs: where a line came or
    went, the version in pyproject.toml rises, and .github/CHANGELOG.md says what changed.
    """
    last, lines = last_record()
    rises = [int(part) for part in VERSION.split(".")] > [int(part) for part in last.split(".")]
    assert rises or lines == published()


def test_change_log_begins_with_the_version() -> None:
    """The newest entry of the change log is about the version of pyproject.toml."""
    assert NEWEST
    assert NEWEST[1] == VERSION


def test_released_version_is_recorded() -> None:
    """Once the entry has a date, golden/published.txt holds what that version has published.

    To renew it: python -c "from conformance.selftest.house import test_layout as t; t.record()"
    """
    assert NEWEST
    assert NEWEST[2] == "unreleased" or last_record() == (VERSION, published())


# The digest of the judging covers what turns a ledger into results, and nothing that only shows them.
FILES = judging_files()
DECIDES = [
    *("catalog/loader.py", "catalog/data/clauses.toml", "conformance/cases.py", "conformance/test_ranges.py"),
    *("conformance/harness/answers/decoding.py", "conformance/checks/reads/support.py"),
    *("reports/results/build.py", "reports/certificate.py"),
]
DECIDES_NOTHING = [
    *("conformance/reference", "conformance/mutants", "conformance/selftest", "conformance/commands"),
    *("reports/page", "reports/history", "reports/formats"),
]


def test_what_decides_is_covered() -> None:
    """Catalog, profiles, decoding, checks, cases and results have a part in the digest."""
    assert {*DECIDES} - {*FILES} == set()


def test_what_decides_nothing_is_not_covered() -> None:
    """A change of the reference, a mutant, a command or a page leaves the digest as it is."""
    assert [name for name in FILES if name.startswith(tuple(DECIDES_NOTHING))] == []


def test_another_byte_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest changes with any byte of any of the files, without a new version."""
    before = judging_digest()
    judging_digest.cache_clear()
    monkeypatch.setattr(
        "conformance.runs.identity.judging_files",
        lambda: {**FILES, "conformance/cases.py": FILES["conformance/checks/case.py"]},
    )
    try:
        assert judging_digest() != before
    finally:
        judging_digest.cache_clear()
