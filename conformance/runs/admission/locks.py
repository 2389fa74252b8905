"""Locks: a file that a run holds as long as it lasts, and as long as a process runs that it has forked.

Each costs a descriptor, of which a process has a thousand; so one lock of a run names the many appliances
that it holds.
"""

import json
import os
import platform
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import lock_descriptor

from conformance.files import foreign_files

LOCK = ".lock"
"""The lock of a directory of a run, within it; gone when the run has ended."""


class InUseError(Exception):
    """Another run holds what this one needs; the text says which, since when, and where its files are."""


@contextmanager
def held(lock: Path, what: str, out: Path, holds: Sequence[str] = ()) -> Generator[None]:
    """Holds a lock as long as the context lasts, and as a process runs that was forked meanwhile.

    Args:
        lock: the file, which is deleted at the end.
        what: what is locked, for the message.
        out: the directory of the run that holds it.
        holds: the names of what is held with it.

    Raises:
        InUseError: when another run holds it.
        OSError: when the file cannot be made, or the file system knows no locks.
    """
    descriptor = _locked(lock, what)
    try:
        since = datetime.now(UTC).isoformat(timespec="seconds")
        holder = {"pid": os.getpid(), "host": platform.node(), "since": since, "out": str(out.absolute())}
        os.ftruncate(descriptor, 0)
        os.write(descriptor, json.dumps({**holder, "holds": holds}).encode())
        yield
    finally:
        # before it is released: whoever opens the same file later finds that it has no name any more
        lock.unlink(missing_ok=True)
        os.close(descriptor)


def _locked(lock: Path, what: str) -> int:
    while True:
        descriptor = _opened(lock, what, os.O_CREAT)
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


def _opened(lock: Path, what: str, flags: int = 0) -> int:
    """A lock, opened.

    Raises:
        InUseError: when it is of another user, so that nobody else can tell what is held with it.
        OSError: when it cannot be opened.
    """
    try:
        return os.open(lock, os.O_RDWR | os.O_NOFOLLOW | flags, 0o600)
    except PermissionError:
        if not (owner := foreign_files.owner_of(lock)):
            raise
        since = datetime.fromtimestamp(lock.stat().st_mtime, UTC).isoformat(timespec="seconds")
        told = f"{what} may be in use: {lock} is the lock of a run of {owner}, since {since}"
        raise InUseError(f"{told}; if that run was killed, {owner} has to delete it") from None


def name_judging_process(out: Path) -> None:
    """Names this process, which judges, in the lock of `out`, which the one holds that it was forked from.

    So it can be ended also where that other one was killed. Where nobody holds `out`, nothing is named.
    """
    with suppress(FileNotFoundError):
        descriptor = _opened(out / LOCK, str(out))
        try:
            text = json.dumps(_said(descriptor) | {"pid": os.getpid()}).encode()
            os.pwrite(descriptor, text, 0)
            os.ftruncate(descriptor, len(text))
        finally:
            os.close(descriptor)


def _said(descriptor: int) -> dict[str, Any]:
    """What a lock says, whoever has written it.

    Raises:
        ValueError: when it is no lock, or is over its bounds.
    """
    text = os.pread(descriptor, foreign_files.LOCK.whole + 1, 0)
    if len(text) > foreign_files.LOCK.whole:
        raise ValueError("it is too long")
    return foreign_files.parse_object(text)


def _holder(descriptor: int) -> str:
    try:
        holder = _said(descriptor)
        is_here = holder["host"] == platform.node()
        process = _judging(holder) if is_here else holder["pid"]
        ending = f"; `kill {process}` has it put back what it wrote, and end" if is_here else ""
        return (
            f"another run: process {process} on {holder['host']}, since {holder['since']}, with its files in"
            f" {holder['out']}{ending}"
        )
    except (ValueError, LookupError, TypeError):
        return "another run"  # which has just begun


def _judging(holder: Mapping[str, Any]) -> int:
    """The process that judges: the lock of the directory of its run names it, once it was forked."""
    with suppress(OSError, ValueError, LookupError, TypeError):
        lock = foreign_files.read_bytes(Path(holder["out"]) / LOCK, foreign_files.LOCK)
        return int(foreign_files.parse_object(lock)["pid"])
    return int(holder["pid"])


_RUN = ".run"
_ALONE = ".alone"
_PATIENCE_S = 60


@contextmanager
def held_together(directory: Path, named: Mapping[str, str], out: Path) -> Generator[None]:
    """Holds many things, or none of them, with one file that names them, and one descriptor.

    Args:
        directory: where the file lies, beside those of other runs.
        named: the name of each thing, with what it is, for the message.
        out: the directory of the run.

    Raises:
        InUseError: when another run holds one of them.
        OSError: when a file cannot be made, or the file system knows no locks.
    """
    with ExitStack() as stack:
        with _alone(directory):
            for other in directory.glob(f"*{_RUN}"):
                _assert_other(other, named)
            run = directory / f"{uuid4().hex}{_RUN}"
            stack.enter_context(held(run, str(run), out, tuple(named)))
        yield


@contextmanager
def _alone(directory: Path) -> Generator[None]:
    """Waits until no other run looks at the locks of a directory."""
    until = time.monotonic() + _PATIENCE_S
    while True:
        try:
            descriptor = _locked(directory / _ALONE, str(directory))
            break
        except InUseError:
            if time.monotonic() > until:
                raise
        time.sleep(0.01)
    try:
        yield
    finally:
        (directory / _ALONE).unlink(missing_ok=True)
        os.close(descriptor)


def _assert_other(run: Path, named: Mapping[str, str]) -> None:
    """Raises where a run that goes on holds what is named; what a killed one has left holds nothing."""
    try:
        descriptor = _opened(run, next(iter(named.values()), str(run)))
    except FileNotFoundError:
        return
    try:
        if lock_descriptor(descriptor, blocking=False):
            run.unlink(missing_ok=True)
            return
        taken = _held_with(descriptor)
        for what in (what for name, what in named.items() if taken is None or name in taken):
            raise InUseError(f"{what} is in use by {_holder(descriptor)}")
    finally:
        os.close(descriptor)


def _held_with(descriptor: int) -> frozenset[str] | None:
    """The names of what a run holds; None where they cannot be told, as after a disk was full."""
    try:
        return frozenset(_said(descriptor)["holds"])
    except (ValueError, LookupError, TypeError):
        return None
