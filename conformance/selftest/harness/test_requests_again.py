"""How a request of a run is found and made again: by the id that it carried, by its command line."""

import os
import re
import shlex
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from catalog import keys
from conformance.checks.exchange import Exchange, Failure, Response
from conformance.checks.reads.paths import agreement
from conformance.harness.curl import curl_of
from conformance.harness.ledger import read_ledger
from conformance.harness.reads.repeats import both_segments_again
from conformance.harness.wire.messages import Wanted
from conformance.mutants.hostile.model import Asked, Hostile, Outcome, Piece
from conformance.mutants.hostile.replies import head
from conformance.mutants.hostile.sockets import Served, serve_hostile
from conformance.proof.in_process import BASE_URL
from conformance.records.ledger_lines import LEDGER_FILE, exchange_line, exchange_of
from conformance.records.results import CaseResult
from conformance.reference.wire import Incoming, Reply
from conformance.selftest.support.handmade import ANCHOR, profile_of, seen_of, value
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.raw_server import attempts_of, http, profile_at, raw_server, transport_of
from conformance.selftest.support.recording import Small
from conformance.selftest.support.stepping import Answering

OWN = {"host", "user-agent", "accept-encoding", "connection"}
"""Headers of the machinery: what stands in them is not compared."""
SPITEFUL = [
    "'\"`$(touch x)`\\!${HOME}$HOME%s\\n",
    "a\0b\x1b[31m\r\n\u202e\u2028",
    "@/etc/hostname",
    "",
    "ä€😀",
    "a%20b+c&d=e;f",
    "[1-3]{a,b}",
]
TOKENS = ["open sesame", 'it\'s $HOME `x` "!" \\n ${HOME}', "${OTHER}-and-so-on"]


TAKING = Hostile("taking", "", lambda _asked: [head(204, media_type=None)], Outcome(0))
"""It takes every request down."""


def came_in(request: Incoming) -> Incoming:
    """A request without the headers of the machinery, and with escapes as most spell them."""
    query = re.sub("%..", lambda escape: escape[0].upper(), request.query)
    told = {name: text for name, text in request.headers.items() if name not in OWN}
    return replace(request, headers=told, query=query)


@pytest.fixture(scope="module")
def listener() -> Iterator[Served]:
    """One such server for all tests."""
    with serve_hostile(TAKING) as found:
        yield found


def both(listener: Served, wanted: Wanted, token: str, **http: object) -> None:
    """Sends a request as a run does, and then the command line of what was kept of it: both arrive alike."""
    environment = {"TOKEN": token, "OTHER": "another one"}
    auth = {
        "headers": {"Authorization": "Bearer ${TOKEN}", "X-Key": "a${TOKEN}b"},
        "query": {"access_token": "${TOKEN}"},
    }
    profile = profile_at(listener.base_url, environment, auth=auth, http=http)
    assert token not in profile.model_dump_json()
    listener.requests.clear()
    with transport_of(profile, environment) as transport:
        (sent,) = transport.send(wanted, permit=1)
    line = curl_of(replace(READ, request=sent.request, response=sent.response, failure=sent.failure), profile)
    variables = {**environment, "PATH": os.environ["PATH"], "HOME": "/"}
    ended = subprocess.run(["sh", "-c", line], env=variables, capture_output=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, b""), line
    assert token not in line
    first, second = map(came_in, listener.requests)
    assert parse_qs(first.query)["access_token"] == [token]
    assert second == first, line


printable = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=12).map(str.strip)
parts = st.sampled_from(SPITEFUL) | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
bodies = st.none() | parts


def wanted_of(
    method: str, part: str, query: str, body: str | None, headers: tuple[tuple[str, str], ...]
) -> Wanted:
    """A request whose path has a part that must be quoted."""
    return Wanted(f"/{quote(part, safe='')}{query}", method, headers, body)


TYPED = (("Content-Type", "text/plain"),)
methods = st.sampled_from(["GET", "PUT", "POST", "PATCH"])
queries = st.sampled_from(["", "?a=[1]{2}", "?q='&r=$HOME"])
wanteds = st.builds(wanted_of, methods, parts, queries, bodies, st.sampled_from([(), TYPED]))


@settings(max_examples=40)
@given(wanted=wanteds, header=printable, token=st.sampled_from(TOKENS))
@example(Wanted("/x", "PUT", (), SPITEFUL[0]), "", TOKENS[1])
@example(Wanted("/x", "PUT", TYPED, SPITEFUL[1]), "'`$(x)`!", TOKENS[0])
@example(Wanted("/x", "POST"), "x", TOKENS[2])
@example(Wanted("/%5Bx%5D/..%2F?a=[1-3]", "GET", TYPED, "{}"), "@x", TOKENS[0])
def test_line_sends_what_the_run_sent(listener: Served, wanted: Wanted, header: str, token: str) -> None:
    """Method, address, declared headers and body arrive as in the run; no secret is in the line."""
    both(listener, wanted, token, headers={"X-Odd": header}, query={"version": "2"})


SUBJECT = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
MAKING = ["openssl", "req", "-x509", "-newkey", "rsa:2048", *SUBJECT, "-passout", f"pass:{TOKENS[0]}"]


def test_line_shows_its_certificate_and_knows_its_authority(tmp_path: Path) -> None:
    """A server that asks for a certificate, and has one of its own authority, is reached by both."""
    certificate, key = str(tmp_path / "own certificate.pem"), str(tmp_path / "key.pem")
    subprocess.run([*MAKING, "-keyout", key, "-out", certificate], capture_output=True, check=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=certificate)
    context.load_cert_chain(certificate, key, TOKENS[0])
    context.verify_mode = ssl.CERT_REQUIRED
    with serve_hostile(replace(TAKING, scheme="https"), tls=context) as guarded:
        both(guarded, Wanted("/x"), TOKENS[0], verify=certificate, client_cert=[certificate, key, "${TOKEN}"])


def line_of(made: Exchange, **http: object) -> str:
    """Its command line, of a profile with these ways to speak HTTP."""
    target = {"name": "x", "base_url": "https://x.example"}
    return curl_of(made, profile_of(target=target, http=http))


READ = value("Vendor.Common.Setting.AlarmClock", 5)
SECURE = replace(READ, request=replace(READ.request, url="https://x.example/y"))
TRUST: dict[str, dict[str, object]] = {
    "--http1.1": {},
    "--http2": {"http2": True},
    "--http1.1 -k": {"verify": False},
    "--http1.1 --cacert 'own ca.pem'": {"verify": "own ca.pem"},
    '--http1.1 --cert c.pem --key k.pem --pass "$TOKEN"': {"client_cert": ["c.pem", "k.pem", "${TOKEN}"]},
}


@pytest.mark.parametrize("words", TRUST)
def test_line_trusts_whom_the_run_trusted(words: str) -> None:
    """Version of HTTP, authority and certificate are those of the profile; a plain address needs none."""
    assert f" {words} https://x.example/y" in line_of(SECURE, **TRUST[words])
    assert "--http" not in line_of(READ, **TRUST[words])


def reply(status: int, *redirects: str, **headers: str) -> Exchange:
    """A read that was answered so."""
    told = tuple((name.replace("_", "-"), text) for name, text in headers.items())
    return replace(READ, response=Response(status, told, b"", 1.0, redirects))


def test_line_undoes_an_encoding_that_the_run_has_undone() -> None:
    """What came packed is unpacked; an encoding that nobody knows is left alone, as in the run."""
    assert "--compressed" in line_of(reply(200, Content_Encoding="gzip"))
    assert "--compressed" not in line_of(reply(200, Content_Encoding="zebra")) + line_of(reply(200))


def test_line_asks_where_redirects_led() -> None:
    """It goes to the last address itself, so that no server can send secrets elsewhere meanwhile."""
    line = line_of(reply(200, "http://127.0.0.1:1/a", "http://127.0.0.1:1/b[c]"))
    assert line.endswith(" -g 'http://127.0.0.1:1/b[c]'")
    assert " -L" not in line


def test_line_ends_as_the_run_did() -> None:
    """Where there was no answer, it waits as long; a HEAD is asked in curl's own way, without a body."""
    lost = replace(READ, response=None, failure=Failure("closed", ""))
    assert " -m 2.5 " in line_of(lost, timeout_s=2.5)
    assert " -I " in line_of(replace(READ, request=replace(READ.request, method="HEAD")))


def test_variable_is_filled_in_only_where_the_profile_names_it() -> None:
    """A server that says `${HOME}` where a value is written back gets no variable of a reader's."""
    body = '{"value": "${HOME} ${TOKEN}"}'
    made = replace(READ, request=replace(READ.request, method="PUT", body=body))
    assert shlex.quote(body) in line_of(made)
    assert "${HOME} '\"$TOKEN\"'" in line_of(made, client_cert=["a", "b", "${TOKEN}"])


# The id of a request: findings name it, and no verdict rests on it.
FORM = re.compile(r"00-[0-9a-f]{32}-[0-9a-f]{16}-01")
CLAUSES = {"TYPE-BOOLEAN", "READ-SETTING"}


class Words(Small):
    """Booleans as words; `traceparents` are the headers of that name, None for a request without."""

    def __init__(self) -> None:
        super().__init__()
        self.traceparents: list[str | None] = []

    def answer(self, request: Incoming) -> Reply:
        """Takes the header down."""
        self.traceparents.append(request.headers.get("traceparent"))
        reply = super().answer(request)
        return replace(reply, body=reply.body.replace(b"false", b'"no"').replace(b"true", b'"yes"'))


def test_each_attempt_has_an_id_of_its_own() -> None:
    """The server is given what the record of the request says, once, also where the profile declares the
    header itself; a request that is made again has another id.
    """
    heard: list[str] = []

    def busy(asked: Asked) -> list[Piece]:
        heard.append(asked.request.headers["traceparent"])
        return [http(429, Retry_After="0") if len(heard) == 1 else http(200, b"{}")]

    with raw_server(busy) as raw:
        target, own = {"name": "raw", "base_url": raw.base_url, "trace": True}, {"Traceparent": "00-mine"}
        made = attempts_of(profile_at(raw.base_url, target=target, http={"headers": own}), 2)
    assert [one.request.traceparent for one in made] == heard
    assert all(FORM.fullmatch(text) for text in heard)
    assert len({one.request.trace_id for one in made}) == len(made) == 3
    assert made[0].request.trace_id == heard[0].split("-")[1] != "0" * 32
    assert "traceparent" not in {name.casefold() for one in made for name, _ in one.request.headers}


def test_verdicts_are_those_without_ids(tmp_path: Path) -> None:
    """With ids and without, a run says the same, by the same scripts; findings name the ids that it sent."""
    cases: list[list[CaseResult]] = []
    for name, more in (("plain", {}), ("traced", {"trace": True})):
        service, target = Words(), {"name": "hub", "base_url": BASE_URL, **more}
        ran = run_of(service, tmp_path / name, "read", {"target": target}, clauses=CLAUSES)
        results = (judged.result for judged in ran.cases.values())
        cases.append([one for one in results if isinstance(one, CaseResult)])
        heard = service.traceparents
        sent = {one.n: one.request for one in read_ledger(ran.out / LEDGER_FILE).exchanges}
        assert sorted(one.traceparent for one in sent.values()) == sorted(one or "" for one in heard)
        for case in cases[-1]:
            is_named = case.verdict == "fail" and name == "traced"
            assert case.traces == tuple(sent[number].trace_id for number in case.proof if is_named)
            assert not any(trace in case.curl + case.message for trace in case.traces)
    plain, traced = ([(one.id, one.verdict, one.message, one.curl) for one in each] for each in cases)
    assert plain == traced
    assert any(one.traces for one in cases[1])


def test_what_is_no_id_is_refused() -> None:
    """Where the line of a ledger was altered."""
    line = exchange_line(value(ANCHOR, 5))
    with pytest.raises(ValueError, match="traceparent"):
        exchange_of({**line, "request": {**line["request"], "traceparent": "x\n"}})


# How long a run waits before it asks the same again.
BATTERY = "Vendor.Common.Status.BatteryLevel"
AT_ODDS = (
    value(keys.POWER_STATE, keys.ON),
    value(keys.OPERATION_STATE, keys.INACTIVE),
    value(BATTERY, 20, segment="status"),
    value(BATTERY, 90, segment="settings"),
)
SPACES: dict[str, tuple[str, dict[str, Any], float]] = {
    "loopback": ("127.0.0.1", {}, 0.2),
    "elsewhere": ("hub.example", {}, 5),
    "declared": ("127.0.0.1", {"retry_s": 3}, 3),
}


@pytest.mark.parametrize("name", SPACES)
def test_findings_are_spaced_as_the_profile_says(name: str) -> None:
    """Whatever looks twice waits `retry_s` in between: 0.2 s on loopback, 5 elsewhere."""
    host, declared, wanted = SPACES[name]
    timing = {"power_settle_s": 0.01, "poll_s": 0.01, **declared}
    seen = seen_of(profile_of(target={"name": "x", "base_url": f"http://{host}"}, timing=timing), *AT_ODDS)
    lane = Answering(seen)
    lane.take(both_segments_again(seen, agreement(BATTERY)))
    assert max(lane.pauses) == wanted
