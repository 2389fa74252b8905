"""The plug-in of pytest judges what a user's own tests exchange: as the guide says, and what is kept."""

import asyncio
import gzip
import json
import re
import shlex
import sys
from collections.abc import Callable, Generator, Iterable
from pathlib import Path
from typing import Any

import httpcore
import httpx
import pytest
import requests
from appliance_conformance_clients import recording
from appliance_conformance_recording import LONGEST, Record

from conformance.mutants.hostile.model import Asked, Ending, Piece
from conformance.selftest.support import ROOT
from conformance.selftest.support.commands import SCRIPT, command, forked_script, program, running_first
from conformance.selftest.support.forking import RUN_FIRST
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.raw_server import http, raw_server

GUIDE = (ROOT / ".github" / "guides" / "own-tests.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^pytest .*$", GUIDE, re.MULTILINE)
PROFILE = (ROOT / ".github" / "examples" / "hub.toml").read_text(encoding="utf-8")
LOCK = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock"
SECRET = "s3cr3t-of-a-test"
Project = Callable[[str], Path]


@pytest.fixture
def project(tmp_path: Path) -> Generator[Project]:
    """Makes a directory with the examples and the profile of the guide; its server's lock shows a value."""
    value = "false"

    def answer(_asked: Asked) -> list[Piece]:
        key = "Vendor.Common.Setting.ChildLock"
        return [http(200, f'{{"data": {{"key": "{key}", "value": {value}}}}}'.encode())]

    with raw_server(answer) as raw:

        def make(shown: str) -> Path:
            nonlocal value
            value = shown
            for number, text in enumerate([*EXAMPLES, PROFILE]):
                name = f"test_{number}.py" if text in EXAMPLES else "hub.toml"
                (tmp_path / name).write_text(text.replace("http://127.0.0.1:8000", raw.base_url))
            return tmp_path

        yield make


FORKING = """
import os, subprocess
from pathlib import Path

del os.environ[{first!r}]
started = subprocess.run

def run(command, *, cwd, input, **how):
    Path(cwd, "asked.ndjson").write_text(input)
    words = ["asked.ndjson" if word == "-" else word for word in command[4:]]
    return started([{script!r}, *words], cwd=cwd, **how)

subprocess.run = run
"""
"""What has the plug-in ask for forked commands instead of starting the suite twice a session."""


@pytest.fixture(scope="module")
def forking() -> Generator[str]:
    """The same, for a module."""
    with forked_script() as place:
        yield FORKING.format(first=RUN_FIRST, script=str(place / Path(SCRIPT).name))


def users_pytest(directory: Path, *words: str, forking: str = "") -> Ran:
    """The user's pytest, in a directory of theirs, with this plug-in and that of `-n`.

    All that are installed here would cost each start two seconds.
    """
    plugins = ["-p", "appliance_conformance_plugin", *(["-p", "xdist"] if "-n2" in words else [])]
    bare = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    first = running_first(directory, forking) if forking else {}
    return command("-m", "pytest", "-q", *plugins, *words, directory=directory, env=bare | first)


def cases_in(out: Path) -> list[tuple[str, str, str]]:
    """The id, verdict and finding of every case of a run."""
    cases = json.loads((out / "results.json").read_bytes())["cases"]
    return [(case["id"], case["verdict"], case["message"]) for case in cases]


@pytest.mark.parametrize("line", COMMANDS)
def test_examples_are_judged(forking: str, project: Project, line: str) -> None:
    """Each command of the guide ends well where the lock is as it should be; both tests pass."""
    directory = project("false")
    base_url = (directory / "hub.toml").read_text().partition('base_url = "')[2].partition('"')[0]
    words = shlex.split(line.replace("http://127.0.0.1:8000", base_url))
    ran = users_pytest(directory, *words[1:], forking=forking)
    assert "2 passed" in ran.output
    assert (ran.code, "judged: 2 exchanges" in ran.output) == (0, True), ran.output


@pytest.mark.parametrize(("more", "code"), [(("--judge-report-only",), 0), (("-n2",), 1)])
def test_finding_fails_the_session(forking: str, project: Project, more: Iterable[str], code: int) -> None:
    """Though every test passes, unless that is not wanted; processes of xdist record as well."""
    directory = project('"false"')
    for path in directory.glob("test_*.py"):
        path.write_text(path.read_text().replace(" is False", ' == "false"'))
    ran = users_pytest(directory, "--judge-target", "hub.toml", *more, forking=forking)
    assert "2 passed" in ran.output
    assert (ran.code, 'value is "false" (string), document says Boolean' in ran.output) == (code, True)


def test_verdicts_are_those_of_judge(project: Project) -> None:
    """The same exchanges in a file come to the same; what was secret in them is in no file of the session."""
    directory = project('"false"')
    base_url = re.findall('base_url = "(.*)"', (directory / "hub.toml").read_text())[0]
    asking = f"""import requests


def test_lock():
    for _ in range(3):
        requests.get("{base_url}{LOCK}?token={SECRET}", headers={{"X-Token": "{SECRET}"}}, timeout=60)
"""
    (directory / "test_own.py").write_text(asking)
    with recording(base_url) as record:
        exec(compile(f"{asking}\n\ntest_lock()\n", "test_own.py", "exec"), {})
    (directory / "capture.ndjson").write_text("\n".join(record.lines))
    ran = users_pytest(directory, "test_own.py", "--judge-target", "hub.toml", "--judge-out", "own")
    words = ("judge", "capture.ndjson", "--profile", "hub.toml", "--out", "judged")
    assert (ran.code, command(*words, directory=directory).code) == (1, 1)
    assert cases_in(directory / "own") == cases_in(directory / "judged")
    written = [path for path in (directory / "own").iterdir() if path.is_file()]
    assert [path for path in written if SECRET in path.read_text(errors="replace")] == []


@pytest.mark.parametrize(
    ("target", "code", "said"),
    [
        ("http://127.0.0.1:9", 1, "2 of 2 requests went to http://127.0.0.1:"),
        ("none.toml", 4, "--judge-target none.toml: "),
        ("wrong.toml", 4, "target.produce: no such field"),
        ("other.toml", 1, "left out: 2 of an appliance that the profile does not name"),
    ],
)
def test_nothing_that_was_judged_is_no_pass(
    forking: str, project: Project, target: str, code: int, said: str
) -> None:
    """A target that nobody asks, a profile that is not there, is wrong, or is about another appliance."""
    directory = project("false")
    own = (directory / "hub.toml").read_text()
    (directory / "wrong.toml").write_text(own.replace("product", "produce"))
    (directory / "other.toml").write_text(own.replace("hood-1", "hood-2"))
    ran = users_pytest(directory, "--judge-target", target, forking=forking)
    assert (ran.code, said in ran.output) == (code, True), ran.output


def test_target_that_cannot_be_reached_is_no_pass(forking: str, tmp_path: Path) -> None:
    """What was not answered is counted; a client that asks nothing is told of the other way."""
    (tmp_path / "test_own.py").write_text("def test_nothing():\n    pass\n")
    ran = users_pytest(tmp_path, "--judge-target", "http://127.0.0.1:9", forking=forking)
    assert (ran.code, "appliance-conformance record" in ran.output) == (1, True), ran.output
    (tmp_path / "test_own.py").write_text(
        "import httpx\nimport pytest\n\ndef test_refused():\n    with pytest.raises(httpx.ConnectError):\n"
        "        httpx.get('http://127.0.0.1:9/x')\n"
    )
    ran = users_pytest(tmp_path, "--judge-target", "http://127.0.0.1:9", forking=forking)
    assert (ran.code, "not recorded: 1 without an answer: ConnectError" in ran.output) == (1, True)


def test_plugin_does_nothing_unless_asked(tmp_path: Path) -> None:
    """It is there wherever the suite is installed, and imports no room of it, nor what records, nor httpx."""
    (tmp_path / "test_own.py").write_text(
        "import sys\n\ndef test_imports():\n"
        "    assert 'appliance_conformance_plugin' in sys.modules\n"
        "    own = {f'appliance_conformance_{name}' for name in ('clients', 'recording')}\n"
        "    rooms = {'catalog', 'conformance', 'reports', 'httpx', *own}\n"
        "    assert not rooms & {name.partition('.')[0] for name in sys.modules}\n"
    )
    others = ("-p", "no:schemathesis", "-p", "no:hypothesispytest")  # which would take a second
    ran = program(sys.executable, "-m", "pytest", "-q", *others, directory=tmp_path)
    assert (ran.code, "appliance conformance" in ran.output) == (0, False), ran.output


# What clients of httpx and requests exchange with a target is kept, whole, and nothing else is.
BODY = b'{"data": {"value": true}}'


def answer(asked: Asked) -> list[Piece]:
    """An answer of the sort that the query of a request names."""
    body = gzip.compress(b" " * 50 * LONGEST) if asked.request.query == "bomb" else BODY
    answers: dict[str, list[Piece]] = {
        "gzip": [http(200, gzip.compress(BODY), Content_Encoding="gzip")],
        "bomb": [http(200, body, Content_Encoding="gzip")],
        "odd": [http(200, BODY, Content_Encoding="rot13")],
        "long": [http(200, b" " * (LONGEST + 1))],
        "events": [http(200, b"data: 1\n\n", Content_Type="text/event-stream")],
        "same": [http(304)],
        "bytes": [http(200, b"\xff\xfe")],
        "cut": [http(200, BODY)[:-3], Ending.CLOSE],
        "none": [Ending.RESET],
    }
    return answers.get(asked.request.query, [http(200, BODY)])


@pytest.fixture
def record() -> Generator[Record]:
    """A record of a server with such answers, as long as a test lasts."""
    with raw_server(answer) as raw, recording(f"{raw.base_url}/v1") as record:
        yield record


def kept(record: Record) -> list[dict[str, Any]]:
    """What was recorded."""
    return [json.loads(line) for line in record.lines]


def test_each_client_is_recorded(record: Record) -> None:
    """Those of httpx, also asynchronous ones, and of requests; with what was sent."""

    async def ask(url: str) -> None:
        async with httpx.AsyncClient(timeout=60) as client:
            await client.put(url, json={"data": 1})

    url = f"{record.base_url}{LOCK}"
    httpx.put(url, json={"data": 1}, timeout=60)
    asyncio.run(ask(url))
    requests.put(url, data='{"data":1}', timeout=60)
    for line in kept(record):
        assert (line["request"]["method"], line["request"]["url"]) == ("PUT", url)
        assert line["request"]["body"] == '{"data":1}'
        assert (line["response"]["status"], line["response"]["body"]) == (200, BODY.decode())
    assert len(record.lines) == 3


@pytest.mark.parametrize("get", [httpx.get, requests.get], ids=["httpx", "requests"])
def test_packed_answer_is_kept_unpacked(record: Record, get: Any) -> None:
    """And bytes that are no text as base64."""
    get(f"{record.base_url}{LOCK}?gzip", timeout=60)
    get(f"{record.base_url}{LOCK}?bytes", timeout=60)
    packed, raw = (line["response"] for line in kept(record))
    assert packed["body"] == BODY.decode()
    assert (raw["body"], raw["body_encoding"]) == ("//4=", "base64")


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("bomb", "longer than"),
        ("long", "longer than"),
        ("odd", "in an encoding that is not undone here: rot13"),
        ("events", "that are streams of events"),
        ("same", "not modified"),
        ("cut", "not read to the end"),
        ("none", "without an answer: "),
    ],
)
def test_what_is_no_evidence_is_counted(record: Record, query: str, why: str) -> None:
    """With the reason; the client notices nothing."""
    try:
        httpx.get(f"{record.base_url}{LOCK}?{query}", timeout=60)
    except httpx.TransportError:
        assert query in {"cut", "none"}
    assert record.lines == []
    assert [(found.startswith(why), count) for found, count in record.left.items()] == [(True, 1)]


def test_answer_that_is_read_in_part_is_not_kept(record: Record) -> None:
    """What the client has not seen, nobody has; and requests is not made to read what it streams."""
    url = f"{record.base_url}{LOCK}"
    with httpx.stream("GET", url, timeout=60):
        pass
    with requests.get(url, stream=True, timeout=60) as answered:
        assert answered.content == BODY
    with httpx.stream("GET", url, timeout=60) as streamed:
        streamed.read()
    assert (len(record.lines), record.left) == (1, {"not read to the end": 1, "read piece by piece": 1})


def test_other_addresses_are_counted(record: Record) -> None:
    """Another path, or another name of the host, is not that of the target."""
    origin = record.base_url.removesuffix("/v1")
    httpx.get(f"{origin}/v10{LOCK}", timeout=60)
    assert (record.lines, record.left, record.elsewhere) == ([], {}, {origin: 1})


def test_answer_of_a_mock_is_no_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it stands in for the transport or for the network below; an application in this process is."""

    def app(_environ: Any, start: Any) -> list[bytes]:
        start("200 OK", [("Content-Type", "application/json")])
        return [BODY]

    def mocked(_pool: object, _request: object) -> httpcore.Response:
        return httpcore.Response(200, content=b"mocked")

    monkeypatch.setattr(httpcore.ConnectionPool, "handle_request", mocked)
    base_url = "http://hub.test"
    mock = httpx.MockTransport(lambda _: httpx.Response(200))
    with recording(base_url) as record:
        for transport in (mock, httpx.HTTPTransport(), httpx.WSGITransport(app)):
            with httpx.Client(transport=transport, base_url=base_url) as client:
                client.get(LOCK)
    assert [line["response"]["body"] for line in kept(record)] == [BODY.decode()]
    assert record.left == {"mocked: their answers came over no network": 1}


def test_nothing_is_recorded_afterwards(record: Record) -> None:
    """The clients are as they were."""
    before = httpx.HTTPTransport.handle_request
    with recording(record.base_url):
        assert httpx.HTTPTransport.handle_request is not before
    assert httpx.HTTPTransport.handle_request is before
