"""A value in which a secret stands is written nowhere: nobody could put it back as it was."""

from pathlib import Path

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.checks.groups import Group, ProcedureKind, Sends
from conformance.harness.errors import ForbiddenWriteError
from conformance.harness.writes.keeping.closed import Closed
from conformance.harness.writes.keeping.gate import Gate
from conformance.harness.writes.keeping.journal import Journal, JournalFile
from conformance.harness.writes.procedures.requests import write
from conformance.model.couplings import controllers_of
from conformance.mutants import fleets
from conformance.mutants.shapes.reads import hides
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.service import Service
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.samples.handmade import profile_of, seen_of, value, write_table

TOKEN = "Wq7-token-of-the-hub"
AUTH = {"headers": {"Authorization": "Bearer ${HUB_TOKEN}"}}
GENERATED = {"generated": 120, "generated_writes": 8, "generated_reads": 0}
HELD = [
    (fleets.ROBOT_MAPS, keys.MAP_NAME_1),
    (fleets.AMBIENT, keys.CUSTOM_COLOR),
    (fleets.AMBIENT_PRESET, keys.CUSTOM_COLOR),
    (fleets.AMBIENT, keys.AMBIENT_BRIGHTNESS),
    (fleets.HOOD_LIGHT_NEUTRAL, keys.COLOR_PERCENT),
    (fleets.FRIDGE_MODES, keys.FREEZER_SETPOINT),
    (fleets.FRIDGE_LIGHT, keys.INTERNAL_BRIGHTNESS),
    (fleets.THREE_STATES, keys.POWER_STATE),
]
WRITING = [kind for kind in ProcedureKind if kind.sends in {Sends.WRITES_ALLOWED, Sends.WRITES_FORBIDDEN}]


@pytest.mark.parametrize(("appliance", "key"), HELD, ids=range(len(HELD)))
def test_nothing_is_written_that_may_move_a_secret(
    appliance: ApplianceSpec, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither procedures nor searches write what controls a setting that shows the token of the hub."""
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    fleet = (appliance.having({key: f"Room {TOKEN}"}),)
    service = type("NamedAfterTheToken", (Service,), {"fleet": fleet})()
    before = service.settings()
    ran = run_of(service, tmp_path, "power", {"auth": AUTH, "pace": GENERATED}, still=False)
    written = {line["key"] for line in ran.evidence if line.get("purpose") in {"write", "restore"}}
    assert written.isdisjoint({key, *controllers_of(CATALOG, key)})
    assert (service.settings(), ran.left, ran.errors()) == (before, [], set())


def test_case_says_that_a_secret_is_in_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The case of a name says why it is not written, and the one beside it is judged as ever."""
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    fleet = (fleets.ROBOT_MAPS.having({keys.MAP_NAME_1: f"Room {TOKEN}"}),)
    service = type("NamedAfterTheToken", (Service,), {"fleet": fleet})()
    ran = run_of(service, tmp_path, "write", {"auth": AUTH})
    verdict, message = ran.said("SET-WRITABLE", "NameOfMap1")
    assert (verdict, "holds a secret" in message) == ("inconclusive", True)
    assert ran.said("SET-WRITABLE", "NameOfMap2")[0] == "pass"


def test_secret_may_show_in_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a preset hid is a secret once CustomColor is chosen: nothing more is written, all is put back."""
    monkeypatch.setenv("HUB_TOKEN", TOKEN)
    is_hidden = hides(
        lambda its, key: key == keys.CUSTOM_COLOR and its.values[keys.AMBIENT_COLOR] == keys.COLOR_1
    )
    fleet = (fleets.AMBIENT_PRESET.having({keys.CUSTOM_COLOR: f"#{TOKEN}"}),)
    service = type("HiddenSecret", (is_hidden, Service), {"fleet": fleet})()
    before = service.settings()
    ran = run_of(service, tmp_path, "power", {"auth": AUTH, "pace": GENERATED}, still=False)
    assert (service.settings(), ran.left, ran.errors()) == (before, [], set())
    assert any("holds a secret" in message for _, message in ran.verdicts.values())


@pytest.mark.parametrize("kind", WRITING)
def test_gate_keeps_a_secret_from_each_kind_of_procedure(kind: ProcedureKind, tmp_path: Path) -> None:
    """What a procedure reads first is a secret then, so neither a write nor the value goes through."""
    profile = profile_of("CleaningRobot", write=write_table("*"))
    group = Group(kind, keys.MAP_NAME_1)
    seen = seen_of(profile, value(keys.MAP_NAME_1, "Room ${HUB_TOKEN}", group=group))
    gate = Gate(profile, "power", Journal(JournalFile(tmp_path / JOURNAL_FILE, {})), Closed(CATALOG))
    gate.learn(*seen.group(group))
    with pytest.raises(ForbiddenWriteError, match="holds a secret"):
        gate.admit(write(seen, group, keys.MAP_NAME_1, "Attic"))
