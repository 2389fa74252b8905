"""A run begins where nobody else is at work and nothing is owed, or ends with 2 and sends nothing."""

import os
import platform
import resource
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from catalog.keys import CHILD_LOCK
from catalog.model import Level
from conformance.commands.around import write_used
from conformance.commands.options import LATEST
from conformance.harness.errors import RefusedError
from conformance.harness.writes.keeping.journal import Journal
from conformance.harness.writes.keeping.owed import Debt, owed_in
from conformance.profiles.model import Profile
from conformance.profiles.validation import build_profile
from conformance.records.journal_lines import JOURNAL_FILE, JournalError
from conformance.records.ledger_lines import LEDGER_FILE, SCHEMA
from conformance.runs.admission.admitting import admitted
from conformance.runs.admission.locks import LOCK
from conformance.runs.admission.state import new_journal, normalized, record_of, state_directory
from conformance.selftest.support.commands import command, pytest_words
from conformance.selftest.support.owed_journals import intent, journal, served, settled
from conformance.selftest.support.ran import Ran
from conformance.selftest.support.recording import MACHINE_ID, Recording

OWED = intent(CHILD_LOCK, before=False, value=True)
NOBODY = 65534
DEBT = Debt(MACHINE_ID, "settings", CHILD_LOCK, before=False, refused=None)


class Target:
    """A server that is listening, its profile, and directories for a run and for its state."""

    def __init__(self, service: Recording, data: dict[str, Any], directory: Path) -> None:
        self.service = service
        self.data = data
        self.profile: Profile = build_profile(data)
        self.file = write_used(self.profile, directory / "hub.toml")
        self.out, self.state = directory / "out", directory / "state"
        self.out.mkdir()
        self.record = record_of(self.state, self.profile.target.base_url, MACHINE_ID)

    def run(self, *words: str, out: str = "out") -> Ran:
        """A run, which is refused."""
        return command(
            "run", str(self.file), "--out", str(self.out.with_name(out)), "--state", str(self.state), *words
        )

    def killed(self) -> Journal:
        """The journal of a run that was killed when it had written."""
        self.state.mkdir()
        header = {"level": "power", "profile": self.data}
        kept = new_journal(self.out, header, self.profile, self.state)
        kept.intend("write", f"x@{MACHINE_ID}", DEBT, value=True)
        self.service.appliances[MACHINE_ID].values[CHILD_LOCK] = True
        return kept


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """A target of two appliances, not embedded."""
    service = Recording()
    with served(service) as data:
        yield Target(service, data, tmp_path)


@pytest.mark.parametrize("level", ["read", "power"])
def test_run_into_the_directory_of_a_killed_one_is_refused(level: str, target: Target) -> None:
    """It ends with 2, names what is owed and the command that helps, and leaves the journal as it was.

    What it held so that others could be written is named once, also where a case wrote the same.
    """
    place = journal(target.out, target.data, {**OWED, "prepared": True}, OWED)
    before = place.read_bytes()
    result = target.run("--level", level)
    assert (result.code, target.service.requests, place.read_bytes()) == (2, [], before)
    assert result.output.count(f"  {MACHINE_ID} {CHILD_LOCK} was false\n") == 1
    assert result.output.endswith(f"  appliance-conformance restore {place}\n")


def test_pytest_itself_is_refused_too(target: Target, tmp_path: Path) -> None:
    """Bare pytest ends before its first request and says what is owed, as `run` does."""
    (tmp_path / LATEST).mkdir(parents=True)
    place = journal(tmp_path / LATEST, target.data, OWED)
    ran = command(*pytest_words(), directory=tmp_path)
    assert (ran.code, (tmp_path / LATEST / LEDGER_FILE).exists()) == (pytest.ExitCode.USAGE_ERROR, False)
    assert f"appliance-conformance restore {place.relative_to(tmp_path)}" in ran.output


@pytest.mark.parametrize("lines", [(), (OWED, settled(CHILD_LOCK, restored=True), {"end": True})])
def test_journal_that_owes_nothing_is_no_obstacle(lines: tuple[dict[str, Any], ...], target: Target) -> None:
    """Nor is one whose first line was cut, nor that of a server of the suite, which ended with its run."""
    journal(target.out, target.data, *lines)
    with admitted(target.out, target.profile, "power", target.state):
        pass
    (target.out / JOURNAL_FILE).write_text('{"schema": "appl', encoding="utf-8")
    assert owed_in(target.out / JOURNAL_FILE) == []
    kept = new_journal(target.out, {"profile": target.data}, target.profile, None)
    kept.intend("write", "x", DEBT, value=True)
    assert owed_in(target.out / JOURNAL_FILE) == []
    assert [state_directory(name, target.out) for name in ("reference", "mutant:any-ha-id")] == [None, None]


def test_journal_that_cannot_be_read_may_owe_something(target: Target) -> None:
    """Where it is not known what is owed, nothing is overwritten and nothing sent."""
    (target.out / JOURNAL_FILE).write_text("a journal of somebody else\n", encoding="utf-8")
    result = target.run()
    assert (result.code, "it is not known what is owed" in result.output) == (2, True)


@pytest.mark.parametrize("level", ["read", "power"])
def test_owed_appliance_is_not_judged_from_another_directory(level: str, target: Target) -> None:
    """Another --out, or a deleted one, changes nothing: what is owed is known by target and appliance."""
    target.killed()
    with pytest.raises(JournalError, match=f"{MACHINE_ID} is still owed"):
        new_journal(target.out, {}, target.profile, target.state)
    there = target.run("--level", level, out="other")
    (target.out / JOURNAL_FILE).unlink()
    gone = target.run("--level", level, out="other")
    assert (there.code, gone.code, target.service.requests) == (2, 2, [])
    assert f"appliance-conformance restore {target.out / JOURNAL_FILE}\n" in there.output
    assert f"appliance-conformance restore {target.record}\n" in gone.output


@pytest.mark.parametrize("names", [(JOURNAL_FILE,), ("record",), ("record", ".")])
def test_restore_from_either_file_settles_both(names: tuple[str, ...], target: Target) -> None:
    """What was put back from one journal is owed in neither, and the next run of any user may begin."""
    target.killed()
    for name in names:
        result = command("restore", str(target.record if name == "record" else target.out / name))
        assert result.code == 0
    assert target.service.appliances[MACHINE_ID].values[CHILD_LOCK] is False
    assert (owed_in(target.out / JOURNAL_FILE), target.record.exists()) == ([], False)
    with admitted(target.out, target.profile, "power", target.state):
        pass


def test_restore_needs_no_directory_of_the_run(target: Target) -> None:
    """Where the directory of the run is gone, the journal of the appliance is enough."""
    target.killed()
    (target.out / JOURNAL_FILE).unlink()
    target.out.rmdir()
    result = command("restore", str(target.record))
    assert (result.code, target.service.appliances[MACHINE_ID].values[CHILD_LOCK]) == (0, False)


def test_state_is_private(target: Target) -> None:
    """Nobody else can read what is kept of an appliance."""
    with admitted(target.out, target.profile, "power", target.state):
        kept = new_journal(target.out, {"level": "power"}, target.profile, target.state)
        kept.intend("write", "x", DEBT, value=True)
        (lock,) = target.state.glob("*.run")
        modes = [path.stat().st_mode & 0o777 for path in (target.record, lock, target.state)]
    assert modes == [0o600, 0o600, 0o700]


def test_state_that_cannot_be_written_stops_a_run_that_writes(target: Target) -> None:
    """It ends with 2 and says what it needs; a run that only reads owes nothing and goes on."""
    target.state.touch()
    result = target.run("--level", "write")
    assert (result.code, "--state" in result.output, target.service.requests) == (2, True, [])
    with admitted(target.out, target.profile, "read", target.state):
        assert ((target.out / LOCK).is_file(), target.state.is_dir()) == (True, False)


OF_OTHERS = {"run": ", since 20", "journal": "alone can read and restore it", "lock": ", since 20"}
"""What is said of the files of another user."""


@contextmanager
def another_user(file: Path) -> Generator[None]:
    """As one who cannot open a file: as nobody where this is root, else it is opened by none."""
    user, mode = os.geteuid(), file.stat().st_mode
    file.chmod(0)
    os.seteuid(user or NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        file.chmod(mode)


@pytest.mark.parametrize("level", ["read", "power"])
@pytest.mark.parametrize("name", OF_OTHERS)
def test_files_of_another_user_are_said_with_their_owner(name: str, level: Level, target: Target) -> None:
    """In a state directory that users of a machine share, nobody goes on beside what they cannot read."""
    with TemporaryDirectory() as place, ExitStack() as stack:
        shared, out, owner = Path(place, "state"), Path(place, "out"), Path(place).owner()
        for directory in (Path(place), shared, out):
            directory.mkdir(exist_ok=True)
            directory.chmod(0o777)
        file = out / LOCK if name == "lock" else record_of(shared, target.profile.target.base_url, MACHINE_ID)
        if name == "journal":
            file.write_text("{}\n", encoding="utf-8")
        else:
            own = target.out if name == "run" else out
            stack.enter_context(admitted(own, target.profile, "read", shared if name == "run" else None))
            file = next(shared.glob("*.run"), file)
        with another_user(file), pytest.raises(RefusedError) as refused:
            stack.enter_context(admitted(out, target.profile, level, shared))
    said = str(refused.value)
    assert all(words in said for words in (str(file), f"user {owner}", OF_OTHERS[name]))
    assert "--state" not in said


def test_target_is_known_by_more_than_one_spelling() -> None:
    """Large letters in the host, the default port, a slash at the end make no other target."""
    same = ("HTTP://LocalHost:80/", "http://127.0.0.1/", "http://localhost.", "http://127.0.0.1:80")
    others = ("http://a", "https://a", "http://a:81", "http://a/b", "http://a/B")
    assert (len({*map(normalized, same)}), len({*map(normalized, others)})) == (1, 5)


def test_run_in_use_is_said_with_its_holder(target: Target) -> None:
    """Whoever else wants the directory or the appliance ends with 2, and names process and directory."""
    place = journal(target.out, target.data)
    with admitted(target.out, target.profile, "read", target.state):
        same, other, restored = target.run(), target.run(out="other"), command("restore", str(place))
        judged = command("judge", str(target.file), "--out", str(target.out))
    holder = f"in use by another run: process {os.getpid()} on "
    for result in (same, other, restored, judged):
        assert result.code == 2
        assert all(words in result.output for words in (holder, str(target.out)))
    assert (target.service.requests, [*target.out.iterdir()], [*target.state.iterdir()]) == ([], [place], [])


def test_process_of_another_host_is_not_told_to_be_ended(
    target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process of that number here is another one, as is a run in a directory of that name."""
    with admitted(target.out, target.profile, "read", target.state):
        monkeypatch.setattr(platform, "node", lambda: "elsewhere")
        output = target.run().output
    assert (f"process {os.getpid()} on" in output, "`kill" in output) == (True, False)


def test_judging_overwrites_no_journal_that_owes(target: Target, tmp_path: Path) -> None:
    """A saved run or a capture is judged only where nothing is owed, also beside its own journal."""
    place = journal(target.out, target.data, OWED)
    for ledger, begins, says in (
        (tmp_path / "ledger.ndjson", f'{{"schema":"{SCHEMA}"', f"restore {place}"),
        (tmp_path / "app.har", '{"log": {"entries": []}}', f"restore {place}"),
        (target.out / "l.ndjson", f'{{"schema":"{SCHEMA}"', "l.ndjson"),
    ):
        ledger.write_text(begins, encoding="utf-8")
        result = command("judge", str(ledger), "--out", str(target.out))
        assert (result.code, says in result.output) == (2, True)


def test_a_large_fleet_is_held_with_few_descriptors(target: Target) -> None:
    """1,100 appliances are locked where a process may open a hundred files; what a killed run has left of
    their locks is no obstacle.
    """
    like = target.profile.appliance[0]
    appliances = tuple(like.model_copy(update={"ha_id": f"oven-{number}"}) for number in range(1_100))
    fleet = target.profile.model_copy(update={"appliance": appliances})
    before, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, most))
    try:
        with admitted(target.out, fleet, "power", target.state):
            left = {path: path.read_bytes() for path in target.state.iterdir()}
            with (
                pytest.raises(RefusedError, match=r"^oven-7 at .* is in use by another run: process"),
                admitted(
                    target.out.with_name("other"),
                    fleet.model_copy(update={"appliance": appliances[7:9]}),
                    "power",
                    target.state,
                ),
            ):
                pass
        assert [*target.state.iterdir()] == []
        for path, content in left.items():
            path.write_bytes(content)
        with admitted(target.out, fleet, "power", target.state):
            pass
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before, most))


SPOILED: dict[str, Callable[[Path], object]] = {
    "cut, as on a full disk": lambda lock: os.truncate(lock, lock.stat().st_size - 10),
    "a terabyte": lambda lock: os.truncate(lock, 1 << 40),
    "nested without end": lambda lock: lock.write_text("[" * 50_000),
}


@pytest.mark.parametrize("how", SPOILED)
def test_appliances_of_a_run_whose_lock_cannot_be_read_are_in_use(how: str, target: Target) -> None:
    """Where a lock does not say what is held, nothing is known to be free."""
    with admitted(target.out, target.profile, "read", target.state):
        (lock,) = target.state.glob("*.run")
        SPOILED[how](lock)
        result = target.run(out="other")
    told = f"{MACHINE_ID} at {target.profile.target.base_url} is in use by another run"
    assert (result.code, told in result.output) == (2, True)
