"""What lies beside the results of a night: its report, and how its run ended.

Whoever files the nights may write a `night.json` into the directory of each, also where a run left no
results: `{"at": "2026-11-12T02:31:00Z", "exit_code": 2, "url": "https://ci.example/jobs/7"}`. `at` is when
the run was over (RFC 3339); `url` leads to its job and may be left out.
"""

import os
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import quote

import msgspec

from conformance.files.foreign_files import RESULTS, FileKind, read_bytes
from conformance.records.run_facts import moment
from reports.history.model import MissingNight
from reports.results.file import RESULTS_FILE

NIGHT_FILE: Final = "night.json"
_REPORT: Final = "report.html"
_KIND: Final = FileKind("file of a night", 10_000, 10_000)
_ADDRESSES: Final = ("https://", "http://")


class _NightFile(msgspec.Struct):
    at: str
    exit_code: int
    url: str = ""


class _Started(msgspec.Struct):
    started: str


def missing_nights(directory: Path, runs: Collection[Path]) -> tuple[MissingNight, ...]:
    """The nights in `directory` that left no results, in the order of time; `runs` are those that did."""
    found = [
        MissingNight(told.at, told.exit_code, told.url)
        for path in directory.rglob(NIGHT_FILE)
        if path.parent not in runs and (told := _told(path.parent))
    ]
    return tuple(sorted(found, key=lambda one: moment(one.at)))


def link_to_report(directory: Path, started: str, here: Path | None) -> str:
    """Where the report of a night is, for a page that lies in `here`; empty where nobody knows.

    It lies beside the results, or beside the page where that is the run of this night; else the address that
    `night.json` names.
    """
    if here:
        if (directory / _REPORT).is_file():
            return quote(os.path.relpath(directory / _REPORT, here))
        if (here / _REPORT).is_file() and _started(here / RESULTS_FILE) == started:
            return _REPORT
    told = _told(directory)
    return told.url if told else ""


def _told(directory: Path) -> _NightFile | None:
    """The `night.json` of a directory; None without one that can be read."""
    with suppress(OSError, ValueError, msgspec.MsgspecError):
        told = msgspec.json.decode(read_bytes(directory / NIGHT_FILE, _KIND), type=_NightFile)
        moment(told.at)
        # an address of any other kind would run in the page
        return told if told.url.startswith(_ADDRESSES) else _NightFile(told.at, told.exit_code)
    return None


def _started(path: Path) -> str:
    """When the run of a results.json began; empty where there is none."""
    with suppress(OSError, ValueError, msgspec.MsgspecError):
        return msgspec.json.decode(read_bytes(path, RESULTS), type=_Started).started
    return ""
