"""The benchmarks run at their smallest size; no test asserts a time."""

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec.structs import replace

from conformance.benchmarks import commands
from conformance.benchmarks.commands import (
    exchanges_of,
    judge_again,
    merge_shards,
    results_of,
    run_peer,
    run_shard,
    run_suite,
)
from conformance.benchmarks.detections import Look, figures, look_of_suite
from conformance.benchmarks.measuring import CommandError, Figure, Spent, in_turn, spend, walls
from conformance.benchmarks.reading_time import places_filled
from conformance.benchmarks.schemathesis_runs import failures, write_document
from conformance.benchmarks.serving import Server, fleet_of, served, write_entries
from conformance.checks.exchange import Exchange, Request, Response
from conformance.proof.trials import all_trials
from conformance.reference.server import serve
from conformance.selftest.support.forked_script import forked_script
from reports.results.file import load_results

KEYS = "Vendor.Common.Setting.PowerState", "Vendor.Common.Setting.ChildLock"
ALARM_CLOCK = "/api/homeappliances/{haId}/settings/Vendor.Common.Setting.AlarmClock"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with two appliances of two keys, of which a hand-written suite knows."""
    (spec,) = (one.only(*KEYS) for one in fleet_of(1))
    fleet = [spec, replace(spec, ha_id="another")]
    with (
        served(tmp_path_factory.mktemp("benchmarks") / "server", fleet=fleet) as server,
        forked_script() as place,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(commands, "_SCRIPTS", place)
        write_entries(server)
        yield server


def test_suite_runs_and_judges_again(server: Server) -> None:
    """A run leaves results and a ledger; the ledger is judged on its own. A server counts its requests."""
    before = server.requests
    spent = run_suite(server), judge_again(server)
    assert results_of(server).verdict == "pass"
    assert all(one.cpu_s > 0 for one in spent)
    assert server.requests - before == len(exchanges_of(server)) > 0


def test_shards_are_run_and_merged(server: Server) -> None:
    """The commands of a campaign leave the results of one run of all appliances."""
    spent = [*(run_shard(server, 2, index) for index in (1, 2)), merge_shards(server, 2)]
    results = load_results(server.here / "merged" / "results.json")
    assert all(one.peak_bytes > 0 for one in spent)
    assert (results.verdict, len(results.run.appliances)) == ("pass", 2)


@pytest.mark.parametrize("name", ["reads", "writes"])
def test_hand_written_suite_passes(server: Server, name: str) -> None:
    """What it knows of the server holds; it would end with 1 otherwise, which is no measurement."""
    assert run_peer(server, name, bare=True).peak_bytes > 0


def test_faults_are_counted_by_requests() -> None:
    """Two faults in 500 requests are four in a thousand."""
    looks = [Look(100, found=True), Look(300, found=False), Look(100, found=True)]
    assert [figure.values for figure in figures("suite", looks)] == [(2 / 3,), (500 / 3,), (4,)]


def test_suite_detects_a_mutant() -> None:
    """The fault is found, by more requests than there are keys."""
    look = look_of_suite("key-shortened")
    assert (look.found, look.requests > 82) == (True, True)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # its report stays open
def test_schemathesis_fails_where_no_answer_comes(tmp_path: Path) -> None:
    """The one operation that it is restricted to ends with an error."""
    kind = all_trials()["setting-drops-the-connection"].server
    with serve({"": kind()}) as base_url:
        found = failures(write_document(tmp_path, [kind.fleet[0].ha_id]), base_url, [ALARM_CLOCK])
    assert (f"GET {ALARM_CLOCK}", "error") in found


def test_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    """A command that does not do its work raises instead of being fast."""
    with pytest.raises(CommandError, match="exit code 1"):
        spend([sys.executable, "-c", "raise SystemExit(1)"], tmp_path)


def test_pairs_are_made_in_turn() -> None:
    """Ours and theirs take turns, and the first of each is not counted."""
    made: list[str] = []

    def run(name: str) -> Spent:
        made.append(name)
        return Spent(0.0, float(len(made)), 1.0, 1)

    assert walls(in_turn(lambda: run("ours"), lambda: run("theirs"), 2)) == (3 / 4, 5 / 6)
    assert made == ["ours", "theirs"] * 3


def test_figure_says_its_median_and_what_is_wanted() -> None:
    """The median with its extremes, and the most that it may be."""
    assert Figure("reading", (3.0, 1.0, 2.0), at_most=1.5).words.split() == (
        ["reading", "2", "x", "(1", "to", "3,", "3", "times)", "at", "most", "1.5"]
    )


def test_places_are_filled_when_no_request_waits() -> None:
    """Sixteen requests at once that take as long as the latency take the least time there is."""
    at = datetime(2026, 1, 1, tzinfo=UTC).isoformat()
    request, response = Request("GET", "http://here", ()), Response(200, (), b"", 50.0)
    exchanges = [Exchange(n, "read", (), "a", "a", "k", "settings", at, request, response) for n in range(16)]
    assert places_filled(exchanges, 0.05) == pytest.approx(1.0)
