"""The shapes that faults of writing have: a write without effect, one too many, one refused, a memory of what was written.

As with the shapes of reading, each overrides one method and leaves the key to the mutant. A shape
that only remembers overrides nothing: the mutant does.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from catalog.model import Rule, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Refusal


class Dropping(Service):
    """Writes of one key are acknowledged and forgotten.

    Attributes:
        key: the key, spelled with Vendor.
    """

    key: ClassVar[str]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Keep the old value of the one key."""
        if key != self.key:
            super().apply(appliance, key, value)


class Refusing(Service):
    """Writes of one key are refused, whatever they say.

    Attributes:
        key: the key, spelled with Vendor.
    """

    key: ClassVar[str]

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Take no value of the one key."""
        return INVALID_STATE if key == self.key else super().accepts(appliance, key, value)


class Unlocked(Service):
    """One key can be written whatever another key says.

    Attributes:
        key: the key, spelled with Vendor.
    """

    key: ClassVar[str]

    def locked_by(self, appliance: Appliance, key: str) -> Rule | None:
        """Know no rule about the one key."""
        return None if key == self.key else super().locked_by(appliance, key)


class Writable(Service):
    """One status takes writes, under one segment.

    Attributes:
        key: the key, spelled with Vendor.
        under: the segment.
    """

    key: ClassVar[str]
    under: ClassVar[Segment] = "status"

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        """Take the one status for a setting."""
        return None if (key, segment) == (self.key, self.under) else super().writable(appliance, segment, key)


class Mirroring(Service):
    """Keys that share one value: whoever writes one of them writes all.

    Attributes:
        keys: the keys, spelled with Vendor.
    """

    keys: ClassVar[tuple[str, ...]]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Write the twins as well."""
        for twin in self.keys if key in self.keys else (key,):
            super().apply(appliance, twin, value)


class Deaf(Service):
    """A power write is acknowledged and changes nothing, from one state to another.

    Attributes:
        move: the state that the appliance is in, and the one that is written.
    """

    move: ClassVar[tuple[str, str]]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Stay as it is when the one move is asked for."""
        if key != POWER_STATE or (appliance.values[key], value) != self.move:
            super().apply(appliance, key, value)


class Stubborn(Service):
    """A power write is refused, from one state to another.

    Attributes:
        move: the state that the appliance is in, and the one that is written.
    """

    move: ClassVar[tuple[str, str]]

    def moves_power(self, appliance: Appliance, value: Json) -> bool:
        """Have no such move."""
        return (appliance.values[POWER_STATE], value) != self.move and super().moves_power(appliance, value)


class Straying(Service):
    """A power write leads to a state that nobody asked for.

    Attributes:
        move: the state that the appliance is in, and the one that is written.
        end: the state it takes up.
    """

    move: ClassVar[tuple[str, str]]
    end: ClassVar[str]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Go elsewhere when the one move is asked for."""
        strays = key == POWER_STATE and (appliance.values[key], value) == self.move
        super().apply(appliance, key, self.end if strays else value)


class Keeping(Service):
    """Remembers one value for each appliance and name, until the service is reset.

    It overrides nothing. A reset makes appliances anew, and what was kept for the old ones is
    gone with them.
    """

    @cached_property
    def _notes(self) -> dict[tuple[str, str], tuple[Appliance, Json]]:
        """What is remembered, with the appliance it is remembered of."""
        return {}

    def keep(self, appliance: Appliance, name: str, value: Json) -> None:
        """Remember a value."""
        self._notes[appliance.ha_id, name] = (appliance, value)

    def kept(self, appliance: Appliance, name: str) -> Json:
        """What is remembered, or None."""
        owner, value = self._notes.get((appliance.ha_id, name), (None, None))
        return value if owner is appliance else None

    def give_back(self, appliance: Appliance, name: str) -> Json:
        """What is remembered, or None; it is forgotten."""
        value = self.kept(appliance, name)
        self.keep(appliance, name, None)
        return value


class Shifting(Keeping):
    """While a cooling mode is on, a setpoint is another; then it is back.

    Attributes:
        mode: the mode, spelled with Vendor.
        setpoint: the setpoint, spelled with Vendor.
        meanwhile: what the setpoint is while the mode is on.
    """

    mode: ClassVar[str]
    setpoint: ClassVar[str]
    meanwhile: ClassVar[float]

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move the setpoint with the mode."""
        super().follow(appliance, key, value)
        if key != self.mode:
            return
        if value is True:
            self.keep(appliance, self.setpoint, appliance.values[self.setpoint])
            self.change(appliance, self.setpoint, self.meanwhile)
        else:
            before = self.give_back(appliance, self.setpoint)
            self.change(appliance, self.setpoint, appliance.values[self.setpoint] if before is None else before)
