"""A write of one setting while another one is on that may lock it: it must move no neighbour then, either.

What a lock refuses, and what a mode has nothing to do with, is looked at as any write of that setting is.
"""

from collections.abc import Sequence

from pydantic import JsonValue

from catalog.model import Entry
from conformance.checks.groups import Group
from conformance.checks.view import View
from conformance.checks.writes.expected.other_keys import watched_with
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Part
from conformance.harness.writes.procedures import choices
from conformance.harness.writes.procedures.parts import (
    ask_all,
    show_the_same,
    wait_quietly,
    write_until_shown,
)
from conformance.harness.writes.procedures.requests import write
from conformance.model.couplings import is_coupled
from conformance.model.json_values import same
from conformance.profiles.model import PROTECTING


def write_under(seen: View, lock: str, group: Group) -> Part[bool]:
    """Writes a setting while `lock` is on, and reads two of its neighbours; whether they stayed.

    Where one moved, a second value and the first one again: a finding takes that. What the setting took is
    written back at once.
    """
    chosen = _chosen(seen, lock)
    if chosen is None:
        return True
    entry, values = chosen
    beside = watched_with(seen, entry.key)
    watched = [reread(seen, key, group) for key in dict.fromkeys((*beside[:1], *beside[-1:]))]
    before = yield reread(seen, entry.key, group)
    if not seen.admits(before) or same(before.value, values[0]):
        return True
    first = yield from ask_all(watched)
    stayed = True
    for value in (values[0], values[-1], values[0]):
        yield write(seen, group, entry.key, value)
        yield from wait_quietly(seen, entry.key)
        now = yield reread(seen, entry.key, group)
        stayed &= show_the_same(first, (yield from ask_all(watched)))
        if stayed:
            break
    if now.has_value and not same(now.value, before.value):
        yield from write_until_shown(seen, entry, before.value, group)  # pyright: ignore[reportArgumentType]  a value is JSON
    return stayed


def _chosen(seen: View, lock: str) -> tuple[Entry, Sequence[JsonValue]] | None:
    """The setting to write under a lock, with another value and a second one, or the present one.

    One that nothing couples: the one with the most neighbours, and of those the first.
    """
    served = (seen.catalog.entries[key] for key in seen.learned.settings)
    may = [
        entry
        for entry in served
        if entry.key != lock
        and entry.key not in PROTECTING
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
