"""The mutations of a module: each is one small change in the body of one function.

Not mutated are annotations, decorators, defaults and what runs at import, since a function is exchanged in
place; casts and the strictness of zip, which do nothing where all is well; and texts with a space, since a
test that repeats a sentence proves nothing.
"""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from msgspec import Struct

_KEPT = {"cast", "isinstance", "len"}
"""Calls that are left alone with their arguments; mutmut leaves the last two alone, too."""


class Mutation(Struct, frozen=True):
    """One change: its module and function, the lines before and after, and the module's source after it."""

    path: Path
    function: str
    before: str
    after: str
    source: str

    @property
    def name(self) -> tuple[str, str]:
        """Its name in the list of survivors, without a line number: code around it may move."""
        return (
            f"{'.'.join(self.path.with_suffix('').parts)}.{self.function}",
            f"{self.before} -> {self.after}",
        )


class Place(Struct, frozen=True):
    """A node of a parsed module that can be replaced by another."""

    path: Path
    function: str
    module: Any
    node: Any
    replacement: Any

    def mutation(self) -> Mutation:
        """The change, made."""
        old: str = self.module.code
        new: str = self.module.deep_replace(self.node, self.replacement).code
        before, after = old.splitlines(), new.splitlines()
        while before and after and before[0] == after[0]:
            del before[0], after[0]
        while before and after and before[-1] == after[-1]:
            del before[-1], after[-1]
        words = [" ".join(line.strip() for line in lines) for lines in (before, after)]
        return Mutation(self.path, self.function, words[0], words[1], new)


def places_of(path: Path) -> list[Place]:
    """Every change that can be made in a module, in the order of its lines."""
    cst: Any = import_module("libcst")  # of the extra `mutation` alone, like mutmut
    module = cst.parse_module(path.read_text(encoding="utf-8"))
    return [
        Place(path, function, module, node, replacement)
        for function, node in _nodes(cst, module, "", inside=False)
        for replacement in _replacements(cst, node)
    ]


def _nodes(cst: Any, node: Any, name: str, *, inside: bool) -> Iterator[tuple[str, Any]]:
    """The nodes of function bodies, each with the qualified name of the outermost function it stands in."""
    skipped = cst.Annotation | cst.Decorator | cst.Parameters | cst.Import | cst.ImportFrom
    called = getattr(node.func, "value", "") if isinstance(node, cst.Call) else ""
    strict = isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value == "strict"
    if isinstance(node, skipped) or called in _KEPT or strict:
        return
    if isinstance(node, cst.SimpleString) and (" " in node.raw_value or node.quote == '"""'):
        return
    if inside and called != "zip":
        yield name, node
    elif isinstance(node, cst.ClassDef | cst.FunctionDef):
        name = f"{name}.{node.name.value}".lstrip(".")
    within = inside or isinstance(node, cst.FunctionDef)
    for child in node.children:
        if not (isinstance(node, cst.FunctionDef | cst.ClassDef) and child is node.name):
            yield from _nodes(cst, child, name, inside=within)


def _replacements(cst: Any, node: Any) -> Iterator[Any]:
    operators: Any = import_module("mutmut.mutation.mutators").mutation_operators
    for kind, operator in operators:
        if isinstance(node, kind):
            yield from operator(node)
    if isinstance(node, cst.If | cst.While | cst.CompIf):
        test = node.test.with_changes(
            lpar=[cst.LeftParen(), *node.test.lpar], rpar=[*node.test.rpar, cst.RightParen()]
        )
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))
