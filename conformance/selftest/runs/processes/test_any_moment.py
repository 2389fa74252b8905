"""After a run that ends at any moment, by a signal, its server holds what it held before."""

import os
import random
import signal
from functools import cached_property
from pathlib import Path

import pytest

from conformance.cases import CATALOG
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import FRIDGE_SETPOINTS, PATIENT, TIMED_OVEN
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import Lagging
from conformance.profiles.toml import write_profile
from conformance.profiles.validation import build_profile
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.selftest.support.commands import BARE, Running, command, surroundings, wait_until_free
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.servers.recording import held_by


class Small(Service):
    """The reference with two appliances."""

    fleet = (TIMED_OVEN, FRIDGE_SETPOINTS)


class Replica(Small):
    """Every read shows what was there a tenth of a second before."""

    profile_extras = PATIENT

    @cached_property
    def past(self) -> list[tuple[float, dict[str, dict[str, Json]]]]:
        """The values at the moments of the latest requests, by haId and key."""
        return []

    def answer(self, request: Incoming) -> Reply:
        now = {ha_id: dict(appliance.values) for ha_id, appliance in self.appliances.items()}
        self.past.append((self.clock.now(), now))
        while self.past[0][0] < self.clock.now() - 0.1:
            self.past.pop(0)
        return super().answer(request)

    def value(self, appliance: Appliance, key: str) -> Json:
        _, then = self.past[0]
        return then[appliance.ha_id][key]


class CachedLights(Lagging, find_server("light-on-at-full")):
    """The first two reads do not show how bright a light is that a write has switched on."""


SERVERS: dict[str, tuple[type[Service], int]] = {
    "reference": (Small, 160),
    "effects late": (find_server("effects-late"), 100),
    "reads late": (Replica, 160),
    "reads cached": (find_server("reads-lag-behind"), 60),
    "found locked": (find_server("child-lock-swallows-the-rest"), 80),
    "coupled lights": (find_server("custom-color-shows-the-preset"), 170),
    "cached lights": (CachedLights, 350),
}
"""Kinds of servers, and how many requests a run surely makes from its first write on."""
MOMENTS = [
    pytest.param(
        server,
        number,
        random.Random(f"{server} {number} {each}").randrange(most),
        id=f"{server}, {number.name} {each}",
    )
    for place, (server, (_, most)) in enumerate(SERVERS.items())
    for number in ((signal.SIGINT, signal.SIGTERM)[place % 2], signal.SIGKILL)
    for each in range(int(os.environ.get("MOMENTS", "1")))
]
"""A server, a signal, and how many requests after its first write a run gets it.

They are the same each time; the variable MOMENTS says how many there are of each kind.
"""


@pytest.mark.parametrize(("server", "number", "moment"), MOMENTS)
def test_run_ends_at_any_moment(server: str, number: signal.Signals, moment: int, tmp_path: Path) -> None:
    """Its appliances hold what they held before: the run has seen to it, or `restore` where it was killed."""
    kind, _ = SERVERS[server]
    asked, commands = list[str](), list[Running]()

    def answer(self: Service, request: Incoming) -> Reply:
        reply = kind.answer(self, request)
        if asked or request.method == "PUT":
            asked.append(request.path)
            if len(asked) == moment + 1:
                strike()
        return reply

    def strike() -> None:
        (running,) = commands
        if number == signal.SIGKILL:
            running.kill()
        else:
            running.send_signal(number)

    service, out = type("Struck", (kind,), {"answer": answer})(), tmp_path / "out"
    before = held_by(kind())
    with served(service) as data:
        profile = build_profile(data | {"pace": data.get("pace", {}) | STILL}, CATALOG)
        words = ["run", str(write_profile(profile, tmp_path / "hub.toml")), "--level", "power"]
        with Running([*words, "--out", str(out), *BARE], tmp_path, surroundings()) as running:
            commands.append(running)
            code = running.end().code
        assert len(asked) > moment
        if number == signal.SIGKILL:
            wait_until_free(out)
            restored = command("restore", str(out / JOURNAL_FILE), directory=tmp_path)
            assert (code, restored.code) == (-signal.SIGKILL, 0), restored.output
        else:
            assert code == INCONCLUSIVE
    assert held_by(service) == before
    assert not owed_in(out / JOURNAL_FILE)
