"""Writes of one setting while another one has another value than it was found with.

While a lock or a mode is on, a setting is written that this has nothing to do with. While a setting has
another value, a sibling of it is, which a server may save together with it.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.checks.writes.judging import TIMES
from conformance.harness.steps import Ask, reads_of, reread
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.scripts import Beside, Due, Played, Step, Wait
from conformance.model.couplings import LOCKS, are_numbered, is_coupled, siblings_of
from conformance.model.json_values import same
from conformance.model.states import may_write_now


def written_under(now: Played, lock: str, watched: Sequence[Ask]) -> Iterator[Step]:
    """Writes a setting while `lock` is on, and reads two of its neighbours.

    That the lock stays, and what it moves of what is `watched`, is waited for with that write, unless each
    write is waited for: then it was before. Where a neighbour has moved, a second
    value and the first one again: a finding takes that. What the setting was first is written back at once,
    and comes beside what is written next (`coming_back`), unless it is among what is watched then.
    """
    rest = () if now.is_patient else (now.procedure.own_read(now.seen, lock), *watched)
    chosen = chosen_under(now.seen, lock)
    before = now.last(chosen[0].key) if chosen else None
    is_open = chosen and before and not now.stage.why_closed(chosen[0].key) and now.seen.admits(before)
    may_write = chosen and before and is_open and not same(before.value, chosen[1][0])
    is_watched = any(chosen and ask.key == chosen[0].key for ask in watched)
    if rest and (is_watched or not may_write):
        yield Step(watch=rest, wait=Wait.STAYS)
        rest = ()
    if not (chosen and may_write):
        return
    entry, values = chosen
    watch = (*reads_of(now.seen, beside(now.seen, entry.key), now.group), *rest)
    for value in (values[0], values[-1], values[0]):
        yield Step(entry.key, value, Due.ANYTHING, watch=watch)
        if not (now.is_patient and now.has_moved):
            break
    found = cast("JsonValue", cast("Answer", now.first(entry.key)).value)
    read = now.last(entry.key)
    if read and read.has_value and not same(read.value, found):
        if is_watched:
            yield Step(entry.key, found, wait=Wait.NONE)
        else:
            yield Step(entry.key, found, Due.ANYTHING, Wait.LATER, is_read=False)


def coming_back(now: Played, lock: str) -> Beside | None:
    """The read of what was written while `lock` was on, which is to show what it did before."""
    chosen = chosen_under(now.seen, lock)
    found = now.first(chosen[0].key) if chosen else None
    if found is None:
        return None
    read = reread(now.seen, found.exchange.key, now.group)
    return Beside((read,), lambda shown: all(same(one.value, found.value) for one in shown))


def beside(seen: View, key: str) -> Sequence[str]:
    """The first and the last of the settings that a write of a key must leave alone."""
    found = watched_with(seen, key)
    return tuple(dict.fromkeys((*found[:1], *found[-1:])))


def chosen_under(seen: View, lock: str) -> tuple[Entry, Sequence[JsonValue]] | None:
    """The setting to write under a lock, with another value and a second one, or the present one.

    One that nothing couples: the one with the most neighbours, and of those the first.
    """
    served = (CATALOG.entries[key] for key in seen.learned.settings)
    may = [
        entry
        for entry in served
        if entry.key != lock
        and entry.key not in LOCKS
        and not is_coupled(entry.key)
        and seen.profile.may_write(entry.key)
        and watched_with(seen, entry.key)
    ]
    for entry in sorted(may, key=lambda one: -len(watched_with(seen, one.key))):
        read = seen.reads["settings", entry.key]
        others = choices.other_values(seen, entry, read) if seen.admits(read) else []
        if others:
            return entry, [others[0], others[1] if len(others) > 1 else read.value]  # pyright: ignore[reportReturnType]  a value is JSON
    return None


def saved_with(seen: View, key: str) -> str:
    """The setting that is written while `key` has another value; none but for one pair of an appliance.

    The two differ by a number alone: entries of one list, which a server is most likely to save as one.
    """
    may = [one for one in seen.learned.settings if seen.profile.may_write(one)]
    pairs = ((one, other) for one in may for other in siblings_of(may, one) if are_numbered(one, other))
    first, other = next(pairs, ("", ""))
    return other if first == key and seen.profile.interpretation.siblings_independent else ""


def written_beside(now: Played, key: str, sibling: str) -> Iterator[Step]:
    """Writes a sibling of `key`, which must leave that: a server may save both as they were when it started.

    Where it does not, all is done twice, each time once `key` has stayed: a finding takes that.
    """
    read, written = now.last(sibling), now.known(key)
    if not (read and written and _may_write(now, read)):
        return
    others = choices.other_values(now.seen, CATALOG.entries[sibling], read)
    own = reread(now.seen, key, now.group)
    waited = 0
    while others and waited < TIMES:
        if now.is_patient:
            waited += 1
            yield Step(key, cast("JsonValue", written.value))
            yield Step(look=(own,), wait=Wait.SETTLED)
        yield Step(sibling, others[0], Due.ANYTHING, Wait.NONE, watch=(own,), is_read=False)
        yield Step(sibling, cast("JsonValue", read.value), Due.ANYTHING, Wait.LATER, is_read=False)
        if not (now.is_patient and now.has_moved):
            return


def put_back_beside(now: Played, keys: Sequence[str]) -> Iterator[Step]:
    """Writes back those of some settings that no longer show what they did first, and may be written."""
    for key in keys:
        first, last = now.first(key), now.last(key)
        has_moved = first and last and last.has_value and not same(first.value, last.value)
        if first and has_moved and now.seen.profile.may_write(key) and _may_write(now, first):
            yield Step(key, cast("JsonValue", first.value), Due.ANYTHING)


def _may_write(now: Played, read: Answer) -> bool:
    """Whether what a read shows may be written, and nothing keeps its key from that now."""
    key = read.exchange.key
    is_open = not (read.shown.is_read_only or now.stage.why_closed(key))
    return is_open and now.seen.admits(read) and may_write_now(now.now, key)
