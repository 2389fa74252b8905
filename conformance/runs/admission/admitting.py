"""Whether a run may begin: nobody else is at work there, and nothing is owed.

A run that wrote and was killed has left values of its own on an appliance. Another run would take them for
those of its owner, judge them and restore them; so there is none, at any level, before they are put back. Nor
is there a second run beside one that is under way: it would see values that the other one moves, and together
they would exceed the pace that the profile declares.
"""

import json
import os
import platform
import shlex
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

from catalog.model import Level
from conformance.harness.errors import JournalError, RefusedError
from conformance.harness.writes.keeping.journal import JOURNAL
from conformance.harness.writes.keeping.owed import Debt, owed_in, read_journal
from conformance.profiles.model import Profile
from conformance.runs.admission.state import forget_settled, lock_of, owed_to
from reports.kept_certificates import keep_certificate

LOCK = ".lock"
"""The lock of a directory of a run, within it; gone when the run has ended."""


class InUseError(Exception):
    """Another run holds what this one needs; the text says which, since when, and where its files are."""


@contextmanager
def held(lock: Path, what: str, out: Path) -> Generator[None]:
    """Holds a lock as long as the context lasts, and as a process runs that was forked meanwhile.

    Args:
        lock: the file, which is deleted at the end.
        what: what is locked, for the message.
        out: the directory of the run that holds it.

    Raises:
        InUseError: when another run holds it.
        OSError: when the file cannot be made, or the file system knows no locks.
    """
    descriptor = _locked(lock, what)
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        holder = {"pid": os.getpid(), "host": platform.node(), "since": since, "out": str(out.absolute())}
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps(holder).encode())
        yield
    finally:
        # before it is released: whoever opens the same file later finds that it has no name any more
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, what: str) -> int:
    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            mine, named = lock_descriptor(descriptor, blocking=False), os.fstat(descriptor).st_nlink > 0
        except OSError as error:
            os.close(descriptor)
            raise OSError(error.errno, error.strerror, str(lock)) from error
        if mine and named:
            return descriptor
        holder = _holder(descriptor)
        os.close(descriptor)
        if named:  # a file without a name is that of a run that is just ending
            raise InUseError(f"{what} is in use by {holder}")


def name_judging_process(out: Path) -> None:
    """Adds to the lock of `out`, which the process holds that this one was forked from, that this one judges.

    So it can be ended where only that other one was killed. Where nobody holds `out`, nothing is added.
    """
    with suppress(FileNotFoundError):
        descriptor = os.open(out / LOCK, os.O_RDWR | os.O_NOFOLLOW)
        try:
            os.pwrite(descriptor, json.dumps(_said(descriptor) | {"judging": os.getpid()}).encode(), 0)
        finally:
            os.close(descriptor)


def _said(descriptor: int) -> dict[str, Any]:
    return json.loads(os.pread(descriptor, 65_536, 0))


def _holder(descriptor: int) -> str:
    try:
        holder = _said(descriptor)
        left = _left_by(holder) if holder["host"] == platform.node() else ""
        return (
            f"another run: process {holder['pid']} on {holder['host']}, since {holder['since']}, with its"
            f" files in {holder['out']}{left}"
        )
    except (ValueError, LookupError, TypeError):
        return "another run"  # which has just begun


def _left_by(holder: Mapping[str, Any]) -> str:
    """What goes on of a run whose first process was killed: whoever judges holds its locks as well."""
    if _is_alive(int(holder["pid"])):
        return ""
    try:
        judging = int(json.loads((Path(holder["out"]) / LOCK).read_bytes())["judging"])
    except (OSError, ValueError, LookupError, TypeError):
        judging = 0
    if not judging or not _is_alive(judging):
        return "; that process is gone, and one that it had started goes on"
    gone = f"; that process is gone, and process {judging}, which it had started, goes on"
    return f"{gone}: `kill {judging}` has it put back what it wrote, and end"


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is somebody else's
        return True
    return True


MOST_LINES = 20


@contextmanager
def admitted(out: Path, profile: Profile, level: Level, state: Path | None) -> Generator[None]:
    """Holds `out` and the appliances as long as the context lasts.

    At level read a `state` directory that cannot be written is no obstacle: such a run will owe nothing.

    Raises:
        RefusedError: when another run holds one of them, or something is owed.
        OSError: when `out` cannot be made or locked.
    """
    with ExitStack() as stack:
        stack.enter_context(holding(out))
        assert_settled(out / JOURNAL)
        if state:
            try:
                state.mkdir(mode=0o700, parents=True, exist_ok=True)
                _hold_appliances(stack, out, profile, state)
            except OSError as error:
                if level != "read":
                    why = "a run that writes keeps there what it owes, in case it is killed"
                    advice = f"{why}: give another directory with --state"
                    raise RefusedError(f"{state}: {error.strerror}\n{advice}") from error
            refusal = why_owed(profile, state)
            if refusal:
                raise RefusedError(refusal)
            forget_settled(profile, state)
            stack.callback(forget_settled, profile, state)
        yield


@contextmanager
def holding(out: Path) -> Generator[None]:
    """Holds the directory of a run, which is made if need be; a certificate in it is kept.

    Raises:
        RefusedError: when another run holds it.
        OSError: when it cannot be made or locked, or its certificate cannot be kept.
    """
    out.mkdir(parents=True, exist_ok=True)
    with (
        _refusing("wait until it has ended, or give another --out"),
        held(out / LOCK, str(out), out),
    ):
        if kept := keep_certificate(out):
            print(f"the certificate of an earlier run is kept: {kept}", file=sys.stderr, flush=True)  # noqa: T201  its place is taken now
        yield


def assert_settled(journal: Path) -> None:
    """Whether a journal may be overwritten.

    Raises:
        RefusedError: when it owes something, or it cannot be told.
    """
    try:
        owed = owed_in(journal)
    except JournalError as error:
        raise RefusedError(
            f"{error}\nso it is not known what is owed: move that file away, or give another --out"
        ) from error
    if owed:
        raise RefusedError(_in_words({journal: owed}))


def why_owed(profile: Profile, state: Path) -> str:
    """Why nothing may be sent to the appliances of a profile; empty where they are owed nothing."""
    try:
        owed = owed_to(profile, state)
    except JournalError as error:
        advice = "delete that file once the appliance is as it should be"
        return f"{error}\nso it is not known what is owed: {advice}"
    return _in_words(owed) if owed else ""


def hold_for_restoring(stack: ExitStack, journal: Path) -> None:
    """Holds for as long as `stack` is open what the run held that has begun this journal.

    Raises:
        JournalError: when it is no journal.
        RefusedError: when a run holds it.
    """
    header, owed = read_journal(journal)
    out = Path(str(header["journal"])).parent if "journal" in header else journal.parent
    stack.enter_context(_refusing("restore once it has ended"))
    if out.is_dir():
        stack.enter_context(held(out / LOCK, str(out), out))
    state = Path(str(header["state"])) if "state" in header else None
    if state and state.is_dir():
        base_url = str(header["profile"]["target"]["base_url"])
        for ha_id in dict.fromkeys(debt.ha_id for debt in owed):
            stack.enter_context(held(lock_of(state, base_url, ha_id), f"{ha_id} at {base_url}", out))


def _hold_appliances(stack: ExitStack, out: Path, profile: Profile, state: Path) -> None:
    base_url = profile.target.base_url
    stack.enter_context(_refusing("wait until it has ended"))
    ha_ids = dict.fromkeys(appliance.ha_id for appliance in profile.appliance)
    for ha_id in ha_ids:
        stack.enter_context(held(lock_of(state, base_url, ha_id), f"{ha_id} at {base_url}", out))


@contextmanager
def _refusing(advice: str) -> Generator[None]:
    try:
        yield
    except InUseError as error:
        raise RefusedError(f"{error}\nnothing is sent: {advice}") from error


def _in_words(owed: Mapping[Path, Sequence[Debt]]) -> str:
    every = [debt for debts in owed.values() for debt in debts]
    debts = [f"  {debt.ha_id} {debt.key} was {json.dumps(debt.before, ensure_ascii=False)}" for debt in every]
    more = [f"  and {len(debts) - MOST_LINES} more"] if len(debts) > MOST_LINES else []
    commands = [f"  appliance-conformance restore {shlex.quote(str(journal))}" for journal in owed]
    first = "an earlier run has not put back what it wrote, so nothing is sent"
    return "\n".join([first, *debts[:MOST_LINES], *more, "put it back first:", *commands])
