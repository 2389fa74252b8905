"""Appliances are compared in turn, before anything else is written; those that share a setting are left."""

from itertools import groupby
from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.keys import (
    ECO_MODE,
    FRESH_MODE,
    INACTIVE,
    LIGHTING_BRIGHTNESS,
    OPERATION_STATE,
    POWER_STATE,
    STANDBY,
    VACATION_MODE,
)
from conformance.mutants.fleets import AMBIENT, FRIDGE_MODES, LAMP, THREE_STATES
from conformance.mutants.registry import find_server
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.held import values_of


def test_who_shares_a_setting_is_not_written_to_any_further(tmp_path: Path) -> None:
    """It is told as one finding; who could say to which of the two a write was made?"""
    service = find_server("one-vacation-a-household")()
    before = values_of(service)
    run = run_of(service, tmp_path, "write")
    shared = "it shares settings with fridge-3 (ADDR-HAID-ISOLATION)"
    assert run.said("SET-WRITABLE", "VacationMode@fridge-1") == ("inconclusive", shared)
    assert not {line["lane"] for line in run.requests("set/")} & {"fridge-1", "fridge-3"}
    assert (run.red(), run.left, values_of(service)) == ({"ADDR-HAID-ISOLATION"}, [], before)


def test_nobody_is_written_to_while_another_one_is_compared(tmp_path: Path) -> None:
    """Each appliance has its turn, and all have had it before anything else is written."""
    kind = find_server("one-vacation-a-household")
    lamps = LAMP, replace(LAMP, ha_id="lamp-2")
    beside: type[Service] = type("BesideLamps", (kind,), {"fleet": (*kind.fleet, *lamps)})
    run = run_of(beside(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION", "SET-WRITABLE"})
    written = [line for line in run.evidence if line.get("purpose") == "write" and "request" in line]
    compared = [line["groups"][0].startswith("isolation/") for line in written]
    assert compared == sorted(compared, reverse=True)
    lanes = [line["lane"] for line in written if line["groups"][0].startswith("isolation/")]
    assert len([*groupby(lanes)]) == len({*lanes}) == len(beside.fleet)


def test_whoever_has_stayed_once_is_not_watched_again(tmp_path: Path) -> None:
    """A written value that the other lamp did not have shows enough; nobody waits for the old one."""
    lamps = (
        LAMP.having({LIGHTING_BRIGHTNESS: 50}),
        replace(LAMP, ha_id="lamp-2").having({LIGHTING_BRIGHTNESS: 80}),
    )
    service: type[Service] = type("TwoLamps", (Service,), {"fleet": lamps})
    run = run_of(service(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION"})
    group = f"isolation/{LIGHTING_BRIGHTNESS}"
    watched = [line for line in run.requests(group) if line["key"] == LIGHTING_BRIGHTNESS]
    beside = [line for line in watched if line["ha_id"] != line["lane"]]
    assert (len(beside), len(run.written(group)), run.left) == (4, 4, [])


class FreshBeforeVacation(Service):
    """Two refrigerators on which FreshMode does not begin while VacationMode is on."""

    fleet = (FRIDGE_MODES, replace(FRIDGE_MODES, ha_id="fridge-2"))

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if key != FRESH_MODE or not appliance.values[VACATION_MODE]:
            super().apply(appliance, key, value)


def test_mode_without_effect_beside_another_is_written_again(tmp_path: Path) -> None:
    """When the other one has ended, in the same prepared state."""
    run = run_of(FreshBeforeVacation(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION"})
    assert {verdict for verdict, _ in run.verdicts.values()} == {"pass", "not_applicable"}
    assert run.written(f"isolation/{FRESH_MODE}/alone")


def test_what_is_made_again_alone_is_prepared_once(tmp_path: Path) -> None:
    """All of an appliance that came otherwise beside others is tried again in one prepared state."""
    kind = find_server("one-vacation-a-household")
    fleet = tuple(one.having({ECO_MODE: True}) for one in kind.fleet)
    run = run_of(
        type("Saving", (kind,), {"fleet": fleet})(), tmp_path, "write", clauses={"ADDR-HAID-ISOLATION"}
    )
    alone = {group for line in run.evidence for group in line.get("groups", ()) if group.endswith("/alone")}
    assert len(alone) == len({VACATION_MODE, FRESH_MODE})
    assert run.written("prepare") == [("EcoMode", "False")] * 2 * len(fleet)


class OneLight(Service):
    """Two machines of one ambient light: what is written to it at the one, the other one shows, too."""

    fleet = (AMBIENT, replace(AMBIENT, ha_id="dishwasher-2"))

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  whichever is written to
        for each in self.appliances.values():
            super().apply(each, key, value)


@pytest.mark.parametrize("kind", [OneLight, type("TwoLights", (OneLight,), {"apply": Service.apply})])
def test_all_settings_of_a_light_are_compared(kind: type[OneLight], tmp_path: Path) -> None:
    """Two machines of one light are told from two lights, by each of its settings; all are put back."""
    service = kind()
    run = run_of(service, tmp_path, "write", clauses={"ADDR-HAID-ISOLATION"})
    keys = {key for key, _ in run.written("isolation/")}
    assert {"AmbientLightCustomColor", "AmbientLightColor", "AmbientLightEnabled"} <= keys
    verdicts = {verdict for verdict, _ in run.verdicts.values()} - {"not_applicable"}
    assert verdicts == ({"fail"} if kind is OneLight else {"pass"})
    assert (run.left, values_of(service)) == ([], values_of(kind()))


def test_power_state_is_compared_by_writes_that_can_be_taken_back(tmp_path: Path) -> None:
    """From standby an appliance is switched on, not off: from there no way leads to standby again."""
    sleeping = THREE_STATES.only(POWER_STATE, OPERATION_STATE).having(
        {POWER_STATE: STANDBY, OPERATION_STATE: INACTIVE}
    )
    fleet = sleeping, replace(sleeping, ha_id="second")
    service: type[Service] = type("Sleeping", (Service,), {"fleet": fleet})
    run = run_of(service(), tmp_path, "power", clauses={"ADDR-HAID-ISOLATION"})
    assert run.written("isolation/") == [("PowerState", "On"), ("PowerState", "Standby")] * 2
    assert (run.left, run.said("ADDR-HAID-ISOLATION", "PowerState@second")[0]) == ([], "pass")
