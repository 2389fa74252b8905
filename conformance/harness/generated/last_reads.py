"""Reads the settings once more after everything that only reads, and looks for the request that moved one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from conformance.checks.generated.moved_settings import moved_read, watched_settings
from conformance.checks.generated.safe_methods import CHANGES
from conformance.checks.groups import Group, after_group
from conformance.checks.traces.trace import same
from conformance.checks.view import View
from conformance.harness.generated.lane import maker_of, methods_of
from conformance.harness.reads.gets import read, reread
from conformance.harness.steps import Ask, Part, Procedure


def settings_after(seen: View, views: Mapping[str, View], seed: str) -> Iterator[Procedure]:
    """The last reads of one appliance; `views` and `seed` are those of its generated requests."""
    if not seen.answers_anything:
        yield _looked_at(seen, views, seed)


def _looked_at(seen: View, views: Mapping[str, View], seed: str) -> Procedure:
    """Every setting once; the first that moved now or before, with each request that may have moved it."""
    moved: list[str] = []
    for key in watched_settings(seen):
        answer = yield _plain(seen, key)
        differs = answer.has_value and not same(answer.value, seen.reads["settings", key].value)
        if differs or moved_read(seen, key):
            moved.append(key)
    for key in moved[:1]:
        yield from _cause_sought(seen, key, _suspects(seen, views, seed, key))


def _cause_sought(seen: View, key: str, suspects: list[Ask]) -> Part[None]:
    """Each suspect between two reads of the setting, until one changes it; that one as often as it takes."""
    plain = _plain(seen, key)
    before = yield plain
    for suspect in suspects:
        yield suspect
        now = yield plain
        if before.has_value and now.has_value and not same(before.value, now.value):
            for _ in range(CHANGES):
                yield suspect
                yield plain
            for _ in range(CHANGES):
                yield plain
            return
        before = now


def _plain(seen: View, key: str) -> Ask:
    return replace(reread(seen, key, after_group(key)), lane=seen.appliance.ha_id)


def _suspects(seen: View, views: Mapping[str, View], seed: str, key: str) -> list[Ask]:
    """A plain read of each other entry, the methods that were tried, and a generated request of each sort."""
    group, own = after_group(key), seen.appliance.ha_id
    plain = [
        read(seen, other, segment, group, "repeat")
        for (segment, other), answer in seen.reads.items()
        if other != key and answer.has_value
    ]
    first: dict[Group | None, Ask] = {}
    for candidate in maker_of(seen, views, seed).candidates(()):
        ask = candidate.ask(seen)
        first.setdefault(ask.group, replace(ask, group=group, lane=own))
    methods = [replace(ask, group=group) for ask in methods_of(seen, seed)]
    return [*plain, *methods, *first.values()]
