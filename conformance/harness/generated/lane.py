"""The generated requests of an appliance as procedures: each request, and again if a finding is in sight.

A finding needs the same answer twice, on connections of its own, and plain reads of the same entry between.
These reads are no generated requests, but they count in the budget of the profile (pace.generated_reads). At
the end the settings are read once more, to find the request that moved one.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from msgspec.structs import replace

from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.generated.moved_settings import CHANGES, moved_read, watched_settings
from conformance.checks.generated.mutations import METHODS, Mutation, RequestPart, generated_group
from conformance.checks.generated.probes import is_telling
from conformance.checks.generated.server_errors import is_broken
from conformance.checks.groups import Group, after_group
from conformance.checks.reads.tries import LEAST_TRIES, odds
from conformance.checks.view import View
from conformance.harness.generated.candidates import Candidate, Maker, Origin, number_of, origins_of
from conformance.harness.generated.drawing import names_for
from conformance.harness.reads.gets import apart, path_of, read, reread
from conformance.harness.reads.repeats import tries_ended
from conformance.harness.steps import Ask, Part, Pause, Procedure
from conformance.harness.wire.messages import Wanted
from conformance.model.json_values import same

_LONG = 200
"""What is longer is cut: half of it is still longer than any key, and so no name that an entry has."""
_CUT_ESCAPE = re.compile(r"%[0-9A-Fa-f]?$")


def halved(wanted: Wanted) -> Wanted | None:
    """A request with its longest part cut in half: a path segment, the query or a header; None if short."""
    path, mark, query = wanted.path.partition("?")
    longest = max([*path.split("/"), query, *(value for _, value in wanted.headers)], key=len)
    if len(longest) <= _LONG:
        return None
    half = _CUT_ESCAPE.sub("", longest[: len(longest) // 2])
    return replace(
        wanted,
        path=f"{path.replace(longest, half)}{mark}{query.replace(longest, half)}",
        headers=tuple((name, value.replace(longest, half)) for name, value in wanted.headers),
    )


_SEVERAL = 100
"""From this budget on, HEAD and OPTIONS are tried on an entry of each type; below, on one entry."""

_METHOD = 3
"""Requests to try a method on an entry, where it changes nothing: it, and a plain read before and after."""
_MOST_ERRORS = 3
"""Errors of an appliance that are shrunk and tried again: who breaks at one long name breaks at each."""
_KEPT = 8
"""One request of so many is kept for the shrinking of what is found."""


@dataclass
class Budget:
    """The generated requests that an appliance may still be asked.

    It ends what has not begun: a finding in sight is confirmed in any case. `kept` are those that only shrink
    findings; `errors` counts the requests that met an error.
    """

    left: int
    kept: int
    errors: int = 0

    def take(self, count: int = 1) -> bool:
        """Takes one request, or several; false where none is left."""
        self.left -= count
        return self.left >= 0


def generated_reads(seen: View, views: Mapping[str, View], seed: str) -> Iterator[Procedure]:
    """The generated requests of one appliance: none where it serves nothing, or keys that cannot exist.

    Args:
        seen: the appliance.
        views: all appliances, by haId.
        seed: what the requests are drawn from.
    """
    most = seen.profile.generated_reads
    maker = maker_of(seen, views, seed)
    if seen.answers_anything or not (most and maker.origins):
        return
    methods = methods_of(seen, seed)
    budget = Budget(most - _METHOD * len(methods) - len(watched_settings(seen)), most // _KEPT)
    # it takes a second, in which no request is under way yet
    names = names_for(seen.profile, seen.catalog, seen.maker, seed)
    yield _with_methods(seen, methods)
    first = number_of(f"{seed}/{seen.appliance.ha_id}", len(names)) if names else 0
    for candidate in maker.candidates(names[first:] + names[:first]):
        if budget.left <= budget.kept:
            return
        other = views.get(candidate.other)
        yield _tried(seen, candidate, other, budget)


def maker_of(seen: View, views: Mapping[str, View], seed: str) -> Maker:
    """What makes the generated requests of one appliance."""
    own = seen.appliance
    others = [
        view
        for ha_id, view in views.items()
        if own.ha_id not in {ha_id, view.appliance.alias_of} and ha_id != own.alias_of
    ]
    return Maker(seen, tuple(others), f"{seed}/{own.ha_id}")


def methods_of(seen: View, seed: str) -> list[Ask]:
    """HEAD and OPTIONS, each on several entries: numbers that nobody turns back first."""
    own, most = seen.appliance.ha_id, seen.profile.generated_reads
    by_type: dict[str, list[Origin]] = {}
    for origin in origins_of(seen):
        by_type.setdefault(origin.entry.type, []).append(origin)
    types = sorted(by_type, key=lambda name: (name != "Integer", name))
    chosen = [
        by_type[name][number_of(f"{seed}/{own}/{name}", len(by_type[name]))]
        for name in (types if most >= _SEVERAL else types[:1])
    ]
    asks = [_method(seen, origin, method) for origin in chosen for method in METHODS]
    return asks[: most // (2 * _METHOD)]


def _method(seen: View, origin: Origin, mutation: Mutation) -> Ask:
    group, own = generated_group(RequestPart.WHOLE, mutation), seen.appliance.ha_id
    path = path_of(own, origin.segment, with_maker(origin.entry.key, seen.maker))
    wanted = Wanted(path, method=mutation.name)
    return Ask("generated", group, own, origin.entry.key, origin.segment, wanted, lane=own)


def _tried(seen: View, candidate: Candidate, other: View | None, budget: Budget) -> Procedure:
    if budget.left <= budget.kept:
        return
    budget.take()
    ask = candidate.ask(seen)
    answer = yield ask
    if is_broken(answer):
        yield from _error_again(seen, ask, answer, budget)
    elif is_telling(seen, candidate.mutation, candidate.origin.entry, answer):
        yield from _value_again(seen, candidate, ask, budget)
        if other is not None:
            budget.take()
            yield _beside(seen, ask, other)


def _value_again(seen: View, candidate: Candidate, ask: Ask, budget: Budget) -> Procedure:
    """The request again, and shorter ones that are answered with a value as well; each twice."""
    while True:
        budget.take(3)
        yield _beside(seen, ask)
        yield apart(ask)
        yield _beside(seen, ask)
        shorter = halved(ask.wanted)
        if shorter is None or not budget.take():
            return
        ask = replace(ask, wanted=shorter)
        answer = yield ask
        if not is_telling(seen, candidate.mutation, candidate.origin.entry, answer):
            return


def _error_again(seen: View, ask: Ask, answer: Answer, budget: Budget) -> Procedure:
    """Shorter requests that break the server as well; the shortest again where the profile calls it a fail.

    That one is made as often as it takes to tell it from chance.
    """
    budget.errors += 1
    if budget.errors > _MOST_ERRORS:
        return
    while (shorter := halved(ask.wanted)) and budget.take():
        found = yield replace(ask, wanted=shorter)
        if not is_broken(found):
            break
        ask, answer = replace(ask, wanted=shorter), found
    if seen.profile.interpretation.server_errors != "fail":
        return
    later: list[Answer] = []
    tries = 1
    while is_broken(answer):
        now = odds(seen, later)
        if now.are_met_by(tries) or not now.is_within_budget:
            break
        budget.take(2)
        later.append((yield _beside(seen, ask)))
        answer = yield apart(ask)
        tries += 1
    budget.take()
    later.append((yield _beside(seen, ask)))
    if ask.group is not None:
        yield tries_ended(seen, ask.group, ask.key, tries, later)


def _with_methods(seen: View, methods: list[Ask]) -> Procedure:
    """One entry and method after the other, so that no two are sent between the same plain reads."""
    for ask in methods:
        yield from _between(_beside(seen, ask), ask)


def _between(plain: Ask, ask: Ask) -> Part[bool]:
    """A request between two plain reads; if the value changed, as often as it takes to tell why.

    Returns whether it changed each time.
    """
    before = yield plain
    for _ in range(CHANGES):
        yield ask
        after = yield plain
        if not (before.has_value and after.has_value) or same(before.value, after.value):
            return False
        before = after
    for _ in range(CHANGES):
        yield plain
    return True


def _beside(seen: View, ask: Ask, other: View | None = None) -> Ask:
    """A plain read of what a generated request was made from, or of the same entry of another appliance."""
    own = seen.appliance.ha_id
    plain = read(other or seen, ask.key, ask.segment, ask.group, "repeat")
    return replace(apart(plain), lane=own)


def settings_after(seen: View, views: Mapping[str, View], seed: str) -> Iterator[Procedure]:
    """The last reads of one appliance; `views` and `seed` are those of its generated requests."""
    if not seen.answers_anything:
        yield _looked_at(seen, views, seed)


def _looked_at(seen: View, views: Mapping[str, View], seed: str) -> Procedure:
    """Every setting once; the first that moved now or before, with each request that may have moved it."""
    moved: list[str] = []
    watched = watched_settings(seen)
    if not watched and seen.anchor:  # what was asked for tells something only if the appliance still answers
        anchor = seen.anchor.exchange
        ask = reread(seen, anchor.key, after_group(anchor.key), anchor.segment)
        yield replace(ask, lane=seen.appliance.ha_id)
    for key in watched:
        answer = yield from _surely(seen, _plain(seen, key))
        differs = answer.has_value and not same(answer.value, seen.reads["settings", key].value)
        if differs or moved_read(seen, key):
            moved.append(key)
    for key in moved[:1]:
        for suspect in _suspects(seen, views, seed, key):
            if (yield from _between(_plain(seen, key), suspect)):
                return


def _surely(seen: View, ask: Ask) -> Part[Answer]:
    """What a read gives; made again where it meets an error, which says nothing of the entry."""
    answer = yield ask
    for _ in range(LEAST_TRIES - 1):
        if not answer.is_error:
            break
        yield Pause(seen.profile.retry_s)
        answer = yield ask
    return answer


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
