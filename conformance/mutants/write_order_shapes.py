"""The shapes of faults that only a certain order of writes brings out, and the memory they need.

Most override no method of the reference; the mutant does, and asks what has been written before. A
reset makes appliances anew, and what was remembered of the old ones is gone with them.
"""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.write_shapes import Keeping
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json


SEARCHED = MappingProxyType({"pace": {"generated": 600}})
"""What the profile of such a server says: how many requests a state machine may make to find the order."""


class Remembering(Service):
    """Remembers what has been written to an appliance, one word for each write."""

    profile_extras = SEARCHED

    @cached_property
    def _trails(self) -> dict[str, tuple[Appliance, list[str]]]:
        """The words, with the appliance they are about."""
        return {}

    def trail(self, appliance: Appliance, first: str) -> list[str]:
        """The words so far; a new trail begins with `first`."""
        known = self._trails.get(appliance.ha_id)
        if known is None or known[0] is not appliance:
            known = self._trails[appliance.ha_id] = (appliance, [first])
        return known[1]


class PowerOrder(Remembering):
    """Something is wrong with the last of several power writes.

    Attributes:
        order: the state before the first write, then what is written, as short names.
    """

    order: ClassVar[tuple[str, ...]]

    def completes(self, appliance: Appliance, key: str, value: Json) -> bool:
        """Note a power write; whether it is the last of the order."""
        if key != POWER_STATE:
            return False
        present = _short(appliance.values[POWER_STATE])
        trail = self.trail(appliance, present)
        trail += [_short(value)] if trail else [present, _short(value)]
        completed = tuple(trail[-len(self.order) :]) == self.order
        if completed:
            trail.clear()  # the next order begins anew, wherever this one has led
        return completed


class IgnoredInOrder(PowerOrder):
    """The last write of the order is acknowledged and ignored."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let it pass."""
        if not self.completes(appliance, key, value):
            super().apply(appliance, key, value)


class StrayingInOrder(PowerOrder):
    """The last write of the order leads to a state that nobody asked for.

    Attributes:
        end: the state.
    """

    end: ClassVar[str]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Go elsewhere."""
        super().apply(appliance, key, self.end if self.completes(appliance, key, value) else value)


class ChoiceOrder(Remembering):
    """Something is wrong with a light after its colour was chosen in a certain order.

    Attributes:
        choice: the setting that chooses, spelled with Vendor.
        open_choice: the value of it under which one's own colour can be set.
    """

    choice: ClassVar[str]
    open_choice: ClassVar[str]

    def chosen(self, appliance: Appliance) -> str:
        """The choices so far, one letter each: `o` for the open one, `p` for any other; choosing again what is chosen is no choice."""
        present = str(appliance.values[self.choice])
        trail = self.trail(appliance, present)
        if present != trail[-1]:
            trail.append(present)
        return "".join("o" if choice == self.open_choice else "p" for choice in trail)


class ModeOrder(Keeping):
    """A setpoint moves when one of two cooling modes ends and the other goes on.

    Attributes:
        mode: the mode that goes on.
        ending: the mode that ends.
        setpoint: the setpoint that moves, and is back when `mode` ends.
        meanwhile: what it is until then.
    """

    profile_extras = SEARCHED
    mode: ClassVar[str]
    ending: ClassVar[str]
    setpoint: ClassVar[str]
    meanwhile: ClassVar[float]

    def lean(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move the setpoint, or move it back, after a value has changed."""
        if (key, value) == (self.ending, False) and appliance.values[self.mode] is True:
            if self.kept(appliance, self.setpoint) is None:
                self.keep(appliance, self.setpoint, appliance.values[self.setpoint])
            self.change(appliance, self.setpoint, self.meanwhile)
        elif (key, value) == (self.mode, False) and self.kept(appliance, self.setpoint) is not None:
            self.change(appliance, self.setpoint, self.give_back(appliance, self.setpoint))
        elif key == self.setpoint:
            self.give_back(appliance, self.setpoint)


def _short(state: Json) -> str:
    """The last word of an enumeration value."""
    return str(state).rpartition(".")[2]
