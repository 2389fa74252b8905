"""A saved ledger is judged again to the same verdicts without a network; an altered one is not judged."""

from pathlib import Path

import pytest

from conformance.selftest.support.commanding import Ran, judged_again, run

JUDGED = ("cases", "clauses", "counts", "verdict", "requests", "level")
SMALL = ("variant:off-means-standby", "--level", "read")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """A run that wrote, on a mutant that an order of writes brings out."""
    return run(tmp_path_factory.mktemp("ran"), "mutant:third-off-ignored")


def test_judging_again_gives_the_same(ran: Ran, tmp_path: Path) -> None:
    """Verdicts, findings, evidence and scripts are those of the run, though the server is gone."""
    again = judged_again(ran.out / "evidence.ndjson", tmp_path)
    assert (again.code, ran.code) == (1, 1)
    assert {name: again.results[name] for name in JUDGED} == {name: ran.results[name] for name in JUDGED}
    assert (again.out / "evidence.ndjson").read_bytes() == (ran.out / "evidence.ndjson").read_bytes()


def test_run_that_was_cut_off_is_no_pass(tmp_path: Path) -> None:
    """A ledger without its last line is that of a killed run: what is there is judged, and no more."""
    whole = run(tmp_path, *SMALL, "--", "-k", "TYPE")
    lines = (whole.out / "evidence.ndjson").read_text(encoding="utf-8").splitlines()
    (tmp_path / "cut.ndjson").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")
    again = judged_again(tmp_path / "cut.ndjson", tmp_path / "again", "--", "-k", "TYPE")
    assert (whole.code, again.code, again.results["verdict"]) == (0, 3, "inconclusive")
    assert again.results["cases"] == whole.results["cases"]


def test_what_a_ledger_lacks_is_inconclusive(tmp_path: Path) -> None:
    """What a run did not ask is inconclusive in its ledger: it neither passes, fails nor lacks a subject."""
    part = run(tmp_path, *SMALL, "--", "-k", "ChildLock")
    again = judged_again(part.out / "evidence.ndjson", tmp_path / "again")
    cases = [case for case in again.results["cases"] if case["ha_id"] == "oven-1"]
    assert (part.code, again.code) == (0, 0)
    assert {case["verdict"] for case in cases if "AlarmClock" in case["key"]} == {"inconclusive"}
    assert "not_applicable" not in {case["verdict"] for case in cases}


def test_part_of_a_run_lacks_no_more_subjects(tmp_path: Path) -> None:
    """A key that is not served is not applicable, though keys beside which it would show were not asked."""
    part = run(tmp_path, "reference", "--level", "read", "--", "-k", "COOL-SABBATH and fridge-2")
    assert [case["verdict"] for case in part.results["cases"]] == ["not_applicable"]
