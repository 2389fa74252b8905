"""What becomes of the cases of a run: collected from the items of a real pytest, merged, not judged, or kept
open by a state of the appliance.
"""

from datetime import date
from errno import ENOSPC
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog.keys import FRIDGE_SABBATH, OVEN_SABBATH
from conformance.checks.verdict import Verdict
from conformance.model.state_table import STATES
from conformance.profiles.model import Waiver
from conformance.records.results import CaseResult, Omitted, Results, RunEnding
from conformance.records.run_facts import RunFacts
from conformance.records.verdicts import merge_verdicts
from conformance.selftest.support.collected import PASSES, results_in, run_pytest
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.results import ALARM, CLAIMED, PASS, RUN, UNSURE, a_case, results_of
from reports.renderings import RENDERINGS
from reports.results import collector
from reports.results.collector import Collector
from reports.results.file import write_results
from reports.results.findings import apply_waivers
from reports.results.not_judged import condition, group_omitted, not_judged_in_a_line

SIX = """
def test_a(attach): attach("TYPE-INTEGER", "pass")
def test_b(attach): attach("TYPE-DOUBLE", "not_applicable"); raise unittest.SkipTest("no such key")
def test_c(attach): attach("TYPE-FLOAT", "inconclusive"); raise unittest.SkipTest("refused")
def test_d(attach): attach("CAT-FIELD-DESC", "observed")
def test_e(attach):
    attach("TYPE-STRING", "fail", document="line 60: String")
    raise AssertionError("5 is no text")
def test_f(attach): attach("TYPE-ENUM", "error", message="ValueError: two"); raise ValueError
def test_g(): pass
"""


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """All six verdicts in one process."""
    return run_pytest(tmp_path_factory.mktemp("alone"), SIX, "-v")


IN_ORDER = ["pass", "not_applicable", "inconclusive", "observed", "fail", "error"]
UNDECIDED = 'def test_b(attach): attach("TYPE-FLOAT", "inconclusive"); raise unittest.SkipTest("x")'


def test_verdicts_in_the_order_of_the_items(alone: Ran) -> None:
    """Every item that attaches a case gives one, in the order of collection; another item gives none."""
    cases = results_in(alone).cases
    assert [case.verdict for case in cases] == IN_ORDER
    first, *_, last = cases
    assert (first.evidence, first.claimed, last.message) == ((1,), True, "ValueError: two")


def test_words_on_the_terminal(alone: Ran) -> None:
    """Each verdict has its own word beside its item, and pytest's last line counts them."""
    for name, verdict in zip("abcdef", IN_ORDER, strict=True):
        assert f"test_{name} {verdict.upper().replace('_', ' ')}" in alone.output
    assert "1 not applicable" in alone.output.splitlines()[-1]


@pytest.mark.parametrize(
    ("verdicts", "merged"),
    [
        ((), "not_applicable"),
        (("not_applicable", "not_applicable"), "not_applicable"),
        (("not_applicable", "observed"), "observed"),
        (("observed", "pass", "not_applicable"), "pass"),
        (("pass", "inconclusive"), "inconclusive"),
        (("pass", "inconclusive", "fail"), "fail"),
        (("pass", "inconclusive", "fail", "error"), "error"),
    ],
)
def test_merge_takes_the_gravest(verdicts: tuple[Verdict, ...], merged: Verdict) -> None:
    """A merge answers the gravest verdict, in whatever order they come."""
    assert {merge_verdicts(order) for order in permutations(verdicts)} == {merged}


FLOAT = PASSES + 'def test_b(attach): attach("TYPE-FLOAT", '
LEFT_OUT = 'def test_b(request): request.node.stash[ATTACHED] = Omitted("A", KEY, "hub", "not on", "pace"); '


@pytest.mark.parametrize(
    ("items", "verdict", "code"),
    [
        (PASSES, "pass", 0),
        (FLOAT + '"fail"); raise AssertionError', "fail", 1),
        (FLOAT + '"fail")', "fail", 1),
        (FLOAT + '"pass"); raise AssertionError("x")', "error", 5),
        (UNDECIDED.replace("inconclusive", "not_applicable"), "inconclusive", 3),
        (PASSES + LEFT_OUT + 'raise unittest.SkipTest("x")', "pass", 0),
        (PASSES + LEFT_OUT + "raise ValueError", "error", 5),
        (PASSES + "def test_b(): assert False", "error", 5),
        (PASSES + 'def test_b(attach): attach("TYPE-INTEGER", "pass")', "error", 5),
        (PASSES + "def test_b(): raise KeyboardInterrupt", "inconclusive", 3),
        (PASSES + "1 / 0", "error", 5),
        ("", "inconclusive", 3),
    ],
)
def test_exit_status_is_that_of_a_run(tmp_path: Path, items: str, verdict: str, code: int) -> None:
    """Bare pytest ends in the code `run` would: whatever yields no verdict is not 0."""
    ran = run_pytest(tmp_path, items, render=False)
    assert (results_in(ran).verdict, ran.code) == (verdict, code)


@pytest.mark.parametrize(
    ("items", "told", "code"),
    [
        (PASSES + UNDECIDED, {}, 3),
        (PASSES + UNDECIDED, {"certify": True}, 3),
        (PASSES, {"finish": Mock(side_effect=OSError("no clock"))}, 5),
    ],
)
def test_cases_are_written_whatever_the_run_ends_in(
    tmp_path: Path, items: str, told: dict[str, Any], code: int
) -> None:
    """Too many claims are open, with or without a certificate; facts that cannot be completed are a fault."""
    ran = run_pytest(tmp_path, items, render=False, **told)
    assert (ran.code, results_in(ran).cases[0].verdict) == (code, "pass")


def test_no_signature_outlives_its_certificate(tmp_path: Path) -> None:
    """What was signed in the directory before is no signature of the certificate that a new run writes."""
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "certificate.intoto.jsonl").touch()
    run_pytest(tmp_path, PASSES, certify=True)
    assert [path.name for path in (tmp_path / "out").glob("certificate.*")] == ["certificate.json"]


class Broken(Collector):
    """One of its renderings cannot be made."""

    renderings = MappingProxyType({**RENDERINGS, "report.html": Mock(side_effect=LookupError("none"))})


class Barred(Collector):
    """Where one of its files belongs, somebody makes a directory meanwhile."""

    def pytest_collection_finish(self) -> None:
        (self.output / "report.html").mkdir()


@pytest.mark.parametrize(
    "trouble",
    [{"kind": Broken}, {"kind": Barred}, {"leaks": lambda: ["badge.json holds ${TOKEN}"]}],
    ids=["broken", "barred", "leaks"],
)
def test_fault_of_a_file_is_said_by_every_other(trouble: dict[str, Any], tmp_path: Path) -> None:
    """A fault that shows when the files are made is in each of them; the certificate goes, no other file."""
    ran = run_pytest(tmp_path, PASSES, certify=True, **trouble)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert (ran.code, results_in(ran).verdict, len(results_in(ran).refused)) == (5, "error", 1)
    assert f"fault of the suite: {results_in(ran).faults[0]}" in ran.output
    assert "Conforms" not in ran.output + (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    is_made = (tmp_path / "out" / "report.html").is_file()
    assert ("certificate.json" in written, is_made) == (False, "kind" not in trouble)


@pytest.mark.parametrize(
    ("option", "kept", "said"),
    [
        ("--collect-only", True, "1 test collected"),
        ("no_such_file.py", False, "ERROR: file or directory not found: no_such_file.py"),
    ],
)
def test_no_verdict_outlives_its_run(tmp_path: Path, option: str, said: str, *, kept: bool) -> None:
    """A run that is refused leaves no results; merely collecting leaves those of the last run alone."""
    run_pytest(tmp_path, PASSES, render=False)
    ran = run_pytest(tmp_path, PASSES, option, render=False)
    assert ((tmp_path / "out" / "results.json").exists(), ran.code == 0) == (kept, kept)
    assert said in ran.output


# What a run did not judge, and what a state of the appliance kept open.
KEY = "Vendor.Common.Setting.ChildLock"
LOCKS = (KEY, OVEN_SABBATH, FRIDGE_SABBATH)
OF_LEVEL = [
    Omitted("SET-WRITABLE", key, ha_id, "the run only reads", "--level write")
    for key in (KEY, ALARM)
    for ha_id in ("a", "b")
]
OMITTED = st.builds(
    Omitted,
    *(
        st.sampled_from(words)
        for words in (["A", "B"], ["k", "l", "m"], ["x", "y", "z"], ["why"], ["f", "g"])
    ),
)


@pytest.mark.parametrize(
    ("glob", "state"), [("SET-WRITABLE::*@b", "open"), ("SET-WRITABLE::*@nobody", "unmatched")]
)
def test_waiver_of_what_was_not_judged_is_open(glob: str, state: str) -> None:
    """A waiver that matches only what was not judged is not stale; one that matches nothing at all is."""
    waiver = Waiver(case=glob, reason="known", owner="hub team", expires=date(2027, 1, 1))
    _, (record,) = apply_waivers([PASS], [waiver], RunEnding(RUN, omitted=tuple(OF_LEVEL)))
    assert (record.state, bool(record.stale)) == (state, state == "unmatched")


@given(st.sets(OMITTED))
def test_rows_hold_every_omission(omitted: set[Omitted]) -> None:
    """Folding keeps every omission and adds none."""
    rows = group_omitted(sorted(omitted))
    places = [(row, key, ha_id) for row in rows for key in row.keys for ha_id in row.ha_ids]
    unfolded = [Omitted(row.clause, key, ha_id, row.reason, row.field) for row, key, ha_id in places]
    assert sorted(unfolded) == sorted(omitted)
    assert sum(row.number for row in rows) == len(omitted)


NOT_ALLOWED = Omitted("SET-WRITABLE", KEY, "a", "it is not on the write list", "write.allow")
LACKING = [
    *(Omitted("A", str(number), "a", "drawn", "pace.generated_reads") for number in range(3)),
    *(Omitted("READ-SETTING", KEY, "a", "undeclared", f"answer.{name}") for name in ("key", "unit", "type")),
    *(Omitted("READ-SETTING", KEY, "b", "undeclared", f"answer.{name}") for name in ("type", "min", "max")),
    NOT_ALLOWED,
    *OF_LEVEL,
]
WRITTEN = replace(RUN, level="write")
STATED = [
    f"{STATES[name].words} ({STATES[name].ended_by}, or let a run do so, with {lacking} under write.allow)"
    for name, lacking in (
        ("X1", "--level write and AmbientLightColor"),
        ("X4", "--level power and PowerState"),
        ("X13", "--level write and ChildLock in full"),
    )
]
BRIGHTNESS, LIGHTS_ON = "Refrigeration.Common.Setting.Light.Internal.Brightness", "switch the light on"
IS_LOCKED = a_case("TYPE-BOOLEAN", "inconclusive", claimed=True, exempt="X13")
IS_DARK = a_case("TYPE-DOUBLE", "inconclusive", claimed=True, exempt="X1")
IS_OFF = replace(CLAIMED, exempt="X4")
IN_THE_DARK = a_case("TYPE-DOUBLE", "inconclusive", BRIGHTNESS, claimed=True, exempt="X8")
IS_BUSY = replace(IS_LOCKED, exempt="X10")


def ending(run: RunFacts, case: CaseResult, **answers: str) -> Results:
    """A run of which a case was left open by a state, whose profile has some fields of [write]."""
    told = {f"write.{name}": text for name, text in answers.items()}
    return results_of(PASS, case, run=replace(run, answers=told))


# fmt: off
NEEDED = [
    ("not judged: of 2 cases 1 were judged, 1 not; 1 need write.allow to name ChildLock in full",
        results_of(PASS, omitted=[NOT_ALLOWED])),
    (f"…3 need write.allow to name ChildLock and {OVEN_SABBATH} and {FRIDGE_SABBATH} in full",
        results_of(PASS, omitted=[NOT_ALLOWED._replace(key=key) for key in LOCKS])),
    ("…14 not; 4 need --level write, 1 need write.allow to name ChildLock in full, 2 need answer.type, 1…",
        results_of(PASS, omitted=LACKING)),
    ("…, 1 need answer.min, and 2 further fields…", results_of(PASS, omitted=LACKING)),
    (f"conditional: 3 claimed cases are inconclusive because {'; '.join(STATED)}",
        results_of(PASS, IS_OFF, IS_LOCKED, IS_DARK, replace(UNSURE, exempt="X2"))),
    # what ends a state names nothing that the run had already
    (f"…({LIGHTS_ON}, or let a run do so, with --level write and Light.Internal.Power under write.allow)…",
        ending(RUN, IN_THE_DARK)),
    (f"…({LIGHTS_ON}, or let a run do so, with --level write)…", ending(RUN, IN_THE_DARK, allow='["*"]')),
    (f"…({LIGHTS_ON}, or let a run do so, with Light.Internal.Power under write.allow)…",
        ending(WRITTEN, IN_THE_DARK, allow='["*.Setting.Lighting"]')),
    (f"…({LIGHTS_ON})…", ending(WRITTEN, IN_THE_DARK, allow='["*.Light.*"]')),
    (f"…({LIGHTS_ON}, or let a run do so, with write.prepare = true)…",
        ending(WRITTEN, IN_THE_DARK, allow='["*"]', prepare="false")),
    ("…(switch it off, or let a run do so, with ChildLock in full under write.allow)…",
        ending(WRITTEN, IS_LOCKED, allow='["*"]')),
    ("…(switch it off)…", ending(WRITTEN, IS_LOCKED, allow=f'["{KEY}"]')),
    ("…(switch it on, or let a run do so, with --level power)…", ending(WRITTEN, IS_OFF, allow='["*"]')),
    ("…(end it, or let a run write all the same, with write.while_busy = true)…", ending(WRITTEN, IS_BUSY)),
    ("…(end it)…", ending(WRITTEN, IS_BUSY, while_busy="true")),
]
"""What was not judged, and the condition of a certificate."""
# fmt: on


@pytest.mark.parametrize(("expected", "results"), NEEDED)
def test_what_is_open_is_said_with_what_it_needs(expected: str, results: Results) -> None:
    """In a line, word for word; what stands between two … is a part."""
    told = "; ".join(filter(None, (not_judged_in_a_line(results), condition(results))))
    assert expected[1:-1] in told if expected.startswith("…") else told == expected


def test_no_file_says_what_a_fault_has_overtaken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk is full, what was made first says a verdict that does not hold any more."""
    written: list[Path] = []

    def write(results: Results, path: Path) -> None:
        written.append(path)
        if len(written) > 1:
            raise OSError(ENOSPC, "No space left on device")
        write_results(results, path)

    def no_room(*_: object) -> str:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(collector, "write_results", write)
    renderings = {**RENDERINGS, "report.html": no_room}
    monkeypatch.setattr(Collector, "renderings", renderings)
    ran = run_pytest(tmp_path, PASSES, "-p", "pytest_html.plugin")
    assert (ran.code, len(written)) == (5, 2)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["evidence.ndjson"]
