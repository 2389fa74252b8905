"""At most twelve reads of each kind of appliance: enough to see whether a profile fits, and no more.

Keys that are claimed come first, of as many sorts as there are. Where one of them is answered, a setting and
a status that do not exist follow, as what they are answered tells other refusals apart; then more of the
claimed keys, or, where no key of the kind's own is served, a key of each other kind. Where none is answered,
a haId is asked for that does not exist, and then another appliance.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from catalog.keys import POWER_STATE
from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.view import View
from conformance.harness.answers.pointers import type_of
from conformance.harness.reads import controls
from conformance.harness.steps import Part, Procedure, read

MOST_OF_A_KIND: Final = 12
"""Requests for the appliances of one kind."""
_FIRST = 4
"""Claimed keys of an appliance that are asked first."""
_APPLIANCES = 2
"""Appliances of a kind that are asked at most."""


def glances(views: Iterable[View], seed: str) -> Iterator[Procedure]:
    """The reads of each kind."""
    of_kind: dict[str, list[View]] = defaultdict(list)
    for seen in views:
        of_kind[seen.appliance.kind].append(seen)
    return (_glance(own, seed) for own in of_kind.values())


def _glance(views: Sequence[View], seed: str) -> Procedure:
    """The reads of the appliances of one kind."""
    left = MOST_OF_A_KIND
    for seen in views[:_APPLIANCES]:
        telling = iter(_telling(seen))
        answers = yield from _answers_to(seen, islice(telling, _FIRST))
        left -= len(answers)
        if any(answer.is_acknowledged for answer in answers.values()):
            for segment in ("settings", "status"):
                yield controls.unknown_key(seen, seed, segment)
                left -= 1
            others = _of_other_kinds(seen) if _is_kind_doubtful(answers) else telling
            yield from _answers_to(seen, islice(others, left))
            return
        yield controls.unknown_appliance(seen, "settings", POWER_STATE, seed)
        left -= 1


def _is_kind_doubtful(answers: Mapping[str, Answer]) -> bool:
    """Whether keys of all kinds are served, and those of the kind's own that were asked are not."""
    own = [answer for key, answer in answers.items() if not CATALOG.entries[key].is_vendor]
    return bool(own) and not any(answer.is_acknowledged for answer in own)


def _answers_to(seen: View, keys: Iterable[str]) -> Part[dict[str, Answer]]:
    """What an appliance answers to reads of some keys, under their own segments."""
    answers: dict[str, Answer] = {}
    for key in keys:
        answers[key] = yield read(seen, key, CATALOG.entries[key].segment)
    return answers


def _telling(seen: View) -> list[str]:
    """The keys that an appliance is said to have, or else may have, one of each sort first.

    Where none of its kind's own is said, the first one of these stands among them.
    """
    entries = [CATALOG.entries[key] for key in seen.tried if seen.claim(key) != "no"]
    claimed = [entry for entry in entries if seen.claim(entry.key) == "yes"]
    if claimed and all(entry.is_vendor for entry in claimed):
        claimed += [entry for entry in entries if not entry.is_vendor][:1]
    often = Counter[tuple[bool, str, str]]()

    def turn(entry: Entry) -> int:
        sort = entry.is_vendor, entry.segment, type_of(entry)
        often[sort] += 1
        return often[sort]

    asked = claimed or entries
    own = {entry.key for entry in asked}
    in_turn = dict.fromkeys((POWER_STATE, *(entry.key for entry in sorted(asked, key=turn))))
    return [key for key in in_turn if key in own]


def _of_other_kinds(seen: View) -> Iterator[str]:
    """The first key of each other kind that no further kind has, nor the declared one may have."""
    may_have = {pair.key for pair in CATALOG.pairs if pair.kind == seen.appliance.kind}
    for kind in CATALOG.kinds:
        own = (entry.key for entry in CATALOG.of_kind(kind.name) if entry.kinds == (kind.name,))
        if first := next((key for key in own if key not in may_have), None):
            yield first
