"""What a run ends for a while, or writes, is put back; also where that is hard, or only goes in one order."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from conformance.cases import CATALOG
from conformance.harness.writes.keeping.owed import read_journal
from conformance.profiles.toml import write_profile
from conformance.profiles.validation import build_profile
from conformance.proof import own_time
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.support.commanding import BARE, SCRIPT, finished, run
from conformance.selftest.support.judged_runs import STILL, Run, run_of
from conformance.selftest.support.owed_journals import lines_of
from conformance.selftest.support.samples.handmade import STATUS_PATH, write_table
from conformance.selftest.support.servers.recording import MACHINE_ID, Recording, recorded, values_of

NEVER_ON, DEAD = "on-refused-once-left", "line-dead-once-off"
LEFT_BEHIND = (DEAD, NEVER_ON)
"""Servers to which something cannot be put back, whatever is tried."""
BRIGHTENING, UNANSWERED = "child-lock-brightens-the-light", "child-lock-unanswered"
LATE = "child-lock-off-late"
TRIES = {
    LATE: range(1, 6),
    "child-lock-off-refused-four-times": range(3, 5),
    BRIGHTENING: range(1),
    UNANSWERED: range(3, 4),
}
"""How many writes the child lock takes to be put back, after what its case has written."""
SERVERS = (*LEFT_BEHIND, *TRIES)
FAULT = {
    NEVER_ON: f'dishwasher-1 PowerState was "{keys.ON}", is "{keys.STANDBY}"',
    DEAD: f'dishwasher-1 PowerState was "{keys.ON}", cannot be read',
}
BUSY = {"settle_s": 0.25, "power_settle_s": 0.25, "poll_s": 0.05, "retry_s": 0}
"""The timing for who is late: a busy machine has to read it often enough before all tries are made."""


@dataclass
class RunOfServer:
    """A run against such a server: its settings before, what came of each case, and what was left."""

    service: Recording
    before: dict[tuple[str, str], Json]
    out: Path
    found: dict[str, tuple[str, str]]
    left: list[str]

    @property
    def journal(self) -> list[dict[str, Any]]:
        """The lines of its journal after the first."""
        return lines_of(self.out / JOURNAL_FILE)[1:]

    def settled(self, key: str) -> dict[str, Any]:
        """What the journal says of a key of the machine, where it took most to put it back, or it was not."""
        lines = [line for line in self.journal if "restored" in line]
        own = [line for line in lines if (line["ha_id"], line["key"]) == (MACHINE_ID, key)]
        return max(own, key=lambda line: (not line["restored"], line["tries"]))

    def verdicts(self, ha_id: str) -> list[str]:
        """The verdicts on an appliance."""
        return [verdict for name, (verdict, _) in self.found.items() if f"@{ha_id}" in name]


@pytest.fixture(scope="module")
def ended_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, RunOfServer]]:
    """A run of level power against each of the servers, all of them still listening; one is a command."""
    services = {f"/{name}": recorded(name) for name in SERVERS}
    home = tmp_path_factory.mktemp("endured")  # not thread-safe where it is the first one
    with serve(services) as base_url, ThreadPoolExecutor(2) as pool:

        def judged(name: str) -> RunOfServer:
            service = services[f"/{name}"]
            before, url, directory = service.settings(), f"{base_url}/{name}", home / name
            directory.mkdir()
            tables = {"pace": STILL | {"concurrency": 1}} | ({"timing": BUSY} if name == LATE else {})
            if name != NEVER_ON:
                made = run_of(service, directory, "power", tables, base_url=url)
                return RunOfServer(service, before, made.out, made.verdicts, made.left)
            truth = build_profile(truthful_profile(service, url) | tables, CATALOG)
            profile = write_profile(truth, directory / "profile.toml")
            ran = run(directory, str(profile), "--level", "power", *BARE)
            assert ran.code == 5
            left = [f"{fault['kind'].replace('_', ' ')}: {fault['text']}" for fault in ran.results["faults"]]
            found = {case: (verdict, message) for case, verdict, message in ran.verdicts}
            return RunOfServer(service, before, ran.out, found, left)

        yield dict(zip(SERVERS, pool.map(judged, SERVERS), strict=True))


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_what_is_left_behind_is_a_fault(ended_runs: dict[str, RunOfServer], name: str) -> None:
    """Where something could not be put back, the fault names key and values, and no case is an error."""
    assert ended_runs[name].left == [f"not restored: {FAULT[name]}"]
    assert "error" not in {verdict for verdict, _ in ended_runs[name].found.values()}


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_journal_says_what_was_tried(ended_runs: dict[str, RunOfServer], name: str) -> None:
    """The journal holds more than one try to put the key back, each before it was sent, and the failure."""
    last, lines = ended_runs[name].settled(keys.POWER_STATE), ended_runs[name].journal
    restores = [line for line in lines if line.get("intent") == "restore"]
    tries = [line for line in restores if (line["key"], line["value"]) == (keys.POWER_STATE, keys.ON)]
    assert (last["restored"], last["before"], lines[-1]["end"]) == (False, keys.ON, True)
    assert 3 <= last["tries"] <= len(tries)


@pytest.mark.parametrize("name", LEFT_BEHIND)
def test_nothing_more_is_written_to_who_does_not_go_back(
    ended_runs: dict[str, RunOfServer], name: str
) -> None:
    """After a failed restore the appliance gets no further write, in the ledger and in the journal."""
    one, lines = ended_runs[name], ended_runs[name].journal
    failed = next(index for index, line in enumerate(lines) if line.get("restored") is False)
    assert not [line for line in lines[failed:] if "intent" in line and line["ha_id"] == MACHINE_ID]
    sent = max(line["evidence"] for line in lines[:failed] if "evidence" in line)
    later = [line for line in lines_of(one.out / LEDGER_FILE) if line["n"] > sent and "request" in line]
    assert MACHINE_ID not in {line["ha_id"] for line in later if line["request"]["method"] == "PUT"}


@pytest.mark.parametrize("name", TRIES)
def test_what_comes_back_is_no_fault(ended_runs: dict[str, RunOfServer], name: str) -> None:
    """Where everything came back in the end, the run has no fault, and the journal owes nothing."""
    one = ended_runs[name]
    assert one.service.settings() == one.before
    assert one.left == []
    assert read_journal(one.out / JOURNAL_FILE).owed == []


@pytest.mark.parametrize("name", TRIES)
def test_journal_counts_the_tries(ended_runs: dict[str, RunOfServer], name: str) -> None:
    """The journal says how many writes it took until the child lock was back."""
    last = ended_runs[name].settled(keys.CHILD_LOCK)
    assert (last["restored"], last["before"], last["now"]) == (True, False, False)
    assert last["tries"] in TRIES[name]


def test_lost_answer_is_journalled_as_such(ended_runs: dict[str, RunOfServer]) -> None:
    """A write whose answer was lost is journalled as no response; its key is read and put back."""
    lines = ended_runs[UNANSWERED].journal
    writes = [line for line in lines if line.get("intent") == "write" and line["ha_id"] == MACHINE_ID]
    numbers = {line["n"] for line in writes if line["key"] == keys.CHILD_LOCK}
    outcomes = {line["outcome"] for line in lines if line.get("of") in numbers}
    assert ("no response" in outcomes, "acknowledged" in outcomes) == (True, False)


def test_restore_tries_again_what_a_run_has_left(ended_runs: dict[str, RunOfServer], tmp_path: Path) -> None:
    """`restore` fails while the appliance refuses; once somebody has helped, the state is written again."""
    one = ended_runs[NEVER_ON]
    words = [SCRIPT, "restore", str(one.out / JOURNAL_FILE)]
    refused = finished(words, tmp_path)
    was = f'NOT put back: dishwasher-1 PowerState was "{keys.ON}", is "{keys.STANDBY}"'
    assert (refused.code, was in refused.output) == (5, True)
    one.service.appliances[MACHINE_ID].values[keys.POWER_STATE] = keys.ON
    helped = finished(words, tmp_path)
    assert (helped.code, helped.output) == (0, f'put back: {MACHINE_ID} {keys.POWER_STATE} is "{keys.ON}"\n')
    ledgers = {path.name for path in one.out.glob("restore-evidence*")}
    assert ledgers == {"restore-evidence.ndjson", "restore-evidence-2.ndjson"}


# States that a run may end are ended for a short time, and those of two lights at once.
WRITE = write_table("*", keys.CHILD_LOCK, status_path=STATUS_PATH)


def prepared_run(service: Service, out: Path, **write: object) -> Run:
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
