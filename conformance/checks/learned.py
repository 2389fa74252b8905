"""What all reads of an appliance teach about it, and what one case has looked at."""

from collections.abc import KeysView, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any

from msgspec import Struct

from catalog.loader import CATALOG
from conformance.checks.answer import Answer, Outcome, Signature, in_order
from conformance.checks.groups import LATER, NONCE_SETTINGS, NONCE_STATUS, UNKNOWN_ENTRIES, Group
from conformance.profiles.model import Profile


class Learned(Struct, frozen=True, dict=True):
    """What the shared reads and the controls of an appliance teach about it, worked out once.

    `worked_out` is what else was, for one case, and is so for all (`View.once`): by its name, with its looks.
    """

    profile: Profile
    tried: tuple[str, ...]
    reads: Mapping[tuple[str, str], Answer]
    groups: Mapping[Group, tuple[Answer, ...]]
    worked_out: dict[object, tuple[Any, "Trail"]] = {}

    @cached_property
    def anchor(self) -> Answer | None:
        """The first answer with a value, in catalog order."""
        places = ((segment, key) for key in self.tried for segment in CATALOG.entries[key].segments)
        answers = (self.reads.get(place) for place in places)
        return next((answer for answer in answers if answer and answer.has_value), None)

    @cached_property
    def served(self) -> KeysView[str]:
        """The keys of which a shared read gave a value, under any segment, in the order of the reads."""
        return dict.fromkeys(key for (_, key), answer in self.reads.items() if answer.has_value).keys()

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        """The answers for keys that cannot exist and for keys of other kinds, without what differs by key."""
        return frozenset(
            answer.signature
            for group in UNKNOWN_ENTRIES
            for answer in self.groups.get(group, ())
            if answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE}
        )

    @cached_property
    def settings(self) -> tuple[str, ...]:
        """The settings that gave a value, in the order of the document."""
        reads = ((key, self.reads.get(("settings", key))) for key in self.tried if ".Setting." in key)
        return tuple(key for key, answer in reads if answer and answer.has_value)

    @cached_property
    def later(self) -> Mapping[str, Mapping[int, Answer]]:
        """What was read again, by key and number, in procedures that ask as a shared read does."""
        found: dict[str, dict[int, Answer]] = {}
        for group, answers in self.groups.items():
            for answer in answers if group.kind in LATER else ():
                if answer.exchange.purpose == "repeat":
                    found.setdefault(answer.key, {})[answer.n] = answer
        return found

    @cached_property
    def told(self) -> Mapping[str, Sequence[Answer]]:
        """All answers of procedures, by the appliance that was asked, in the order in which they came."""
        found: dict[str, list[Answer]] = {}
        for answer in in_order(chain.from_iterable(self.groups.values())):
            found.setdefault(answer.ha_id, []).append(answer)
        return found

    @cached_property
    def shows_keys(self) -> bool:
        """Whether the value of every entry is its own key, whatever the maker's name."""
        shown = [(key, answer.value) for (_, key), answer in self.reads.items() if answer.has_value]
        return bool(shown) and all(
            isinstance(value, str) and value.partition(".")[2] == key.partition(".")[2]
            for key, value in shown
        )

    @cached_property
    def answers_anything(self) -> bool:
        """Whether two keys that cannot exist gave a value."""
        groups = (NONCE_SETTINGS, NONCE_STATUS)
        served = sum(answer.has_value for group in groups for answer in self.groups.get(group, ()))
        return self.profile.interpretation.unknown_yields_nothing and served > 1


class Trail(Struct):
    """What one case looks at, in order: the answers it rests on, and the keys it misses.

    A key is missed that is tried on the appliance and that the run has not asked: a part of a run, or a
    ledger that holds less than is judged. `groups` are the procedures that it asks for, made or not; of the
    `silent` ones it needs to know only that they asked nothing about a key. `is_of_all` says that it looks
    through all of them. `wanted` are those that would tell more if they were made, or made once more, and the
    numbers of exchanges whose requests would if they were made again.
    """

    answers: dict[int, Answer] = {}
    missed: dict[str, None] = {}
    groups: set[Group] = set()
    silent: set[Group] = set()
    is_of_all: bool = False
    wanted: dict[Group | int, None] = {}

    def add(self, other: "Trail") -> None:
        """The case looks at all that another one has looked at."""
        self.answers |= other.answers
        self.missed |= other.missed
        self.groups |= other.groups
        self.silent |= other.silent
        self.wanted |= other.wanted
        self.is_of_all |= other.is_of_all
