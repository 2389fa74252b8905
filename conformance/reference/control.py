"""Paths that exist in the reference only: time, hands, and a fresh start.

They lie off the /api tree, so nothing of the document is bent for them. A test uses them to do
what a person would do at the appliance, or to let 24 hours pass. Anybody may use them: a reference
listens on loopback alone.
"""

from collections.abc import Callable, Mapping

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


def steer(household: Household, request: Incoming) -> Refusal | None:
    """Does what a POST to a path under `/_reference/` says: None, or a refusal that says what is wrong.

    The lock of the service is held; the body is a JSON object, or there is none.
    """
    if request.method != "POST":
        return UNKNOWN_PATH
    try:
        return _do(household, request.path.removeprefix(ROOT), parse(request.body or b"{}"))
    except (ValueError, OverflowError):
        return MALFORMED


def _do(household: Household, order: str, said: Json) -> Refusal | None:
    match order, said:
        case "advance", {"seconds": int() | float() as seconds} if not isinstance(seconds, bool):
            household.clock.advance(seconds)
            household.tick()
        case "touch", {**about}:
            return _act(household, about, keys.LOCAL_CONTROL, household.touch)
        case "dustbox", {"inserted": bool() as inserted, **about}:
            key = keys.DUST_BOX
            return _act(household, about, key, lambda appliance: household.change(appliance, key, inserted))
        case "reset", {**nothing} if not nothing:
            household.reset()
        case (("advance" | "touch" | "dustbox" | "reset"), _):
            return MALFORMED
        case _:
            return UNKNOWN_PATH
    return None


def _act(
    household: Household, about: Mapping[str, Json], key: str, act: Callable[[Appliance], None]
) -> Refusal | None:
    """Does something with the appliance that is named, which has to have the key."""
    appliance = household.appliances.get(str(about.get("ha_id")))
    if appliance is None:
        return UNKNOWN_APPLIANCE
    if key not in appliance.values:
        return UNSUPPORTED["status"]
    act(appliance)
    return None
