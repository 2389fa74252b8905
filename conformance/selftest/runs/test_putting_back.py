"""What a run ends for a while, or writes, is put back; also where that is hard, or only goes in one order."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from conformance.harness.writes.keeping.owed import read_journal
from conformance.proof import own_time
from conformance.proof.in_process import BASE_URL
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.commands import command
from conformance.selftest.support.judged_runs import STILL, run_of
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table
from conformance.selftest.support.servers.recording import MACHINE_ID, Recording, recorded, values_of

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
Ended = Callable[[str], tuple[Recording, Ran]]


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """Makes a run of level power against such a server, once: the server and the run."""

    @cache
    def made(name: str) -> tuple[Recording, Ran]:
        service = recorded(name)
        return service, run_of(
            service, tmp_path_factory.mktemp(name), "power", {"pace": STILL | {"concurrency": 1}}
        )

    return made


def settled(run: Ran, key: str) -> dict[str, Any]:
    """What the journal says of a key of the machine, where it took most to put it back, or it was not."""
    lines = [line for line in run.journal if "restored" in line]
    own = [line for line in lines if (line["ha_id"], line["key"]) == (MACHINE_ID, key)]
    return max(own, key=lambda line: (not line["restored"], line["tries"]))


@pytest.mark.parametrize("name", FAULT)
def test_what_is_left_behind_is_a_fault(ended: Ended, name: str) -> None:
    """The fault names key and values, and no case is an error; the journal holds each of several tries."""
    _, run = ended(name)
    assert (run.left, run.errors()) == ([f"not restored: {FAULT[name]}"], set())
    last = settled(run, keys.POWER_STATE)
    restores = [line for line in run.journal if line.get("intent") == "restore"]
    tries = [line for line in restores if (line["key"], line["value"]) == (keys.POWER_STATE, keys.ON)]
    assert (last["restored"], last["before"], run.journal[-1]["end"]) == (False, keys.ON, True)
    assert 3 <= last["tries"] <= len(tries)


@pytest.mark.parametrize("name", FAULT)
def test_nothing_more_is_written_to_who_does_not_go_back(ended: Ended, name: str) -> None:
    """After a failed restore the appliance gets no further write, in the ledger and in the journal."""
    _, run = ended(name)
    failed = next(index for index, line in enumerate(run.journal) if line.get("restored") is False)
    assert not [line for line in run.journal[failed:] if "intent" in line and line["ha_id"] == MACHINE_ID]
    sent = max(line["evidence"] for line in run.journal[:failed] if "evidence" in line)
    later = [line for line in run.evidence if line["n"] > sent and "request" in line]
    assert MACHINE_ID not in {line["ha_id"] for line in later if line["request"]["method"] == "PUT"}


@pytest.mark.parametrize("name", TRIES)
def test_what_comes_back_is_no_fault(ended: Ended, name: str) -> None:
    """The run has no fault, the journal owes nothing, and says how many writes it took."""
    service, run = ended(name)
    assert (service.settings(), run.left) == (recorded(name).settings(), [])
    assert read_journal(run.out / JOURNAL_FILE).owed == []
    last = settled(run, keys.CHILD_LOCK)
    assert (last["restored"], last["before"], last["now"]) == (True, False, False)
    assert last["tries"] in TRIES[name]


def test_lost_answer_is_journalled_as_such(ended: Ended) -> None:
    """A write whose answer was lost is journalled as no response; its key is read and put back."""
    _, run = ended(UNANSWERED)
    writes = [line for line in run.journal if line.get("intent") == "write" and line["ha_id"] == MACHINE_ID]
    numbers = {line["n"] for line in writes if line["key"] == keys.CHILD_LOCK}
    outcomes = {line["outcome"] for line in run.journal if line.get("of") in numbers}
    assert ("no response" in outcomes, "acknowledged" in outcomes) == (True, False)


def test_restore_tries_again_what_a_run_has_left(ended: Ended) -> None:
    """`restore` fails while the appliance refuses; once somebody has helped, the state is written again."""
    service, run = ended(NEVER_ON)
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


def prepared_run(service: Service, out: Path, **write: object) -> Ran:
    """A judged run of level power with these fields of [write]."""
    return run_of(service, out, "power", {"write": {**WRITE, **write}})


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
        ran = prepared_run(service, out, max_prepared_s=most)
        longest.append(service.longest)
        verdicts.append({name: verdict for name, (verdict, _) in ran.verdicts.items()})
        assert values_of(service) == values_of(Counted())
    assert (longest[0] <= 20 < longest[1], verdicts[0]) == (True, verdicts[1]), longest
