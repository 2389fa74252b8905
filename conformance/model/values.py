"""What a key may hold on one appliance: type, members, range, step and access, by its own bodies.

What a body advertises goes before what the document says of all appliances, and what is declared before both.
Example ranges of the document ("e.g. 2 to 8 °C") are examples: nothing here knows one.
"""

import math
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Final, cast

from msgspec import Struct

from catalog.keys import CUSTOM_COLOR, POWER_STATE, short_name
from catalog.maker import with_maker
from catalog.model import Entry
from conformance.model.json_values import NOTHING, is_number, is_whole, number, same
from conformance.profiles.model import Appliance

TOLERANCE = 1e-6
"""How far two numbers may be apart that a server may have calculated."""
Bounds = tuple[float, float]


class Shown(Struct, frozen=True):
    """What a body shows beside the value, at the declared pointers; NOTHING where undeclared or missing."""

    key: object = NOTHING
    unit: object = NOTHING
    type: object = NOTHING
    min: object = NOTHING
    max: object = NOTHING
    step: object = NOTHING
    allowed: object = NOTHING
    access: object = NOTHING
    description: object = NOTHING

    @property
    def bounds(self) -> Bounds | None:
        """Its range; None where it shows no two finite numbers, or the lower one is above the upper one."""
        if not (is_number(self.min) and is_number(self.max)):
            return None
        low, high = number(self.min), number(self.max)
        return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None

    @property
    def step_size(self) -> float:
        """Its step; 0 where it shows none that is finite."""
        return number(self.step) if is_number(self.step) and math.isfinite(number(self.step)) else 0.0

    @property
    def listed(self) -> tuple[object, ...]:
        """The values that it lists; none where it lists nothing."""
        allowed = self.allowed
        return tuple(cast("list[object]", allowed)) if isinstance(allowed, list) else ()

    @property
    def access_words(self) -> object:
        """Its access: a word, or a list of some; None where it shows neither."""
        access = self.access
        return cast("object", access) if isinstance(access, str | list) else None

    @property
    def is_read_only(self) -> bool:
        """Whether it advertises that its setting can only be read, in a word or a list."""
        access = str(self.access_words).casefold()
        return "read" in access and "write" not in access


NO_MEMBERS: Final = Shown()


class Values(Struct, frozen=True, dict=True):
    """What `entry` may hold on an appliance of `maker`, as some bodies of it that were read show.

    There may be very many of them: what they say is looked for once.
    """

    entry: Entry
    appliance: Appliance
    maker: str
    shown: tuple[Shown, ...] = ()

    @property
    def common(self) -> Bounds | None:
        """The range of the Limits table (lines 165 to 175); None where that has none."""
        return (self.entry.range.min, self.entry.range.max) if self.entry.range else None

    @cached_property
    def own(self) -> Bounds | None:
        """The appliance's own range, by the first body that shows one."""
        return next((found for one in self.shown if (found := one.bounds)), None)

    @property
    def bounds(self) -> Bounds | None:
        """The range to write in: its own within the common one, else either; None where none is known.

        Its lower end is above its upper one where no number of the type fits.
        """
        own, common = self.own, self.common
        if own is None:
            return common
        low, high = (math.ceil(own[0]), math.floor(own[1])) if self.entry.type == "Integer" else own
        return (max(low, common[0]), min(high, common[1])) if common else (low, high)

    @property
    def limits(self) -> Bounds | None:
        """The range that must hold: the common one, else its own."""
        return self.common or self.bounds

    @property
    def listed(self) -> list[float]:
        """The numbers of an advertised list of values, which are then all that a number may be."""
        return [number(one) for one in self._advertised if is_number(one) and math.isfinite(number(one))]

    @property
    def members(self) -> tuple[str, ...]:
        """All values of the enumeration in their order, as the maker spells them."""
        return _members(self.entry.values or (), self.maker)

    @property
    def offered(self) -> tuple[str, ...] | None:
        """The members that the appliance has, declared, else advertised, in order; None if nothing says."""
        declared = self.appliance.enum_subset.get(self.entry.key)
        if declared is None and self.entry.key == POWER_STATE:
            declared = self.appliance.power_states
        members = self.members
        if declared is not None:
            names = {short_name(name) for name in declared}
            return tuple(one for one in members if short_name(one) in names)
        advertised = self._advertised
        return tuple(one for one in members if one in advertised) if advertised else None

    @property
    def choices(self) -> tuple[str, ...]:
        """The members to choose from: those that the appliance has, or all where nothing says."""
        offered = self.offered
        return self.members if offered is None else offered

    @cached_property
    def stated_step(self) -> float | None:
        """The step of a number, declared or shown last; None if nothing says."""
        declared = self.appliance.step.get(self.entry.key)
        if declared:
            return declared
        shown = [one.step_size for one in self.shown if is_number(one.step)]
        return shown[-1] if shown and shown[-1] > 0 else None

    @property
    def step(self) -> float | None:
        """The step of a number: as somebody says, else 1 for a whole number; None where nobody says."""
        return self.stated_step or (1 if self.entry.type == "Integer" else None)

    @property
    def is_read_only(self) -> bool:
        """Whether it is advertised as one that can only be read."""
        return any(one.is_read_only for one in self.shown)

    def is_of(self, value: object) -> bool:
        """Whether a value has the type of the entry and is a member of its enumeration, in whatever range."""
        if not fits(self.entry, value):
            return False
        return self.entry.type != "Enumeration" or value in self.members

    def admits(self, value: object) -> bool:
        """Whether a value is of the entry and within the range to write in; of a counter, not negative."""
        bounds = (0.0, math.inf) if self.entry.is_counter else self.bounds
        return self.is_of(value) and not beyond(bounds, value)

    def is_right(self, value: object) -> bool:
        """Whether a value is of the entry and within the range that must hold."""
        return self.is_of(value) and not beyond(self.limits, value)

    def offers(self, value: object) -> bool:
        """Whether nothing declared or advertised leaves a value out."""
        if self.entry.is_numeric:
            listed = self.listed
            return not listed or any(same(value, one) for one in listed)
        offered = self.offered if self.entry.type == "Enumeration" else None
        return offered is None or value in offered

    def alike(self, one: object, other: object) -> bool:
        """Whether two values mean the same: equal, less than a step apart, a color in two cases."""
        return alike(self.entry, one, other, self.step)

    @cached_property
    def _advertised(self) -> tuple[object, ...]:
        return next((one.listed for one in self.shown if one.listed), ())


def fits(entry: Entry, value: object) -> bool:
    """Whether a value has the data type of `entry`, whatever its range or membership."""
    if entry.type == "Boolean":
        return isinstance(value, bool)
    if entry.type in {"String", "Enumeration"}:
        return isinstance(value, str)
    if not is_number(value) or not math.isfinite(number(value)):
        return False
    return entry.type != "Integer" or is_whole(value)


def beyond(bounds: Bounds | None, value: object) -> float:
    """How far a number lies outside a range; 0 inside, for what is no finite one, and where there is none."""
    if bounds is None or not is_number(value) or not math.isfinite(number(value)):
        return 0.0
    distance = max(bounds[0] - number(value), number(value) - bounds[1])
    return distance if distance > TOLERANCE else 0.0


def is_end(bounds: Iterable[float], value: object) -> bool:
    """Whether a number is one of the ends of a range."""
    return is_number(value) and any(abs(number(value) - end) <= TOLERANCE for end in bounds)


def alike(entry: Entry, one: object, other: object, step: float | None = None) -> bool:
    """Whether two values of `entry` mean the same: equal, less than a `step` apart, a color in two cases."""
    if same(one, other):
        return True
    if entry.key == CUSTOM_COLOR and isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    if not (is_number(one) and is_number(other)) or (
        entry.type == "Integer" and not (is_whole(one) and is_whole(other))
    ):
        return False
    return step is not None and abs(number(one) - number(other)) < step - TOLERANCE


@lru_cache(maxsize=512)
def _members(values: tuple[str, ...], maker: str) -> tuple[str, ...]:
    """The values of an enumeration in their order, as a server of `maker` spells them."""
    return tuple(with_maker(value, maker) for value in values)
