"""The appliances of the reference: twelve, as different as real ones are.

Together they serve every key of the catalog, each its own part of them. What they show at first
obeys every rule and rests on no exempting state, so that every clause can be judged.
"""

from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_BLIND, ROBOT_OLD, ROBOT_WATCHING, WASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, HOOD_SIMPLE, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT, WINE_CABINET

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
