"""Chooses the values to write, within what the appliance can take; the same ones in every run.

A value that the appliance's own range or list forbids is only ever chosen to show that it has no effect.
"""

import math
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import cast

from pydantic import JsonValue

from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.permission import samples
from conformance.checks.traces.trace import alike, known_step
from conformance.checks.view import View
from conformance.checks.writes.effects import listed_numbers
from conformance.harness.reads.gets import nonce
from conformance.model.json_values import is_number, number, same

_NUMBERED = re.compile(r"(.*?)(\d+)")
FEW = 6
SPREAD = 4
WRONG: dict[str, tuple[JsonValue, ...]] = {
    "Boolean": ("yes", 1),
    "Integer": ("5", 0.5),
    "Double": ("4.5", True),
    "Enumeration": (1, True),
    "String": (7,),
}


def bounds(entry: Entry, read: Answer) -> tuple[float, float] | None:
    """The range to write a number in: that of the answer, within the common one; None if unknown.

    Its lower end is above its upper one where no number of the type fits: then nothing is written.
    """
    common = (entry.range.min, entry.range.max) if entry.range else None
    shown = (read.shown.min, read.shown.max) if read.shown else (None, None)
    if is_number(shown[0]) and is_number(shown[1]):
        low, high = number(shown[0]), number(shown[1])
        if math.isfinite(low) and math.isfinite(high) and low <= high:
            low, high = (math.ceil(low), math.floor(high)) if entry.type == "Integer" else (low, high)
            return (max(low, common[0]), min(high, common[1])) if common else (low, high)
    return common


def allowed_values(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """The values an enumeration can take here, on the wire: declared, else advertised, else all."""
    declared = seen.appliance.enum_subset.get(entry.key)
    values = _wire_values(entry.values or (), seen.maker)
    if declared is not None:
        return [value for value in values if value.rpartition(".")[2] in declared or value in declared]
    shown = read.shown.allowed if read.shown else None
    if isinstance(shown, list) and shown:
        return [value for value in values if value in cast("list[object]", shown)]
    return [*values]


@lru_cache(maxsize=512)
def _wire_values(values: tuple[str, ...], maker: str) -> tuple[str, ...]:
    """The values of an enumeration in their order, as a server of `maker` spells them."""
    return tuple(with_maker(value, maker) for value in values)


def other_values(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """The values to write where `read` shows the present one: all others, or a spread of many."""
    if entry.type == "Boolean":
        return [not read.value]
    if entry.type == "Enumeration":
        return _spread([value for value in allowed_values(seen, entry, read) if value != read.value])
    if entry.type == "String":
        return [*other_samples(seen, entry, read.value)]
    return _numbers(seen, entry, read)


def other_samples(seen: View, entry: Entry, shown: object) -> list[str]:
    """The declared texts for a setting but the one that is `shown`, whatever the case of a color is."""
    return [text for text in samples(seen.appliance, entry.key) if not alike(entry, text, shown, None)]


def ends(entry: Entry, read: Answer) -> list[JsonValue]:
    """Both ends of the range, the one that is not the present value first."""
    found = bounds(entry, read)
    if found is None or found[0] > found[1]:
        return []
    listed = listed_numbers(read)
    values: list[JsonValue] = [
        plain(entry, end) for end in found if not listed or any(same(end, value) for value in listed)
    ]
    if not values:
        return []
    return values if not same(values[0], read.value) else values[::-1]


def outside(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
    """One step below and one step above the range; none where no range is known."""
    found = bounds(entry, read)
    step = known_step(seen, entry, read) or 1
    step = max(step, 1) if entry.type == "Integer" else step
    if found is None or found[0] > found[1]:
        return []
    return [plain(entry, found[0] - step), plain(entry, found[1] + step)]


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
    found = bounds(entry, read)
    if listed := listed_numbers(read):
        within = sorted(value for value in listed if found is None or found[0] <= value <= found[1])
        return _spread([plain(entry, value) for value in within if not same(value, read.value)])
    if found is None:
        return [plain(entry, number(read.value) + 1)]
    step = known_step(seen, entry, read) or 1
    middle = found[0] + round((found[1] - found[0]) / 2 / step) * step
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
