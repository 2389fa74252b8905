"""Servers that attack by messages: framing, connections, codings, charsets, headers, redirects, TLS. Each
leads to what it declares.
"""

from collections.abc import Mapping
from concurrent.futures import Future

import pytest

from conformance.mutants.hostile.contents.bodies import CHARSETS
from conformance.mutants.hostile.messages.connections import CONNECTIONS, HANDSHAKES
from conformance.mutants.hostile.messages.framing import COMPRESSION, FRAMING
from conformance.mutants.hostile.messages.headers import HEADERS, REDIRECTS
from conformance.mutants.hostile.model import Hostile
from conformance.selftest.support.hostile_runs import HostileRun, runs, troubles

SERVERS = (*FRAMING, *CONNECTIONS, *COMPRESSION, *CHARSETS, *HEADERS, *REDIRECTS, *HANDSHAKES)
TEXTLESS = [
    hostile
    for hostile in (*FRAMING, *CONNECTIONS, *COMPRESSION, *HANDSHAKES)
    if not hostile.tells_a_secret and "--certify" not in hostile.options
]
"""Those that attack the connection, and say nothing that a report could repeat."""

__all__ = ["runs"]


@pytest.mark.parametrize("hostile", SERVERS, ids=[hostile.name for hostile in SERVERS])
def test_hostile_server(hostile: Hostile, runs: Mapping[str, Future[HostileRun]]) -> None:
    """A run against it has the declared outcome, within its bounds, and does nothing that no run may do."""
    assert "\n".join(troubles(runs[hostile.name].result())) == ""
