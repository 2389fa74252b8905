"""A server in a process of its own, with its truthful profile."""

import json
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from msgspec import Struct
from msgspec.structs import replace

from catalog.exports.openapi import operation_path
from catalog.loader import load_catalog
from conformance.profiles.toml import toml_of
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

READS_ONLY_KEYS: Mapping[str, Mapping[str, object]] = {"pace": {"generated_reads": 0, "generated_writes": 0}}
"""No generated requests: a hand-written suite makes none."""


class Server(Struct, frozen=True):
    """A server that runs.

    Attributes:
        here: the directory of all that is measured on it.
        profile: what its truthful profile says.
        count: the requests that it was sent so far.
    """

    here: Path
    profile: dict[str, Any]
    count: "Synchronized[int]"

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


def _counting(
    kind: type[Service], fleet: Sequence[ApplianceSpec], count: "Synchronized[int]"
) -> type[Service]:
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


ENTRIES = "entries.json"


def write_entries(server: Server) -> None:
    """Writes the file ENTRIES of a server: base URL, reads (path, data type), writes (path, other value)."""
    with httpx.Client(base_url=server.base_url) as client:
        reads = list(_reads(client, server.profile))
        known = {"base_url": server.base_url, "reads": reads, "writes": list(_writes(client, reads))}
    (server.here / ENTRIES).write_text(json.dumps(known), encoding="utf-8")


def _reads(client: httpx.Client, profile: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The path and the data type of each key that an appliance supports, under a segment that it answers."""
    catalog = load_catalog()
    for appliance in profile["appliance"]:
        for entry in (catalog.entries[key] for key in appliance["supports"]):
            paths = (operation_path(entry, segment) for segment in entry.segments)
            filled = [path.replace("{haId}", quote(appliance["ha_id"])) for path in paths]
            yield next(path for path in filled if client.get(path).is_success), entry.type


def _writes(client: httpx.Client, reads: list[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    """The path of each setting that can be written as it stands, and another value than it has."""
    for path, data_type in reads:
        data = client.get(path).json()["data"]
        other = _other(data_type, data)
        if "/settings/" in path and other is not None and _takes(client, path, other, data["value"]):
            yield path, other


def _takes(client: httpx.Client, path: str, *values: object) -> bool:
    """Whether a setting can be written these values, one after the other."""
    key = path.rpartition("/")[2]
    answers = [client.put(path, json={"data": {"key": key, "value": value}}) for value in values]
    return (
        all(answer.is_success for answer in answers)
        and client.get(path).json()["data"]["value"] == values[-1]
    )


def _other(data_type: str, data: dict[str, Any]) -> object:
    """Another value that an entry takes, by what its answer shows; None where it shows none."""
    value, constraints = data.get("value"), data.get("constraints", {})
    if data_type == "Boolean":
        return not value
    choices = [*constraints.get("allowedvalues", ()), constraints.get("min"), constraints.get("max")]
    return next((choice for choice in choices if choice not in {None, value}), None)
