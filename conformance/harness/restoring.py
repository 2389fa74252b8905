"""Putting back what was written: after every procedure, after a run that was killed, and once more at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from catalog.maker import without_maker
from conformance.checks.answer import Outcome
from conformance.checks.seen import POWER_STATE
from conformance.checks.states import SWITCHES, exempting_state
from conformance.checks.trace import ALARM_CLOCK, known_step, overlaid, reads_back, same, settle_seconds
from conformance.checks.value_types import number
from conformance.checks.wording import is_number
from conformance.harness.choices import allowed_values
from conformance.harness.guarded import controllers
from conformance.harness.journal import Debt
from conformance.harness.procedures import read
from conformance.harness.requests import write
from conformance.harness.steps import Pause

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import JsonValue

    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.guarded import Part
    from conformance.harness.steps import Ask, Procedure

_TRIES = 3


def put_back(views: Mapping[str, Seen], debts: list[Debt], group: Group) -> Procedure:
    """Writes back each debt that is still owed, and reads until it is there; what became of it is kept in the debt.

    Each value is put back in a state in which it can be written and read: before the color, the light or the power state is put back
    under which it can not be (lines 65, 68, 70, X4, X8). Where that state has to be made first, its key is one more debt.
    What was refused may depend on another debt, as a setpoint does on a mode: it is tried again after the others.
    """
    yield from _round(views, debts, group, 1)
    written = sum(debt.tries for debt in debts)
    yield from _round(views, debts, group, _TRIES)
    if sum(debt.tries for debt in debts) > written:  # what was put back last may have moved what was back before
        yield from _round(views, debts, group, 0)


def _round(views: Mapping[str, Seen], debts: list[Debt], group: Group, tries: int) -> Part[None]:
    """Looks at every debt, in the order in which they can be put back, and makes so many tries to put back what is not."""
    done: list[Debt] = []
    while waiting := [debt for debt in debts if debt not in done]:
        debt = min(waiting, key=lambda debt: _turn(views[debt.ha_id], debt))
        done.append(debt)
        yield from _put_one_back(views[debt.ha_id], debt, debts, group, tries)


def _turn(seen: Seen, debt: Debt) -> int:
    """When a debt is put back: what lets others be written first, what may hide them last."""
    switches = debt.key in SWITCHES or debt.key == POWER_STATE
    if switches:
        opens = debt.before is True or without_maker(str(debt.before), seen.maker).endswith(".PowerState.On")
        return 0 if opens else 3
    return 2 if any(debt.key == rule.controller and rule.effect != "keeps" for rule in seen.catalog.rules) else 1


def _put_one_back(seen: Seen, debt: Debt, debts: list[Debt], group: Group, tries: int) -> Part[None]:
    answer = yield from _look(seen, debt, group)
    if debt.restored and not answer.has_value and (yield from _is_hidden(seen, debt, group)):
        return  # it was read as it should be, before what hides it was put back
    if tries and not _is_back(seen, debt, answer, answer):
        yield from _made_writable(seen, debt, debts, group)
    yield from _paid(seen, debt, group, tries)


def _is_hidden(seen: Seen, debt: Debt, group: Group) -> Part[bool]:
    """Whether a state of the appliance may keep a key from being read now."""
    shown = yield from controllers(seen, [debt.key], group)
    return exempting_state(overlaid(seen, shown), debt.key) is not None


def _made_writable(seen: Seen, debt: Debt, debts: list[Debt], group: Group) -> Part[None]:
    """Gives what keeps a key from being written a value under which it can be, as far as that may be written; it is one more debt."""
    for key, opening, closing in _keys_that_lock(seen, debt, debts):
        now = yield read(seen, key, "settings", group, "repeat")
        open_already = now.value in opening
        if not now.has_value or (open_already and not (debt.tries and closing)):
            continue
        if (debt.ha_id, key) not in {(known.ha_id, known.key) for known in debts}:
            debts.append(Debt(debt.ha_id, "settings", key, cast("JsonValue", now.value)))
        if open_already:  # the key should have been taken: it is locked, and opened anew
            yield from _paid(seen, Debt(debt.ha_id, "settings", key, closing[0]), group, 1)
        yield from _paid(seen, Debt(debt.ha_id, "settings", key, opening[0]), group, 1)


def _keys_that_lock(seen: Seen, debt: Debt, debts: Sequence[Debt]) -> Iterator[tuple[str, list[JsonValue], list[JsonValue]]]:
    """The keys that may keep this one from being written, each with its values under which it can be, and those under which it can not.

    What is to be put back anyway stands first among them.
    """
    for switch in (switch for switch, keys in SWITCHES.items() if debt.key in keys and _may_move(seen, switch)):
        yield switch, [True], []
    for rule in (rule for rule in seen.catalog.rules if debt.key in rule.subjects and rule.effect != "keeps"):
        answer = seen.read(rule.controller)
        if answer is None or not _may_move(seen, rule.controller):
            continue
        wanted = [known.before for known in debts if (known.ha_id, known.key) == (debt.ha_id, rule.controller)]
        values = [*wanted, *allowed_values(seen, seen.catalog.entries[rule.controller], answer)]
        named = [value for value in values if without_maker(str(value), seen.maker) in rule.values]
        others = [value for value in values if value not in named]
        opening, closing = (named, others) if rule.effect == "only_while" else (others, named)
        if opening:
            yield rule.controller, opening, closing


def _may_move(seen: Seen, key: str) -> bool:
    return key in seen.tried and seen.profile.may_write(key)


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
