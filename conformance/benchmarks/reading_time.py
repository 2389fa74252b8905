"""Reading and writing beside hand-written suites, and reading beside the least time of its requests."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from statistics import mean

from conformance.benchmarks.commands import exchanges_of, run_peer, run_suite
from conformance.benchmarks.measuring import Figure, Spent, cpus, in_turn, walls
from conformance.benchmarks.serving import READS_ONLY_KEYS, Server, served, write_entries
from conformance.checks.exchange import Exchange

AT_ONCE = 16
"""The concurrency on loopback."""
REMOTE_S = 0.05


def on_loopback(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run as a multiple of one of the hand-written suite, on a server that answers at once."""
    with served(here / "loopback") as server:
        write_entries(server)
        compared = in_turn(lambda: run_suite(server), lambda: run_peer(server, "reads"), pairs)
        yield Figure("run / hand-written suite, loopback", walls(compared), at_most=1.5)
        yield Figure("the same, processor time", cpus(compared))
        bare = in_turn(lambda: run_suite(server), lambda: run_peer(server, "reads", bare=True), pairs)
        yield Figure("the same, beside pytest without plugins", walls(bare))


def at_latency(here: Path, pairs: int) -> Iterator[Figure]:
    """The same on a server that answers after 50 ms; and how well the requests fill their places."""
    spans: list[float] = []
    by_answers: list[float] = []

    def ours(server: Server) -> Spent:
        spent = run_suite(server)
        exchanges = exchanges_of(server)
        spans.append(places_filled(exchanges, REMOTE_S))
        by_answers.append(places_filled(exchanges, mean(_seconds(one) for one in exchanges)))
        return spent

    with served(here / "latency", latency_s=REMOTE_S) as server:
        write_entries(server)
        compared = in_turn(lambda: ours(server), lambda: run_peer(server, "reads"), pairs)
    yield Figure("run / hand-written suite, 50 ms", walls(compared), at_most=0.5)
    yield Figure("reading / (requests / 16 x 50 ms)", tuple(spans[1:]), at_most=1.15)
    yield Figure("the same, by the time that answers took", tuple(by_answers[1:]))


def places_filled(exchanges: Sequence[Exchange], latency_s: float) -> float:
    """The time from the first request to the last answer, in units of the least that they can take."""
    times = [datetime.fromisoformat(exchange.at).timestamp() for exchange in exchanges]
    ends = [time + _seconds(exchange) for time, exchange in zip(times, exchanges, strict=True)]
    return (max(ends) - min(times)) / (len(exchanges) / AT_ONCE * latency_s)


def _seconds(exchange: Exchange) -> float:
    """How long the answer took; 0 where there was none."""
    return exchange.response.elapsed_ms / 1000 if exchange.response else 0.0


SETTLING = {"settle_s": 0.2, "power_settle_s": 0.2, "poll_s": 0.05}
"""Seconds."""


def measure(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run at level write as a multiple of one of the hand-written suite, on loopback."""
    with served(here / "writing", tables={**READS_ONLY_KEYS, "timing": SETTLING}) as server:
        write_entries(server)
        compared = in_turn(lambda: run_suite(server, "write"), lambda: run_peer(server, "writes"), pairs)
    yield Figure("run at level write / hand-written suite, loopback", walls(compared), at_most=4)
