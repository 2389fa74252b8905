"""restore: what a run has left is put back or said not to be; a journal that is none is refused."""

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, DOOR_STATE, FAHRENHEIT, ON, POWER_STATE, SETPOINT, TEMPERATURE_UNIT
from conformance.commands.around import print_what_is_left
from conformance.harness.clock import Clock
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.transport import Transport
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import laid_over, truthful_profile
from conformance.reference.wire import INVALID_TOKEN, Incoming, Reply
from conformance.selftest.support.commands import command
from conformance.selftest.support.owed_journals import intent, journal, outcome, served, settled
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import MACHINE_ID, OVEN_ID, Recording

STANDBY = f"{ON.removesuffix('On')}Standby"
LEFT_LOCKED = intent(CHILD_LOCK, before=False)
"""A lock that was off before."""


class Maker(Recording):
    """The same appliances of a maker with a name of its own."""

    vendor = "Maker"


class Cold(Recording):
    """A refrigerator in °C."""

    fleet = (FRIDGE_CELSIUS,)


DEAD = truthful_profile(Recording(), "http://127.0.0.1:9")
"""The profile of a target where nobody listens."""


def restored(
    directory: Path, service: Recording, *owed: dict[str, Any], level: str = "power", **edit: Any
) -> Ran:
    """`restore` of a journal with these lines, on a service whose profile says otherwise what `edit` says."""
    with served(service) as profile:
        return command("restore", str(journal(directory, laid_over(profile, edit), *owed, level=level)))


def test_what_is_owed_comes_back(tmp_path: Path) -> None:
    """Each key is written back, the last write first; a second restore finds nothing to do."""
    service = Recording()
    before = service.settings()
    service.appliances[MACHINE_ID].values |= {CHILD_LOCK: True, POWER_STATE: STANDBY}
    service.appliances[OVEN_ID].values[CHILD_LOCK] = True
    owed = [LEFT_LOCKED, intent(POWER_STATE, ON), intent(CHILD_LOCK, before=False, ha_id=OVEN_ID)]
    result = restored(tmp_path, service, *owed, settled(CHILD_LOCK, restored=False), {"end": True})
    asked = len(service.requests)
    again = command("restore", str(tmp_path / JOURNAL_FILE))
    assert (result.code, service.settings()) == (0, before)
    places = (f"{OVEN_ID} {CHILD_LOCK}", f"{MACHINE_ID} {POWER_STATE}", f"{MACHINE_ID} {CHILD_LOCK}")
    told = [line.partition(" is ")[0] for line in result.output.splitlines()]
    assert told == [f"put back: {owing}" for owing in places]
    assert service.writes() == [POWER_STATE, CHILD_LOCK]
    assert (again.code, "nothing is owed" in again.output, len(service.requests)) == (0, True, asked)


def test_clock_that_was_ahead_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write of a run whose machine was years ahead may take effect for the settle time, and no longer."""
    waited: list[float] = []

    def noted(_clock: Clock, _is_ending: Callable[[], bool], seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(Clock, "pause", noted)
    result = restored(tmp_path, Recording(), LEFT_LOCKED | {"at": "2126-11-21T09:00:01Z"})
    assert (result.code, 0 < max(waited) < 1) == (0, True), waited


@pytest.mark.parametrize("lines", [(), (LEFT_LOCKED, settled(CHILD_LOCK, restored=True), {"end": True})])
def test_journal_that_owes_nothing_sends_nothing(lines: tuple[dict[str, Any], ...], tmp_path: Path) -> None:
    """Where nothing is owed, restore ends with 0 though nobody listens, and leaves every file as it was."""
    place = journal(tmp_path, DEAD, *lines)
    before = place.read_bytes()
    result = command("restore", str(place))
    assert (result.code, "nothing is owed" in result.output) == (0, True)
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
        place = journal(tmp_path, profile, LEFT_LOCKED, intent(POWER_STATE, ON))
        with monkeypatch.context() as patch:
            patch.setattr(Transport, "send", until_written)
            interrupted = command("restore", str(place))
        finished = command("restore", str(place))
    assert (interrupted.code, "still owed" in interrupted.output) == (5, True)
    assert (finished.code, service.settings()) == (0, Recording().settings())


def test_target_that_is_down_is_said(tmp_path: Path) -> None:
    """Where nobody listens, restore ends with 5, and the journal is what it was: all of it is still owed."""
    place = journal(tmp_path, DEAD, LEFT_LOCKED)
    before = place.read_bytes()
    result = command("restore", str(place))
    assert (result.code, place.read_bytes()) == (5, before)
    assert "http://127.0.0.1:9 does not answer: " in result.output
    assert "nothing was put back" in result.output


def test_maker_is_spelled_as_on_the_wire(tmp_path: Path) -> None:
    """Keys in the journal are the document's, values those of the wire, also of a maker with its own name."""
    service = Maker()
    service.appliances[MACHINE_ID].values[POWER_STATE] = STANDBY
    maker_on, maker_standby = (value.replace("Vendor.", "Maker.", 1) for value in (ON, STANDBY))
    result = restored(tmp_path, service, intent(POWER_STATE, maker_on, value=maker_standby))
    assert (result.code, service.appliances[MACHINE_ID].values[POWER_STATE]) == (0, ON)


def test_place_of_the_value_is_found_out(tmp_path: Path) -> None:
    """A profile that does not say where values are is no obstacle: what is read first shows it."""
    service = Recording()
    service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
    result = restored(tmp_path, service, LEFT_LOCKED, answer={"value": None})
    assert (result.code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)


@pytest.mark.parametrize("order", [1, -1])
def test_unit_comes_back_before_what_hangs_on_it(order: int, tmp_path: Path) -> None:
    """A setpoint that was read in °C is put back in °C, whichever of the two was written first."""
    service = Cold()
    before = service.settings()
    (appliance,) = service.appliances.values()
    owed = [
        intent(key, before[appliance.ha_id, key], ha_id=appliance.ha_id)
        for key in (TEMPERATURE_UNIT, SETPOINT)[::order]
    ]
    service.apply(appliance, TEMPERATURE_UNIT, FAHRENHEIT)
    assert (restored(tmp_path, service, *owed).code, service.settings()) == (0, before)


@pytest.mark.parametrize("word", ["acknowledged", "refused", None])
def test_status_that_moved_by_itself_is_left(word: str | None, tmp_path: Path) -> None:
    """A status whose write was ignored, and that shows another value since, stays as it is (line 92)."""
    service = Recording()
    answered = [outcome(2, 1, word)] if word else []
    result = restored(tmp_path, service, DOOR | {"value": "y"}, *answered)
    assert (result.code, service.writes()) == (0, [])


def test_run_says_how_to_put_back_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run that could not put something back names the command; a run that owes nothing says nothing."""
    place = journal(tmp_path, DEAD, LEFT_LOCKED)
    print_what_is_left(tmp_path)
    assert f"put back what is left: appliance-conformance restore {place}\n" in capsys.readouterr().err
    journal(tmp_path, DEAD, LEFT_LOCKED, settled(CHILD_LOCK, restored=True))
    print_what_is_left(tmp_path)
    assert capsys.readouterr().err == ""


# restore: what it must not do stays owed, what it cannot use is wrong usage, and no secret is kept.
_HEAD = b'{"n": 0, "schema": "appliance-conformance/journal/1"}\n'
NO_JOURNALS = {
    "nothing": b"",
    "words": b"hello\n",
    "a list": b"[]\n",
    "another file of ours": b'{"n": 0, "purpose": "run", "schema": "appliance-conformance/evidence/1"}\n',
    "bytes": b"\xff\xfe\x00",
    "a journal with a hole": _HEAD + b'{"n": 1, "int\n{"n": 2, "end": true}\n',
    "a journal of nobody": _HEAD
    + b'{"n": 1, "intent": "write", "ha_id": "one", "key": "k", "segment": "settings", "before": 1}\n',
    "an intent of nothing": _HEAD + b'{"n": 1, "intent": "write"}\n',
}
NOBODYS = intent(CHILD_LOCK, before=True, ha_id="nobody")
UNKNOWN = intent("Vendor.Common.Setting.Nothing", before=True)
DOOR = intent(DOOR_STATE, "x", segment="status")
LOCKED = intent(CHILD_LOCK, before=True)


class Guarded(Recording):
    """Asks for a token."""

    profile_extras = MappingProxyType({"auth": {"headers": {"Authorization": "Bearer ${REFERENCE_TOKEN}"}}})

    def answer(self, request: Incoming) -> Reply:
        is_known = request.headers.get("authorization") == "Bearer open sesame"
        return super().answer(request) if is_known else self.refuse(INVALID_TOKEN)


FORBIDDEN: dict[str, tuple[dict[str, Any], dict[str, Any], str, str]] = {
    "not on the list": (LOCKED, {"allow": [POWER_STATE]}, "power", "not on the write list"),
    "a status": (DOOR, {"status_path": None}, "power", "is tried is not declared"),
    "the level": (intent(POWER_STATE, STANDBY), {}, "write", "PowerState is written at level power"),
    "only reading": (LOCKED, {}, "read", "the run only reads"),
    "nobody's appliance": (NOBODYS, {}, "power", "the profile names no such appliance"),
    "nobody's key": (UNKNOWN, {}, "power", "the catalog has no such key"),
    "an unknown old value": (intent(CHILD_LOCK, before=None), {}, "power", "what was there before is not"),
}


@pytest.mark.parametrize("name", FORBIDDEN)
def test_what_must_not_be_written_is_said(name: str, tmp_path: Path) -> None:
    """What profile and level do not allow is never written, whatever the journal says, and stays owed."""
    line, write, level, reason = FORBIDDEN[name]
    service = Recording()
    for _ in range(2):
        result = restored(tmp_path, service, line, level=level, write=write)
        assert (result.code, reason in result.output) == (5, True)
        assert result.output.startswith(f"NOT put back: {line['ha_id']} ")
    assert service.writes() == service.writes(OVEN_ID) == []


def test_forbidden_key_does_not_keep_the_others(tmp_path: Path) -> None:
    """What may be written is put back beside a key that may not."""
    service = Recording()
    service.appliances[MACHINE_ID].values |= {CHILD_LOCK: True, POWER_STATE: STANDBY}
    owed = (intent(POWER_STATE, ON), LEFT_LOCKED)
    result = restored(tmp_path, service, *owed, write={"allow": [CHILD_LOCK]})
    was = f'NOT put back: {MACHINE_ID} PowerState was "{ON}", is "{STANDBY}" (not on the write list'
    assert (result.code, was in result.output) == (5, True)
    assert (service.appliances[MACHINE_ID].values[CHILD_LOCK], service.writes()) == (False, [CHILD_LOCK])


@pytest.mark.parametrize("name", NO_JOURNALS)
def test_what_is_no_journal_is_wrong_usage(name: str, tmp_path: Path) -> None:
    """A file that is no journal of this suite, or one with a hole, ends with 2 and one line that names it."""
    place = tmp_path / JOURNAL_FILE
    place.write_bytes(NO_JOURNALS[name])
    result = command("restore", str(place))
    assert (result.code, result.output.count("\n")) == (2, 1)
    assert result.output.startswith(str(place))


def test_mistake_in_the_profile_is_wrong_usage(tmp_path: Path) -> None:
    """A profile in the first line that has a mistake, of another version perhaps, is said with its place."""
    result = command("restore", str(journal(tmp_path, DEAD | {"pace": {"per_minut": 5}}, LEFT_LOCKED)))
    says = "journal.ndjson: 1 mistake\n  pace.per_minut: no such field (did you mean 'per_minute'?)"
    assert (result.code, says in result.output) == (2, True)


def test_missing_secret_is_wrong_usage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A secret that is not set is named, and nothing is sent without it."""
    monkeypatch.delenv("REFERENCE_TOKEN", raising=False)
    service = Guarded()
    result = restored(tmp_path, service, LEFT_LOCKED)
    assert (result.code, service.requests) == (2, [])
    assert "names ${REFERENCE_TOKEN}, which is not set in the environment" in result.output


def test_secret_is_used_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its secret the target lets itself be restored, and no file holds it. One that is in the journal
    already, here as a group, is said, though everything is back.
    """
    monkeypatch.setenv("REFERENCE_TOKEN", "open sesame")
    service = Guarded()
    service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
    result = restored(tmp_path, service, LEFT_LOCKED)
    assert (result.code, service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)
    files = sorted(tmp_path.iterdir())
    assert [path.name for path in files] == [JOURNAL_FILE, "restore-evidence.ndjson"]
    assert b"open sesame" not in b"".join(path.read_bytes() for path in files)
    leaking = restored(tmp_path, Guarded(), LEFT_LOCKED | {"group": "open sesame"})
    assert leaking.code == 5
    assert "a secret is in an output: journal.ndjson holds ${REFERENCE_TOKEN}" in leaking.output
