"""How a case is judged, what is asked again before a finding stands, and what a run is called."""

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, DOSING_1, INACTIVE, LIQUID_UNIT, OPERATION_STATE
from conformance.cases import check_of
from conformance.checks.exchange import Exchange
from conformance.checks.groups import Group, ProcedureKind, setting_group
from conformance.mutants.registry import find_server, load_mutants
from conformance.proof import own_time
from conformance.runs.certainty import held_when_asked_again
from conformance.runs.identity import judging_digest, judging_files
from conformance.runs.judging import judge
from conformance.selftest.support.judged_runs import begin, run_of, session_of
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    case_of,
    numbered,
    profile_of,
    ruling,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import LOCK, attempt, procedure, read

WRONG, RIGHT = value(LOCK, "yes"), value(LOCK, shown=True)
FRESH = Group(ProcedureKind.AGAIN, f"settings/{LOCK}")
TRUE, FALSE = True, False  # as values, not as switches
FOUND_BY_READING = ("unit-by-its-own-key", "range-perapp-value-above")
"""Mutants of which level read shows a fault in settings that are read again beside later writes."""


def on(exchange: Exchange, connection: int, surplus_bytes: int = 0) -> Exchange:
    """An exchange on a connection, with bytes after its answer."""
    response = exchange.response and replace(
        exchange.response, connection=connection, surplus_bytes=surplus_bytes
    )
    return replace(exchange, response=response)


def again(exchange: Exchange) -> Exchange:
    """The same on a connection of its own."""
    return on(replace(exchange, groups=(FRESH,), purpose="repeat"), 9)


READS: dict[str, tuple[list[Exchange], str, str]] = {
    "said again": ([on(WRONG, 1), again(WRONG)], "fail", "document says Boolean"),
    "not said again": (
        [on(WRONG, 1), again(RIGHT)],
        "inconclusive",
        "not so when it was read again on a connection of its own",
    ),
    "not said again, after surplus bytes": (
        [on(WRONG, 1, 7), again(RIGHT)],
        "inconclusive",
        "surplus bytes followed 1 of 2 answers",
    ),
    "said again, after surplus bytes": ([on(WRONG, 1, 7), again(WRONG)], "fail", ""),
    "not read again": ([on(WRONG, 1)], "fail", ""),
    "not read again, with surplus bytes": (
        [on(WRONG, 1, 7)],
        "inconclusive",
        "not read again on a connection of its own",
    ),
}


@pytest.mark.parametrize("name", READS)
def test_finding_of_a_shared_read(name: str) -> None:
    """What a fresh connection says decides; without one, whether bytes were left over anywhere in the run."""
    exchanges, verdict, says = READS[name]
    first = ruling("TYPE-BOOLEAN", LOCK, seen_of(profile_of(), *exchanges))
    result = held_when_asked_again(first, check_of(first.case), numbered(exchanges))
    assert (result.verdict, says in result.message) == (verdict, True), result.message


def test_finding_that_came_again_needs_no_look_through_the_run() -> None:
    """A large fleet has a hundred thousand exchanges, and may have a thousand findings."""
    exchanges = numbered([on(WRONG, 1), again(WRONG)])
    first = ruling("TYPE-BOOLEAN", LOCK, seen_of(profile_of(), *exchanges))
    assert held_when_asked_again(first, check_of(first.case), Mock(spec=list)).verdict == "fail"


@pytest.mark.parametrize(
    ("earlier", "surplus", "verdict"),
    [(0, 0, "fail"), (0, 7, "fail"), (1, 0, "fail"), (1, 7, "inconclusive")],
)
def test_finding_of_a_write(earlier: int, surplus: int, verdict: str) -> None:
    """A read after a write shows nothing where bytes followed an earlier answer of its connection."""
    steps = [read(LOCK, shown=False), *attempt(LOCK, TRUE, FALSE, FALSE) * 2]
    exchanges = [value(LOCK, shown=False), *procedure(setting_group(LOCK), *steps)]
    exchanges = [on(exchange, 1 if earlier else number, surplus) for number, exchange in enumerate(exchanges)]
    first = ruling("SET-WRITABLE", LOCK, seen_of(profile_of(), *exchanges))
    assert first.verdict == "fail"
    assert held_when_asked_again(first, check_of(first.case), numbered(exchanges)).verdict == verdict


@pytest.mark.parametrize("name", FOUND_BY_READING)
def test_finding_of_reading_stands_at_write(tmp_path: Path, name: str) -> None:
    """What is written and read later takes nothing from a finding that was certain when all was read."""
    mutant = next(one for one in load_mutants() if one.name == name)
    found, later = (
        run_of(mutant.service(), tmp_path / level, level, knowledge="full") for level in ("read", "write")
    )
    certain = {case: said for case, said in found.verdicts.items() if said[0] == "fail"}
    assert certain
    assert {case: later.verdicts[case] for case in certain} == certain


def test_slow_machine_convicts_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one request takes longer than an effect may, a value that the first two reads do not show yet is
    looked for all the same.
    """
    monkeypatch.setattr(own_time, "_REQUEST_S", 0.6)
    ran = run_of(find_server("reads-lag-behind")(), tmp_path, "write", clauses={"SET-WRITABLE"})
    assert (ran.red(), ran.finding("SET-WRITABLE", ALARM_CLOCK)[0]) == (set(), "pass")


# How a case is judged, and what a run is called.
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


@pytest.mark.parametrize(
    ("name", "phases"),
    [("unit-by-its-own-key", ["finding", "writing"]), ("acknowledged-and-dropped", ["writing", "finding"])],
)
def test_finding_is_told_once_it_is_certain(name: str, phases: list[str], tmp_path: Path) -> None:
    """What reads show before anything is written, what writes show as soon as they do, each clause once."""
    (mutant,) = (one for one in load_mutants() if one.name == name)
    told: list[tuple[str, str]] = []

    def writing(_lanes: Mapping[str, int]) -> nullcontext[Mock]:
        told.append(("writing", ""))
        return nullcontext(Mock())

    def finding(words: str) -> None:
        told.append(("finding", words))

    with session_of(mutant.service(), tmp_path, "write") as session:
        begin(session)
        session.write(Mock(writing=writing, finding=finding))
    assert [phase for phase, _ in told] == phases
    assert any(words.startswith(f"{mutant.clause}::") for _, words in told)


def test_long_message_is_cut() -> None:
    """A finding that quotes a megabyte of a body does not fill every report with it."""
    seen = seen_of(profile_of(), value(ANCHOR, 5))
    found = ruling("READ-SETTING", ANCHOR, seen, check=lambda _case, _seen: "x" * 1_000_000)
    assert found.message == f"{'x' * 10_000}..."
