"""The finder of problems of the proof, on outcomes made by hand, and a small proof that holds."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from conformance.mutants.model import Mutant
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.proving import Proof, _problems, prove, render_matrix  # pyright: ignore[reportPrivateUsage]
from conformance.reference.service import Service

BOOLEAN = "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@x"
PRESENT = "READ-VALUE::Vendor.Common.Setting.ChildLock@x"
FAULT = "ChildLock is a word."


def problems(
    *fails: str, partners: Mapping[str, str] | None = None, faults: tuple[str, ...] = ()
) -> list[str]:
    """What is wrong with a mutant of TYPE-BOOLEAN that turned these cases red."""
    mutant = Mutant("worded", FAULT, "TYPE-BOOLEAN", "L0", partners or {}, Service)
    outcome = TrialOutcome("fail" if fails else "pass", dict.fromkeys(fails, "is a word"), faults)
    return list(_problems({"worded": (mutant, outcome)}, {}, complete=False))


def test_killed_mutant_is_no_problem() -> None:
    """Its clause is red and nothing else is."""
    assert problems(BOOLEAN) == []


def test_surviving_mutant_is_a_problem() -> None:
    """Nothing is red."""
    assert problems() == [f"mutant worded survives: TYPE-BOOLEAN does not fail ({FAULT})"]


def test_mutant_of_the_wrong_clause_is_two_problems() -> None:
    """Another clause is red than the one it declares."""
    assert problems(PRESENT) == [
        f"mutant worded survives: TYPE-BOOLEAN does not fail ({FAULT})",
        f"mutant worded turns READ-VALUE red, which it does not declare: {PRESENT}: is a word",
    ]


def test_undeclared_partner_is_a_problem() -> None:
    """A second clause is red, too."""
    assert problems(BOOLEAN, PRESENT) == [
        f"mutant worded turns READ-VALUE red, which it does not declare: {PRESENT}: is a word"
    ]


def test_declared_partner_is_no_problem() -> None:
    """A second clause is red, as declared."""
    assert problems(BOOLEAN, PRESENT, partners={"READ-VALUE": "the same answer"}) == []


def test_stale_partner_is_a_problem() -> None:
    """A declared partner stays green."""
    assert problems(BOOLEAN, partners={"READ-VALUE": "the same answer"}) == [
        "mutant worded declares READ-VALUE as a partner, which stays green"
    ]


def test_partner_told_apart_is_a_problem() -> None:
    """What is wrong in one way is told as two findings, one of them of partners alone."""
    mutant = Mutant("worded", FAULT, "TYPE-BOOLEAN", "L0", {"READ-VALUE": "the same answer"}, Service)
    outcome = TrialOutcome(
        "fail", dict.fromkeys((BOOLEAN, PRESENT), "is a word"), findings=(("TYPE-BOOLEAN",), ("READ-VALUE",))
    )
    assert list(_problems({"worded": (mutant, outcome)}, {}, complete=False)) == [
        "mutant worded is told as a second finding, on READ-VALUE (same_fact and same_answer of clauses.toml)"
    ]


def test_fault_of_the_suite_is_a_problem() -> None:
    """A killed mutant proves nothing where the suite crashed."""
    assert problems(BOOLEAN, faults=("it broke",)) == ["mutant worded: it broke"]


def test_variant_with_a_fail_is_a_problem() -> None:
    """A conforming server turned a case red."""
    outcome = TrialOutcome("fail", {BOOLEAN: "is a word"})
    found = list(_problems({}, {"odd.L0": ("odd", "with nothing claimed", outcome)}, complete=False))
    assert found == [f"variant odd.L0 gets a fail: {BOOLEAN}: is a word"]


def test_variant_with_a_fault_is_a_problem() -> None:
    """A server without a fail proves nothing where the suite crashed."""
    outcome = TrialOutcome("error", {}, ("the session ended without results",))
    found = list(_problems({}, {"odd.L0": ("odd", "with nothing claimed", outcome)}, complete=False))
    assert found == ["variant odd.L0: the session ended without results"]


def test_clause_without_a_mutant_is_a_problem() -> None:
    """In a whole proof, a clause of a reading run that can fail must be named by a mutant."""
    found = list(_problems({}, {}, complete=True))
    assert "clause TYPE-BOOLEAN can fail, and no mutant names it" in found
    assert not any("CAT-ICS" in problem for problem in found)


def test_proof_with_a_problem_does_not_hold() -> None:
    """The matrix says so and gives the reasons."""
    proof = Proof({}, {}, ("it broke",))
    assert not proof.holds
    assert render_matrix(proof).endswith("The proof does not hold, for 1 reasons:\n- it broke\n")


@pytest.mark.parametrize("only", ["boolean", "battery-not-a-number"])
def test_part_of_the_proof_holds(only: str, tmp_path: Path) -> None:
    """Some mutants are killed by the clauses they name, also where a value is unlike itself, and the matrix
    says so in both its forms.
    """
    proof = prove(tmp_path, only=[only], workers=1)
    assert proof.problems == ()
    matrix = json.loads((tmp_path / "kill-matrix.json").read_bytes())
    assert [row["name"] for row in matrix["mutants"] if not row["survived"]] == list(proof.mutants) != []
    assert "The proof holds." in (tmp_path / "kill-matrix.md").read_text(encoding="utf-8")
