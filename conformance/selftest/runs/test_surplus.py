"""Bytes that a server sends beyond its answers fail no clause: a fresh connection does not repeat them."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conformance.cases import CATALOG
from conformance.mutants.fleets import FRIDGE, MACHINE
from conformance.mutants.registry import find_server
from conformance.reference.service import Service
from conformance.reference.wire import Incoming
from conformance.selftest.support.judged_runs import STILL, Run, run_of
from conformance.selftest.support.servers.raw_server import Answer, raw_server

CAN_FAIL = {clause.id for clause in CATALOG.clauses.values() if clause.can_fail}
PLENTY = 1000


class Few(Service):
    """A refrigerator and a dishwasher of few keys."""

    fleet = (FRIDGE, MACHINE)


def answering(service: Service, order: Callable[[bytes], bytes]) -> Answer:
    """Answers as the service does, with what `order` makes of each answer."""

    def answer(head: bytes, over: threading.Event) -> Iterator[bytes]:
        del over
        method, target, _ = head.split(b"\r\n")[0].decode().split(" ")
        path, _, query = target.partition("?")
        reply = service.handle(Incoming(method, path, query))
        fields = f"Content-Type: {reply.media_type}\r\nContent-Length: {len(reply.body)}"
        yield order(f"HTTP/1.1 {reply.status} X\r\n{fields}\r\n\r\n".encode() + reply.body)

    return answer


def twice(answer: bytes) -> bytes:
    """Each answer is sent two times over."""
    return answer + answer


def late() -> Callable[[bytes], bytes]:
    """Before each answer the one before is sent once more: when it was asked, no byte was left over."""
    before = threading.local()  # a connection has a thread of its own

    def order(answer: bytes) -> bytes:
        earlier, before.answer = getattr(before, "answer", b""), answer
        return earlier + answer

    return order


def told_by(service: Service, order: Callable[[bytes], bytes], out: Path) -> Run:
    """A reading run against a server that sends more than its answers, one request at a time."""
    with raw_server(answering(service, order), per_connection=PLENTY) as raw:
        pace = {"pace": STILL | {"concurrency": 1}}
        return run_of(service, out, "read", pace, clauses=CAN_FAIL, knowledge="L2", base_url=raw.url)


@pytest.mark.parametrize("order", [twice, late()], ids=["twice", "late"])
def test_surplus_bytes_fail_no_clause(order: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """A server that sends its answers more than once gets no fail, whatever the bytes in between say."""
    run = told_by(Few(), order, tmp_path)
    assert run.red() == set()
    answers = [line["response"] for line in run.evidence if line.get("response")]
    assert any(answer["surplus_bytes"] for answer in answers)


def test_what_is_not_said_again_names_the_surplus_bytes(tmp_path: Path) -> None:
    """A case whose finding a fresh connection does not repeat is inconclusive, and says why."""
    verdicts = told_by(Few(), late(), tmp_path).verdicts.values()
    told = [text for verdict, text in verdicts if verdict == "inconclusive"]
    again, after = "not so when it was read again on a connection of its own", "surplus bytes followed"
    assert any(again in text and after in text for text in told)


def test_fault_beside_surplus_bytes_is_found(tmp_path: Path) -> None:
    """A value that is wrong on every connection is a finding, whatever follows it; nothing else is."""
    assert told_by(find_server("lock-as-quoted-true")(), twice, tmp_path).red() == {"TYPE-BOOLEAN"}
