"""What the appliances of a server hold, whether they show it or not."""

from conformance.reference.service import Service
from conformance.reference.wire import Json


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
