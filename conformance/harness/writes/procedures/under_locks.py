"""A write of one setting while another one is on that may lock it: it must move no neighbour then, either.

What a lock refuses, and what a mode has nothing to do with, is looked at as any write of that setting is.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.script_steps import Beside, Due, ScriptWrite, Step, Wait
from conformance.harness.writes.procedures.scripts import Played
from conformance.model.couplings import is_coupled, locks
from conformance.model.json_values import same


def read_under(seen: View, lock: str, group: Group) -> Sequence[Ask]:
    """The reads of the setting that is written while `lock` is on, and of two of its neighbours."""
    chosen = _chosen(seen, lock)
    return (
        [reread(seen, key, group) for key in (chosen[0].key, *_beside(seen, chosen[0].key))] if chosen else ()
    )


def written_under(now: Played, lock: str, watched: Collection[str]) -> Iterator[Step]:
    """Writes a setting while `lock` is on, and reads two of its neighbours.

    Where one has moved, a second value and the first one again: a finding takes that. What the setting was
    first is written back at once, and comes beside what is written next (`coming_back`), unless it is among
    what is `watched` then.
    """
    chosen = _chosen(now.seen, lock)
    if chosen is None:
        return
    entry, values = chosen
    before = now.last(entry.key)
    if before is None or not now.seen.admits(before) or same(before.value, values[0]):
        return
    watch = tuple(reread(now.seen, key, now.group) for key in _beside(now.seen, entry.key))
    for value in (values[0], values[-1], values[0]):
        yield ScriptWrite(entry.key, value, Due.ANYTHING, watch=watch)
        if not (now.is_patient and now.has_moved):
            break
    found = cast("JsonValue", cast("Answer", now.first(entry.key)).value)
    read = now.last(entry.key)
    if read and read.has_value and not same(read.value, found):
        if entry.key in watched:
            yield ScriptWrite(entry.key, found, wait=Wait.NONE)
        else:
            yield ScriptWrite(entry.key, found, Due.ANYTHING, Wait.LATER, is_read=False)


def coming_back(now: Played, lock: str) -> Beside | None:
    """The read of what was written while `lock` was on, which is to show what it did before."""
    chosen = _chosen(now.seen, lock)
    found = now.first(chosen[0].key) if chosen else None
    if found is None:
        return None
    read = reread(now.seen, found.exchange.key, now.group)
    return Beside((read,), lambda shown: all(same(one.value, found.value) for one in shown))


def _beside(seen: View, key: str) -> Sequence[str]:
    beside = watched_with(seen, key)
    return tuple(dict.fromkeys((*beside[:1], *beside[-1:])))


def _chosen(seen: View, lock: str) -> tuple[Entry, Sequence[JsonValue]] | None:
    """The setting to write under a lock, with another value and a second one, or the present one.

    One that nothing couples: the one with the most neighbours, and of those the first.
    """
    served = (seen.catalog.entries[key] for key in seen.learned.settings)
    may = [
        entry
        for entry in served
        if entry.key != lock
        and entry.key not in locks(seen.catalog)
        and not is_coupled(seen.catalog, entry.key)
        and seen.profile.may_write(entry.key)
        and watched_with(seen, entry.key)
    ]
    for entry in sorted(may, key=lambda one: -len(watched_with(seen, one.key))):
        read = seen.reads["settings", entry.key]
        others = choices.other_values(seen, entry, read) if seen.admits(read) else []
        if others:
            return entry, [others[0], others[1] if len(others) > 1 else read.value]  # pyright: ignore[reportReturnType]  a value is JSON
    return None
