"""Access tokens that a command prints, such as that of a vault or of a cloud's own tools."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Mapping, Sequence
from typing import Final

from conformance.harness.wire.redaction import Redactor
from conformance.harness.wire.tokens.access import ACCESS_TOKEN, Access, Post
from conformance.profiles.variables import fill

_LIMIT_S: Final = 60


class CommandedAccess(Access):
    """The token of `[auth] token_cmd`: the line that the command prints, good until the target says 401."""

    source = "auth.token_cmd"

    def __init__(self, words: Sequence[str], redactor: Redactor, environment: Mapping[str, str]) -> None:
        """Runs nothing yet; no shell reads the words."""
        super().__init__(redactor)
        self._words = [fill(word, environment) for word in words]
        self._environment = dict(environment)

    def _fetch(self, post: Post) -> None:
        del post
        try:
            ended = subprocess.run(  # noqa: S603  the operator's own command
                self._words,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # it may hold what must not be shown
                check=False,
                timeout=_LIMIT_S,
            )
        except subprocess.TimeoutExpired:
            return self._settle("", 0.0, f"it takes longer than {_LIMIT_S} s")
        except OSError as error:
            return self._settle("", 0.0, f"it cannot be run: {error.strerror}")
        token = ended.stdout.decode("utf-8", "replace").strip()
        if ended.returncode:
            return self._settle("", 0.0, f"it ended with {ended.returncode}")
        if not token or not (token.isascii() and token.isprintable()):
            return self._settle("", 0.0, "it prints no single line that a header can carry")
        self._know(ACCESS_TOKEN, token, is_sent=True)
        return self._settle(token, math.inf, "")
