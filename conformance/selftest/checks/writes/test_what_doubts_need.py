"""Each doubt is needed by something that is tried: a server of the proof, or a row of these tests."""

from pathlib import Path

from conformance.checks.writes.doubts import DOUBTS
from conformance.mutants.registry import load_mutants, load_variants
from conformance.selftest.support.findings import rows_of


def test_each_doubt_is_needed() -> None:
    """What needs a doubt is a variant, a mutant of another clause, or a finding that is no failure."""
    sources = (path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    rows = (row for source in sources for row in rows_of(source))
    tried = {row.name for row in rows if not str(row.expected.value).startswith("fail")}
    servers = {one.name for one in (*load_variants(), *load_mutants())}
    assert [doubt.needed_by for doubt in DOUBTS if doubt.needed_by not in tried | servers] == []
