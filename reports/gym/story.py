"""What a client did not survive, as blocks: the counts, then what breaks it by sort of oddity."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final

from reports.gym.model import Met, Survived
from reports.story.blocks import Block, Item, Line, Title
from reports.texts import one_line, plural, some_of

_ALLOWED: Final = attrgetter("allowed")
_LAST_LINES: Final = 2
"""Of what a failed run printed: a test says at its end what was wrong."""


def gym_story(survived: Survived) -> Iterator[Block]:
    """The blocks in their order, as a terminal prints them."""
    yield Line(counts(survived), strong=True, mood="fail" if survived.of("broke") else "pass")
    for group, servers in in_groups(smallest(survived.servers)):
        yield Title(f"\n{group}")
        for allowed, alike in groupby(sorted(servers, key=_ALLOWED), key=_ALLOWED):
            below = (line for one in alike for line in _lines(one, survived.servers))
            yield Item(allowed, tuple(below), mood="fail")
    flaky = survived.of("flaky")
    if flaky:
        yield Line(some_of([one.name for one in flaky], 20), "flaky: failed, and passed when run again")
    idle = [one for one in survived.servers if not any(attempt.requests for attempt in one.attempts)]
    if idle:
        yield Line(some_of([one.name for one in idle], 20), "asked nothing of")


def counts(survived: Survived) -> str:
    """How many servers the client met, and what came of it."""
    broken, flaky = len(survived.of("broke")), len(survived.of("flaky"))
    met = plural(len(survived.servers), "server")
    if not broken:
        return f"It survives {met}{f', {flaky} of them not every time' if flaky else ''}."
    return f"Of {met} {broken} break it{f', {flaky} at times' if flaky else ''}."


def smallest(servers: Sequence[Met]) -> list[Met]:
    """The servers that break the client, but those that have the oddity of another one and more."""
    return [one for one in servers if one.survival == "broke" and not one.parts]


def in_groups(servers: Iterable[Met]) -> list[tuple[str, list[Met]]]:
    """The servers by the sort of their oddity, the sort with most of them first."""
    groups: dict[str, list[Met]] = defaultdict(list)
    for group, members in groupby(servers, key=lambda one: one.group):
        groups[group] += members
    return sorted(groups.items(), key=lambda group: -len(group[1]))


def with_more(part: Met, servers: Sequence[Met]) -> list[str]:
    """The names of broken servers that have this oddity, and more."""
    return [one.name for one in servers if part.name in one.parts]


def last_words(server: Met) -> list[str]:
    """How the run that failed ended, then the last lines that say something."""
    failed = server.failed
    if failed is None:
        return []
    lines = [line for line in failed.said.splitlines() if line.strip(" =-_^~")]
    return [failed.words, *(one_line(line, 160) for line in lines[-_LAST_LINES:])]


def _lines(server: Met, servers: Sequence[Met]) -> Iterator[str | tuple[str, ...]]:
    yield f"{server.name}: {server.what}"
    also = with_more(server, servers)
    more = [f"with this and more: {some_of(also, 8)}"] if also else []
    yield (*last_words(server), *more)
