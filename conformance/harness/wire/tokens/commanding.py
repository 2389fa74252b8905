"""The token that a command prints: the operator's own, which may still print without end, sleep or fork."""

import math
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, cast

from conformance.harness.clock import Clock
from conformance.harness.interruptions import undisturbed
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import ACCESS_TOKEN, Access, Post
from conformance.profiles.keeping import fill

_LIMIT_S: Final = 60
_LOOK_S: Final = 0.05
_MOST: Final = 1 << 16  # bytes: no server takes such a token in a header


class _NothingPrintedError(Exception):
    """Why a command has printed no token."""


class CommandedAccess(Access):
    """The token of `[auth] token_cmd`: the line that the command prints, good until the target says 401."""

    source = "auth.token_cmd"

    def __init__(
        self, words: Sequence[str], redactor: Redactor, environment: Mapping[str, str], clock: Clock
    ) -> None:
        """Runs nothing yet; no shell reads the words."""
        super().__init__(redactor, clock)
        self._words = [fill(word, environment) for word in words]
        self._environment = dict(environment)

    def _fetch(self, post: Post) -> None:
        del post
        try:
            token = _printed(self._words, self._environment).decode("utf-8", "replace").strip()
        except _NothingPrintedError as error:
            return self._settle("", 0.0, str(error))
        except OSError as error:
            return self._settle("", 0.0, f"it cannot be run: {error.strerror}")
        if not token or not (token.isascii() and token.isprintable()):
            return self._settle("", 0.0, "it prints no single line that a header can carry")
        self._know(ACCESS_TOKEN, token, is_sent=True)
        return self._settle(token, math.inf, "")


def _printed(words: Sequence[str], environment: Mapping[str, str]) -> bytes:
    """What a command prints; nothing of it runs any more afterwards, also what it has started.

    A signal that comes meanwhile ends it, and then does what it would have done: that may end this process.

    Raises:
        _NothingPrintedError: when it fails, prints too much, or takes longer than a minute.
        OSError: when it cannot be run.
    """
    with undisturbed() as came:
        process = subprocess.Popen(  # noqa: S603  the operator's own command
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # it may hold what must not be shown
            start_new_session=True,
        )
        with cast("IO[bytes]", process.stdout) as output:
            os.set_blocking(output.fileno(), False)  # what it has started may keep it open
            said, until = b"", time.monotonic() + _LIMIT_S
            try:
                while process.poll() is None and len(said) <= _MOST and not came:
                    said += _there(output)
                    if time.monotonic() > until:
                        raise _NothingPrintedError(f"it takes longer than {_LIMIT_S} s")
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_LOOK_S)
            finally:
                with suppress(ProcessLookupError):  # it has ended, and has left nothing
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            said += _there(output)
    for number in came[:1]:
        signal.raise_signal(number)
    if len(said) > _MOST:
        raise _NothingPrintedError(f"it prints more than {_MOST} bytes")
    if process.returncode:
        raise _NothingPrintedError(f"it ended with {process.returncode}")
    return said


def _there(output: IO[bytes]) -> bytes:
    """What stands in a pipe, or a part of it that is more than enough."""
    with suppress(BlockingIOError):
        return os.read(output.fileno(), _MOST + 1)
    return b""
