"""Tokens over a night: granted, refreshed, printed by a command, and got anew when the target wants that."""

import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conformance.harness.clock import Clock
from conformance.harness.errors import TransportError
from conformance.harness.wire import transport as transporting
from conformance.harness.wire.messages import Wanted
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens import access as accessing
from conformance.harness.wire.tokens import granting
from conformance.harness.wire.tokens.access import Access
from conformance.harness.wire.tokens.granting import access_of
from conformance.harness.wire.transport import Transport
from conformance.harness.writes.keeping.owed import owed_in
from conformance.profiles.model import Profile
from conformance.profiles.validation import secrets_of
from conformance.proof.in_process import BASE_URL
from conformance.proof.own_time import OwnTime
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.wire import INVALID_TOKEN, Incoming, Reply, dump
from conformance.selftest.support.commands import LIMIT_S, is_running, wait_until
from conformance.selftest.support.guarded_server import FIRST_REFRESH, SECRET, Guarded, guarded
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.raw_server import profile_at, transport_of
from conformance.selftest.support.recording import Small

ENVIRONMENT = {"SECRET_OF_TEST": SECRET, "REFRESH_OF_TEST": FIRST_REFRESH}
CREDENTIALS = {"client_id": "the-suite", "client_secret": "${SECRET_OF_TEST}"}
REFRESH = {"client_id": "the-suite", "refresh_token": "${REFRESH_OF_TEST}"}
COUNTER = """import pathlib, sys
place = pathlib.Path(sys.argv[1])
number = int(place.read_text()) + 1 if place.exists() else 1
place.write_text(str(number))
print(f"access-token-{number}")
"""


@contextmanager
def talking(server: Guarded, auth: dict[str, Any], **tables: Any) -> Generator[Transport]:
    """A transport to that server."""
    if "oauth2" in auth:
        auth = {"oauth2": {"token_url": f"{server.url}/token", **auth["oauth2"]}}
    profile = profile_at(server.url, ENVIRONMENT, auth=auth, **tables)
    redactor = Redactor(secrets_of(profile, ENVIRONMENT))
    with transport_of(profile, ENVIRONMENT, redactor=redactor) as transport:
        yield transport


def clock_of_tokens(monkeypatch: pytest.MonkeyPatch) -> OwnTime:
    """The time by which tokens live, and nothing else."""
    clock = OwnTime()

    def access(
        profile: Profile, redactor: Redactor, environment: Mapping[str, str], _: Clock
    ) -> Access | None:
        return access_of(profile, redactor, environment, clock)

    monkeypatch.setattr(transporting, "access_of", access)
    return clock


def statuses(transport: Transport, times: int = 1) -> list[int]:
    """What came of so many requests, the last attempt of each."""
    made = [transport.send(Wanted("/x"))[-1].response for _ in range(times)]
    return [response.status if response else 0 for response in made]


REFUSAL = """import pathlib, sys, time
pathlib.Path(sys.argv[1]).open("a").write("1")
while not pathlib.Path(sys.argv[2]).exists():
    time.sleep(0.01)
sys.exit(7)
"""
"""Grants nothing, as soon as a file is there."""


def printing(directory: Path) -> list[str]:
    """A command that prints another token each time."""
    (directory / "token.py").write_text(COUNTER, encoding="utf-8")
    return [sys.executable, str(directory / "token.py"), str(directory / "count")]


@pytest.mark.parametrize("refusal", [401, 403])
@pytest.mark.parametrize("oauth2", [CREDENTIALS, REFRESH], ids=["credentials", "refresh"])
def test_outdated_token_is_got_anew_once(oauth2: dict[str, str], refusal: int) -> None:
    """A 401 in the middle, or a 403 to what was let in before, brings another token, and the request is made
    again with that; both are kept.
    """
    with guarded() as server, talking(server, {"oauth2": oauth2}) as transport:
        server.refusal = refusal
        server.good = lambda token, asked: token.endswith("1") == (asked < 3)
        made = [transport.send(Wanted("/x")) for _ in range(4)]
    came = [[one.response.status for one in attempts if one.response] for attempts in made]
    assert came == [[200], [200], [refusal, 200], [200]]
    assert (server.granted, [token[-1] for token in server.tokens]) == (2, list("11122"))


def test_rotated_refresh_token_is_the_next_one(tmp_path: Path) -> None:
    """Each refresh token is good once; the new one is sent next, and is in no record.

    The issuer, too, wants to see the certificate of the client, and has one of its own authority.
    """
    http = {"verify": str(tmp_path / "ca.pem"), "client_cert": [str(tmp_path / "client.pem")]}
    with guarded(tmp_path) as server, talking(server, {"oauth2": REFRESH}, http=http) as transport:
        server.good = lambda token, asked: token.endswith(str((asked + 1) // 2))
        assert statuses(transport, 6)[:3] == [200] * 3
        kept = [transport.granted.get_nowait() for _ in range(server.granted)]
    sent = [form["refresh_token"] for form in server.forms]
    assert sent == [f"refresh-token-{number}" for number in range(server.granted)]
    assert "refresh-token-" not in str(kept)
    assert "refresh_token=${REFRESH_TOKEN}" in (kept[-1].request.body or "")


def test_lost_answer_of_the_issuer_leaves_time_to_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the issuer has changed the refresh token and its answer is lost, no other request is made with a
    token; what is owed is put back with the last one, as long as it lives, and nothing more is asked for.
    """
    clock = clock_of_tokens(monkeypatch)
    back = Wanted("/x", owed=True)
    with guarded() as server, talking(server, {"oauth2": REFRESH}) as transport:
        assert statuses(transport) == [200]
        clock.sleep(3_300)
        server.refresh = "rotated, and nobody heard of it"
        for _ in range(2):
            with pytest.raises(TransportError, match="grants no access token: status 400"):
                transport.send(Wanted("/x"))
        asked = len(server.forms)
        made = [transport.send(back)[-1].response for _ in range(3)]
        assert [response and response.status for response in made] == [200] * 3
        assert (server.tokens, len(server.forms)) == (["access-token-1"] * 4, asked)
        clock.sleep(301)
        with pytest.raises(TransportError):
            transport.send(back)


ENDLESS = {
    "prints, and stays": ("os.write(1, b'x' * 65_537); time.sleep(6000)", "it prints more than 65536 bytes"),
    "prints and leaves": ("os.write(1, b'x' * 70_000)", "it prints more than 65536 bytes"),
    "closes its output": ("os.close(1); time.sleep(6000)", "takes longer than 1 s"),
    "leaves a child": (
        "child = subprocess.Popen(['sleep', '6000']); os.symlink(str(child.pid), sys.argv[1])",
        "prints no single line",
    ),
}


@pytest.mark.parametrize("name", ENDLESS)
def test_command_without_end_is_bounded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it does, it costs little time and memory, and nothing that it has started goes on."""
    code, why = ENDLESS[name]
    child = tmp_path / "child"
    words = [sys.executable, "-c", f"import os, subprocess, sys, time; {code}", str(child)]
    if "takes longer" in why:
        monkeypatch.setattr(granting, "_LIMIT_S", 1)
    began = time.monotonic()
    with guarded() as server, talking(server, {"token_cmd": words}) as transport:
        with pytest.raises(TransportError, match=why):
            transport.send(Wanted("/x"))
        assert not server.asked
    assert time.monotonic() - began < LIMIT_S
    assert child.is_symlink() is ("child" in name)
    wait_until(lambda: not (child.is_symlink() and is_running(child.readlink().name)))


def test_command_prints_the_token(tmp_path: Path) -> None:
    """It is run once, and again when the target takes its token no more."""
    with guarded() as server, talking(server, {"token_cmd": printing(tmp_path)}) as transport:
        server.good = lambda token, asked: token.endswith("1") == (asked < 4)
        assert statuses(transport, 5) == [200] * 5
    assert (tmp_path / "count").read_text() == "2"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["/nowhere/vault"], "it cannot be run: No such file"),
        ([sys.executable, "-c", "raise SystemExit(7)"], "it ended with 7"),
        ([sys.executable, "-c", "print('two'); print('lines')"], "it prints no single line"),
        ([sys.executable, "-c", ""], "it prints no single line"),
        ([sys.executable, "-c", "print('On')"], "cannot be kept"),
    ],
)
def test_command_that_prints_none_is_the_operators_matter(words: list[str], why: str) -> None:
    """What is wrong is said in a line, and nothing is sent to the target."""
    refused = pytest.raises(TransportError, match=rf"auth\.token_cmd grants .*{why}")
    with guarded() as server, talking(server, {"token_cmd": words}) as transport, refused:
        transport.send(Wanted("/x"))
    assert server.asked == []


@pytest.mark.parametrize("refusal", [401, 403])
@pytest.mark.parametrize("good", [0, 1])
def test_answer_that_is_not_about_the_token_brings_no_storm(good: int, refusal: int) -> None:
    """Where a new token is refused as well, or the first never was good, no other is asked for."""
    with guarded() as server, talking(server, {"oauth2": CREDENTIALS}) as transport:
        server.good, server.refusal = lambda _token, asked: asked <= good, refusal
        assert statuses(transport, 5) == [*[200] * good, *[refusal] * (5 - good)]
    assert server.granted == 1 + good


def test_what_is_forbidden_brings_no_token() -> None:
    """A 403 to what was never let in tells nothing of the token, which a 401 still replaces."""
    with guarded() as server, talking(server, {"oauth2": CREDENTIALS}) as transport:
        assert statuses(transport) == [200]
        server.good, server.refusal = lambda _token, _asked: False, 403
        answers = [transport.send(Wanted(f"/{name}"))[-1].response for name in "abc"]
        assert [answer and answer.status for answer in answers] == [403] * 3
        assert server.granted == 1
        server.good, server.refusal = lambda token, _asked: token.endswith("2"), 401
        assert statuses(transport) == [200]
    assert server.granted == 2


def test_many_threads_get_one_new_token() -> None:
    """Requests that are under way when a token expires share the next one."""
    tables: dict[str, Any] = {"pace": {"concurrency": 8}}
    with guarded() as server, talking(server, {"oauth2": CREDENTIALS}, **tables) as transport:
        server.good = lambda token, asked: token.endswith("2") or asked < 9
        statuses(transport, 8)
        with ThreadPoolExecutor(8) as pool:
            made = list(pool.map(transport.send, [Wanted("/x")] * 8))
    assert {attempts[-1].response.status for attempts in made if attempts[-1].response} == {200}
    assert server.granted == 2


class Crowded:
    """A lock that knows how many have come for it."""

    def __init__(self) -> None:
        self.came = 0
        self._counting, self._lock = threading.Lock(), threading.Lock()

    def __enter__(self) -> None:
        with self._counting:
            self.came += 1
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_many_threads_share_a_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests that wait while a token is refused do not ask for it again."""
    words = [sys.executable, "-c", REFUSAL, str(tmp_path / "count"), str(tmp_path / "all wait")]
    lock = Crowded()
    monkeypatch.setattr(accessing, "threading", SimpleNamespace(Lock=lambda: lock))
    with (
        guarded() as server,
        talking(server, {"token_cmd": words}) as transport,
        ThreadPoolExecutor(8) as pool,
    ):
        made = [pool.submit(transport.send, Wanted("/x")) for _ in range(8)]
        wait_until(lambda: lock.came == 8)
        (tmp_path / "all wait").touch()
        troubles = {str(one.exception()) for one in made}
    assert troubles == {"auth.token_cmd grants no access token: it ended with 7"}
    assert (tmp_path / "count").read_text() == "1"


class Renewing(Small):
    """Whoever comes needs a token; the time at which the next one is due comes with a write, `before` writes
    later. The answer with that one is lost on the way, and the refresh token that led to it is used up.
    """

    due: Callable[[], object]
    before = 0

    def __init__(self) -> None:
        super().__init__()
        self.issued = 0

    def answer(self, request: Incoming) -> Reply:
        if request.path == "/token":
            self.issued += 1
            members = {
                "access_token": "access-token-1",
                "refresh_token": "refresh-token-1",
                "expires_in": 3_600,
            }
            return Reply(200, dump(members)) if self.issued == 1 else Reply(502)
        if request.headers.get("authorization") != "Bearer access-token-1":
            return self.refuse(INVALID_TOKEN)
        if request.method != "GET":
            self.before -= 1
            if not self.before:
                self.due()
        return super().answer(request)


@pytest.mark.parametrize("before", range(1, 9))
def test_lost_answer_of_the_issuer_leaves_nothing_owed(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run in the middle of its writes asks nothing more, and puts back what it wrote."""
    clock = clock_of_tokens(monkeypatch)
    for name, secret in ENVIRONMENT.items():
        monkeypatch.setenv(name, secret)
    service = Renewing()
    service.before, service.due = before, lambda: clock.sleep(3_300)
    auth = {"oauth2": {**REFRESH, "token_url": f"{BASE_URL}/token"}}
    run = run_of(service, tmp_path, "power", {"auth": auth})
    assert (run.left, owed_in(run.out / JOURNAL_FILE), service.settings()) == ([], [], Small().settings())
    assert (service.issued > 1, service.before <= 0) == (True, True)
