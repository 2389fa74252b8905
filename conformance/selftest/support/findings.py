"""What a check says of a row of a table stands beside the name of the row: `"fail 4 ChildLock ~3f2"`.

It is the verdict, the exchanges it rests on, what excuses it, and the facts of its sentence (values, numbers,
keys). The last word is a mark of all else: it changes with the other words of the sentence, with what the
check looked at, and with what it wants to be asked again.

`RENEW=1 pytest conformance/selftest/checks` writes what is said now into each row that says something else.
"""

import ast
import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from conformance.runs.judging import Judged

_ROOT: Final = Path(__file__).parents[3]
_LONGEST: Final = 60  # characters, of whole words
_WORD: Final = re.compile(r'"[^"]*"|[^\s"()]+')
_FACT: Final = re.compile(r'["\d/°]|\w\.\w|[a-z][A-Z]|^(true|false|null|None|nothing)$')
"""Quoted texts, numbers, paths, keys with or without dots, and JSON's other values."""
_LONG_NAME: Final = re.compile(
    r"\b(?:Vendor|Refrigeration|Cooking|ConsumerProducts|LaundryCare)(?:\.\w+)*?\.(?:EnumType|Setting|Status)\."
)
"""What stands before the last names of a key or a value of the document."""


class Row(NamedTuple):
    """A row in the source of a module: its name, the clause that its table is about, and what is expected.

    `clause` is empty where its table does not name one.
    """

    clause: str
    name: str
    expected: ast.Constant


def said(result: Judged) -> str:
    """What a check said, in the short form of a row, and the mark of what that leaves out."""
    rests = [str(answer.exchange.n) for answer in (result.answer, *result.beside) if answer]
    shown = [] if rests or not result.shown else [f"({result.shown.exchange.n})"]
    told = [word.strip(".,;:") for word in _WORD.findall(result.message)]
    facts = [_LONG_NAME.sub("…", word) for word in told if _FACT.search(word)]
    manner = result.manner.name if result.manner else ""
    parts = (result.verdict, *rests, *shown, result.exempt, result.field, manner, *facts)
    text = " ".join(filter(None, parts))
    short = text if len(text) <= _LONGEST else text[: _LONGEST + 1].rpartition(" ")[0]
    looked_at = [answer.n for answer in result.rests_on]
    asked = [sorted(map(str, each)) for each in (result.named, result.later, result.missed, result.wanted)]
    mark = crc32(f"{result.message} {looked_at} {asked}".encode()) % 0x1000
    return f"{short} ~{mark:03x}"


def assert_said(result: Judged, expected: str, row: str) -> None:
    """The check said of a row what stands beside its name; with RENEW, that is written there."""
    told = said(result)
    assert "None" not in result.message, f"{row}: {result.message}"
    if told != expected and os.environ.get("RENEW"):
        module = os.environ["PYTEST_CURRENT_TEST"].partition("::")[0]
        renew(_ROOT / module, result.case.clause.id, row, told)
        return
    assert told == expected, f"{row}: {result.message}"


def rows_of(source: str) -> Iterator[Row]:
    """The rows in the source of a module: `"its name": ("what is expected", ...)` in a table."""
    tree = ast.parse(source)
    named, clauses = dict(_tables_by_name(tree)), dict[ast.AST, str]()
    for node in ast.walk(tree):  # a table before what stands in it
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as table)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as table)
            ) if name in named:
                clauses[table] = named[name]
            case _:
                pass
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            match key, value:
                case (
                    ast.Constant(value=str(clause)) | ast.Tuple(elts=[ast.Constant(value=str(clause)), *_]),
                    ast.Dict(),
                ):
                    clauses[value] = clause
                case ast.Constant(value=str(name)), ast.Tuple(
                    elts=[ast.Constant(value=str()) as expected, _, *_]
                ):
                    yield Row(clauses.get(node, ""), name, expected)
                case _:
                    pass


def _tables_by_name(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """The names of tables, and the clauses under which they stand: `("ADDR-BASE", check): NAME`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                match key, value:
                    case ast.Tuple(elts=[ast.Constant(value=str(clause)), *_]), ast.Name(id=name):
                        yield name, clause
                    case _:
                        pass


def renew(module: Path, clause: str, name: str, told: str) -> None:
    """Writes what is said of a row into its module.

    Raises:
        AssertionError: no row of a table of that clause has the name, or several have.
    """
    with module.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # other workers renew rows of the same module
        text = file.read()
        found = [row for row in rows_of(text.decode()) if row.name == name and row.clause in {clause, ""}]
        if len(found) != 1:
            raise AssertionError(f"{module.name}: {name}: {len(found)} rows have that name: write {told!r}")
        lines = text.splitlines(keepends=True)
        place = found[0].expected
        begin = sum(map(len, lines[: place.lineno - 1])) + place.col_offset
        end = sum(map(len, lines[: (place.end_lineno or 0) - 1])) + (place.end_col_offset or 0)
        quoted = repr(told) if '"' in told else f'"{repr(told)[1:-1]}"'
        file.seek(0)
        file.write(text[:begin] + quoted.encode() + text[end:])
        file.truncate()
