"""A value in which a secret stands is written nowhere: nobody could put it back as it was."""

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.shapes.reads import hides
from conformance.selftest.runs.scenarios.model import Scenario, served_by

TOKEN = "Wq7-token-of-the-hub"
VARIABLES = {"HUB_TOKEN": TOKEN}
AUTH = {"auth": {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}}
GENERATED = {**AUTH, "pace": {"generated": 120, "generated_writes": 8, "generated_reads": 0}}
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
ROWS = [
    # Neither procedures nor searches write what controls a setting that shows the token of the hub.
    *(Scenario(f"secret {number}: nothing is written that may move {key}",
        served_by(fleet=appliance.having({key: f"Room {TOKEN}"})), tables=GENERATED, still=False, red=None,
        environment=VARIABLES, writes_to=others)
      for number, (appliance, key, others) in enumerate(HELD)),
    Scenario("a case says that a secret is in its way, and the one beside it is judged as ever",
        served_by(fleet=fleets.ROBOT_MAPS.having({keys.MAP_NAME_1: f"Room {TOKEN}"})), "write", AUTH,
        red=None,
        cases={"SET-WRITABLE::*NameOfMap1@*": "inconclusive holds a secret",
               "SET-WRITABLE::*NameOfMap2@*": "pass"}, environment=VARIABLES),
    Scenario("what a preset hid is a secret once CustomColor is chosen: nothing more is written",
        served_by(HIDDEN, fleet=fleets.AMBIENT_PRESET.having({keys.CUSTOM_COLOR: f"#{TOKEN}"})),
        tables=GENERATED, still=False, red=None, environment=VARIABLES,
        cases={"SET-WRITABLE::*CustomColor@*": "inconclusive holds a secret"}),
]
