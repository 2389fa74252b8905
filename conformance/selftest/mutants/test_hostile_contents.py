"""Servers that attack by what they say: JSON, throttling, tokens, streams, texts, echoes, writes. Each leads
to what it declares.
"""

from collections.abc import Mapping
from concurrent.futures import Future

import pytest

from conformance.mutants.hostile.contents.bodies import JSON_EXTREMES
from conformance.mutants.hostile.contents.echoes import ECHOES, TOKENS
from conformance.mutants.hostile.contents.false_writes import FALSE_WRITES
from conformance.mutants.hostile.contents.texts import TEXTS
from conformance.mutants.hostile.messages.connections import STREAMS
from conformance.mutants.hostile.messages.headers import THROTTLING
from conformance.mutants.hostile.model import Hostile
from conformance.selftest.support.hostile_runs import HostileRun, runs, troubles

SERVERS = (*JSON_EXTREMES, *THROTTLING, *TOKENS, *STREAMS, *TEXTS, *ECHOES, *FALSE_WRITES)

__all__ = ["runs"]


@pytest.mark.parametrize("hostile", SERVERS, ids=[hostile.name for hostile in SERVERS])
def test_hostile_server(hostile: Hostile, runs: Mapping[str, Future[HostileRun]]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(troubles(runs[hostile.name].result())) == ""
