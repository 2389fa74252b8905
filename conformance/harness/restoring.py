"""Putting back what was written: after every procedure, after a run that was killed, and once more at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.checks.answer import Outcome
from conformance.checks.trace import ALARM_CLOCK, known_step, reads_back, same, settle_seconds
from conformance.checks.value_types import number
from conformance.checks.wording import is_number
from conformance.harness.procedures import read
from conformance.harness.requests import write
from conformance.harness.steps import Pause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conformance.checks.answer import Answer
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.journal import Debt
    from conformance.harness.steps import Procedure

_TRIES = 3


def put_back(views: Mapping[str, Seen], debts: Sequence[Debt], steps: Sequence[Debt], group: str) -> Procedure:
    """Writes back each debt that is still owed, in this order, and reads until it is there; what became of it is kept in the debt.

    Where one of them is refused, as a brightness is that another colour locks, the `steps` are gone back one by one first.
    """
    for debt in debts:
        yield from _paid(views[debt.ha_id], debt, group, 1 if steps else _TRIES)
    if steps and not all(debt.restored for debt in debts):
        for step in steps:
            yield from _paid(views[step.ha_id], step, group, 1)
        for debt in debts:
            yield from _paid(views[debt.ha_id], debt, group, _TRIES)


def _paid(seen: Seen, debt: Debt, group: str, tries: int) -> Part[None]:
    answer = yield from _look(seen, debt, group)
    debt.after = answer.value if debt.after is None and answer.has_value else debt.after
    for attempt in range(tries):
        if _is_back(seen, debt, answer, answer):
            break
        if attempt:
            yield Pause(seen.profile.retry_s)
        sent = yield replace(write(seen, "", debt.key, debt.before, debt.segment), purpose="restore", group=group)
        debt.tries += 1
        waited = 0.0
        answer = yield from _look(seen, debt, group)
        while sent.outcome is not Outcome.REFUSED and not _is_back(seen, debt, answer, sent) and waited < settle_seconds(seen, debt.key):
            yield Pause(seen.profile.timing.poll_s)
            waited += seen.profile.timing.poll_s
            answer = yield from _look(seen, debt, group)
    debt.now = answer.value if answer.has_value else None
    debt.restored = _is_back(seen, debt, answer, answer)
    debt.note = "" if debt.restored else "it could not be read" if not answer.has_value else f"after {debt.tries} writes"


def _look(seen: Seen, debt: Debt, group: str) -> Part[Answer]:
    """A read of what is owed, under the segment that serves it."""
    segments = seen.catalog.entries[debt.key].segments
    serving = next((segment for segment in segments if (known := seen.reads.get((segment, debt.key))) and known.has_value), segments[0])
    return (yield replace(read(seen, debt.key, serving, "-", "repeat"), group=group))


def _is_back(seen: Seen, debt: Debt, answer: Answer, written: Answer) -> bool:
    """Whether the old value is there again; an alarm clock has run on meanwhile."""
    if not answer.has_value:
        return False
    if same(answer.value, debt.before):
        return True
    entry = seen.catalog.entries[debt.key]
    if entry.key == ALARM_CLOCK and is_number(answer.value) and is_number(debt.before):
        return debt.tries > 0 and 0 <= number(answer.value) <= number(debt.before)
    return reads_back(entry, debt.before, answer, written, known_step(seen, entry, answer)) and debt.tries > 0
