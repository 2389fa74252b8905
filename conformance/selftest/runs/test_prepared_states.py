"""States that a run may end are no excuse: it ends them, writes, and brings them back, whatever happens."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.harness.writes import write_runner
from conformance.harness.writes.keeping.owed import read_journal
from conformance.mutants.fleets import COUNTING, MACHINE_LIT, OVEN_ALARM
from conformance.mutants.registry import find_server
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import HOOD_COLORFUL, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table
from conformance.selftest.support.servers.held import values_of

COOLING = {keys.SUPER_FREEZER: True, keys.ECO_MODE: True, keys.VACATION_MODE: True}
DARK_HOOD = {keys.LIGHTING: False, keys.AMBIENT_ENABLED: False, keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT}


class Found(Service):
    """Locked, cooling by three modes, dark, off, and at colours that lock others: all that a run may end."""

    fleet = (
        FRIDGE_CELSIUS.having(
            {keys.CHILD_LOCK: True, keys.FRIDGE_SABBATH: True, keys.INTERNAL_LIGHT: False, **COOLING}
        ),
        HOOD_COLORFUL.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE, **DARK_HOOD}),
        DISHWASHER.having(
            {
                keys.POWER_STATE: keys.STANDBY,
                keys.OPERATION_STATE: keys.INACTIVE,
                keys.CHILD_LOCK: True,
                keys.AMBIENT_ENABLED: False,
            }
        ),
        OVEN.having({keys.OVEN_SABBATH: True, keys.CHILD_LOCK: True}),
    )


class Locked(Service):
    """A machine that is locked, dark and in standby."""

    fleet = (
        MACHINE_LIT.having(
            {keys.POWER_STATE: keys.STANDBY, keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False}
        ),
    )


class OneLock(Service):
    """Two refrigerators in SabbathMode have one ChildLock between them, which locks their SabbathMode."""

    fleet = tuple(
        replace(
            FRIDGE_CELSIUS.only(keys.CHILD_LOCK, keys.FRIDGE_SABBATH, keys.DOOR_STATE).having(
                {keys.CHILD_LOCK: True, keys.FRIDGE_SABBATH: True}
            ),
            ha_id=f"fridge-{number}",
        )
        for number in (1, 2)
    )

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        is_locked = appliance.values[keys.CHILD_LOCK] is True and key != keys.CHILD_LOCK
        return INVALID_STATE if is_locked else super().accepts(appliance, key, value)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        for other in self.appliances.values():
            other.values[keys.CHILD_LOCK] = appliance.values[keys.CHILD_LOCK]


LOCKED_ID = Locked.fleet[0].ha_id
WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)


def run(service: Service, out: Path, **write: object) -> Run:
    """A judged run of level power with these fields of [write]."""
    return run_of(service, out, "power", {"write": {**WRITE, **write}})


def open_cases(ran: Run) -> dict[str, str]:
    """The inconclusive cases, with what is said of each."""
    return {name: message for name, (verdict, message) in ran.verdicts.items() if verdict == "inconclusive"}


def prepared_keys(ran: Run) -> set[str]:
    """The keys that were written to end a state."""
    return {line["key"] for line in ran.journal if line.get("intent") == "write" and line.get("prepared")}


def test_no_state_that_a_run_may_end_is_an_excuse(tmp_path: Path) -> None:
    """With every such state at once no case is open or fails, and everything is as it was found."""
    service = Found()
    ran = run_of(service, tmp_path, "power")
    # power states that it does not have are not tried
    judged = {verdict for verdict, _ in ran.verdicts.values()}
    assert judged == {"pass", "observed", "not_applicable", "not_judged"}
    assert (ran.left, values_of(service)) == ([], values_of(Found()))
    assert read_journal(tmp_path / JOURNAL_FILE).owed == []


def test_nothing_is_prepared_without_leave(tmp_path: Path) -> None:
    """With `prepare` off the state stands and the case is open; with it on, the fault behind it is seen."""
    case = f"SET-WRITABLE::{keys.ALARM_CLOCK}@oven-1"
    verdicts: list[str] = []
    for prepare in (False, True):
        out = tmp_path / f"{prepare}"
        out.mkdir()
        ran = run(find_server("alarm-dropped-behind-a-lock")(), out, prepare=prepare)
        verdicts.append(ran.verdicts[case][0])
        assert prepared_keys(ran) == ({keys.CHILD_LOCK} if prepare else set())
    assert verdicts == ["inconclusive", "fail"]


def test_locked_appliance_is_left_alone(tmp_path: Path) -> None:
    """While ChildLock is on and only a glob allows it, nothing at all is written, not even a status."""
    ran = run(Locked(), tmp_path, allow=["*"])
    assert (ran.journal, ran.red()) == ([], set())
    probe = open_cases(ran)[f"STA-READONLY::{keys.DOOR_STATE}@{LOCKED_ID}"]
    assert probe == "not written while ChildLock is on"


@pytest.mark.parametrize("name", ["lock-lifted-by-hand-only", "deaf-until-lifted-by-hand"])
def test_state_that_does_not_end_is_named_with_the_write(name: str, tmp_path: Path) -> None:
    """Where a preparing write has no effect the case is open, and says what was tried."""
    ran = run(find_server(name)(), tmp_path)
    said_of = open_cases(ran)[f"SET-WRITABLE::{keys.AMBIENT_ENABLED}@{LOCKED_ID}"]
    assert said_of.startswith(
        "not written while ChildLock is on; to end that, false was written to ChildLock"
    )
    assert (ran.red(), ran.left) == (set(), [])


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


class HiddenInStandby(Service):
    """A coffee maker that shows PowerState alone until it is on, and counts water in fl.oz, as it says."""

    fleet = (
        COUNTING.having(
            {
                keys.POWER_STATE: keys.STANDBY,
                keys.LIQUID_UNIT: "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces",
            }
        ),
    )

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        is_on = appliance.values[keys.POWER_STATE] == keys.ON
        return (is_on or key == keys.POWER_STATE) and super().serves(appliance, segment, key)

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        return "fl.oz" if entry.unit == "ml" else super().unit(appliance, entry)


def test_what_was_hidden_is_judged_once_it_is_shown(tmp_path: Path) -> None:
    """No type, range, enumeration or unit stays open; a unit is that of a setting that was hidden, too."""
    ran = run(HiddenInStandby(), tmp_path)
    about = {name for name in open_cases(ran) if name.startswith(("TYPE", "ENUM", "RANGE", "UNIT", "STA"))}
    assert about == ran.red() == set()


class OffBehindALock(Service):
    """Two hoods, one of them off and locked: while it is locked it does not take a power state."""

    fleet = (
        HOOD_COLORFUL.having(
            {keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE, keys.CHILD_LOCK: True}
        ),
        replace(HOOD_COLORFUL, ha_id="hood-2").having({keys.CHILD_LOCK: False}),
    )

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        if key == keys.POWER_STATE and appliance.values[keys.CHILD_LOCK]:
            return INVALID_STATE
        return super().writable(appliance, segment, key)


def test_what_locks_a_preparing_write_is_ended_first(tmp_path: Path) -> None:
    """A lock that keeps an appliance off is opened, also for a procedure that writes nothing but the lock."""
    service = OffBehindALock()
    ran = run(service, tmp_path)
    assert ran.verdicts[f"ADDR-HAID-ISOLATION::{keys.CHILD_LOCK}@hood-1"][0] == "pass"
    assert (ran.left, values_of(service)) == ([], values_of(OffBehindALock()))


class Busy(Service):
    """An oven that nobody may control from afar, and that does what it is told all the same."""

    fleet = (OVEN_ALARM.having({keys.REMOTE_CONTROL: False}),)


@pytest.mark.parametrize("while_busy", [False, True])
def test_nothing_is_written_while_others_act(tmp_path: Path, *, while_busy: bool) -> None:
    """Under X6 nothing is written unless the profile says so; then nothing fails that follows a write."""
    ran = run(Busy(), tmp_path, while_busy=while_busy)
    assert bool(ran.journal) is while_busy
    assert ran.red() == set()
    assert (f"SET-WRITABLE::{keys.ALARM_CLOCK}@oven-1" in open_cases(ran)) is not while_busy


def test_lock_of_two_is_found_behind_what_it_locks(tmp_path: Path) -> None:
    """The lock is ended before SabbathMode is tried again, so that what was odd is made again alone."""
    allowed = write_table("*", keys.CHILD_LOCK, keys.FRIDGE_SABBATH)
    ran = run_of(OneLock(), tmp_path, "write", {"write": allowed}, clauses={"ADDR-HAID-ISOLATION"})
    assert ran.red() == {"ADDR-HAID-ISOLATION"}


class SilentOvens(Service):
    """Two ovens that show nothing but their PowerState in standby, where they are found."""

    fleet = tuple(
        replace(OVEN.only(keys.POWER_STATE, keys.OVEN_SABBATH), ha_id=ha_id).having(
            {keys.POWER_STATE: keys.STANDBY}
        )
        for ha_id in ("oven-1", "oven-2")
    )

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        is_shown = key == keys.POWER_STATE or appliance.values[keys.POWER_STATE] == keys.ON
        return is_shown and super().serves(appliance, segment, key)


@pytest.mark.parametrize(("named", "verdict"), [([keys.OVEN_SABBATH], "pass"), ([], "inconclusive")])
def test_what_may_lock_a_power_state_is_read_once_it_is_on(
    named: list[str], verdict: str, tmp_path: Path
) -> None:
    """Where standby hides SabbathMode, power states are compared from On, if the list names SabbathMode."""
    allowed, service = write_table("*", keys.POWER_STATE, *named), SilentOvens()
    ran = run_of(service, tmp_path, "power", {"write": allowed}, clauses={"ADDR-HAID-ISOLATION"})
    cases = [case for case in ran.cases.values() if case.case.key == keys.POWER_STATE]
    assert [case.verdict for case in cases] == [verdict, verdict]
    assert all(own.values[keys.POWER_STATE] == keys.STANDBY for own in service.appliances.values())
    assert bool(ran.journal) is bool(named)
