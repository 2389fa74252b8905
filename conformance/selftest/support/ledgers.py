"""Ledgers made by hand, and what their lines hold."""

import hashlib
import json
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from conformance.checks.exchange import Cut, Exchange, Failure, Request, Response
from conformance.checks.groups import Group
from conformance.harness.ledger import START, Header, Ledger
from conformance.selftest.support.handmade import ANCHOR, exchange, numbered, value

HEADER = Header(
    "1.0", "c" * 64, "d" * 64, "read", "seed", {"target": {"name": "ä"}}, "2025-12-31T00:00:00.000+00:00"
)
EXCHANGES = numbered(
    [
        value(ANCHOR, 5),
        exchange(ANCHOR, None),
        exchange(ANCHOR, 404, b"\xff\xfe"),
        value(ANCHOR, 6, group=Group.parse("repeat/x")),
    ]
)


def written(path: Path, exchanges: list[Exchange]) -> Path:
    """A complete ledger of `exchanges`."""
    with Ledger(path, HEADER) as ledger:
        for item in exchanges:
            ledger.add(item)
    return path


def rechained(lines: list[dict[str, Any]]) -> str:
    """Lines as somebody makes them who alters one: chained by their hashes, the last one sealed."""
    previous, written_lines = START, list[str]()
    for line in lines:
        kept = {name: member for name, member in line.items() if name not in {"previous", "seal"}}
        members = {**kept, "previous": previous}
        if members.get("purpose") == "end":
            members = {**members, "seal": hashlib.sha256(_compact(members).encode()).hexdigest()}
        written_lines.append(_compact(members))
        previous = hashlib.sha256(written_lines[-1].encode()).hexdigest()
    return "".join(f"{line}\n" for line in written_lines)


def _compact(line: dict[str, Any]) -> str:
    """A line's text."""
    return json.dumps(line, ensure_ascii=True, separators=(",", ":"))


count = st.integers(0, 9)
words = st.text(max_size=8)
requests = st.builds(Request, body=st.none() | words, traceparent=st.just(""))
responses = st.builds(
    Response,
    status=st.integers(100, 599),
    elapsed_ms=st.floats(0, 1e6),
    redirects=...,
    complete=...,
    connection=count,
    surplus_bytes=count,
    cut=st.none() | st.builds(Cut, length=count),
)
subjects = words.filter(lambda text: Group.parse(f"set/{text}").plain == Group.parse(f"set/{text}"))
groups = st.lists(st.builds(Group, subject=subjects), max_size=2).map(tuple)
times = st.datetimes(timezones=st.just(UTC)).map(datetime.isoformat)
made = partial(st.builds, Exchange, n=st.just(0), groups=groups, at=times, request=requests)
exchanges: st.SearchStrategy[Exchange] = made(response=responses) | made(failure=st.from_type(Failure))
"""Whatever a run may have sent and got: an answer, or none."""
