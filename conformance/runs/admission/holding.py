"""Locks for what two runs must not use at once; each names the run that holds it.

A lock is a file under `flock`, so it ends with the processes that hold it, however they end; a file that a
crash leaves behind locks nothing. A child process that inherits the descriptor holds the lock, too, and keeps
it if its parent is killed.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import lock_descriptor

LOCK = ".lock"
"""The lock of a directory of a run, within it; gone when the run has ended."""


class InUseError(Exception):
    """Another run holds what this one needs; the text says which, since when, and where its files are."""


@contextmanager
def held(lock: Path, what: str, out: Path) -> Generator[int]:
    """Holds a lock as long as the context lasts; yields its descriptor, which a child process may inherit.

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
        yield descriptor
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


def _holder(descriptor: int) -> str:
    try:
        holder: Any = json.loads(os.pread(descriptor, 65_536, 0))
        return (
            f"another run: process {holder['pid']} on {holder['host']}, since {holder['since']}, with its"
            f" files in {holder['out']}"
        )
    except (ValueError, LookupError, TypeError):
        return "another run"  # which has just begun
