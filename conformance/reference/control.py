"""Paths that exist in the reference only: time, hands, and a fresh start.

They lie off the /api tree, so nothing of the document is bent for them. A test uses them to do
what a person would do at the appliance, or to let 24 hours pass. They ask for no token: a
reference listens on loopback alone.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TypeAlias

from catalog import keys
from conformance.reference.appliance import Appliance
from conformance.reference.household import Household
from conformance.reference.wire import (
    MALFORMED,
    UNKNOWN_APPLIANCE,
    UNKNOWN_PATH,
    UNSUPPORTED,
    Incoming,
    Json,
    Refusal,
    parse,
)

ROOT = "/_reference/"
_Order: TypeAlias = Callable[[Household, Mapping[str, Json]], Refusal | None]


def steer(household: Household, request: Incoming) -> Refusal | None:
    """Does what a POST to a path under `/_reference/` says: None, or a refusal that says what is wrong.

    The lock of the service is held; the body is a JSON object, or there is none.
    """
    order = _ORDERS.get(request.path.removeprefix(ROOT))
    if order is None or request.method != "POST":
        return UNKNOWN_PATH
    try:
        orders = parse(request.body or b"{}")
        return order(household, orders) if isinstance(orders, dict) else MALFORMED
    except (ValueError, OverflowError):
        return MALFORMED


def _advance(household: Household, orders: Mapping[str, Json]) -> Refusal | None:
    seconds = orders.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        return MALFORMED
    household.clock.advance(seconds)
    household.tick()
    return None


def _touch(household: Household, orders: Mapping[str, Json]) -> Refusal | None:
    appliance = _named(household, orders, keys.LOCAL_CONTROL)
    if isinstance(appliance, Refusal):
        return appliance
    household.touch(appliance)
    return None


def _dust_box(household: Household, orders: Mapping[str, Json]) -> Refusal | None:
    appliance, inserted = _named(household, orders, keys.DUST_BOX), orders.get("inserted")
    if isinstance(appliance, Refusal):
        return appliance
    if not isinstance(inserted, bool):
        return MALFORMED
    household.change(appliance, keys.DUST_BOX, inserted)
    return None


def _reset(household: Household, orders: Mapping[str, Json]) -> Refusal | None:
    if orders:
        return MALFORMED
    household.reset()
    return None


def _named(household: Household, orders: Mapping[str, Json], key: str) -> Appliance | Refusal:
    """The appliance that `ha_id` names, if it has the key at all."""
    appliance = household.appliances.get(str(orders.get("ha_id")))
    if appliance is None:
        return UNKNOWN_APPLIANCE
    return appliance if key in appliance.values else UNSUPPORTED["status"]


_ORDERS: Mapping[str, _Order] = MappingProxyType(
    {"advance": _advance, "touch": _touch, "dustbox": _dust_box, "reset": _reset}
)
