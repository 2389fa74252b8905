"""Servers with appliances that are alike."""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants.registry import find_server
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, OVEN
from conformance.reference.service import Service


def several(appliance: ApplianceSpec, number: int, service: type[Service] = Service) -> type[Service]:
    """A service with so many appliances of one make: `hood-1-0`, `hood-1-1`."""
    fleet = tuple(replace(appliance, ha_id=f"{appliance.ha_id}-{index}") for index in range(number))
    return type("Several", (service,), {"fleet": fleet})


class Pairs(Service):
    """Two of each of three kinds, of two or three settings, none of which two kinds have."""

    fleet = tuple(
        replace(spec, ha_id=f"{spec.kind.lower()}-{number}")
        for number in (1, 2)
        for spec in (
            OVEN.only(keys.ALARM_CLOCK, keys.CHILD_LOCK),
            COFFEE_MAKER.only(keys.LIQUID_UNIT, keys.CUP_WARMER),
            HOOD_COLORFUL.only(keys.POWER_STATE, keys.LIGHTING, keys.LIGHTING_BRIGHTNESS),
        )
    )


def odd(mutant: str, service: type[Service]) -> type[Service]:
    """The server of a mutant with the appliances of a service."""
    return type("Odd", (find_server(mutant),), {"fleet": service.fleet})
