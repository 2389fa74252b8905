"""restore: from a journal alone, what was written comes back, and nothing else is touched."""

from pathlib import Path
from typing import Any

import pytest

from catalog.keys import (
    CHILD_LOCK,
    FAHRENHEIT,
    ON,
    POWER_STATE,
    SETPOINT,
    TEMPERATURE_UNIT,
)
from conformance.commands.around import print_what_is_left
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import truthful_profile
from conformance.selftest.support.commanding import said
from conformance.selftest.support.owed_journals import intent, journal, served, settled
from conformance.selftest.support.servers.recording import MACHINE_ID, OVEN_ID, Recording

STANDBY = f"{ON.removesuffix('On')}Standby"


class Maker(Recording):
    """The same appliances of a maker with a name of its own."""

    vendor = "Maker"


class Cold(Recording):
    """A refrigerator in °C."""

    fleet = (FRIDGE_CELSIUS,)


def test_what_is_owed_comes_back(tmp_path: Path) -> None:
    """Each key is written back, the last write first; a second restore finds nothing to do."""
    service = Recording()
    before = service.settings()
    owed = [
        intent(CHILD_LOCK, before=False),
        intent(POWER_STATE, ON),
        intent(CHILD_LOCK, before=False, ha_id=OVEN_ID),
    ]
    with served(service) as profile:
        service.appliances[MACHINE_ID].values |= {CHILD_LOCK: True, POWER_STATE: STANDBY}
        service.appliances[OVEN_ID].values[CHILD_LOCK] = True
        place = journal(tmp_path, profile, *owed, settled(CHILD_LOCK, restored=False), {"end": True})
        result = said("restore", str(place))
        asked = len(service.requests)
        again = said("restore", str(place))
    assert (result.exit_code, service.settings()) == (0, before)
    places = (f"{OVEN_ID} {CHILD_LOCK}", f"{MACHINE_ID} {POWER_STATE}", f"{MACHINE_ID} {CHILD_LOCK}")
    told = [line.partition(" is ")[0] for line in result.output.splitlines()]
    assert told == [f"put back: {owing}" for owing in places]
    assert service.writes() == [POWER_STATE, CHILD_LOCK]
    assert (again.exit_code, "nothing is owed" in again.output, len(service.requests)) == (0, True, asked)


@pytest.mark.parametrize(
    "lines", [(), (intent(CHILD_LOCK, before=False), settled(CHILD_LOCK, restored=True), {"end": True})]
)
def test_journal_that_owes_nothing_sends_nothing(lines: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    """Where nothing is owed, restore ends with 0 though nobody listens, and leaves every file as it was."""
    place = journal(tmp_path, truthful_profile(Recording(), "http://127.0.0.1:9"), *lines)
    before = place.read_bytes()
    result = said("restore", str(place))
    assert (result.exit_code, "nothing is owed" in result.output) == (0, True)
    assert (list(tmp_path.iterdir()), place.read_bytes()) == ([place], before)


def test_interrupted_restore_can_be_gone_on_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C right after a write: restore ends with 5, and the next one finds and does the rest."""
    service = Recording()
    send = Transport.send

    def until_written(self: Transport, wanted: Wanted, **how: Any) -> list[Sent]:
        sent = send(self, wanted, **how)
        if how.get("permit") is not None:
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
    """Where nobody listens, restore ends with 5, and the journal is what it was: all of it is still owed."""
    profile = truthful_profile(Recording(), "http://127.0.0.1:9")
    place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False))
    before = place.read_bytes()
    result = said("restore", str(place))
    assert (result.exit_code, place.read_bytes()) == (5, before)
    assert "http://127.0.0.1:9 does not answer: " in result.output
    assert "nothing was put back" in result.output


def test_maker_is_spelled_as_on_the_wire(tmp_path: Path) -> None:
    """Keys in the journal are the document's, values those of the wire, also of a maker with its own name."""
    service = Maker()
    maker_on, maker_standby = (value.replace("Vendor.", "Maker.", 1) for value in (ON, STANDBY))
    with served(service) as profile:
        service.appliances[MACHINE_ID].values[POWER_STATE] = STANDBY
        place = journal(tmp_path, profile, intent(POWER_STATE, maker_on, value=maker_standby))
        result = said("restore", str(place))
    assert (result.exit_code, service.appliances[MACHINE_ID].values[POWER_STATE]) == (0, ON)


def test_place_of_the_value_is_found_out(tmp_path: Path) -> None:
    """A profile that does not say where values are is no obstacle: what is read first shows it."""
    service = Recording()
    with served(service) as profile:
        del profile["answer"]
        service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        result = said("restore", str(journal(tmp_path, profile, intent(CHILD_LOCK, before=False))))
    assert (result.exit_code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)


@pytest.mark.parametrize("order", [1, -1])
def test_unit_comes_back_before_what_hangs_on_it(order: int, tmp_path: Path) -> None:
    """A setpoint that was read in °C is put back in °C, whichever of the two was written first."""
    service = Cold()
    before = service.settings()
    (appliance,) = service.appliances.values()
    ha_id = appliance.ha_id
    owed = [intent(key, before[ha_id, key], ha_id=ha_id) for key in (TEMPERATURE_UNIT, SETPOINT)[::order]]
    with served(service) as profile:
        service.apply(appliance, TEMPERATURE_UNIT, FAHRENHEIT)
        result = said("restore", str(journal(tmp_path, profile, *owed)))
    assert (result.exit_code, service.settings()) == (0, before)


def test_run_says_how_to_put_back_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that could not put something back names the command; a run that owes nothing says nothing."""
    profile = truthful_profile(Recording(), "http://127.0.0.1:9")
    place = journal(tmp_path, profile, intent(CHILD_LOCK, before=False))
    print_what_is_left(tmp_path)
    assert f"put back what is left: appliance-conformance restore {place}\n" in capsys.readouterr().err
    journal(tmp_path, profile, intent(CHILD_LOCK, before=False), settled(CHILD_LOCK, restored=True))
    print_what_is_left(tmp_path)
    assert capsys.readouterr().err == ""
