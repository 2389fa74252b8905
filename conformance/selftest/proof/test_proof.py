"""The whole proof, the longest test of the suite; the finder of its problems, on outcomes made by hand; a
small proof that holds; the matrix that is published.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, CUP_WARMER
from catalog.loader import CATALOG
from conformance.mutants.model import Ground, Mutant, Unearned
from conformance.mutants.registry import load_mutants
from conformance.proof import trials
from conformance.proof.kill_matrix import UnjudgedError, descriptions, matrix_of, render_matrix, with_rows
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.proof import Proof, Tried, green_problems, problems, remote_problems
from conformance.proof.proving import MATRIX, prove
from conformance.proof.trials import remote_budgets
from conformance.reference.service import Service
from reports.kills import PUBLISHED


@pytest.fixture(scope="module")
def whole_proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[Proof, Path]:
    """The proof and the directory of its files."""
    out = tmp_path_factory.mktemp("whole")
    return prove(out), out


def test_every_check_is_proven_both_ways(whole_proof: tuple[Proof, Path]) -> None:
    """Every mutant is killed by the clause it names, no conforming server gets a fail, and each ledger judged
    again gives the same.
    """
    assert whole_proof[0].problems == ()


def test_published_matrix_is_that_of_the_proof(whole_proof: tuple[Proof, Path]) -> None:
    """The kill matrix that certificates name is the one that comes out; `appliance-conformance prove
    --publish` renews it.
    """
    assert (whole_proof[1] / MATRIX).read_bytes() == PUBLISHED.read_bytes()


# What the finder says of outcomes made by hand.
BOOLEAN = "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@x"
PRESENT = "READ-VALUE::Vendor.Common.Setting.ChildLock@x"
FAULT = "ChildLock is a word."


SURVIVES = f"mutant worded survives: TYPE-BOOLEAN does not fail ({FAULT})"
STRAYS = f"mutant worded turns READ-VALUE red, which it does not declare: {PRESENT}: is a word"
_TABLES = "same_fact and same_answer of clauses.toml"
TOLD_TWICE = f"mutant worded is told as a second finding, on READ-VALUE ({_TABLES})"
ALIKE = {"READ-VALUE": "the same answer"}
APART = (("TYPE-BOOLEAN",), ("READ-VALUE",))
CLAUSELESS = "clause TYPE-BOOLEAN can fail, and kills no mutant that names it"
WORDED = Mutant("worded", FAULT, "TYPE-BOOLEAN", "L0", {}, Service)
GREEN_TWIN = TrialOutcome("pass", {}, passes=(BOOLEAN, PRESENT))
# fmt: off
MUTANTS: dict[str, tuple[list[str], dict[str, str], dict[str, Any], list[str]]] = {
    "killed": ([BOOLEAN], {}, {}, []),
    "surviving": ([], {}, {}, [SURVIVES]),
    "of the wrong clause": ([PRESENT], {}, {}, [SURVIVES, STRAYS]),
    "with an undeclared partner": ([BOOLEAN, PRESENT], {}, {}, [STRAYS]),
    "with a declared partner": ([BOOLEAN, PRESENT], ALIKE, {}, []),
    "with a stale partner": ([BOOLEAN], ALIKE, {},
        ["mutant worded declares READ-VALUE as a partner, which stays green"]),
    "told as two findings, one of them of partners alone": ([BOOLEAN, PRESENT], ALIKE, {"findings": APART},
        [TOLD_TWICE]),
    "killed where the suite crashed": ([BOOLEAN], {}, {"faults": ("it broke",)}, ["mutant worded: it broke"]),
}
# fmt: on
"""Of a mutant of TYPE-BOOLEAN: the cases it turns red, its partners, what else came of it, the problems."""


@pytest.mark.parametrize("name", MUTANTS)
def test_problems_of_a_mutant(name: str) -> None:
    """It is killed by its own clause and by those that it declares, and told as one finding."""
    fails, partners, more, due = MUTANTS[name]
    mutant = replace(WORDED, partners=partners)
    outcome = TrialOutcome("fail" if fails else "pass", dict.fromkeys(fails, "is a word"), **more)
    assert list(problems({"worded": Tried(mutant, outcome, GREEN_TWIN)}, {}, complete=False)) == due


# fmt: off
TWINS: dict[str, tuple[TrialOutcome, list[str]]] = {
    "red on the clause, too": (TrialOutcome("fail", {BOOLEAN: "is a word"}),
        [f"the twin of mutant worded gets a fail: {BOOLEAN}: is a word"]),
    "red on it in one case": (TrialOutcome("fail", {BOOLEAN: "is a word"}, passes=(f"{BOOLEAN}-2",)),
        [f"the twin of mutant worded gets a fail: {BOOLEAN}: is a word"]),
    "red on another clause": (TrialOutcome("fail", {PRESENT: "is not there"}, passes=(BOOLEAN,)),
        [f"the twin of mutant worded gets a fail: {PRESENT}: is not there"]),
    "not judged by the clause": (TrialOutcome("pass", {}, passes=(PRESENT,)),
        ["the twin of mutant worded has no case of TYPE-BOOLEAN that passes"]),
    "that crashed the suite": (TrialOutcome("error", {}, ("it broke",), passes=(BOOLEAN,)),
        ["the twin of mutant worded: it broke"]),
}
# fmt: on
"""What came of the reference in the place of a mutant that is killed, and the problems."""


@pytest.mark.parametrize("name", TWINS)
def test_problems_of_a_twin(name: str) -> None:
    """A mutant proves nothing where the reference in its place is red, too, or its clause does not pass."""
    twin, due = TWINS[name]
    killed = {"worded": Tried(WORDED, TrialOutcome("fail", {BOOLEAN: "is a word"}), twin)}
    assert list(problems(killed, {}, complete=False)) == due


def test_mutant_with_a_fault_in_many_keys_is_red_on_each() -> None:
    """And its twin passes on each: else one key would do for all."""
    mutant = replace(WORDED, everywhere=(CHILD_LOCK, CUP_WARMER))
    killed = {"worded": Tried(mutant, TrialOutcome("fail", {BOOLEAN: "is a word"}), GREEN_TWIN)}
    assert list(problems(killed, {}, complete=False)) == [
        f"mutant worded is not red on {CUP_WARMER}",
        f"the twin of mutant worded does not pass TYPE-BOOLEAN on {CUP_WARMER}",
    ]


@pytest.mark.parametrize("name", [name for name in TWINS if "the clause" in name])
def test_kill_beside_a_twin_that_is_not_green_does_not_count(name: str) -> None:
    """Neither in the matrix nor as the proof of a clause, whatever is published."""
    proof = Proof({"worded": Tried(WORDED, TrialOutcome("fail", {BOOLEAN: "is a word"}), TWINS[name][0])}, {})
    assert proof.killers("TYPE-BOOLEAN") == []
    assert {"id": "TYPE-BOOLEAN", "killed": []} in matrix_of(proof)["clauses"]
    assert CLAUSELESS in list(problems(proof.mutants, {}, complete=True))


@pytest.mark.parametrize(
    ("outcome", "problem"),
    [
        (TrialOutcome("fail", {BOOLEAN: "is a word"}), f"odd.L0 gets a fail: {BOOLEAN}: is a word"),
        (TrialOutcome("error", {}, ("no results",)), "odd.L0: no results"),
    ],
)
def test_problem_of_a_variant(outcome: TrialOutcome, problem: str) -> None:
    """No case of it fails, and it proves nothing where the suite crashed."""
    found = list(problems({}, {"odd.L0": outcome}, complete=False))
    assert found == [f"variant {problem}"]


SILENT = Unearned("silent", "Nothing works.", Ground.GUARD, Service, guards=("TYPE-BOOLEAN",))
KEYED = replace(SILENT, guards=(BOOLEAN.rpartition("@")[0],), ends=(0, 3), certified=True, headline="But")
# fmt: off
GREEN: dict[str, tuple[Unearned, dict[str, Any], str]] = {
    "seen through": (SILENT, {}, ""),
    "that crashed the suite": (SILENT, {"faults": ("it broke",)}, "that: it broke"),
    "that ends well": (SILENT, {"ends": 0}, "ends with 0, not with 3"),
    "whose guard passes": (SILENT, {"passes": (BOOLEAN, PRESENT)}, f"passes {BOOLEAN}"),
    "that is certified": (SILENT, {"refused": ()}, "gets a certificate"),
    "whose green is qualified": (KEYED, {"ends": 0, "refused": (), "headline": "But"}, ""),
    "whose green is not": (KEYED, {"ends": 0, "refused": (), "headline": "Conforms"},
        "is told as 'Conforms', not as 'But'"),
    "whose guard of a key passes": (KEYED, {"headline": "But", "passes": (BOOLEAN, PRESENT)},
        f"passes {BOOLEAN}"),
}
# fmt: on
"""An unearned server, what came of its run beside code 3 and no certificate, and the problem, if any."""


@pytest.mark.parametrize("name", GREEN)
def test_problem_of_an_unearned_server(name: str) -> None:
    """Its run ends as it must, no guard that it names passes, and no certificate is given."""
    server, came, problem = GREEN[name]
    usual: dict[str, Any] = {"ends": 3, "refused": ("the verdict",)}
    outcome = TrialOutcome("inconclusive", {}, **(usual | came))
    told = f"unearned {server.name} {problem} ({Ground.GUARD.value})"
    due = {"": [], "that: it broke": ["unearned silent: it broke"]}.get(problem, [told])
    assert list(green_problems({server.name: (server, outcome)})) == due


@pytest.fixture(scope="module")
def proven(tmp_path_factory: pytest.TempPathFactory) -> tuple[Proof, Path]:
    """A proof of three mutants and a variant with the budget of a target elsewhere, and where its files are.

    One of the mutants needs more than such a budget has, which is cut for it.
    """
    out = tmp_path_factory.mktemp("proof")
    names = ["third-off-ignored", "booleans-as-words", "battery-not-a-number", "versioned-alias"]
    with pytest.MonkeyPatch.context() as patch:
        budgets = remote_budgets()
        patch.setattr(trials, "remote_budgets", lambda: {**budgets, "generated": 10})
        return prove(out, only=names, workers=1, budget="remote"), out


def test_part_of_the_proof_holds(proven: tuple[Proof, Path]) -> None:
    """Mutants are killed by the clauses they name, also where a value is unlike itself, no conforming server
    fails, and the matrix says so in both its forms.
    """
    proof, out = proven
    assert proof.problems == ()
    matrix = json.loads((out / "kill-matrix.json").read_bytes())
    survived = {row["name"]: (row["survived"], row["remote"]["survived"]) for row in matrix["mutants"]}
    assert survived == dict.fromkeys(proof.mutants, (False, False))
    assert len(survived) == 3
    assert "The proof holds." in (out / "kill-matrix.md").read_text(encoding="utf-8")


def test_who_survives_remotely_is_told(proven: tuple[Proof, Path]) -> None:
    """A mutant that takes more than is generated for a target elsewhere is judged with that as well: whether
    it survives is told, and is no problem. One that takes no more is not judged again.
    """
    proof, _ = proven
    assert proof.remote.keys() - proof.variants.keys() == {"third-off-ignored"}
    assert proof.survivors == []
    proof = replace(proof, remote={"third-off-ignored": TrialOutcome("pass", {})})
    assert [mutant.name for mutant in proof.survivors] == ["third-off-ignored"]
    assert "2 of 3 mutants killed, 1 not\n- third-off-ignored (PWR-ON-OFF)" in render_matrix(proof)


def test_conforming_servers_are_judged_remotely_if_wanted(proven: tuple[Proof, Path]) -> None:
    """With the budget of a target elsewhere, none of them fails either."""
    proof, _ = proven
    assert proof.variants.keys() == {"versioned-alias.L0", "versioned-alias.full"} < proof.remote.keys()
    failing = {name: TrialOutcome("fail", {BOOLEAN: "is a word"}) for name in proof.variants}
    (problem, *_) = remote_problems(failing, clean=proof.variants.keys())
    assert problem.endswith(f"a fail, with the budgets of a remote target: {BOOLEAN}: is a word")


def test_clause_without_a_mutant_is_a_problem() -> None:
    """In a whole proof, a clause of a reading run that can fail must be named by a mutant."""
    found = list(problems({}, {}, complete=True))
    assert CLAUSELESS in found
    assert not any("CAT-ICS" in problem for problem in found)


def test_proof_with_a_problem_does_not_hold() -> None:
    """The matrix says so and gives the reasons."""
    proof = Proof({}, {}, ("it broke",))
    assert not proof.holds
    assert render_matrix(proof).endswith("The proof does not hold, for 1 reasons:\n- it broke\n")


# The published matrix takes rows of a part of the proof, if its other rows are of servers as they are.
ONE, GONE = "any-ha-id", {"name": "a-server-of-yesterday"}


@pytest.fixture
def published() -> dict[str, Any]:
    """A matrix with a row of each server, and one of a server that is no more."""
    rows = descriptions()
    mutants = [{**row, "killed_by": [row["clause"], *row["partners"]]} for row in rows["mutants"]]
    return {**rows, "mutants": [*mutants, GONE]}


@pytest.fixture
def proof() -> Proof:
    """The proof of one mutant."""
    mutant = next(one for one in load_mutants() if one.name == ONE)
    case = f"{mutant.clause}::*@one"
    tried = Tried(mutant, TrialOutcome("fail", {case: "It is."}), TrialOutcome("pass", {}, passes=(case,)))
    return Proof({ONE: tried}, {})


def test_rows_are_put_in_their_places(published: dict[str, Any], proof: Proof) -> None:
    """One row is that of the proof, all others stay; clauses and order follow from the rows."""
    order = [row["name"] for row in published["mutants"] if row is not GONE]
    matrix = with_rows({**published, "mutants": published["mutants"][::-1]}, proof)
    assert [row["name"] for row in matrix["mutants"]] == order
    assert [row["name"] for row in matrix["mutants"] if "remote" in row] == [ONE]
    assert [row["id"] for row in matrix["clauses"]] == [
        one.id for one in CATALOG.clauses.values() if one.can_fail
    ]
    killed = {row["id"]: row["killed"] for row in matrix["clauses"]}
    assert ONE in killed["ADDR-HAID"]
    assert matrix["variants"] == published["variants"]
    assert matrix["problems"] == []


@pytest.mark.parametrize(
    ("trial", "known"),
    [
        ("reference.L0", "with nothing claimed"),
        ("keys-in-any-case.L2", "with what is supported, and where answers hold what"),
        ("reference.full", "with the whole truthful profile"),
    ],
)
def test_row_of_a_conforming_server_says_what_is_known_of_it(trial: str, known: str) -> None:
    """As much as its trial tells a run."""
    assert [row["known"] for row in descriptions()["variants"] if row["name"] == trial] == [known]


def test_server_without_a_row_has_to_be_judged(published: dict[str, Any], proof: Proof) -> None:
    """One that is new, and one that is told otherwise than its row says."""
    new, changed, *others = published["mutants"]
    published["mutants"] = [{**changed, "fault": "It was something else."}, *others]
    with pytest.raises(UnjudgedError, match=f"becomes of {new['name']}, {changed['name']}: judge"):
        with_rows(published, proof)


def test_clause_has_to_kill(published: dict[str, Any], proof: Proof) -> None:
    """A clause that kills nothing any more is no part of a published matrix."""
    tried = proof.mutants[ONE]
    green = Tried(tried.mutant, tried.outcome, TrialOutcome("pass", {}))
    for row in published["mutants"]:
        if row.get("clause") == "ADDR-HAID":
            row["killed_by"] = []
    with pytest.raises(UnjudgedError, match="killed by ADDR-HAID"):
        with_rows(published, replace(proof, mutants={ONE: green}))
