"""States that a run may end are ended for a short time; a key that shows none excuses nothing."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from catalog import keys
from catalog.model import Segment
from conformance.harness.writes import write_runner
from conformance.mutants import fleets
from conformance.mutants.shapes.writes import drops
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table
from conformance.selftest.support.servers.held import values_of

WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)


def run(service: Service, out: Path, **write: object) -> Run:
    """A judged run of level power with these fields of [write]."""
    return run_of(service, out, "power", {"write": {**WRITE, **write}})


class Counted(Service):
    """A locked refrigerator of many doors; `longest` are the most requests while it is not locked.

    Most of what is written to it is written together.
    """

    fleet = (
        FRIDGE_CELSIUS.only(
            keys.CHILD_LOCK,
            keys.INTERNAL_LIGHT,
            *(key for key in FRIDGE_CELSIUS.values if ".Status.Door" in key),
        ).having({keys.CHILD_LOCK: True}),
    )

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.longest = self.lifted = 0

    def answer(self, request: Incoming) -> Reply:
        self.asked += 1
        reply = super().answer(request)
        if self.appliances[FRIDGE_CELSIUS.ha_id].values[keys.CHILD_LOCK]:
            self.lifted = self.asked
        self.longest = max(self.longest, self.asked - self.lifted)
        return reply


def test_prepared_states_are_short(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock of one second a request no state lasts longer than it may, and the verdicts are the same."""
    longest, verdicts = list[int](), list[dict[str, str]]()
    for most in (30, 80_000):
        out = tmp_path / f"{most}"
        out.mkdir()
        service = Counted()
        monkeypatch.setattr(write_runner, "time", SimpleNamespace(monotonic=lambda it=service: it.asked))
        ran = run(service, out, max_prepared_s=most)
        longest.append(service.longest)
        verdicts.append({name: verdict for name, (verdict, _) in ran.verdicts.items()})
        assert values_of(service) == values_of(Counted())
    assert (longest[0] <= 30 < longest[1], verdicts[0]) == (True, verdicts[1]), longest


class Colorful(Service):
    """A hood with two lights, one under a preset, the other one under a colour temperature of its own."""

    fleet = (HOOD_COLORFUL.having({keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT}),)


def test_both_lights_are_prepared_at_the_same_time(tmp_path: Path) -> None:
    """What needs the one light prepared and what needs the other one is written in one prepared state."""
    prepared = [line["key"] for line in run(Colorful(), tmp_path).journal if line.get("prepared")]
    assert {*prepared[:2]} == {keys.AMBIENT_COLOR, keys.COLOR_TEMPERATURE}


# What a controlling key does not show excuses nothing: an error, or what is no value of the document.
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


def judged_with(
    out: Path, level: Any, *layers: type[Service], spec: ApplianceSpec = FRIDGE, **more: Any
) -> Run:
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
    judged = judged_with(tmp_path, "power", failing(key, status), drops(keys.ECO_MODE))
    case = judged.cases[f"SET-WRITABLE::{keys.ECO_MODE}@{FRIDGE.ha_id}"]
    assert (case.verdict, case.exempt) == ("inconclusive", "")
    assert f"could not be read ({status})" in case.message
    assert not {case.exempt for case in judged.cases.values()} - {""}
    assert not judged.written("mode")


def test_controlling_key_is_tried_as_any_key(tmp_path: Path) -> None:
    """An error that does not come back keeps nothing from being written."""
    judged = judged_with(tmp_path, "write", failing(keys.FRIDGE_SABBATH, 504, times=2), drops(keys.ECO_MODE))
    assert judged.red() == {"SET-WRITABLE"}


def test_error_excuses_no_missing_key(tmp_path: Path) -> None:
    """At level read a claimed key that answers 404 is missing, whatever PowerState answers."""

    class Lacks(Service):
        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            return {**super().claims(spec), "supports": [keys.ECO_MODE, keys.VACATION_MODE], "lacks": []}

    judged = judged_with(tmp_path, "read", Lacks, failing(keys.POWER_STATE, 504))
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
    judged = judged_with(tmp_path, "write", misspelled(keys.POWER_STATE), spec=spec)
    assert judged.said("SET-WRITABLE", LOCK)[0] == "pass"
    assert judged.said("ENUM-POWERSTATE")[0] == "fail"
    assert not [message for _, message in judged.verdicts.values() if "X4" in message]


def test_effect_is_missed_beside_a_value_of_nobody(tmp_path: Path) -> None:
    """A write without effect is open, naming the value, where the appliance may be off."""
    layers = misspelled(keys.POWER_STATE), drops(keys.CHILD_LOCK)
    judged = judged_with(tmp_path, "write", *layers, spec=fleets.THREE_STATES_AND_LOCK)
    verdict, message = judged.said("SET-WRITABLE", LOCK)
    assert verdict == "inconclusive"
    assert 'PowerState is "On", which is no value of the document' in message


def test_walk_does_not_begin_from_a_value_of_nobody(tmp_path: Path) -> None:
    """No edge is said to be never reached where the present state is no value of the document."""
    judged = judged_with(tmp_path, "power", misspelled(keys.POWER_STATE), spec=fleets.THREE_STATES)
    verdict, message = judged.said("PWR-ON-OFF")
    assert (verdict, 'PowerState is "On", which is no value' in message) == ("inconclusive", True)
