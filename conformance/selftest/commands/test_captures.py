"""What others exchange is judged: through the proxy of `record`, for clients in any language, and in
captures, which `judge` takes.
"""

import json
import re
import shlex
import signal
import socket
import time
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from appliance_conformance_clients import recording
from appliance_conformance_recording import Record

from catalog.keys import CHILD_LOCK
from conformance.captures.passing_on import PassingOn
from conformance.captures.recorded import recorded_in
from conformance.mutants.hostile.model import Asked, Ending, Pause, Piece
from conformance.reference.server import serve_app
from conformance.selftest.support import ROOT
from conformance.selftest.support.captured import SECRET, entry, har, lines, url_of
from conformance.selftest.support.commands import (
    BARE,
    LIMIT_S,
    Running,
    command,
    running_first,
    surroundings,
    wait_until,
)
from conformance.selftest.support.raw_server import always, http, raw_server

GUIDE = (ROOT / ".github" / "guides" / "own-tests.md").read_text(encoding="utf-8")
EXAMPLE = re.findall(r"^appliance-conformance record .*$", GUIDE, re.MULTILINE)[0]
PROFILE = (ROOT / ".github" / "examples" / "hub.toml").read_text(encoding="utf-8")
LOCK = "/api/homeappliances/hood-1/settings/Vendor.Common.Setting.ChildLock"
BODY = b'{"data": {"key": "Vendor.Common.Setting.ChildLock", "value": true}}'
CHUNKED = b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"


@contextmanager
def passing_on(*pieces: Piece) -> Generator[tuple[str, Record, list[Asked]]]:
    """The address of a proxy before a server that always answers so, its record, and what was asked."""
    asked: list[Asked] = []

    def answer(one: Asked) -> list[Piece]:
        asked.append(one)
        return [*pieces]

    with (
        raw_server(answer) as raw,
        recording(raw.base_url) as record,
        serve_app(PassingOn(raw.base_url, httpx.create_ssl_context())) as (place, _),
    ):
        yield place, record, asked


def test_example_is_judged(tmp_path: Path) -> None:
    """The guide's curl is told where the proxy is, and what it exchanges is judged with the profile.

    The words of the client, which may hold a token, stand in no report.
    """
    with raw_server(always(http(200, BODY))) as raw:
        (tmp_path / "hub.toml").write_text(PROFILE.replace("http://127.0.0.1:8000", raw.base_url))
        ran = command(*shlex.split(EXAMPLE)[1:], directory=tmp_path)
    assert (ran.code, "judged: 1 exchange\n" in ran.output) == (0, True), ran.output
    results = json.loads((tmp_path / "reports" / "out" / "latest" / "results.json").read_bytes())
    judging = ["judge", "-", "--out", "reports/out/latest", "--profile", "hub.toml"]
    assert results["argv"] == ["appliance-conformance", *judging]


CURL = f'curl -s -o out.txt "$APPLIANCE_BASE_URL{LOCK}"'
WRONG = http(200, BODY.replace(b"true", b'"true"'))
# what the target answers, the profile, the client -> the exit code, and what is said
ENDS: list[tuple[bytes, str, str, int, str]] = [
    (WRONG, "hub.toml", f"{CURL}; {CURL}", 1, "document says Boolean"),
    (WRONG, "hub.toml", f"{CURL}; exit 7", 3, "sh ended with 7: it may have said less"),
    (WRONG, "hub.toml", "true", 3, "does the client take APPLIANCE_BASE_URL?"),
    (http(409, b"{}"), "", CURL, 2, "standard input: no answer serves an entry of the document\n"),
]


@pytest.mark.parametrize("row", ENDS)
def test_exit_code_is_that_of_judge(row: tuple[bytes, str, str, int, str], tmp_path: Path) -> None:
    """Unless nothing was recorded, or the client has failed; where nothing is served, nothing is guessed."""
    answer, profile, client, code, told = row
    with raw_server(always(answer)) as raw:
        (tmp_path / "hub.toml").write_text(PROFILE.replace("http://127.0.0.1:8000", raw.base_url))
        words = ("--to", profile or raw.base_url, "--", "sh", "-c", client)
        ran = command("record", *words, directory=tmp_path)
    assert (ran.code, told in ran.output) == (code, True), ran.output


def test_target_that_is_not_there_is_inconclusive(tmp_path: Path) -> None:
    """The client is told with 502, which is no answer of the target."""
    curl = 'curl -s -o out.txt -w "%{http_code}\n" "$APPLIANCE_BASE_URL/x"'
    ran = command("record", "--to", "http://127.0.0.1:9", "sh", "-c", curl, directory=tmp_path)
    assert (ran.code, "502\n" in ran.output) == (3, True), ran.output
    assert "not recorded: 1 without an answer: ConnectError" in ran.output


INTERRUPTING = """import os, signal

from conformance.runs.saved import saved_run

saved_run.SavedRun = lambda *_: os.kill(os.getpid(), signal.SIGINT)
"""
"""A signal comes as soon as the judging begins."""


def test_judging_can_be_interrupted(tmp_path: Path) -> None:
    """The client has ended, which is no end of the command."""
    with raw_server(always(http(200, BODY))) as raw:
        words = ("record", "--to", raw.base_url, "sh", "-c", CURL)
        ran = command(*words, directory=tmp_path, env=running_first(tmp_path, INTERRUPTING))
    assert (ran.code, ran.output) == (3, "interrupted before anything was judged\n")


def test_proxy_without_a_command_ends_with_a_signal(tmp_path: Path) -> None:
    """What was recorded until then is judged; the path of the base URL stands in the address of the proxy."""
    with (
        raw_server(always(http(200, BODY))) as raw,
        Running(("record", "--to", f"{raw.base_url}/v1"), tmp_path, surroundings()) as running,
    ):
        running.wait_until_said("\n")
        (place,) = re.findall(r"^base URL  (http://127.0.0.1:\d+/v1)$", running.output, re.MULTILINE)
        assert httpx.get(f"{place}{LOCK}", timeout=LIMIT_S).content == BODY
        running.send_signal(signal.SIGINT)
        ended = running.end()
    assert (ended.code, "judged: 1 exchange\n" in ended.output) == (0, True), ended.output


def test_request_and_answer_pass_as_they_are() -> None:
    """Method, path, query, headers and body; only the connection, and encodings, are the proxy's own."""
    answered = http(207, b"answered", Set_Cookie="a=1", X_Own="2")
    with passing_on(answered) as (place, record, asked):
        sent = httpx.request(
            "PROPFIND",
            f"{place}/a%2Fb?x=%20",
            content=b"sent",
            headers={"X-My": "3", "Accept-Encoding": "br"},
            timeout=LIMIT_S,
        )
    request = asked[0].request
    assert (request.method, request.path, request.query, request.body) == (
        "PROPFIND",
        "/a%2Fb",
        "x=%20",
        b"sent",
    )
    assert (request.headers["x-my"], request.headers["accept-encoding"]) == ("3", "identity")
    assert f"http://{request.headers['host']}" == asked[0].base_url
    assert (sent.status_code, sent.content) == (207, b"answered")
    assert (sent.headers["set-cookie"], sent.headers["x-own"]) == ("a=1", "2")
    assert json.loads(record.lines[0])["response"]["body"] == "answered"


@pytest.mark.parametrize(
    "pieces",
    [
        (CHUNKED + b"Content-Type: application/json\r\n\r\n3\r\n{}\n\r\n", Pause(0.1), b"0\r\n\r\n"),
        (b"HTTP/1.0 200 OK\r\n\r\n", Pause(0.1), b"{}\n", Ending.CLOSE),
    ],
    ids=["chunked", "until the connection ends"],
)
def test_body_of_no_known_length_is_whole(pieces: tuple[Piece, ...]) -> None:
    """However it is framed."""
    with passing_on(*pieces) as (place, record, _):
        assert httpx.get(place, timeout=LIMIT_S).content == b"{}\n"
    assert json.loads(record.lines[0])["response"]["body"] == "{}\n"


def test_large_body_passes_through() -> None:
    """Both ways, and is not kept."""
    large = bytes(8 << 20)
    with passing_on(http(200, large)) as (place, record, asked):
        assert httpx.put(place, content=large, timeout=LIMIT_S).content == large
    assert asked[0].request.body == large
    assert (record.lines, record.left.total()) == ([], 1)


def test_event_comes_as_it_is_sent() -> None:
    """The stream is open while the client reads its first event."""
    start = CHUNKED + b"Content-Type: text/event-stream\r\n\r\n9\r\ndata: 1\n\n\r\n"
    with (
        passing_on(start, Pause(LIMIT_S), b"0\r\n\r\n") as (place, record, _),
        httpx.stream("GET", place, timeout=LIMIT_S / 2) as answer,
    ):
        assert next(answer.iter_raw()) == b"data: 1\n\n"
    assert record.left == {"that are streams of events": 1}


def test_answer_that_breaks_off_breaks_off() -> None:
    """The client must not take it for a whole one, and it is no evidence."""
    with (
        passing_on(http(200, BODY)[:-5], Ending.CLOSE) as (place, record, _),
        pytest.raises(httpx.RemoteProtocolError),
    ):
        httpx.get(place, timeout=LIMIT_S)
    assert (record.lines, record.left) == ([], {"not read to the end": 1})


def test_client_that_hangs_up_ends_the_request() -> None:
    """The target, which does not answer, is not waited for."""
    with passing_on(Pause(LIMIT_S)) as (place, record, asked):
        with socket.create_connection(("127.0.0.1", httpx.URL(place).port or 0)) as client:
            client.sendall(b"GET / HTTP/1.1\r\nHost: proxy\r\n\r\n")
            wait_until(lambda: asked)
        wait_until(lambda: record.left)
        assert record.left == {"without an answer: CancelledError": 1}


def test_command_that_does_not_wait_is_not_waited_for(tmp_path: Path) -> None:
    """A request that the target leaves open ends with the command."""
    client = 'curl -s "$APPLIANCE_BASE_URL/x" & until [ -e asked ]; do sleep 0.01; done; kill $!'
    began = time.monotonic()

    def answer(_: Asked) -> list[Piece]:
        (tmp_path / "asked").touch()
        return [Pause(LIMIT_S)]

    with raw_server(answer) as raw:
        ran = command("record", "--to", raw.base_url, "sh", "-c", client, directory=tmp_path)
        assert (ran.code, "without an answer" in ran.output) == (3, True), ran.output
        assert time.monotonic() - began < LIMIT_S / 2


# Captures: HAR of a browser or a proxy, and lines of NDJSON; nothing is sent.
LOCK_URL = url_of(CHILD_LOCK)
OF_CAPTURES = """[target]
name = "hub"
base_url = "https://hub.example/v1"

[answer]
value = "/data/value"

[[appliance]]
ha_id = "fridge-1"
kind = "Refrigerator"
"""


def test_finding_is_told_as_that_of_a_run(tmp_path: Path) -> None:
    """With its exit code, its exchanges, and a report; how many exchanges are not judged is said, and of what
    sort. No secret is in any file.
    """
    (tmp_path / "hub.toml").write_text(OF_CAPTURES, encoding="utf-8")
    har(tmp_path / "app.har", [entry(LOCK_URL, "true", 0), entry(LOCK_URL, "true", 90)])
    har(tmp_path / "other.har", [entry("https://hub.example/login", True, 5)])
    ran = command("judge", "app.har", "other.har", "--profile", "hub.toml", directory=tmp_path)
    assert (ran.code, ran.results["level"]) == (1, "seen")
    assert 'value is "true" (string), document says Boolean' in ran.output
    assert "judged: 2 exchanges" in ran.output
    assert "left out: 1 about no entry of the document" in ran.output
    assert not [path.name for path in ran.out.iterdir() if SECRET in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("writing", [har, lines])
def test_conforming_capture_contradicts_nothing(tmp_path: Path, writing: Callable[..., Path]) -> None:
    """Without a profile nothing is claimed, and no verdict says more than was seen."""
    capture = writing(tmp_path / "x", [entry(LOCK_URL, True, 0), entry(LOCK_URL, False, 9)])
    ran = command("judge", str(capture), *BARE, directory=tmp_path)
    assert "Nothing contradicts the document" in ran.output
    assert "nothing was claimed" in ran.output


@pytest.mark.parametrize("said", [{"_fromCache": "disk"}, {"_fetchType": "Memory Cache"}])
def test_what_a_browser_took_from_its_cache_is_no_answer(tmp_path: Path, said: dict[str, Any]) -> None:
    """It may show what was there before a write, however long after it."""
    url, left = url_of(CHILD_LOCK), Counter[str]()
    capture = har(tmp_path / "x.har", [entry(url, True, 0), entry(url, True, 90, **said)])
    assert (len([*recorded_in(capture, left)]), left) == (1, {"the browser answered from its cache": 1})
