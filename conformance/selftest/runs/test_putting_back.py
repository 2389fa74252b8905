"""What a run ends for a while, or writes, is put back; also where that is hard, or only goes in one order."""

import signal
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec.structs import replace

from catalog import keys
from catalog.keys import FREEZER_SETPOINT
from conformance.harness.interruptions import interrupted_once
from conformance.harness.writes.keeping.owed import owed_in, read_journal
from conformance.mutants.fleets import FRIDGE_SETPOINTS
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import Late
from conformance.proof import own_time
from conformance.proof.in_process import BASE_URL
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance, OwnRange
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.saved.restoring import restore
from conformance.selftest.support.commands import command
from conformance.selftest.support.handmade import STATUS_PATH, write_table
from conformance.selftest.support.judged_runs import STILL, begin, run_of, session_of
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import MACHINE_ID, Recording, held_by, recording, values_of

NEVER_ON, DEAD = "on-refused-once-left", "line-dead-once-off"
FAULT = {
    NEVER_ON: f'dishwasher-1 PowerState was "{keys.ON}", is "{keys.STANDBY}"',
    DEAD: f'dishwasher-1 PowerState was "{keys.ON}", cannot be read',
}
"""What is said of servers to which something cannot be put back, whatever is tried."""
UNANSWERED = "child-lock-unanswered"
TRIES = {
    "child-lock-off-late": range(1, 6),
    "child-lock-off-refused-four-times": range(3, 5),
    "child-lock-brightens-the-light": range(1),
    UNANSWERED: range(3, 4),
}
"""How many writes the child lock takes to be put back, after what its case has written."""
RunAgainst = Callable[[str], tuple[Recording, Ran]]


@pytest.fixture(scope="module")
def run_against(tmp_path_factory: pytest.TempPathFactory) -> RunAgainst:
    """Makes a run of level power against such a server, once: the server and the run."""

    @cache
    def make(name: str) -> tuple[Recording, Ran]:
        service = recording(name)
        return service, run_of(
            service, tmp_path_factory.mktemp(name), "power", {"pace": STILL | {"concurrency": 1}}
        )

    return make


def settled(run: Ran, key: str) -> dict[str, Any]:
    """What the journal says of a key of the machine, where it took most to put it back, or it was not."""
    lines = [line for line in run.journal if "restored" in line]
    own = [line for line in lines if (line["ha_id"], line["key"]) == (MACHINE_ID, key)]
    return max(own, key=lambda line: (not line["restored"], line["tries"]))


@pytest.mark.parametrize("name", FAULT)
def test_what_is_left_behind_is_a_fault(run_against: RunAgainst, name: str) -> None:
    """The fault names key and values, and no case is an error; the journal holds each of several tries."""
    _, run = run_against(name)
    assert (run.left, run.errors()) == ([f"not restored: {FAULT[name]}"], set())
    last = settled(run, keys.POWER_STATE)
    restores = [line for line in run.journal if line.get("intent") == "restore"]
    tries = [line for line in restores if (line["key"], line["value"]) == (keys.POWER_STATE, keys.ON)]
    assert (last["restored"], last["before"], run.journal[-1]["end"]) == (False, keys.ON, True)
    assert 3 <= last["tries"] <= len(tries)


@pytest.mark.parametrize("name", FAULT)
def test_nothing_more_is_written_to_who_does_not_go_back(run_against: RunAgainst, name: str) -> None:
    """After a failed restore the appliance gets only what puts it back, in the ledger and in the journal."""
    _, run = run_against(name)
    failed = next(index for index, line in enumerate(run.journal) if line.get("restored") is False)
    later = [line for line in run.journal[failed:] if line.get("ha_id") == MACHINE_ID]
    assert {line["intent"] for line in later if "intent" in line} <= {"restore"}
    sent = max(line["evidence"] for line in run.journal[:failed] if "evidence" in line)
    exchanges = [line for line in run.evidence if line["n"] > sent and "request" in line]
    put = [line for line in exchanges if line["request"]["method"] == "PUT" and line["ha_id"] == MACHINE_ID]
    assert {line["purpose"] for line in put} <= {"restore"}


def test_check_that_breaks_is_told(tmp_path: Path) -> None:
    """That nothing more was written to a setting, which did not go back, hides no mistake of the suite."""
    with session_of(find_server("setpoint-never-lower")(), tmp_path, "write") as session:
        cases = begin(session, {"SET-WRITABLE"})
        session.write()
        broken = Mock(side_effect=ZeroDivisionError)
        assert {session.judge(case, broken).verdict for case in cases} == {"error"}


@pytest.mark.parametrize("name", TRIES)
def test_what_comes_back_is_no_fault(run_against: RunAgainst, name: str) -> None:
    """The run has no fault, the journal owes nothing, and says how many writes it took."""
    service, run = run_against(name)
    assert (service.settings(), run.left) == (recording(name).settings(), [])
    assert read_journal(run.out / JOURNAL_FILE).owed == []
    last = settled(run, keys.CHILD_LOCK)
    assert (last["restored"], last["before"], last["now"]) == (True, False, False)
    assert last["tries"] in TRIES[name]


def test_lost_answer_is_journalled_as_such(run_against: RunAgainst) -> None:
    """A write whose answer was lost is journalled as no response; its key is read and put back."""
    _, run = run_against(UNANSWERED)
    writes = [line for line in run.journal if line.get("intent") == "write" and line["ha_id"] == MACHINE_ID]
    numbers = {line["n"] for line in writes if line["key"] == keys.CHILD_LOCK}
    outcomes = {line["outcome"] for line in run.journal if line.get("of") in numbers}
    assert ("no response" in outcomes, "acknowledged" in outcomes) == (True, False)


def test_restore_tries_again_what_a_run_has_left(run_against: RunAgainst) -> None:
    """`restore` fails while the appliance refuses; once somebody has helped, the state is written again."""
    service, run = run_against(NEVER_ON)
    place = run.out / JOURNAL_FILE
    with served(service) as profile:
        text = place.read_text(encoding="utf-8").replace(BASE_URL, profile["target"]["base_url"])
        place.write_text(text, encoding="utf-8")
        refused = command("restore", str(place))
        assert (refused.code, f"NOT put back: {FAULT[NEVER_ON]}" in refused.output) == (5, True)
        service.appliances[MACHINE_ID].values[keys.POWER_STATE] = keys.ON
        helped = command("restore", str(place))
    assert helped.output == f'put back: {MACHINE_ID} {keys.POWER_STATE} is "{keys.ON}"\n'
    ledgers = {path.name for path in run.out.glob("restore-evidence*")}
    assert (helped.code, ledgers) == (0, {"restore-evidence.ndjson", "restore-evidence-2.ndjson"})


# States that a run may end are ended for a short time, and those of two lights at once.
WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)


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
    for most in (20, 80_000):
        out = tmp_path / f"{most}"
        out.mkdir()
        service = Counted()
        monkeypatch.setattr(own_time, "_REQUEST_S", 1.0)
        ran = run_of(service, out, "power", {"write": {**WRITE, "max_prepared_s": most}})
        longest.append(service.longest)
        verdicts.append({name: verdict for name, (verdict, _) in ran.verdicts.items()})
        assert values_of(service) == values_of(Counted())
    assert (longest[0] <= 20 < longest[1], verdicts[0]) == (True, verdicts[1]), longest


# What is owed is a value as it was found, whenever effects come, and whoever is at it.
class AnyNumber(Service):
    """A freezer that keeps any number of its range as it was written."""

    fleet = (
        replace(
            FRIDGE_SETPOINTS, ranges={**FRIDGE_SETPOINTS.ranges, FREEZER_SETPOINT: OwnRange(-7, 6)}
        ).having({FREEZER_SETPOINT: 0}),
    )

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:  # noqa: ARG002  whichever it is
        return value


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


def test_value_is_put_back_literally(tmp_path: Path) -> None:
    """Neither 5e-324 nor -0.0 stays where 0 was found."""
    service, before = AnyNumber(), held_by(AnyNumber())
    ran = run_of(service, tmp_path, "write", {"pace": STILL | {"generated_writes": 80}})
    assert {"5e-324", "-0.0"} <= {str(line.get("value")) for line in ran.journal}
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


def test_interrupted_run_waits_for_an_effect_that_comes_late(tmp_path: Path) -> None:
    """A signal right after a write whose effect comes within the settle time."""
    service = LateFreezer()
    before = held_by(LateFreezer())
    service.struck = lambda: signal.raise_signal(signal.SIGTERM)  # type: ignore[method-assign]
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
