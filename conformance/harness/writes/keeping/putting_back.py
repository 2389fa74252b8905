"""Puts back what was written: after a procedure, after a run that was killed, and at the end.

A restore is always made, whatever state the appliance is in, and its proof is what can be read afterwards.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from msgspec.structs import replace
from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK, OFF, ON, POWER_STATE
from catalog.maker import with_maker, without_maker
from conformance.checks.answer import Answer, Outcome
from conformance.checks.groups import Group
from conformance.checks.traces.trace import reads_back
from conformance.checks.view import View, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask, Part, Pause, Procedure
from conformance.harness.writes.keeping.owed import Debt
from conformance.harness.writes.procedures.parts import read_controllers, read_until
from conformance.harness.writes.procedures.requests import write
from conformance.model.json_values import is_number, number, same
from conformance.model.state_table import SWITCHES
from conformance.model.states import exempting_state
from conformance.profiles.keeping import holds_secret

_TRIES = 3
_LAST = 4


def put_back(views: Mapping[str, View], debts: list[Debt], group: Group) -> Procedure:
    """Writes back each debt that is still owed, until it reads back; the debt then says what became of it.

    Each value is put back in a state in which it can be written and read: before the color, the light or the
    power state is put back under which it can not be (lines 65, 68, 70, X4, X8). Where that state has to be
    made first, its key is one more debt. What was refused may depend on another debt, as a setpoint does on a
    mode: it is tried again after the others. What was owed for a prepared state is put back in the order of
    the debts, the last write first.

    A debt that is `restored` from the beginning was read since the last write, and is looked at only where
    another one has to be written.
    """
    yield from _round(views, debts, group, 1, done=[debt for debt in debts if debt.restored])
    for debt in debts:
        yield from _doubted(views[debt.ha_id], debt, group)
    written = sum(debt.tries for debt in debts)
    if not written and all(debt.restored for debt in debts):
        return
    yield from _round(views, debts, group, _TRIES)
    # what was put back last may have moved what was back before
    if sum(debt.tries for debt in debts) > written:
        yield from _round(views, debts, group, 0)


def _round(
    views: Mapping[str, View], debts: list[Debt], group: Group, tries: int, done: Sequence[Debt] = ()
) -> Part[None]:
    """Looks at every debt in turn that is not `done`, and makes at most `tries` writes to put it back."""
    done = list(done)
    while waiting := [debt for debt in debts if debt not in done]:
        debt = min(waiting, key=lambda debt: _turn(views[debt.ha_id], debt))
        done.append(debt)
        yield from _put_one_back(views[debt.ha_id], debt, debts, group, tries)


def _turn(seen: View, debt: Debt) -> int:
    """When a debt is put back: what lets others be written first, what may hide them last."""
    if debt.prepared:
        return _LAST
    switches = debt.key in SWITCHES or debt.key == POWER_STATE
    if switches:
        opens = debt.before is True or without_maker(str(debt.before), seen.maker).endswith(".PowerState.On")
        return 0 if opens else 3
    return 2 if any(debt.key == rule.controller and rule.may_lock for rule in seen.catalog.rules) else 1


def _put_one_back(seen: View, debt: Debt, debts: list[Debt], group: Group, tries: int) -> Part[None]:
    answer = yield from _look(seen, debt, group)
    if answer.has_value:
        debt.learn_anew(cast("JsonValue", answer.value))
    if debt.restored and (yield from _is_hidden(seen, debt, answer, group)):
        return  # it was read as it should be, before what hides it was put back
    if holds_secret(debt.before):  # it is kept nowhere: only the appliance itself can bring it back
        tries = 0
    if tries and not _is_back(seen, debt, answer, answer):
        yield from _made_writable(seen, debt, debts, group)
        answer = yield from _look(seen, debt, group)
    if tries and debt.key == POWER_STATE and without_maker(str(answer.value), seen.maker) == OFF:
        # no line leads from Off anywhere but to On (lines 129 to 133)
        on = with_maker(ON, seen.maker)
        if not same(debt.before, on) and not _is_back(seen, debt, answer, answer):
            yield from _restore_value(seen, Debt(debt.ha_id, debt.segment, debt.key, on), group, answer)
            answer = yield from _look(seen, debt, group)
    yield from _restore_value(seen, debt, group, answer, tries)


def _doubted(seen: View, debt: Debt, group: Group) -> Part[None]:
    """Takes back what a debt has learned anew, unless the setting is locked again and shows that.

    A write that was refused may have moved it all the same. A status has moved by itself.
    """
    if debt.locked is not None and ".Setting." in debt.key:
        answer = yield from _look(seen, debt, group)
        if answer.has_value and not same(answer.value, debt.locked):
            debt.before, debt.refused, debt.restored = cast("JsonValue", debt.locked), None, False


def _is_hidden(seen: View, debt: Debt, answer: Answer, group: Group) -> Part[bool]:
    """Whether a state of the appliance may keep a key from being read now, or shows another value of it."""
    if answer.has_value:
        return debt.locked is not None and same(answer.value, debt.locked)
    shown = yield from read_controllers(seen, [debt.key], group)
    return exempting_state(with_reads(seen, shown), debt.key) is not None


def _made_writable(seen: View, debt: Debt, debts: list[Debt], group: Group) -> Part[None]:
    """Gives the keys that lock this one a value under which it can be written; each is one more debt."""
    for key, opening, closing in _keys_that_lock(seen, debt, debts):
        now = yield reread(seen, key, group)
        open_already = now.value in opening
        if not now.has_value or (open_already and not (debt.tries and closing)):
            continue
        if (debt.ha_id, key) not in {known.place for known in debts}:
            found = cast("JsonValue", now.value)
            debts.append(Debt(debt.ha_id, "settings", key, found, prepared=debt.prepared))
        if open_already:  # the key should have been taken: it is locked, and opened anew
            yield from _restore_value(seen, Debt(debt.ha_id, "settings", key, closing[0]), group, now)
            now = yield reread(seen, key, group)
        yield from _restore_value(seen, Debt(debt.ha_id, "settings", key, opening[0]), group, now)


def _keys_that_lock(
    seen: View, debt: Debt, debts: Sequence[Debt]
) -> Iterator[tuple[str, list[JsonValue], list[JsonValue]]]:
    """The keys that may lock this one, each with the values that open it and those that close it.

    What is to be put back anyway stands first among them.
    """
    for switch in (
        switch for switch, keys in SWITCHES.items() if debt.key in keys and _may_move(seen, switch)
    ):
        yield switch, [True], []
    for rule in (rule for rule in seen.catalog.rules if debt.key in rule.subjects and rule.may_lock):
        answer = seen.read(rule.controller)
        if answer is None or not _may_move(seen, rule.controller):
            continue
        wanted = [known.before for known in debts if known.place == (debt.ha_id, rule.controller)]
        values = [*wanted, *seen.values(rule.controller, answer).choices]
        named = [value for value in values if without_maker(str(value), seen.maker) in rule.values]
        others = [value for value in values if value not in named]
        opening, closing = (others, named) if rule.locks(named=True) else (named, others)
        if opening:
            yield rule.controller, opening, closing


def _may_move(seen: View, key: str) -> bool:
    return key in seen.tried and seen.profile.may_write(key)


def make_cleanups(cleanups: Sequence[Ask], broken: list[str]) -> Procedure:
    """Makes the requests for the end of a procedure, three times at most; `broken` gets those that failed."""
    for ask in cleanups:
        answer = yield ask
        for _ in range(_TRIES - 1):
            if not answer.is_acknowledged:
                answer = yield ask
        if not answer.is_acknowledged:
            broken.append(f"{ask.ha_id} {ask.key}: the hook that puts it back answered {answer.words}")


def _restore_value(seen: View, debt: Debt, group: Group, answer: Answer, tries: int = 1) -> Part[None]:
    """Writes a value back, at most so often, until it is there; `answer` shows the one that is there now."""
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
        if sent.outcome is not Outcome.REFUSED and not _is_back(seen, debt, answer, sent):
            is_back = partial(_is_back, seen, debt, written=sent)
            answer = yield from read_until(seen, debt.key, group, is_back, answer.exchange.segment)
    debt.now = answer.value if answer.has_value else None
    debt.restored = _is_back(seen, debt, answer, answer)
    debt.note = "" if answer.has_value else "it could not be read"


def _other_segment(debt: Debt) -> str:
    """The other segment where a status may have taken a write (line 149); a setting has but one."""
    return "settings" if debt.segment == "status" else "status" if ".Status." in debt.key else debt.segment


def _look(seen: View, debt: Debt, group: Group) -> Part[Answer]:
    """Reads what is owed, under the segment that serves it, and again after an error."""
    segments = seen.catalog.entries[debt.key].segments
    known = ((segment, seen.reads.get((segment, debt.key))) for segment in segments)
    serving = next((segment for segment, answer in known if answer and answer.has_value), segments[0])
    ask = reread(seen, debt.key, group, serving)
    answer = yield ask
    for _ in range(_TRIES - 1):
        if answer.is_error:
            answer = yield ask
    return answer


def _is_back(seen: View, debt: Debt, answer: Answer, written: Answer) -> bool:
    """Whether the old value is there again; an alarm clock has run on meanwhile."""
    if not answer.has_value:
        return False
    if same(answer.value, debt.before) or (debt.found is not None and same(answer.value, debt.found)):
        return True
    entry = seen.catalog.entries[debt.key]
    if entry.key == ALARM_CLOCK and is_number(answer.value) and is_number(debt.before):
        return debt.tries > 0 and 0 <= number(answer.value) <= number(debt.before)
    return reads_back(seen.values(debt.key, answer), debt.before, answer, written) and debt.tries > 0
