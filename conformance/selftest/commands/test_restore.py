"""restore: from a journal alone, what was written comes back, nothing else is touched, and every line says
what happened.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from catalog.keys import (
    AMBIENT_COLOR,
    CHILD_LOCK,
    CUSTOM_COLOR,
    FAHRENHEIT,
    ON,
    POWER_STATE,
    SETPOINT,
    TEMPERATURE_UNIT,
)
from conformance.harness.wire.transport import Transport
from conformance.mutants.fleets import MACHINE_LIT
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import truthful_profile
from conformance.selftest.support.commanding import said
from conformance.selftest.support.recording import MACHINE_ID, OVEN_ID, Recording
from conformance.selftest.support.writing_runs import intent, journal, served, settled

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.harness.wire.messages import Sent, Wanted

STANDBY = f"{ON.removesuffix('On')}Standby"


class Maker(Recording):
    """The same appliances of a maker with a name of its own."""

    vendor = "Maker"


class Lit(Recording):
    """An appliance with an ambient light: its custom colour can be written only
    while it is chosen (line 70).
    """

    fleet = (MACHINE_LIT,)


class Cold(Recording):
    """A refrigerator in °C."""

    fleet = (FRIDGE_CELSIUS,)


def added(place: Path, before: bytes) -> list[dict[str, Any]]:
    """The lines that were written on in a journal."""
    now = place.read_bytes()
    assert now.startswith(before)
    return [json.loads(line) for line in now[len(before) :].splitlines()]


def test_what_is_owed_comes_back(tmp_path: Path) -> None:
    """Each key is written back, the last write first, on each appliance, and a second restore finds nothing
    to do.
    """
    service = Recording()
    before = service.settings()
    with served(service) as profile:
        for ha_id, key, value in (
            (MACHINE_ID, CHILD_LOCK, True),
            (MACHINE_ID, POWER_STATE, STANDBY),
            (OVEN_ID, CHILD_LOCK, True),
        ):
            service.appliances[ha_id].values[key] = value
        owed = [
            intent(CHILD_LOCK, before=False),
            intent(POWER_STATE, ON),
            intent(CHILD_LOCK, before=False, ha_id=OVEN_ID),
        ]
        place = journal(tmp_path, profile, *owed)
        old = place.read_bytes()
        result = said("restore", str(place))
        assert (result.exit_code, service.settings()) == (0, before)
        assert [line.partition(" is ")[0] for line in result.output.splitlines()] == [
            f"put back: {OVEN_ID} {CHILD_LOCK}",
            f"put back: {MACHINE_ID} {POWER_STATE}",
            f"put back: {MACHINE_ID} {CHILD_LOCK}",
        ]
        assert service.writes() == [POWER_STATE, CHILD_LOCK]
        assert [line["n"] for line in added(place, old)] == list(range(4, 4 + len(added(place, old))))
        asked = len(service.requests)
        again = said("restore", str(place))
    assert (again.exit_code, "nothing is owed" in again.output, len(service.requests)) == (0, True, asked)


def test_what_is_back_already_is_not_written(tmp_path: Path) -> None:
    """A key that reads as before gets no write, and is owed no more."""
    service = Recording()
    with served(service) as profile:
        place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False))
        result = said("restore", str(place))
        assert (result.exit_code, result.output) == (
            0,
            f"was back already: {MACHINE_ID} {CHILD_LOCK} is false\n",
        )
        assert "nothing is owed" in said("restore", str(place)).output
    assert service.writes() == []


@pytest.mark.parametrize(
    "lines", [(), (intent(CHILD_LOCK, before=False), settled(CHILD_LOCK, restored=True), {"end": True})]
)
def test_journal_that_owes_nothing_sends_nothing(lines: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    """Where nothing is owed, restore says so, ends with 0 though nobody listens, and leaves every file as it
    was.
    """
    profile = truthful_profile(Recording(), "http://127.0.0.1:9")
    place = journal(tmp_path, profile, *lines)
    before = place.read_bytes()
    result = said("restore", str(place))
    assert (result.exit_code, "nothing is owed" in result.output) == (0, True)
    assert (list(tmp_path.iterdir()), place.read_bytes()) == ([place], before)


def test_failed_restore_of_a_run_is_owed(tmp_path: Path) -> None:
    """A run that came to its end and could not put something back still owes it."""
    service = Recording()
    with served(service) as profile:
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        place = journal(
            tmp_path,
            profile,
            intent(CHILD_LOCK, before=False),
            settled(CHILD_LOCK, restored=False),
            {"end": True},
        )
        assert said("restore", str(place)).exit_code == 0
    assert service.appliances[MACHINE_ID].values[CHILD_LOCK] is False


def test_interrupted_restore_can_be_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C right after a write: restore ends with 5 and says that the rest is still owed; the next one
    finds and does it.
    """
    service = Recording()
    send = Transport.send

    def until_written(
        self: Transport, wanted: Wanted, *, permit: int | None = None, made: list[Sent] | None = None
    ) -> list[Sent]:
        sent = send(self, wanted, permit=permit, made=made)
        if permit is not None:
            raise KeyboardInterrupt
        return sent

    with served(service) as profile:
        service.appliances[MACHINE_ID].values |= {CHILD_LOCK: True, POWER_STATE: STANDBY}
        place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False), intent(POWER_STATE, ON))
        with monkeypatch.context() as patch:
            patch.setattr(Transport, "send", until_written)
            interrupted = said("restore", str(place))
        finished = said("restore", str(place))
    assert (interrupted.exit_code, "still owed" in interrupted.output) == (5, True)
    assert (finished.exit_code, service.settings()) == (0, Recording().settings())


def test_target_that_is_down_is_said(tmp_path: Path) -> None:
    """Where nobody listens, restore says so, ends with 5, and the journal is what it was: all of it is still
    owed.
    """
    service = Recording()
    with served(service) as profile:
        pass
    place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False))
    before = place.read_bytes()
    result = said("restore", str(place))
    assert (result.exit_code, place.read_bytes()) == (5, before)
    assert f"{profile['target']['base_url']} does not answer: " in result.output
    assert "nothing was put back" in result.output


@pytest.mark.parametrize(
    "cut", ["{", '{"n": 2, "intent": "write", "ha_id"', '{"n": 2, "of": 1, "outcome": "acknowledged"}']
)
def test_cut_line_is_no_obstacle(cut: str, tmp_path: Path) -> None:
    """A last line that was being written when the run died is left out, or ended where it was whole, and the
    journal goes on.
    """
    service = Recording()
    with served(service) as profile:
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False), cut=cut)
        results = [said("restore", str(place)) for _ in range(2)]
    assert [result.exit_code for result in results] == [0, 0]
    assert "nothing is owed" in results[1].output
    assert [json.loads(line)["n"] for line in place.read_bytes().splitlines()] == list(
        range(len(place.read_bytes().splitlines()))
    )


def test_maker_is_spelled_as_on_the_wire(tmp_path: Path) -> None:
    """Keys in the journal are the document's, values those of the wire: a maker's own name is put back as it
    was.
    """
    service = Maker()
    maker_on, maker_standby = (value.replace("Vendor.", "Maker.", 1) for value in (ON, STANDBY))
    with served(service) as profile:
        service.appliances[MACHINE_ID].values[POWER_STATE] = STANDBY
        result = said(
            "restore", str(journal(tmp_path, profile, intent(POWER_STATE, maker_on, value=maker_standby)))
        )
    assert (result.exit_code, service.appliances[MACHINE_ID].values[POWER_STATE]) == (0, ON)


def test_place_of_the_value_is_found_out(tmp_path: Path) -> None:
    """A profile that does not say where values are is no obstacle: what is read first shows it."""
    service = Recording()
    with served(service) as profile:
        del profile["answer"]
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        result = said("restore", str(journal(tmp_path, profile, intent(CHILD_LOCK, before=False))))
    assert (result.exit_code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)


def test_unit_comes_back_before_what_hangs_on_it(tmp_path: Path) -> None:
    """A setpoint that was read in °C is put back in °C, whichever of the two was written first."""
    service = Cold()
    before = service.settings()
    (ha_id,) = service.appliances
    with served(service) as profile:
        for order in (0, 1):
            appliance = service.appliances[ha_id]
            service.apply(appliance, TEMPERATURE_UNIT, FAHRENHEIT)
            owed = [
                intent(TEMPERATURE_UNIT, before[ha_id, TEMPERATURE_UNIT], ha_id=ha_id),
                intent(SETPOINT, before[ha_id, SETPOINT], ha_id=ha_id),
            ]
            (tmp_path / str(order)).mkdir()
            result = said(
                "restore", str(journal(tmp_path / str(order), profile, *(owed if order else owed[::-1])))
            )
            assert result.exit_code == 0
            assert appliance.values[SETPOINT] == before[ha_id, SETPOINT]
            assert appliance.values[TEMPERATURE_UNIT] == before[ha_id, TEMPERATURE_UNIT]


def test_lock_is_opened_and_closed_again(tmp_path: Path) -> None:
    """A custom colour that another colour locks is put back under the one that lets it be written; that is
    then what it was.
    """
    service = Lit()
    appliance = service.appliances[MACHINE_ID]
    other = next(
        value
        for value in service.allowed(appliance, service.entries[AMBIENT_COLOR])
        if value != appliance.values[AMBIENT_COLOR]
    )
    with served(service) as profile:
        before = appliance.values[CUSTOM_COLOR]
        appliance.values |= {AMBIENT_COLOR: other, CUSTOM_COLOR: "#000000"}
        place = journal(tmp_path, profile, intent(CUSTOM_COLOR, before))
        assert said("restore", str(place)).exit_code == 0
        assert (appliance.values[CUSTOM_COLOR], appliance.values[AMBIENT_COLOR]) == (before, other)
        assert said("restore", str(place)).output.endswith("nothing is owed, nothing was sent\n")
