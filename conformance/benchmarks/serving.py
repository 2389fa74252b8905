"""A server with its truthful profile, and what a hand-written suite knows of it."""

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
from msgspec import Struct
from msgspec.structs import replace

from catalog.exports.openapi import operation_path
from catalog.loader import CATALOG
from catalog.maker import STAND_IN
from conformance.profiles.toml import toml_of
from conformance.proof.trials import PREFIX, Trial
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply


class Counting(Service):
    """Counts the requests that it gets, by a name that no shape has."""

    bench_requests = 0

    def handle(self, request: Incoming) -> Reply:
        """Answer one request."""
        self.bench_requests += 1
        return super().handle(request)


class Server(Struct, frozen=True):
    """A server that runs: the directory of all that is measured on it, its truthful profile, its service."""

    here: Path
    profile: dict[str, Any]
    service: Counting

    @property
    def base_url(self) -> str:
        """Where it is."""
        return self.profile["target"]["base_url"]

    @property
    def maker(self) -> str:
        """The name that its keys begin with."""
        return self.profile["target"].get("vendor", STAND_IN)

    @property
    def profile_file(self) -> Path:
        """The file with its profile."""
        return self.here / "profile.toml"

    def requests_since(self) -> int:
        """How many requests it was sent since this was asked last."""
        count, self.service.bench_requests = self.service.bench_requests, 0
        return count


@contextmanager
def served(here: Path, trial: Trial) -> Generator[Server]:
    """Serves the server of a trial, with its files in a new directory; whoever asks is another process."""
    here.mkdir()
    service: Counting = type("Counted", (Counting, trial.server), {})()
    with serve({PREFIX: service}) as base_url:
        server = Server(here, trial.profile(service, base_url), service)
        server.profile_file.write_text(toml_of(server.profile), encoding="utf-8")
        yield server


def fleet_of(count: int) -> tuple[ApplianceSpec, ...]:
    """So many appliances: those of the reference over and over."""
    specs = islice(cycle(Service.fleet), count)
    return tuple(replace(spec, ha_id=f"{spec.ha_id}-{number}") for number, spec in enumerate(specs))


def write_entries(server: Server, *, writes: bool) -> Path:
    """Writes a file with what a server has: reads (path, data type), writes (path, other value)."""
    with httpx.Client(base_url=f"{server.base_url}/") as client:
        reads = list(_reads(client, server))
        others = list(_writes(client, reads)) if writes else []
    path = server.here / "entries.json"
    path.write_text(json.dumps({"reads": reads, "writes": others}), encoding="utf-8")
    return path


def _reads(client: httpx.Client, server: Server) -> Iterator[tuple[str, str]]:
    """The path and the data type of each key that an appliance supports, under a segment that it answers."""
    for appliance in server.profile["appliance"]:
        for entry in (CATALOG.entries[key] for key in appliance["supports"]):
            paths = (operation_path(entry, segment, maker=server.maker) for segment in entry.segments)
            filled = [path.replace("{haId}", quote(appliance["ha_id"])).lstrip("/") for path in paths]
            answering = (path for path in filled if client.get(path).is_success)
            yield from ((path, entry.type) for path in islice(answering, 1))


def _writes(client: httpx.Client, reads: Sequence[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    """The path of each setting that takes another value and its old one back, and that value."""
    for path, data_type in reads:
        data = client.get(path).json()["data"]
        value, limits = data.get("value"), data.get("constraints", {})
        choices = [*limits.get("allowedvalues", ()), limits.get("min"), limits.get("max")]
        others = (
            [not value] if data_type == "Boolean" else [one for one in choices if one not in {None, value}]
        )
        if "/settings/" in path and others and _takes(client, path, others[0], value):
            yield path, others[0]


def _takes(client: httpx.Client, path: str, *values: object) -> bool:
    """Whether a setting can be written these values, one after the other."""
    key = path.rpartition("/")[2]
    answers = [client.put(path, json={"data": {"key": key, "value": value}}) for value in values]
    is_back = client.get(path).json()["data"]["value"] == values[-1]
    return is_back and all(answer.is_success for answer in answers)
