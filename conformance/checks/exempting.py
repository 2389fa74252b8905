"""The thirteen exempting states as a type, which a check hands over with a verdict."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final


class StateId(Enum):
    """The states that may keep an entry from being read or written, or lift the clause about its value."""

    X1 = "X1"
    X2 = "X2"
    X3 = "X3"
    X4 = "X4"
    X5 = "X5"
    X6 = "X6"
    X7 = "X7"
    X8 = "X8"
    X9 = "X9"
    X10 = "X10"
    X11 = "X11"
    X12 = "X12"
    X13 = "X13"


STATES: Final = {
    "X1": "the ambient light has its custom color (line 68)",
    "X2": "the ambient light has a preset color (line 70)",
    "X3": "the color temperature is not custom (line 65)",
    "X4": "the appliance is not on",
    "X5": "a mode holds the setpoint (lines 50, 52, 53)",
    "X6": "remote control is not active, or somebody operates the appliance (lines 88, 90)",
    "X7": "the Sabbath mode is on (line 51)",
    "X8": "the light is off",
    "X9": "a cooling mode is on",
    "X10": "a program is active",
    "X11": "the alarm clock is running",
    "X12": "the map is not stored",
    "X13": "the child lock is on",
}
"""The states that lift a clause, in words; without a line it is a caution of the suite."""


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
