"""run --failed judges again what failed in the last whole run, and asks only what that needs."""

from pathlib import Path

import pytest

from conformance.selftest.support.commanding import Ran, run, said


def test_only_what_failed_is_judged_again(tmp_path: Path) -> None:
    """A second run has the cases that failed in the first one, sends less, and leaves its files alone."""
    first = run(tmp_path, "mutant:booleans-as-words", "--level", "read")
    before = (first.results, first.evidence)
    failed = [case["id"] for case in first.results["cases"] if case["verdict"] == "fail"]
    code = run(tmp_path, "mutant:booleans-as-words", "--level", "read", "--failed").code
    part = Ran(code, "", first.out / "failed")
    assert [case["id"] for case in part.results["cases"]] == failed != []
    assert ((first.results, first.evidence), len(part.evidence) < len(first.evidence)) == (before, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [((), "No such file"), (("--certify",), "goes without"), (("--workers", "2"), "goes without")],
)
def test_failed_needs_a_run_of_one_process(words: tuple[str, ...], told: str, tmp_path: Path) -> None:
    """Without a run before, or for a whole run, it is wrong usage."""
    ran = said(
        "run", "reference", "--failed", "--out", str(tmp_path / "out"), "--state", str(tmp_path), *words
    )
    assert ran.exit_code == 2
    assert told in ran.output


def test_nothing_failed_is_wrong_usage(tmp_path: Path) -> None:
    """Where nothing failed in the last run, nothing is asked."""
    first = run(tmp_path, "variant:nothing-served", "--level", "read")
    ran = said("run", "variant:nothing-served", "--failed", "--out", str(first.out), "--state", str(tmp_path))
    assert ran.exit_code == 2
    assert "nothing failed in the last run" in ran.output
