"""Servers that make it hard to put back what was written: each is the reference with one fault, on one of its two appliances."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.soil import AMBIENT_BRIGHTNESS, CHILD_LOCK, DOOR_STATE, MACHINE, TIMED_OVEN
from conformance.reference.names import ON, POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Refusal, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

STUBBORN = MACHINE.ha_id
WILLING = TIMED_OVEN.ha_id


class Stubborn(Service):
    """Two appliances: one that a subclass makes stubborn, and one that does as the document says.

    `requests` are those that came, as method and path, in order.
    """

    fleet = (MACHINE, TIMED_OVEN)

    def __init__(self) -> None:
        """Has been asked nothing."""
        super().__init__()
        self.requests: list[tuple[str, str]] = []

    def answer(self, request: Incoming) -> Reply:
        """Takes the request down, and answers as ever."""
        self.requests.append((request.method, request.path))
        return super().answer(request)

    def settings(self) -> dict[tuple[str, str], Json]:
        """Every setting now."""
        values = {(ha_id, key): value for ha_id, appliance in self.appliances.items() for key, value in appliance.values.items()}
        return {place: value for place, value in values.items() if ".Setting." in place[1]}

    def writes(self, ha_id: str = STUBBORN) -> list[str]:
        """The keys of an appliance that were written, in order, whatever came of it."""
        return [path.rpartition("/")[2] for method, path in self.requests if method != "GET" and f"/{ha_id}/" in path]


class Small(Stubborn):
    """Two appliances of few keys, so that a run of every case is short."""

    fleet = (MACHINE.only(POWER_STATE, CHILD_LOCK, DOOR_STATE), TIMED_OVEN.only(CHILD_LOCK, DOOR_STATE))

    @property
    def written(self) -> set[str]:
        """The keys that anybody tried to write."""
        return {*self.writes(STUBBORN), *self.writes(WILLING)}


class OneWay(Stubborn):
    """Once it has left On it never takes On again."""

    name = "one-way"

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """On is refused while it is not on."""
        if appliance.ha_id == STUBBORN and key == POWER_STATE and value == ON != appliance.values[key]:
            return INVALID_STATE
        return super().accepts(appliance, key, value)


class Dying(Stubborn):
    """Closes every line from the moment it has left On, does nothing any more and never answers again."""

    name = "dying"

    def answer(self, request: Incoming) -> Reply:
        """Nothing, once it is dead."""
        if self.appliances[STUBBORN].values[POWER_STATE] != ON:
            self.requests.append((request.method, request.path))
            return Reply(0, drop=True)
        reply = super().answer(request)
        return Reply(0, drop=True) if self.appliances[STUBBORN].values[POWER_STATE] != ON else reply


class Late(Stubborn):
    """Takes the old value of its child lock at once, and shows it after ten reads: later than a run that writes it waits for."""

    name = "late"
    reads_until_then: ClassVar[int] = 10

    def __init__(self) -> None:
        """Waits for nothing."""
        super().__init__()
        self.left = -1

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """The old value later, everything else at once."""
        if (appliance.ha_id, key, value) != (STUBBORN, CHILD_LOCK, MACHINE.values[CHILD_LOCK]):
            super().apply(appliance, key, value)
        elif appliance.values[key] != value and self.left < 0:
            self.left = self.reads_until_then

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """One read nearer to the old value."""
        if (appliance.ha_id, key) == (STUBBORN, CHILD_LOCK) and self.left >= 0:
            self.left -= 1
            if self.left < 0:
                super().apply(appliance, key, MACHINE.values[key])
        return super().read(appliance, segment, key)


class Reluctant(Stubborn):
    """Refuses the old value of its child lock so many times: the two of the guarded write, and the first that puts back."""

    name = "reluctant"
    refusals: ClassVar[int] = 3

    def __init__(self) -> None:
        """Has refused nothing."""
        super().__init__()
        self.left = self.refusals

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """The old value is refused while there are refusals left."""
        old = MACHINE.values.get(key)
        if (appliance.ha_id, key, value) == (STUBBORN, CHILD_LOCK, old) and appliance.values[key] != old and self.left:
            self.left -= 1
            return INVALID_STATE
        return super().accepts(appliance, key, value)


class ThirdTime(Reluctant):
    """The same, and comes back only with the third write that puts back."""

    name = "third-time"
    refusals = 4


class Spilling(Stubborn):
    """Every write of its child lock moves another setting as well."""

    name = "spilling"
    fleet = (MACHINE.having({AMBIENT_BRIGHTNESS: 40}), TIMED_OVEN)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """The ambient light turns brighter by a percent."""
        super().follow(appliance, key, value)
        if (appliance.ha_id, key) == (STUBBORN, CHILD_LOCK):
            self.change(appliance, AMBIENT_BRIGHTNESS, int(str(appliance.values[AMBIENT_BRIGHTNESS])) + 1)


class Mute(Stubborn):
    """Does what a write of the child lock says, and closes the line instead of answering."""

    name = "mute"

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        """No answer, but for other keys."""
        mute = (appliance.ha_id, key) == (STUBBORN, CHILD_LOCK)
        return Reply(0, drop=True) if mute else super().acknowledge(appliance, key)


STUBBORN_ONES: Mapping[str, type[Stubborn]] = MappingProxyType(
    {service.name: service for service in (OneWay, Dying, Late, Reluctant, ThirdTime, Spilling, Mute)}
)
"""Each by its name."""
LEFT_BEHIND = frozenset({OneWay.name, Dying.name})
"""Those to which something cannot be put back, whatever is tried."""
