"""Writes of allowed values to one setting, which must take effect and move nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from catalog.keys import TEMPERATURE_UNIT
from conformance.checks.groups import setting_group
from conformance.checks.reads.states import is_setpoint
from conformance.checks.writes.evaluating import TIMES
from conformance.checks.writes.neighbours import siblings_of, unrelated_to
from conformance.checks.writes.trace import same
from conformance.harness.reads.gets import reread
from conformance.harness.writes import choices

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic import JsonValue

    from catalog.model import Entry
    from conformance.checks.answer import Answer
    from conformance.checks.view import View
    from conformance.harness.steps import Ask, Procedure

from conformance.harness.writes.parts import ask_all, begin_writing, end_writing, write_until_read_back


def setting_writes(seen: View, entry: Entry, clauses: Collection[str], other: View | None) -> Procedure:
    """Writes allowed values of a setting, then the old one; reads its neighbours, also on `other`.

    `clauses` are those the run judges on this key: what none of them needs is not sent.
    """
    group = setting_group(entry.key)
    before = yield from begin_writing(seen, entry.key, group)
    if before is None:
        return
    watched = _watched(seen, entry, clauses, other)
    first = yield from ask_all(watched)
    values, moved = _values(seen, entry, before, clauses), False
    for value in values:
        yield from write_until_read_back(seen, entry, value, group)
        now = yield from ask_all(watched)
        if not _alike(first, now) and entry.key != TEMPERATURE_UNIT:
            moved = True
            for again in (before.value, value):
                yield from write_until_read_back(seen, entry, cast("JsonValue", again), group)
                yield from ask_all(watched)
    yield from write_until_read_back(seen, entry, cast("JsonValue", before.value), group)
    now = yield from ask_all(watched)
    if values and not moved and not _alike(first, now) and entry.key != TEMPERATURE_UNIT:
        # A neighbour that had the written value already is moved only by the value that is written back.
        for again in (values[-1], before.value):
            yield from write_until_read_back(seen, entry, cast("JsonValue", again), group)
            yield from ask_all(watched)
    yield from end_writing(seen, group)


def _values(seen: View, entry: Entry, before: Answer, clauses: Collection[str]) -> list[JsonValue]:
    ends = choices.ends(entry, before) if "RANGE-WRITE-BOUNDS" in clauses else []
    others = choices.other_values(seen, entry, before)
    if "SET-WRITABLE" not in clauses:
        # one is enough to show that writes have an effect at all; of a range, it is the middle
        others = others[-1:]
    return [*ends, *(value for value in others if not any(same(value, end) for end in ends))]


def _watched(seen: View, entry: Entry, clauses: Collection[str], other: View | None) -> list[Ask]:
    """The other keys that are read beside each write."""
    group = setting_group(entry.key)
    asks: list[Ask] = []
    if "SET-ONLY-TARGET" in clauses:
        asks += [reread(seen, key, group) for key in (*siblings_of(seen, entry), *unrelated_to(seen, entry))]
    if entry.key == TEMPERATURE_UNIT and "UNIT-TEMP-APPLIES" in clauses:
        setpoints = [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]
        asks += [reread(seen, key, group) for key in setpoints for _ in range(TIMES)]
    if other is not None and "ADDR-HAID-ISOLATION" in clauses:
        asks.append(reread(other, entry.key, group))
    return asks


def _alike(first: list[Answer], now: list[Answer]) -> bool:
    pairs = [pair for pair in zip(first, now, strict=False) if pair[0].has_value and pair[1].has_value]
    return all(same(before.value, after.value) for before, after in pairs)
