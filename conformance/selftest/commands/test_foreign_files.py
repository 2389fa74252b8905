"""A file of anybody, whatever it holds, ends each command with its code and one line."""

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

import pytest

from conformance.files import foreign_files
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import (
    LIMIT_S,
    command,
)
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.rows import drawn

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
