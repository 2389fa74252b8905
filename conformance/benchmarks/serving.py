"""A server in a process of its own, with its truthful profile."""

from __future__ import annotations

import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any

from conformance.profiles.toml import toml_of
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

READS_ONLY_KEYS: Mapping[str, Mapping[str, object]] = {"pace": {"generated_reads": 0, "generated_writes": 0}}
"""No generated requests: a hand-written suite makes none."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that runs.

    Attributes:
        here: the directory of all that is measured on it.
        profile: what its truthful profile says.
        count: the requests that it was sent so far.
    """

    here: Path
    profile: dict[str, Any]
    count: Synchronized[int]

    @property
    def requests(self) -> int:
        """How many requests it was sent so far."""
        return self.count.value

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.profile["target"]["base_url"]

    @property
    def profile_file(self) -> Path:
        """The file with its profile."""
        return self.here / "profile.toml"


@contextmanager
def served(
    here: Path,
    kind: type[Service] = Service,
    *,
    fleet: Sequence[ApplianceSpec] = (),
    latency_s: float = 0.0,
    tables: Mapping[str, Mapping[str, object]] = READS_ONLY_KEYS,
) -> Generator[Server]:
    """Serves a service in a process of its own for as long as the context lasts.

    Args:
        here: the directory to make for its files.
        kind: the reference, or a mutant.
        fleet: its appliances; none for those it has anyway.
        latency_s: how long every answer takes, in seconds.
        tables: what its profile declares beside what is true of it, by table.
    """
    here.mkdir()
    forking = get_context(
        "fork"
    )  # classes of mutants are made from tables: a new interpreter cannot find them
    count = forking.Value("Q")
    service = _counting(kind, tuple(fleet) or kind.fleet, count)
    ours, theirs = forking.Pipe()
    process = forking.Process(target=_serve, args=(theirs, service(latency_s=latency_s)), daemon=True)
    process.start()
    try:
        server = Server(here, ours.recv(), count)
        for name, table in tables.items():
            server.profile[name] = {**server.profile.get(name, {}), **table}
        server.profile_file.write_text(toml_of(server.profile), encoding="utf-8")
        yield server
    finally:
        process.terminate()
        process.join()


def _counting(kind: type[Service], fleet: Sequence[ApplianceSpec], count: Synchronized[int]) -> type[Service]:
    """A service that counts its requests."""

    def handle(self: Service, request: Incoming) -> Reply:
        with count.get_lock():
            count.value += 1
        return kind.handle(self, request)

    return type("Benchmarked", (kind,), {"fleet": fleet, "handle": handle})


def fleet_of(count: int) -> tuple[ApplianceSpec, ...]:
    """So many appliances: those of the reference over and over."""
    specs = islice(cycle(Service.fleet), count)
    return tuple(replace(spec, ha_id=f"{spec.ha_id}-{number}") for number, spec in enumerate(specs))


def _serve(parent: Connection, service: Service) -> None:
    with serve({"": service}) as base_url:
        parent.send(truthful_profile(service, base_url))
        threading.Event().wait()
