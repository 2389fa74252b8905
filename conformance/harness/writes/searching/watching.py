"""The declared list of settings as a watcher: one read of it tells which settings moved since the last one.

A list convicts nobody: what moved is read by itself, and only that is an observation. It is no watcher where
it disagreed with the entries when everything was read, where it lacks one of them, or where a write that
took effect does not show in it, as in one that is cached or lags behind.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.groups import LISTS, Group
from conformance.checks.reads.list_items import agrees, items_of
from conformance.checks.view import View
from conformance.harness.reads.gets import listing
from conformance.harness.steps import Part

_WORTH_IT = 4
"""Of fewer settings, each is read after a write of another: a list would save nothing."""


class Watcher:
    """The list of one appliance, which is read for `group`, as a watcher of some settings."""

    def __init__(self, seen: View, watched: Collection[str], group: Group) -> None:
        self._seen = seen
        self._group = group
        self._items: dict[str, object] = {}
        read = seen.groups.get(LISTS[0], ())
        items = self._read(read[-1]) if read else {}
        self._is_one = len(watched) >= _WORTH_IT and all(
            key in items and agrees(items[key], seen.value(key)) for key in watched
        )

    def look(self) -> Part[None]:
        """Reads the list, from which is told what moves later."""
        shape = self._seen.profile.list.settings
        if self._is_one and shape:
            self._items = self._read((yield listing(self._seen, "settings", shape, self._group)))

    def moved(self, watched: Collection[str], written: str, *, took: bool) -> Part[Collection[str]]:
        """Those of some settings that may have moved: all of them where the list is no watcher.

        `took` says whether the value of the `written` setting changed since the list was read last.
        """
        before = self._items
        if not self._is_one:
            return watched
        yield from self.look()
        changed = {key for key in {*before, *self._items} if not self._is_like(before, key)}
        self._is_one = not took or written in changed
        if not self._is_one:
            return watched
        return [key for key in watched if key in changed or key not in before]

    def _is_like(self, before: Mapping[str, object], key: str) -> bool:
        return repr(self._items.get(key)) == repr(before.get(key))  # true is not 1

    def _read(self, answer: Answer) -> dict[str, object]:
        """The items of a list by their keys, as the catalog spells them."""
        found = {key: item for key, item in items_of(self._seen, answer) or () if isinstance(key, str)}
        wire = {key: with_maker(key, self._seen.maker) for key in self._seen.tried}
        return {key: found[name] for key, name in wire.items() if name in found}
