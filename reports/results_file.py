"""results.json: written in the same bytes for the same results, and read back.

One clause and one case stand on a line each, so that the file can be searched and compared by line.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from pydantic import TypeAdapter, ValidationError

from conformance.profiles.salvage import first_mistake
from reports.records import SCHEMA, CaseResult, ClauseResult, Results
from reports.rows import json_by_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RESULTS_FILE: Final = "results.json"
_CASE_FIELDS: Final = tuple(field.name for field in fields(CaseResult))
_CLAUSE_FIELDS: Final = tuple(field.name for field in fields(ClauseResult))
_LONGEST: Final = 200


class ResultsError(ValueError):
    """A file that is no results.json of this schema; the text names the file and what is wrong."""


def render_results(results: Results) -> str:
    """The text of results.json."""
    run = results.run
    document: dict[str, object] = {
        "schema": SCHEMA,
        "suite": {"version": run.suite_version, "catalog_sha256": run.catalog_sha256, "judging_sha256": run.judging_sha256},
        "target": asdict(run.target),
        "appliances": [asdict(appliance) for appliance in run.appliances],
        "level": run.level,
        "started": run.started,
        "finished": run.finished,
        "requests": asdict(run.requests),
        "interpretations": dict(run.interpretations),
        "answers": dict(run.answers),
        "keys": asdict(run.keys) if run.keys else None,
        "argv": list(run.argv),
        "verdict": results.verdict,
        "interrupted": results.interrupted,
        "faults": [asdict(fault) for fault in results.faults],
        "partial": results.partial,
        "certify": results.certify,
        "refused": list(results.refused),
        "waivers": [asdict(waiver) for waiver in results.waivers],
        "stale_waivers": list(results.stale_waivers),
        "counts": dict(results.counts),
    }
    document["clauses"] = [{name: getattr(clause, name) for name in _CLAUSE_FIELDS} for clause in results.clauses]
    document["not_judged"] = [asdict(row) for row in results.not_judged]
    document["findings"] = [asdict(finding) for finding in results.findings]
    document["cases"] = [_case_record(case) for case in results.cases]
    return json_by_row(document)


def _case_record(case: CaseResult) -> Mapping[str, object]:
    return {name: getattr(case, name) for name in _CASE_FIELDS} | {"sights": [asdict(sight) for sight in case.sights]}


def write_results(results: Results, path: Path) -> None:
    """Writes results.json whole or not at all: an older file stays until the new one is complete."""
    write_text(path, render_results(results))


def encoded(text: str) -> bytes:
    """`text` as UTF-8.

    A lone surrogate, which a server can put into a string, becomes its backslash escape; inside a
    JSON string that is the same string.
    """
    return text.encode("utf-8", "backslashreplace")


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Writes `text`, which may come in pieces, as UTF-8 whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as draft:
        written = Path(draft.name)
        try:
            draft.writelines(encoded(piece) for piece in ([text] if isinstance(text, str) else text))
            draft.flush()  # a disk that is full says so here, while the draft can be taken away
            written.chmod(0o644)
            written.replace(path)
        except BaseException:
            written.unlink(missing_ok=True)
            raise


def load_results(path: Path) -> Results:
    """Reads results.json.

    Raises:
        ResultsError: The file cannot be read, is no JSON, is of another schema, or a member is missing or of a wrong type.
    """
    try:
        document: object = json.loads(path.read_bytes())
    except OSError as problem:
        raise ResultsError(f"{path}: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise ResultsError(f"{path}: no JSON: {problem}") from problem
    members = cast("dict[str, object]", document) if isinstance(document, dict) else {}
    if members.get("schema") != SCHEMA:
        raise ResultsError(f"{path}: the schema is {json.dumps(members.get('schema'))[:_LONGEST]}, not {json.dumps(SCHEMA)}")
    try:
        return _form().validate_python({**members, "run": _run_facts(members)})
    except ValidationError as error:
        raise ResultsError(f"{path}: {first_mistake(error).replace(' run.', ' ', 1)}") from error


def _run_facts(members: Mapping[str, object]) -> dict[str, object]:
    """What is known of the run, as one object: in the file it stands among the other members, and what is known of the suite apart."""
    suite = members.get("suite")
    named = cast("dict[str, object]", suite) if isinstance(suite, dict) else {}
    of_suite = {"suite_version": named.get("version"), **{name: named.get(name) for name in ("catalog_sha256", "judging_sha256")}}
    return {**members, **of_suite}


@cache
def _form() -> TypeAdapter[Results]:
    return TypeAdapter(Results)
