"""Paths that exist in the reference only: time, hands, and a fresh start.

They lie off the /api tree, so nothing of the document is bent for them. A test uses them to do
what a person would do at the appliance, or to let 24 hours pass. They ask for no token: a
reference listens on loopback alone.
"""

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


class _RefusedError(Exception):
    """What is asked cannot be done."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.description)
        self.refusal = refusal


def steer(household: Household, request: Incoming) -> Refusal | None:
    """Does what a POST to a path under `/_reference/` says: None, or a refusal that says what is wrong.

    The lock of the service is held; the body is a JSON object, or there is none.
    """
    if request.method != "POST":
        return UNKNOWN_PATH
    try:
        _do(household, request.path.removeprefix(ROOT), parse(request.body or b"{}"))
    except _RefusedError as refused:
        return refused.refusal
    except (ValueError, OverflowError):
        return MALFORMED
    return None


def _do(household: Household, order: str, said: Json) -> None:
    match order, said:
        case "advance", {"seconds": int() | float() as seconds} if not isinstance(seconds, bool):
            household.clock.advance(seconds)
            household.tick()
        case "touch", {**about}:
            household.touch(_named(household, about.get("ha_id"), keys.LOCAL_CONTROL))
        case "dustbox", {"inserted": bool() as inserted, **about}:
            household.change(_named(household, about.get("ha_id"), keys.DUST_BOX), keys.DUST_BOX, inserted)
        case "reset", {**nothing} if not nothing:
            household.reset()
        case (("advance" | "touch" | "dustbox" | "reset"), _):
            raise _RefusedError(MALFORMED)
        case _:
            raise _RefusedError(UNKNOWN_PATH)


def _named(household: Household, ha_id: Json, key: str) -> Appliance:
    """The appliance of a haId.

    Raises:
        _RefusedError: there is none, or it does not have the key.
    """
    appliance = household.appliances.get(str(ha_id))
    if appliance is None:
        raise _RefusedError(UNKNOWN_APPLIANCE)
    if key not in appliance.values:
        raise _RefusedError(UNSUPPORTED["status"])
    return appliance
