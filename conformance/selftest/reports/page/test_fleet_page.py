"""The page of a fleet, and templates that are compiled once."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment
from msgspec.structs import replace

from catalog.loader import load_catalog
from conformance.checks.verdict import Verdict
from conformance.records.results import Results
from conformance.records.run_facts import JudgedAppliance
from conformance.selftest.support.samples.pages import page_of
from conformance.selftest.support.samples.results import ALARM, RUN, a_case, results_of
from reports.page.compiled import CompiledTemplates
from reports.page.document import cover
from reports.page.matrix import build_matrix, shown_fleet
from reports.page.shown_findings import anchor_of
from reports.phrases import silent_appliances

NUMBER = 20
FLEET = tuple(
    JudgedAppliance(f"MAKER-{kind}-{number:02}", kind)
    for number in range(NUMBER)
    for kind in ("Hood", "Refrigerator")
)
ODD: dict[str, Verdict] = {"MAKER-Refrigerator-07": "fail", "MAKER-Refrigerator-03": "inconclusive"}
SILENT = FLEET[4]


def fleet_results() -> Results:
    """A fleet in which one appliance fails, one is not decided, and one gave no value."""
    cases = [
        a_case("TYPE-INTEGER", ODD.get(one.ha_id, "pass"), ALARM, one) for one in FLEET if one is not SILENT
    ]
    bases = [a_case("ADDR-BASE", "inconclusive" if one is SILENT else "pass", "*", one) for one in FLEET]
    return results_of(*cases, *bases, run=replace(RUN, appliances=FLEET))


def test_appliances_of_a_kind_stand_together_the_worst_first() -> None:
    """Whatever the order of the profile; a kind with a failure comes before one without."""
    names = [one.name for one in shown_fleet(fleet_results()).appliances]
    assert names[:2] == list(ODD)
    assert names[2] == "MAKER-Refrigerator-00"
    assert names[NUMBER : NUMBER + 2] == [SILENT.ha_id, "MAKER-Hood-00"]


def test_block_of_the_matrix_has_one_kind() -> None:
    """So that no half of its cells is empty; small kinds share one."""
    results = fleet_results()
    anchors = {case.id: "here" for case in results.cases}
    blocks = build_matrix(results, shown_fleet(results), load_catalog(), anchors)
    assert [block.kind for block in blocks] == ["Refrigerator"] * 3 + ["Hood"] * 3
    assert [block.first for block in blocks] == [1, 8, 14, 21, 28, 34]
    few = replace(results, run=replace(RUN, appliances=FLEET[:4]))
    assert [block.kind for block in build_matrix(few, shown_fleet(few), load_catalog(), anchors)] == [""]


def test_first_screen_names_who_gave_no_value() -> None:
    """The appliance that never answered is named above all sections, and the kinds are counted."""
    results = fleet_results()
    page = page_of(results)
    assert silent_appliances(results) == (SILENT.ha_id,)
    head = " ".join(page.text[: page.text.index("What was judged")].split())
    assert f"1 of 40 appliances gave no value: {SILENT.ha_id}" in head
    assert "20 Hoods, 20 Refrigerators" in " ".join(page.text.split())
    assert page.text.index("Cases by appliance") < page.text.index("Keys and appliances")


def test_clause_says_on_how_many_appliances_it_holds() -> None:
    """One appliance of many that is not decided does not hide the others."""
    results = fleet_results()
    passed = {row.clause.id: row.passed for row in cover(results, shown_fleet(results).places)}
    assert (passed["TYPE-INTEGER"], passed["ADDR-BASE"]) == ("pass on 37 of 39", "pass on 39 of 40")
    assert passed["TYPE-FLOAT"] == ""


def test_words_are_explained_in_one_fold() -> None:
    """Each verdict, and the words that a reader meets without the README."""
    page = page_of(fleet_results())
    legend = page.text[page.text.index("What do these words mean?") : page.text.index("What was judged")]
    for word in ("inconclusive", "not applicable", "observed", "level", "controls", "waived"):
        assert word in legend
    assert "read (nothing was written)" in page.text


@pytest.mark.parametrize(
    ("case", "anchor"),
    [
        (f"TYPE-INTEGER::{ALARM}@oven-1", f"TYPE-INTEGER::{ALARM}@oven-1"),
        ("ADDR-UNKNOWNKEY::~generated@x", "ADDR-UNKNOWNKEY::~generated@x"),
        ("ADDR-BASE::*@my fridge", "ADDR-BASE::d5fc5ae4dbac"),
        ('"><script>::x@\ud800', "case::"),
    ],
)
def test_finding_keeps_its_anchor(case: str, anchor: str) -> None:
    """It is that of its case, so that a link leads to it in every report; of an odd id, a digest."""
    assert anchor_of(case).startswith(anchor)
    assert len(anchor_of(case)) < 310


# A template is compiled once, and again where its compiled form cannot be read or kept.
def rendered(directory: Path, text: str) -> str:
    """What a new process would render of a template."""
    made = Environment(loader=DictLoader({"page": text}), bytecode_cache=CompiledTemplates(directory))
    return made.get_template("page").render()


@pytest.mark.parametrize("length", [0, 20, 100, 1_000])
def test_broken_form_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int) -> None:
    """A compiled form that ends too early, or is of another text, is no obstacle, and is replaced."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    [file] = (tmp_path / "kept").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:length])
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    assert file.read_bytes() == whole
    assert rendered(tmp_path / "kept", "{{ 'two' }}") == "two"


def test_directory_that_takes_no_file_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be written, or Python is told to write nothing, each process compiles."""
    (tmp_path / "kept").touch()
    assert rendered(tmp_path / "kept", "{{ 'one' }}") == "one"
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered(tmp_path / "none", "{{ 'one' }}") == "one"
    assert not (tmp_path / "none").exists()
