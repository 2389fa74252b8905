"""The certificate: what was judged and how it was read, what each verdict rests on, and when it expires.

It is made from the results and the digest of the ledger alone: whoever has the ledger can judge it again,
make the certificate again and compare (`appliance-conformance verify`). Times come from the run, not from the
clock.

It is refused where the profile claims nothing, and where something it claims was not judged. Claimed cases
that an exempting state left inconclusive, and waived failures, make it conditional: it names each of them.
"""

import hashlib
import json
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, ValidationError, convert, to_builtins

from catalog.model import Catalog, Level
from conformance.checks.losses import Interruption
from conformance.files import foreign_files
from conformance.files.text_files import read_document
from conformance.records.results import NO_KEYS, CaseResult, NotJudged, Results
from conformance.records.run_facts import RunFacts, Sample, day, moment
from conformance.records.verdicts import ClauseVerdict
from reports.kills import Kills
from reports.readings import answer_to
from reports.results.headline import certified_as, headline
from reports.results.not_judged import conditional_cases, is_conditional, is_open
from reports.texts import in_a_sentence, plural, some_of

CERTIFICATE_FILE: Final = "certificate.json"
SIGNATURE_SUFFIX: Final = ".sig"  # of the file beside a certificate that holds its signature
SCHEMA: Final = "appliance-conformance/certificate/1"
VALID: Final = timedelta(days=365)
SERVED: Final = frozenset({"READ-SETTING", "READ-STATUS"})
"""Where a key passes, a GET on it gives its value (lines 10, 146, 147)."""
_MOST_NAMED: Final = 3
_LONGEST: Final = 200  # characters of what is wrong


class CertificateError(ValueError):
    """A file that is not a certificate of this schema; the text names the file and what is wrong."""


def refusals(results: Results, kills: Kills) -> tuple[str, ...]:
    """Why these results give no certificate, a line for each reason; none where they give one."""
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
        "verdict": certified_as(results),
        "headline": headline(results),
        "product": {
            "name": run.target.product,
            "vendor": run.target.vendor,
            "target": run.target.name,
            "base_url": run.target.base_url,
        },
        "scope": _scope(results),
        "conditions": [_condition(case) for case in conditions],
        "waivers": [
            {name: getattr(waiver, name) for name in ("case", "reason", "owner", "expires")}
            | {"waives": list(waiver.waives)}
            for waiver in waivers
        ],
        "counts": dict(results.counts),
        "readings": dict(run.interpretations),
        "gaps": [
            {"id": gap.id, "line": gap.line, "answered_by": gap.answered_by, "answer": answer_to(gap, run)}
            for gap in catalog.gaps
        ],
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
            if not clause.excluded
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
        "interruptions": to_builtins(run.interruptions),
        "issued": run.finished,
        "expires": _expiry(results),
    }


def load_certificate(directory: Path, run: RunFacts) -> dict[str, Any] | None:
    """The certificate of `run` in its directory; None without a valid one, or if it is about another run."""
    try:
        certificate = read_certificate(directory / CERTIFICATE_FILE)
    except CertificateError:
        return None
    judged = {"started": run.started, "finished": run.finished}
    return certificate if certificate.get("judged") == judged else None


def read_certificate(path: Path) -> dict[str, Any]:
    """A certificate as plain JSON data.

    Raises:
        CertificateError: The file cannot be read, is not JSON, has a name twice in an object, is of another
            schema, or has no member of the right type.
    """
    certificate = read_document(path, foreign_files.CERTIFICATE, SCHEMA, CertificateError, _once)
    try:
        convert(certificate, _Certificate)
    except ValidationError as error:
        raise CertificateError(f"{path}: {str(error)[:_LONGEST]}") from error
    return certificate


class _Appliance(Struct):
    ha_id: str
    kind: str
    claimed: list[str]
    served: list[str]
    slowest_effect_s: float | None = None
    quiet_s: float | None = None
    tours: list[str] = []


class _Scope(Struct, kw_only=True):
    level: Level
    writes: int
    claimed_cases: int
    sample: Sample | None = None
    kinds: list[str]
    appliances: list[_Appliance]
    not_judged: list[NotJudged]


class _Waiver(Struct):
    case: str
    reason: str
    owner: str
    expires: str
    waives: list[str]

    def __post_init__(self) -> None:
        """Refuses what is no day."""
        day(self.expires)


class _Gap(Struct):
    id: str
    line: int
    answered_by: str
    answer: str


class _Clause(Struct):
    id: str
    line: int
    verdict: ClauseVerdict
    cases: dict[str, int]
    exchanges: int
    values: int
    mutants_killed: int


class _Certificate(Struct):
    verdict: str
    headline: str
    product: dict[str, str]
    scope: _Scope
    conditions: list[dict[str, str]]
    waivers: list[_Waiver]
    counts: dict[str, int]
    readings: dict[str, bool | str]
    gaps: list[_Gap]
    clauses: list[_Clause]
    suite: dict[str, str]
    digests: dict[str, str]
    judged: dict[str, str]
    interruptions: list[Interruption]
    issued: str
    expires: str

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        interruptions = (text for one in self.interruptions for text in (one.after, one.until))
        for text in (*self.judged.values(), *interruptions, self.issued, self.expires):
            moment(text)


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names all differ, since readers disagree on which of two values of one name counts."""
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
        failed = sum(not case.waived for case in results.of("fail"))
        yield f"the target does not conform: {plural(failed, 'case')} failed"
    elif results.verdict != "pass":
        yield in_a_sentence(headline(results))
    if results.interrupted:
        yield "the run did not come to its end"
    if results.partial:
        yield "only some of the cases were judged"
    yield from (f"stale waiver: {waiver}" for waiver in results.stale_waivers)
    missed = [case for case in results.cases if is_open(case) and not is_conditional(case)]
    if missed:
        cases = plural(len(missed), "claimed case is", "claimed cases are")
        named = some_of([case.id for case in missed], _MOST_NAMED)
        yield f"{cases} inconclusive, and no state of the appliance explains that: {named}"
    unproven = [
        clause.id for clause in results.clauses if clause.counts["pass"] and kills.is_unproven(clause.id)
    ]
    if unproven:
        yield f"no mutant has shown that the check of {', '.join(unproven)} can fail"


def _condition(case: CaseResult) -> dict[str, str]:
    return {
        "state": case.exempt,
        "clause": case.clause,
        "key": case.key,
        "ha_id": case.ha_id,
        "finding": case.message,
    }


def _scope(results: Results) -> dict[str, Any]:
    """The appliances with the keys they claim and serve, and what level and profile left out."""
    claimed: dict[str, dict[str, None]] = {}
    served: dict[str, dict[str, None]] = {}
    for case in results.cases:
        if case.claimed and case.key not in NO_KEYS:
            claimed.setdefault(case.ha_id, {})[case.key] = None
        if case.clause in SERVED and case.verdict == "pass":
            served.setdefault(case.ha_id, {})[case.key] = None
    return {
        "level": results.run.level,
        "writes": results.run.requests.writes,
        "claimed_cases": sum(case.claimed for case in results.cases),
        "sample": to_builtins(results.run.sample),
        "kinds": sorted({appliance.kind for appliance in results.run.appliances}),
        "appliances": [
            {
                "ha_id": appliance.ha_id,
                "kind": appliance.kind,
                "claimed": sorted(claimed.get(appliance.ha_id, ())),
                "served": sorted(served.get(appliance.ha_id, ())),
                "slowest_effect_s": appliance.slowest_effect_s,
                "quiet_s": appliance.quiet_s,
                "tours": to_builtins(appliance.tours),
            }
            for appliance in results.run.appliances
        ],
        "not_judged": to_builtins(results.not_judged),
    }


def _expiry(results: Results) -> str:
    """A year after the certificate was issued, or the end of the first waiver that it depends on."""
    issued = datetime.fromisoformat(results.run.finished)
    ends = [
        datetime.combine(date.fromisoformat(waiver.expires), time.max, issued.tzinfo)
        for waiver in results.waivers
        if waiver.waives
    ]
    return min([issued + VALID, *ends]).isoformat(timespec="seconds")
