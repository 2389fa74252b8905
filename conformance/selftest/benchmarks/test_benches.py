"""What is run beside the tests: benchmarks and what they measure, the runner of mutations and what it puts in
force, the fuzzer and its seeds.
"""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.keys import CHILD_LOCK, POWER_STATE
from conformance.benchmarks import comparing
from conformance.benchmarks.__main__ import main
from conformance.benchmarks.asked import requests_of
from conformance.benchmarks.comparing import figures, run_peer, run_suite
from conformance.benchmarks.measuring import CommandError, Figure, spend
from conformance.benchmarks.serving import Server, fleet_of, served, write_entries
from conformance.harness.ledger import read_ledger
from conformance.proof.trials import Trial
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.reference.service import Service
from conformance.selftest.fuzzing.readers import READERS
from conformance.selftest.mutation.mutations import Mutation
from conformance.selftest.mutation.running import collected_anew
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import forked_script
from conformance.selftest.support.recording import served_by

SMALL = served_by(fleet=(spec.only(POWER_STATE, CHILD_LOCK) for spec in fleet_of(1)))
"""One appliance of two keys, as anybody would write them down by hand."""
SILENT = served_by(fleet=(spec.having({CHILD_LOCK: "false"}) for spec in SMALL.fleet))
"""Whatever is asked, its child lock is off, as a text."""


def server_of(kind: type[Service], here: Path) -> Iterator[Server]:
    """A server of a kind, asked by a run that is forked instead of started."""
    trial = Trial(kind.__name__, kind, "full", "write", 0)
    with (
        served(here / "server", trial) as server,
        forked_script() as place,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(comparing, "_SCRIPTS", place)
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # which cost a start two seconds
        yield server


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server without a fault."""
    yield from server_of(SMALL, tmp_path_factory.mktemp("sound"))


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Server]:
    """One with a value of a wrong type."""
    yield from server_of(SILENT, tmp_path)


def test_every_request_of_a_run_is_counted(sound: Server) -> None:
    """By the server itself, as many as the ledger holds; nothing is found."""
    sound.requests_since()
    spent = run_suite(sound, "read")
    ledger = read_ledger(sound.here / "out" / LEDGER_FILE)
    assert (spent.code, spent.finding_s) == (0, None)
    assert sound.requests_since() == len(ledger.exchanges) > 0


def test_requests_are_counted_by_what_they_are_for(tmp_path: Path) -> None:
    """Each once, also where it is for several procedures."""
    asked = requests_of(SMALL(), "write", tmp_path)
    exchanges = read_ledger(tmp_path / LEDGER_FILE).exchanges
    assert asked.total() == len(exchanges)
    assert asked["set"] == sum(str(one.group).startswith("set/") for one in exchanges) > 0
    assert asked["shared reads"] == sum(one.group is None for one in exchanges) > 0


def test_hand_written_suite_passes(sound: Server) -> None:
    """It reads both keys, and writes the lock and its old value."""
    entries = write_entries(sound, writes=True)
    sound.requests_since()
    assert (run_peer(sound, entries).code, sound.requests_since()) == (0, 2 + 5)


def test_both_find_a_value_of_a_wrong_type(faulty: Server) -> None:
    """The suite says so before it ends, the hand-written one by its exit code."""
    ours, theirs = run_suite(faulty, "read"), run_peer(faulty, write_entries(faulty, writes=False))
    assert (ours.code, theirs.code, ours.finding_s is None) == (1, 1, False)


def test_faults_are_counted_by_requests() -> None:
    """Two faults of three in 500 requests are 0.4 in a hundred."""
    assert [figure.values for figure in figures("suite", 3, 2, 500)] == [(2 / 3,), (500 / 3,), (0.4,)]


def test_command_that_fails_is_no_measurement(tmp_path: Path) -> None:
    """A command that does not do its work raises instead of being fast."""
    with pytest.raises(CommandError, match="exit code 3"):
        spend([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)


def test_figure_says_its_median_and_what_is_wanted() -> None:
    """The median with its extremes, and the most that it may be."""
    assert Figure("reading", (3.0, 1.0, 2.0), at_most=1.5).words.split() == (
        ["reading", "2", "x", "(1", "to", "3,", "3", "times)", "at", "most", "1.5"]
    )


def test_benchmark_of_another_name_is_refused() -> None:
    """And those that there are are named."""
    ended = CliRunner().invoke(main, ["speed"])
    assert (ended.exit_code, "requests, waits, peer, faults, growth" in ended.output) == (2, True)


# Mutants of the code are judged without any of the operators of mutmut.
_SOURCE = "def named(): return 1\nNAMED = named()\n"


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("return 2", ["collected anew: TESTS_FAILED"]),
        ("return 1.0", []),
    ],
)
def test_function_that_runs_at_import_alone(
    after: str, found: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its mutation is in force before its module is imported, so what that led to is seen."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # what is installed costs each start a second
    module, test = tmp_path / "named_at_import.py", tmp_path / "test_named.py"
    module.write_text(_SOURCE, encoding="utf-8")
    test.write_text("from named_at_import import NAMED\ndef test_it(): assert NAMED == 1\n", encoding="utf-8")
    mutation = Mutation(module, "named", "return 1", after, _SOURCE.replace("return 1", after))
    assert collected_anew(mutation, "-p", "no:cacheprovider", test) == {"failed": found}


# Each seed of the fuzzer goes through its reader without a fuzzer, too.
CORPUS = ROOT / "conformance" / "selftest" / "fuzzing" / "corpus"
SEEDS = [(reader, seed.name) for reader in READERS for seed in sorted((CORPUS / reader).iterdir())]


@pytest.mark.parametrize(("reader", "seed"), SEEDS)
def test_seed_is_read(reader: str, seed: str) -> None:
    """A reader raises where what it promises of any bytes does not hold."""
    READERS[reader]((CORPUS / reader / seed).read_bytes())


def test_each_directory_has_a_reader() -> None:
    """None is left out, and none is empty."""
    assert {place.name for place in CORPUS.iterdir()} == set(READERS) == {reader for reader, _ in SEEDS}
