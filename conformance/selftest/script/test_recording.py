"""What clients of httpx and requests exchange with a target is kept, whole, and nothing else is."""

import asyncio
import gzip
import json
from collections.abc import Generator
from typing import Any

import httpcore
import httpx
import pytest
import requests
from appliance_conformance_clients import recording
from appliance_conformance_recording import LONGEST, Record

from catalog.keys import CHILD_LOCK
from conformance.mutants.hostile.model import Asked, Ending, Piece
from conformance.selftest.support.servers.raw_server import http, raw_server

LOCK = f"/api/homeappliances/fridge-1/settings/{CHILD_LOCK}"
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
        async with httpx.AsyncClient() as client:
            await client.put(url, json={"data": 1})

    url = f"{record.base_url}{LOCK}"
    httpx.put(url, json={"data": 1})
    asyncio.run(ask(url))
    requests.put(url, data='{"data":1}', timeout=9)
    for line in kept(record):
        assert (line["request"]["method"], line["request"]["url"]) == ("PUT", url)
        assert line["request"]["body"] == '{"data":1}'
        assert (line["response"]["status"], line["response"]["body"]) == (200, BODY.decode())
    assert len(record.lines) == 3


@pytest.mark.parametrize("get", [httpx.get, requests.get], ids=["httpx", "requests"])
def test_packed_answer_is_kept_unpacked(record: Record, get: Any) -> None:
    """And bytes that are no text as base64."""
    get(f"{record.base_url}{LOCK}?gzip")
    get(f"{record.base_url}{LOCK}?bytes")
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
        httpx.get(f"{record.base_url}{LOCK}?{query}")
    except httpx.TransportError:
        assert query in {"cut", "none"}
    assert record.lines == []
    assert [(found.startswith(why), count) for found, count in record.left.items()] == [(True, 1)]


def test_answer_that_is_read_in_part_is_not_kept(record: Record) -> None:
    """What the client has not seen, nobody has; and requests is not made to read what it streams."""
    url = f"{record.base_url}{LOCK}"
    with httpx.stream("GET", url):
        pass
    with requests.get(url, stream=True, timeout=9) as answered:
        assert answered.content == BODY
    with httpx.stream("GET", url) as streamed:
        streamed.read()
    assert len(record.lines) == 1
    assert record.left == {"not read to the end": 1, "read piece by piece": 1}


def test_other_addresses_are_counted(record: Record) -> None:
    """Another path, or another name of the host, is not that of the target."""
    origin = record.base_url.removesuffix("/v1")
    httpx.get(f"{origin}/v10{LOCK}")
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
