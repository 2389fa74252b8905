"""The commands that are compared: those of the suite, and those that people would use instead."""

import shutil
import sys
from pathlib import Path

from conformance.benchmarks import peers
from conformance.benchmarks.measuring import Spent, spend
from conformance.benchmarks.serving import ENTRIES, Server
from conformance.checks.exchange import Exchange
from conformance.harness.ledger import read_ledger
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import Results
from reports.results.file import RESULTS_FILE, load_results

_SCRIPTS = Path(sys.executable).parent
_PEERS = Path(peers.__file__).parent
JUNIT = "schemathesis.xml"
JUDGED = (0, 1)
"""The exit codes of whoever has come to a verdict, good or bad."""
_BARE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
_EMPTY = """import pytest

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""


def run_suite(server: Server, level: str = "read") -> Spent:
    """A run of the suite with all its files, in the directory `out`."""
    words = [str(_SCRIPTS / "appliance-conformance"), "run", str(server.profile_file), "--level", level]
    return spend([*words, f"--out={_out(server)}"], server.here, codes=JUDGED)


def run_shard(server: Server, count: int, index: int) -> Spent:
    """One of the shards of a campaign at level read, in a directory of its own."""
    words = [str(_SCRIPTS / "appliance-conformance"), "run", str(server.profile_file), "--level", "read"]
    words += [f"--shard={index}/{count}", f"--out={server.here / f'shard-{index}'}"]
    return spend(words, server.here, codes=JUDGED)


def merge_shards(server: Server, count: int) -> Spent:
    """The run that is made of the shards of a campaign, with all its files, in the directory `merged`."""
    words = [str(_SCRIPTS / "appliance-conformance"), "merge", f"--out={server.here / 'merged'}"]
    words += [str(server.here / f"shard-{index}") for index in range(1, count + 1)]
    return spend(words, server.here, codes=JUDGED)


def judge_again(server: Server) -> Spent:
    """The ledger of the last run again: every case is judged, and results.json the only file written."""
    words = [str(_SCRIPTS / "appliance-conformance"), "judge", str(_out(server) / LEDGER_FILE)]
    return spend([*words, f"--out={_out(server)}", "--", "--no-renderings"], server.here, codes=JUDGED)


def results_of(server: Server) -> Results:
    """The results of the last run."""
    return load_results(_out(server) / RESULTS_FILE)


def exchanges_of(server: Server) -> list[Exchange]:
    """The exchanges of the last run."""
    return read_ledger(_out(server) / LEDGER_FILE).exchanges


def run_peer(server: Server, name: str, *, bare: bool = False) -> Spent:
    """A run of a hand-written suite, `reads` or `writes`.

    A `bare` one goes without the plugins of pytest that are installed beside this suite, and which cost it
    two seconds.
    """
    directory = server.here / name
    directory.mkdir(exist_ok=True)
    shutil.copy(_PEERS / f"{name}.py", directory / f"test_{name}.py")
    words = [sys.executable, "-m", "pytest", "-q", f"test_{name}.py"]
    return spend(words, directory, {"ENTRIES": str(server.here / ENTRIES), **(_BARE if bare else {})})


def run_empty_tests(here: Path, count: int) -> Spent:
    """Pytest on so many parametrized tests without a body."""
    (here / "test_empty.py").write_text(_EMPTY.format(count=count), encoding="utf-8")
    return spend([sys.executable, "-m", "pytest", "-q", "test_empty.py"], here, _BARE)


def run_schemathesis(server: Server, document: Path) -> Spent:
    """Schemathesis' command line on an OpenAPI document."""
    words = [str(_SCRIPTS / "schemathesis"), *schemathesis_words(document, server.base_url)]
    return spend(words, server.here, codes=JUDGED)


def schemathesis_words(document: Path, base_url: str) -> list[str]:
    """The arguments of schemathesis' command: ten examples an operation, all checks.

    What it finds is in the file JUNIT beside the document.
    """
    words = ["run", str(document), "--url", base_url, "--checks=all", "--max-examples=10", "--seed=1"]
    words += ["--generation-database=none", "--report=junit"]
    return [*words, f"--report-junit-path={document.parent / JUNIT}"]


def _out(server: Server) -> Path:
    return server.here / "out"
