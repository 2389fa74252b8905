"""Lets a client meet the reference, then every conforming server, and says which of them it did not survive.

One process serves all of them, a base path each. What failed is run again, each time on a server that nobody
has asked yet.
"""

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from conformance.gym.commands import Commands, environment_of
from conformance.gym.servers import Conforming
from conformance.mutants.hostile.model import Hostile
from conformance.mutants.hostile.servers import opened
from conformance.profiles.toml import toml_of
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply
from reports.survival import ClientRun, Met, Survival, Survived
from reports.texts import plural

REFERENCE: Final = "reference"
HOSTILE: Final = "Hostile servers: no value is to be had of them, and a client has to end all the same"
_AGAIN: Final = 2
"""How often what failed is run again: a client that then passes once is flaky."""


class NothingSaidError(Exception):
    """The client fails on the reference, or asks nothing of it: so nothing can be said of the others."""

    def __init__(self, why: str, attempt: ClientRun) -> None:
        super().__init__(why)
        self.attempt = attempt


class _Counted(Service):
    """Counts the requests that it gets, by a name that no shape has."""

    gym_requests = 0

    def handle(self, request: Incoming) -> Reply:
        """Answer one request."""
        self.gym_requests += 1
        return super().handle(request)


def play(  # noqa: PLR0913  the options of the command
    commands: Commands,
    words: Sequence[str],
    servers: Sequence[Conforming],
    *,
    hostile: Sequence[Hostile] = (),
    vendor: str = "",
    told: Callable[[str], object],
) -> Survived:
    """Run the command of a client on the reference, and then once on each server.

    Args:
        commands: runs the command.
        words: the command, for the report.
        servers: conforming servers.
        hostile: hostile servers; a client survives one if it ends in time, with whatever exit code.
        vendor: the maker's name in keys and values; empty for `Vendor`.
        told: is told how far it has come.

    Raises:
        NothingSaidError: nothing can be said.
        OSError: there is no such command.
    """
    began, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="seconds")
    gym = _Gym(commands, vendor)
    (reference,) = gym.met({REFERENCE: gym.reference})[REFERENCE]
    if reference.ended:
        raise NothingSaidError(f"on the reference it fails: {reference.words}", reference)
    if reference.ended is None:
        raise NothingSaidError("on the reference it does not end in time", reference)
    if not reference.requests:
        raise NothingSaidError("it asked nothing of the reference", reference)
    number = plural(len(servers) + len(hostile), "other server")
    told(f"reference: survived in {reference.seconds:.1f} s; next: {number}")
    found = gym.tried(servers)
    met = (*_told_of(servers, found), *gym.met_hostile(hostile))
    return Survived(tuple(words), started, time.monotonic() - began, reference, met)


class _Gym:
    """Serves servers, and runs the command once on each."""

    def __init__(self, commands: Commands, vendor: str) -> None:
        self._commands, self._vendor = commands, vendor
        self.reference: type[Service] = type("Reference", (Service,), {"vendor": vendor or Service.vendor})

    def tried(self, servers: Sequence[Conforming]) -> dict[str, tuple[ClientRun, ...]]:
        """The runs on each server: one, or where that failed three at most, until one passes."""
        services = {one.name: one.oddity.served(one.name, self._vendor) for one in servers}
        found: dict[str, tuple[ClientRun, ...]] = {one.name: () for one in servers}
        for _ in range(1 + _AGAIN):
            for name, attempts in self.met(services).items():
                found[name] += attempts
            services = {name: service for name, service in services.items() if found[name][-1].ended != 0}
        return found

    def met(self, services: Mapping[str, type[Service]]) -> dict[str, tuple[ClientRun, ...]]:
        """A run on each of them, anew."""
        counted = {name: type("Counted", (_Counted, one), {})() for name, one in services.items()}
        with serve(counted) as base_url, tempfile.TemporaryDirectory(prefix="gym-") as directory:

            def run(name: str) -> ClientRun:
                service, address = counted[name], f"{base_url}/{name}"
                profile = Path(directory, f"{name}.toml")
                profile.write_text(toml_of(truthful_profile(service, address)), encoding="utf-8")
                return self._commands.run(environment_of(address, profile), lambda: service.gym_requests)

            return dict(zip(counted, ((one,) for one in self._commands.each(run, counted)), strict=True))

    def met_hostile(self, hostile: Sequence[Hostile]) -> list[Met]:
        """What came of the client on hostile servers, each with a port of its own."""

        def run(server: Hostile) -> Met:
            with opened(server) as (served, data), tempfile.TemporaryDirectory(prefix="gym-") as directory:
                profile = Path(directory, "profile.toml")
                profile.write_text(toml_of(data), encoding="utf-8")
                environment = environment_of(served.base_url, profile)
                attempt = self._commands.run(environment, lambda: len(served.requests))
            is_over = attempt.ended is not None and attempt.ended >= 0
            return Met(server.name, server.harm, HOSTILE, "", "survived" if is_over else "broke", (attempt,))

        return self._commands.each(run, hostile)


def _survival(attempts: Sequence[ClientRun]) -> Survival:
    if attempts[-1].ended != 0:
        return "broke"
    return "flaky" if len(attempts) > 1 else "survived"


def _told_of(servers: Sequence[Conforming], found: Mapping[str, tuple[ClientRun, ...]]) -> list[Met]:
    """What came of the client on each server, with the broken ones whose oddity is a part of its own."""
    broken = [one for one in servers if _survival(found[one.name]) == "broke"]
    parts = {
        one.name: tuple(part.name for part in broken if part.oddity.is_within(one.oddity)) for one in broken
    }
    return [
        Met(
            one.name,
            one.what,
            one.group,
            str(one.allowed),
            _survival(found[one.name]),
            found[one.name],
            parts.get(one.name, ()),
        )
        for one in servers
    ]
