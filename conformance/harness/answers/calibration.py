"""Learns where answers hold their values, if the profile does not say so; the report says it is a guess.

All shared reads are looked at together. Values do for entries of several kinds: true or false for Booleans,
numbers for numbers, members of the right family for each enumeration. No constant member does, and no name.
Where one of the usual places does, it is taken. Any other place is taken only where hardly an entry
contradicts it and no type altogether, and where it does for every entry that another such place does for, and
for more. Among equals nothing is guessed, and they are named. Where too little was read to tell, one of the
usual places is taken as soon as it, and no other of them, holds a value of the right type (register of what
is not shown, NS-02).

The guess rests on the exchanges in the order of the ledger alone: learning from them one by one, as a run
does, and from all of them at once, as judging a ledger does, gives the same.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress
from typing import TypeAlias

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.exchange import Exchange
from conformance.checks.groups import ProcedureKind
from conformance.harness.answers.classes import Classifier, Guess
from conformance.harness.answers.decoding import MalformedError, decode, find
from conformance.harness.answers.pointers import kind_of, leaves, suits, type_of
from conformance.model.values import fits
from conformance.profiles.fields import parse_statuses
from conformance.profiles.model import Profile
from conformance.profiles.sections import AnswerShape

USUAL = ("/data/value", "/value", "")
_ENDS_IN_A_LIST = re.compile(r"/\d+$")
_NO_READ = {"list", "write", "restore", "hook"}
_KINDS = 2
_FITS_A_MISFIT = 4
_CONSTANT_IN = 3
_CONSTANT_LENGTH = 60
_VARIED = 2
_MOST_CANDIDATES = 4


_Asked: TypeAlias = tuple[str, str, str]
"""The haId, segment and key of a read."""


class Tally(Struct):
    """The entries that one place suits and does not suit, and the first two values it held."""

    does: set[_Asked] = set()
    does_not: set[_Asked] = set()
    kinds: set[str] = set()
    types: set[str] = set()
    held_kinds: set[str] = set()
    held_types: set[str] = set()
    values: set[str] = set()
    held: int = 0

    def add(self, asked: _Asked, entry: Entry, value: object) -> None:
        """Takes down what a body of an entry holds here."""
        fitting = suits(entry, value)
        self.held += 1
        if len(self.values) < _VARIED:
            self.values.add(json.dumps(value)[:_CONSTANT_LENGTH])
        self.held_kinds.add(kind_of(entry))
        self.held_types.add(type_of(entry))
        if fitting:
            self.does.add(asked)
            self.kinds.add(kind_of(entry))
            self.types.add(type_of(entry))
        elif fitting is False:
            self.does_not.add(asked)

    @property
    def has_kinds(self) -> bool:
        """Whether it does for entries of several kinds, which no constant member and no name does."""
        return len(self.kinds) >= _KINDS

    @property
    def is_plausible(self) -> bool:
        """Whether values may stand here although the name is unusual: hardly an entry contradicts it."""
        return self.has_kinds and _FITS_A_MISFIT * len(self.does_not) <= len(self.does)

    @property
    def lacks_a_type(self) -> bool:
        """Whether it suits no entry of a type that it holds; their values may stand elsewhere."""
        return not self.held_types - {"String"} <= self.types

    @property
    def is_constant(self) -> bool:
        """Whether entries of several kinds hold one and the same here, which is no value."""
        return self.held >= _CONSTANT_IN and len(self.values) == 1 and len(self.held_kinds) >= _KINDS


Tallies = defaultdict[str, Tally]


class PlacesSeen:
    """What the bodies so far hold where, counted as they come: no body is looked at twice.

    `every` counts all of them, and `of` those of each segment.
    """

    def __init__(self) -> None:
        self.every = Tallies(Tally)
        self.of: defaultdict[str, Tallies] = defaultdict(lambda: Tallies(Tally))
        self._count = 0
        self._first_json = math.inf
        self._first_fitting: dict[str, int] = {}
        self._usual: dict[tuple[str, ...], None] = {}

    def add(self, asked: _Asked, entry: Entry, held: dict[str, object], *, shows_json: bool) -> None:
        """Counts the body that came next: whose it is, what it holds where, and whether JSON is meant."""
        self._count += 1
        if shows_json:
            self._first_json = min(self._first_json, self._count)
        for place, value in held.items():
            self.every[place].add(asked, entry, value)
            self.of[asked[1]][place].add(asked, entry, value)
            if place not in self._first_fitting and fits(entry, value):
                self._first_fitting[place] = self._count
        self._usual[tuple(place for place in USUAL if fits(entry, held.get(place)))] = None

    def first_value(self, guess: Guess) -> float:
        """The number of the first body with a value of the right type where a guess says; else infinite."""
        return min(
            (self._first_fitting.get(place, math.inf) for place in guess.places("settings")), default=math.inf
        )

    def shows_json(self, until: float) -> bool:
        """Whether any of the bodies up to a number shows that JSON is meant."""
        return self._first_json <= min(until, self._count)

    def one_usual(self) -> str | None:
        """The usual place with a value of the right type in the first body in which just one has one."""
        for fitting in self._usual:
            usual = [place for place in fitting if not self.every[place].is_constant]
            if len(usual) == 1:
                return usual[0]
        return None


class Calibration:
    """What a run has learned so far.

    It is settled, and does not change any more, once there is a guess after the shared reads.
    """

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._successes = parse_statuses(profile.http.success)
        self._declared = profile.answer.value
        self._seen = PlacesSeen()
        self._known: set[tuple[str, str, str, bytes]] = set()
        self._reads_are_over = False
        self._is_decided = False
        self.is_settled = False
        self.classifier = Classifier(profile)

    def learn(self, exchanges: Iterable[Exchange]) -> Classifier:
        """The classifier of the run, after more exchanges in the order of the ledger."""
        for exchange in exchanges:
            if not self._reads_are_over and _is_further(exchange):
                self._reads_are_over, self._is_decided = True, False
                self._decide()
            if self.is_settled:
                return self.classifier
            self._look(exchange)
            if self._reads_are_over or self._declared is not None:
                self._decide()
        self._decide()
        return self.classifier

    def _look(self, exchange: Exchange) -> None:
        """Takes down what the body of an entry holds, if it is a new one."""
        response, entry = exchange.response, CATALOG.entries.get(exchange.key)
        if response is None or response.cut or response.status not in self._successes:
            return
        if entry is None or exchange.purpose in _NO_READ:
            return
        asked = (exchange.ha_id, exchange.segment, exchange.key)
        if (*asked, response.body) in self._known:
            return
        self._known.add((*asked, response.body))
        with suppress(MalformedError):
            body = decode(response.body, response.charset, self._profile.http.limits)
            held = leaves(body) if self._declared is None else _at(body, self._declared)
            # A bare 50 or true parses by accident: only a structure, or the media type, shows JSON is meant.
            shows_json = response.says_json or isinstance(body, dict | list)
            self._seen.add(asked, entry, held, shows_json=shows_json)
            self._is_decided = False

    def _decide(self) -> None:
        """Fixes what is known now; for good where a guess rests on all shared reads."""
        if self._is_decided:  # nothing has come since
            return
        self._is_decided = True
        guess = guessed(self._seen) if self._declared is None else Guess(self._declared)
        first = self._seen.first_value(guess)
        self.classifier = Classifier(self._profile, guess, speaks_json=self._seen.shows_json(first))
        has_value = first < math.inf
        self.is_settled = has_value and (self._reads_are_over or self._declared is not None)


def _at(body: object, place: str) -> dict[str, object]:
    """What stands at a place, if that is no structure."""
    found = find(body, place)
    return {place: found} if isinstance(found, str | int | float) else {}


def guess_of(exchanges: Iterable[Exchange], profile: Profile) -> Guess:
    """Where these answers seem to hold their values, whatever the profile declares."""
    undeclared = profile.model_copy(update={"answer": AnswerShape()})
    in_order = sorted(exchanges, key=lambda exchange: exchange.n)
    return Calibration(undeclared).learn(in_order).guess


def _is_further(exchange: Exchange) -> bool:
    """Whether an exchange is none of the shared reads; one that keeps the pace is made again among them."""
    return exchange.group is not None and exchange.group.kind is not ProcedureKind.PACE


def guessed(seen: PlacesSeen) -> Guess:
    """Where these bodies hold values: one place for all, one for each segment, or none."""
    place, candidates = _best(seen.every)
    of_settings, of_status = seen.of["settings"], seen.of["status"]
    if place is not None:
        others = (None if place in held else _of_members(held) for held in (of_settings, of_status))
        settings, status = others
        return Guess(settings or place, place if settings else status)
    (settings, _), (status, _) = _best(of_settings), _best(of_status)
    if settings is not None and status is not None:
        return Guess(settings, status)
    if candidates:
        return Guess(candidates=candidates)
    usual = seen.one_usual()
    return Guess(usual) if usual is not None else Guess(candidates=_likely(seen.every))


def _best(tallies: dict[str, Tally]) -> tuple[str | None, tuple[str, ...]]:
    """The one place where values stand, or None and the several among which nobody can tell."""
    usual = [place for place in USUAL if place in tallies and tallies[place].has_kinds]
    plausible = sorted(place for place, tally in tallies.items() if tally.is_plausible)
    best = usual or [
        place
        for place in plausible
        if not any(tallies[place].does < tallies[other].does for other in plausible)
    ]
    if len(best) == 1 and (usual or not tallies[best[0]].lacks_a_type):
        return best[0], ()
    return None, tuple(best[:_MOST_CANDIDATES])


def _of_members(tallies: dict[str, Tally]) -> str | None:
    """The one place of a segment that holds members of the right families, and nothing that suits no entry.

    No constant does that, and no name; an item of a list is one of several choices. It is asked for where a
    segment holds nothing at all where the other one holds its values.
    """
    found = [
        place
        for place, tally in tallies.items()
        if "Enumeration" in tally.types and not tally.does_not and not _ENDS_IN_A_LIST.search(place)
    ]
    return found[0] if len(found) == 1 else None


def _likely(tallies: dict[str, Tally]) -> tuple[str, ...]:
    """What little there is: the places that do for most entries, to be named."""
    varied = ((place, tally) for place, tally in tallies.items() if not tally.is_constant)
    some = [place for place, tally in varied if len(tally.does) > len(tally.does_not)]
    return tuple(sorted(some, key=lambda place: (-len(tallies[place].does), place))[:_MOST_CANDIDATES])
