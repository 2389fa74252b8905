"""Chooses the values to write, within what the appliance can take; the same ones in every run.

A value that the appliance's own range or list forbids is only ever chosen to show that it has no effect.
"""

import re
from collections.abc import Iterable
from math import ceil, remainder

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.permission import samples
from conformance.checks.view import View
from conformance.harness.steps import nonce
from conformance.model.json_values import is_number, number, same
from conformance.model.values import alike

_NUMBERED = re.compile(r"(.*?)(\d+)")
_WATCHES = 3
"""Settle times within which a wrong value is looked at for the last time, and one to spare."""
FEW = 6
SPREAD = 4
WRONG: dict[str, tuple[JsonValue, ...]] = {
    "Boolean": ("yes", 1),
    "Integer": ("5", 0.5),
    "Double": ("4.5", True),
    "Enumeration": (1, True),
    "String": (7,),
}


def other_values(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """The values to write where `read` shows the present one: all others, or a spread of many."""
    if entry.type == "Boolean":
        return [not read.value]
    if entry.type == "Enumeration":
        return _spread([value for value in seen.values(entry.key, read).choices if value != read.value])
    if entry.type == "String":
        return [*other_samples(seen, entry, read.value)]
    return _numbers(seen, entry, read)


def other_samples(seen: View, entry: Entry, shown: object) -> list[str]:
    """The declared texts for a setting but the one that is `shown`, whatever the case of a color is."""
    return [text for text in samples(seen.appliance, entry.key) if not alike(entry, text, shown)]


def ends(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """Both ends of the range, the one that is not the present value first."""
    own = seen.values(entry.key, read)
    found, listed = own.bounds, own.listed
    if found is None or found[0] > found[1]:
        return []
    values: list[JsonValue] = [
        plain(entry, end) for end in found if not listed or any(same(end, value) for value in listed)
    ]
    if not values:
        return []
    return values if not same(values[0], read.value) else values[::-1]


def outside(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """One step below and one step above the range; none where no range is known.

    The last of them lies beyond another end than the present value: what is cut to the range shows then.
    An alarm clock may run down (line 41), and 38341 is inside its range a second later. So it gets a third
    value, which stays outside as long as one is watched.
    """
    own = seen.values(entry.key, read)
    found, step = own.bounds, own.step or 1
    step = max(step, 1) if entry.type == "Integer" else step
    if found is None or found[0] > found[1]:
        return []
    values = [found[0] - step, found[1] + step]
    if entry.key == ALARM_CLOCK:
        values.append(found[1] + step + ceil(_WATCHES * seen.profile.timing.settle_seconds(entry.key)))
    if same(read.value, found[1]):
        values.reverse()
    return [plain(entry, value) for value in values]


def wrong_types(entry: Entry, read: Answer) -> list[JsonValue]:
    """Values of another JSON type than the entry's; for an Integer also a fraction."""
    wrong = WRONG.get("Double" if entry.type == "Float" else entry.type, ())
    if entry.type == "Integer" and is_number(read.value):
        return [wrong[0], number(read.value) + 0.5]
    return list(wrong)


def non_members(seen: View, entry: Entry, seed: str) -> list[JsonValue]:
    """Values of the right type that are no members of an enumeration.

    A made-up name, a value of another enumeration, and the numbers next to the ends of a numbered family.
    """
    if entry.family is None:
        return []
    unknown = f"{entry.family}.Nonce{nonce(f'{seed}/{seen.appliance.ha_id}/{entry.key}', 'Aaaaaaaa')}"
    families = list(seen.catalog.enumerations)
    neighbour = seen.catalog.enumerations[families[(families.index(entry.family) + 1) % len(families)]]
    return [
        with_maker(value, seen.maker) for value in (unknown, neighbour.values[0].key, *beyond_the_ends(entry))
    ]


def beyond_the_ends(entry: Entry) -> tuple[str, ...]:
    """The names beside the numbered members of an enumeration: `Color0` and `Color100` for 1 to 99."""
    numbered: dict[str, list[int]] = {}
    for value in entry.values or ():
        found = _NUMBERED.fullmatch(value)
        if found:
            numbered.setdefault(found[1], []).append(int(found[2]))
    families = [(stem, numbers) for stem, numbers in numbered.items() if len(numbers) > 1]
    ends = [(stem, end) for stem, numbers in families for end in (min(numbers) - 1, max(numbers) + 1)]
    return tuple(f"{stem}{number}" for stem, number in ends if number >= 0)


def another_status(seen: View, entry: Entry, read: Answer, besides: Iterable[object] = ()) -> JsonValue:
    """A catalog value of a status that it does not have now; None where there is none."""
    taken = [read.value, *besides]
    if entry.type == "Boolean":
        candidates: list[JsonValue] = [not read.value]
    elif entry.type == "Enumeration":
        candidates = [with_maker(value, seen.maker) for value in entry.values or ()]
    else:
        top = entry.range.max if entry.range else 1_000_000
        candidates = [plain(entry, value) for value in (1, 2, 3, 17) if value <= top]
    return next((value for value in candidates if not any(same(value, other) for other in taken)), None)


def _numbers(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    if not is_number(read.value):
        return []
    own = seen.values(entry.key, read)
    found, listed = own.bounds, own.listed
    if listed:
        within = sorted(value for value in listed if found is None or found[0] <= value <= found[1])
        return _spread([plain(entry, value) for value in within if not same(value, read.value)])
    if found is None:
        return [plain(entry, number(read.value) + 1)]
    step = own.step or 1
    half = found[1] / 2 - found[0] / 2  # of a range whose width may be no double
    middle = found[0] + half - remainder(half, step)
    values = [plain(entry, value) for value in (*found, middle) if found[0] <= value <= found[1]]
    distinct = [
        value
        for index, value in enumerate(values)
        if not any(same(value, earlier) for earlier in values[:index])
    ]
    return [value for value in distinct if not same(value, read.value)]


def _spread(values: list[JsonValue]) -> list[JsonValue]:
    """All of a few values; of many the first, the last, and some between."""
    if len(values) <= FEW:
        return values
    return [values[round(index * (len(values) - 1) / (SPREAD - 1))] for index in range(SPREAD)]


def plain(entry: Entry, value: float) -> JsonValue:
    """A number as it is written: whole ones without a fraction."""
    rounded = round(value, 6)
    return int(rounded) if entry.type == "Integer" or rounded == int(rounded) else rounded
