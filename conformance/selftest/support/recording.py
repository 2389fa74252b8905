"""Servers that record what they are asked, what the appliances of one hold, and servers with appliances that
are alike.
"""

from collections.abc import Iterable
from typing import cast

from msgspec.structs import replace

from catalog import keys
from catalog.keys import CHILD_LOCK, DOOR_STATE, POWER_STATE
from conformance.mutants.fleets import MACHINE, TIMED_OVEN
from conformance.mutants.registry import find_server
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply

MACHINE_ID = MACHINE.ha_id
OVEN_ID = TIMED_OVEN.ha_id


class Recording(Service):
    """The reference with a machine and an oven; `requests` are the method and the path of each request."""

    fleet = (MACHINE, TIMED_OVEN)

    def __init__(self) -> None:
        super().__init__()
        self.requests: list[tuple[str, str]] = []

    def answer(self, request: Incoming) -> Reply:
        """Takes the request down, and answers as ever."""
        self.requests.append((request.method, request.path))
        return super().answer(request)

    def writes(self, ha_id: str = MACHINE_ID) -> list[str]:
        """The keys of an appliance that were written, in order, whatever came of it."""
        return [
            path.rpartition("/")[2]
            for method, path in self.requests
            if method != "GET" and f"/{ha_id}/" in path
        ]


class Small(Recording):
    """Two appliances of few keys, so that a run of every case is short."""

    fleet = (MACHINE.only(POWER_STATE, CHILD_LOCK, DOOR_STATE), TIMED_OVEN.only(CHILD_LOCK, DOOR_STATE))

    @property
    def written(self) -> set[str]:
        """The keys that anybody tried to write."""
        return {*self.writes(MACHINE_ID), *self.writes(OVEN_ID)}


def recording(name: str) -> Recording:
    """The mutant or variant of this name, recording what it is asked."""
    server = find_server(name)
    bases = (Recording, server)
    return cast("Recording", type("Recorded", bases, {"fleet": server.fleet, "name": name})())


def values_of(service: Service) -> dict[tuple[str, str], Json]:
    """Every value of every appliance, also one that it does not show."""
    return {
        (ha_id, key): value
        for ha_id, appliance in service.appliances.items()
        for key, value in appliance.values.items()
    }


def held_by(service: Service) -> dict[tuple[str, str], str]:
    """What the settings of a server are once all effects have come, -0.0 told from 0."""
    service.clock.advance(5)
    service.tick()
    return {place: repr(value) for place, value in service.settings().items()}


def served_by(*layers: type[Service], fleet: ApplianceSpec | Iterable[ApplianceSpec]) -> type[Service]:
    """A server of these layers, the reference below them, with these appliances."""
    own = (fleet,) if isinstance(fleet, ApplianceSpec) else tuple(fleet)
    return type("Made", layers or (Service,), {"fleet": own})


def several(appliance: ApplianceSpec, number: int, service: type[Service] = Service) -> type[Service]:
    """A service with so many appliances of one make: `hood-1-0`, `hood-1-1`."""
    names = (f"{appliance.ha_id}-{index}" for index in range(number))
    return served_by(service, fleet=(replace(appliance, ha_id=name) for name in names))


PAIRS = tuple(
    replace(spec, ha_id=f"{spec.kind.lower()}-{number}")
    for number in (1, 2)
    for spec in (
        OVEN.only(keys.ALARM_CLOCK, keys.CHILD_LOCK),
        COFFEE_MAKER.only(keys.LIQUID_UNIT, keys.CUP_WARMER),
        HOOD_COLORFUL.only(keys.POWER_STATE, keys.LIGHTING, keys.LIGHTING_BRIGHTNESS),
    )
)
"""Two of each of three kinds, of two or three settings, none of which two kinds have."""
