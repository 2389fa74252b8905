"""What a controlling key does not show excuses nothing: an error, or what is no value of the document."""

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.shapes.reads import converts
from conformance.mutants.shapes.writes import drops
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.selftest.runs.scenarios.model import Scenario, served_by

FRIDGE = FRIDGE_CELSIUS.only(keys.ECO_MODE, keys.FREEZER_DOOR)
AT_ONCE = {"timing": {"settle_s": 0, "power_settle_s": 0, "retry_s": 0}}
CONTROLS = {
    keys.FRIDGE_SABBATH: 500,
    keys.CHILD_LOCK: 504,
    keys.REMOTE_CONTROL: 408,
    keys.OPERATION_STATE: 429,
    keys.POWER_STATE: 500,
}
"""What keeps something from being written, and the error that it answers."""
MISSPELLED = converts(lambda shown: str(shown).rpartition(".")[2], keys.POWER_STATE)
"""PowerState is shown by the short names of its values."""


def failing(on: str, status: int, times: int = 1_000) -> type[Service]:
    """A key that nobody claims, and that answers with an error, for ever or so often."""

    class Fails(Service):
        left = times

        def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
            if key == on and self.left:
                self.left -= 1
                return Reply(status, b'{"error": "gateway"}')
            return super().read(appliance, segment, key)

        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            known = super().claims(spec)
            return {**known, "lacks": [], "supports": [each for each in spec.values if each != on]}

    return Fails


class ClaimsVacation(Service):
    """Claims a mode that the refrigerator does not have."""

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        return {**super().claims(spec), "supports": [keys.ECO_MODE, keys.VACATION_MODE], "lacks": []}


# fmt: off
ROWS = [
    *(Scenario(f"an error {status} on {key} is no state: what it keeps from being written is open",
        served_by(failing(key, status), drops(keys.ECO_MODE), fleet=FRIDGE), tables=AT_ONCE, exempt=set(),
        cases={"SET-WRITABLE::*EcoMode@*": f"inconclusive could not be read ({status})"},
        written={"mode": ""})
      for key, status in CONTROLS.items()),
    Scenario("an error on a controlling key that does not come back keeps nothing from being written",
        served_by(failing(keys.FRIDGE_SABBATH, 504, times=2), drops(keys.ECO_MODE), fleet=FRIDGE), "write",
        AT_ONCE, red={"SET-WRITABLE"}),
    Scenario("a claimed key that answers 404 is missing, whatever PowerState answers",
        served_by(ClaimsVacation, failing(keys.POWER_STATE, 504), fleet=FRIDGE), "read", AT_ONCE,
        red={"READ-SETTING"}, cases={"READ-SETTING::*VacationMode@*": "fail"}),
    Scenario("a power state that is no value is a finding, and keeps nothing from being written",
        served_by(MISSPELLED, fleet=fleets.THREE_STATES_AND_LOCK), "write", AT_ONCE, exempt=set(),
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"}, cases={"SET-WRITABLE::*ChildLock@*": "pass"}),
    Scenario("a write without effect is open beside a power state that is no value",
        served_by(MISSPELLED, drops(keys.CHILD_LOCK), fleet=fleets.THREE_STATES_AND_LOCK), "write", AT_ONCE,
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"}, cases={"SET-WRITABLE::*ChildLock@*":
            'inconclusive PowerState is "On", which is no value of the document'}),
    Scenario("a power walk does not begin from what is no value of the document",
        served_by(MISSPELLED, fleet=fleets.THREE_STATES), tables=AT_ONCE,
        red={"ENUM-KEYFORM", "ENUM-POWERSTATE"},
        cases={"PWR-ON-OFF::*": 'inconclusive PowerState is "On", which is no value'}),
]
