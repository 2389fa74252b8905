"""Power walks made by hand: power states by their short names, and the stories they make."""

from typing import Any

from conformance.checks.exchange import Exchange
from conformance.selftest.support.samples.handmade import value
from conformance.selftest.support.samples.handtraced import Steps, Story, attempt, read

POWER, OPERATION = "Vendor.Common.Setting.PowerState", "Vendor.Common.Status.OperationState"
SETTLE_S = 60
"""The power settle time of a profile that does not say another."""


def wire(state: Any) -> Any:
    """A power state as it is written and read; what is none stays what it is."""
    return f"Vendor.Common.EnumType.PowerState.{state}" if isinstance(state, str) else state


def is_in(state: Any) -> Exchange:
    """A read of the power state within the walk."""
    return read(POWER, wire(state))


def operation(state: str) -> Exchange:
    """A read of the operation state within the walk."""
    return read(OPERATION, f"Vendor.Common.EnumType.OperationState.{state}")


def to(state: str, *shown: Any, status: int | None = 204, seconds: float = SETTLE_S) -> Steps:
    """A write of a power state, and reads that show these states, the last one when it had time to settle."""
    return attempt(POWER, wire(state), *(wire(each) for each in shown), status=status, seconds=seconds)


def both(power: str, state: str, times: int = 1, seconds: float = SETTLE_S) -> Steps:
    """PowerState and OperationState in turn, so often, over so many seconds."""
    steps: Steps = []
    for index in range(times):
        steps += [*([seconds / (times - 1)] if index else []), is_in(power), operation(state)]
    return steps


def walk(
    *steps: Exchange | float | Steps,
    declared: str = "On Off Standby",
    shown: tuple[Exchange, ...] = (),
    supports: tuple[str, ...] = (),
) -> Story:
    """A story of an appliance with these power states declared; with none declared where `declared` is empty.

    `shown` are its shared reads, unless it is just on; `supports` is what it claims.
    """
    states = {"power_states": declared.split()} if declared else {}
    appliance = {**states, "supports": [*supports]}
    return Story(*steps, key=POWER, appliance=appliance, shared=shown or (value(POWER, wire("On")),))


FROM_ON, FROM_OFF, FROM_STANDBY = is_in("On"), is_in("Off"), is_in("Standby")
DEAF_OFF = [FROM_ON, *to("Off", "On", "On") * 2]
"""Off is acknowledged and ignored, twice."""
TO_STANDBY_INSTEAD = [
    FROM_ON,
    *to("Off", "Standby", "Standby"),
    *to("On", "On"),
    *to("Off", "Standby", "Standby"),
]
"""Off leads to Standby, twice."""
