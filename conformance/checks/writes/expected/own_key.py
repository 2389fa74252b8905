"""What a write lets one expect of the key that is written: what is allowed comes, and nothing else."""

from collections.abc import Callable, Iterator
from functools import partial

from catalog.keys import ALARM_CLOCK, short_name
from catalog.loader import CATALOG
from conformance.checks.answer import Answer
from conformance.checks.traces.effects import Effect, values_around
from conformance.checks.traces.expecting import Comes, Counts, Doubt, Expect, Stays, Unmet, watched_for
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.checks.writes import doubts
from conformance.model.json_values import NOTHING, described, quoted, same
from conformance.model.state_table import STATED
from conformance.model.states import is_locked_by
from conformance.model.values import beyond, fits, is_end

_LOST = frozenset({Effect.DROPPED, Effect.REVERTED})
_ENDS = frozenset({Effect.DROPPED, Effect.REVERTED, Effect.OTHER})


def another_value(seen: View, attempt: Attempt) -> Iterator[Expect]:
    """A value that the key is known to take shows, and stays (lines 7, 33).

    Nothing is expected where it is the value that the key had, or one that it need not take.
    """
    return taken(seen, attempt, refusable(seen, attempt, _LOST), doubts.of_power, doubts.others_taken)


def refusable(seen: View, attempt: Attempt, against: frozenset[Effect]) -> frozenset[Effect]:
    """What contradicts, and a refusal, where the profile says that the key is writable."""
    return against | {Effect.REFUSED} if seen.appliance.is_writable(attempt.key) else against


def taken(seen: View, attempt: Attempt, against: frozenset[Effect], *doubted: Doubt) -> Iterator[Expect]:
    """A value that the key is known to take shows; only what is named contradicts."""
    values, old = values_around(seen, attempt), attempt.old()
    is_known = values.admits(attempt.value) and values.offers(attempt.value)
    if attempt.segment != "settings" or not is_known:
        return
    wrote = wrote_while_held(attempt)
    if old is NOTHING:
        yield Unmet(attempt, wrote, ", and the value before is not known")
    elif not values.admits(old):
        yield Unmet(attempt, wrote, f"; the value before, {described(old)}, is judged by other clauses")
    elif not values.alike(attempt.value, old):
        yield Comes(attempt, wrote, against, (*doubts.OF_EFFECTS, *doubted))


def an_end(seen: View, attempt: Attempt) -> Iterator[Comes]:
    """An end of the range shows (lines 165 to 175; interpretation I-1)."""
    values = values_around(seen, attempt)
    found = values.bounds
    if found and is_end(found, attempt.value) and not values.alike(attempt.value, attempt.old()):
        end = f"{quoted(attempt.value)}, an end of the range {found[0]:g} to {found[1]:g}"
        yield Comes(attempt, f"wrote {end}, {attempt.words}", _ENDS, (*doubts.OF_ENDS, doubts.nothing_taken))


def right_type(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After a value of a wrong type, one of the right type reads back, a member or any (lines 22, 23)."""
    values = seen.values(attempt.key)
    if not fits(values.entry, attempt.value):
        yield _kept_out(attempt, lambda value: not values.is_of(value))


def left_type(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After any value, one of the right type reads back."""
    entry = CATALOG.entries[attempt.key]
    if fits(entry, attempt.value):
        yield _kept_out(attempt, lambda value: not fits(entry, value))
    yield from right_type(seen, attempt)


def _kept_out(attempt: Attempt, wrong: Callable[[object], bool]) -> Stays:
    return Stays(
        attempt,
        f"wrote {described(attempt.value)} to {short_name(attempt.key)}, {attempt.words}",
        attempt.reads(),
        wrong,
        tells=lambda read: f"then {described(read.value)}",
        is_excused=True,
    )


def a_member(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After a text that is no member of its enumeration, one of its members reads back (lines 23, 28)."""
    values = seen.values(attempt.key)
    is_text = values.entry.type == "Enumeration" and isinstance(attempt.value, str)
    if is_text and not values.is_of(attempt.value):
        yield Stays(
            attempt,
            wrote(attempt),
            attempt.reads(),
            partial(same, attempt.value),
            values.is_of,
            neither=" (ENUM clauses judge it)",
            is_excused=True,
        )


def inside(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After a number outside its range, one inside it reads back (lines 23, 165 to 175)."""
    entry, limits = CATALOG.entries[attempt.key], values_around(seen, attempt).limits
    if limits and fits(entry, attempt.value) and beyond(limits, attempt.value):
        yield Stays(
            attempt,
            wrote(attempt),
            attempt.reads(),
            lambda value: fits(entry, value) and bool(beyond(limits, value)),
            partial(fits, entry),
            partial(_then, attempt),
            neither=", which TYPE clauses judge",
            # an alarm clock may run into its range
            counts=Counts.STILL if entry.key == ALARM_CLOCK else Counts.LAST,
            is_excused=True,
            doubts=doubts.OF_RANGES,
        )


def a_status_kept(_seen: View, attempt: Attempt) -> Iterator[Stays]:
    """A written status does not show what was written, under a segment where it was not so (line 7)."""
    told = f"wrote {quoted(attempt.value)} to {attempt.key} under /{attempt.segment}/, {attempt.words}"
    for (owner, segment, key), old in attempt.before.items():
        if (owner, key) == (attempt.ha_id, attempt.key) and not same(old.value, attempt.value):
            yield Stays(
                attempt,
                told,
                [read for read in attempt.reads() if read.segment == segment],
                partial(same, attempt.value),
                partial(same, old.value),
                partial(_reads_back, attempt),
                counts=Counts.ANY,
                is_watched=True,
                doubts=doubts.OF_STATUSES,
            )


def a_start_not_allowed(_seen: View, attempt: Attempt) -> Iterator[Stays]:
    """Where true is written over false, false stays (line 89)."""
    if attempt.value is True and attempt.old() is False:
        yield Stays(
            attempt,
            f"wrote true under /{attempt.segment}/, {attempt.words}",
            attempt.reads(),
            partial(same, True),  # noqa: FBT003  a value on the wire
            partial(same, False),  # noqa: FBT003
            partial(_then, attempt),
            counts=Counts.STILL,
            is_watched=True,
        )


def _reads_back(attempt: Attempt, read: Answer) -> str:
    if same(read.value, attempt.value):
        return f"and it reads back under /{read.segment}/"
    return f"then {quoted(read.value)}"


def _then(attempt: Attempt, read: Answer) -> str:
    return f"then {quoted(read.value)} after {watched_for(attempt)}"


def wrote(attempt: Attempt) -> str:
    """A write in words, with its key and the answer to it."""
    return f"wrote {quoted(attempt.value)} to {short_name(attempt.key)}, {attempt.words}"


def is_locked(seen: View, attempt: Attempt) -> bool | None:
    """Whether a rule of the document locked what was written before the write; None if that is not known."""
    row = STATED.get(attempt.key)
    return is_locked_by(seen, attempt.key, attempt.old(row.controller)) if row else None


def wrote_while_held(attempt: Attempt) -> str:
    """A write in words, with the value of what locks or frees its key, if anything does, and the answer."""
    row = STATED.get(attempt.key)
    held = attempt.old(row.controller) if row else NOTHING
    while_held = f" while {row.name} was {quoted(held)}" if row and held is not NOTHING else ""
    return f"wrote {quoted(attempt.value)}{while_held}, {attempt.words}"
