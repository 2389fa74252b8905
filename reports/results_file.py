"""results.json: written in the same bytes for the same results, and read back.

One clause and one case stand on a line each, so that the file can be searched and compared by line.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

from reports.levels import is_level
from reports.records import SCHEMA, Appliance, CaseResult, ClauseResult, Requests, Results, RunFacts, Target, WaiverResult
from reports.rows import json_by_row
from reports.verdicts import is_run_verdict, is_verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

RESULTS_FILE: Final = "results.json"
_CASE_FIELDS: Final = tuple(field.name for field in fields(CaseResult))
_CLAUSE_FIELDS: Final = tuple(field.name for field in fields(ClauseResult))
_WAIVER_FIELDS: Final = tuple(field.name for field in fields(WaiverResult))


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
        "argv": list(run.argv),
        "verdict": results.verdict,
        "interrupted": results.interrupted,
        "faults": list(results.faults),
        "partial": results.partial,
        "certify": results.certify,
        "refused": list(results.refused),
        "waivers": [asdict(waiver) for waiver in results.waivers],
        "stale_waivers": list(results.stale_waivers),
        "counts": dict(results.counts),
    }
    document["clauses"] = [{name: getattr(clause, name) for name in _CLAUSE_FIELDS} for clause in results.clauses]
    document["cases"] = [{name: getattr(case, name) for name in _CASE_FIELDS} for case in results.cases]
    return json_by_row(document)


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
        ResultsError: The file cannot be read, is no JSON, is of another schema, or lacks a member.
    """
    try:
        document = cast("dict[str, Any]", json.loads(path.read_bytes()))
        if document["schema"] != SCHEMA:
            raise ResultsError(f"{path}: schema is {document['schema']!r}, not {SCHEMA!r}")
        return _results(document)
    except OSError as problem:
        raise ResultsError(f"{path}: {problem.strerror}") from problem
    except KeyError as problem:
        raise ResultsError(f"{path}: member {problem} is missing") from problem
    except (TypeError, ValueError, RecursionError) as problem:
        if isinstance(problem, ResultsError):
            raise
        raise ResultsError(f"{path}: {problem}") from problem


def _results(document: dict[str, Any]) -> Results:
    verdict: object = document["verdict"]
    if not is_run_verdict(verdict):
        raise ValueError(f"{verdict!r} is no verdict of a run")
    if not is_level(document["level"]):
        raise ValueError(f"{document['level']!r} is no level of a run")
    return Results(
        run=_run_facts(document),
        verdict=verdict,
        counts=_table(document["counts"]),
        clauses=tuple(_clause(clause) for clause in document["clauses"]),
        cases=tuple(_case(case) for case in document["cases"]),
        faults=tuple(document.get("faults", ())),
        waivers=tuple(_waiver(waiver) for waiver in document.get("waivers", ())),
        interrupted=document.get("interrupted", False),
        partial=document.get("partial", False),
        certify=document.get("certify", False),
        refused=tuple(document.get("refused", ())),
    )


def _run_facts(document: dict[str, Any]) -> RunFacts:
    return RunFacts(
        suite_version=document["suite"]["version"],
        catalog_sha256=document["suite"]["catalog_sha256"],
        judging_sha256=document["suite"]["judging_sha256"],
        target=Target(**_known(document["target"], ("name", "base_url", "vendor", "product", "profile_sha256"))),
        appliances=tuple(Appliance(**_known(appliance, ("ha_id", "kind"))) for appliance in document["appliances"]),
        level=document["level"],
        started=document["started"],
        finished=document["finished"],
        requests=Requests(**_known(document["requests"], ("reads", "controls", "writes"))),
        interpretations=_table(document["interpretations"]),
        argv=tuple(document.get("argv", ())),
        answers=_table(document.get("answers", {})),
    )


def _clause(record: Mapping[str, Any]) -> ClauseResult:
    if record.get("needs") and not is_level(record["needs"]):
        raise ValueError(f"{record['needs']!r} is no level of a run")
    return ClauseResult(**_known(record, _CLAUSE_FIELDS))


def _case(record: Mapping[str, Any]) -> CaseResult:
    if not is_verdict(record["verdict"]):
        raise ValueError(f"{record['verdict']!r} is no verdict of a case")
    members = _known(record, _CASE_FIELDS)
    members |= {"evidence": tuple(record["evidence"]), "proof": tuple(record.get("proof", ()))}
    return CaseResult(**members)


def _waiver(record: Mapping[str, Any]) -> WaiverResult:
    members = _known(record, _WAIVER_FIELDS)
    members["waives"] = tuple(record.get("waives", ()))
    return WaiverResult(**members)


def _table(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{str(value)[:40]!r} is no table")
    return cast("dict[str, Any]", value)


def _known(record: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: record[name] for name in names if name in record}
