"""The certificate: what was judged, how it was read, what every verdict rests on, and until when that may be relied on.

It is made of the results and of the digest of the ledger, and of nothing else: whoever has the ledger judges it again,
makes the certificate again and compares (`appliance-conformance verify`). Times come from the run, not from the clock.

It is refused where the profile claims nothing, and while anything that it claims was not judged. What one of the thirteen exempting
states kept open, and what is waived, makes it conditional: it names each such case.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any, Final, cast

from reports.certificate_form import mistake_in
from reports.conditional import conditional_cases, is_conditional, is_open
from reports.readings import answer_to
from reports.wording import plural

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from catalog.model import Catalog
    from reports.kills import Kills
    from reports.records import CaseResult, Results, RunFacts

CERTIFICATE_FILE: Final = "certificate.json"
SIGNATURE_SUFFIX: Final = ".sig"  # of the file beside a certificate that holds its signature
SCHEMA: Final = "appliance-conformance/certificate/1"
VALID: Final = timedelta(days=365)
SERVED: Final = frozenset({"READ-SETTING", "READ-STATUS"})  # lines 10, 146, 147: passed, a GET on the key gives its value
_MOST_NAMED: Final = 3


class CertificateError(ValueError):
    """A file that is no certificate of this schema; the text names the file and what is wrong."""


def refusals(results: Results, kills: Kills) -> tuple[str, ...]:
    """Why these results give no certificate, a line each; none where they do."""
    return tuple(_refusals(results, kills))


def build_certificate(results: Results, catalog: Catalog, ledger_sha256: str, kills: Kills) -> dict[str, Any]:
    """The certificate of results that `refusals` finds nothing against, as plain JSON data.

    Args:
        results: The judged run.
        catalog: Gives the gaps of the document.
        ledger_sha256: The digest of the ledger that the results were judged from.
        kills: The proof of the checks.
    """
    run = results.run
    conditions = conditional_cases(results.cases)
    waivers = [waiver for waiver in results.waivers if waiver.waives]
    return {
        "schema": SCHEMA,
        "verdict": "conforms conditionally" if conditions or waivers else "conforms",
        "product": {"name": run.target.product, "vendor": run.target.vendor, "target": run.target.name, "base_url": run.target.base_url},
        "scope": _scope(results),
        "conditions": [_condition(case) for case in conditions],
        "waivers": [
            {"case": waiver.case, "reason": waiver.reason, "owner": waiver.owner, "expires": waiver.expires, "waives": list(waiver.waives)}
            for waiver in waivers
        ],
        "counts": dict(results.counts),
        "readings": dict(run.interpretations),
        "gaps": [{"id": gap.id, "line": gap.line, "answered_by": gap.answered_by, "answer": answer_to(gap, run)} for gap in catalog.gaps],
        "clauses": [
            {
                "id": clause.id,
                "line": clause.line,
                "verdict": clause.verdict,
                "cases": {verdict: number for verdict, number in clause.counts.items() if number},
                "exchanges": clause.exchanges,
                "values": clause.values,
                "mutants_killed": kills.number.get(clause.id, 0),
            }
            for clause in results.clauses
        ],
        "suite": {"name": "appliance-conformance", "version": run.suite_version},
        "digests": {
            "catalog": run.catalog_sha256,
            "judging": run.judging_sha256,
            "profile": run.target.profile_sha256,
            "ledger": ledger_sha256,
            "kill_matrix": kills.sha256,
        },
        "judged": {"started": run.started, "finished": run.finished},
        "issued": run.finished,
        "expires": _expiry(results),
    }


def load_certificate(directory: Path, run: RunFacts) -> dict[str, Any] | None:
    """The certificate of `run` in its directory; None when there is none, the file is none, or it is about another run."""
    try:
        certificate = read_certificate(directory / CERTIFICATE_FILE)
    except CertificateError:
        return None
    return certificate if certificate.get("judged") == {"started": run.started, "finished": run.finished} else None


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate as plain JSON data.

    Raises:
        CertificateError: when the file cannot be read, is no JSON, says something twice, is of another schema, or lacks a member
            of its type.
    """
    try:
        document: object = json.loads(path.read_bytes(), object_pairs_hook=_once)
    except OSError as problem:
        raise CertificateError(f"{path}: {problem.strerror}") from problem
    except (ValueError, RecursionError) as problem:
        raise CertificateError(f"{path}: no JSON: {problem}") from problem
    if not isinstance(document, dict) or cast("dict[str, Any]", document).get("schema") != SCHEMA:
        raise CertificateError(f"{path}: no certificate of the schema {SCHEMA}")
    certificate = cast("dict[str, Any]", document)
    mistake = mistake_in(certificate)
    if mistake:
        raise CertificateError(f"{path}: {mistake}")
    return certificate


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names are all different: of two values under one name, one reader takes the first and another the last."""
    named = dict(members)
    if len(named) < len(members):
        twice = next(name for number, (name, _) in enumerate(members) if name in dict(members[:number]))
        raise ValueError(f"{json.dumps(twice)} stands twice in one object")
    return named


def digest_file(path: Path) -> str:
    """The SHA-256 of a file; of a ledger, what a certificate calls its digest."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refusals(results: Results, kills: Kills) -> Iterator[str]:
    if not results.run.target.product.strip():
        yield "the profile does not name the product (target.product)"
    if results.claims_nothing or not any(case.claimed for case in results.cases):
        yield "the profile claims no key of any appliance (appliance.supports): there is nothing to certify"
    if results.verdict == "fail":
        failed = sum(case.verdict == "fail" and not case.waived for case in results.cases)
        yield f"the target does not conform: {plural(failed, 'case')} failed"
    elif results.verdict != "pass":
        yield f"the verdict of the run is {results.verdict}"
    if results.interrupted:
        yield "the run did not come to its end"
    if results.partial:
        yield "only some of the cases were judged"
    yield from (f"stale waiver: {waiver}" for waiver in results.stale_waivers)
    missed = [case for case in results.cases if is_open(case) and not is_conditional(case)]
    if missed:
        yield f"{plural(len(missed), 'claimed case')} inconclusive through no state that lifts the clause: {_named(missed)}"
    unproven = [clause.id for clause in results.clauses if clause.counts["pass"] and kills.is_unproven(clause.id)]
    if unproven:
        yield f"no mutant has shown that the check of {', '.join(unproven)} can fail"


def _named(cases: Collection[CaseResult]) -> str:
    named = ", ".join(case.id for case in list(cases)[:_MOST_NAMED])
    return named + (f" and {len(cases) - _MOST_NAMED} more" if len(cases) > _MOST_NAMED else "")


def _condition(case: CaseResult) -> dict[str, str]:
    return {"state": case.exempt, "clause": case.clause, "key": case.key, "ha_id": case.ha_id, "finding": case.message}


def _scope(results: Results) -> dict[str, Any]:
    """What the certificate speaks of: the appliances with the keys they claim and serve, and what level and profile left out."""
    claimed: dict[str, dict[str, None]] = {}
    served: dict[str, dict[str, None]] = {}
    for case in results.cases:
        if case.claimed and case.key != "*":
            claimed.setdefault(case.ha_id, {})[case.key] = None
        if case.clause in SERVED and case.verdict == "pass":
            served.setdefault(case.ha_id, {})[case.key] = None
    return {
        "level": results.run.level,
        "kinds": sorted({appliance.kind for appliance in results.run.appliances}),
        "appliances": [
            {
                "ha_id": appliance.ha_id,
                "kind": appliance.kind,
                "claimed": sorted(claimed.get(appliance.ha_id, ())),
                "served": sorted(served.get(appliance.ha_id, ())),
            }
            for appliance in results.run.appliances
        ],
        "not_judged": [asdict(row) for row in results.not_judged],
    }


def _expiry(results: Results) -> str:
    """When it must not be relied on any longer: a year after it was issued, or with the first waiver it depends on."""
    issued = datetime.fromisoformat(results.run.finished)
    ends = [datetime.combine(date.fromisoformat(waiver.expires), time.max, issued.tzinfo) for waiver in results.waivers if waiver.waives]
    return min([issued + VALID, *ends]).isoformat(timespec="seconds")
