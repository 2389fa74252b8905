"""The power walk: every listed edge in as few writes as there are, from On and back, and never where it must
not begin.
"""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.cases import CATALOG
from conformance.mutants.fleets import ON_AND_OFF, ON_AND_STANDBY, THREE_STATES
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cleaning import WASHER
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import Run, run_of

WALKED = ("PWR-ON-OFF", "PWR-READBACK")
INACTIVE, RUN = (f"Vendor.Common.EnumType.OperationState.{name}" for name in ("Inactive", "Run"))
EDGES = {(edge.source.rpartition(".")[2], edge.write.rpartition(".")[2]) for edge in CATALOG.power_edges}


def walked(fleet: ApplianceSpec, out: Path, **tables: Any) -> tuple[list[str], Run, Service]:
    """The states that a walk on one appliance writes, the run, and the service afterwards."""
    service = type("Walked", (Service,), {"fleet": (fleet,)})()
    run = run_of(service, out, "power", tables, clauses=WALKED)
    return [value for _, value in run.written("walk")], run, service


WALKS: dict[str, tuple[ApplianceSpec, dict[str, Any], list[str]]] = {
    "three states": (THREE_STATES, {}, ["Standby", "On", "Off", "On", "Standby", "Off", "On"]),
    "on and off": (ON_AND_OFF, {}, ["Off", "On"]),
    "on and standby": (ON_AND_STANDBY, {}, ["Standby", "On"]),
    "found off": (
        THREE_STATES.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: INACTIVE}),
        {},
        ["On", "Standby", "On", "Off", "On", "Standby", "Off", "On"],
    ),
    "found in standby": (
        ON_AND_STANDBY.having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: INACTIVE}),
        {},
        ["On", "Standby", "On"],
    ),
    "unlisted ones too": (
        ON_AND_STANDBY,
        {"power": {"probe_unlisted": True}},
        ["Standby", "On", "On", "Standby", "On", "Standby", "Standby", "On"],
    ),
    "a program is active": (THREE_STATES.having({keys.OPERATION_STATE: RUN}), {}, []),
    "no remote control": (ON_AND_OFF.having({keys.REMOTE_CONTROL: False}), {}, []),
    "somebody is there": (THREE_STATES.having({keys.LOCAL_CONTROL: True}), {}, []),
    "always on, and it says so": (WASHER.only(keys.POWER_STATE, keys.OPERATION_STATE), {}, []),
    "only Off is declared beside On": (replace(THREE_STATES, power_states=("On", "Off")), {}, ["Off", "On"]),
}


@pytest.mark.parametrize("name", WALKS)
def test_walk_writes(name: str, tmp_path: Path) -> None:
    """What the appliance has is written in the fewest steps, unless a state forbids it, and all is back."""
    fleet, tables, wanted = WALKS[name]
    writes, run, service = walked(fleet, tmp_path, **tables)
    assert writes == wanted
    assert service.appliances[fleet.ha_id].values[keys.POWER_STATE] == fleet.values[keys.POWER_STATE]
    assert (run.left, run.red()) == ([], set())


def test_walk_takes_every_edge() -> None:
    """Seven writes take all five listed edges between three states; an unlisted one only on request."""
    assert set(pairwise(["On", *WALKS["three states"][2]])) == EDGES
    assert set(pairwise(["On", *WALKS["unlisted ones too"][2]])) - EDGES == {
        ("On", "On"),
        ("Standby", "Standby"),
    }


class Deaf(Service):
    """Ignores Off."""

    fleet = (THREE_STATES,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        if value != keys.OFF:
            super().apply(appliance, key, value)


def test_dead_edge_is_not_taken_again(tmp_path: Path) -> None:
    """A step that failed is tried twice where it is first taken; the walk ends where it began.

    It is made again twice, as somebody else might have written meanwhile.
    """
    service = Deaf()
    run = run_of(service, tmp_path, "power", clauses=WALKED)
    writes = ["Standby", "On", "Off", "Off", "Standby", "Off", "Off", "On"]
    assert [value for _, value in run.written("walk")] == 3 * writes
    assert run.said("PWR-ON-OFF", THREE_STATES.ha_id)[0] == "fail"
    assert service.appliances[THREE_STATES.ha_id].values[keys.POWER_STATE] == keys.ON
