"""The generated requests of one appliance, in the order in which they are made; equal for equal seeds."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, zip_longest
from urllib.parse import unquote

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.generated.mutations import Mutation, RequestPart, generated_group
from conformance.checks.view import View
from conformance.harness.generated.drawing import Drawn
from conformance.harness.generated.variations import (
    ALIASES,
    KEY_ALIASES,
    NAMELESS_HA_IDS,
    NAMELESS_KEYS,
    NEIGHBOURS,
    OF_NOTHING,
    OF_OTHER_KEYS,
    OF_OTHERS,
    Addition,
    Misspelling,
    Names,
    encoded,
)
from conformance.harness.steps import Ask, nonce
from conformance.harness.wire.messages import Wanted
from conformance.model.values import fits

_ROUNDS = 8
_ROUNDS_OF_HA_IDS = 2
_WORD = "aaaaaaaa"


class Origin(Struct, frozen=True):
    """An entry that an appliance serves, and the segment under which it does."""

    entry: Entry
    segment: str


class Candidate(Struct, frozen=True):
    """One generated request, the entry it was made from, and the appliance that it names besides, if any."""

    part: RequestPart
    mutation: Mutation
    origin: Origin
    wanted: Wanted
    other: str = ""

    def ask(self, seen: View) -> Ask:
        """The request."""
        group, own = generated_group(self.part, self.mutation), seen.appliance.ha_id
        return Ask("generated", group, own, self.origin.entry.key, self.origin.segment, self.wanted)


def origins_of(seen: View) -> tuple[Origin, ...]:
    """The entries that an appliance serves with a value of their type; no String, which any text fits."""
    return seen.once(origins_of, _origins)


def _origins(seen: View) -> tuple[Origin, ...]:
    return tuple(
        Origin(entry, segment)
        for (segment, key), answer in sorted(seen.reads.items())
        if (entry := CATALOG.entries[key]).type != "String" and answer.has_value and fits(entry, answer.value)
    )


def number_of(seed: str, most: int) -> int:
    """A number below `most`, the same for the same seed."""
    return int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8]) % most


class Maker(Struct, frozen=True, dict=True):
    """Makes the requests for one appliance that serves something.

    `others` are the appliances that are not declared to be the same one.
    """

    seen: View
    others: tuple[View, ...]
    seed: str

    @property
    def origins(self) -> tuple[Origin, ...]:
        """What the requests are made from."""
        return origins_of(self.seen)

    def candidates(self, drawn: Iterable[Drawn]) -> Iterator[Candidate]:
        """The requests, the most telling first: the tables, what is drawn, the tables with other entries."""
        if not self.origins:
            return
        names = (self._drawn(one, number) for number, one in enumerate(drawn))
        further = (self._known(turn) for turn in range(1, _ROUNDS))
        made: set[Wanted] = set()
        for candidate in chain(self._known(0), names, chain.from_iterable(further)):
            if candidate.wanted not in made:
                made.add(candidate.wanted)
                yield candidate

    def _known(self, turn: int) -> Iterator[Candidate]:
        """The requests of the tables, with other entries in each turn."""
        ha_ids = turn < _ROUNDS_OF_HA_IDS
        # before what names other appliances, of which a shard has fewer
        yield from _in_turn(
            self._keys(NAMELESS_KEYS, turn),
            self._ha_ids(NAMELESS_HA_IDS, turn) if ha_ids else (),
            self._additions(OF_NOTHING, turn),
        )
        yield from self._crossings(turn)
        yield from self._additions({**OF_OTHERS, **OF_OTHER_KEYS}, turn)
        yield from self._keys(NEIGHBOURS, turn)
        observed = [*self._keys(KEY_ALIASES, turn), *(self._ha_ids(ALIASES, turn) if ha_ids else ())]
        yield from sorted(observed, key=lambda one: self._number(f"{one.part}/{one.mutation}", 1 << 32))

    def _keys(self, table: Mapping[Mutation, Misspelling], turn: int) -> Iterator[Candidate]:
        known = {with_maker(key, self.seen.maker) for key in CATALOG.entries}
        for mutation, spell in table.items():
            origin = self._origin(mutation, turn)
            asked = spell(self._key(origin), self._word(mutation, turn))
            if asked is not None and unquote(asked) not in known:
                yield self._candidate(RequestPart.KEY, mutation, origin, key=asked)

    def _ha_ids(self, table: Mapping[Mutation, Misspelling], turn: int) -> Iterator[Candidate]:
        known = frozenset(self.seen.profile.ha_ids)
        for mutation, spell in table.items():
            asked = spell(self.seen.appliance.ha_id, self._word(mutation, turn))
            if asked is not None and unquote(asked) not in known:
                yield self._candidate(RequestPart.HA_ID, mutation, self._origin(mutation, turn), ha_id=asked)

    def _crossings(self, turn: int) -> Iterator[Candidate]:
        """Names with dot segments in them that lead to another appliance, encoded once and twice."""
        for mutation in (Mutation.DOTS_TO_ANOTHER, Mutation.DOTS_ENCODED_TWICE):
            for other, origin in self._shared(f"{mutation}/{turn}"):
                ha_id, key = other.appliance.ha_id, self._key(origin)
                to_ha_id = encoded(f"{self.seen.appliance.ha_id}/../{ha_id}")
                to_key = encoded(f"../../{ha_id}/{origin.segment}/{key}")
                if mutation is Mutation.DOTS_ENCODED_TWICE:
                    yield self._candidate(RequestPart.HA_ID, mutation, origin, ha_id=encoded(to_ha_id))
                    continue
                yield self._candidate(RequestPart.HA_ID, mutation, origin, ha_id=to_ha_id)
                yield self._candidate(RequestPart.KEY, mutation, origin, key=to_key)

    def _additions(self, table: Mapping[Mutation, Addition], turn: int) -> Iterator[Candidate]:
        for mutation, add in table.items():
            names_other = mutation in OF_OTHERS
            shared = self._shared(f"{mutation}/{turn}")
            if names_other and not shared:
                continue
            origin_of = self._beside if mutation in OF_OTHER_KEYS else self._origin
            other, origin = shared[0] if names_other else (self.seen, origin_of(mutation, turn))
            names = Names(
                self.seen.appliance.ha_id,
                origin.segment,
                self._key(origin),
                other.appliance.ha_id,
                self._key(self._other_origin(origin, mutation, turn)),
                self._word(mutation, turn),
            )
            yield Candidate(
                RequestPart.WHOLE, mutation, origin, add(names), other.appliance.ha_id if names_other else ""
            )

    def _drawn(self, drawn: Drawn, turn: int) -> Candidate:
        part = RequestPart.KEY if drawn.ha_id is None else RequestPart.HA_ID
        return self._candidate(
            part, Mutation.DRAWN, self._origin(Mutation.DRAWN, turn), ha_id=drawn.ha_id, key=drawn.key
        )

    def _candidate(
        self,
        part: RequestPart,
        mutation: Mutation,
        origin: Origin,
        *,
        ha_id: str | None = None,
        key: str | None = None,
    ) -> Candidate:
        """A request with a haId, a key or both as given, encoded already; else with those of the entry."""
        asked_ha_id = encoded(self.seen.appliance.ha_id) if ha_id is None else ha_id
        asked_key = encoded(self._key(origin)) if key is None else key
        path = f"/api/homeappliances/{asked_ha_id}/{origin.segment}/{asked_key}"
        return Candidate(part, mutation, origin, Wanted(path))

    def _shared(self, seed: str) -> list[tuple[View, Origin]]:
        """Another appliance, and an entry that tells it from this one; none where there is none."""
        telling = self._telling
        return [telling[self._number(seed, len(telling))]] if telling else []

    @cached_property
    def _telling(self) -> list[tuple[View, Origin]]:
        """The other appliances with each entry that both have with different values.

        If there is no such entry, with each that the other appliance has and this one refuses.
        """
        differing: list[tuple[View, Origin]] = []
        refused: list[tuple[View, Origin]] = []
        for other in self.others:
            for origin in origins_of(other):
                place = origin.segment, origin.entry.key
                own = self.seen.reads.get(place)
                if own is not None and own.has_value and own.value != other.reads[place].value:
                    differing.append((other, origin))
                elif own is not None and own.is_refusal:
                    refused.append((other, origin))
        pairs = differing or refused
        return [pair for pair in pairs if pair[1].entry.type != "Boolean"] or pairs

    def _origin(self, mutation: Mutation, turn: int) -> Origin:
        return self.origins[self._number(f"{mutation}/{turn}", len(self.origins))]

    def _beside(self, mutation: Mutation, turn: int) -> Origin:
        """An entry beside which one of another enumeration is served, if there is one; else any."""
        telling = [origin for origin in self.origins if self._others(origin)] or self.origins
        return telling[self._number(f"{mutation}/{turn}", len(telling))]

    def _other_origin(self, origin: Origin, mutation: Mutation, turn: int) -> Origin:
        """An entry that is served besides, of another enumeration if there is one; else the same one."""
        beside = [one for one in self.origins if one != origin and one.segment == origin.segment]
        others = self._others(origin) or beside or [origin]
        return others[self._number(f"other/{mutation}/{turn}", len(others))]

    def _others(self, origin: Origin) -> list[Origin]:
        """The entries under the same segment whose values are those of another enumeration."""
        families = {None, origin.entry.family}
        return [
            one for one in self.origins if one.segment == origin.segment and one.entry.family not in families
        ]

    def _key(self, origin: Origin) -> str:
        return with_maker(origin.entry.key, self.seen.maker)

    def _word(self, mutation: Mutation, turn: int) -> str:
        return nonce(f"{self.seed}/{mutation}/{turn}", _WORD)

    def _number(self, seed: str, most: int) -> int:
        return number_of(f"{self.seed}/{seed}", most)


def _in_turn(*each: Iterable[Candidate]) -> Iterator[Candidate]:
    """The requests of some sorts, one of each after the other: a small budget holds some of all."""
    return (one for row in zip_longest(*each) for one in row if one is not None)
