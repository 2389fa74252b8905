"""Where a run writes to, what it shows while it goes on, and the process that judges."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from io import StringIO
from itertools import chain, repeat
from pathlib import Path
from threading import Event, RLock, current_thread, main_thread
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from catalog.keys import SETPOINT
from conformance.checks.groups import guard_group
from conformance.mutants.registry import load_mutants
from conformance.runs.processes import progress
from conformance.runs.processes.outlets import printable
from conformance.runs.processes.progress import Progress
from conformance.selftest.support.commands import BARE, LIMIT_S, SCRIPT, command, running_first, surroundings
from conformance.selftest.support.judged_runs import begin, session_of
from conformance.selftest.support.ran import Ran

EVIL = (
    "x\x1b]0;owned\x07\x9b2J\u202e\r\n::stop-commands::y\n ::error::z\n##vso[task.complete]\n##teamcity[a]\n"
)
HARM = re.compile(r"[^\n\t\x20-\x7e…·°]|^\s*::|##\w*\[", re.MULTILINE)
QUIET = ("variant:off-means-standby", "--level", "read", "--", "--no-renderings", "-k", "ChildLock")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small run."""
    ran: Ran = command("run", *QUIET, directory=tmp_path_factory.mktemp("good"))
    return ran.out


def profile(**fields: str) -> str:
    """A profile with some texts."""
    texts = {
        "name": "hub",
        "base_url": "http://127.0.0.1:9",
        "ha_id": "a",
        "kind": "Oven",
        "key": "a",
    } | fields
    quoted = {name: json.dumps(text) for name, text in texts.items()}
    target = f"[target]\nname = {quoted['name']}\nbase_url = {quoted['base_url']}\n{quoted['key']} = 1\n"
    return f"{target}[[appliance]]\nha_id = {quoted['ha_id']}\nkind = {quoted['kind']}\n"


def altered(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Changes a file of JSON."""
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document), encoding="utf-8")


def test_text_is_made_harmless() -> None:
    """Nothing that steers a terminal or a build server comes through, and no line is without end."""
    assert not HARM.search(printable(EVIL))
    assert printable("TYPE-BOOLEAN::key@oven-1: 22 °C\n") == "TYPE-BOOLEAN::key@oven-1: 22 °C\n"
    assert len(printable("a" * 1_000_000)) < 2_100


PROFILES = [{field: EVIL} for field in ("name", "base_url", "ha_id", "kind", "key")]


@pytest.mark.parametrize("fields", PROFILES, ids=lambda fields: next(iter(fields)))
@pytest.mark.parametrize("verb", ["check", "plan"])
def test_profile_steers_nothing(verb: str, fields: dict[str, str], tmp_path: Path) -> None:
    """Whatever text of a profile is evil, what is said of it is not."""
    (tmp_path / "x.toml").write_text(profile(**fields).replace("\na = 1", ""), encoding="utf-8")
    assert not HARM.search(command(verb, str(tmp_path / "x.toml")).output)


WORDS = [
    *("diff good bad", "diff bad good", "report bad/results.json --format badge", "history . -o x.html"),
    *("merge bad good -o out", "judge bad/evidence.ndjson --out out", "verify bad/certificate.json"),
    *("restore bad/journal.ndjson", "run --failed --out bad"),
]


@pytest.mark.parametrize("words", WORDS)
def test_saved_run_steers_nothing(
    words: str, good: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does a text of a file of an earlier run."""
    for name in ("good", "bad"):
        shutil.copytree(good, tmp_path / name)
    bad = tmp_path / "bad"
    altered(bad / "results.json", lambda results: results.update({"level": EVIL, EVIL: EVIL}))
    if words.startswith(("diff", "history")):
        target = json.loads((good / "results.json").read_bytes())["target"] | {"name": EVIL}
        altered(bad / "results.json", lambda results: results.update(level="read", target=target))
    lines = (good / "evidence.ndjson").read_text(encoding="utf-8")
    seed = f'"seed":{json.dumps(EVIL)[:-1]}'
    (bad / "evidence.ndjson").write_text(lines.replace('"seed":"', seed), encoding="utf-8")
    for name in ("certificate.json", "journal.ndjson"):
        (bad / name).write_text(json.dumps({"schema": EVIL}) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ended = command(*words.split())
    assert ended.output
    assert not HARM.search(ended.output)


CLOSED = [
    '"$@" >&- 2>&- <&-',
    '"$@" 2>&1 | true; exit ${PIPESTATUS[0]}',
    'PYTHONUNBUFFERED=1 "$@" > /dev/full',
]


@pytest.mark.parametrize("line", CLOSED)
def test_stream_that_takes_nothing_changes_no_exit_code(line: str, tmp_path: Path) -> None:
    """Under cron, where whoever read has gone, or on a full disk, a run ends as it would: here with 1."""
    words = ("run", "mutant:booleans-as-words", "--level", "read", *BARE, "-k", "TYPE-BOOLEAN")
    ended = subprocess.run(
        ["bash", "-c", line, "bash", SCRIPT, *words[:4], "--out", "out", *words[4:]],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert (ended.returncode, (tmp_path / "out" / "results.json").is_file()) == (1, True)


# The progress of a run on standard error: one line on a terminal, a line for each phase elsewhere.
ERRORS_TO = """
import os

os.dup2(os.open({place!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOCTTY), 2)
"""
FEW = (*BARE, "-k", "ChildLock")


def ran_with_errors_to(place: str, directory: Path, *words: str) -> None:
    """A small run that conforms, with a file or a terminal as its standard error."""
    env = running_first(directory, ERRORS_TO.format(place=place))
    assert command("run", "variant:off-means-standby", *words, directory=directory, env=env).code == 0


def all_from(terminal: int) -> bytes:
    """What is written to a terminal until nobody has it open."""
    said = b""
    with suppress(OSError):  # a terminal nobody writes to any more ends in an error on Linux
        while part := os.read(terminal, 65536):
            said += part
    return said


def test_terminal_sees_one_line(tmp_path: Path) -> None:
    """On a terminal each phase takes the place of the one before, and the last one is erased."""
    ours, theirs = pty.openpty()
    with ThreadPoolExecutor() as pool:
        reading = pool.submit(all_from, ours)
        try:
            ran_with_errors_to(os.ttyname(theirs), tmp_path, *FEW)
        finally:
            os.close(theirs)
    os.close(ours)
    said = reading.result().decode()
    drawn = [part.partition("  ")[0] for part in said.partition("\n")[0].split("\r\x1b[K")]
    assert [phase for phase in dict.fromkeys(drawn) if phase] == ["reading", "writing", "judging"]


def test_file_sees_a_line_for_each_phase(tmp_path: Path) -> None:
    """Off a terminal nothing is drawn: each phase is one line, as it begins."""
    ran_with_errors_to(str(tmp_path / "errors"), tmp_path, "--level", "read", *FEW)
    lines = (tmp_path / "errors").read_text(encoding="utf-8").splitlines()
    assert [line.split("  ")[0] for line in lines] == ["reading", "judging"]


class Heard(StringIO):
    """What is said of progress; `by_another` is set where a thread of its own says something."""

    def __init__(self) -> None:
        super().__init__()
        self.by_another = Event()

    def write(self, text: str) -> int:
        length = super().write(text)
        if current_thread() is not main_thread():
            self.by_another.set()
        return length

    def wait_for_news(self) -> None:
        """Until something is said twice: the first time it may be what was so before."""
        for _ in range(2):
            self.by_another.clear()
            assert self.by_another.wait(LIMIT_S)


@pytest.fixture
def ten_minutes(monkeypatch: pytest.MonkeyPatch) -> None:
    """So much time has passed whenever somebody looks after a phase has begun."""
    moments = chain([0.0], repeat(600.0))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(moments)))


@pytest.mark.usefixtures("ten_minutes")
def test_phase_that_lasts_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Off a terminal a line tells again and again how much is done, and how long the rest takes at most."""
    monkeypatch.setattr(sys, "stderr", heard := Heard())
    with Progress(every_s=0.05).writing({"oven-1": 3, "hood-1": 2}) as advance:
        advance("oven-1", guard_group(SETPOINT), 2)
        heard.wait_for_news()
    first, *_, last = heard.getvalue().splitlines()
    assert first == "writing  2 appliances, at most 5 procedures"
    assert last == "writing  2 of at most 5, at most 15 min left"


@pytest.mark.usefixtures("ten_minutes")
def test_terminal_shows_what_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """The count stands first, the key is named by its last segment, and the line is no longer than it may."""
    monkeypatch.setattr(sys, "stderr", heard := Heard())
    monkeypatch.setenv("COLUMNS", "100")
    with Progress(is_drawn=True).writing({"FRIDGE-0001": 191}) as advance:
        advance("FRIDGE-0001", guard_group(SETPOINT), 10)
        heard.wait_for_news()
    (drawn,) = {line for line in heard.getvalue().split("\r\x1b[K") if line.startswith("writing  10")}
    told = "writing  10 of at most 191, at most 181 min left  FRIDGE-0001 guard SetpointTemp"
    assert drawn.startswith(told)
    assert len(drawn) < 100


def test_finding_stands_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal, above what is drawn, and elsewhere alike; nothing in it steers the terminal."""
    monkeypatch.setattr(sys, "stderr", told := StringIO())
    for is_drawn in (True, False):
        with (phases := Progress(is_drawn=is_drawn)).writing({"oven-1": 3}):
            phases.finding("TYPE-BOOLEAN::Lock@oven-1: value is [bold]\x1b[2J\nand more")
    said = told.getvalue().replace("\r\x1b[K", "\n").splitlines()
    lines = [line for line in said if line.startswith("finding")]
    assert len(lines) == 2
    assert lines[0] == lines[1]
    assert "\x1b" not in lines[0]


class _Slow(Heard):
    """A terminal that is slow: where a line was erased first, another one is drawn, or has to wait."""

    has_erased = False

    def write(self, text: str) -> int:
        length = super().write(text)
        if current_thread() is main_thread() and text == "\r\x1b[K" and not self.has_erased:
            self.has_erased = True
            self.by_another.clear()
            assert self.by_another.wait(LIMIT_S)
        return length


class _Told:
    """The lock of what is drawn, which tells of whoever has to wait for it."""

    def __init__(self, heard: Heard) -> None:
        self._heard, self._lock = heard, RLock()

    def __enter__(self) -> None:
        if not self._lock.acquire(blocking=False):
            self._heard.by_another.set()
            self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_no_line_is_drawn_into_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is drawn all the time stands before or after a finding, never in the line of it."""
    monkeypatch.setattr(sys, "stderr", told := _Slow())
    monkeypatch.setattr(phases := Progress(is_drawn=True), "_lock", _Told(told))
    with phases.writing({"oven-1": 3}):
        phases.finding("value is 5")
    assert "\r\x1b[Kfinding  value is 5\n" in told.getvalue()


@pytest.mark.parametrize(
    ("name", "phases"),
    [("unit-by-its-own-key", ["finding", "writing"]), ("acknowledged-and-dropped", ["writing", "finding"])],
)
def test_finding_is_told_once_it_is_certain(name: str, phases: list[str], tmp_path: Path) -> None:
    """What reads show before anything is written, what writes show as soon as they do, each clause once."""
    (mutant,) = (one for one in load_mutants() if one.name == name)
    told: list[tuple[str, str]] = []

    def writing(_lanes: Mapping[str, int]) -> nullcontext[Mock]:
        told.append(("writing", ""))
        return nullcontext(Mock())

    def finding(words: str) -> None:
        told.append(("finding", words))

    with session_of(mutant.service(), tmp_path, "write") as session:
        begin(session)
        session.write(Mock(writing=writing, finding=finding))
    assert [phase for phase, _ in told] == phases
    assert any(words.startswith(f"{mutant.clause}::") for _, words in told)
