"""A server in a process of its own, with its truthful profile, and what a hand-written suite knows of it."""

import json
import threading
from collections.abc import Generator, Iterator, Sequence
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
from catalog.maker import STAND_IN
from conformance.profiles.toml import toml_of
from conformance.proof.trials import PREFIX, Trial
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

ENTRIES = "entries.json"


class Server(Struct, frozen=True):
    """A server that runs.

    Attributes:
        here: the directory of all that is measured on it.
        profile: what its truthful profile says.
        count: the requests that it was sent since they were last asked for.
    """

    here: Path
    profile: dict[str, Any]
    count: "Synchronized[int]"

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.profile["target"]["base_url"]

    @property
    def maker(self) -> str:
        """The name that its keys begin with."""
        return self.profile["target"].get("vendor", STAND_IN)

    @property
    def ha_ids(self) -> list[str]:
        """The haIds of its appliances."""
        return [one["ha_id"] for one in self.profile["appliance"]]

    @property
    def profile_file(self) -> Path:
        """The file with its profile."""
        return self.here / "profile.toml"

    def requests_since(self) -> int:
        """How many requests it was sent since this was asked last."""
        with self.count.get_lock():
            count, self.count.value = self.count.value, 0
        return count


@contextmanager
def served(here: Path, trial: Trial) -> Generator[Server]:
    """Serves the server of a trial in a process of its own, with its files in a new directory."""
    here.mkdir()
    forking = get_context("fork")  # classes of mutants are made from tables: no new interpreter can find them
    count = forking.Value("Q")
    ours, theirs = forking.Pipe()
    process = forking.Process(target=_serve, args=(theirs, trial, count), daemon=True)
    process.start()
    try:
        server = Server(here, ours.recv(), count)
        server.profile_file.write_text(toml_of(server.profile), encoding="utf-8")
        yield server
    finally:
        process.terminate()
        process.join()


def _serve(parent: Connection, trial: Trial, count: "Synchronized[int]") -> None:
    def handle(self: Service, request: Incoming) -> Reply:
        with count.get_lock():
            count.value += 1
        return trial.server.handle(self, request)

    service: Service = type("Counting", (trial.server,), {"handle": handle})()
    with serve({PREFIX: service}) as base_url:
        parent.send(trial.profile(service, base_url))
        threading.Event().wait()


def fleet_of(count: int) -> tuple[ApplianceSpec, ...]:
    """So many appliances: those of the reference over and over."""
    specs = islice(cycle(Service.fleet), count)
    return tuple(replace(spec, ha_id=f"{spec.ha_id}-{number}") for number, spec in enumerate(specs))


def write_entries(server: Server, *, writes: bool) -> Path:
    """Writes the file ENTRIES of a server: base URL, reads (path, data type), writes (path, other value)."""
    with httpx.Client(base_url=f"{server.base_url}/") as client:
        reads = list(_reads(client, server))
        others = list(_writes(client, reads)) if writes else []
    known = {"base_url": server.base_url, "reads": reads, "writes": others}
    path = server.here / ENTRIES
    path.write_text(json.dumps(known), encoding="utf-8")
    return path


def _reads(client: httpx.Client, server: Server) -> Iterator[tuple[str, str]]:
    """The path and the data type of each key that an appliance supports, under a segment that it answers."""
    catalog = load_catalog()
    for appliance in server.profile["appliance"]:
        for entry in (catalog.entries[key] for key in appliance["supports"]):
            paths = (operation_path(entry, segment, maker=server.maker) for segment in entry.segments)
            filled = [path.replace("{haId}", quote(appliance["ha_id"])).lstrip("/") for path in paths]
            answering = (path for path in filled if client.get(path).is_success)
            yield from ((path, entry.type) for path in islice(answering, 1))


def _writes(client: httpx.Client, reads: Sequence[tuple[str, str]]) -> Iterator[tuple[str, object]]:
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
    is_back = client.get(path).json()["data"]["value"] == values[-1]
    return is_back and all(answer.is_success for answer in answers)


def _other(data_type: str, data: dict[str, Any]) -> object:
    """Another value that an entry takes, by what its answer shows; None where it shows none."""
    value, constraints = data.get("value"), data.get("constraints", {})
    if data_type == "Boolean":
        return not value
    choices = [*constraints.get("allowedvalues", ()), constraints.get("min"), constraints.get("max")]
    return next((choice for choice in choices if choice not in {None, value}), None)
