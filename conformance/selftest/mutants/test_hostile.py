"""The room of hostile servers: named, told, declared; each leads a run to what it declares."""

import re
import tracemalloc
from collections.abc import Generator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

import pytest

from catalog.keys import CHILD_LOCK
from conformance.cases import CATALOG
from conformance.harness.wire.messages import Sent, Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.transport import Transport
from conformance.mutants.hostile.model import ENVIRONMENT, Oven
from conformance.mutants.hostile.servers import BY_NAME, HOSTILE, opened
from conformance.profiles.validation import build_profile
from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all
from conformance.runs.targets import open_target, profile_of
from conformance.selftest.support import ROOT
from conformance.selftest.support.hostile_runs import HostileRun, run_against, strayed, troubles
from conformance.selftest.support.rows import named_by


def test_a_hostile_server_is_a_target() -> None:
    """Its profile can be had with and without starting it."""
    with open_target("hostile:silent") as profile:
        assert profile.target.name == profile_of("hostile:silent").target.name == "silent"


def test_every_promise_names_a_test_that_is_there() -> None:
    """Each row of the table of promises in SECURITY.md ends with modules of the tests."""
    text = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    promises = text.partition("| promise |")[2].partition("\n\n")[0]
    rows = promises.splitlines()[2:]
    assert rows
    kept = [re.findall(r"`([\w/]+/test_\w+\.py)`", row.rstrip(" |").rpartition("|")[2]) for row in rows]
    assert all(kept)
    assert all((ROOT / "conformance" / "selftest" / name).is_file() for name in chain.from_iterable(kept))


# Servers whose harm may reach memory, a page, the terminal, a secret or what has to be put back: each leads
# a whole command to what it declares.
COMMANDS_AT_ONCE = 3
"""Runs at the same time in one process of the tests; most of the time each waits for its server."""


@pytest.fixture(scope="module")
def runs(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[Mapping[str, Future[HostileRun]]]:
    """The runs against the servers that the tests name, some at a time."""
    directory = tmp_path_factory.mktemp("hostile")
    with ThreadPoolExecutor(COMMANDS_AT_ONCE) as pool:
        yield {
            name: pool.submit(run_against, BY_NAME[name], directory / name)
            for name in named_by(request.session.items, "test_whole_command_comes_to_what_is_declared")
        }
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.whole])
def test_whole_command_comes_to_what_is_declared(name: str, runs: Mapping[str, Future[HostileRun]]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(troubles(runs[name].result())) == ""


# Servers whose harm ends in what judges: each leads a trial over sockets to what it declares.
TRIALS_AT_ONCE = 4
"""Trials at the same time; most of the time each waits for its server."""


def outcome(name: str, directory: Path) -> TrialOutcome:
    """What is wrong with a run against a server."""
    return TrialOutcome("ended", {}, tuple(troubles(run_against(BY_NAME[name], directory / name))))


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, TrialOutcome]:
    """What came of the runs against the servers that the tests name, some at a time."""
    names = named_by(request.session.items, "test_trial_comes_to_what_is_declared")
    judge = partial(outcome, directory=tmp_path_factory.mktemp("hostile"))
    return judge_all(names, judge, workers=TRIALS_AT_ONCE, apart=True)


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.is_tried])
def test_trial_comes_to_what_is_declared(name: str, outcomes: Mapping[str, TrialOutcome]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(outcomes[name].faults) == ""


# Servers whose harm ends in the transport: one request comes to what is declared.
PATH = f"/api/homeappliances/{Oven.fleet[0].ha_id}/settings/{CHILD_LOCK}"
MOST_MB = 60
"""The most memory that one request may take, with what the server sends."""


@pytest.mark.parametrize("name", [hostile.name for hostile in HOSTILE if hostile.outcome.request])
def test_request_comes_to_what_is_declared(name: str) -> None:
    """In bounded memory and few words; nothing is sent to another host, and no cookie."""
    hostile = BY_NAME[name]
    with opened(hostile) as (served, data):
        profile = build_profile(data, CATALOG, environment=ENVIRONMENT)
        with Transport(profile, Redactor(ENVIRONMENT), ENVIRONMENT, "selftest") as transport:
            tracemalloc.start()
            attempts = transport.send(Wanted(PATH))
            most, _ = tracemalloc.get_traced_memory()[1], tracemalloc.stop()
        assert came_to(attempts[-1]) == hostile.outcome.request
        assert list(strayed(served.requests, served.base_url)) == []
    assert most < MOST_MB * 1e6
    assert all(len(one.failure.text) <= 200 for one in attempts if one.failure)


def came_to(attempt: Sent) -> str:
    """What an attempt came to, as a row has it; what is kept of an answer that is cut is short."""
    response = attempt.response
    if not response:
        return attempt.failure.kind if attempt.failure else ""
    if not response.cut:
        return str(response.status) if response.complete else "cut short"
    assert len(response.body) <= 512
    assert sum(len(name) + len(text) for name, text in response.headers) <= 2_048
    return f"cut {response.cut.limit}"
