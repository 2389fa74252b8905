"""How a case is judged, what a run is called, and what is owed at its end."""

import pytest

from catalog import keys
from catalog.keys import (
    ALARM_CLOCK,
    CHILD_LOCK,
    DOSING_1,
    INACTIVE,
    LIQUID_UNIT,
    OPERATION_STATE,
)
from conformance.mutants.registry import load_mutants
from conformance.runs.identity import judging_digest, judging_files
from conformance.runs.judging import judge
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import ANCHOR, case_of, profile_of, seen_of, value

PROFILE = profile_of()
READ = value(ANCHOR, 5)


@pytest.mark.parametrize(
    ("clause", "key", "document"),
    [
        (
            "RANGE-COMMON-ADVERTISED",
            ALARM_CLOCK,
            f"line 41: {ALARM_CLOCK} | Integer | 0 to 38340 seconds | Se",
        ),
        (
            "RANGE-WRITE-OUT",
            DOSING_1,
            "line 23: possible values | enumeration keys, true/false, or a numeric",
        ),
        (
            "TYPE-BOOLEAN",
            CHILD_LOCK,
            f"line 40: {CHILD_LOCK} | Boolean | true if enabled, false otherwise | Ch",
        ),
        ("OPT-UNITS", LIQUID_UNIT, "line 39: Not supported by all appliances."),
        ("OPS-INACTIVE", OPERATION_STATE, f"line 113: Inactive | {INACTIVE} | Switched off or in standby"),
    ],
)
def test_sentence_stands_on_the_line_that_is_named(clause: str, key: str, document: str) -> None:
    """The row of the key, where its words decide; else the line of the clause."""
    seen = seen_of(PROFILE, READ)
    assert judge(lambda _case, _seen: None, case_of(clause, key, seen), seen).document.startswith(document)


# The digest of the judging covers what turns a ledger into results, and nothing that only shows them.
FILES = judging_files()
DECIDES = [
    *("catalog/loader.py", "catalog/data/clauses.toml", "conformance/cases.py", "conformance/test_ranges.py"),
    *("conformance/harness/answers/decoding.py", "conformance/checks/reads/support.py"),
    *("reports/results/build.py", "reports/certificate.py"),
]
DECIDES_NOTHING = [
    *("conformance/reference", "conformance/mutants", "conformance/selftest", "conformance/commands"),
    *("reports/page", "reports/history", "reports/formats"),
]


def test_what_decides_is_covered() -> None:
    """Catalog, profiles, decoding, checks, cases and results have a part in the digest."""
    assert {*DECIDES} - {*FILES} == set()


def test_what_decides_nothing_is_not_covered() -> None:
    """A change of the reference, a mutant, a command or a page leaves the digest as it is."""
    assert [name for name in FILES if name.startswith(tuple(DECIDES_NOTHING))] == []


def test_another_byte_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest changes with any byte of any of the files, without a new version."""
    before = judging_digest()
    judging_digest.cache_clear()
    monkeypatch.setattr(
        "conformance.runs.identity.judging_files",
        lambda: {**FILES, "conformance/cases.py": FILES["conformance/checks/case.py"]},
    )
    try:
        assert judging_digest() != before
    finally:
        judging_digest.cache_clear()


# What could not be put back ends the writes that may move it, and no other judgement.
@pytest.fixture(scope="module")
def stuck(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A coffee maker whose CupWarmer is found off, can be switched on, and never off again."""
    service = next(one.service for one in load_mutants() if one.name == "cup-warmer-never-off-again")
    return run_of(service(), tmp_path_factory.mktemp("stuck"), "write")


def test_tries_to_put_back_are_tries(stuck: Run) -> None:
    """What was acknowledged and had no effect is a finding, and stands beside what was not put back."""
    verdict, finding = stuck.said("SET-WRITABLE", keys.CUP_WARMER)
    assert (verdict, "still true" in finding, len(stuck.left)) == ("fail", True, 1)


@pytest.mark.parametrize(
    ("clause", "key"), [("SET-ENUMGUARD", keys.LIQUID_UNIT), ("STA-READONLY", keys.COFFEE_COUNT)]
)
def test_what_nothing_ties_to_it_is_written_all_the_same(stuck: Run, clause: str, key: str) -> None:
    """Later writes of other keys are made and judged."""
    assert stuck.said(clause, f"{key}@")[0] == "pass"


def test_what_may_move_it_is_not_written(stuck: Run) -> None:
    """A case of the key itself, or of a lock, that is made later says what was not put back."""
    for key in (keys.CUP_WARMER, keys.CHILD_LOCK):
        verdict, reason = stuck.said("SET-TYPEGUARD", key)
        assert (verdict, "CupWarmer is written" in reason) == ("inconclusive", True)
