"""What a server holds after a run, whatever it shows, whenever its effects come, and whoever is at it."""

import signal
from contextlib import ExitStack
from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, FREEZER_SETPOINT, OFF, ON, POWER_STATE
from conformance.harness.interruptions import interrupted_once
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import FRIDGE_SETPOINTS, ON_AND_OFF, TIMED_OVEN
from conformance.mutants.shapes.side_effects import couples
from conformance.mutants.shapes.states import Late
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.runs.saved.restoring import restore
from conformance.selftest.support.judged_runs import STILL, begin, run_of, session_of
from conformance.selftest.support.servers.recording import held_by


class Stale(Service):
    """A hood whose PowerState reads On, whatever it is."""

    fleet = (ON_AND_OFF,)

    def value(self, appliance: Appliance, key: str) -> Json:
        return ON if key == POWER_STATE else super().value(appliance, key)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:  # noqa: ARG002  it is as stale
        return super().operation_state(appliance, ON)

    def moves_power(self, appliance: Appliance, value: Json) -> bool:  # noqa: ARG002  it takes each state
        return value in {ON, OFF}


class AnyNumber(Service):
    """A freezer that keeps any number of its range as it was written."""

    fleet = (
        replace(
            FRIDGE_SETPOINTS, ranges={**FRIDGE_SETPOINTS.ranges, FREEZER_SETPOINT: OwnRange(-7, 6)}
        ).having({FREEZER_SETPOINT: 0}),
    )

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:  # noqa: ARG002  whichever it is
        return value


class Rounded(Service):
    """A freezer that keeps whole °F and shows tenths of °C, found between two of them or below its range."""

    fleet = (FRIDGE_SETPOINTS,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        kept = super().normal(appliance, key, value)
        if key != FREEZER_SETPOINT or isinstance(kept, bool) or not isinstance(kept, int | float):
            return kept
        return round((round(kept * 9 / 5 + 32) - 32) * 5 / 9, 1)


class Clamping(couples({(CHILD_LOCK, True): {FREEZER_SETPOINT: -18}})):
    """A freezer found above its range, which its lock moves, and which takes what is nearest to a value."""

    fleet = (FRIDGE_SETPOINTS.having({FREEZER_SETPOINT: -15}),)

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        value = super().decode(appliance, key, body)
        return min(value, -16) if key == FREEZER_SETPOINT and isinstance(value, int) else value


class Away(Service):
    """A fridge that is away for a while, from a certain write on, and what a gateway `says` then."""

    fleet = (FRIDGE_SETPOINTS,)
    puts = 0
    away_at = -1
    is_away = False
    says = Reply(502)

    def answer(self, request: Incoming) -> Reply:
        self.puts += request.method == "PUT"
        if request.method == "PUT" and self.puts == self.away_at:
            reply = super().answer(request)
            self.is_away = True
            self.timers.arm(("", "away"), 1.5, self.come_back)
            return reply
        if self.is_away:
            self.tick()
        return self.says if self.is_away else super().answer(request)

    def come_back(self) -> None:
        """Its network is there again."""
        self.is_away = False


class Operated(Service):
    """An oven that somebody operates for a while once it was locked: whatever is written is refused then."""

    fleet = (TIMED_OVEN.only(CHILD_LOCK),)
    busy = False

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if value is True and not self.busy:
            self.busy = True
            self.timers.arm((appliance.ha_id, "busy"), 0.6, self.leave)

    def leave(self) -> None:
        """Nobody operates it any more."""
        self.busy = False

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        return INVALID_STATE if self.busy else super().accepts(appliance, key, value)


class LateFreezer(Late):
    """A freezer whose writes take effect late; `struck` is what happens at its first write."""

    fleet = (FRIDGE_SETPOINTS,)
    writes = 0

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        self.writes += request.method == "PUT"
        if request.method == "PUT" and self.writes == 1:
            self.struck()
        return reply

    def struck(self) -> None:
        """Nothing."""


class Owned(Service):
    """A freezer whose owner sets it before a run looks a last time, and again soon after that is undone."""

    fleet = (FRIDGE_SETPOINTS,)
    reads = since = 0
    first, again, wanted = -1, 0, -22

    def answer(self, request: Incoming) -> Reply:
        reply = super().answer(request)
        if request.path.endswith(FREEZER_SETPOINT):
            values = self.appliances[FRIDGE_SETPOINTS.ha_id].values
            self.reads += request.method == "GET"
            self.since += self.since > 0 or (request.method == "PUT" and self.reads > self.first > 0)
            if request.method == "GET" and self.reads == self.first:
                values[FREEZER_SETPOINT] = -21
            if self.since - 1 == self.again:
                values[FREEZER_SETPOINT] = self.wanted
        return reply


def test_power_state_is_written_back_whatever_is_read(tmp_path: Path) -> None:
    """Off was taken, and On is read all the time: On is written at the end."""
    service, before = Stale(), held_by(Stale())
    ran = run_of(service, tmp_path, "power")
    assert (held_by(service), ran.left) == (before, [])


def test_value_is_put_back_literally(tmp_path: Path) -> None:
    """Neither 5e-324 nor -0.0 stays where 0 was found."""
    service, before = AnyNumber(), held_by(AnyNumber())
    ran = run_of(service, tmp_path, "write", {"pace": STILL | {"generated_writes": 80}})
    assert {"5e-324", "-0.0"} <= {str(line.get("value")) for line in ran.journal}
    assert (held_by(service), ran.left) == (before, [])


@pytest.mark.parametrize(("found", "kept"), [(-18.4, -17.8), (-17.8, -17.8)])
def test_value_that_differs_by_less_than_its_step_is_no_debt(
    found: float, kept: float, tmp_path: Path
) -> None:
    """What was found cannot be shown again, as no whole °F is it."""
    fleet = (FRIDGE_SETPOINTS.having({FREEZER_SETPOINT: found}),)
    service = type("Rounded", (Rounded,), {"fleet": fleet})()
    ran = run_of(service, tmp_path, "write")
    assert (ran.left, ran.red()) == ([], set())
    assert service.appliances[FRIDGE_SETPOINTS.ha_id].values[FREEZER_SETPOINT] == kept


def test_end_of_the_range_is_no_debt_where_a_value_beyond_it_was_found(tmp_path: Path) -> None:
    """The target takes what is nearest."""
    service = Clamping()
    ran = run_of(service, tmp_path, "write")
    assert ran.left == []
    assert service.appliances[FRIDGE_SETPOINTS.ha_id].values[FREEZER_SETPOINT] == -16


@pytest.mark.parametrize(("away_at", "says"), [(1, Reply(502)), (5, Reply(502, drop=True))])
def test_what_an_outage_left_is_put_back_within_the_run(away_at: int, says: Reply, tmp_path: Path) -> None:
    """A target that is away for a while in the middle of writing."""
    service, before = Away(), held_by(Away())
    service.away_at, service.says = away_at, says
    timing = {"settle_s": 0.05, "poll_s": 0.01, "retry_s": 0, "put_back_s": 20}
    ran = run_of(service, tmp_path, "write", {"timing": timing, "pace": STILL})
    assert (held_by(service), ran.left) == (before, [])


def test_who_operates_it_for_a_while_leaves_nothing_changed(tmp_path: Path) -> None:
    """Putting back is tried for as long as the profile says."""
    service, before = Operated(), held_by(Operated())
    timing = {"settle_s": 0.05, "poll_s": 0.01, "retry_s": 0, "put_back_s": 5}
    ran = run_of(service, tmp_path, "write", {"timing": timing, "pace": STILL})
    assert (held_by(service), ran.left) == (before, [])


@pytest.mark.parametrize(
    ("again", "wanted", "kept"),
    [(1, -22, -18), (2, -22, -22), (2, -21, -18)],
    ids=["at once", "new", "known"],
)
def test_what_its_owner_changes_meanwhile_is_no_debt(
    again: int, wanted: int, kept: int, tmp_path: Path
) -> None:
    """It is put back where the run may have moved it, and else said to be changed by somebody else."""
    quiet, service = Owned(), Owned()
    run_of(quiet, tmp_path / "quiet", "write")
    service.first, service.again, service.wanted = quiet.reads - 1, again, wanted
    ran = run_of(service, tmp_path / "run", "write")
    assert (ran.left, ran.red()) == ([], set())
    assert service.appliances[FRIDGE_SETPOINTS.ha_id].values[FREEZER_SETPOINT] == kept
    said = [line["note"] for line in ran.journal if line.get("changed") and not line["restored"]]
    assert said == (["somebody else changed it"] if kept == wanted else [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_run_waits_for_an_effect_that_comes_late(number: signal.Signals, tmp_path: Path) -> None:
    """A signal right after a write whose effect comes within the settle time."""
    service = LateFreezer()
    before = held_by(LateFreezer())
    service.struck = lambda: signal.raise_signal(number)  # type: ignore[method-assign]
    with session_of(service, tmp_path, "write") as session, ExitStack() as stack:
        stack.callback(interrupted_once())
        begin(session)
        with pytest.raises(KeyboardInterrupt):
            session.write()
        assert session.finish() == []
    assert held_by(service) == before


def test_killed_run_is_restored_though_its_effect_comes_late(tmp_path: Path) -> None:
    """What was found is written back after a run that was killed, though it is what is read."""
    service, out = LateFreezer(), tmp_path / "out"
    before, texts = held_by(LateFreezer()), list[str]()
    service.struck = lambda: texts.append((out / JOURNAL_FILE).read_text())  # type: ignore[method-assign]
    with serve({"": service}) as base_url:
        state = tmp_path / "state"
        state.mkdir()
        with session_of(service, out, "write", base_url=base_url) as session:
            begin(session, state=state)
            session.write()
        (out / JOURNAL_FILE).write_text(texts[0])
        (owed, *_) = owed_in(out / JOURNAL_FILE)
        appliance = service.appliances[owed.ha_id]
        service.apply(appliance, owed.key, 7)  # its effect is still to come
        assert restore(out / JOURNAL_FILE, {}).is_clean
    assert held_by(service) == before
