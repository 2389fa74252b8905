"""The certificate: what was judged and how it was read, what each verdict rests on, and when it expires.

It is made from the results and the digest of the ledger alone: whoever has the ledger can judge it again,
make the certificate again and compare (`appliance-conformance verify`). Times come from the run, not from the
clock.

It is refused where the profile claims nothing, and where something it claims was not judged. Claimed cases
that an exempting state left inconclusive, and waived failures, make it conditional: it names each of them.
"""

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

from msgspec import ValidationError, convert, to_builtins

from catalog.loader import CATALOG
from conformance.files import foreign_files
from conformance.files.text_files import json_by_row, read_document
from conformance.records.certificates import (
    SCHEMA,
    AnsweredGap,
    Certificate,
    CertifiedAppliance,
    CertifiedClause,
    Condition,
    JudgedFrom,
    JudgingSuite,
    Product,
    Scope,
)
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.records.results import NO_KEYS, Results
from conformance.records.run_facts import RunFacts
from reports.kills import Kills
from reports.phrases import answer_to
from reports.results.headline import certified_as, headline
from reports.results.not_judged import conditional_cases, is_conditional, is_open
from reports.texts import in_a_sentence, plural, some_of

CERTIFICATE_FILE: Final = "certificate.json"
ATTESTATION_FILE: Final = "certificate.intoto.jsonl"
"""The signed attestation beside a certificate: an envelope on one line, named as in-toto names such files."""
VALID: Final = timedelta(days=365)
SERVED: Final = frozenset({"READ-SETTING", "READ-STATUS"})
"""Where a key passes, a GET on it gives its value (lines 10, 146, 147)."""
WRITABLE: Final = "SET-WRITABLE"
"""Where a setting passes, a written value was found there afterwards."""
_KEPT: Final = "certificates"
_MOST_NAMED: Final = 3
_LONGEST: Final = 200  # characters of what is wrong


class CertificateError(ValueError):
    """A file that is not a certificate of this schema; the text names the file and what is wrong."""


def build_certificate(results: Results, ledger_sha256: str, kills: Kills) -> Certificate:
    """The certificate of results that `refusals` finds nothing against.

    Args:
        results: The judged run.
        ledger_sha256: The digest of the ledger that the results were judged from.
        kills: The proof of the checks.
    """
    run, target = results.run, results.run.target
    return Certificate(
        schema=SCHEMA,
        verdict=certified_as(results),
        headline=headline(results),
        product=Product(target.product, target.vendor, target.name, target.base_url),
        scope=_scope(results),
        conditions=[
            Condition(case.exempt, case.clause, case.key, case.ha_id, case.message)
            for case in conditional_cases(results.cases)
        ],
        waivers=[one for one in results.waivers if one.waives],
        counts=dict(results.counts),
        readings=dict(run.interpretations),
        gaps=[AnsweredGap(gap.id, gap.line, gap.answered_by, answer_to(gap, run)) for gap in CATALOG.gaps],
        clauses=[
            CertifiedClause(
                id=clause.id,
                line=clause.line,
                verdict=clause.verdict,
                cases={verdict: number for verdict, number in clause.counts.items() if number},
                exchanges=clause.exchanges,
                values=clause.values,
                mutants_killed=kills.number.get(clause.id, 0),
            )
            for clause in results.clauses
            if not clause.excluded
        ],
        suite=JudgingSuite("appliance-conformance", run.suite_version),
        digests={
            "catalog": run.catalog_sha256,
            "judging": run.judging_sha256,
            "profile": run.target.profile_sha256,
            "ledger": ledger_sha256,
            "kill_matrix": kills.sha256,
        },
        judged=JudgedFrom(run.started, run.finished),
        interruptions=list(run.interruptions),
        issued=run.finished,
        expires=_expiry(results),
        power=results.power.faults if results.power else None,
    )


def render_certificate(certificate: Certificate) -> str:
    """The text of certificate.json."""
    return json_by_row(to_builtins(certificate))


def reach_in_words(certificate: Certificate) -> str:
    """What was written, and how many clauses were not judged; empty where nothing is left out."""
    unjudged = sum(not clause.cases for clause in certificate.clauses)
    left = f"{plural(unjudged, 'clause was', 'clauses were')} not judged" if unjudged else ""
    if not certificate.scope.writes:
        return f"No setting was written: {left}"
    rows, known = certificate.scope.appliances, {entry.key for entry in CATALOG.settings}
    settings = {(row.ha_id, key) for row in rows for key in known.intersection(row.claimed)}
    taken = settings & {(row.ha_id, key) for row in rows for key in row.written}
    number = plural(len(settings), "claimed setting")
    told = f"{len(taken):,} of {number} took a written value" if taken < settings else ""
    return "; ".join(filter(None, (told, left)))


def load_certificate(directory: Path, run: RunFacts) -> Certificate | None:
    """The certificate of `run` in its directory; None without a valid one, or if it is about another run."""
    try:
        certificate = read_certificate(directory / CERTIFICATE_FILE)
    except CertificateError:
        return None
    return certificate if certificate.judged == JudgedFrom(run.started, run.finished) else None


def read_certificate(path: Path) -> Certificate:
    """A certificate.

    Raises:
        CertificateError: The file cannot be read, is not JSON, has a name twice in an object, is of another
            schema, or has no member of the right type.
    """
    return certificate_of(path, certificate_members(path))


def certificate_members(path: Path) -> dict[str, Any]:
    """A certificate as it stands in its file, whose members may be of any type.

    Raises:
        CertificateError: As `read_certificate`, but for types.
    """
    return read_document(path, foreign_files.CERTIFICATE, SCHEMA, CertificateError, _once)


def certificate_of(path: Path, members: Mapping[str, Any]) -> Certificate:
    """What the members of the file `path` say.

    Raises:
        CertificateError: One is missing or of a wrong type.
    """
    try:
        return convert(members, Certificate)
    except ValidationError as error:
        raise CertificateError(f"{path}: {str(error)[:_LONGEST]}") from error


def _once(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose names all differ, since readers disagree on which of two values of one name counts."""
    named = dict(members)
    if len(named) < len(members):
        twice = next(name for number, (name, _) in enumerate(members) if name in dict(members[:number]))
        raise ValueError(f"{json.dumps(twice)} stands twice in one object")
    return named


def keep_certificate(directory: Path) -> Path | None:
    """Copies the certificate in `directory`, if there is one; where it is kept now, if it was not before.

    Another run is about to write its files there. A certificate is kept with what `verify` needs, its
    attestation and the ledger that it was made from, in a directory named by the time it was issued, so that
    keeping it again changes nothing. What is no certificate of this suite is not kept, and neither is a
    ledger that the certificate is not of.

    Raises:
        OSError: when a file cannot be copied: then no run may take the place of this one.
    """
    certificate = directory / CERTIFICATE_FILE
    if not certificate.is_file():
        return None
    try:
        told = read_certificate(certificate)
    except CertificateError:
        return None
    kept = directory / _KEPT / "".join(one for one in told.issued[:19] if one not in ":-")
    ledger = directory / LEDGER_FILE
    is_its_own = ledger.is_file() and digest_file(ledger) == told.digests.get("ledger")
    if not is_its_own or (kept / CERTIFICATE_FILE).is_file():
        return None
    kept.mkdir(parents=True, exist_ok=True)
    for name in (LEDGER_FILE, ATTESTATION_FILE, CERTIFICATE_FILE):
        if (directory / name).is_file():
            shutil.copyfile(directory / name, kept / name)
    return kept / CERTIFICATE_FILE


def digest_file(path: Path) -> str:
    """The SHA-256 of a file; of a ledger, what a certificate calls its digest."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refusals(results: Results, kills: Kills) -> Iterator[str]:
    """Why these results give no certificate, a line for each reason; none where they give one."""
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
        clause.id for clause in results.clauses if clause.counts["pass"] and kills.number.get(clause.id) == 0
    ]
    if unproven:
        yield f"no mutant has shown that the check of {', '.join(unproven)} can fail"


def _scope(results: Results) -> Scope:
    """The appliances with the keys they claim and serve, and what level and profile left out."""
    claimed, served, written = (defaultdict[str, set[str]](set) for _ in range(3))
    for case in results.cases:
        if case.claimed and case.key not in NO_KEYS:
            claimed[case.ha_id].add(case.key)
        if case.clause in SERVED and case.verdict == "pass":
            served[case.ha_id].add(case.key)
        if case.clause == WRITABLE and case.verdict == "pass":
            written[case.ha_id].add(case.key)
    return Scope(
        level=results.run.level,
        writes=results.run.requests.writes,
        claimed_cases=sum(case.claimed for case in results.cases),
        sample=results.run.sample,
        kinds=sorted({appliance.kind for appliance in results.run.appliances}),
        appliances=[
            CertifiedAppliance(
                ha_id=appliance.ha_id,
                kind=appliance.kind,
                claimed=sorted(claimed[appliance.ha_id]),
                served=sorted(served[appliance.ha_id]),
                written=sorted(written[appliance.ha_id]),
                slowest_effect_s=appliance.slowest_effect_s,
                quiet_s=appliance.quiet_s,
                tours=list(appliance.tours),
            )
            for appliance in results.run.appliances
        ],
        not_judged=list(results.not_judged),
    )


def _expiry(results: Results) -> str:
    """A year after the certificate was issued, or the end of the first waiver that it depends on."""
    issued = datetime.fromisoformat(results.run.finished)
    ends = [
        datetime.combine(date.fromisoformat(waiver.expires), time.max, issued.tzinfo)
        for waiver in results.waivers
        if waiver.waives
    ]
    return min([issued + VALID, *ends]).isoformat(timespec="seconds")
