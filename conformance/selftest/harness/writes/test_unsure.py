"""What was written and came otherwise than it should is made again until it is certain, or gone."""

from pathlib import Path

import pytest

from catalog.keys import ALARM_CLOCK, CHILD_LOCK
from conformance.mutants.fleets import OVEN_ALARM
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.writes import drops_where
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import Run, run_of


def written_to(kind: type[Service], out: Path, key: str = CHILD_LOCK) -> Run:
    """A run that writes one setting, which no other one is written beside."""
    lone = type("Lone", (kind,), {"fleet": (OVEN_ALARM.only(key),)})
    return run_of(lone(), out, "write", clauses={"SET-WRITABLE"})


def test_what_does_not_come_again_is_gone(tmp_path: Path) -> None:
    """The first write is lost, though nothing is written beside it: what is judged is the second try."""
    run = written_to(find_server("write-lost-once"), tmp_path)
    assert (run.said("SET-WRITABLE", CHILD_LOCK)[0], run.left) == ("pass", [])
    assert run.written(f"set/{CHILD_LOCK}/alone") == [("ChildLock", "True"), ("ChildLock", "False")]


@pytest.mark.parametrize(
    ("key", "alone"),
    [
        (CHILD_LOCK, [("ChildLock", "True"), ("ChildLock", "False")] * 2),
        (ALARM_CLOCK, [("AlarmClock", value) for value in ("38340", "19170", "0")] * 2),
    ],
    ids=["one contradiction a play", "two contradictions a play"],
)
def test_what_comes_again_is_certain(key: str, alone: list[tuple[str, str]], tmp_path: Path) -> None:
    """A setting of which no write has an effect is written again until that is a finding, and once more.

    Somebody else might have written it at the same time.
    """
    run = written_to(drops_where(lambda _its, name, _value: name == key), tmp_path, key)
    assert (run.said("SET-WRITABLE", key)[0], run.left) == ("fail", [])
    assert run.written(f"set/{key}/alone") == alone
