"""The power walk: every listed edge in as few writes as there are, from On and back, and never where it must
not begin.
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants.fleets import ON_AND_OFF, ON_AND_STANDBY, THREE_STATES
from conformance.mutants.shapes.writes import drops
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.fleets.cleaning import WASHER
from conformance.selftest.runs.scenarios.model import Scenario, served_by

RUN = "Vendor.Common.EnumType.OperationState.Run"
OFF, STANDBY = (
    {keys.POWER_STATE: state, keys.OPERATION_STATE: keys.INACTIVE} for state in (keys.OFF, keys.STANDBY)
)
WALKED = ("PWR-ON-OFF", "PWR-READBACK")
ALL_EDGES = "Standby On Off On Standby Off On"
UNLISTED = "Standby On On Standby On Standby Standby On"
# fmt: off
WALKS: dict[str, tuple[ApplianceSpec, str]] = {
    "three states": (THREE_STATES, ALL_EDGES),
    "on and off": (ON_AND_OFF, "Off On"),
    "on and standby": (ON_AND_STANDBY, "Standby On"),
    "found off": (THREE_STATES.having(OFF), "On Standby On Off On Standby Off On"),
    "found in standby": (ON_AND_STANDBY.having(STANDBY), "On Standby On"),
    "a program is active": (THREE_STATES.having({keys.OPERATION_STATE: RUN}), ""),
    "no remote control": (ON_AND_OFF.having({keys.REMOTE_CONTROL: False}), ""),
    "somebody is there": (THREE_STATES.having({keys.LOCAL_CONTROL: True}), ""),
    "always on, and it says so": (WASHER.only(keys.POWER_STATE, keys.OPERATION_STATE), ""),
    "only Off is declared beside On": (replace(THREE_STATES, power_states=("On", "Off")), "Off On"),
}


def states(walk: str) -> str:
    """The writes of a walk, as a row has them."""
    return ", ".join(f"PowerState {state}" for state in walk.split())


ROWS = [
    *(Scenario(f"power walk: {name}", served_by(fleet=fleet), clauses=WALKED, written={"walk": states(walk)})
      for name, (fleet, walk) in WALKS.items()),
    Scenario("power walk: unlisted edges where they are asked for", served_by(fleet=ON_AND_STANDBY),
        tables={"power": {"probe_unlisted": True}}, clauses=WALKED, written={"walk": states(UNLISTED)}),
    # A step that failed is tried twice where it is first taken, and all is made twice more: somebody else
    # might have written meanwhile.
    Scenario("power walk: a dead edge is not taken again",
        served_by(drops(keys.POWER_STATE, keys.OFF), fleet=THREE_STATES), clauses=WALKED, red={"PWR-ON-OFF"},
        written={"walk": states("Standby On Off Off Standby Off Off On " * 3)}),
]
