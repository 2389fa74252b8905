"""The appliances of the reference serve the whole catalog, and start within its rules."""

from __future__ import annotations

import pytest

from catalog.loader import load_catalog
from catalog.model import Segment
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.twelve import FLEET
from conformance.reference.service import Service

CATALOG = load_catalog()
CONTESTED = [entry.key for entry in CATALOG.statuses if entry.contested]
APPLIANCES = pytest.mark.parametrize(
    "appliance", Service().appliances.values(), ids=lambda appliance: appliance.ha_id
)


def test_every_key_of_the_catalog_is_served_by_some_appliance() -> None:
    """No key is left without an appliance that shows it."""
    served = {key for spec in FLEET for key in spec.values}
    assert served == set(CATALOG.entries)


def test_fleet_has_every_kind_and_every_set_of_power_states() -> None:
    """All six kinds are there, and one more; three states, either pair, On alone, and none at all occur."""
    assert {spec.kind for spec in FLEET} == {kind.name for kind in CATALOG.kinds} | {"Dishwasher"}
    states = {"On Off Standby", "On Off", "On Standby", "On", ""}
    assert {" ".join(spec.power_states) for spec in FLEET} == states
    assert len({spec.ha_id for spec in FLEET}) == len(FLEET)


@pytest.mark.parametrize("segments", [("status",), ("settings",), ("status", "settings")])
def test_contested_statuses_are_served_in_each_way(segments: tuple[Segment, ...]) -> None:
    """One robot serves all four under status, one under settings, one under both."""
    assert any(spec.contested == segments and set(CONTESTED) <= set(spec.values) for spec in FLEET)


@APPLIANCES
def test_first_values_obey_type_enumeration_and_range(appliance: Appliance) -> None:
    """Every first value is one the appliance would take and keep as it is."""
    service = Service()
    for key, value in appliance.values.items():
        entry = service.entries[key]
        assert service.fits_type(entry, value), key
        assert service.is_member(appliance, entry, value), key
        assert service.is_within(appliance, entry, value), key
        assert service.normal(appliance, key, value) == value, key


@APPLIANCES
def test_every_key_of_line_175_has_a_range_of_its_own(appliance: Appliance) -> None:
    """Setpoints and dosing levels bring a range with a unit."""
    own = [key for key in appliance.values if CATALOG.entries[key].own_range]
    assert all(appliance.spec.ranges[key].unit for key in own)


@pytest.mark.parametrize(
    ("number", "step", "expected"),
    [(4.3, 1, 4), (4.75, 0.5, 5), (100, 1, 8), (-5, 1, 2), (7.9, 4, 6), (8, 5, 7)],
)
def test_nearest_number_lies_on_a_step_within_the_range(number: float, step: float, expected: float) -> None:
    """Steps count from the lower end and never leave the range."""
    assert OwnRange(2, 8, step).nearest(number) == expected


def test_number_outside_the_range_is_not_pulled_into_it() -> None:
    """Rounding to a step is no clamping: a server that forgets the range shows it."""
    assert OwnRange(2, 8).on_step(9.2) == 9
