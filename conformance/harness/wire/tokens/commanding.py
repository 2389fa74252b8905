"""The token that a command prints: the operator's own, which may still print without end, sleep or fork."""

import math
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Final, cast

from conformance.harness.clock import Clock
from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import ACCESS_TOKEN, Access, Post
from conformance.profiles.keeping import fill

_LIMIT_S: Final = 60
_MOST: Final = 1 << 16  # bytes that a pipe holds: no server takes such a token in a header


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

    Nothing is read before it has ended: what prints more than a pipe holds does not end.

    Raises:
        _NothingPrintedError: when it fails, or takes longer than a minute.
        OSError: when it cannot be run.
    """
    process = subprocess.Popen(  # noqa: S603  the operator's own command
        words,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # it may hold what must not be shown
        start_new_session=True,
    )
    with cast("IO[bytes]", process.stdout) as output:
        try:
            code = process.wait(_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise _NothingPrintedError(f"it takes longer than {_LIMIT_S} s, or prints too much") from None
        finally:
            with suppress(ProcessLookupError):  # it has ended, and has left nothing
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code:
            raise _NothingPrintedError(f"it ended with {code}")
        os.set_blocking(output.fileno(), False)  # what it has started may keep it open
        with suppress(BlockingIOError):
            return os.read(output.fileno(), _MOST)
    return b""
