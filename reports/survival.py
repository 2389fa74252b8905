"""What a client did not survive: on the terminal, as a page, as JUnit.

gym.html is one self-contained page without any script; junit.xml has a suite for each sort of oddity, and a
test for each server.
"""

import shlex
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from reports.formats.junit import JunitTest, suite_of
from reports.page.rendering import render
from reports.story.blocks import Block, Item, Line, Title
from reports.texts import one_line, plural, some_of

Survival: TypeAlias = Literal["survived", "flaky", "broke"]
"""What came of a client on one server: `flaky` where it failed and passed by turns."""


class ClientRun(Struct, frozen=True):
    """One run of the command.

    Attributes:
        ended: how it ended: an exit code, the number of a signal below zero, or None where it took too long.
        seconds: how long it took.
        requests: how many requests the server got meanwhile.
        said: the end of what it printed.
    """

    ended: int | None
    seconds: float
    requests: int
    said: str

    @property
    def words(self) -> str:
        """How it ended: `exit code 1`."""
        if self.ended is None:
            return "it did not end in time"
        return f"ended by signal {-self.ended}" if self.ended < 0 else f"exit code {self.ended}"


class Met(Struct, frozen=True):
    """A server, and what came of the client on it.

    Attributes:
        name: what the server is called.
        what: what is odd about it.
        group: which sort of oddity that is.
        allowed: what allows it: a sentence of the document, or its silence; empty of a hostile server.
        survival: what came of the client.
        attempts: every run of the command, in their order; those after the first only where that failed.
        parts: the names of other servers that break the client, whose oddity is a part of this one.
    """

    name: str
    what: str
    group: str
    allowed: str
    survival: Survival
    attempts: tuple[ClientRun, ...]
    parts: tuple[str, ...] = ()

    @property
    def failed(self) -> ClientRun | None:
        """The last run that failed."""
        return next((one for one in reversed(self.attempts) if one.ended != 0), None)


class Survived(Struct, frozen=True):
    """What came of a client on all servers that it met.

    Attributes:
        command: the command, as it was typed.
        started: when the first run began (RFC 3339).
        seconds: how long all runs took.
        reference: the run on the reference.
        servers: what was met, in the order of the groups.
    """

    command: tuple[str, ...]
    started: str
    seconds: float
    reference: ClientRun
    servers: tuple[Met, ...]

    def of(self, survival: Survival) -> tuple[Met, ...]:
        """The servers on which that came of the client."""
        return tuple(one for one in self.servers if one.survival == survival)


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


def render_gym(survived: Survived) -> str:
    """The text of the page."""
    return render(
        *("gym.html.j2", "report.css", "gym.css"),
        survived=survived,
        command=shlex.join(survived.command),
        counts=counts(survived),
        broken=in_groups(smallest(survived.servers)),
        flaky=survived.of("flaky"),
        groups=in_groups(survived.servers),
        hostile=any(not one.allowed for one in survived.servers),
        with_more=with_more,
        last_words=last_words,
        VERDICT={"survived": "pass", "broke": "fail", "flaky": "inconclusive"},
    )


def gym_junit(survived: Survived) -> Iterator[str]:
    """The text of junit.xml, in pieces. A server that breaks the client at times has passed, and says so."""
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n'
    about = {"timestamp": survived.started.partition("+")[0]}
    for group, servers in in_groups(survived.servers):
        seconds = sum(attempt.seconds for one in servers for attempt in one.attempts)
        yield suite_of(group, [_test(one) for one in servers], about | {"time": f"{seconds:.3f}"})
    yield "</testsuites>\n"


def _test(server: Met) -> JunitTest:
    properties = {"survival": server.survival, "allowed": server.allowed}
    failed = server.failed
    reason = [server.allowed] if server.allowed else []
    text = "\n".join([server.what, *reason, *([failed.words, "", failed.said] if failed else [])])
    if server.survival == "broke":
        return JunitTest(
            server.name, properties, "failure", f"{server.what} {'; '.join(last_words(server))}", text
        )
    return JunitTest(server.name, properties, "", text=f"flaky: {text}" if server.survival == "flaky" else "")
