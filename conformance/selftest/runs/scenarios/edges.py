"""Generated values that are written: what comes of them is told, and nothing of them is left behind."""

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants.fleets import OVEN_ALARM, ROBOT_MAPS
from conformance.reference.appliance import Appliance
from conformance.reference.events import Event
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.runs.scenarios.model import Scenario, served_by
from conformance.selftest.support.judged_runs import STILL

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


def pace(writes: int, reads: int = 0) -> dict[str, object]:
    """The table of a profile with so many generated values."""
    return {"pace": {**STILL, "generated_writes": writes, "generated_reads": reads}}


# fmt: off
ROWS = [
    Scenario("a value that is stored late is found: each is waited for where the last look shows a wrong one",
        Delayed, "write", pace(120), ("RANGE-WRITE-OUT",), red={"RANGE-WRITE-OUT"},
        cases={"RANGE-WRITE-OUT::~generated@oven-1": "fail  to AlarmClock, "}),
    Scenario("a value after which the setting is answered with 500 is observed",
        Unencoded, "write", pace(120, 40), ERRORS,
        cases={"PROT-ERRORS::~generated@*":
               'observed wrote "\\ud800" to NameOfMap1, acknowledged (204), then 500 (server error)'}),
    Scenario("without a budget there is no case of generated values, and nothing is written for one",
        served_by(fleet=(OVEN_ALARM, ROBOT_MAPS)), "write", pace(0), GUARDS, requests={"edge/": 0}),
]
