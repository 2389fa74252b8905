"""A certificate as people read it: in the report, and as a page of its own that prints on two pages.

It says what is certified on which conditions, and the scope it rests on. It is short whatever the size of the
fleet: rows that are many are counted, and all of them stand in certificate.json.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from markupsafe import Markup

from catalog.model import Catalog
from conformance.model.state_table import STATES
from conformance.records.certificates import Certificate, CertifiedAppliance
from conformance.records.results import Results
from reports.certificate import (
    CERTIFICATE_FILE,
    CertificateError,
    digest_file,
    load_certificate,
    reach_in_words,
)
from reports.page.rendering import render, render_part
from reports.phrases import sample_in_words

MOST_ON_PAPER: Final = 3  # waivers
MOST_APPLIANCES: Final = 16  # by haId; more are counted by their kind, and of kinds as many are named
_MOST_LACKS: Final = 8


def render_on_paper(results: Results, directory: Path, catalog: Catalog) -> str:
    """The text of the page.

    Args:
        results: The run that was certified.
        directory: Where its certificate.json lies.
        catalog: Gives the sections of the clauses.

    Raises:
        CertificateError: There is no certificate of this run.
    """
    certificate = load_certificate(directory, results.run)
    if certificate is None:
        raise CertificateError(f"{directory / CERTIFICATE_FILE}: there is no certificate of this run")
    digest = digest_file(directory / CERTIFICATE_FILE)
    return render(
        *("certificate_page.html.j2", "report.css", "certificate.css"),
        certificate=certificate,
        certified=certified(certificate, catalog, heading="h1", digest=digest),
    )


def certified(certificate: Certificate, catalog: Catalog, *, heading: str = "h2", digest: str = "") -> Markup:
    """What a certificate says, as a part of a page.

    Args:
        certificate: The certificate.
        catalog: Gives the sections of the clauses.
        heading: The element of its title; h1 where it is to be signed.
        digest: That of its file, where the page names it.
    """
    sample = certificate.scope.sample
    return render_part(
        "certificate.html.j2",
        certificate=certificate,
        heading=heading,
        digest=digest,
        sample=sample_in_words(sample) if sample else "",
        reach=reach_in_words(certificate, catalog),
        conditions=_conditions(certificate),
        by_kind=len(certificate.scope.appliances) > MOST_APPLIANCES,
        appliances=_appliances(certificate),
        sections=_sections(certificate, catalog),
        lacks=_lacks(certificate),
        MOST_ON_PAPER=MOST_ON_PAPER,
    )


def _conditions(certificate: Certificate) -> list[tuple[str, int, int]]:
    """Each state in words, how many cases it kept open, and on how many appliances."""
    cases: Counter[str] = Counter(case.state for case in certificate.conditions)
    places: dict[str, set[str]] = defaultdict(set)
    for case in certificate.conditions:
        places[case.state].add(case.ha_id)
    words = {state: STATES[state].words if state in STATES else state for state in cases}
    return [(words[state], number, len(places[state])) for state, number in cases.items()]


def _appliances(certificate: Certificate) -> list[tuple[object, ...]]:
    """A row an appliance, or a row a kind where these are too many for a page."""
    rows = certificate.scope.appliances
    if len(rows) <= MOST_APPLIANCES:
        return [(row.ha_id, row.kind, *_numbers([row])) for row in rows]
    kinds: dict[str, list[CertifiedAppliance]] = defaultdict(list)
    for row in rows:
        kinds[row.kind].append(row)
    named = dict(sorted(kinds.items(), key=lambda item: -len(item[1])))
    first = list(named)[:MOST_APPLIANCES]
    groups = {kind: named[kind] for kind in first}
    left = [row for kind in named if kind not in groups for row in named[kind]]
    if left:
        groups["other kinds"] = left
    return [(kind, len(of), *_numbers(of)) for kind, of in groups.items()]


def _numbers(rows: Sequence[CertifiedAppliance]) -> tuple[int, ...]:
    """How many keys some appliances claim and serve, and how many settings took a written value."""
    columns = ((len(row.claimed), len(row.served), len(row.written)) for row in rows)
    return tuple(map(sum, zip(*columns, strict=True)))


def _sections(certificate: Certificate, catalog: Catalog) -> list[tuple[str, Counter[str]]]:
    """The clauses of each section of the catalog by verdict."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for clause in certificate.clauses:
        known = catalog.clauses.get(clause.id)
        counts[known.section if known else "others"][clause.verdict] += 1
    return list(counts.items())


def _lacks(certificate: Certificate) -> list[tuple[str, int]]:
    """What the run lacked, with the number of clauses that needed it, the most first."""
    clauses: dict[str, set[str]] = defaultdict(set)
    for row in certificate.scope.not_judged:
        clauses[row.field].add(row.clause)
    ordered = sorted(((field, len(names)) for field, names in clauses.items()), key=lambda one: -one[1])
    more = len(ordered) - _MOST_LACKS
    return [*ordered[:_MOST_LACKS], *([("other fields", more)] if more > 0 else [])]
