"""A signal ends a run at any moment: at once before anything was sent, and else with its server as before."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import pytest

from conformance.harness.ledger import read_ledger
from conformance.harness.writes.keeping.owed import owed_in
from conformance.mutants.fleets import FRIDGE_SETPOINTS, PATIENT, TIMED_OVEN
from conformance.mutants.hostile.sockets import Served
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.states import Lagging
from conformance.records.journal_lines import JOURNAL_FILE
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.runs.exit_codes import INCONCLUSIVE
from conformance.runs.processes.interruption import interruptible
from conformance.selftest.support.commands import (
    BARE,
    FRIDGE,
    LIMIT_S,
    SCRIPT,
    Running,
    command,
    is_running,
    running_first,
    surroundings,
    wait_until,
    wait_until_free,
)
from conformance.selftest.support.judged_runs import STILL
from conformance.selftest.support.owed_journals import served
from conformance.selftest.support.raw_server import listening, write_profile
from conformance.selftest.support.recording import held_by, served_by

SMALL = served_by(fleet=(TIMED_OVEN, FRIDGE_SETPOINTS))
"""The reference with two appliances."""


class Replica(SMALL):
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
    "reference": (SMALL, 120),
    "effects late": (find_server("effects-late"), 50),
    "reads late": (Replica, 120),
    "reads cached": (find_server("reads-lag-behind"), 50),
    "cached lights": (CachedLights, 350),
}
"""Kinds of servers, and how many requests a run surely makes from its first write on, on a slow machine, too:
there it looks less often while it waits for an effect.
"""
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
    with served(service, tmp_path / "hub.toml", pace=STILL):
        words = ["run", "hub.toml", "--level", "power"]
        with Running([*words, "--out", str(out), *BARE], tmp_path, surroundings()) as running:
            commands.append(running)
            code = running.end().code
        assert len(asked) > moment
        if number == signal.SIGKILL:
            wait_until_free(out)
            restored = command("restore", str(out / JOURNAL_FILE))
            assert (code, restored.code) == (-signal.SIGKILL, 0), restored.output
        else:
            assert code == INCONCLUSIVE
    assert held_by(service) == before
    assert not owed_in(out / JOURNAL_FILE)


# A signal while the suite starts: nothing was sent, and the command ends with 3 and one line.
STARTS = [(0, signal.SIGINT), (50, signal.SIGTERM), (400, signal.SIGINT)]
"""Milliseconds after a process handles signals, and what it gets."""


def handles(pid: int, number: signal.Signals) -> bool:
    """Whether a process has a handler of its own for a signal."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    mask = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(mask, 16) >> (number - 1) & 1)


@contextmanager
def starting(listener: Served, directory: Path) -> Generator[subprocess.Popen[str]]:
    """`run` in the background of a script, so with SIGINT ignored, as soon as it handles SIGTERM."""
    profile = write_profile(directory / "hub.toml", listener.base_url)
    words = [SCRIPT, "run", str(profile), "--out", str(directory / "out")]
    ignoring = (
        "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.argv[1],"
        " sys.argv[1:])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", ignoring, *words],
        env=surroundings(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            until = time.monotonic() + LIMIT_S
            while not handles(process.pid, signal.SIGTERM):
                assert time.monotonic() < until
                time.sleep(0.001)
            yield process
        finally:
            process.kill()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="handlers are read from /proc")
@pytest.mark.parametrize(("delay_ms", "number"), STARTS)
def test_signal_while_starting_ends_with_3_and_one_line(
    delay_ms: int, number: signal.Signals, tmp_path: Path
) -> None:
    """At any moment of the start a signal ends the run with 3; as long as nothing was sent, with one line."""
    with listening() as listener, starting(listener, tmp_path) as process:
        time.sleep(delay_ms / 1000)
        process.send_signal(number)
        said, _ = process.communicate(timeout=LIMIT_S)
    assert (process.returncode, "Traceback" in said) == (INCONCLUSIVE, False), said
    assert listener.requests or said == "interrupted before anything was sent\n"


def test_signal_ends_the_command_that_prints_the_token(tmp_path: Path) -> None:
    """Before the first request a signal ends the run at once, and what it has started as well."""
    place = tmp_path / "pid"
    code = f"import os, time; os.symlink(str(os.getpid()), {str(place)!r}); time.sleep(600)"
    auth = f"[auth]\ntoken_cmd = {json.dumps([sys.executable, '-c', code])}"
    write_profile(tmp_path / "hub.toml", "http://127.0.0.1:9", more=auth)
    with Running(["run", "hub.toml", "--out", "out"], tmp_path, surroundings()) as running:
        while not place.is_symlink():
            assert running.goes_on(0.01)
        running.send_signal(signal.SIGINT)
        ran = running.end()
    assert (ran.code, ran.output.splitlines()[-1:], is_running(place.readlink().name)) == (
        INCONCLUSIVE,
        ["interrupted before anything was sent"],
        False,
    )


IGNORING = "import signal\n\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
"""What a script does to a command that it starts in the background."""


def test_interrupted_run_writes_its_files(tmp_path: Path) -> None:
    """Ctrl-C reaches a run also where it was started with SIGINT ignored; it ends with 3 and its results."""
    with listening(delay=0.2) as listener:
        target = ["--base-url", listener.base_url, *FRIDGE, "--out", str(tmp_path)]
        with Running(["run", *target], tmp_path, surroundings(running_first(tmp_path, IGNORING))) as running:
            wait_until(lambda: len(listener.requests) >= 3)
            running.send_signal(signal.SIGINT)
            ended = running.end()
    lines = re.findall(rb"(?m)^Interrupted after \d+ reads? and 0 writes; .*report: ", ended.said)
    assert (ended.code, b"Traceback" in ended.said, len(lines)) == (3, False, 1), ended.said
    results = json.loads((tmp_path / "results.json").read_bytes())
    assert (results["interrupted"], results["verdict"]) == (True, "inconclusive")
    assert not read_ledger(tmp_path / "evidence.ndjson").complete


@pytest.mark.parametrize(
    ("run", "code"),
    [
        ("interrupted_once(lambda: False)", INCONCLUSIVE),
        ("interrupted_once(lambda: True)", 7),
        ("with interruptible(): pass", 0),
    ],
    ids=["before the first request", "after it", "after the end"],
)
def test_signal_does_what_the_run_has_come_to(run: str, code: int) -> None:
    """A run that has taken over the signals still ends at once as long as nothing was sent; a signal changes
    nothing once a command has done its work.
    """
    script = (
        "import signal, sys\nfrom conformance.harness.interruptions import interrupted_once\n"
        "from conformance.runs.processes.interruption import EndAtOnce, interruptible\n"
        f"EndAtOnce().install()\n{run}\n"
        "try: signal.raise_signal(signal.SIGTERM)\nexcept KeyboardInterrupt: sys.exit(7)"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == code


def test_handler_is_what_it_was_elsewhere() -> None:
    """Whatever handles a signal outside a command handles it afterwards as well."""
    before = signal.getsignal(signal.SIGTERM)
    with interruptible():
        pass
    assert signal.getsignal(signal.SIGTERM) == before
