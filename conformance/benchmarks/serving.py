"""A server with its truthful profile."""

from collections.abc import Generator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

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
