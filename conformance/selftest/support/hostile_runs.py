"""Runs against hostile servers; `breaches` is empty where a run came to what its server declares."""

import base64
import html
import os
import re
import resource
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from html.parser import HTMLParser
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

import httpcore
from markdown_it import MarkdownIt
from msgspec import Struct

from conformance.harness.wire.network import SOCKETS
from conformance.mutants.hostile.model import ENVIRONMENT, PROCESSOR_S, SECRET, WRITTEN_MB, Hostile
from conformance.mutants.hostile.servers import opened
from conformance.mutants.hostile.texts import MARK
from conformance.profiles.toml import toml_of
from conformance.profiles.validation import build_profile
from conformance.reference.wire import Incoming
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.session import Session
from conformance.selftest.support.commands import LIMIT_S, Running, surroundings
from conformance.selftest.support.ran import Ran, used_by
from reports.results.build import exit_code
from reports.results.file import RESULTS_FILE, render_results

_LOOK_S = 0.05
"""How often it is looked whether an answer will come."""
_COMMANDS = re.compile(rb"##\[|##vso\[|^\s*(::|##teamcity\[)", re.MULTILINE)
"""What a build server takes for a command: GitHub and Azure anywhere in a line, others at its beginning."""
_MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


class HostileRun(Struct, frozen=True):
    """A run against a hostile server that has ended.

    Attributes:
        hostile: the server.
        measured: the command.
        directory: where it ran; its files are in `out`.
        requests: every request that the server got.
        base_url: where the server was reached.
    """

    hostile: Hostile
    measured: Ran
    directory: Path
    requests: tuple[Incoming, ...]
    base_url: str

    @property
    def files(self) -> list[Path]:
        """Every file that the run wrote, the profile aside."""
        return [
            path
            for path in sorted(self.directory.rglob("*"))
            if path.is_file() and path.name != "target.toml"
        ]

    @property
    def fails(self) -> frozenset[str]:
        """The clauses that failed."""
        has_results = (self.measured.out / RESULTS_FILE).is_file()
        cases: list[dict[str, Any]] = self.measured.results["cases"] if has_results else []
        return frozenset(case["clause"] for case in cases if case["verdict"] == "fail")


def run_against(hostile: Hostile, directory: Path) -> HostileRun:
    """A run against a hostile server, in a directory of its own: a command, or only what judges."""
    directory.mkdir(parents=True, exist_ok=True)
    with opened(hostile) as (served, data):
        measured = (
            _commanded(hostile, data, directory)
            if hostile.whole
            else _tried(hostile, data, directory, Told(served.kept_waiting))
        )
        return HostileRun(hostile, measured, directory, tuple(served.requests), served.base_url)


def _commanded(hostile: Hostile, data: Mapping[str, object], directory: Path) -> Ran:
    """The command, with all that it renders."""
    profile = directory / "target.toml"
    profile.write_text(toml_of(data), encoding="utf-8")
    environment = surroundings({**ENVIRONMENT, "XDG_STATE_HOME": str(directory / "state")})
    words = ["run", str(profile), "--level", hostile.level, "--out", str(directory / "out")]
    words += ["--certify"] if hostile.certified else []
    with Running(words, directory, environment) as running:
        return running.end()


class Told(httpcore.SyncBackend):
    """Connections on which the time of an answer is over as soon as the server knows that none will come.

    So a run need not be impatient to be short, and no answer is missed because the machine is busy.
    """

    def __init__(self, kept_waiting: set[object]) -> None:
        self._kept_waiting = kept_waiting

    def connect_tcp(self, *where: Any, **how: Any) -> httpcore.NetworkStream:
        """Opens one."""
        return _ToldStream(super().connect_tcp(*where, **how), self._kept_waiting)


class _ToldStream(httpcore.NetworkStream):
    """One of them."""

    def __init__(self, plain: httpcore.NetworkStream, kept_waiting: set[object]) -> None:
        self._plain, self._kept_waiting = plain, kept_waiting
        self._own = plain.get_extra_info("client_addr")
        self.write, self.close, self.get_extra_info = plain.write, plain.close, plain.get_extra_info

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What has come; looked for again and again."""
        left_s = inf if timeout is None else timeout
        while True:
            try:
                return self._plain.read(max_bytes, min(_LOOK_S, left_s))
            except httpcore.ReadTimeout:
                left_s -= _LOOK_S
                if left_s <= 0 or self._own in self._kept_waiting:
                    self._kept_waiting.discard(self._own)  # another connection may get the same port
                    raise


def _tried(hostile: Hostile, data: Mapping[str, object], directory: Path, sockets: Told) -> Ran:
    """A run in this process, which says nothing on a terminal: its ledger, its journal and its results."""
    out = directory / "out"
    os.environ.update(ENVIRONMENT)
    network = SOCKETS._replace(backend=sockets)
    results = judged_in(Session(build_profile(data), out, hostile.level, network=network))
    (out / RESULTS_FILE).write_text("".join(render_results(results)), encoding="utf-8")
    return Ran(exit_code(results), b"", out, used_by(resource.RUSAGE_SELF))


def breaches(run: HostileRun) -> list[str]:
    """All that is wrong with a run, a line each."""
    if run.measured.code is None:
        return [f"killed after {LIMIT_S} seconds"]
    return [
        *_unlike_the_outcome(run),
        *_on_the_terminal(run.measured.said),
        *_in_files(run),
        *strayed(run.requests, run.base_url),
        *_leaked(run),
    ]


def _unlike_the_outcome(run: HostileRun) -> Iterator[str]:
    """What differs from the outcome that the server declares."""
    measured, outcome = run.measured, run.hostile.outcome
    if measured.code != outcome.exit:
        yield f"exit code {measured.code}, must be {outcome.exit}"
    if run.fails != outcome.fails:
        yield f"fails {sorted(run.fails)}, must be {sorted(outcome.fails)}"
    if measured.used.resident_mb > outcome.resident_mb:
        yield f"{measured.used.resident_mb:.0f} MB of memory, at most {outcome.resident_mb}"
    if measured.used.processor_s > PROCESSOR_S:
        yield f"{measured.used.processor_s:.0f} s of a processor, at most {PROCESSOR_S}"
    written = sum(path.stat().st_size for path in run.files) / 1e6
    if written > WRITTEN_MB:
        yield f"{written:.1f} MB of files, at most {WRITTEN_MB}"


def _on_the_terminal(said: bytes) -> Iterator[str]:
    """What a terminal or a build server would obey, and tracebacks."""
    if b"Traceback (most recent call last)" in said:
        yield "a traceback"
    if command := _COMMANDS.search(said):
        yield f"a command for a build server: {said[command.start() :][:80]!r}"
    text = said.decode("utf-8", "replace")
    odd = {letter for letter in text if unicodedata.category(letter) in {"Cc", "Cf", "Zl", "Zp", "Cs"}} - {
        "\n"
    }
    if odd:
        yield f"control characters on the terminal: {sorted(odd)!r}"


def _in_files(run: HostileRun) -> Iterator[str]:
    """What a page, a table or a parser would obey."""
    for path in run.files:
        if path.suffix == ".xml":
            names = [element.get("name", "") for element in ET.parse(path).iter()]
            yield from (f"{path.name}: a test called {name!r}" for name in names if name.startswith(MARK))
        elif path.suffix in {".html", ".md"} and MARK in (text := path.read_text(encoding="utf-8")):
            page = _Obeyed()
            page.feed(_MARKDOWN.render(text) if path.suffix == ".md" else text)
            yield from (f"{path.name}: {found}" for found in page.found)


class _Obeyed(HTMLParser):
    """What of a text that holds the mark has become more than text."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._within = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element: none of its attributes acts with the mark."""
        self._within = tag
        acting = [
            (name, value)
            for name, value in attrs
            if name.startswith("on") or name in {"href", "src", "srcdoc", "style"}
        ]
        self.found += [f"<{tag} {name}={value!r}>" for name, value in acting if MARK in (value or "")]
        if tag == "img" and dict(attrs).get("src") == "x":
            self.found.append("a picture")

    def handle_data(self, data: str) -> None:
        """The text of an element: a script or a heading does not hold the mark."""
        if MARK in data and self._within in {"h1", "style"}:
            self.found.append(f"{self._within}: {data[:80]!r}")

    def handle_comment(self, data: str) -> None:
        """A comment: a text opened none."""
        if MARK in data:
            self.found.append(f"a comment: {data[:80]!r}")


def strayed(requests: Iterable[Incoming], base_url: str) -> Iterator[str]:
    """Requests that no run may make: to another host, or with a cookie."""
    host = base_url.partition("//")[2]
    for request in requests:
        if request.headers.get("host") != host:
            yield f"a request to {request.headers.get('host')}"
        if "cookie" in request.headers:
            yield "a request with a cookie"


def _leaked(run: HostileRun) -> Iterator[str]:
    """Where the secret of an environment stands, in any form that can be read back."""
    if not run.hostile.tells_a_secret:
        return
    looked_for = tuple(_spellings(SECRET))
    for name, data in [
        ("the terminal", run.measured.said),
        *((path.name, path.read_bytes()) for path in run.files),
    ]:
        for text in _readings(data):
            if any(spelling in text for spelling in looked_for):
                yield f"the secret, in {name}"
                break


def _spellings(secret: str) -> Iterator[str]:
    """The forms of a secret that no decoding of `_readings` brings back, in lower case."""
    for form in (secret, secret[::-1]):
        once = base64.b64encode(form.encode())
        yield from (
            form.lower(),
            form.encode().hex(),
            form.encode().hex(" "),
            once.decode().lower(),
            base64.b64encode(once).decode().lower(),
        )
    # in base64 of something longer, a secret begins at any of three places
    for before in range(3):
        coded = base64.b64encode(b"\0" * before + secret.encode()).decode()
        yield coded[4 if before else 0 : -4].lower()


def _readings(data: bytes) -> Iterable[str]:
    """A file in lower case, and what is left when escapes, entities and percent signs are read thrice."""
    text = data.replace(b"\0", b"").decode("utf-8", "replace")  # without NUL, UTF-16 is ASCII
    readings = [text]
    for _ in range(3):
        text = (
            _UNICODE.sub(lambda found: chr(int(found[1], 16)), html.unescape(unquote(text)))
            .replace("\\\\", "\\")
            .replace('\\"', '"')
        )
        readings.append(text)
    return [reading.lower() for reading in readings]


_UNICODE = re.compile(r"\\(?:u00|x)([0-9a-fA-F]{2})")
