"""Whatever is written is put back, also where that is hard; what no write brings back is said."""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import confuses, hides
from conformance.mutants.shapes.side_effects import couples, follows, shares
from conformance.mutants.shapes.states import refuses_with
from conformance.mutants.shapes.writes import stores
from conformance.mutants.variants.moments import BusyAfterWrites
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.recording import served_by

WARM = f"{keys.COLOR_TEMPERATURE_FAMILY}.warm"
DARK = fleets.LAMP.having({keys.COLOR_TEMPERATURE: WARM, keys.LIGHTING: False})
BOTH = ("SET-WRITABLE", "ADDR-HAID-ISOLATION")
BRIEF = {"settle_s": 0.05, "poll_s": 0.01, "retry_s": 0}
LEFT = ("not restored: oven-1 SabbathMode was false, is true",)
IN_THE_DARK = hides(lambda its, key: key != keys.LIGHTING and not its.values[keys.LIGHTING])
RESETTING = couples(
    {
        (keys.LIGHTING, True): {keys.LIGHTING_BRIGHTNESS: 100},
        (keys.COLOR_TEMPERATURE, WARM): {keys.COLOR_PERCENT: 0},
    }
)
FORCE = "Refrigeration.Common.EnumType.Door.AssistantForce"
ASSISTED = FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER)
MOVED_BY_THE_LOCK = couples({(keys.CHILD_LOCK, True): {keys.ASSISTANT_FORCE_FRIDGE: f"{FORCE}.HighForce"}})


class OneSabbath(shares()):
    """Two ovens share one SabbathMode, which was on at one of them and off at the other."""

    fleet = tuple(replace(OVEN.only(keys.OVEN_SABBATH), ha_id=ha_id) for ha_id in ("oven-1", "oven-2"))

    def reset(self) -> None:
        super().reset()
        self.appliances["oven-2"].values[keys.OVEN_SABBATH] = True


class Slipping(Service):
    """An oven whose SabbathMode comes on by itself, at the third request after it was put off."""

    fleet = (OVEN.only(keys.OVEN_SABBATH),)
    patience = 3
    left = -1

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.left = -1 if value else self.patience

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        self.left -= 1
        if found and self.left == 0:
            found.values[keys.OVEN_SABBATH] = True
        return found


class Stale(Service):
    """A hood whose PowerState reads On, whatever it is."""

    fleet = (fleets.ON_AND_OFF,)

    def value(self, appliance: Appliance, key: str) -> Json:
        return keys.ON if key == keys.POWER_STATE else super().value(appliance, key)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:  # noqa: ARG002  it is as stale
        return super().operation_state(appliance, keys.ON)

    def moves_power(self, appliance: Appliance, value: Json) -> bool:  # noqa: ARG002  it takes each state
        return value in {keys.ON, keys.OFF}


ROUNDED = stores(
    lambda kept: round((round(float(str(kept)) * 9 / 5 + 32) - 32) * 5 / 9, 1), keys.FREEZER_SETPOINT
)
"""A freezer that keeps whole °F and shows tenths of °C, found between two of them or below its range."""


class Clamping(couples({(keys.CHILD_LOCK, True): {keys.FREEZER_SETPOINT: -18}})):
    """A freezer found above its range, which its lock moves, and which takes what is nearest to a value."""

    fleet = (fleets.FRIDGE_SETPOINTS.having({keys.FREEZER_SETPOINT: -15}),)

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        value = super().decode(appliance, key, body)
        return min(value, -16) if key == keys.FREEZER_SETPOINT and isinstance(value, int) else value


class Away(Service):
    """A fridge that is away for a while, from a certain write on, and what a gateway `says` then."""

    fleet = (fleets.FRIDGE_SETPOINTS,)
    puts = 0
    away_at = -1
    is_away = False
    says = Reply(502)

    def answer(self, request: Incoming) -> Reply:
        self.puts += request.method == "PUT"
        if request.method == "PUT" and self.puts == self.away_at:
            reply = super().answer(request)
            self.is_away = True
            self.timers.arm(("", "away"), 1.5, self.come_back)
            return reply
        if self.is_away:
            self.tick()
        return self.says if self.is_away else super().answer(request)

    def come_back(self) -> None:
        """Its network is there again."""
        self.is_away = False


class Operated(Service):
    """An oven that somebody operates for a while once it was locked: whatever is written is refused then."""

    fleet = (fleets.TIMED_OVEN.only(keys.CHILD_LOCK),)
    busy = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if value is True and not self.busy:
            self.busy = True
            self.timers.arm((appliance.ha_id, "busy"), 0.6, self.leave)

    def leave(self) -> None:
        """Nobody operates it any more."""
        self.busy = False

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        return INVALID_STATE if self.busy else super().accepts(appliance, key, value)


def turns_back(found: Json, after_s: float, key: str = keys.CUP_WARMER) -> type[Service]:
    """A coffee machine with a switch, `found` on or off, that goes on again some time after it went off."""
    switched_on = follows(key, lambda its, one, _: its.change(one, key, value=True), after_s=after_s)
    return served_by(switched_on, fleet=fleets.COFFEE_SETTINGS.having({key: found}))


def away(after: int, says: Reply) -> type[Service]:
    """A fridge that is away from the write of this number on."""
    return type("Leaves", (Away,), {"away_at": after, "says": says})


# fmt: off
ROWS = [
    *(Scenario(f"every setting is what it was before: {name}", find_server(name),
        clauses=clauses, red={clauses[-1]})
      for name, clauses in (
        ("freezer-assistant-follows", ("SET-ONLY-TARGET",)),
        ("brightness-found-unlocked", ("AMB-BRIGHTNESS-FREE", "AMB-CUSTOM-ONLY", "AMB-BRIGHTNESS-LOCKED")),
        ("fresh-leaves-the-freezer-warm", ("COOL-FRESH-FREEZER",)),
        ("off-unlisted-and-refused", ("PWR-ON-OFF",)),
        ("remote-start-written-as-a-setting", ("STA-RCSA-DISABLE-ONLY",)),
    )),
    Scenario("an alarm clock that refuses each write and counts down was not left changed",
        find_server("alarm-clock-runs"), moved={"AlarmClock"}),
    Scenario("a setting that another one answers for is not written: nobody could put it back",
        served_by(confuses(keys.MAP_NAME_1, keys.MAP_NAME_2), fleet=fleets.ROBOT_MAPS), "write",
        red={"ADDR-KEY-LAST", "ADDR-SPECIFIC", "SET-ONLY-TARGET"},
        cases={"ADDR-SPECIFIC::*NameOfMap1@*": "fail",
               "SET-WRITABLE::*NameOfMap1@*": "inconclusive NameOfMap2 answers for NameOfMap1"}),
    Scenario("what moves again after it was put back is looked at once more, and said",
        Slipping, "write", clauses=("SET-WRITABLE",), red={"SET-WRITABLE"}, left=LEFT, moved={"SabbathMode"}),
    Scenario("where putting one setting back moves another one away, that is said",
        OneSabbath, "write", clauses=BOTH, red={"ADDR-HAID-ISOLATION"}, left=LEFT, moved={"SabbathMode"}),
    Scenario("a percentage that a choice of color resets, and that no other one lets be set, is left",
        served_by(RESETTING, fleet=DARK), moved={"ColorTemperaturePercent"},
        left=(f"not restored: {DARK.ha_id} ColorTemperaturePercent was 25, is 0",)),
    # Tries to put it back are tries; what nothing ties to it is written all the same.
    Scenario("what could not be put back ends the writes that may move it, and no other judgement",
        find_server("cup-warmer-never-off-again"), "write", red=None, moved={"CupWarmer"},
        left=("not restored: coffee-maker-1 CupWarmer was false, is true",), cases={
            f"SET-WRITABLE::{keys.CUP_WARMER}@*": "fail still true",
            **{f"SET-TYPEGUARD::{key}@*": "inconclusive CupWarmer is written"
               for key in (keys.CUP_WARMER, keys.CHILD_LOCK)},
            f"SET-ENUMGUARD::{keys.LIQUID_UNIT}@*": "pass", f"STA-READONLY::{keys.COFFEE_COUNT}@*": "pass"}),
    # What can only be read while the light is on is looked at before it is off again.
    Scenario("so it is where it shows only while the light is on; a brightness that nobody could read moves",
        served_by(IN_THE_DARK, RESETTING, fleet=DARK),
        moved={"ColorTemperaturePercent", "LightingBrightness"},
        left=(f"not restored: {DARK.ha_id} ColorTemperaturePercent was 25, is 0",)),
    Scenario("what a power cycle has emptied is written as it was first",
        find_server("lock-null-after-a-power-cycle"), red={"TYPE-NOTNULL"}),
    # 2 is what it shows in that state, and no value that has to be put back.
    Scenario("a setpoint that a super mode shows otherwise is what it was once that has ended",
        find_server("super-refrigerator-lowers-its-own"), red={"COOL-SUPER-FRIDGE"}),
    # The target rounds or clamps what it takes: what was found cannot be shown again, and is no debt.
    Scenario("a value between two steps is put back as the step that is nearest",
        served_by(ROUNDED, fleet=fleets.FRIDGE_SETPOINTS.having({keys.FREEZER_SETPOINT: -18.4})), "write",
        moved={"SetpointTemperatureFreezer"}),
    Scenario("a value that the target itself would keep is put back as it was",
        served_by(ROUNDED, fleet=fleets.FRIDGE_SETPOINTS.having({keys.FREEZER_SETPOINT: -17.8})), "write"),
    Scenario("the end of the range is no debt where a value beyond it was found",
        Clamping, "write", red={"RANGE-PERAPP-VALUE"}, moved={"SetpointTemperatureFreezer"}),
    Scenario("a power state is written back, whatever is read", Stale, red={"PWR-ON-OFF"}),
    *(Scenario(f"what an outage left after {number} writes is put back within the run",
        away(number, says), "write", {"timing": {**BRIEF, "put_back_s": 20}}, red=None)
      for number, says in ((1, Reply(502)), (5, Reply(502, drop=True)))),
    Scenario("putting back is tried as long as the profile says, whoever operates the oven for a while",
        Operated, "write", {"timing": {**BRIEF, "put_back_s": 5}}, red=None),
    # It refuses, or fails, so soon after another write.
    *(Scenario(f"what a busy light answers with {status} is written back once more",
        served_by(refuses_with(Reply(status), INVALID_STATE), BusyAfterWrites, fleet=fleets.AMBIENT),
        tables={"timing": {"settle_s": 0.3, "retry_s": 0.1, "put_back_s": 30}}, red=None)
      for status in (409, 500)),
    Scenario("what is written under a lock goes back to what it was before that moved it",
        served_by(MOVED_BY_THE_LOCK, fleet=ASSISTED), "write", {"timing": {"settle_s": 4}},
        clauses=("SET-ONLY-TARGET",), requests={f"set/{keys.CHILD_LOCK}": 15}),
    *(Scenario(f"a switch found {is_on} that goes on again within two seconds has not stayed off: {key}",
        turns_back(is_on, 1.5, key), "write", {"timing": {"settle_s": 4}}, clauses=("SET-WRITABLE",),
        cases={f"SET-WRITABLE::{key}@*": "fail"}, red={"SET-WRITABLE"},
        moved=set() if is_on else {key.rpartition(".")[2]},
        left=() if is_on else (f"not restored: coffee-maker-1 {key.rpartition('.')[2]} was false, is true",))
      for key in (keys.CUP_WARMER, keys.CHILD_LOCK) for is_on in (True, False)),
]
