"""Nothing is sent that is not in the ledger, and no case rests on what stands beside the judged lines."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from catalog.keys import (
    CAMERA_STATE,
    DOOR_STATE,
    DOSING_1,
    LOCAL_CONTROL,
    MAP_NAME_1,
    POWER_STATE,
)
from catalog.model import Entry
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import ROBOT_WATCHING, WASHER
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.saved.saved_run import SavedRun
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import STILL, judge_all, ran_of, session_of
from conformance.selftest.support.ran import Ran

SECRET, TOKEN = "quite-a-secret", "granted-token"
OAUTH2 = {"client_id": "me", "client_secret": "${ISSUER_SECRET}", "scope": "read"}


class Difficult(Service):
    """Grants short-lived tokens, and moves, throttles or drops most of what is asked the first time."""

    name = "difficult"
    fleet: ClassVar[Any] = (
        WASHER.only(DOSING_1, LOCAL_CONTROL, DOOR_STATE),
        ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CAMERA_STATE),
    )

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, str]] = []
        self.times = Counter[tuple[str, str]]()
        self.tokens = self.places = 0

    def handle(self, request: Incoming) -> Reply:
        """Takes the request down, and makes one of its difficulties."""
        this = (request.method, f"{request.path}?{request.query}".rstrip("?"))
        self.asked.append(this)
        self.times[this] += 1
        if request.path == "/token":
            self.tokens += 1
            granted = {
                "access_token": f"{TOKEN}-{self.tokens}",
                "refresh_token": "another-secret",
                "expires_in": 0.2,
            }
            return Reply(
                200, json.dumps(granted).encode(), headers={"Set-Cookie": f"session={TOKEN}-{self.tokens}"}
            )
        if self.times[this] > 1 or request.query:
            return super().handle(request)
        self.places += 1
        if self.places % 4 == 0:
            return Reply(307, headers={"Location": f"{request.path}?moved"})
        if self.places % 4 == 1:
            return Reply(429, headers={"Retry-After": "0"})
        return Reply(0, drop=True) if self.places % 4 == 2 else super().handle(request)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Numbers are taken beyond their range, so that something is left to be put back."""
        del appliance, entry, value
        return True


@dataclass
class Record:
    """A run against the difficult server: what the server was asked, and what the run says it sent."""

    asked: list[tuple[str, str]]
    run: Ran
    base_url: str
    width: int

    def sent(self) -> Iterator[tuple[str, str]]:
        """The requests of the ledger, in order, redirects included."""
        for line in self.run.evidence:
            if "request" in line:
                came: dict[str, Any] = line.get("response") or line["failure"]
                for url in (line["request"]["url"], *came.get("redirects", ())):
                    yield line["request"]["method"], str(url).removeprefix(self.base_url)


@pytest.fixture(scope="module", params=[1, 16])
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Record:
    """A run at level attended with all that a profile can ask for, one request at a time or sixteen."""
    out, service = tmp_path_factory.mktemp("difficult"), Difficult()
    with pytest.MonkeyPatch.context() as patch, serve({"": service}) as base_url:
        patch.setenv("ISSUER_SECRET", SECRET)
        tables = {
            "auth": {"oauth2": {**OAUTH2, "token_url": f"{base_url}/token"}},
            "http": {"follow_redirects": True},
            "pace": STILL | {"concurrency": request.param, "generated": 10},
        }
        with session_of(service, out, "attended", tables, base_url=base_url) as session:
            run = ran_of(session, judge_all(session), out)
            assert session.leaks() == []
            facts = session.facts().requests
    assert facts.reads + facts.controls + facts.writes == sum("request" in line for line in run.evidence)
    return Record(service.asked, run, base_url, request.param)


def test_nothing_is_sent_that_is_not_in_the_ledger(record: Record) -> None:
    """What the server was asked and what the ledger says was sent are the same requests."""
    assert Counter(record.sent()) == Counter(record.asked)


def test_ledger_has_the_order_of_the_requests(record: Record) -> None:
    """One at a time, requests stand in the order they were made; a token before what needed it."""
    sent, asked = (
        [one for one in order if one != ("POST", "/token")] for order in (record.sent(), record.asked)
    )
    assert sent == asked or record.width > 1
    assert [line["purpose"] for line in record.run.evidence[:2]] == ["run", "auth"]


def test_no_case_rests_on_a_line_beside_the_judged_ones(record: Record) -> None:
    """What was sent for a token or to open a stream is no evidence, and judged again changes no verdict."""
    beside = {line["n"] for line in record.run.evidence if line["purpose"] in {"auth", "event"}}
    assert beside.isdisjoint(number for case in record.run.cases.values() for number in case.evidence)
    with closing(Session.of_saved(SavedRun(record.run.out / LEDGER_FILE), record.run.out)) as session:
        again = judge_all(session)
    verdicts = [{name: case.verdict for name, case in run.items()} for run in (again, record.run.cases)]
    assert verdicts[0] == verdicts[1]


def test_all_ways_of_asking_were_met(record: Record) -> None:
    """The run had every purpose and every difficulty, so that the comparison means something."""
    lines = [line for line in record.run.evidence if "request" in line]
    purposes = {"read", "control", "repeat", "list", "event", "write", "restore", "hook", "auth"}
    assert {line["purpose"] for line in lines} >= purposes
    assert {line["failure"]["kind"] for line in lines if "failure" in line} == {"closed"}
    assert 429 in {line["response"]["status"] for line in lines if "response" in line}
