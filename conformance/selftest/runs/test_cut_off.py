"""Whatever ends a run in the middle of its writes: everything goes back."""

import signal
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog import keys
from conformance.harness.interruptions import interrupted_once
from conformance.harness.ledger import read_ledger
from conformance.harness.writes import conducting, preparing
from conformance.harness.writes.keeping.owed import owed_in, read_journal
from conformance.harness.writes.last_looks import LastLooks
from conformance.harness.writes.procedures import choices
from conformance.mutants.fleets import AMBIENT, HOOD_LIGHT, MACHINE_LIT, OVEN_ALARM, THREE_STATES
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.reads import meets
from conformance.mutants.shapes.writes import drops_where
from conformance.mutants.variants.lights import unreadable
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.saved.restoring import restore
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import begin, no_file_over, restoring_in_process, session_of
from conformance.selftest.support.recording import served_by, values_of

FRIDGE = FRIDGE_CELSIUS.only(
    keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.ECO_MODE, keys.INTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS
)
MACHINE = MACHINE_LIT.only(keys.POWER_STATE, keys.CHILD_LOCK, keys.AMBIENT_ENABLED, keys.AMBIENT_BRIGHTNESS)
KINDS = (
    MACHINE.having({keys.POWER_STATE: keys.STANDBY, keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False}),
    FRIDGE.having(
        {keys.CHILD_LOCK: True, keys.FRIDGE_SABBATH: True, keys.ECO_MODE: True, keys.INTERNAL_LIGHT: False}
    ),
    HOOD_LIGHT.having({keys.LIGHTING: False, keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT}),
    OVEN_ALARM.having({keys.CHILD_LOCK: True, keys.OVEN_SABBATH: True}),
)
CLAUSES = {"SET-WRITABLE", "HOOD-PERCENT-USABLE"}
HASTY = {"settle_s": 0.001, "power_settle_s": 0.001, "poll_s": 0.001, "retry_s": 0}
# In the middle of eight lanes, with states prepared in each.
MOMENTS = [1, 3, 10, 30]
"""The writes at which something happens; `Eight` says how they are counted."""
SIGNALS = [*zip(MOMENTS, (signal.SIGINT, signal.SIGTERM) * 2, strict=True)]


class Eight(Service):
    """Two alike of each of four kinds, each in states that are ended before most of it is written.

    `happens` is called within the writes of the numbers `when`. They count while each appliance differs from
    what was found there: so every lane is in the middle, some in their preparations and some beyond.
    """

    fleet = tuple(replace(spec, ha_id=f"{spec.ha_id}-{number}") for spec in KINDS for number in (1, 2))

    def __init__(self, happens: Callable[[], object], *when: int) -> None:
        super().__init__()
        self.happens, self.when, self.taken = happens, when, 0

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if all(one.values != one.spec.values for one in self.appliances.values()):
            self.taken += 1
            if self.taken in self.when:
                self.happens()

    def everything(self) -> dict[str, dict[str, Json]]:
        """Every value now, by haId."""
        return {ha_id: dict(appliance.values) for ha_id, appliance in self.appliances.items()}


FOUND = Eight(list).everything()


@contextmanager
def begun(service: Eight, out: Path) -> Generator[Session]:
    """A run that has read, and is to write; no socket is between, so that the lanes take turns.

    At the end everything is as it was found.
    """
    with session_of(service, out, "power", {"timing": HASTY}) as session:
        begin(session, CLAUSES)
        yield session
    assert service.taken >= service.when[0]
    assert service.everything() == FOUND


@pytest.mark.parametrize(("moment", "number"), SIGNALS)
def test_signal(moment: int, number: signal.Signals, tmp_path: Path) -> None:
    """A signal while states are prepared, or others written in them, and another while they are put back."""
    service = Eight(lambda: signal.raise_signal(number), moment, moment + 1)
    with begun(service, tmp_path) as session, ExitStack() as handlers:
        handlers.callback(interrupted_once())
        with pytest.raises(KeyboardInterrupt):
            session.write()
        assert session.finish(interrupted=True) == []
    assert read_journal(tmp_path / JOURNAL_FILE).owed == []


def test_kill(tmp_path: Path) -> None:
    """Where a run is killed, `restore` brings back what was found, and the journal owes nothing then."""
    place, kills = tmp_path / JOURNAL_FILE, list[tuple[str, dict[str, dict[str, Json]]]]()
    service = Eight(lambda: kills.append((place.read_text(encoding="utf-8"), service.everything())), *MOMENTS)
    with begun(service, tmp_path) as session:
        session.write()
    assert len(kills) == len(MOMENTS)
    with restoring_in_process(service):
        for journal, values in kills:
            for ha_id, appliance in service.appliances.items():
                appliance.values.update(values[ha_id])
            place.write_text(journal, encoding="utf-8")
            assert restore(place, {}).is_clean
            assert (service.everything(), read_journal(place).owed) == (FOUND, [])


@pytest.mark.parametrize(("module", "name"), [(preparing, "same"), (choices, "other_values")])
def test_crash_of_procedures(
    module: ModuleType, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From some moment on preparing breaks, or each procedure, and the lanes go on with the next one."""
    crash = Mock(side_effect=ZeroDivisionError)
    service = Eight(lambda: monkeypatch.setattr(module, name, crash), 3)
    with begun(service, tmp_path) as session:
        session.write()
        assert session.finish() == []
    assert (crash.call_count > 1, read_journal(tmp_path / JOURNAL_FILE).owed) == (True, [])


@pytest.mark.parametrize(("where", "name"), [(conducting, "batches_of"), (LastLooks, "look_within")])
def test_crash_of_lanes(where: object, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where what makes the procedures breaks, every lane puts back what it owes before that is told.

    So it does where what looks at a prepared state breaks. What may have moved beside it is left to be
    compared.
    """
    crash = Mock(side_effect=ZeroDivisionError)
    service = Eight(lambda: monkeypatch.setattr(where, name, crash), 10)
    with begun(service, tmp_path) as session, pytest.raises(ZeroDivisionError):
        session.write()
    assert [debt for debt in read_journal(tmp_path / JOURNAL_FILE).owed if not debt.is_beside] == []


@pytest.mark.parametrize("moment", MOMENTS)
def test_full_disk(moment: int, tmp_path: Path) -> None:
    """Where the disk is full the lanes end; what could not be kept is a fault."""
    ledger = tmp_path / LEDGER_FILE
    with ExitStack() as full:
        service = Eight(lambda: full.enter_context(no_file_over(ledger.stat().st_size)), moment)
        with begun(service, tmp_path) as session:
            session.write()
            lost = [fault.text for fault in session.finish()]
    assert lost == [f"{ledger} could not be written: File too large"]
    assert (read_ledger(ledger).complete, read_journal(tmp_path / JOURNAL_FILE).owed) == (False, [])


@pytest.mark.parametrize("moment", MOMENTS[::2])
def test_journal_that_cannot_be_written(moment: int, tmp_path: Path) -> None:
    """Where the journal alone cannot be written, no further write is sent, and all is put back."""
    place = tmp_path / JOURNAL_FILE

    def replace_by_directory() -> None:
        place.rename(tmp_path / "begun")
        place.mkdir()

    service = Eight(replace_by_directory, moment)
    with begun(service, tmp_path) as session:
        session.write()
        assert session.finish() == []


# A run that is killed is undone, whatever its server shows.
MADE = {
    # Every setting of a light that is off has no content, and the light is found off.
    "dark when found": served_by(
        meets(
            lambda its, key: key != keys.AMBIENT_ENABLED and not its.values[keys.AMBIENT_ENABLED],
            Reply(204, media_type=None),
        ),
        unreadable(keys.AMBIENT_BRIGHTNESS, keys.CUSTOM_COLOR),
        fleet=AMBIENT.having({keys.AMBIENT_ENABLED: False}),
    ),
    # From Off no write leads to Standby, where it is found: the table has only On (lines 129 to 133).
    "only On from Off": served_by(
        drops_where(lambda its, key, value: (its.values[key], value) == (keys.OFF, keys.STANDBY)),
        fleet=THREE_STATES.having({keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}),
    ),
}
COUPLED = (
    *("custom-color-shows-the-preset", "brightness-starts-at-a-try", "colors-have-their-brightness"),
    *("light-on-at-full", "brightness-unlocks-itself", "custom-color-unlocks-itself"),
    *("percent-unlocks-itself", "locked-when-found"),
)
"""Servers whose settings read otherwise while they are locked, or move beside others."""


@pytest.mark.parametrize("name", [*COUPLED, *MADE])
def test_killed_run_is_undone_at_whichever_write(name: str, tmp_path: Path) -> None:
    """Everything is as it was found, from the journal of the run or from those of the appliances."""
    kind = MADE.get(name) or find_server(name)
    out, state = tmp_path / "out", tmp_path / "state"
    writes, kills = count(), list[tuple[dict[tuple[str, str], Json], dict[Path, str]]]()

    def answer(self: Service, request: Incoming) -> Reply:
        reply = kind.answer(self, request)
        if request.method == "PUT" and next(writes) % 13 == 0:
            journals = (out / JOURNAL_FILE, *state.glob("*.ndjson"))
            kills.append((values_of(self), {path: path.read_text(encoding="utf-8") for path in journals}))
        return reply

    service = type("Killed", (kind,), {"answer": answer, "fleet": kind.fleet[::2]})()  # no two alike
    before = values_of(service)
    state.mkdir()
    with session_of(service, out, "power") as session:
        begin(session, state=state)
        session.write()
    assert kills
    with restoring_in_process(service):
        for number, (values, journals) in enumerate([*kills]):
            for (ha_id, key), value in values.items():
                service.appliances[ha_id].values[key] = value
            for path, text in journals.items():
                path.write_text(text, encoding="utf-8")
            run, *records = journals
            for place in [run] if number % 2 else records:
                assert restore(place, {}).is_clean
                left = {debt.place for record in records for debt in owed_in(record)}
                assert {debt.place for debt in read_journal(run).owed} == left
            assert values_of(service) == before
