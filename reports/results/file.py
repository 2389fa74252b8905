"""results.json: written in the same bytes for the same results, and read back.

One clause and one case stand on a line each, so that the file can be searched and compared by line.
"""

import json
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from typing import Final, cast

from msgspec import convert, to_builtins

from conformance.files.foreign_files import RESULTS, lines_of
from conformance.files.text_files import pieces_by_row, read_document, write_text
from conformance.records.results import SCHEMA, Results
from conformance.records.run_facts import RunFacts
from conformance.records.verdicts import VERDICTS
from reports.results.headline import headline

RESULTS_FILE: Final = "results.json"
OF_FAILED: Final = "failed"
"""The directory, in that of a run, of the run that has judged again what failed in it."""
_LONGEST: Final = 200  # characters of what is wrong
_DIGESTS: Final = ("catalog_sha256", "judging_sha256")
_OF_RUN: Final = [name for name in RunFacts.__struct_fields__ if name not in {"suite_version", *_DIGESTS}]
_BESIDE: Final = frozenset({"run", "verdict", "cases"})
_OF_RESULTS: Final = [name for name in Results.__struct_fields__ if name not in _BESIDE]
"""Members of the file, each called as what it is in the records."""


class ResultsError(ValueError):
    """A file that is not a results.json of this schema; the text names the file and what is wrong."""


def render_results(results: Results) -> Iterator[str]:
    """The text of results.json, in pieces."""
    run = results.run
    document: dict[str, object] = {
        "schema": SCHEMA,
        "suite": {"version": run.suite_version, **{name: getattr(run, name) for name in _DIGESTS}},
        **{name: to_builtins(getattr(run, name)) for name in _OF_RUN},
        "verdict": results.verdict,
        "headline": headline(results),
        **{name: to_builtins(getattr(results, name)) for name in _OF_RESULTS},
        "partial": results.partial,
        "stale_waivers": results.stale_waivers,
        "cases": results.cases,
    }
    return pieces_by_row(document)


def write_results(results: Results, path: Path) -> None:
    """Writes results.json whole or not at all: an older file stays until the new one is complete."""
    write_text(path, render_results(results))


def load_results(path: Path) -> Results:
    """Reads results.json.

    Raises:
        ResultsError: The file cannot be read, is not JSON, is of another schema, a member is missing or of a
            wrong type, or a finding names a case that is not there.
    """
    results = _read(path, read_document(path, RESULTS, SCHEMA, ResultsError))
    lacking = next(_lacking(results), "")
    if lacking:
        raise ResultsError(f"{path}: {lacking[:_LONGEST]}")
    return results


def load_outcome(path: Path) -> Results:
    """Reads a results.json of this suite without its cases, which are nearly all of a large one.

    Raises:
        ResultsError: A member is missing or of a wrong type.
    """
    head: Iterator[bytes] = takewhile(lambda line: not line.startswith(b'"cases": '), lines_of(path, RESULTS))
    return _read(path, json.loads(b"".join([*head, b'"cases": []}'])))


def _read(path: Path, members: Mapping[str, object]) -> Results:
    try:
        return convert({**members, "run": _run_facts(members)}, Results)
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{path}: {str(error)[:_LONGEST].replace('$.run', '$')}") from error


def _lacking(results: Results) -> Iterator[str]:
    """What a table or a finding refers to, and the file does not have."""
    counted = [("$.counts", results.counts, (*VERDICTS, "waived"))]
    counted += [(f"$.clauses[{at}].counts", one.counts, VERDICTS) for at, one in enumerate(results.clauses)]
    for place, counts, names in counted:
        yield from (f"there is no number of {name} - at `{place}`" for name in names if name not in counts)
    ids = {case.id for case in results.cases}
    for number, finding in enumerate(results.findings):
        other = next((id_ for id_ in (finding.case, *finding.cases) if id_ not in ids), None)
        if other is not None or finding.case not in finding.cases:
            yield f"there is no case {other or finding.case} - at `$.findings[{number}]`"
    failed = {case.id for case in results.of("fail")}
    unnamed = failed.difference(*(finding.cases for finding in results.findings))
    yield from (f"no finding names the failed case {id_}" for id_ in sorted(unnamed))


def _run_facts(members: Mapping[str, object]) -> dict[str, object]:
    """The members of the file that `RunFacts` has; those of the suite stand in an object of their own."""
    suite = members.get("suite")
    named = cast("dict[str, object]", suite) if isinstance(suite, dict) else {}
    digests = {name: named.get(name) for name in _DIGESTS}
    return {**members, **digests, "suite_version": named.get("version")}
