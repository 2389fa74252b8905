"""Writes that must have no effect: forbidden values of a setting, and any value of a status."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from catalog.keys import REMOTE_START
from conformance.checks.exempting import StateId
from conformance.checks.groups import guard_group, probe_group
from conformance.checks.reads.states import acting_state, write_exempting_state
from conformance.checks.writes.evaluating import TIMES
from conformance.checks.writes.trace import same, settle_seconds, with_reads
from conformance.harness.reads.gets import reread, shared_answers
from conformance.harness.steps import Pause
from conformance.harness.writes import choices
from conformance.harness.writes.requests import write

if TYPE_CHECKING:
    from collections.abc import Collection

    from pydantic import JsonValue

    from catalog.model import Entry
    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.view import View
    from conformance.harness.steps import Part, Procedure

from conformance.harness.writes.parts import (
    ask_all,
    begin_writing,
    end_writing,
    may_be_written,
    read_acting,
    read_controllers,
    read_until,
)

_LIGHT_STATES = frozenset({StateId.X1, StateId.X2, StateId.X3, StateId.X8})
"""The states in which what must have no effect is written all the same: they may refuse it, and excuse
nothing that is stored.

In the others nothing is written: somebody acts on the appliance, or it is protected, off, or cooling by a
mode.
"""
_QUIET = 3
_CYCLES = 3


def forbidden_writes(seen: View, entry: Entry, clauses: Collection[str], seed: str) -> Procedure:
    """Writes forbidden values to a setting, and reads it after each, and again when it has settled."""
    group = guard_group(entry.key)
    before = yield from begin_writing(seen, entry.key, group, despite=_LIGHT_STATES)
    if before is None:
        return
    values = choices.wrong_types(entry, before) if "SET-TYPEGUARD" in clauses else []
    values += choices.non_members(seen, entry, seed) if "SET-ENUMGUARD" in clauses else []
    values += choices.outside(seen, entry, before) if "RANGE-WRITE-OUT" in clauses else []
    for value in values:
        for _ in range(TIMES):
            yield write(seen, group, entry.key, value)
            answer = yield reread(seen, entry.key, group)
            if may_be_written(seen, entry, answer):
                break
            yield from read_until(seen, entry.key, group, lambda _: False)
    if values:
        yield Pause(settle_seconds(seen, entry.key))
        yield reread(seen, entry.key, group)
    # what the state is made of: a write must not have moved it unseen
    if write_exempting_state(seen, entry.key):
        yield from read_controllers(seen, [entry.key], group)
    yield from end_writing(seen, group)


def status_writes(seen: View, entry: Entry) -> Procedure:
    """Writes a status, which must have no effect; another value where the first seems to have one."""
    group = probe_group(entry.key)
    shown = next((answer for answer in shared_answers(seen, entry.key) if answer.has_value), None)
    if shown is None:
        return
    serving = shown.exchange.segment
    if acting_state(seen, entry.key):
        now = yield from read_acting(seen, group)
        if acting_state(with_reads(seen, now), entry.key):
            return
    reads = yield from _in_a_row(seen, entry.key, serving, group)
    if not all(answer.has_value and same(answer.value, reads[0].value) for answer in reads):
        return
    if entry.key == REMOTE_START:
        yield from _start_allowed(seen, group, reads[0])
        return
    first = choices.another_status(seen, entry, reads[0])
    second = choices.another_status(seen, entry, reads[0], [first])
    for segment in entry.segments:  # a contested status may be taken for a setting (line 149)
        for value in (first, reads[0].value if second is None else second):
            if value is None:
                continue
            yield write(seen, group, entry.key, cast("JsonValue", value), segment)
            last = yield from read_until(seen, entry.key, group, lambda _: False, serving)
            if not same(last.value, value):
                break


def _in_a_row(seen: View, key: str, segment: str, group: Group) -> Part[list[Answer]]:
    """Reads that must be equal for a status to be called quiet."""
    return (yield from ask_all([reread(seen, key, group, segment)] * _QUIET))


def _start_allowed(seen: View, group: Group, quiet: Answer) -> Part[None]:
    """Tries to enable RemoteControlStartAllowed (line 89); false is written only to come back from it."""
    if quiet.value is not False:
        return
    for segment in ("status", "settings"):  # a server may take any key where settings are written
        for _ in range(_CYCLES):
            yield write(seen, group, REMOTE_START, value=True, segment=segment)
            last = yield from read_until(seen, REMOTE_START, group, lambda _: False, "status")
            if last.value is not True:
                break
            yield write(seen, group, REMOTE_START, value=False, segment=segment)
            yield from read_until(seen, REMOTE_START, group, lambda answer: answer.value is False, "status")
