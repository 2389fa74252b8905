"""The version rises when something changes that people who compare runs, or scripts that read them, rely on.

golden/published.txt holds these things as they were in the last version that was released: what decides a
verdict as digests, names as they are. Where they differ now, the version in pyproject.toml must be higher
than that one.
"""

import hashlib
import re
import tomllib
from collections.abc import Iterator
from typing import Any

import click
import pytest
from msgspec.json import schema

from conformance.commands import main
from conformance.profiles.model import Profile
from conformance.records.results import Results
from conformance.runs.identity import catalog_digest
from conformance.selftest.support.commanding import ROOT

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
