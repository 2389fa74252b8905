"""Values that are drawn are told of and put back; one that holds a secret is written nowhere, since nobody
could put it back as it was.
"""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.mutants.fleets import OVEN_ALARM, ROBOT_MAPS
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import confuses, hides
from conformance.mutants.shapes.writes import coerces, is_number, takes
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.events import Event
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.runs.scenarios.model import Scenario
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.recording import served_by

ERRORS = ("PROT-ERRORS", "SET-TYPEGUARD")
GUARDS = ("SET-TYPEGUARD", "SET-ENUMGUARD", "RANGE-WRITE-OUT", "SET-ONLY-TARGET")


class Delayed(Service):
    """An alarm clock that takes what is beyond doubles, a moment after the last write of any value."""

    fleet = (OVEN_ALARM.only(keys.ALARM_CLOCK, keys.DOOR_STATE),)
    taken: int | None = None

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        value, reply = self.decode(appliance, key, body), super().write(appliance, segment, key, body)
        if isinstance(value, int) and value > 2**53:
            self.taken, reply = value, self.acknowledge(appliance, key)
        if self.taken:
            self.timers.arm((appliance.ha_id, key), 0.01, lambda: self._take(appliance, key))
        return reply

    def _take(self, appliance: Appliance, key: str) -> None:
        value, self.taken = self.taken, None
        self.apply(appliance, key, value)


class Ranging(Service):
    """Each answer of a light shows another range."""

    fleet = (fleets.LAMP,)
    asked = 0

    def bounds(self, appliance: Appliance, entry: Entry) -> OwnRange | None:
        self.asked += 1
        own = super().bounds(appliance, entry)
        return own and replace(own, max=own.max - self.asked / 1e6)


class Unencoded(Service):
    """Stores half of a surrogate pair in a name, and cannot send it."""

    fleet = (ROBOT_MAPS,)

    def fits_type(self, entry: Entry, value: Json) -> bool:
        return isinstance(value, str) if entry.type == "String" else super().fits_type(entry, value)

    def answer(self, request: Incoming) -> Reply:
        try:
            return super().answer(request)
        except UnicodeEncodeError:
            return Reply(500)

    def event(self, appliance: Appliance, key: str, value: Json) -> Event:
        """An event can always be sent."""
        return super().event(appliance, key, "" if isinstance(value, str) else value)


class TwoCopies(Service):
    """Every second read of a setting is answered by a copy that learns of a write 3 s later."""

    fleet = (OVEN_ALARM, fleets.FRIDGE_SETPOINTS)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        appliance.kept[key] = appliance.values[key], self.clock.now() + 3
        super().apply(appliance, key, value)

    def value(self, appliance: Appliance, key: str) -> Json:
        asked = appliance.nth(f"asked {key}")
        known, until = appliance.kept.get(key, (None, 0.0))
        return known if asked % 2 == 0 and self.clock.now() < until else super().value(appliance, key)


def pace(writes: int, reads: int = 0) -> dict[str, object]:
    """The table of a profile with so many generated values."""
    return {"pace": {**STILL, "generated_writes": writes, "generated_reads": reads}}


# fmt: off

TOKEN = "Wq7-token-of-the-hub"
VARIABLES = {"HUB_TOKEN": TOKEN}
AUTH = {"auth": {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}}
GENERATED = {**AUTH, "pace": {"generated": 120, "generated_writes": 8, "generated_reads": 0}}
WORDS = coerces(lambda _service, _own, _entry, sent: {"true": True, "false": False}.get(str(sent), sent))
LEVELS = {
    step: replace(
        fleets.AMBIENT_PRESET, ranges={keys.AMBIENT_BRIGHTNESS: OwnRange(10, 100, step)}
    ).having({keys.AMBIENT_BRIGHTNESS: 10 + 45 // step * step})
    for step in (1, 10, 30, 45)
}
HIDDEN = hides(lambda its, key: key == keys.CUSTOM_COLOR and its.values[keys.AMBIENT_COLOR] == keys.COLOR_1)
HELD = (
    (fleets.ROBOT_MAPS, keys.MAP_NAME_1, {"NameOfMap2", "ChargingConnection"}),
    (fleets.AMBIENT, keys.CUSTOM_COLOR, {"DoorState"}),
    (fleets.AMBIENT_PRESET, keys.CUSTOM_COLOR, {"DoorState"}),
    (fleets.AMBIENT, keys.AMBIENT_BRIGHTNESS, {"DoorState"}),
    (fleets.HOOD_LIGHT_NEUTRAL, keys.COLOR_PERCENT, {"OperationState"}),
    (fleets.FRIDGE_MODES, keys.FREEZER_SETPOINT, {"SetpointTemperatureRefrigerator", "Freezer"}),
    (fleets.FRIDGE_LIGHT, keys.INTERNAL_BRIGHTNESS, {"ChildLock", "Refrigerator"}),
    (fleets.THREE_STATES, keys.POWER_STATE, {"DoorState"}),
)
"""An appliance, the setting that shows the token of the hub, and all that is written all the same."""
# fmt: off
BESIDE = (
    ("NameOfMap1", keys.MAP_NAME_2, keys.MAP_NAME_1, ROBOT_MAPS),
    ("ChildLock", keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER, FRIDGE_CELSIUS.only(
        keys.CHILD_LOCK, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER)),
    ("TemperatureUnit", keys.SETPOINT, keys.FREEZER_SETPOINT, fleets.FRIDGE_UNITS),
)
"""What is written, the key that is not written meanwhile, and the one that answers for that."""


ROWS = [
    Scenario("a value that is stored late is found: each is waited for where the last look shows a wrong one",
        Delayed, "write", pace(120), ("RANGE-WRITE-OUT",), red={"RANGE-WRITE-OUT"},
        cases={"RANGE-WRITE-OUT::~generated@oven-1": "fail  to AlarmClock, "}),
    Scenario("a value that one of two copies shows later is read until its settle time is over",
        TwoCopies, "write", {"timing": {"settle_s": 4}}, ("SET-WRITABLE",), verdicts={"pass"}),
    # A number is kept as it is, and a word made the Boolean that was there before.
    Scenario("a number that is stored shows before another forbidden value undoes it",
        served_by(takes(keys.CHILD_LOCK, is_number), WORDS, fleet=OVEN_ALARM), "write", pace(4),
        ("SET-TYPEGUARD",), red={"SET-TYPEGUARD"}, cases={"SET-TYPEGUARD::*ChildLock@*": "fail"}),
    *(Scenario(f"of a light by steps of {step} a level is written that it has, and is not at",
        served_by(fleet=LEVELS[step]), "write", clauses=("AMB-BRIGHTNESS-FREE", "AMB-BRIGHTNESS-LOCKED"),
        verdicts={"pass"})
      for step in LEVELS),
    Scenario("a range that is another one at each read is read once more, and no further",
        Ranging, "write", clauses=("SET-WRITABLE",), requests={"set/": range(200)}),
    Scenario("a value after which the setting is answered with 500 is observed",
        Unencoded, "write", pace(120, 40), ERRORS,
        cases={"PROT-ERRORS::~generated@*":
               'observed wrote "\\ud800" to NameOfMap1, acknowledged (204), then 500 (server error)'}),
    Scenario("without a budget there is no case of generated values, and nothing is written for one",
        served_by(fleet=(OVEN_ALARM, ROBOT_MAPS)), "write", pace(0), GUARDS, requests={"edge/": 0}),
    # Neither procedures nor searches write what controls a setting that shows the token of the hub.
    *(Scenario(f"secret {number}: nothing is written that may move {key}",
        served_by(fleet=appliance.having({key: f"Room {TOKEN}"})), tables=GENERATED, still=False, red=None,
        environment=VARIABLES, writes_to=others)
      for number, (appliance, key, others) in enumerate(HELD)),
    *(Scenario(f"a case says that a secret is in the way of name {held}, and name {other} is judged as ever",
        served_by(fleet=fleets.ROBOT_MAPS.having({key: f"Room {TOKEN}"})), "write", AUTH,
        red=None,
        cases={f"SET-WRITABLE::*NameOfMap{held}@*": "inconclusive holds a secret",
               f"SET-WRITABLE::*NameOfMap{other}@*": "pass"}, environment=VARIABLES)
      for key, held, other in ((keys.MAP_NAME_1, 1, 2), (keys.MAP_NAME_2, 2, 1))),
    *(Scenario(f"what moves a neighbour is found however long writes may take: {name}",
        find_server(name), "write", {"timing": {"settle_s": 10.0}}, ("SET-ONLY-TARGET", *more),
        red={"SET-ONLY-TARGET"})
      for name, *more in (("doses-saved-together",), ("dose-keeps-below-the-other", "RANGE-WRITE-BOUNDS"))),
    *(Scenario(f"beside {written} nothing is written that answers for another key",
        served_by(confuses(key, other), fleet=fleet), "write", red=None,
        cases={f"SET-WRITABLE::*{written}@*": "pass"})
      for written, key, other, fleet in BESIDE),
    Scenario("what a preset hid is a secret once CustomColor is chosen: nothing more is written",
        served_by(HIDDEN, fleet=fleets.AMBIENT_PRESET.having({keys.CUSTOM_COLOR: f"#{TOKEN}"})),
        tables=GENERATED, still=False, red=None, environment=VARIABLES,
        cases={"SET-WRITABLE::*CustomColor@*": "inconclusive holds a secret"}),
]
