"""The cases of the suite: derived from the catalog, documented, and the same every night."""

import ast
import hashlib
import inspect
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from conformance.cases import CATALOG, all_cases, all_derivations, derivations_of, each
from conformance.runs.processes.pytest_process import PACKAGE
from conformance.runs.targets import profile_of

MODULES = sorted(path.stem for path in PACKAGE.glob("test_*.py"))
TESTS = [
    pytest.param(function, id=f"{module}.{name}")
    for module in MODULES
    for name, function in vars(import_module(f"conformance.{module}")).items()
    if name.startswith("test_")
]
GOLDEN = Path(__file__).parents[1] / "golden" / "case_counts.txt"


def listed() -> str:
    """The ids of the reference's cases in brief: their number and digest, then how many each clause has."""
    ids = sorted(case.id for case in all_cases(profile_of("reference")))
    counts = Counter(id_.partition("::")[0] for id_ in ids)
    digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
    lines = [f"{counts[clause]:5} {clause}\n" for clause in CATALOG.clauses]
    return "".join([f"{len(ids)} cases, sha256 {digest}\n", *lines])


def test_cases_of_the_reference_are_pinned() -> None:
    """The ids are those of golden/case_counts.txt.

    To renew it: python -c "from conformance.selftest.runs import test_cases as t;
    t.GOLDEN.write_text(t.listed())"
    """
    assert listed() == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["reference", "mutant:booleans-as-words", "variant:nothing-served"])
def test_no_two_cases_share_an_id(target: str) -> None:
    """An id names one case."""
    often = Counter(case.id for case in all_cases(profile_of(target)))
    assert often.most_common(1)[0][1] == 1


@pytest.mark.parametrize("function", TESTS)
def test_each_test_is_one_sentence_and_one_judgement(function: Callable[..., Any]) -> None:
    """It names clauses of the catalog, a line says its purpose, and its body is one to five statements."""
    derivations = derivations_of(function)
    assert derivations
    assert all(CATALOG.clauses[derivation.clause.id] is derivation.clause for derivation in derivations)
    definition = ast.parse(inspect.getsource(function)).body[0]
    assert isinstance(definition, ast.FunctionDef)
    text = ast.get_docstring(definition) or ""
    assert (text.endswith("."), "\n" in text, 1 <= len(definition.body) - 1 <= 5) == (True, False, True)


@pytest.mark.parametrize("module", MODULES)
def test_each_module_quotes_the_document(module: str) -> None:
    """A test module begins with a sentence of its own and one of the document."""
    first, _, rest = (import_module(f"conformance.{module}").__doc__ or "").partition("\n\n")
    assert first.endswith(".")
    assert "> " in rest


def test_each_clause_is_judged() -> None:
    """Every clause of the catalog has a test, or is excluded, with the reason in the catalog."""
    tested = {derivation.clause.id for derivation in all_derivations()}
    assert tested == {clause.id for clause in CATALOG.clauses.values() if not clause.excluded}


def test_derivation_from_nothing_shouts() -> None:
    """No entry, or no such clause, is an error where the test is defined."""
    with pytest.raises(LookupError, match="from no entry"):
        each([], clause="TYPE-BOOLEAN")
    with pytest.raises(KeyError):
        each(CATALOG.settings, clause="TYPE-NOSUCH")
