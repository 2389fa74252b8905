"""Requests on loopback are made on one processor; all else has those of the process."""

import os
import sys
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import httpcore
import pytest

from conformance.cases import CATALOG
from conformance.harness.wire.network import SOCKETS, on_one_processor
from conformance.profiles.validation import build_profile
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.runs.session import Session
from conformance.selftest.support.judged_runs import STILL, begin

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a thread choose")


class Watched(httpcore.SyncBackend):
    """Keeps on which processors the threads may run that open a connection."""

    def __init__(self) -> None:
        self.allowed: list[set[int]] = []

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        """A connection, open."""
        self.allowed.append(os.sched_getaffinity(0))
        return super().connect_tcp(host, port, timeout, local_address, socket_options)


def test_requests_on_loopback_are_made_on_one_processor(tmp_path: Path) -> None:
    """Whichever thread makes them; the run goes on where it likes."""
    service, backend, before = Service(), Watched(), os.sched_getaffinity(0)
    with serve({"": service}) as base_url:
        profile = build_profile(truthful_profile(service, base_url) | {"pace": STILL}, CATALOG)
        with closing(Session(profile, tmp_path, network=SOCKETS._replace(backend=backend))) as session:
            begin(session, {"READ-SETTING"})
            assert os.sched_getaffinity(0) == before
    assert len(backend.allowed) > 1
    assert {len(allowed) for allowed in backend.allowed} == {1}
    assert all(allowed == backend.allowed[0] for allowed in backend.allowed)


def test_a_sandbox_that_forbids_it_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are made on any processor."""

    def forbid(_process: int, _allowed: set[int]) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", forbid)
    with on_one_processor():
        assert os.sched_getaffinity(0)
