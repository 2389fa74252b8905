"""Trouble of any kind, of target, suite or secrets, or a file of anybody, ends a command with its code and a
line.
"""

import gzip
import os
import re
import resource
import shutil
import signal
from collections.abc import Generator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from xml.etree import ElementTree as ET

import pytest

from conformance.files import foreign_files
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import (
    BARE,
    FRIDGE,
    LIMIT_S,
    command,
    running_first,
    without_masking,
)
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.raw_server import AUTH, always, http, raw_server, write_profile
from conformance.selftest.support.rows import drawn
from reports.formats.summary import VARIABLE

DOWN = "http://127.0.0.1:9"
CRASHING = """
from conformance.checks.reads import value_types

def _crash(*_):
    raise ZeroDivisionError("ours")

value_types.assert_of_its_type = _crash
"""
HIDING = 'import sys\n\nsys.modules["conformance.test_units"] = None\n'
SELECTED = ("variant:off-means-standby", "--level", "read", *BARE, "-k", "ChildLock")


NOBODY = {
    "http://staging.invalid": "the host name staging.invalid is not known here",
    DOWN: "nothing listens at 127.0.0.1:9",
}


@pytest.fixture(scope="module")
def unheard(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ran]:
    """Runs at addresses where nobody is, in which what cannot be judged is to be red."""
    words = (*FRIDGE, "--appliance", "hood-1:Hood", "--junit-inconclusive", "failure")
    place = tmp_path_factory.mktemp("unheard")
    return {
        base_url: command("run", "--base-url", base_url, *words, directory=place / str(number))
        for number, base_url in enumerate(NOBODY)
    }


@pytest.mark.parametrize("base_url", NOBODY)
def test_target_that_is_not_there_is_asked_three_times(base_url: str, unheard: dict[str, Ran]) -> None:
    """Nobody waits a minute to hear that a name is wrong, and the reason is all that is said."""
    ran = unheard[base_url]
    said = [line for line in ran.output.splitlines() if line and not line.startswith(("reading", "judging"))]
    assert (ran.code, sum("request" in line for line in ran.evidence)) == (3, 3)
    assert said[0].startswith("Nothing could be judged: ")
    assert NOBODY[base_url] in said[1]
    assert [line.partition(":")[0] for line in said[2:]] == ["report"]
    assert not {verdict for verdict, _ in ran.verdicts.values()} & {"pass", "fail", "error"}


def test_profile_of_another_run_is_kept_and_named(tmp_path: Path) -> None:
    """A run with --base-url writes its own beside the results, where somebody may have edited an earlier one:
    each of them is kept, once. A run with a file leaves what is there.
    """
    words = ("run", *FRIDGE, "--base-url", DOWN, *BARE)
    used = command(*words, directory=tmp_path).out / "profile.toml"
    before, said = used.read_text(encoding="utf-8"), "profile.toml held another profile"
    for text, is_told in (("# mine", True), ("# mine, too", True), ("# mine", True), (before, False)):
        used.write_text(text, encoding="utf-8")
        assert (said in command(*words, directory=tmp_path).output) is is_told
    kept = {path.name: path.read_text(encoding="utf-8") for path in used.parent.glob("*.toml")}
    others = {"profile.before.toml": "# mine", "profile.before-2.toml": "# mine, too"}
    assert kept == {"profile.toml": before, **others}
    (tmp_path / "hub.toml").write_text(before, encoding="utf-8")
    for target, is_told in {"hub.toml": True, str(used): False}.items():
        ran = command("run", target, *BARE, directory=tmp_path)
        assert ("profile.toml is of another run: this one uses hub.toml" in ran.output) is is_told


def test_undecided_can_be_written_as_failures(unheard: dict[str, Ran], tmp_path: Path) -> None:
    """What could not be judged is red only where that is wanted; the ledger, judged again, says no more."""
    ran = unheard[DOWN]
    again = command("judge", str(ran.out / "evidence.ndjson"), directory=tmp_path)
    assert (again.code, again.verdicts) == (3, ran.verdicts)
    undecided = [verdict for verdict, _ in ran.verdicts.values()].count("inconclusive")
    reds = [len(ET.parse(one.out / "junit.xml").findall(".//testcase/failure")) for one in (ran, again)]
    assert reds == [undecided + 1, 0]


def test_check_that_crashes_is_an_error(tmp_path: Path) -> None:
    """What its cases end with is no verdict on the target, and the run is at fault; others are judged."""
    ran = command("run", *SELECTED, directory=tmp_path, env=running_first(tmp_path, CRASHING))
    case = "TYPE-BOOLEAN::Vendor.Common.Setting.ChildLock@oven-1"
    assert (ran.code, ran.verdicts[case]) == (5, ("error", "ZeroDivisionError: ours"))
    assert "pass" in {verdict for verdict, _ in ran.verdicts.values()}


def test_module_that_cannot_be_collected_is_a_fault(tmp_path: Path) -> None:
    """A module that hides its cases is a fault of the run."""
    ran = command("run", *SELECTED, directory=tmp_path, env=running_first(tmp_path, HIDING))
    assert (ran.code, "test_units.py: cannot be collected" in str(ran.results["faults"])) == (5, True)


TOKEN = {"HUB_TOKEN": "opensesame"}
NAMED = ("--", "-k", "not opensesame")
"""What follows -- stands in the results; here it holds the secret."""


def test_secret_in_an_output_is_the_suites_own_fault(tmp_path: Path) -> None:
    """Where masking is broken, a secret in the files ends the run with 5; the page of a job shows nothing."""
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    page = tmp_path / "page"
    env = {**TOKEN, VARIABLE: str(page), **without_masking(tmp_path)}
    ran = command("run", str(profile), *NAMED, directory=tmp_path, env=env)
    assert (ran.code, page.exists()) == (5, False)
    told = [fault["text"] for fault in ran.results["faults"] if fault["kind"] == "leaked"]
    assert {"results.json holds ${HUB_TOKEN}", "report.html holds ${HUB_TOKEN}"} <= {*told}
    assert "a secret is in an output: report.html holds ${HUB_TOKEN}" in ran.output


def test_secret_on_the_command_line_is_masked(tmp_path: Path) -> None:
    """With masking, the same run is inconclusive, as any target that is down; it asks all keys of a kind that
    the document does not name, and says so.
    """
    profile = write_profile(tmp_path / "hub.toml", DOWN, more=AUTH)
    profile.write_text(profile.read_text().replace('"Refrigerator"', '"FridgeFreezer"'))
    ran = command("run", str(profile), *NAMED, directory=tmp_path, env=TOKEN)
    assert (ran.code, ran.results["faults"]) == (3, [])
    assert "not ${HUB_TOKEN}" in ran.results["argv"]
    assert "kind FridgeFreezer is none of the six" in ran.output


def test_granted_token_that_cannot_be_kept_ends_the_run(tmp_path: Path) -> None:
    """A token that cannot be masked ends a run with 5 before anything is judged, and stands in no file."""
    with raw_server(always(http(200, b'{"access_token": "tiny-1"}'))) as issuer:
        oauth2 = f'token_url = "{issuer.base_url}/token", client_id = "me", client_secret = "${{HUB_TOKEN}}"'
        profile = write_profile(tmp_path / "hub.toml", DOWN, more=f"[auth]\noauth2 = {{ {oauth2} }}\n")
        ran = command("run", str(profile), directory=tmp_path, env=TOKEN)
    says = "grants a token that cannot be kept: ACCESS_TOKEN has fewer than 8 characters"
    assert (ran.code, ran.verdicts, says in str(ran.results["faults"])) == (5, {}, True)
    assert not [file.name for file in ran.out.iterdir() if b"tiny-1" in file.read_bytes()]


# A file of anybody, whatever it holds, is refused.
LONG = 200_000_000
SECONDS = 10
"""Of a processor, however many share it; whoever only waits may do so for LIMIT_S."""
MOST_LINES, LONGEST = 25, 2_000
MEMORY = 300_000_000
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
ATTACKS = {
    "nested": lambda: b"[" * 3_000_000 + b"\n",
    "nested table": lambda: b'{"a":' * 1_000_000 + b"\n",
    "nested fields": lambda: b"a." * 1_000_000 + b"a = 1\n",
    "columns": lambda: b"a," * 1_000_000 + b"\n",
    "random": lambda: Random(7).randbytes(100_000),
    "line": lambda: b'{"schema": "' + b"a" * LONG + b'"}\n',
    "bomb": lambda: gzip.compress(b'{"schema": "') + 60 * gzip.compress(b" " * (LONG // 20), 1) + b"\n",
}
"""Contents of files, by what is wrong with them."""
DEVICES = ("pipe", "/dev/zero", "directory")
ROLES = {
    "check FILE": "x.toml",
    "plan FILE": "x.toml",
    "run FILE --out OUT": "x.toml",
    "init -o FILE": "x.toml",
    "check csv.toml": "fleet.csv",
    "check ndjson.toml": "fleet.ndjson",
    "init -o csv.toml": "fleet.csv",
    "run --baseline FILE --out OUT": "old.json",
    "judge FILE --out OUT": "ledger.ndjson",
    "judge good/evidence.ndjson --profile FILE --out OUT": "x.toml",
    "judge good/evidence.ndjson --baseline FILE --out OUT": "old.json",
    "judge good/evidence.ndjson --out out": "out/journal.ndjson",
    "merge part -o OUT": "part/evidence.ndjson",
    "report FILE --format html -o OUT": "results.json",
    "report part/results.json --format html -o OUT": "part/evidence.ndjson",
    "report part/results.json --format har -o OUT": "part/evidence.ndjson",
    "report part/results.json --format markdown -o OUT": "part/journal.ndjson",
    "report part/results.json --format markdown -o OUT/x": "part/changes.json",
    "report part/results.json --format html -o OUT/x": "part/certificate.json",
    "diff FILE good -o OUT": "old.json",
    "diff good FILE -o OUT": "new.json",
    "diff part good -o OUT": "part/evidence.ndjson",
    "history kept -o OUT": "kept/a/results.json",
    "history kept -o OUT/x": "kept/a/results.json.gz",
    "history part -o OUT": "part/changes.json",
    "verify FILE": "certificate.json",
    "verify part/certificate.json": "part/evidence.ndjson",
    "verify good/certificate.json --public-key FILE": "key.pem",
    "verify part/certificate.json --public-key own.pub": "part/certificate.intoto.jsonl",
    "run --certify --sign FILE --out OUT": "key.pem",
    "restore FILE": "journal.ndjson",
    "run reference --out out": "out/journal.ndjson",
    "run --failed --out out": "out/results.json",
}
"""Commands, each with the place of the file among its words, or beside one that is named there."""
BESIDE = {"changes.json", "certificate.json", "evidence.ndjson", "journal.ndjson"}
"""What is looked for beside results, and shown only where it belongs to them."""
LOOKING = {"report", "diff", "history"}


@pytest.fixture(scope="module")
def attacks(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file for each attack."""
    directory = tmp_path_factory.mktemp("attacks")
    paths = {name: directory / f"{number}" for number, name in enumerate([*ATTACKS, "pipe", "directory"])}
    for name, content in ATTACKS.items():
        paths[name].write_bytes(content())
    os.mkfifo(paths["pipe"])
    paths["directory"].mkdir()
    return {**paths, "/dev/zero": Path("/dev/zero")}


@contextmanager
def bounded() -> Generator[None]:
    """In which no more than so many seconds pass, and no more than so much memory is added."""

    def end(_number: int, _frame: object) -> None:
        raise TimeoutError(f"takes longer than {SECONDS} seconds")

    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    before, most = resource.getrlimit(resource.RLIMIT_AS)
    earlier = [signal.signal(number, end) for number in (signal.SIGALRM, signal.SIGPROF)]
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY, most))
    signal.alarm(LIMIT_S)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (before, most))
        signal.signal(signal.SIGALRM, earlier[0])
        signal.signal(signal.SIGPROF, earlier[1])


@pytest.fixture
def prepared(certified: Ran, keys: Path, tmp_path: Path) -> Path:
    """A directory with what the commands are given beside the file that is attacked."""
    appliance = '[[appliance]]\nha_id = "a"\nkind = "Oven"\n'
    for name, more in (
        ("csv", '[fleet]\nfile = "fleet.csv"\n'),
        ("ndjson", '[fleet]\nfile = "fleet.ndjson"\n'),
    ):
        target = '[target]\nname = "hub"\nbase_url = "https://127.0.0.1:9"\n'
        (tmp_path / f"{name}.toml").write_text(target + more + appliance, encoding="utf-8")
    shutil.copytree(certified.out, tmp_path / "good")
    shutil.copytree(certified.out, tmp_path / "part")
    shutil.copy(keys / "own.pub", tmp_path)
    return tmp_path


TELLING = ("nested", "pipe")
"""What whoever reads a file by other means than its bounds breaks on, or waits for."""
TRIED = [
    *product(ROLES, TELLING),
    *drawn([*product(ROLES, [one for one in (*ATTACKS, *DEVICES) if one not in TELLING])], 44),
]


@pytest.mark.parametrize(("line", "attack"), TRIED)
def test_no_file_ends_a_command_otherwise(
    line: str, attack: str, prepared: Path, attacks: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is refused in a line that names it, in bounded time and memory."""
    place = ROLES[line]
    name = prepared / place
    name.parent.mkdir(parents=True, exist_ok=True)
    name.unlink(missing_ok=True)
    name.symlink_to(attacks[attack])
    monkeypatch.chdir(prepared)
    with bounded():
        ended = command(*(place if word == "FILE" else word for word in line.split()))
    told = ended.output.strip().splitlines()
    if name.name in BESIDE and line.split(maxsplit=1)[0] in LOOKING and ended.code == 0:
        return
    assert ended.code == 2, ended.output[-2_000:]
    assert name.name in ended.output
    assert len(told) <= MOST_LINES
    assert max(map(len, told)) < LONGEST


def test_bounds_are_those_that_users_are_told() -> None:
    """SECURITY.md has a row for each kind of file."""
    text = (ROOT / ".github" / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| (\d+) (.iB) \| (\d+) (.iB) \|$", text, re.MULTILINE)
    told = {
        name: (int(whole) * UNITS[of_whole], int(line) * UNITS[of_line])
        for name, whole, of_whole, line, of_line in rows
    }
    kinds = [kind for kind in vars(foreign_files).values() if isinstance(kind, foreign_files.FileKind)]
    assert told == {kind.name: (kind.whole, kind.line) for kind in kinds}
