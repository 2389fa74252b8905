"""What comes of a trial, of hundreds of them in a pool and in each way of running; and the server of a trial,
which is asked in its own process.
"""

import gc
import json
import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from catalog.keys import CHILD_LOCK
from conformance.checks.exchange import Exchange
from conformance.checks.view import View
from conformance.harness import ledger
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.network import SOCKETS, Network
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.requests import intercepts
from conformance.proof import own_time
from conformance.proof.equivalence import lasting, outcome_of_all_ways
from conformance.proof.in_process import BASE_URL, network_of
from conformance.proof.outcomes import TrialOutcome, outcome_of
from conformance.proof.pool import judge_all
from conformance.proof.trials import Trial, all_trials
from conformance.records.ledger_lines import exchange_of
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Json, Reply
from conformance.selftest.support.raw_server import profile_at, transport_of
from conformance.selftest.support.recording import PAIRS, served_by, several
from conformance.selftest.support.results import FRIDGE, RUN, results_of

TRIAL = Trial("one", served_by(fleet=DISHWASHER), "full", "read")


def otherwise(line: dict[str, Any]) -> Exchange:
    """An exchange of a ledger, taken for one of another appliance."""
    return replace(exchange_of(line), ha_id="other")


def test_ledger_that_is_read_otherwise_is_a_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first exchange that differs is named."""
    monkeypatch.setattr(ledger, "exchange_of", otherwise)
    assert outcome_of(TRIAL, tmp_path, pytest=False).troubles == ("its ledger differs: exchange 0",)


_OF_EVERY_LANE = ("booleans-as-words", "second-oven-follows", "custom-color-in-words.full")
"""Runs that only read, or listen, write, tour and ask a person, with and without a finding."""


def test_run_that_is_over_is_freed_at_once(tmp_path: Path) -> None:
    """Nobody has to look for it: what it has seen is no garbage in which one thing holds the other."""
    trials = [all_trials()[name] for name in _OF_EVERY_LANE]
    gc.collect()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        for trial in trials:
            outcome_of(trial, tmp_path / trial.name, pytest=False)
        gc.collect()
        # the type is asked for: a proxy of what is gone stands for nothing
        assert not [one for one in gc.garbage if issubclass(type(one), Exchange | View)]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()


class Moved(Service):
    """Its run ends with another value in the store than the one that is shown."""

    fleet = (DISHWASHER.only(CHILD_LOCK),)

    def settings(self) -> dict[tuple[str, str], Json]:
        """The settings, and how often they were asked for."""
        self.asked = getattr(self, "asked", 0) + 1
        return {("dishwasher-1", CHILD_LOCK): self.asked}


def test_setting_that_is_left_otherwise_is_a_trouble(tmp_path: Path) -> None:
    """Where a run writes, each setting is afterwards what it was, or the run says that it is not."""
    outcome = outcome_of(Trial("moved", Moved, "full", "write", 0), tmp_path, pytest=False)
    said = f"dishwasher-1 {CHILD_LOCK} was 1, is 2, and the run says nothing of it"
    assert outcome.troubles == (said,)


# Trials are judged in processes that do not outlive their limit.
CLEAN = TrialOutcome("pass", {})


def outcome_named(name: str) -> TrialOutcome:
    """What comes of a trial that does as it is called; one that hangs is called like its standard error."""
    match name:
        case hangs if Path(hangs).is_absolute():
            os.dup2(os.open(hangs, os.O_WRONLY | os.O_CREAT), 2)
            threading.Event().wait()
        case "ends":
            os._exit(7)
        case "raises":
            raise ValueError(name)
        case _:
            pass
    return CLEAN


def process_of(_name: str) -> int:
    """Which process judges a trial."""
    return os.getpid()


@pytest.mark.parametrize("apart", [False, True])
def test_trials_judged_apart_share_no_process(*, apart: bool) -> None:
    """So that the memory that one of them has used is not counted as that of the next."""
    outcomes = judge_all(["one", "next"], process_of, workers=1, limit_s=60, apart=apart)
    assert (outcomes["one"] != outcomes["next"]) is apart


def test_trial_that_takes_too_long_is_named(tmp_path: Path) -> None:
    """Its process ends, and says what it was doing; another judges the next trial."""
    hangs = str(tmp_path / "hangs")
    outcomes = judge_all([hangs, "answers"], outcome_named, workers=1, limit_s=4)
    reason = "its trial took longer than 4 s; standard error says what it was doing"
    assert outcomes == {hangs: TrialOutcome("error", {}, (reason,)), "answers": CLEAN}
    said = Path(hangs).read_text(encoding="utf-8")
    assert ("most recent call first" in said, " in outcome_named\n" in said) == (True, True)


def test_trial_that_ends_its_process_is_named() -> None:
    """Others are judged all the same, also by the process in which one raised an error."""
    outcomes = judge_all(["ends", "raises", "answers"], outcome_named, workers=2, limit_s=60)
    assert outcomes["ends"].faults == ("its trial ended the process with 7",)
    assert outcomes["raises"].faults[0].endswith("ValueError: raises\n")
    assert outcomes["answers"] == CLEAN


# A server gets the same results with one lane and sixteen, as a whole and in shards.
COFFEE = COFFEE_MAKER.only(CHILD_LOCK)


def odd(mutant: str) -> type[Service]:
    """The server of a mutant with two ovens and two coffee makers."""
    return served_by(find_server(mutant), fleet=(one for one in PAIRS if one.kind != "Hood"))


TRIALS = [
    all_trials()["oven-in-standby.full"],
    all_trials()["key-said-to-be-the-value.L2"],
    all_trials()["one-vacation-a-household"],
    Trial("unauthorized", odd("sign-in-needed"), "L0", "read"),
    Trial("forgetful", odd("any-ha-id"), "full", "read"),
    Trial("dropping", several(COFFEE, 2, find_server("acknowledged-and-dropped")), "full", "write", 0),
    Trial("following", odd("second-oven-follows"), "full", "write", 0),
]
VERDICTS = {
    "oven-in-standby.full": "pass",
    "key-said-to-be-the-value.L2": "inconclusive",
    "unauthorized": "inconclusive",
}
"""Of those that do not fail."""


@pytest.mark.parametrize("trial", TRIALS, ids=lambda trial: trial.name)
def test_results_are_the_same_in_each_way(trial: Trial, tmp_path: Path) -> None:
    """All but times, numbers of exchanges and how many there were."""
    outcome = outcome_of_all_ways(trial, tmp_path)
    assert (outcome.differs, outcome.verdict) == ("", VERDICTS.get(trial.name, "fail"))


def test_difference_is_named(tmp_path: Path) -> None:
    """With the way, and the first place of the results: here the server is another one the second time.

    What an earlier comparison has left in the directory is in nobody's way.
    """
    (tmp_path / "shard-1").mkdir()
    servers = iter([odd("any-ha-id")(), odd("booleans-as-words")()])
    trial = Trial("changing", cast("type[Service]", servers.__next__), "full", "read")
    assert outcome_of_all_ways(trial, tmp_path).differs.startswith("in shards: /target/name: the run says")


def test_only_what_lasts_is_compared() -> None:
    """No two runs learn the same times; the tours are the same."""
    first, slower = replace(FRIDGE, quiet_s=0.2), replace(FRIDGE, quiet_s=0.3, slowest_effect_s=0.06)
    toured = replace(first, tours=("power",))
    one, same, other = (
        lasting(results_of(run=replace(RUN, appliances=(each,)))) for each in (first, slower, toured)
    )
    assert (one == same, one == other) == (True, False)


def test_base_address_of_a_trial_has_what_looks_like_a_version() -> None:
    """It is that of the variant v1, which is judged as it says: the path after it has none."""
    trial = all_trials()["v1.full"]
    target = trial.profile(trial.server())["target"]
    assert cast("dict[str, str]", target)["base_url"] == f"{BASE_URL}/v1"


# A server of the same process says what it says through sockets.
OVEN = "/api/homeappliances/oven-1"
WRITE = Wanted(f"{OVEN}/settings/{CHILD_LOCK}", "PUT", body='{"data": {"value": true}}')
USUAL = [Wanted(OVEN), WRITE, Wanted(OVEN, "HEAD"), Wanted(f"{OVEN}/settings?x=1"), Wanted("/nowhere")]
ODD, PLAINLY = Wanted("/odd"), Wanted("/x")
REPLIES = {
    "cut short": Reply(200, b"{}", headers={"Content-Length": "4096"}),
    "longer than announced": Reply(200, b"{}", headers={"Content-Length": "1"}),
    "in chunks": Reply(200, b"{}", headers={"Transfer-Encoding": "chunked"}),
    "closed after the answer": Reply(200, b"{}", headers={"Connection": "close"}),
    "closed without an answer": Reply(200, drop=True),
    "too late": Reply(200, b"{}", delay_s=0.4),
    "no content": Reply(204, media_type=None),
    "an unknown status": Reply(299, b"{}"),
    "a long body": Reply(200, b"x" * 100_000),
    "a header of two lines": Reply(200, b"{}", headers={"X-Two": "one\r\ntwo"}),
    "a header that is too long": Reply(200, b"{}", headers={"X-Long": "x" * 150_000}),
}
ODD_REQUESTS = {
    "a header of two lines": Wanted("/x", headers=(("X-Two", "one\r\ntwo"),)),
    "a framing of its own": Wanted("/x", headers=(("Transfer-Encoding", "gzip"),)),
    "closed by the client": Wanted("/x", headers=(("Connection", "close"),)),
}
PLAIN = Reply(200, b"[]", headers={"X-Plain": "yes"})


def networks(service: Service) -> Iterator[tuple[str, Network]]:
    """The base URLs and networks in which a service is, each for as long as it is looked at."""
    yield f"{BASE_URL}/one", network_of({"/one": service})
    with serve({"/one": service}) as base_url:
        yield f"{base_url}/one", SOCKETS


def outcomes_of(service: Service, *wanted: Wanted) -> list[list[Sent]]:
    """What came of requests in each network, without times and addresses."""
    found: list[list[Sent]] = []
    for url, network in networks(service):
        with transport_of(profile_at(url), network=network) as transport:
            made = [sent for one in wanted for sent in transport.send(one, permit=0)]
        found.append(
            [
                replace(
                    sent,
                    at="",
                    request=replace(sent.request, url=""),
                    response=sent.response and replace(sent.response, elapsed_ms=0.0),
                )
                for sent in made
            ]
        )
    return found


CONVERSATIONS: dict[str, tuple[Reply | None, tuple[Wanted, ...]]] = {
    **{f"{one.method} {one.path}": (None, (one, one)) for one in USUAL},
    **{name: (reply, (ODD, PLAINLY, PLAINLY, ODD, PLAINLY)) for name, reply in REPLIES.items()},
    "a body where none may be": (Reply(204, b"{}"), (PLAINLY, PLAINLY, ODD)),  # what follows hangs on time
    **{f"asked with {name}": (PLAIN, (PLAINLY, PLAINLY, one, PLAINLY)) for name, one in ODD_REQUESTS.items()},
}
"""What a service replies at one path, unless it is as ever, and what it is asked in a row."""


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_answers_are_those_of_a_socket(name: str) -> None:
    """Status, headers, body, numbers of connections, also of what is cut, late, or framed otherwise."""
    reply, wanted = CONVERSATIONS[name]
    one = intercepts(lambda request: reply if request.path == "/odd" else PLAIN)
    in_process, through_sockets = outcomes_of(one() if reply else Service(), *wanted)
    assert in_process == through_sockets


def test_events_are_those_of_a_socket() -> None:
    """A stream opens alike and tells alike of what is written meanwhile."""
    heard: list[list[tuple[str, str]]] = []
    for url, network in networks(Service()):
        with (
            transport_of(profile_at(url), network=network) as transport,
            transport.listening(Wanted(f"{OVEN}/events"), []) as told,
        ):
            for value in ("true", "false"):
                transport.send(replace(WRITE, body=f'{{"data": {{"value": {value}}}}}'), permit=0)
            events = [told.get(timeout=60) for _ in range(2)]
            heard.append([(event.kind, json.loads(event.data)["items"][0]["value"]) for event in events])
    assert heard[0] == heard[1]


def test_stream_ends_with_its_listener() -> None:
    """Nobody listens any more, and no thread is left."""
    service = Service()
    before = threading.active_count()
    with ExitStack() as stack:
        transport = stack.enter_context(transport_of(profile_at(BASE_URL), network=network_of({"": service})))
        stack.enter_context(transport.listening(Wanted(f"{OVEN}/events"), []))
        assert not service.channel.quiet
    assert (service.channel.quiet, threading.active_count()) == (True, before)


def test_time_of_every_run_is_rounded_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever a trial begins, its ledger shows the same milliseconds, on which a further look may hang."""
    monkeypatch.setattr(own_time.time, "time", lambda: 1_700_000_000.4567)
    assert own_time.OwnTime().since_1970() == 1_700_000_000
