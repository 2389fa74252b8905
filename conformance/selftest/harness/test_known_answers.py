"""What was read since the last write is not read again, and the ledger says for whom it counts as well."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.checks.exchange import WRITES, Remark
from conformance.checks.groups import guard_group, probe_group, setting_group
from conformance.checks.known_reads import groups_of, known, read_of
from conformance.harness.writes.keeping.kept_batches import Batch, KeptBatches
from conformance.mutants import fleets
from conformance.records.ledger_lines import remark_of, renumbered
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.handmade import HA_ID, exchange

NOW, NEXT, LATER = setting_group(keys.CHILD_LOCK), guard_group(keys.CHILD_LOCK), probe_group(keys.DOOR_STATE)
OVEN = type("Oven", (Service,), {"fleet": (fleets.OVEN_ALARM,)})


def is_known(line: dict[str, Any], since: list[dict[str, Any]]) -> bool:
    """Whether a line is a read that was made before, by a procedure that writes."""
    return any(one["request"]["url"] == line["request"]["url"] for one in since)


def test_nothing_is_read_first_that_was_read_since_the_last_write(tmp_path: Path) -> None:
    """Each procedure begins with what the one before has read, as far as nothing was written in between."""
    run = run_of(OVEN(), tmp_path, "write")
    written, since, again = set[str](), list[dict[str, Any]](), list[int]()
    for line in run.requests(("set/", "guard/", "edge/")):
        if line["purpose"] in WRITES:
            written.update(line["groups"])
            since.clear()
        elif not written.intersection(line["groups"]) and is_known(line, since):
            again.append(line["n"])
        else:
            since.append(line)
    assert again == []
    assert [line for line in run.evidence if line["purpose"] == "known"]


def test_known_read_has_its_number_in_another_ledger() -> None:
    """Where exchanges get other numbers, so has a read that was known; else it has none."""
    remark = known((NOW, NEXT), HA_ID, replace(exchange(keys.CHILD_LOCK), n=7))
    assert [read_of(renumbered(remark, numbers)) for numbers in ({7: 107}, {})] == [107, 0]
    assert groups_of(renumbered(remark, {7: 107})) == (NOW, NEXT)


@pytest.mark.parametrize("note", [{}, {"read": "7"}, {"read": 7, "also": ["nothing/of/the/kind"]}])
def test_line_of_a_known_read_says_which_and_for_whom(note: dict[str, Any]) -> None:
    """A line that was altered is refused where it is read."""
    line = {"purpose": "known", "groups": [str(NOW)], "lane": HA_ID, "ha_id": HA_ID, "key": "*", "note": note}
    with pytest.raises(ValueError, match=r"nothing|read"):
        remark_of({**line, "at": "2026-01-01T00:00:00+00:00"})


@pytest.mark.parametrize(
    ("made", "kept"), [((NOW, NEXT, LATER), (NOW, NEXT, LATER)), ((NEXT, LATER), (LATER,))]
)
def test_what_began_with_a_read_of_a_batch_that_is_not_kept_is_made_again(
    made: tuple[Any, ...], kept: tuple[Any, ...]
) -> None:
    """So is what began with one of that."""
    read = replace(exchange(keys.CHILD_LOCK, purpose="repeat"), n=7, lane=HA_ID, groups=(NOW,))
    noted: list[Remark] = [known((NEXT,), HA_ID, read), *(Batch(HA_ID, (group,)).remark for group in made)]
    batches = KeptBatches([read], noted)
    assert [group for group in (NOW, NEXT, LATER) if batches.made(HA_ID, (group,))] == [*kept]
