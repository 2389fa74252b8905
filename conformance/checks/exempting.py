"""The thirteen exempting states as a type, which a check hands over with a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class StateId(Enum):
    """The states that may keep an entry from being read or written, or lift the clause about its value."""

    X1 = "X1"
    """AmbientLightColor is CustomColor (line 68)."""
    X2 = "X2"
    """AmbientLightColor is a preset (line 70)."""
    X3 = "X3"
    """ColorTemperature is served and not custom (line 65)."""
    X4 = "X4"
    """The appliance is not on (a caution)."""
    X5 = "X5"
    """A mode holds the setpoint (lines 50, 52, 53)."""
    X6 = "X6"
    """Remote control is not allowed, or somebody operates the appliance (lines 88, 90)."""
    X7 = "X7"
    """The Sabbath mode is on (line 51)."""
    X8 = "X8"
    """The light is off (a caution)."""
    X9 = "X9"
    """A cooling mode is on (a caution)."""
    X10 = "X10"
    """A program is active (a caution)."""
    X11 = "X11"
    """The alarm clock is running (a caution)."""
    X12 = "X12"
    """The map is not stored (a caution)."""
    X13 = "X13"
    """The child lock is on (a caution)."""


@dataclass(frozen=True, slots=True)
class ExemptingState:
    """A state that held, and in words how it was seen, such as `PowerState is Standby`.

    As text it is `X4: PowerState is Standby`, for findings; what carries the meaning is `id`. `controller` is
    the key that shows it.
    """

    id: StateId
    words: str
    controller: str

    def __str__(self) -> str:
        """The state for a finding: its id and how it was seen."""
        return f"{self.id.value}: {self.words}"
