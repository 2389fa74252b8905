"""The whole proof; the longest test of the suite."""

from pathlib import Path

import pytest

from conformance.proof.proving import MATRIX, Proof, prove
from reports.kills import PUBLISHED


@pytest.fixture(scope="module")
def proof(tmp_path_factory: pytest.TempPathFactory) -> tuple[Proof, Path]:
    """The proof and the directory of its files."""
    out = tmp_path_factory.mktemp("proof")
    return prove(out), out


def test_every_check_is_proven_both_ways(proof: tuple[Proof, Path]) -> None:
    """Every mutant is killed by the clause it names, no conforming server gets a fail, and each ledger judged
    again gives the same.
    """
    assert proof[0].problems == ()


def test_published_matrix_is_that_of_the_proof(proof: tuple[Proof, Path]) -> None:
    """The kill matrix that certificates name is the one that comes out; `appliance-conformance prove
    --publish` renews it.
    """
    assert (proof[1] / MATRIX).read_bytes() == PUBLISHED.read_bytes()
