"""Reads what a history needs of many results.json, fast: a year of them is some gigabytes.

The members that no history needs (evidence, curl lines) are skipped while a file is decoded. A file may be
compressed: `results.json.gz`. The changes.json beside it says who caused what changed that night.

Whoever files the nights may write a `night.json` into the directory of each, also where a run left no
results: `{"at": "2026-11-12T02:31:00Z", "exit_code": 2, "url": "https://ci.example/jobs/7"}`. `at` is when
the run was over (RFC 3339); `url` leads to its job and may be left out.
"""

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path
from sys import intern
from typing import Final
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from catalog.model import Level
from conformance.files.foreign_files import RESULTS, FileKind, parse_object, read_bytes
from conformance.records.results import SCHEMA, ClauseResult, Finding
from conformance.records.run_facts import Campaign, JudgedTarget, moment
from conformance.records.verdicts import RunVerdict, Verdict
from reports.changes.files import load_changes
from reports.changes.model import Cause
from reports.history.model import FailedCase, FiledNight, Night, Nights, Software
from reports.results.file import OF_FAILED, RESULTS_FILE, ResultsError, load_outcome

RESULTS_FILES: Final = (RESULTS_FILE, f"{RESULTS_FILE}.gz")


_NIGHT_FILE: Final = "night.json"
_REPORT: Final = "report.html"
_KIND: Final = FileKind("file of a night", 10_000, 10_000)
_ADDRESSES: Final = ("https://", "http://")


class _SavedSuite(msgspec.Struct):
    version: str
    catalog_sha256: str
    judging_sha256: str


class _SavedCase(msgspec.Struct, gc=False):  # thousands a file, none in a cycle
    """What a history needs of a case; to read all of it would take three times as long."""

    id: str
    verdict: Verdict
    message: str = ""
    waived: bool = False


class _SavedResults(msgspec.Struct):
    """The members of a results.json that a history needs."""

    schema: str
    suite: _SavedSuite
    target: JudgedTarget
    level: Level
    started: str
    finished: str
    verdict: RunVerdict
    counts: dict[str, int]
    clauses: list[ClauseResult]
    findings: list[Finding]
    cases: list[_SavedCase]
    interrupted: bool = False
    partial: bool = False
    headline: str = ""
    campaign: Campaign | None = None

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        for text in (self.started, self.finished):
            moment(text)


def load_nights(directory: Path, page: Path | None = None) -> Nights:
    """The nights whose results lie in `directory`, at whatever depth; of one run that lies there twice, one.

    Of a campaign that is the latest.

    A run that has judged again what failed in another one is none. `page` is where the history will lie, from
    where the reports of the nights are linked to.

    Raises:
        ResultsError: There are no results that can be read, or they are of more than one target.
    """
    here = page.parent if page else None
    known: dict[Collection[str], Collection[str]] = {}
    nights: dict[str, Night] = {}
    unread: list[str] = []
    found = sorted(path for name in RESULTS_FILES for path in directory.rglob(name))
    runs = {path.parent for path in found}
    for path in found:
        if path.parent.name == OF_FAILED and path.parent.parent in runs:
            continue
        try:
            night = _night(_decoded(path), path.parent, here)
        except ResultsError as problem:
            unread.append(str(problem))
        else:
            night = replace(night, cases=known.setdefault(night.cases, night.cases))  # which most share
            if nights.setdefault(night.started, night).finished < night.finished:
                nights[night.started] = night
    if not nights:
        raise ResultsError("; ".join(unread) or f"{directory}: there is no {RESULTS_FILE} in it")
    targets = sorted({night.target for night in nights.values()})
    if len(targets) > 1:
        raise ResultsError(
            f"{directory}: a history is of one target, and these runs are of {', '.join(targets)}"
        )
    in_order = sorted(nights.values(), key=lambda night: moment(night.started))
    return Nights(tuple(in_order), tuple(unread), _missing_nights(directory, runs))


def _night(results: _SavedResults, directory: Path, here: Path | None) -> Night:
    """One run; `directory` holds its files, the page will lie in `here`."""
    suite, target, campaign = results.suite, results.target, results.campaign
    leads = {case: one.case for one in results.findings for case in one.cases}
    return Night(
        started=results.started,
        finished=results.finished,
        target=target.name,
        level=results.level,
        software=Software(
            target.product, suite.version, suite.catalog_sha256, suite.judging_sha256, target.profile_sha256
        ),
        verdict=results.verdict,
        partial=results.interrupted or results.partial or (campaign is not None and not campaign.is_over),
        counts=results.counts,
        clauses={clause.id: clause.verdict for clause in results.clauses},
        cases=frozenset(intern(case.id) for case in results.cases),
        failed={
            case.id: FailedCase(case.message, leads.get(case.id, case.id), case.waived)
            for case in results.cases
            if case.verdict == "fail"
        },
        undecided={case.id for case in results.cases if case.verdict in {"inconclusive", "error"}},
        causes=_causes(directory, results.started),
        headline=results.headline,
        campaign=campaign.words if campaign else "",
        interrupted=results.interrupted,
        base_url=target.base_url,
        link=_link_to_report(directory, results.started, here),
    )


_DECODER: Final = msgspec.json.Decoder(_SavedResults)


def _decoded(path: Path) -> _SavedResults:
    """What a history needs of a file.

    Raises:
        ResultsError: The file cannot be read, or is not a results.json of this schema.
    """
    try:
        text = read_bytes(path, RESULTS)
        try:
            results = _DECODER.decode(text)
        except msgspec.DecodeError:
            # a lone surrogate, which a server can put into a string, is none for msgspec
            results = msgspec.convert(parse_object(text), _SavedResults)
    except OSError as problem:
        raise ResultsError(f"{path}: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise ResultsError(f"{path}: no {RESULTS_FILE}: {problem}") from problem
    if results.schema != SCHEMA:
        raise ResultsError(f"{path}: the schema is not {SCHEMA}")
    return results


def _causes(directory: Path, started: str) -> Mapping[str, Cause]:
    """Who caused what changed, by the id of the case, as the run itself has said when it was new."""
    comparison = load_changes(directory, started)
    changes = comparison.changes if comparison else ()
    return {one.id: one.cause for one in changes if one.cause != "unknown"}


def _missing_nights(directory: Path, runs: Collection[Path]) -> tuple[FiledNight, ...]:
    """The nights in `directory` that left no results, in the order of time; `runs` are those that did."""
    places = (path.parent for path in directory.rglob(_NIGHT_FILE) if path.parent not in runs)
    return tuple(sorted(filter(None, map(_told, places)), key=lambda one: moment(one.at)))


def _link_to_report(directory: Path, started: str, here: Path | None) -> str:
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
    return told.link if told else ""


def _told(directory: Path) -> FiledNight | None:
    """The `night.json` of a directory; None without one that can be read."""
    with suppress(OSError, ValueError, msgspec.MsgspecError):
        told = msgspec.json.decode(read_bytes(directory / _NIGHT_FILE, _KIND), type=FiledNight)
        # an address of any other kind would run in the page
        return told if told.link.startswith(_ADDRESSES) else replace(told, link="")
    return None


def _started(path: Path) -> str:
    """When the run of a results.json began; empty where there is none."""
    with suppress(OSError, ValueError):
        return load_outcome(path).run.started
    return ""
