"""Chooses the values to write, within what the appliance can take; the same ones in every run.

A value that the appliance's own range or list forbids is only ever chosen to show that it has no effect.

Generated values are near the type and the range of a setting. Each is kept as its JSON text, since one number
has several spellings, and some texts no encoder would write. Where nobody shows the range of a number, none
is chosen that the setting might take.
"""

import json
import re
from collections.abc import Iterable, Iterator
from math import ceil, remainder

from pydantic import JsonValue

from catalog.keys import ALARM_CLOCK
from catalog.loader import CATALOG
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.checks.case import samples
from conformance.checks.view import View
from conformance.harness.generated.candidates import number_of
from conformance.harness.steps import nonce
from conformance.model.json_values import is_number, number, same
from conformance.model.values import alike, fits

_NUMBERED = re.compile(r"(.*?)(\d+)")
_WATCHES = 3
"""Settle times within which a wrong value is looked at for the last time, and one to spare."""
FEW = 6
SPREAD = 4
WRONG: dict[str, tuple[JsonValue, ...]] = {
    "Boolean": (1,),
    "Double": (True,),
    "Float": (True,),
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
    """Values of another JSON type than the entry's; for an Integer also a fraction.

    First, of what is no text, a text that says an allowed value: whoever looks at what it says, and not at
    its type, stores that. Of true and false it is the other one: where a server comes to show the present one
    as a text, by a fault of its own, that is told from what was written. A number is the present one: whoever
    converts it stays where it was.
    """
    wrong = list(WRONG.get(entry.type, ()))
    if entry.type in {"Enumeration", "String"}:
        return wrong
    said = not read.value if isinstance(read.value, bool) else read.value
    fraction = [(number(said) if is_number(said) else 0) + 0.5] if entry.type == "Integer" else []
    return [json.dumps(said), *wrong, *fraction]


def non_members(seen: View, entry: Entry, seed: str) -> list[JsonValue]:
    """Values of the right type that are no members of an enumeration.

    A made-up name, a value of another enumeration, and the numbers next to the ends of a numbered family.
    """
    if entry.family is None:
        return []
    unknown = f"{entry.family}.Nonce{nonce(f'{seed}/{seen.appliance.ha_id}/{entry.key}', 'Aaaaaaaa')}"
    families = list(CATALOG.enumerations)
    neighbour = CATALOG.enumerations[families[(families.index(entry.family) + 1) % len(families)]]
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
    """A catalog value of a status that it does not have now; None where there is none.

    A counter is first set back to 0: who lets it be written at all is likely to let it be reset.
    """
    taken = [read.value, *besides]
    if entry.type == "Boolean":
        candidates: list[JsonValue] = [not read.value]
    elif entry.type == "Enumeration":
        candidates = [with_maker(value, seen.maker) for value in entry.values or ()]
    else:
        first = (0,) if entry.is_counter else ()
        candidates = [plain(entry, value) for value in (*first, 1, 2, 3, 17)]
    return next((value for value in candidates if not any(same(value, other) for other in taken)), None)


def _numbers(seen: View, entry: Entry, read: Answer) -> list[JsonValue]:
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


_LONG = 10_000
_BEYOND_DOUBLES = 2**53 + 1
"""The first whole number that no double holds."""
_WRAPPED = 2**32
_FRACTION = 0.75
"""What a check of whole numbers does not see, and no step of 1 explains."""
_DIGITS = "007"
_SURROGATE, _NULL = r"\ud800", r"\u0000"
_SUBNORMAL, _LARGE = "5e-324", "1e308"
_TOO_LARGE = "1e400"
"""A number that no double holds: parsers make it infinite."""
_TEXTS = ('"NaN"', '"Infinity"', f'"{_TOO_LARGE}"', f'"{_SURROGATE}"')
_TELLING = 6
"""Values of a setting that come first in each run: half of those that an appliance gets off loopback."""
_FULL_WIDTH = 0xFEE0


def edge_values(seen: View, entry: Entry, read: Answer, seed: str) -> list[str]:
    """The values to write where `read` shows the present one, as JSON texts: the most telling first.

    Of the others, those of another type come before those near the edges of one, each as `seed` says.
    """
    texts = list(dict.fromkeys(_of_type(seen, entry, read)))
    place = f"{seed}/{seen.appliance.ha_id}/{entry.key}"
    drawn = sorted(texts[_TELLING:], key=lambda text: number_of(f"{place}/{text}", 1 << 32))
    return [*texts[:_TELLING], *sorted(drawn, key=lambda text: fits(entry, json.loads(text)))]


def _of_type(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    """The values of a type, those first that a loose parser takes; some stand twice."""
    present = json.dumps(read.value)
    if entry.type == "Enumeration":
        yield from _near_members(seen, entry, read)
    elif entry.type == "String":
        yield from (f'"{"a" * _LONG}"', f'"{"b" * _LONG}"', f'"{_SURROGATE}"', f'"a{_NULL}b"', '""')
        yield from (f'"{_DIGITS}"', "-0.0", '"e\u0301"')
    elif entry.type == "Boolean":
        yield from (f"[{present}]", f'"{present}"', "-0.0", _SUBNORMAL, str(_BEYOND_DOUBLES))
    else:
        yield from _edge_numbers(seen, entry, read)
    yield from (_TOO_LARGE, f"[{present}]", f'{{"value": {present}}}')
    if entry.type not in {"Enumeration", "String"}:
        yield from (f'"{"a" * _LONG}"', *_TEXTS)


def _edge_numbers(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    found = seen.values(entry.key, read).bounds
    if found is not None and found[0] <= found[1]:
        low, high = found
        if entry.type == "Integer":
            other = int(low if is_number(read.value) and same(number(read.value), high) else high)
            yield from (f"{other}.0", str(_BEYOND_DOUBLES), str(_WRAPPED + other), f"{other}.000000001")
            yield from (_TOO_LARGE, f"{other}e0")
        else:
            yield from (_TEXTS[0], _TOO_LARGE, json.dumps(str(high)), str(_BEYOND_DOUBLES))
            yield from (str(high + _FRACTION), str(low - _FRACTION), _SUBNORMAL, f"-{_SUBNORMAL}")
        yield from (str(-_BEYOND_DOUBLES), _LARGE, f"-{_TOO_LARGE}", "-0.0")
    if entry.type == "Integer":
        yield _SUBNORMAL


def _near_members(seen: View, entry: Entry, read: Answer) -> Iterator[str]:
    """Texts near a member of an enumeration: one that the setting does not have now, if there is one."""
    others = [value for value in seen.values(entry.key, read).choices if value != read.value]
    member = str(next(iter(others), read.value))
    last = chr(ord(member[-1]) + _FULL_WIDTH)
    yield from (json.dumps(member.lower()), f'["{member}"]')
    for text in (
        *(f"{member} ", member.rpartition(".")[2], member[:-1], member.upper(), f" {member}", f"{member}."),
        *(f"{member[:-1]}{last}", f"{member}{'a' * _LONG}"),
    ):
        if text not in others and text != read.value:
            yield json.dumps(text)
    yield from (f'"{member}{_SURROGATE}"', f'"{member}{_NULL}"', f'{{"key": "{member}"}}')
