"""What a command says harms nobody, whatever file it is about, and costs no exit code if nobody listens."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.runs.processes.outlets import printable
from conformance.selftest.support.commanding import SCRIPT, Ran, run, said, surroundings

EVIL = (
    "x\x1b]0;owned\x07\x9b2J\u202e\r\n::stop-commands::y\n ::error::z\n##vso[task.complete]\n##teamcity[a]\n"
)
HARM = re.compile(r"[^\n\t\x20-\x7e…·°]|^\s*::|##\w*\[", re.MULTILINE)
QUIET = ("variant:off-means-standby", "--level", "read", "--", "--no-renderings", "-k", "ChildLock")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a small run."""
    ran: Ran = run(tmp_path_factory.mktemp("good"), *QUIET)
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
@pytest.mark.parametrize("command", ["check", "plan"])
def test_profile_steers_nothing(command: str, fields: dict[str, str], tmp_path: Path) -> None:
    """Whatever text of a profile is evil, what is said of it is not."""
    (tmp_path / "x.toml").write_text(profile(**fields).replace("\na = 1", ""), encoding="utf-8")
    assert not HARM.search(said(command, str(tmp_path / "x.toml")).output)


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
    ended = said(*words.split())
    assert ended.output
    assert not HARM.search(ended.output)


CLOSED = [">&-", "2>&-", "<&-", ">&- 2>&- <&-", "2>&1 | true; exit ${PIPESTATUS[0]}"]


@pytest.mark.parametrize("redirection", CLOSED)
def test_closed_stream_changes_no_exit_code(redirection: str, tmp_path: Path) -> None:
    """Under cron, or where whoever read has gone, a run ends as it would otherwise: here with 1."""
    words = ("run", "mutant:booleans-as-words", "--level", "read", "--", "--no-renderings")
    ended = subprocess.run(
        ["bash", "-c", f'"$@" {redirection}', "bash", SCRIPT, *words[:4], "--out", "out", *words[4:]],
        cwd=tmp_path,
        env=surroundings(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert (ended.returncode, (tmp_path / "out" / "results.json").is_file()) == (1, True)


def test_output_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """A full disk is another thing: what was asked for is not there."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [SCRIPT, "catalog"], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (ended.returncode, ended.stderr) == (2, b"standard output: No space left on device\n")
