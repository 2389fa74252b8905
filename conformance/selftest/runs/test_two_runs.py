"""Two runs on one appliance that keep their locks in two places, their requests in any order."""

import json
import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from catalog.keys import ALARM_CLOCK
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.proof.outcomes import told_of
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.runs.judging import Judged
from conformance.selftest.support.judged_runs import judge_all, session_of
from conformance.selftest.support.ran import lines_of, moves_in
from conformance.selftest.support.side_by_side import SideBySide, shared

SEEDS = 5 * int(os.environ.get("MOMENTS", "1"))
"""How many orders of requests each test tries."""
ALONE = 440
"""Requests that one run makes alone, about; the second one begins within."""
Place = tuple[str, str]


class Two(Service):
    """A machine and an oven."""

    fleet = (MACHINE, TIMED_OVEN)


class RunBeside(NamedTuple):
    """What two runs found, and said, and what they left."""

    judged: Mapping[str, Mapping[str, Judged]]
    told: Collection[Place]
    found: Mapping[Place, Json]
    left: Mapping[Place, Json]
    evidence: Mapping[str, list[dict[str, Any]]]

    @property
    def red(self) -> list[str]:
        """The findings of both."""
        return [
            f"{name}: {case}: {one.message}"
            for name, cases in self.judged.items()
            for case, one in cases.items()
            if one.verdict in {"fail", "error"}
        ]

    @property
    def silent(self) -> list[Place]:
        """The settings that are left moved, and neither run says so; an alarm clock runs down."""
        moved = (place for place, value in self.found.items() if self.left[place] != value)
        return [place for place in moved if place not in self.told and place[1] != ALARM_CLOCK]

    def was_shown(self, place: Place) -> bool:
        """Whether one of the runs read of a setting what it had neither read before nor written itself."""
        return any(_has_moved(lines, place) for lines in self.evidence.values())


def two_runs(seed: int, directory: Path) -> RunBeside:
    """Two runs at level power; the second one begins while the first one reads or writes."""
    beside = SideBySide(seed)
    judged: dict[str, Mapping[str, Judged]] = {}
    told = set[Place]()
    service = shared(Two, beside)
    found = service.settings()

    def run(name: str) -> None:
        with session_of(service, directory / name, "power", clock=beside.clock) as session:
            judged[name] = judge_all(session)
            told.update(told_of(session.finish(), directory / name))
        told.update(moves_in(lines_of(directory / name / JOURNAL_FILE)))

    begins = int(beside.draw.uniform(0.2, 1.0) * ALONE)
    beside.run([(0, lambda: run("first")), (begins, lambda: run("second"))])
    evidence = {name: lines_of(directory / name / LEDGER_FILE) for name in judged}
    return RunBeside(judged, told, found, service.settings(), evidence)


def _has_moved(lines: list[dict[str, Any]], place: Place) -> bool:
    """Whether a run has read of a setting what it had neither read before nor written since."""
    known: list[Json] = []
    for line in lines:
        if "request" not in line or (line["ha_id"], line["key"]) != place:
            continue
        is_taken = line["response"]["status"] < 300
        if line["purpose"] in {"write", "restore"}:
            known = [line["value"]] if is_taken else known
        elif is_taken:
            value = json.loads(line["response"]["body"])["data"]["value"]
            if known and known != [value]:
                return True
            known = [value]
    return False


@pytest.mark.parametrize("seed", range(SEEDS))
def test_two_runs_leave_what_they_found_or_say_so(seed: int, tmp_path: Path) -> None:
    """Neither convicts a server that conforms, and what is left moved is said, if it was shown to either.

    A run that begins while another one holds a value, and meets the same value whenever it looks, finds and
    leaves that; the other one has written the same value itself, and reads what it has written.
    """
    ran = two_runs(seed, tmp_path)
    assert (ran.red, [place for place in ran.silent if ran.was_shown(place)]) == ([], [])
