"""The published matrix takes rows of a part of the proof, if its other rows are of servers as they are."""

from typing import Any

import pytest
from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.proof.kill_matrix import UnjudgedError, descriptions, with_rows
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.proof import Proof, Tried
from conformance.proof.proving import prove

ONE, GONE = "any-ha-id", {"name": "a-server-of-yesterday"}


@pytest.fixture
def published() -> dict[str, Any]:
    """A matrix with a row of each server, and one of a server that is no more."""
    rows = descriptions()
    mutants = [{**row, "killed_by": [row["clause"], *row["partners"]]} for row in rows["mutants"]]
    return {**rows, "mutants": [*mutants, GONE]}


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> Proof:
    """The proof of one mutant."""
    return prove(tmp_path_factory.mktemp("proof"), only=[ONE], workers=1)


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
