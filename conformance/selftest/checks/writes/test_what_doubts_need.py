"""Each doubt is needed by something that is tried: a server of the proof, or a story of these tests."""

from conformance.checks.writes.doubts import DOUBTS
from conformance.mutants.registry import load_mutants, load_variants
from conformance.selftest.support.findings import GOLDEN


def test_each_doubt_is_needed() -> None:
    """What needs a doubt is a variant, a mutant of another clause, or a finding that is no failure."""
    rows = (line.partition(": ") for line in GOLDEN.read_text(encoding="utf-8").splitlines())
    stories = {name for name, _, found in rows if " fail " not in found}
    servers = {one.name for one in (*load_variants(), *load_mutants())}
    assert [doubt.needed_by for doubt in DOUBTS if doubt.needed_by not in stories | servers] == []
