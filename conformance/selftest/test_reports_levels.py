"""Levels: what a run of a lower level leaves out is named with the level it needs."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from catalog.loader import load_catalog
from conformance.selftest.test_reports_page import page_of
from conformance.selftest.test_reports_restored import Lines
from conformance.selftest.test_reports_results import PASS, RUN, a_case, results_of
from reports.levels import LEVELS, beyond_level, is_beyond, unjudged
from reports.results import ResultsError, load_results, write_results
from reports.summary import render_markdown
from reports.terminal import summarize

if TYPE_CHECKING:
    from pathlib import Path

    from catalog.model import Level


def test_levels_are_in_their_order() -> None:
    """Each level includes the ones before it."""
    assert LEVELS == ("read", "write", "power", "attended")
    assert is_beyond("power", "write")
    assert not is_beyond("power", "power")
    assert not is_beyond("read", "attended")


@pytest.mark.parametrize("level", LEVELS)
def test_clause_says_the_level_it_needs(level: Level) -> None:
    """Results name the level of every clause, and for those without a case the level the run lacked: never one it had."""
    results = results_of(PASS, run=replace(RUN, level=level))
    clauses = load_catalog().clauses
    assert all(clause.level == clauses[clause.id].level for clause in results.clauses)
    beyond = {clause.id: clause.needs for clause in results.clauses if clause.needs}
    assert beyond == {clause.id: clause.level for clause in clauses.values() if is_beyond(clause.level, level)}
    assert {clause.verdict for clause in results.clauses if clause.needs} <= {"not_applicable"}


def test_clause_with_a_case_needs_nothing() -> None:
    """A clause of a higher level that has a case all the same was judged."""
    results = results_of(PASS, a_case("SET-WRITABLE", "pass"))
    assert next(clause.needs for clause in results.clauses if clause.id == "SET-WRITABLE") == ""
    assert "SET-WRITABLE" not in beyond_level(results.clauses)["write"]


@pytest.mark.parametrize("level", LEVELS)
def test_every_report_names_the_level(tmp_path: Path, level: Level) -> None:
    """Report, summary and terminal name the level of the run, and the clauses with the level they need."""
    results = results_of(PASS, run=replace(RUN, level=level))
    terminal = Lines()
    summarize(results, load_catalog(), tmp_path, terminal)
    page = page_of(results).text
    for text in (page, render_markdown(results), "\n".join(terminal.lines)):
        assert f"level {level}" in text or f"level{level}" in text.replace("\n", "")
        for needed in LEVELS:
            said = f"not judged at level {level}: needs --level {needed}"
            assert (said in text) == is_beyond(needed, level)
    assert all(name in page for names in beyond_level(results.clauses).values() for name in names)
    assert len(unjudged(results)) == len(LEVELS) - 1 - LEVELS.index(level)


def test_levels_are_in_the_file(tmp_path: Path) -> None:
    """results.json has the level of each clause and the one it needs; a file of before has neither and is read."""
    path = tmp_path / "results.json"
    write_results(results_of(PASS), path)
    assert load_results(path) == results_of(PASS)
    document = json.loads(path.read_bytes())
    by_id = {clause["id"]: (clause["level"], clause["needs"]) for clause in document["clauses"]}
    assert by_id["PWR-OFF-ON"] == ("power", "power")
    assert by_id["TYPE-INTEGER"] == ("read", "")
    for clause in document["clauses"]:
        del clause["level"], clause["needs"]
    path.write_text(json.dumps(document), encoding="utf-8")
    assert not beyond_level(load_results(path).clauses)


@pytest.mark.parametrize("change", [{"level": "godlike"}, {"level": None}, {"clauses": [{"needs": "godlike"}]}])
def test_foreign_level_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    """A level nobody knows makes the file a foreign one."""
    path = tmp_path / "results.json"
    write_results(results_of(PASS), path)
    path.write_text(json.dumps(json.loads(path.read_bytes()) | change), encoding="utf-8")
    with pytest.raises(ResultsError, match="is no level of a run"):
        load_results(path)
