"""An appliance as it leaves the factory, as it is now, and as a profile truly declares it."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from catalog.model import Entry, Segment
from conformance.reference.wire import Json


class OwnRange(Struct, frozen=True):
    """The range of one setting on one appliance, ends included, with its step and its unit.

    The step counts from `min`. `unit` is as it is sent, or None where the unit is the catalog's.
    """

    min: float
    max: float
    step: float = 1
    unit: str | None = None

    def nearest(self, number: float) -> float:
        """The number of the range that comes closest; whole ones without a fraction."""
        return self.on_step(min(max(number, self.min), self.max))

    def on_step(self, number: float) -> float:
        """The closest step; a number within the range stays within it, one beyond it stays beyond."""
        found = round(self.min + round((number - self.min) / self.step) * self.step, 6)
        if self.contains(number):
            found = min(found, self.max)
        return int(found) if found == int(found) else found

    def contains(self, number: float) -> bool:
        """Whether the number lies between the two ends (interpretation I-1)."""
        return self.min <= number <= self.max


class ApplianceSpec(Struct, frozen=True):
    """Everything one appliance is and has when a service starts.

    Keys and values are spelled with the segment `Vendor`, whatever the maker.

    Attributes:
        ha_id: the identifier in the path (line 8).
        kind: the kind of appliance; any word (line 11).
        values: every key the appliance serves, with its first value.
        ranges: ranges of its own, for the keys of line 175 and where it is narrower or coarser than the
            common one.
        elsewhere: the same ranges in the other temperature unit; only keys in it follow TemperatureUnit.
        power_states: short names of the power states it can be in.
        camera: whether it has a streaming camera (line 103); None if nobody says.
        subsets: short names an enumeration is limited to on this appliance.
        read_only: settings that it shows and does not let anyone write.
        contested: the segments under which it serves the four statuses of line 149.
        vendor: its maker's name, where it is not that of the service.
    """

    ha_id: str
    kind: str
    values: Mapping[str, Json]
    ranges: Mapping[str, OwnRange] = {}
    elsewhere: Mapping[str, OwnRange] = {}
    power_states: tuple[str, ...] = ()
    camera: bool | None = None
    subsets: Mapping[str, tuple[str, ...]] = {}
    read_only: frozenset[str] = frozenset()
    contested: tuple[Segment, ...] = ("status",)
    vendor: str | None = None

    def segments(self, entry: Entry) -> tuple[Segment, ...]:
        """The segments under which this appliance serves the entry, if it has it."""
        return self.contested if entry.contested else (entry.segment,)

    def only(self, *keys: str) -> "ApplianceSpec":
        """The same appliance with these keys and no other.

        Raises:
            KeyError: it does not have one of them.
        """
        return replace(self, values={key: self.values[key] for key in keys})

    def having(self, values: Mapping[str, Json]) -> "ApplianceSpec":
        """The same appliance with these first values, added or instead of its own."""
        return replace(self, values={**self.values, **values})


class Appliance:
    """One appliance as it is now: its spec, and the value each of its keys has.

    `kept` is what a fault or an oddity remembers of it, by a name of its own: a reset makes appliances anew,
    so that nothing of it is left.
    """

    __slots__ = ("kept", "spec", "values")

    def __init__(self, spec: ApplianceSpec) -> None:
        self.spec = spec
        self.values: dict[str, Json] = dict(spec.values)
        self.kept: dict[str, Any] = {}

    @property
    def ha_id(self) -> str:
        """The identifier in the path."""
        return self.spec.ha_id

    @property
    def kind(self) -> str:
        """The kind of appliance."""
        return self.spec.kind

    def nth(self, what: str) -> int:
        """How often this has happened to the appliance by now, this time included."""
        self.kept[what] = times = self.kept.get(what, 0) + 1
        return times
