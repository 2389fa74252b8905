"""Ledgers made by hand, and what their lines hold."""

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import strategies as st

from conformance.checks.exchange import Cut, Exchange, Failure, Purpose, Request, Response
from conformance.checks.groups import Group, ProcedureKind
from conformance.harness.ledger import Header, Ledger
from conformance.selftest.support.samples.handmade import ANCHOR, exchange, numbered, value

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


Came = tuple[Response | None, Failure | None]


def exchange_with(  # noqa: PLR0913, PLR0917  the parts of an exchange
    purpose: Purpose, groups: tuple[Group, ...], word: str, at: datetime, request: Request, answer: Came
) -> Exchange:
    """An exchange of some parts."""
    place = (f".{word}", word, f"{word}.", word)
    return Exchange(0, purpose, groups, *place, at.isoformat(), request, *answer)


words = st.text(max_size=8)
optional = st.none() | words
pairs = st.lists(st.tuples(words, words), max_size=3).map(tuple)
requests = st.builds(Request, words, words, pairs, optional)
responses = st.builds(
    Response,
    st.integers(100, 599),
    pairs,
    st.binary(max_size=20),
    st.floats(0, 1e6),
    st.lists(words, max_size=2).map(tuple),
    st.booleans(),
    st.integers(0, 9),
    st.integers(0, 9),
    st.none() | st.builds(Cut, st.integers(0, 9), words, st.sampled_from(["body_bytes", "depth"])),
)
failures = st.builds(
    Failure, st.sampled_from(["timeout", "closed"]), words, st.lists(words, max_size=2).map(tuple)
)
exchanges = st.builds(
    exchange_with,
    st.sampled_from(["read", "control", "repeat"]),
    st.lists(st.builds(Group, st.sampled_from(ProcedureKind), words), max_size=2).map(tuple),
    words,
    st.datetimes(timezones=st.just(UTC)),
    requests,
    st.tuples(responses, st.none()) | st.tuples(st.none(), failures),
)
