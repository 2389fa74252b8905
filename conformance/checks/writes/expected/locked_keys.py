"""What a write lets one expect of a setting of a light that another one locks and frees (lines 65 to 70)."""

from collections.abc import Iterator
from functools import partial

from catalog.keys import COLOR_PERCENT, COLOR_TEMPERATURE
from conformance.checks.traces.effects import Effect, values_around
from conformance.checks.traces.expecting import Counts, Expect, Stays, Unmet, evaluation_of
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.checks.writes import doubts
from conformance.checks.writes.expected.own_key import is_locked, refusable, taken, wrote_while_held
from conformance.model.json_values import NOTHING, quoted, same
from conformance.model.state_table import STATED
from conformance.model.states import is_locked_by

_DROPPED = frozenset({Effect.DROPPED})


def not_while_locked(seen: View, attempt: Attempt) -> Iterator[Expect]:
    """What a rule locks takes no other value while its controller stays as it is (lines 65, 68, 70)."""
    if not is_locked(seen, attempt):
        return
    row, values, old = STATED[attempt.key], values_around(seen, attempt), attempt.old()
    if old is not NOTHING and values.alike(attempt.value, old):
        return
    wrote = wrote_while_held(attempt)
    after = attempt.last(row.controller)
    if attempt.reads() and not is_locked_by(seen, attempt.key, after):
        words = "could not be read afterwards" if after is NOTHING else f"became {quoted(after)}"
        yield Unmet(attempt, wrote, f", and {row.name} {words}")
        return
    yield Stays(
        attempt,
        wrote,
        attempt.reads(),
        partial(values.alike, attempt.value),
        lambda value: old is NOTHING or same(value, old),
        counts=Counts.STILL,
        is_excused=True,
        about=row.id,
        is_watched=True,
        doubts=(doubts.once_freed,),
    )


def taken_while_free(seen: View, attempt: Attempt) -> Iterator[Expect]:
    """What a rule locks takes another value while its controller frees it (line 68)."""
    if is_locked(seen, attempt) is False:
        yield from taken(seen, attempt, refusable(seen, attempt, _DROPPED))


def taken_in_a_format(seen: View, attempt: Attempt) -> Iterator[Expect]:
    """The same, where a refusal may be about the format of a text (line 70)."""
    if is_locked(seen, attempt) is False:
        yield from taken(seen, attempt, _DROPPED)


def applied(seen: View, attempt: Attempt) -> Iterator[Expect]:
    """With custom, or without its controller, the percent takes a value, and custom stays (line 66)."""
    if attempt.key != COLOR_PERCENT or is_locked(seen, attempt):
        return
    yield from taken(seen, attempt, _DROPPED)
    after = attempt.reads(COLOR_TEMPERATURE)
    # that custom stays shows nothing of the percent: it is expected only where it did not
    if is_locked(seen, attempt) is False and after and is_locked_by(seen, COLOR_PERCENT, after[-1].value):
        yield Stays(
            attempt,
            f"wrote {quoted(attempt.value)}, {attempt.words}",
            after,
            lambda value: bool(is_locked_by(seen, COLOR_PERCENT, value)),
            tells=lambda read: f"and ColorTemperature left custom: {quoted(read.value)}",
        )


def kept_out(key: str, seen: View, attempt: Attempt) -> Iterator[Expect]:
    """What is locked is not taken, nor has it come once its controller frees it (lines 65, 68, 70)."""
    if attempt.key == key:
        yield from not_while_locked(seen, attempt)
    yield from not_stored(key, seen, attempt)


def not_stored(key: str, seen: View, attempt: Attempt) -> Iterator[Expect]:
    """What was written to a key while it was locked does not show when its controller frees it."""
    row = STATED[key]
    if attempt.key != row.controller or not _frees(seen, key, attempt.last(row.controller)):
        return
    pending, kept = _written_while_locked(seen, key, attempt)
    if not pending:
        return
    read, values = attempt.last_read(key), seen.values(key)
    came = next((one for one in pending if read and values.alike(one.value, read.value)), None)
    told = came or pending[0]
    wrote = wrote_while_held(told)
    was = told.old() if kept is NOTHING else kept
    appeared = f"and it appeared when {row.name} was {quoted(attempt.value)} again"
    if came and was is NOTHING:
        yield Unmet(attempt, wrote, f", {appeared}, but what it was before is not known")
    elif not (came and values.alike(was, came.value)):
        yield Stays(
            attempt,
            wrote,
            [read] if read else attempt.reads(key),
            partial(values.alike, told.value),
            tells=lambda _read: appeared,
            beside=(told.answer,),
        )


def _written_while_locked(seen: View, key: str, attempt: Attempt) -> tuple[list[Attempt], object]:
    """The values written to a key since it was free, the last one first, and what it was before.

    What is written while it is free, or by a server that frees it by itself, may be kept.
    """
    controller = STATED[key].controller
    pending: list[Attempt] = []
    has_ended = False
    for one in (attempt, *attempt.earlier):
        is_free = _frees(seen, key, one.old(controller))
        if one is not attempt:
            has_ended = has_ended or is_free or _frees(seen, key, one.last(controller))
            direct = None if has_ended else evaluation_of(seen, not_while_locked, one)
            if direct and one.key == key and direct.result != "contradicts":
                pending.append(one)
        if is_free and one.old(key) is not NOTHING:
            return pending, one.old(key)
    return pending, NOTHING


def _frees(seen: View, key: str, controlling: object) -> bool:
    return is_locked_by(seen, key, controlling) is False
