"""Recomputes a certificate from the ledger beside it: the command `verify`.

Nobody has to trust who issued it, nor to reach the target: the ledger is checked line by line, judged again
by this suite, and the certificate made of that is compared with the one at hand. The power that it names
rests on the profile alone, not on the target: the mutants are judged again with the profile of the ledger.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from pathlib import Path
from typing import Any, TypeAlias, cast

from msgspec import Struct
from msgspec.structs import replace

from catalog.model import Level
from conformance.harness.errors import LedgerError, NoLedgerError
from conformance.harness.ledger import read_ledger
from conformance.model.state_table import STATES
from conformance.profiles.fields import ProfileError
from conformance.profiles.model import Profile
from conformance.records.certificates import Certificate
from conformance.records.known_faults import RunPower
from conformance.records.ledger_lines import LEDGER_FILE
from conformance.runs.identity import catalog_digest, judging_digest, suite_version
from conformance.runs.observed_run import observed
from conformance.runs.saved.judged_again import judged_in
from conformance.runs.saved.saved_run import SavedRun
from reports.attestation import attestation_of, attested, is_signed, statement_of
from reports.certificate import (
    CERTIFICATE_FILE,
    build_certificate,
    certificate_members,
    certificate_of,
    digest_file,
    reach_in_words,
    render_certificate,
)
from reports.kills import published_kills
from reports.phrases import sample_in_words
from reports.texts import day_in_words, period, plural, time_in_words

_ABSENT = object()
_LONGEST = 200
_MOST_CONDITIONS = 20
_CLOCKS_DIFFER = timedelta(days=1)


class CertificateState(IntEnum):
    """What came of verifying, as the exit code of the command."""

    HOLDS = 0
    DIFFERS = 1
    NOT_RECOMPUTED = 3
    OUT_OF_DATE = 4


class Verified(Struct, frozen=True):
    """What came of it, and why, in lines: the reason first."""

    outcome: CertificateState
    lines: tuple[str, ...]


PowerOf: TypeAlias = Callable[[Profile, Level], RunPower]
"""What finds the power of a run of a level with a profile."""


def verify(
    path: Path, public_key: Path | None = None, *, power_of: PowerOf, now: datetime | None = None
) -> Verified:
    """Checks a certificate: its attestation, signed if a key is given, its ledger, and every verdict anew.

    A power that it names is found again by `power_of`.

    Raises:
        CertificateError: when the file is no certificate.
        SigningError: when the key or the attestation cannot be used, or there is none for the key.
    """
    members = certificate_members(path)
    certificate = certificate_of(path, members)
    unlike = _difference_of_attestation(path, certificate, public_key)
    # who checks a signature does so whether or not a ledger is there
    differs = (unlike if public_key else None) or _difference(path, members, certificate, power_of) or unlike
    if differs:
        return differs
    held = (*_account(certificate), *_signed(path, public_key))
    outside = _outside(certificate, now or datetime.now(UTC))
    if outside:
        return Verified(CertificateState.OUT_OF_DATE, (f"{outside}; apart from that it holds", *held))
    return Verified(CertificateState.HOLDS, ("holds: recomputed from the ledger, and nothing differs", *held))


def _outside(certificate: Certificate, now: datetime) -> str:
    """Why now is not between issue and expiry of a certificate; empty where it is."""
    if datetime.fromisoformat(certificate.expires) < now:
        return f"expired on {time_in_words(certificate.expires)}"
    if datetime.fromisoformat(certificate.issued) > now + _CLOCKS_DIFFER:
        here = time_in_words(now.isoformat())
        return f"issued on {time_in_words(certificate.issued)}, here it is {here}: one of two clocks is wrong"
    return ""


def first_difference(
    certificate: object, again: object, name: str = "certificate", source: str = "ledger"
) -> str:
    """Where two JSON values differ first, as a JSON Pointer with both values; empty if nowhere."""
    if json.dumps(certificate, sort_keys=True) == json.dumps(again, sort_keys=True):
        return ""
    one, other = dict(_leaves(certificate)), dict(_leaves(again))
    for place in dict.fromkeys((*one, *other)):
        said, given = one.get(place, _ABSENT), other.get(place, _ABSENT)
        if type(said) is not type(given) or said != given:
            return f"{place or '/'}: the {name} says {_shown(said)}, the {source} gives {_shown(given)}"
    # a name that holds a slash looks like a place
    return f"/: the {name} says the same in other tables and lists, or more"


def _leaves(value: object, place: str = "") -> Iterator[tuple[str, object]]:
    """The values that hold no others, each with its place; a row with an id is named by it."""
    if isinstance(value, dict) and value:
        members = [(name, member) for name, member in cast("dict[str, object]", value).items()]
    elif isinstance(value, list) and value:
        members = [(_row_name(number, row), row) for number, row in enumerate(cast("list[object]", value))]
    else:
        yield place, value
        return
    for name, member in members:
        yield from _leaves(member, f"{place}/{name}")


def _row_name(number: int, row: object) -> str:
    name = cast("dict[str, object]", row).get("id") if isinstance(row, dict) else None
    return f"{number} ({name})" if name else str(number)


def _difference(
    path: Path, members: Mapping[str, Any], certificate: Certificate, power_of: PowerOf
) -> Verified | None:
    """Why the certificate is not what its ledger gives; None where it is."""
    ledger = path.with_name(LEDGER_FILE)
    differs = _difference_of_ledger(ledger, certificate)
    if differs:
        return differs
    again = _recomputed(ledger, certificate, power_of)
    if isinstance(again, Verified):
        return again
    place = first_difference(members, again)
    told = f"differs from what the ledger gives, at {place}"
    return Verified(CertificateState.DIFFERS, (told,)) if place else None


def _difference_of_attestation(path: Path, certificate: Certificate, key: Path | None) -> Verified | None:
    """What of the attestation is not of this certificate, or not of the key; None where nothing is."""
    if key and not is_signed(path, key):
        return Verified(CertificateState.DIFFERS, (f"{attestation_of(path).name} is not signed with {key}",))
    if not attestation_of(path).exists():
        return None
    stated = statement_of(path, certificate)
    place = first_difference(attested(path), stated, "attestation", source="certificate")
    told = f"its attestation differs from it, at {place}"
    return Verified(CertificateState.DIFFERS, (told,)) if place else None


def _signed(path: Path, key: Path | None) -> Iterator[str]:
    if key:
        yield f"signed with {key}"
    elif attestation_of(path).exists():
        yield "attested; the signature was not checked: give --public-key"
    else:
        yield "not signed: nothing shows who made the ledger"


def _difference_of_ledger(ledger: Path, certificate: Certificate) -> Verified | None:
    """Why the ledger cannot be judged for this certificate; None where it can."""
    if not ledger.exists():
        missing = f"{ledger} is not there: a certificate is recomputed from the ledger beside it"
        return Verified(CertificateState.NOT_RECOMPUTED, (missing,))
    # asked before the ledger is read, whose lines another suite may have written otherwise
    other = _other_suite(certificate)
    if other:
        return Verified(CertificateState.NOT_RECOMPUTED, (other, "verify it with the suite that it names"))
    try:
        read_ledger(ledger)
    except NoLedgerError:
        raise
    except LedgerError as error:
        return Verified(CertificateState.DIFFERS, (str(error),))
    digest, named = digest_file(ledger), certificate.digests.get("ledger")
    if named != digest:
        return Verified(
            CertificateState.DIFFERS, (f"{ledger} is another ledger: its digest is {digest}, not {named}",)
        )
    return None


def _other_suite(certificate: Certificate) -> str:
    """What differs between the suite of the certificate and this one; empty where nothing does."""
    issued = {"version": certificate.suite.version, **certificate.digests}
    own = {
        "version": suite_version(),
        "catalog": catalog_digest(),
        "judging": judging_digest(),
        "kill_matrix": published_kills().sha256,
    }
    for name, here in own.items():
        if (there := issued.get(name)) != here:
            differs = f"{name.replace('_', ' ')} is {_shown(there)}, here it is {_shown(here)}"
            return f"judged by another suite: its {differs}"
    return ""


def _recomputed(ledger: Path, certificate: Certificate, power_of: PowerOf) -> dict[str, Any] | Verified:
    """The certificate that the ledger gives, or why it gives none."""
    try:
        session = observed(SavedRun(ledger))
    except ProfileError as error:
        return Verified(CertificateState.NOT_RECOMPUTED, ("the ledger could not be judged again", str(error)))
    results = judged_in(session, certify=True)
    if results.faults or results.refused:
        reasons = "; ".join((*map(str, results.faults), *results.refused))
        return Verified(CertificateState.DIFFERS, (f"the ledger gives no certificate: {reasons}",))
    if certificate.power:
        power = power_of(session.profile, session.level)
        is_alike = power.faults.is_like(certificate.power)
        results = replace(results, power=replace(power, faults=certificate.power) if is_alike else power)
    digest = certificate.digests["ledger"]
    # Through JSON, as the certificate at hand came: so that tuples are lists on both sides.
    return json.loads(render_certificate(build_certificate(results, digest, published_kills())))


def _account(certificate: Certificate) -> Iterator[str]:
    product, judged = certificate.product, certificate.judged
    level, passed = certificate.scope.level, certificate.counts["pass"]
    judged_target = f"{product.name} ({product.target} at {product.base_url})"
    yield f"{judged_target} {certificate.verdict}, level {level}"
    rows = certificate.scope.appliances
    claimed = plural(sum(len(row.claimed) for row in rows), "key")
    yield f"claimed: {claimed} of {plural(len(rows), 'appliance')}"
    if certificate.scope.sample:
        yield f"sample: {sample_in_words(certificate.scope.sample)}"
    yield from filter(None, [reach_in_words(certificate)])
    yield f"{passed:,} cases passed, judged {period(judged.started, judged.finished)}"
    for one in certificate.interruptions:
        yield f"nothing was asked {period(one.after, one.until)}: the run was resumed later"
    if certificate.power:
        yield certificate.power.words
    yield f"issued {time_in_words(certificate.issued)}, expires {time_in_words(certificate.expires)}"
    excused = Counter((case.state, case.ha_id) for case in certificate.conditions)
    if excused:
        claimed = certificate.scope.claimed_cases
        yield f"it says nothing of {excused.total():,} of {plural(claimed, 'claimed case')}:"
    for (state, ha_id), number in excused.most_common(_MOST_CONDITIONS):
        words = STATES[state].words if state in STATES else state
        yield f"- {words}: {plural(number, 'case')} of {ha_id}"
    if len(excused) > _MOST_CONDITIONS:
        yield f"- and {plural(len(excused) - _MOST_CONDITIONS, 'further condition')}: see {CERTIFICATE_FILE}"
    for waiver in certificate.waivers[:_MOST_CONDITIONS]:
        until = f"{waiver.owner}, until {day_in_words(waiver.expires)}"
        waives = plural(len(waiver.waives), "failure")
        yield f"- waives {waives}, {waiver.case}: {waiver.reason} ({until})"


def _shown(value: object) -> str:
    if value is _ABSENT:
        return "nothing"
    text = json.dumps(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
