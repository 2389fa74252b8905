"""The generated requests of an appliance as procedures: each once, and what a check may want of it later.

A finding needs the same answer twice, on connections of its own, and plain reads of the same entry between.
These reads are no generated requests, and a finding in sight is made certain whatever the budget of the
profile is (pace.generated_reads). At the end the settings are read once more; where one moved, the request
that moved it is sought.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from typing import TypeAlias

from msgspec.structs import replace

from catalog.maker import with_maker
from conformance.checks.generated.moved_settings import CHANGES, late_methods, watched_settings
from conformance.checks.generated.mutations import METHODS, Mutation, RequestPart, generated_group
from conformance.checks.groups import Group, after_group
from conformance.checks.reads.tries import LEAST_TRIES
from conformance.checks.view import View
from conformance.harness.generated.candidates import Maker, Origin, number_of, origins_of
from conformance.harness.generated.drawing import names_for
from conformance.harness.steps import Ask, Part, Pause, Procedure, apart, path_of, read, reread
from conformance.harness.wire.messages import Wanted
from conformance.model.json_values import same

_ON_ONE = 60
"""Up to this budget, HEAD and OPTIONS are tried on one entry; above it, on more for half of the rest.

So a larger budget leaves no fewer of the others.
"""

_METHOD = 3
"""Requests to try a method on an entry, where it changes nothing: it, and a plain read before and after."""
_KEPT = 8
"""One request of so many is kept for what is found."""


Again: TypeAlias = Callable[[View], Procedure]
"""What a check may want of what was generated, by the appliance as it was seen then."""


Generated: TypeAlias = dict[int | tuple[str, Group], Again]
"""What was generated in a run: how a request is made again, by the number of its exchange, and how the one is
sought that moved a setting, by haId and the group of its last reads.
"""


def generated_reads(seen: View, views: Mapping[str, View], seed: str, made: Generated) -> Iterator[Procedure]:
    """The generated requests of one appliance: none where it serves nothing, or keys that cannot exist.

    Args:
        seen: the appliance.
        views: all appliances, by haId.
        seed: what the requests are drawn from.
        made: is told how each is made again.
    """
    most = seen.profile.generated_reads
    maker = maker_of(seen, views, seed)
    if seen.learned.answers_anything or not (most and maker.origins):
        return
    methods = methods_of(seen, seed)
    left = most - most // _KEPT - _METHOD * len(methods) - len(watched_settings(seen))
    # it takes a second, in which no request is under way yet
    names = names_for(seen.profile, seen.maker, seed)
    yield _with_methods(seen, methods, made)
    first = number_of(f"{seed}/{seen.appliance.ha_id}", len(names)) if names else 0
    for candidate in islice(maker.candidates(names[first:] + names[:first]), max(left, 0)):
        yield _request(candidate.ask(seen), views.get(candidate.other), made)


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
    """HEAD and OPTIONS on an entry of one type after the other: numbers that nobody turns back first."""
    own, most = seen.appliance.ha_id, seen.profile.generated_reads
    by_type: dict[str, list[Origin]] = {}
    for origin in origins_of(seen):
        by_type.setdefault(origin.entry.type, []).append(origin)
    types = sorted(by_type, key=lambda name: (name != "Integer", name))
    chosen = [by_type[name][number_of(f"{seed}/{own}/{name}", len(by_type[name]))] for name in types]
    asks = [_method(seen, origin, method) for origin in chosen for method in METHODS]
    further = max(0, most - _ON_ONE) // (2 * _METHOD)
    return asks[: min(most // (2 * _METHOD), len(METHODS) + further)]


def _method(seen: View, origin: Origin, mutation: Mutation) -> Ask:
    group, own = generated_group(RequestPart.WHOLE, mutation), seen.appliance.ha_id
    path = path_of(own, origin.segment, with_maker(origin.entry.key, seen.maker))
    wanted = Wanted(path, method=mutation.name)
    return Ask("generated", group, own, origin.entry.key, origin.segment, wanted)


def _request(ask: Ask, other: View | None, made: Generated) -> Procedure:
    answer = yield ask
    made[answer.exchange.n] = partial(_value_again, ask=ask, other=other)


def _value_again(seen: View, *, ask: Ask, other: View | None) -> Procedure:
    """The request again between plain reads, and beside it the same entry of another appliance."""
    yield _beside(seen, ask)
    yield apart(ask)
    yield _beside(seen, ask)
    if other is not None:
        yield _beside(seen, ask, other)


def _with_methods(seen: View, methods: list[Ask], made: Generated) -> Procedure:
    """One entry and method after the other, so that no two are sent between the same plain reads.

    A method that got no answer in time is not sent again: each would cost the timeout once more.
    """
    late: set[str] = set()
    for ask in methods:
        if ask.wanted.method in late:
            continue
        yield _beside(seen, ask)
        answer = yield ask
        late |= late_methods([answer])
        # as long as it changes the value
        made[answer.exchange.n] = lambda seen, ask=ask: _between(_beside(seen, ask), ask)
        yield _beside(seen, ask)


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


def settings_after(seen: View, views: Mapping[str, View], seed: str, made: Generated) -> Iterator[Procedure]:
    """The last reads of one appliance; `views`, `seed` and `made` are those of its generated requests."""
    if not seen.learned.answers_anything:
        yield _looked_at(seen)
    for key in watched_settings(seen):
        cause = partial(_cause_sought, views=views, seed=seed, key=key)
        made[seen.appliance.ha_id, after_group(key)] = cause


def _looked_at(seen: View) -> Procedure:
    """Every setting once."""
    watched = watched_settings(seen)
    if not watched and seen.anchor:  # what was asked for tells something only if the appliance still answers
        anchor = seen.anchor.exchange
        yield reread(seen, anchor.key, after_group(anchor.key), anchor.segment)
    for key in watched:
        yield from _surely(seen, reread(seen, key, after_group(key)))


def _cause_sought(seen: View, *, views: Mapping[str, View], seed: str, key: str) -> Procedure:
    """A setting that moved, read before and after each request that may have moved it."""
    for suspect in _suspects(seen, views, seed, key):
        if (yield from _between(reread(seen, key, after_group(key)), suspect)):
            return


def _surely(seen: View, ask: Ask) -> Procedure:
    """A read; made again where it meets an error, which says nothing of the entry."""
    answer = yield ask
    for _ in range(LEAST_TRIES - 1):
        if not answer.is_error:
            break
        yield Pause(seen.profile.retry_s)
        answer = yield ask


def _suspects(seen: View, views: Mapping[str, View], seed: str, key: str) -> list[Ask]:
    """A plain read of each other entry, the methods that were tried, and a generated request of each sort."""
    group = after_group(key)
    plain = [
        read(seen, other, segment, group, "repeat")
        for (segment, other), answer in seen.reads.items()
        if other != key and answer.has_value
    ]
    first: dict[Group | None, Ask] = {}
    for candidate in maker_of(seen, views, seed).candidates(()):
        ask = candidate.ask(seen)
        first.setdefault(ask.group, replace(ask, group=group))
    methods = [replace(ask, group=group) for ask in methods_of(seen, seed)]
    return [*plain, *methods, *first.values()]
