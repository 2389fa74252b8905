"""What a server holds after a run, whatever it shows, whenever its effects come, and whoever is at it."""

import signal
from pathlib import Path

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK, FREEZER_SETPOINT, OFF, ON, POWER_STATE
from conformance.harness.writes.keeping.journal import JOURNAL
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import FRIDGE_SETPOINTS, ON_AND_OFF, TIMED_OVEN
from conformance.mutants.shapes.states import Late
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Incoming, Json, Refusal, Reply
from conformance.runs.saved.restoring import restore
from conformance.selftest.support.judged_runs import STILL, begin, run_of, session_of


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
    profile_extras = {"pace": {"generated_writes": 40}}  # noqa: RUF012  as those of variants

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:  # noqa: ARG002  whichever it is
        return value


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


def held(service: Service) -> dict[tuple[str, str], str]:
    """What a server holds once all effects have come, -0.0 told from 0."""
    service.clock.advance(5)
    service.tick()
    return {place: repr(value) for place, value in service.settings().items()}


def test_power_state_is_written_back_whatever_is_read(tmp_path: Path) -> None:
    """Off was taken, and On is read all the time: On is written at the end."""
    service, before = Stale(), held(Stale())
    ran = run_of(service, tmp_path, "power")
    assert (held(service), ran.left) == (before, [])


def test_value_is_put_back_literally(tmp_path: Path) -> None:
    """Neither 5e-324 nor -0.0 stays where 0 was found."""
    service, before = AnyNumber(), held(AnyNumber())
    ran = run_of(service, tmp_path, "write", {"pace": AnyNumber.profile_extras["pace"]}, still=False)
    assert (held(service), ran.left) == (before, [])


def test_who_operates_it_for_a_while_leaves_nothing_changed(tmp_path: Path) -> None:
    """Putting back is tried for as long as the profile says."""
    service, before = Operated(), held(Operated())
    timing = {"settle_s": 0.05, "poll_s": 0.01, "retry_s": 0, "put_back_s": 5}
    ran = run_of(service, tmp_path, "write", {"timing": timing, "pace": STILL})
    assert (held(service), ran.left) == (before, [])


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


def test_interrupted_run_waits_for_an_effect_that_comes_late(tmp_path: Path) -> None:
    """A signal right after a write whose effect comes within the settle time."""
    service = LateFreezer()
    before = held(LateFreezer())
    service.struck = lambda: signal.raise_signal(signal.SIGINT)  # type: ignore[method-assign]
    with session_of(service, tmp_path, "write") as session:
        begin(session)
        with pytest.raises(KeyboardInterrupt):
            session.write()
        assert session.finish() == []
    assert held(service) == before


def test_killed_run_is_restored_though_its_effect_comes_late(tmp_path: Path) -> None:
    """What was found is written back after a run that was killed, though it is what is read."""
    service, out = LateFreezer(), tmp_path / "out"
    before, texts = held(LateFreezer()), list[str]()
    service.struck = lambda: texts.append((out / JOURNAL).read_text())  # type: ignore[method-assign]
    with serve({"": service}) as base_url:
        state = tmp_path / "state"
        state.mkdir()
        with session_of(service, out, "write", base_url=base_url) as session:
            begin(session, state=state)
            session.write()
        (out / JOURNAL).write_text(texts[0])
        (owed, *_) = owed_in(out / JOURNAL)
        appliance = service.appliances[owed.ha_id]
        service.apply(appliance, owed.key, 7)  # its effect is still to come
        assert restore(out / JOURNAL, {}).is_clean
    assert held(service) == before
