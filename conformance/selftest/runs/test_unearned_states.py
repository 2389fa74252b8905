"""What a controlling key does not show excuses nothing: an error, or what is no value of the document."""

from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from catalog.model import Segment
from conformance.mutants import fleets
from conformance.mutants.shapes.writes import drops
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Reply
from conformance.selftest.support.judged_runs import Run, run_of

FRIDGE = FRIDGE_CELSIUS.only(keys.ECO_MODE, keys.FREEZER_DOOR)
_ALWAYS = 1_000
LOCK = "Vendor.Common.Setting.ChildLock"


def failing(on: str, status: int, *, times: int = _ALWAYS) -> type[Service]:
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


def run(out: Path, level: Any, *layers: type[Service], spec: ApplianceSpec = FRIDGE, **more: Any) -> Run:
    """A run against a service of these layers, which has one appliance."""
    service = type("Made", layers, {"fleet": (spec,)})
    return run_of(
        service(), out, level, {"timing": {"settle_s": 0, "power_settle_s": 0, "retry_s": 0}, **more}
    )


@pytest.mark.parametrize("status", [500, 504, 408, 429])
@pytest.mark.parametrize(
    "key",
    [keys.FRIDGE_SABBATH, keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.OPERATION_STATE, keys.POWER_STATE],
)
def test_error_on_a_controlling_key_is_no_state(tmp_path: Path, key: str, status: int) -> None:
    """What it keeps from being written is open, and no state explains that, as a condition would be."""
    judged = run(tmp_path, "power", failing(key, status), drops(keys.ECO_MODE))
    case = judged.cases[f"SET-WRITABLE::{keys.ECO_MODE}@{FRIDGE.ha_id}"]
    assert (case.verdict, case.exempt) == ("inconclusive", "")
    assert f"could not be read ({status})" in case.message
    assert not {case.exempt for case in judged.cases.values()} - {""}
    assert not judged.written("mode")


def test_controlling_key_is_tried_as_any_key(tmp_path: Path) -> None:
    """An error that does not come back keeps nothing from being written."""
    judged = run(tmp_path, "write", failing(keys.FRIDGE_SABBATH, 504, times=2), drops(keys.ECO_MODE))
    assert judged.red() == {"SET-WRITABLE"}


def test_error_excuses_no_missing_key(tmp_path: Path) -> None:
    """At level read a claimed key that answers 404 is missing, whatever PowerState answers."""

    class Lacks(Service):
        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            return {**super().claims(spec), "supports": [keys.ECO_MODE, keys.VACATION_MODE], "lacks": []}

    judged = run(tmp_path, "read", Lacks, failing(keys.POWER_STATE, 504))
    assert judged.said("READ-SETTING", keys.VACATION_MODE)[0] == "fail"


def misspelled(on: str) -> type[Service]:
    """The value of an enumeration is shown by its short name."""

    class Misspells(Service):
        def value(self, appliance: Appliance, key: str) -> Any:
            shown = super().value(appliance, key)
            return str(shown).rpartition(".")[2] if key == on else shown

    return Misspells


def test_writes_go_on_beside_a_value_of_nobody(tmp_path: Path) -> None:
    """A power state that is no value of the document is a finding, and keeps nothing from being written."""
    spec = fleets.THREE_STATES_AND_LOCK
    judged = run(tmp_path, "write", misspelled(keys.POWER_STATE), spec=spec)
    assert judged.said("SET-WRITABLE", LOCK)[0] == "pass"
    assert judged.said("ENUM-POWERSTATE")[0] == "fail"
    assert not [message for _, message in judged.verdicts.values() if "X4" in message]


def test_effect_is_missed_beside_a_value_of_nobody(tmp_path: Path) -> None:
    """A write without effect is open, naming the value, where the appliance may be off."""
    layers = misspelled(keys.POWER_STATE), drops(keys.CHILD_LOCK)
    judged = run(tmp_path, "write", *layers, spec=fleets.THREE_STATES_AND_LOCK)
    verdict, message = judged.said("SET-WRITABLE", LOCK)
    assert verdict == "inconclusive"
    assert 'PowerState is "On", which is no value of the document' in message


def test_walk_does_not_begin_from_a_value_of_nobody(tmp_path: Path) -> None:
    """No edge is said to be never reached where the present state is no value of the document."""
    judged = run(tmp_path, "power", misspelled(keys.POWER_STATE), spec=fleets.THREE_STATES)
    verdict, message = judged.said("PWR-ON-OFF")
    assert (verdict, 'PowerState is "On", which is no value' in message) == ("inconclusive", True)
