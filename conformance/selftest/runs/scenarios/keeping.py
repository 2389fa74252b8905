"""Whatever is written is put back, also where that is hard; what no write brings back is said."""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import confuses, hides
from conformance.mutants.shapes.side_effects import couples
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.runs.scenarios.model import Scenario, served_by
from conformance.selftest.runs.scenarios.sharing import OfAll

WARM = f"{keys.COLOR_TEMPERATURE_FAMILY}.warm"
DARK = fleets.LAMP.having({keys.COLOR_TEMPERATURE: WARM, keys.LIGHTING: False})
BOTH = ("SET-WRITABLE", "ADDR-HAID-ISOLATION")
LEFT = ("not restored: oven-1 SabbathMode was false, is true",)
IN_THE_DARK = hides(lambda its, key: key != keys.LIGHTING and not its.values[keys.LIGHTING])
RESETTING = couples(
    {
        (keys.LIGHTING, True): {keys.LIGHTING_BRIGHTNESS: 100},
        (keys.COLOR_TEMPERATURE, WARM): {keys.COLOR_PERCENT: 0},
    }
)


class OneSabbath(OfAll):
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
]
