"""Guarded writes: a premise that is read first, a write, reads until it settles, and the old value again.

What has to be put back is not the business of these procedures: whoever runs them does that, however they end.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias, TypeVar, cast

from conformance.checks.answer import Outcome
from conformance.checks.enumerations import allowed
from conformance.checks.exchange import WRITES
from conformance.checks.exempting import StateId
from conformance.checks.neighbours import siblings_of, unrelated_to
from conformance.checks.seen import OPERATION_STATE, POWER_STATE, TEMPERATURE_UNIT
from conformance.checks.states import (
    LOCAL_CONTROL,
    REMOTE_CONTROL,
    START_ALLOWED,
    acting_state,
    is_setpoint,
    write_controllers_of,
    write_exempting_state,
    write_exempting_states,
)
from conformance.checks.trace import (
    guard_group,
    known_step,
    overlaid,
    probe_group,
    reads_back,
    same,
    setting_group,
    settle_seconds,
)
from conformance.checks.tries import odds
from conformance.checks.value_types import fits, number
from conformance.checks.weighing import TIMES
from conformance.harness import choices
from conformance.harness.procedures import read, tries_ended
from conformance.harness.requests import write
from conformance.harness.steps import Pause, Step

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pydantic import JsonValue

    from catalog.model import Entry
    from conformance.checks.answer import Answer
    from conformance.checks.groups import Group
    from conformance.checks.seen import Seen
    from conformance.harness.steps import Ask, Procedure

Result = TypeVar("Result")
Part: TypeAlias = Generator[Step, "Answer", Result]
"""A stretch of a procedure, for `yield from`; it gives a result to the procedure it is part of."""

_LIGHT_STATES = frozenset({StateId.X1, StateId.X2, StateId.X3, StateId.X8})
"""The states in which what must have no effect is written all the same: they may refuse it, and excuse nothing that is stored.

In the others nothing is written: somebody acts on the appliance, or it is protected, off, or cooling by a mode.
"""
CONFIRMED_AFTER_S = 2.0
_QUIET = 3
_CYCLES = 3


def guarded_writes(seen: Seen, entry: Entry, clauses: Collection[str], twin: Seen | None) -> Procedure:
    """Writes allowed values of a setting, and the old one again; neighbours are watched, and the same key on a second appliance.

    `clauses` are those the run judges on this key: what none of them needs is not sent.
    """
    group = setting_group(entry.key)
    before = yield from opened(seen, entry.key, group)
    if before is None:
        return
    watched = _watched(seen, entry, clauses, twin)
    first = yield from look_at(watched)
    values, moved = _values(seen, entry, before, clauses), False
    for value in values:
        yield from written(seen, entry, value, group)
        now = yield from look_at(watched)
        if not _alike(first, now) and entry.key != TEMPERATURE_UNIT:
            moved = True
            for again in (before.value, value):
                yield from written(seen, entry, cast("JsonValue", again), group)
                yield from look_at(watched)
    yield from written(seen, entry, cast("JsonValue", before.value), group)
    now = yield from look_at(watched)
    if values and not moved and not _alike(first, now) and entry.key != TEMPERATURE_UNIT:
        # A neighbour that had the written value already is moved only by the value that is written back.
        for again in (values[-1], before.value):
            yield from written(seen, entry, cast("JsonValue", again), group)
            yield from look_at(watched)
    yield from closed(seen, group)


def forbidden_writes(seen: Seen, entry: Entry, clauses: Collection[str], seed: str) -> Procedure:
    """Writes what must not take effect, reads what is there each time, and once more when everything has had time to settle."""
    group = guard_group(entry.key)
    before = yield from opened(seen, entry.key, group, despite=_LIGHT_STATES)
    if before is None:
        return
    values = choices.wrong_types(entry, before) if "SET-TYPEGUARD" in clauses else []
    values += choices.non_members(seen, entry, seed) if "SET-ENUMGUARD" in clauses else []
    values += choices.outside(seen, entry, before) if "RANGE-WRITE-OUT" in clauses else []
    for value in values:
        for _ in range(TIMES):
            yield write(seen, group, entry.key, value)
            answer = yield read(seen, entry.key, "settings", group, "repeat")
            if conforms(seen, entry, answer):
                break
            yield from settled(seen, entry.key, group, lambda _: False)
    if values:
        yield Pause(settle_seconds(seen, entry.key))
        yield read(seen, entry.key, "settings", group, "repeat")
    if write_exempting_state(seen, entry.key):  # what the state is made of: a write must not have moved it unseen
        yield from controllers(seen, [entry.key], group)
    yield from closed(seen, group)


def status_writes(seen: Seen, entry: Entry) -> Procedure:
    """Tries to write a status, which must have no effect; with the opposite value where the first one seems to have one."""
    group = probe_group(entry.key)
    shown = next((answer for segment in entry.segments if (answer := seen.read(entry.key, segment)) and answer.has_value), None)
    if shown is None:
        return
    serving = shown.exchange.segment
    if acting_state(seen, entry.key):
        now = yield from _acting(seen, group)
        if acting_state(overlaid(seen, now), entry.key):
            return
    reads = yield from _in_a_row(seen, entry.key, serving, group)
    if not all(answer.has_value and same(answer.value, reads[0].value) for answer in reads):
        return
    if entry.key == START_ALLOWED:
        yield from _start_allowed(seen, group, reads[0])
        return
    first = choices.another_status(seen, entry, reads[0])
    second = choices.another_status(seen, entry, reads[0], [first])
    for segment in entry.segments:  # a contested status may be taken for a setting (line 149)
        for value in (first, reads[0].value if second is None else second):
            if value is None:
                continue
            yield write(seen, group, entry.key, cast("JsonValue", value), segment)
            last = yield from settled(seen, entry.key, group, lambda _: False, serving)
            if not same(last.value, value):
                break


def _in_a_row(seen: Seen, key: str, segment: str, group: Group) -> Part[list[Answer]]:
    """Reads that must be equal for a status to be called quiet."""
    return (yield from look_at([read(seen, key, segment, group, "repeat")] * _QUIET))


def _start_allowed(seen: Seen, group: Group, quiet: Answer) -> Part[None]:
    """RemoteControlStartAllowed may be disabled by a program, never enabled (line 89): true is tried, false only to come back from it."""
    if quiet.value is not False:
        return
    for segment in ("status", "settings"):  # a server may take any key where settings are written
        for _ in range(_CYCLES):
            yield write(seen, group, START_ALLOWED, value=True, segment=segment)
            last = yield from settled(seen, START_ALLOWED, group, lambda _: False, "status")
            if last.value is not True:
                break
            yield write(seen, group, START_ALLOWED, value=False, segment=segment)
            yield from settled(seen, START_ALLOWED, group, lambda answer: answer.value is False, "status")


def opened(seen: Seen, key: str, group: Group, *, despite: Collection[StateId] = ()) -> Part[Answer | None]:
    """The read of a key that is to be written, after whatever may keep it from being written; None where it must not be, now.

    `despite` are the states that do not keep it from being written.
    """
    shown = yield from controllers(seen, [key], group)
    before = yield read(seen, key, "settings", group, "repeat")
    entry = seen.catalog.entries[key]
    states = write_exempting_states(overlaid(seen, [*shown, before]), key)
    blocked = any(state.id not in despite for state in states)
    return before if before.has_value and conforms(seen, entry, before) and not blocked else None


def controllers(seen: Seen, keys: Sequence[str], group: Group) -> Part[list[Answer]]:
    """Reads whatever may lock one of `keys`, or says that somebody else is acting, as far as the appliance serves it."""
    needed = {controller for key in keys for controller in write_controllers_of(seen.catalog, key)} - set(keys)
    served = [entry for key, entry in seen.catalog.entries.items() if key in needed and key in seen.tried and seen.value(key) is not None]
    return (yield from look_at([read(seen, entry.key, entry.segment, group, "repeat") for entry in served]))


def closed(seen: Seen, group: Group) -> Part[None]:
    """Reads at the end what would show that somebody else acted meanwhile."""
    yield from _acting(seen, group)


def _acting(seen: Seen, group: Group) -> Part[list[Answer]]:
    """What shows whether somebody else, or a program, acts on the appliance now."""
    keys = [
        key for key in (LOCAL_CONTROL, REMOTE_CONTROL, POWER_STATE, OPERATION_STATE) if key in seen.tried and seen.value(key) is not None
    ]
    return (yield from look_at([read(seen, key, seen.catalog.entries[key].segment, group, "repeat") for key in keys]))


def written(seen: Seen, entry: Entry, value: JsonValue, group: Group) -> Part[bool]:
    """Writes a value until it reads back, and still does a moment later; twice at most, errors not counted. Whether it did."""
    settle_s = settle_seconds(seen, entry.key)
    tries: list[Answer] = []
    while not tries or wants_again(seen, tries, convicts=seen.appliance.is_writable(entry.key)):
        if tries:
            yield Pause(seen.profile.retry_s)
        sent = yield write(seen, group, entry.key, value)
        tries.append(sent)
        refused = sent.outcome in {Outcome.REFUSED, Outcome.SERVERERR}
        before = yield read(seen, entry.key, "settings", group, "repeat")
        tries.append(before)
        step = known_step(seen, entry, before)

        def took(answer: Answer, sent: Answer = sent, step: float | None = step) -> bool:
            return reads_back(entry, value, answer, sent, step)

        last = before if refused or took(before) else (yield from settled(seen, entry.key, group, took))
        if took(last):
            yield Pause(min(CONFIRMED_AFTER_S, settle_s))
            last = yield read(seen, entry.key, "settings", group, "repeat")
            if took(last):
                return True
        if sent.outcome is Outcome.REFUSED and not seen.appliance.is_writable(entry.key):
            return False
    if any(answer.outcome is Outcome.SERVERERR for answer in _writes(tries)):
        yield tries_ended(seen, group, entry.key, len(_writes(tries)), tries)
    return False


def wants_again(seen: Seen, tries: list[Answer], *, convicts: bool) -> bool:
    """Whether to write a value once more, after the writes and reads of `tries`: twice, and as often as it takes where they were errors.

    A server error is a refusal only where it comes back so often that chance does not explain it; where a refusal `convicts` nobody,
    that need not be known.
    """
    errors = [answer for answer in _writes(tries) if answer.outcome is Outcome.SERVERERR]
    if len(_writes(tries)) < TIMES:
        return True
    if not convicts or len(errors) < len(_writes(tries)):
        return False
    now = odds(seen, tries)
    return now.is_within_budget and len(errors) < now.needed


def _writes(tries: list[Answer]) -> list[Answer]:
    return [answer for answer in tries if answer.exchange.purpose in WRITES]


def settled(seen: Seen, key: str, group: Group, reached: Callable[[Answer], bool], segment: str = "settings") -> Part[Answer]:
    """Reads a key until `reached`, or until the settle time is over; the last read."""
    answer = first = yield read(seen, key, segment, group, "repeat")
    while not reached(answer) and answer.began - first.began < settle_seconds(seen, key):
        yield Pause(seen.profile.timing.poll_s)
        answer = yield read(seen, key, segment, group, "repeat")
    return answer


def conforms(seen: Seen, entry: Entry, answer: Answer) -> bool:
    """Whether a read shows a value that could be written: of its type, a member, within the range that is known."""
    if not answer.has_value or not fits(entry, answer.value):
        return False
    if entry.type == "Enumeration":
        return answer.value in allowed(entry, seen.maker)
    found = choices.bounds(entry, answer) if entry.is_numeric else None
    return found is None or found[0] <= number(answer.value) <= found[1]


def _values(seen: Seen, entry: Entry, before: Answer, clauses: Collection[str]) -> list[JsonValue]:
    ends = choices.ends(entry, before) if "RANGE-WRITE-BOUNDS" in clauses else []
    others = choices.other_values(seen, entry, before)
    if "SET-WRITABLE" not in clauses:
        others = others[-1:]  # one is enough to show that writes have an effect at all; of a range, it is the middle
    return [*ends, *(value for value in others if not any(same(value, end) for end in ends))]


def _watched(seen: Seen, entry: Entry, clauses: Collection[str], twin: Seen | None) -> list[Ask]:
    """The other keys that are read beside each write."""
    group = setting_group(entry.key)
    asks: list[Ask] = []
    if "SET-ONLY-TARGET" in clauses:
        asks += [read(seen, key, "settings", group, "repeat") for key in (*siblings_of(seen, entry), *unrelated_to(seen, entry))]
    if entry.key == TEMPERATURE_UNIT and "UNIT-TEMP-APPLIES" in clauses:
        setpoints = [key for key in seen.tried if is_setpoint(key) and seen.value(key) is not None]
        asks += [read(seen, key, "settings", group, "repeat") for key in setpoints for _ in range(TIMES)]
    if twin is not None and "ADDR-HAID-ISOLATION" in clauses:
        asks.append(read(twin, entry.key, "settings", group, "repeat"))
    return asks


def look_at(watched: list[Ask]) -> Part[list[Answer]]:
    """The answers to some reads, one after the other."""
    answers: list[Answer] = []
    for ask in watched:
        answers.append((yield ask))  # noqa: PERF401  a generator cannot yield within a comprehension
    return answers


def _alike(first: list[Answer], now: list[Answer]) -> bool:
    return all(same(one.value, other.value) for one, other in zip(first, now, strict=False) if one.has_value and other.has_value)
