"""What a client has exchanged with a target, as lines that `judge` reads, and the commands that read them.

This module and `appliance_conformance_clients`, which watches the clients, are loaded into the process of a
user's tests, where any package may be called like a room of the suite. So they import none of the rooms, and
the lines are judged by a process of their own (`judging`). Lines hold the secrets of the tests: they stay in
memory and go through a pipe, never into a file.
"""

import base64
import json
import sys
import time
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

LONGEST: Final = 1 << 20
"""Bytes of an answer that are kept: no entry of the document takes as many."""
UNPACKED: Final = frozenset(
    httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200)), trust_env=False)
    .headers["accept-encoding"]
    .split(", ")
)
"""The encodings of a body that httpx can undo with the libraries that are installed."""
_STATUSES: Final = range(100, 600)
_NOT_MODIFIED: Final = 304
_PORTS: Final = {"http": 80, "https": 443}
_START: Final = "import appliance_conformance; appliance_conformance.main()"


def is_url(target: str) -> bool:
    """Whether a target is a base URL; else it is a profile."""
    return target.startswith(("http://", "https://"))


def base_url_of(target: str) -> str:
    """The base URL that is meant: `target` itself, or the one in the profile of that name.

    Raises:
        OSError: when there is no such file.
        ValueError: when it is no TOML, or has no base URL, or that names no host.
    """
    base_url = (target if is_url(target) else _declared(target)).rstrip("/")
    if not urlsplit(base_url).hostname:
        raise ValueError(f"{base_url} names no host")
    _place(base_url)
    return base_url


def _declared(target: str) -> str:
    """The base URL in a profile."""
    tables = tomllib.loads(Path(target).read_text(encoding="utf-8-sig"))
    try:
        return str(tables["target"]["base_url"])
    except (KeyError, TypeError):
        raise ValueError("target.base_url is missing") from None


def suite(*words: str) -> list[str]:
    """A command of the suite, to be run in a process of its own."""
    return [sys.executable, "-P", "-c", _START, *words]


def judging(target: str, out: str) -> list[str]:
    """The command that judges the lines on its standard input, with the profile that `target` is, if any."""
    profile = () if is_url(target) else ("--profile", target)
    return suite("judge", "-", *profile, "--out", out)


class Record:
    """What was exchanged with the target at a base URL.

    Attributes:
        lines: the exchanges, each a line of NDJSON.
        left: how many exchanges with the target are not in `lines`, by why.
        elsewhere: how many requests were sent to other addresses.
    """

    now = staticmethod(time.time)  # what freezes time in tests replaces the names of modules, not this one

    def __init__(self, base_url: str) -> None:
        """Records nothing before a client is watched."""
        self.base_url = base_url
        self._origin, self._path = _place(base_url)
        self.lines: list[str] = []
        self.left: Counter[str] = Counter()
        self.elsewhere: Counter[str] = Counter()

    def drained(self) -> dict[str, Any]:
        """What was recorded since the last call, as plain data; nothing is an empty dictionary."""
        found = {"lines": self.lines, "left": dict(self.left), "elsewhere": dict(self.elsewhere)}
        self.lines, self.left, self.elsewhere = [], Counter(), Counter()
        return {name: value for name, value in found.items() if value}

    def add(self, drained: Mapping[str, Any]) -> None:
        """Adds what another record has drained."""
        self.lines += drained.get("lines", ())
        self.left.update(drained.get("left", {}))
        self.elsewhere.update(drained.get("elsewhere", {}))

    def concerns(self, url: str) -> bool:
        """Whether a request is one to the target; the others are counted."""
        origin, path = _place(url)
        if origin == self._origin and f"{path}/".startswith(f"{self._path}/"):
            return True
        self.elsewhere[origin] += 1
        return False

    def in_words(self, hint: str) -> Iterator[str]:
        """What there is to say besides the verdict, a line each; `hint` is for a client that sent nothing."""
        if not self.lines:
            yield f"0 exchanges of {self.base_url} were recorded: nothing is judged"
            if not self.elsewhere and not self.left:
                yield hint
            for origin, count in self.elsewhere.most_common(3):
                yield f"{count} of {self.elsewhere.total()} requests went to {origin}"
        for why, count in self.left.most_common():
            yield f"not recorded: {count} {why}"


class Begun:
    """An exchange with the target that begins now. It is kept, or left out for a reason, once."""

    def __init__(
        self, record: Record, method: str, url: str, headers: Iterable[tuple[str, str]], body: object
    ) -> None:
        """A request that is sent now."""
        text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
        self._method = method.upper()
        self._request = {"method": self._method, "url": url, "headers": [*headers], "body": text or None}
        self._recorder, self._at, self._ended = record, record.now(), False

    def leave(self, why: str) -> None:
        """Leaves it out."""
        if not self._ended:
            self._ended = True
            self._recorder.left[why] += 1

    def keep(self, status: int, headers: Iterable[tuple[str, str]], body: bytes) -> None:
        """Keeps it with its answer, whose `body` is decoded; what is no evidence is left out."""
        headers = [*headers]
        coded = ", ".join(text for name, text in headers if name.casefold() == "content-encoding")
        if status == _NOT_MODIFIED:
            self.leave("not modified: the body is that of an earlier one")
        elif len(body) > LONGEST:
            self.leave(f"longer than {LONGEST:,} bytes")
        elif not {word.strip() for word in coded.split(",")} <= {"", "identity", *UNPACKED}:
            self.leave(f"in an encoding that is not undone here: {coded}")
        elif status not in _STATUSES or not self._method.isalpha():
            self.leave("with a method or a status that HTTP does not have")
        elif not self._ended:
            self._ended = True
            elapsed_ms = max(self._recorder.now() - self._at, 0) * 1000
            response: dict[str, Any] = {"status": status, "headers": headers, "elapsed_ms": elapsed_ms}
            try:
                response["body"] = body.decode()
            except UnicodeDecodeError:
                response |= {"body": base64.b64encode(body).decode(), "body_encoding": "base64"}
            at = datetime.fromtimestamp(self._at, UTC).isoformat()
            line = {"at": at, "request": self._request, "response": response}
            self._recorder.lines.append(json.dumps(line))


def _place(url: str) -> tuple[str, str]:
    """The origin of a URL in one spelling, and its path without a slash at its end."""
    split = urlsplit(url)
    scheme = split.scheme.lower()
    return f"{scheme}://{split.hostname}:{split.port or _PORTS.get(scheme, 0)}", split.path.rstrip("/")
