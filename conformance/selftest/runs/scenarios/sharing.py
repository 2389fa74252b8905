"""What two appliances, or two lights of one, share: each is written in its turn, and judged alone."""

from functools import partial

from msgspec.structs import replace

from catalog import keys
from catalog.loader import CATALOG
from conformance.mutants import fleets
from conformance.mutants.faults import orders
from conformance.mutants.registry import find_server, load_mutants
from conformance.mutants.shapes.side_effects import shares
from conformance.mutants.shapes.writes import drops, drops_where
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.recording import served_by

ISOLATION = "ADDR-HAID-ISOLATION"
BRIGHTNESS = keys.LIGHTING_BRIGHTNESS
HOUSEHOLD = find_server("one-vacation-a-household")
"""Refrigerators of which two share a VacationMode."""
LAMPS = (
    fleets.LAMP.having({keys.LIGHTING_BRIGHTNESS: 50}),
    replace(fleets.LAMP, ha_id="lamp-2").having({keys.LIGHTING_BRIGHTNESS: 80}),
)
CLOCKS = tuple(
    replace(fleets.OVEN_ALARM, ha_id=name).having({keys.ALARM_CLOCK: 60}) for name in ("oven-1", "oven-2")
)
"""Ovens whose alarm clocks may run out while one is watched."""
MACHINES = (fleets.AMBIENT, replace(fleets.AMBIENT, ha_id="dishwasher-2"))
LIGHTS = HOOD_COLORFUL.only(
    *(keys.LIGHTING, keys.LIGHTING_BRIGHTNESS, keys.COLOR_TEMPERATURE, keys.COLOR_PERCENT),
    *(keys.AMBIENT_ENABLED, keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.CUSTOM_COLOR),
)
"""The two lights of a hood."""
RULES_OF_LIGHTS = tuple(clause for clause in CATALOG.clauses if clause.startswith(("AMB-", "HOOD-")))
STANDING_BY = fleets.THREE_STATES.only(keys.POWER_STATE, keys.OPERATION_STATE).having(
    {keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}
)
FOUR = (
    fleets.THREE_STATES,
    *(
        replace(fleets.THREE_STATES, ha_id=f"dishwasher-{number}").having(
            {keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE}
        )
        for number in (2, 3, 4)
    ),
)
"""More machines than three: with these no walk happens to be made while another one is switched on."""

FRIDGES = (fleets.FRIDGE_MODES, replace(fleets.FRIDGE_MODES, ha_id="fridge-2"))
FRESH_BEFORE_VACATION = drops_where(
    lambda its, key, _: key == keys.FRESH_MODE and bool(its.values[keys.VACATION_MODE])
)


def twice(writes: str, *values: object) -> str:
    """The same writes of two, or of each of some values."""
    return ", ".join(writes.format(value) for value in values or ("", ""))


class MovedByTheOther(Service):
    """The switch and the colour temperature of the hood's light move the ambient light's brightness, soon."""

    fleet = (LIGHTS,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key in {keys.LIGHTING, keys.COLOR_TEMPERATURE}:
            self.timers.arm((appliance.ha_id, "moved"), 0.005, lambda: self.move(appliance))

    def move(self, appliance: Appliance) -> None:
        """The brightness is one that it is not now."""
        brightness = appliance.values[keys.AMBIENT_BRIGHTNESS]
        appliance.values[keys.AMBIENT_BRIGHTNESS] = 30 if brightness == 40 else 40


class FollowedLate(Service):
    """While the refrigerator is on vacation, the force of one door assistant moves the other, after 3 s."""

    fleet = (
        FRIDGE_CELSIUS.only(
            keys.VACATION_MODE, keys.SETPOINT, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER
        ),
    )

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key == keys.ASSISTANT_FORCE_FRIDGE and appliance.values[keys.VACATION_MODE] is True:
            follow = partial(self.change, appliance, keys.ASSISTANT_FORCE_FREEZER, value)
            self.timers.arm((appliance.ha_id, "late"), 3, follow)


class FallsAsleep(Service):
    """The first of three appliances is what it was 3 s after it was switched on, if it is on still."""

    fleet = tuple(replace(fleets.THREE_STATES, ha_id=f"dishwasher-{number}") for number in (1, 2, 3))

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        before = appliance.values[key]
        super().apply(appliance, key, value)
        if (appliance.ha_id, key) == ("dishwasher-1", keys.POWER_STATE):
            self.timers.disarm((appliance.ha_id, key))
            if value == keys.ON:
                self.timers.arm((appliance.ha_id, key), 3, partial(super().apply, appliance, key, before))


# fmt: off
ROWS = [
    Scenario("who shares a setting is told in one finding, and not written to any further",
        HOUSEHOLD, "write", red={ISOLATION}, written={"set/": "", "prepare": ""},
        cases={"SET-WRITABLE::*VacationMode@fridge-[13]": "inconclusive it shares settings with fridge-"}),
    Scenario("what was made again alone shows nothing of who shares a power state, either",
        find_server("one-power-behind-silence"), red={ISOLATION},
        cases={"SET-TYPEGUARD::*SabbathMode@oven-[12]": "inconclusive it shares settings with oven-"}),
    Scenario("whoever has stayed once is not watched again",
        served_by(fleet=LAMPS), "write", clauses=(ISOLATION,),
        requests={f"isolation/{BRIGHTNESS}": 14},
        written={f"isolation/{BRIGHTNESS}": twice("LightingBrightness 10, LightingBrightness {}", 50, 80)}),
    Scenario("a mode without effect beside another is written again when that has ended",
        served_by(FRESH_BEFORE_VACATION, fleet=FRIDGES), "write", clauses=(ISOLATION,),
        verdicts={"pass"},
        written={f"isolation/{keys.FRESH_MODE}/alone": twice("FreshMode True, FreshMode False")}),
    Scenario("all that is made again alone is made in one prepared state",
        served_by(HOUSEHOLD, fleet=tuple(one.having({keys.ECO_MODE: True}) for one in HOUSEHOLD.fleet)),
        "write", clauses=(ISOLATION,), red={ISOLATION},
        written={"prepare": twice("EcoMode False, EcoMode False"), **{
            f"isolation/{key}/alone": twice(twice(f"{name} True, {name} False"))
            for key, name in ((keys.VACATION_MODE, "VacationMode"), (keys.FRESH_MODE, "FreshMode"))}}),
    Scenario("clocks are compared by a time that none of them runs down to",
        served_by(fleet=CLOCKS), "write", clauses=(ISOLATION,), verdicts={"pass"},
        written={f"isolation/{keys.ALARM_CLOCK}": twice("AlarmClock 38340, AlarmClock 60")}),
    Scenario("clocks that are one are told, though they may run out",
        served_by(shares(), fleet=CLOCKS), "write", clauses=(ISOLATION,), red={ISOLATION},
        cases={f"{ISOLATION}::*AlarmClock@*": "fail"}),
    Scenario("two machines of one light are told from two lights by each setting",
        served_by(shares(), fleet=MACHINES), "write", clauses=(ISOLATION,), red={ISOLATION}, cases={
        f"{ISOLATION}::*AmbientLight{end}@*": "fail" for end in ("CustomColor", "Color", "Enabled")}),
    Scenario("two lights of two machines are nobody's fault",
        served_by(fleet=MACHINES), "write", clauses=(ISOLATION,), verdicts={"pass"}),
    Scenario("power states are compared by writes that can be taken back: from standby not by Off",
        served_by(fleet=(STANDING_BY, replace(STANDING_BY, ha_id="second"))), clauses=(ISOLATION,),
        written={"isolation/": twice("PowerState On, PowerState Standby")},
        cases={f"{ISOLATION}::*PowerState@second": "pass"}),
    Scenario("of four machines one may be on: walks that came out odd are made again at rest",
        served_by(find_server("one-on-at-a-time"), fleet=FOUR)),
    Scenario("an On that was put back and is lost while nobody switches another appliance tells of the edge",
        FallsAsleep, tables={"timing": {"settle_s": 10, "power_settle_s": 10}}, red={"PWR-OFF-ON"},
        cases={"PWR-OFF-ON::*@dishwasher-1": "fail"}, moved={"PowerState", "OperationState"},
        left=(f'not restored: dishwasher-1 PowerState was "{keys.ON}", is "{keys.OFF}"',)),
    Scenario("a light that the other one moves keeps its rules",
        MovedByTheOther, "write", clauses=RULES_OF_LIGHTS, cases={"*": "pass"}),
    *(Scenario(f"the fault of one light is found beside the other: {name}",
        served_by(find_server(name), fleet=LIGHTS), "write", clauses=RULES_OF_LIGHTS, red={clause})
      for name, clause in {
        "brightness-unlocked-in-the-dark": "AMB-BRIGHTNESS-LOCKED",
        "percent-ends-custom": "HOOD-PERCENT-APPLIES",
    }.items()),
    Scenario("a write that is lost once is made again alone, and judged by that",
        served_by(find_server("write-lost-once"), fleet=fleets.OVEN_ALARM.only(keys.CHILD_LOCK)), "write",
        clauses=("SET-WRITABLE",), cases={"SET-WRITABLE::*ChildLock@*": "pass"},
        written={f"set/{keys.CHILD_LOCK}/alone": "ChildLock True, ChildLock False"}),
    *(Scenario(f"what comes again is certain, and made once more, as others may write, too: {key[22:]}",
        served_by(drops(key), fleet=fleets.OVEN_ALARM.only(key)), "write",
        clauses=("SET-WRITABLE",), red={"SET-WRITABLE"},
        written={f"set/{key}/alone": twice(alone)})
      for key, alone in {
        keys.CHILD_LOCK: "ChildLock True, ChildLock False",
        keys.ALARM_CLOCK: "AlarmClock 38340, AlarmClock 19170, AlarmClock 0",
    }.items()),
    Scenario("what a write moves beside its key is watched for as long as nothing has to happen",
        FollowedLate, "write", {"timing": {"settle_s": 5, "quiet_s": 5}}, clauses=("SET-ONLY-TARGET",),
        red={"SET-ONLY-TARGET"}),
    *(Scenario(f"nothing but a tour shows {broken.name}",
        broken.service, clauses=(broken.clause, *broken.partners))
      for broken in load_mutants() if broken.service.__module__ == orders.__name__),
]
