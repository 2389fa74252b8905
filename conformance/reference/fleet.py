"""The appliances of the reference: twelve, as different as real ones are.

Together they serve every key of the catalog, each its own part of them. What they show at first
obeys every rule and rests on no exempting state, so that every clause can be judged.
"""

from __future__ import annotations

from conformance.reference.fleet_cooking import COFFEE_MAKER, HOOD_COLORFUL, HOOD_SIMPLE, OVEN
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT, WINE_CABINET
from conformance.reference.fleet_household import DISHWASHER, ROBOT_BLIND, ROBOT_OLD, ROBOT_WATCHING, WASHER

FLEET = (
    FRIDGE_CELSIUS,
    FRIDGE_FAHRENHEIT,
    WINE_CABINET,
    HOOD_COLORFUL,
    HOOD_SIMPLE,
    COFFEE_MAKER,
    OVEN,
    WASHER,
    ROBOT_WATCHING,
    ROBOT_BLIND,
    ROBOT_OLD,
    DISHWASHER,
)
"""In the order a list of appliances shows them."""
