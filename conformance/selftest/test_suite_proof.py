"""The whole proof; the longest test of the suite, about two minutes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.proof import prove

if TYPE_CHECKING:
    from pathlib import Path


def test_every_check_is_proven_both_ways(tmp_path: Path) -> None:
    """Every mutant is killed by the clause it names, and neither a variant nor the reference gets a fail."""
    assert prove(tmp_path).problems == ()
