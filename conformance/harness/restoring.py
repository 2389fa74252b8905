"""Putting back what was written: after every procedure, after a run that was killed, and once more at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from catalog.maker import without_maker
from conformance.checks.answer import Outcome
from conformance.checks.states import SWITCHES
from conformance.checks.trace import ALARM_CLOCK, known_step, reads_back, same, settle_seconds
from conformance.checks.value_types import number
from conformance.checks.wording import is_number
from conformance.harness.choices import allowed_values
from conformance.harness.journal import Debt
from conformance.harness.procedures import read
from conformance.harness.requests import write
from conformance.harness.steps import Pause

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.steps import Ask, Procedure

_TRIES = 3


def put_back(views: Mapping[str, Seen], debts: list[Debt], group: Group) -> Procedure:
    """Writes back each debt that is still owed, in this order, and reads until it is there; what became of it is kept in the debt.

    What is refused may hang on another debt, as a setpoint hangs on a mode, or be locked by a rule (lines 65, 68, 70): it is
    tried again when the others are paid, and then with the lock opened for a moment, which is one more debt.
    """
    debts.sort(key=_darkens)
    for debt in debts:
        if not _darkens(debt):
            yield from _paid(views[debt.ha_id], debt, group, 1)
    for debt in tuple(debts):
        if not debt.restored and not _darkens(debt):
            lock = yield from _unlocked(views[debt.ha_id], debt, group)
            if lock is not None and (lock.ha_id, lock.key) not in {(known.ha_id, known.key) for known in debts}:
                debts.append(lock)
    written = sum(debt.tries for debt in debts)
    for debt in debts:
        yield from _paid(views[debt.ha_id], debt, group, _TRIES)
    if sum(debt.tries for debt in debts) > written:  # what was put back last may have moved what was back before
        for debt in debts:
            yield from _paid(views[debt.ha_id], debt, group, 0)


def _unlocked(seen: Seen, debt: Debt, group: Group) -> Part[Debt | None]:
    """Pays a debt under a value of its controller that lets it be written, and puts the controller back; what became of that."""
    rule = next((rule for rule in seen.catalog.rules if debt.key in rule.subjects and rule.effect != "keeps"), None)
    if rule is None or not seen.profile.may_write(rule.controller) or seen.value(rule.controller) is None:
        return None
    now = yield read(seen, rule.controller, "settings", group, "repeat")
    values = allowed_values(seen, seen.catalog.entries[rule.controller], now)
    named = [value for value in values if without_maker(str(value), seen.maker) in rule.values]
    opening = named if rule.effect == "only_while" else [value for value in values if value not in named]
    closing = [value for value in values if value not in opening]
    if not opening or not closing:
        return None
    lock = Debt(debt.ha_id, "settings", rule.controller, opening[0])
    if now.value in opening:  # it should have been taken: the lock is closed and opened anew
        yield from _paid(seen, replace(lock, before=closing[0]), group, 1)
    yield from _paid(seen, lock, group, 1)
    yield from _paid(seen, debt, group, 1)
    closed = Debt(debt.ha_id, "settings", rule.controller, cast("JsonValue", now.value))
    yield from _paid(seen, closed, group, _TRIES)
    return closed


def keep(promised: Sequence[Ask], broken: list[str]) -> Procedure:
    """Makes the requests a procedure promised for its end, each until it is taken; those that are not are `broken`, a line each."""
    for ask in promised:
        answer = yield ask
        for _ in range(_TRIES - 1):
            if not answer.is_acknowledged:
                answer = yield ask
        if not answer.is_acknowledged:
            broken.append(f"{ask.ha_id} {ask.key}: the hook that puts it back answered {answer.words}")


def _paid(seen: Seen, debt: Debt, group: Group, tries: int) -> Part[None]:
    answer = yield from _look(seen, debt, group)
    debt.after = answer.value if debt.after is None and answer.has_value else debt.after
    for attempt in range(tries):
        if _is_back(seen, debt, answer, answer):
            break
        if attempt:
            yield Pause(seen.profile.retry_s)
        segment = debt.segment if attempt % 2 == 0 else _other_segment(debt)
        sent = yield replace(write(seen, group, debt.key, debt.before, segment), purpose="restore")
        debt.tries += 1
        answer = yield from _look(seen, debt, group)
        settle_s = settle_seconds(seen, debt.key)
        while sent.outcome is not Outcome.REFUSED and not _is_back(seen, debt, answer, sent) and answer.began - sent.began < settle_s:
            yield Pause(seen.profile.timing.poll_s)
            answer = yield from _look(seen, debt, group)
    debt.now = answer.value if answer.has_value else None
    debt.restored = _is_back(seen, debt, answer, answer)
    debt.note = "" if answer.has_value else "it could not be read"


def _darkens(debt: Debt) -> bool:
    """Whether to pay a debt switches a light off, after which what belongs to the light may be refused (X8): that comes last."""
    return debt.key in SWITCHES and debt.before is False


def _other_segment(debt: Debt) -> str:
    """The segment under which a status may have taken what its own did not (line 149); a setting has but one."""
    return "settings" if debt.segment == "status" else "status" if ".Status." in debt.key else debt.segment


def _look(seen: Seen, debt: Debt, group: Group) -> Part[Answer]:
    """A read of what is owed, under the segment that serves it; made again where it met an error, which says nothing of the value."""
    segments = seen.catalog.entries[debt.key].segments
    serving = next((segment for segment in segments if (known := seen.reads.get((segment, debt.key))) and known.has_value), segments[0])
    ask = read(seen, debt.key, serving, group, "repeat")
    answer = yield ask
    for _ in range(_TRIES - 1):
        if answer.is_error:
            answer = yield ask
    return answer


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
