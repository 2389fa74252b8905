"""Fleets of appliances that are alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.reference.service import Service

if TYPE_CHECKING:
    from conformance.reference.appliance import ApplianceSpec


def several(appliance: ApplianceSpec, number: int, service: type[Service] = Service) -> type[Service]:
    """A service with so many appliances of one make: `hood-1-0`, `hood-1-1`."""
    fleet = tuple(replace(appliance, ha_id=f"{appliance.ha_id}-{index}") for index in range(number))
    return type("Several", (service,), {"fleet": fleet})
