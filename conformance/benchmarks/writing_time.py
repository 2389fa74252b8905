"""Writing, beside a hand-written suite that writes, reads back and restores every setting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from conformance.benchmarks.commands import run_peer, run_suite
from conformance.benchmarks.knowledge import write_entries
from conformance.benchmarks.measuring import Figure, in_turn, walls
from conformance.benchmarks.serving import READS_ONLY_KEYS, served

SETTLING = {"settle_s": 0.2, "power_settle_s": 0.2, "poll_s": 0.05}
"""Seconds."""


def measure(here: Path, pairs: int) -> Iterator[Figure]:
    """A whole run at level write as a multiple of one of the hand-written suite, on loopback."""
    with served(here / "writing", tables={**READS_ONLY_KEYS, "timing": SETTLING}) as server:
        write_entries(server)
        compared = in_turn(lambda: run_suite(server, "write"), lambda: run_peer(server, "writes"), pairs)
    yield Figure("run at level write / hand-written suite, loopback", walls(compared), at_most=4)
