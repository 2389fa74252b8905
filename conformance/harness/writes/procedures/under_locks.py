"""A write of one setting while another one is on that may lock it: it must move no neighbour then, either.

What a lock refuses, and what a mode has nothing to do with, is looked at as any write of that setting is.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.scripts import Due, Played, ScriptWrite, Step, Wait
from conformance.model.couplings import is_coupled, locks
from conformance.model.json_values import same


def read_under(seen: View, lock: str, group: Group) -> Sequence[Ask]:
    """The reads of the setting that is written while `lock` is on, and of two of its neighbours."""
    chosen = _chosen(seen, lock)
    return (
        [reread(seen, key, group) for key in (chosen[0].key, *_beside(seen, chosen[0].key))] if chosen else ()
    )


def written_under(now: Played, lock: str) -> Iterator[Step]:
    """Writes a setting while `lock` is on, and reads two of its neighbours.

    Where one has moved, a second value and the first one again: a finding takes that. What the setting took
    is written back at once.
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
        yield ScriptWrite(entry.key, value, Due.ANYTHING, Wait.QUIET, watch=watch)
        if not (now.is_patient and now.has_moved):
            break
    read = now.last(entry.key)
    if read and read.has_value and not same(read.value, before.value):
        yield ScriptWrite(entry.key, cast("JsonValue", before.value), wait=Wait.NONE)


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
