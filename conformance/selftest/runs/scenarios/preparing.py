"""States: which of them a run ends for a while, and how it walks through those of power."""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.mutants.fleets import ON_AND_OFF, ON_AND_STANDBY, THREE_STATES
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import constrains, hides
from conformance.mutants.shapes.writes import drops, drops_where, reaches, refuses, refuses_while
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cleaning import DISHWASHER, WASHER
from conformance.reference.fleets.cooking import HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json, Refusal
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.handmade import STATUS_PATH, write_table
from conformance.selftest.support.recording import served_by

STANDING_BY, IS_OFF = (
    {keys.POWER_STATE: state, keys.OPERATION_STATE: keys.INACTIVE} for state in (keys.STANDBY, keys.OFF)
)
COOLING = {keys.SUPER_FREEZER: True, keys.ECO_MODE: True, keys.VACATION_MODE: True}
DARK = {keys.LIGHTING: False, keys.AMBIENT_ENABLED: False, keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT}
WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)
LOCKED = served_by(
    fleet=fleets.MACHINE_LIT.having(
        {keys.POWER_STATE: keys.STANDBY, keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False}
    )
)
"""A machine that is locked, dark and in standby."""
IN_STANDBY = hides(lambda its, key: key != keys.POWER_STATE and its.values[keys.POWER_STATE] != keys.ON)
"""Nothing but PowerState is shown until it is On."""
SILENT_OVENS = served_by(
    IN_STANDBY,
    fleet=tuple(
        replace(OVEN.only(keys.POWER_STATE, keys.OVEN_SABBATH), ha_id=ha_id).having(
            {keys.POWER_STATE: keys.STANDBY}
        )
        for ha_id in ("oven-1", "oven-2")
    ),
)
"""Two ovens that show nothing but their PowerState in standby, where they are found."""
BUSY = served_by(fleet=fleets.OVEN_ALARM.having({keys.REMOTE_CONTROL: False}))
"""An oven that nobody may control from afar, and that does what it is told all the same."""


FOUND = (
    FRIDGE_CELSIUS.only(
        *(keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.INTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS, *COOLING),
        *(keys.SETPOINT, keys.FREEZER_SETPOINT),
    ).having({keys.CHILD_LOCK: True, keys.FRIDGE_SABBATH: True, keys.INTERNAL_LIGHT: False, **COOLING}),
    HOOD_COLORFUL.having({**IS_OFF, **DARK}),
    fleets.MACHINE_LIT.having({**STANDING_BY, keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False}),
    fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True}),
)
"""Locked, cooling by three modes, dark, off, and at colours that lock others: all that a run may end."""


class OneLock(refuses_while((keys.CHILD_LOCK, True))):
    """Two refrigerators in SabbathMode have one ChildLock between them, which locks their SabbathMode."""

    fleet = tuple(
        replace(
            FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.DOOR_STATE).having(
                {keys.CHILD_LOCK: True, keys.FRIDGE_SABBATH: True}
            ),
            ha_id=f"fridge-{number}",
        )
        for number in (1, 2)
    )

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        for other in self.appliances.values():
            other.values[keys.CHILD_LOCK] = appliance.values[keys.CHILD_LOCK]


HIDDEN_WHEN_DARK = hides(
    lambda its, key: (
        (key == keys.AMBIENT_COLOR and not its.values[keys.AMBIENT_ENABLED])
        or (key == keys.AMBIENT_BRIGHTNESS and its.values[keys.AMBIENT_COLOR] == keys.COLOR_CUSTOM)
    )
)
"""No color is shown while an ambient light is off, and no brightness under CustomColor."""


class HiddenInStandby(IN_STANDBY):
    """A coffee maker that shows PowerState alone until it is on, and counts water in fl.oz, as it says."""

    fleet = (
        fleets.COUNTING.having(
            {
                **STANDING_BY,
                keys.LIQUID_UNIT: "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces",
            }
        ),
    )

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        return "fl.oz" if entry.unit == "ml" else super().unit(appliance, entry)


class OffBehindALock(Service):
    """Two hoods, one of them off and locked: while it is locked it does not take a power state."""

    fleet = (
        HOOD_COLORFUL.having({**IS_OFF, keys.CHILD_LOCK: True}),
        replace(HOOD_COLORFUL, ha_id="hood-2").having({keys.CHILD_LOCK: False}),
    )

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        if key == keys.POWER_STATE and appliance.values[keys.CHILD_LOCK]:
            return INVALID_STATE
        return super().writable(appliance, segment, key)


ALONE = {
    "SET-TYPEGUARD": fleets.COFFEE_SETTINGS,
    "SET-ENUMGUARD": fleets.COFFEE_SETTINGS,
    "RANGE-WRITE-OUT": fleets.FRIDGE_SETPOINTS,
    "STA-READONLY": fleets.MACHINE_STATUSES,
    "AMB-BRIGHTNESS-LOCKED": fleets.AMBIENT,
    "AMB-CUSTOM-ONLY": fleets.AMBIENT,
    "HOOD-PERCENT-USABLE": fleets.HOOD_LIGHT,
    "PWR-NO-FOREIGN": fleets.ON_AND_OFF,
}
"""Clauses that forbid an effect, and an appliance on which each is judged."""


# fmt: off

RUN = "Vendor.Common.EnumType.OperationState.Run"
WALKED = ("PWR-ON-OFF", "PWR-READBACK")
EDGES = ("PWR-OFF-ON", "PWR-ON-OFF", "PWR-ON-STANDBY", "PWR-STANDBY-ON", "PWR-STANDBY-OFF")
ALL_EDGES = "Standby On Off On Standby Off On"
UNLISTED = "Standby On On Standby On Standby Standby On"
# fmt: off
WALKS: dict[str, tuple[ApplianceSpec, str]] = {
    "three states": (THREE_STATES, ALL_EDGES),
    "on and off": (ON_AND_OFF, "Off On"),
    "on and standby": (ON_AND_STANDBY, "Standby On"),
    "found off": (THREE_STATES.having(IS_OFF), "On Standby On Off On Standby Off On"),
    "found in standby": (ON_AND_STANDBY.having(STANDING_BY), "On Standby On"),
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
    Scenario("with every state at once no case is open or fails", served_by(fleet=FOUND),
        verdicts={"pass", "observed", "not_judged"}),
    Scenario("without leave a state stands, and the case behind it is open",
        find_server("alarm-dropped-behind-a-lock"), tables={"write": {**WRITE, "prepare": False}},
        cases={"SET-WRITABLE::*AlarmClock@oven-1": "inconclusive"}, prepared=set()),
    Scenario("with leave the fault behind a state is seen",
        find_server("alarm-dropped-behind-a-lock"), tables={"write": WRITE},
        red={"SET-WRITABLE"}, cases={"SET-WRITABLE::*AlarmClock@oven-1": "fail"}, prepared={"ChildLock"}),
    Scenario("locked, and only a glob allows the lock: not even a status is written",
        LOCKED, tables={"write": {**WRITE, "allow": ["*"]}}, journal=False,
        cases={"STA-READONLY::*DoorState@*": "inconclusive not written while ChildLock is on"}),
    *(Scenario(f"a state that does not end is named with the write: {name}",
        find_server(name), tables={"write": WRITE},
        cases={"SET-WRITABLE::*AmbientLightEnabled@*":
               "inconclusive not written while ChildLock is on; to end that, false was written to ChildLock"})
      for name in ("lock-lifted-by-hand-only", "deaf-until-lifted-by-hand")),
    Scenario("what the run itself switched, to try a write once more in another state, nobody else did",
        served_by(reaches(keys.LIGHTING_BRIGHTNESS, 0, 10), fleet=fleets.ON_AND_OFF_AND_LIGHT),
        tables={"write": WRITE}, red={"RANGE-WRITE-OUT"}, cases={"RANGE-WRITE-OUT::Cooking.Common*": "fail"}),
    Scenario("what was hidden is judged once it is shown, units, too",
        HiddenInStandby, tables={"write": WRITE},
        cases={f"{room}-*": "!inconclusive" for room in ("TYPE", "ENUM", "RANGE", "UNIT", "STA", "PWR")}),
    Scenario("power states that hide the operation state are walked from On, if nothing else is written, too",
        HiddenInStandby, tables={"write": write_table(keys.POWER_STATE)},
        cases={f"{room}-*": "!inconclusive" for room in ("ENUM", "OPS", "PWR", "SET")}),
    Scenario("a lock that keeps an appliance off is opened first, also for who writes nothing but the lock",
        OffBehindALock, tables={"write": WRITE}, clauses=("ADDR-HAID-ISOLATION",),
        cases={"ADDR-HAID-ISOLATION::*ChildLock@hood-1": "pass"}),
    Scenario("nothing is written while others act",
        BUSY, tables={"write": {**WRITE, "while_busy": False}},
        cases={"SET-WRITABLE::*AlarmClock@oven-1": "inconclusive"}, journal=False),
    Scenario("while others act what the profile allows is written, and nothing fails that follows",
        BUSY, tables={"write": {**WRITE, "while_busy": True}},
        cases={"SET-WRITABLE::*AlarmClock@oven-1": "!inconclusive"}, journal=True),
    Scenario("a lock of two is ended before SabbathMode is tried again: what was odd comes again alone",
        OneLock, "write", {"write": write_table("*", keys.CHILD_LOCK, keys.FRIDGE_SABBATH)},
        ("ADDR-HAID-ISOLATION",), red={"ADDR-HAID-ISOLATION"}),
    *(Scenario(f"power states of ovens that hide SabbathMode in standby, {len(named)} of which is named",
        SILENT_OVENS, tables={"write": write_table("*", keys.POWER_STATE, *named)},
        clauses=("ADDR-HAID-ISOLATION",), cases={"ADDR-HAID-ISOLATION::*PowerState@*": verdict},
        journal=bool(named))
      for named, verdict in (((keys.OVEN_SABBATH,), "pass"), ((), "inconclusive"))),
    *(Scenario(f"a guard of {clause} that is selected alone makes the write that is allowed, too",
        served_by(fleet=fleet), clauses=(clause,), verdicts={"pass"})
      for clause, fleet in ALONE.items()),
    *(Scenario(f"a guard of {clause} is open where no write has an effect",
        served_by(drops_where(lambda _its, _key, _value: True), fleet=fleet), clauses=(clause,),
        verdicts={"inconclusive"})
      for clause, fleet in ALONE.items()),
    *(Scenario(f"what is advertised as {shown} is not written, and its guards do not apply",
        served_by(constrains(keys.POWER_STATE, {"access": shown}),
            fleet=DISHWASHER.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.OPERATION_STATE)),
        cases={f"{guard}::*PowerState@*": "not_applicable" for guard in
            ("SET-WRITABLE", "SET-TYPEGUARD", "SET-ENUMGUARD", "PWR-ON-OFF", "PWR-NO-FOREIGN")},
        writes_to={"ChildLock", "OperationState"})
      for shown in ("read", ["read"], "readOnly")),
    Scenario("what is refused soon after a power state was written is written again once that has settled",
        served_by(refuses(keys.CHILD_LOCK), fleet=fleets.ON_AND_STANDBY_AND_LOCK.having(STANDING_BY)),
        tables={"timing": {"settle_s": 0.1, "power_settle_s": 5.0, "retry_s": 0.05}},
        clauses=("SET-WRITABLE",), red={"SET-WRITABLE"}, cases={"SET-WRITABLE::*ChildLock@*": "fail"}),
    Scenario("segments that differ in a state are told with the write that led to it",
        find_server("lifted-reversed-in-standby"), clauses=("PATH-AGREE", "PWR-ON-STANDBY"),
        red={"PATH-AGREE"},
        cases={"PATH-AGREE::*Lifted@*": f'fail after PowerState was written: "{keys.STANDBY}"'}),
    Scenario("a lock is judged where the light hides its color, too, while it is off",
        served_by(HIDDEN_WHEN_DARK, fleet=fleets.AMBIENT), clauses=("AMB-BRIGHTNESS-LOCKED",),
        verdicts={"pass"}),
    *(Scenario(f"power walk: {name}", served_by(fleet=fleet), clauses=WALKED, written={"walk": states(walk)})
      for name, (fleet, walk) in WALKS.items()),
    Scenario("power walk: unlisted edges where they are asked for", served_by(fleet=ON_AND_STANDBY),
        tables={"power": {"probe_unlisted": True}}, clauses=WALKED, written={"walk": states(UNLISTED)}),
    Scenario("power walk: an error after the state was shown ends nothing",
        find_server("power-errs-at-the-third-look"),
        clauses=EDGES, cases={"*": "pass"}, written={"walk": states(ALL_EDGES)}),
    # A step that failed is tried twice where it is first taken, and all is made twice more: somebody else
    # might have written meanwhile.
    Scenario("power walk: a dead edge is not taken again",
        served_by(drops(keys.POWER_STATE, keys.OFF), fleet=THREE_STATES), clauses=WALKED, red={"PWR-ON-OFF"},
        written={"walk": states("Standby On Off Off Standby Off Off On " * 3)}),
]
