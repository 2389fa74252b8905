"""Reads what a history needs of many results.json, fast: a year of them is some gigabytes.

The members that no history needs (evidence, curl lines) are skipped while a file is decoded. A file may be
compressed: `results.json.gz`. The changes.json beside it says who caused what changed that night.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from catalog.model import Level
from conformance.files.foreign_files import RESULTS, parse_object, read_bytes
from conformance.records.results import SCHEMA, ClauseResult, Finding
from conformance.records.run_facts import Campaign, JudgedTarget
from conformance.records.verdicts import VERDICTS, RunVerdict, Verdict
from reports.changes.files import load_changes
from reports.changes.model import Cause
from reports.history.model import Night, Nights, Software
from reports.history.night_files import link_to_report, missing_nights
from reports.results.file import OF_FAILED, RESULTS_FILE, ResultsError
from reports.texts import instant

RESULTS_FILES: Final = (RESULTS_FILE, f"{RESULTS_FILE}.gz")
BYTE: Final[dict[Verdict, int]] = {verdict: number for number, verdict in enumerate(VERDICTS, start=1)}
"""The byte of each verdict in `Night.verdicts`."""


class _SavedSuite(msgspec.Struct):
    version: str
    catalog_sha256: str
    judging_sha256: str


class _SavedCase(msgspec.Struct, gc=False):  # thousands a file, none in a cycle
    """What a history needs of a case; to read all of it would take three times as long."""

    id: str
    clause: str
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


def load_nights(directory: Path, page: Path | None = None) -> Nights:
    """The nights whose results lie in `directory`, at whatever depth; of one run that lies there twice, one.

    Of a campaign that is the latest.

    A run that has judged again what failed in another one is none. `page` is where the history will lie, from
    where the reports of the nights are linked to.

    Raises:
        ResultsError: There are no results that can be read, or they are of more than one target.
    """
    here = page.parent if page else None
    index = _CaseIndex()
    nights: dict[str, Night] = {}
    unread: list[str] = []
    found = sorted(path for name in RESULTS_FILES for path in directory.rglob(name))
    runs = {path.parent for path in found}
    for path in found:
        if path.parent.name == OF_FAILED and path.parent.parent in runs:
            continue
        try:
            night = index.night(_decoded(path), path.parent, here)
        except ResultsError as problem:
            unread.append(str(problem))
        else:
            known = nights.setdefault(night.started, night)
            if known.finished < night.finished:
                nights[night.started] = night
    if not nights:
        raise ResultsError("; ".join(unread) or f"{directory}: there is no {RESULTS_FILE} in it")
    targets = sorted({night.target for night in nights.values()})
    if len(targets) > 1:
        raise ResultsError(
            f"{directory}: a history is of one target, and these runs are of {', '.join(targets)}"
        )
    in_order = sorted(nights.values(), key=lambda night: instant(night.started) or night.started)
    return Nights(
        tuple(in_order),
        tuple(index.ids),
        tuple(index.clauses),
        tuple(unread),
        missing_nights(directory, runs),
    )


class _CaseIndex:
    """Gives each case of all nights a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._last: tuple[list[str], list[int]] = [], []
        self.clauses: list[str] = []

    @property
    def ids(self) -> list[str]:
        """The ids of the cases, by their numbers."""
        return list(self._numbers)

    def night(self, results: _SavedResults, directory: Path, here: Path | None) -> Night:
        """One run by the numbers of its cases; `directory` holds its files, the page will lie in `here`."""
        numbers = self._numbers_of(results.cases)
        verdicts = bytearray(len(self._numbers))
        for number, case in zip(numbers, results.cases, strict=True):
            verdicts[number] = BYTE[case.verdict]
        failed = {
            number: case
            for number, case in zip(numbers, results.cases, strict=True)
            if case.verdict == "fail"
        }
        known = (one for one in results.findings if one.case in self._numbers)
        leads = {id_: self._numbers[one.case] for one in known for id_ in one.cases}
        suite, target, campaign = results.suite, results.target, results.campaign
        return Night(
            started=results.started,
            finished=results.finished,
            target=target.name,
            level=results.level,
            software=Software(
                target.product,
                suite.version,
                suite.catalog_sha256,
                suite.judging_sha256,
                target.profile_sha256,
            ),
            verdict=results.verdict,
            partial=results.interrupted or results.partial or (campaign is not None and not campaign.is_over),
            counts=results.counts,
            clauses={clause.id: clause.verdict for clause in results.clauses},
            verdicts=bytes(verdicts),
            messages={number: case.message for number, case in failed.items()},
            findings={number: leads.get(case.id, number) for number, case in failed.items()},
            waived=frozenset(number for number, case in failed.items() if case.waived),
            causes=_causes(directory, results.started),
            headline=results.headline,
            campaign=campaign.words if campaign else "",
            interrupted=results.interrupted,
            base_url=target.base_url,
            link=link_to_report(directory, results.started, here),
        )

    def _numbers_of(self, cases: list[_SavedCase]) -> list[int]:
        """The numbers of the cases of a run, which most often are those of the run before."""
        ids = [case.id for case in cases]
        if ids != self._last[0]:
            known = len(self._numbers)
            numbers = [self._numbers.setdefault(id_, len(self._numbers)) for id_ in ids]
            clauses = {number: case.clause for number, case in zip(numbers, cases, strict=True)}
            self.clauses += [clauses[number] for number in range(known, len(self._numbers))]
            self._last = ids, numbers
        return self._last[1]


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
        except (
            msgspec.DecodeError
        ):  # a lone surrogate, which a server can put into a string, is none for msgspec
            results = msgspec.convert(parse_object(text), _SavedResults)
    except OSError as problem:
        raise ResultsError(f"{path}: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise ResultsError(f"{path}: no {RESULTS_FILE}: {problem}") from problem
    if results.schema != SCHEMA:
        raise ResultsError(f"{path}: the schema is not {SCHEMA}")
    if instant(results.started) is None:
        raise ResultsError(f"{path}: started is no time")
    return results


def _causes(directory: Path, started: str) -> Mapping[str, Cause]:
    """Who caused what changed, by the id of the case, as the run itself has said when it was new."""
    comparison = load_changes(directory, started)
    changes = comparison.changes if comparison else ()
    return {one.id: one.cause for one in changes if one.cause != "unknown"}
