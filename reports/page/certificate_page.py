"""A certificate as people read it: in the report, and as a page of its own that prints on two pages.

It says what is certified on which conditions, and the scope it rests on. It is short whatever the size of the
fleet: rows that are many are counted, and all of them stand in certificate.json.
"""

from collections import Counter, defaultdict
from pathlib import Path
from typing import Final

from markupsafe import Markup

from catalog.loader import CATALOG
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


def render_on_paper(results: Results, directory: Path) -> str:
    """The text of the page.

    Args:
        results: The run that was certified.
        directory: Where its certificate.json lies.

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
        certified=certified(certificate, heading="h1", digest=digest),
    )


def certified(certificate: Certificate, *, heading: str = "h2", digest: str = "") -> Markup:
    """What a certificate says, as a part of a page.

    Args:
        certificate: The certificate.
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
        reach=reach_in_words(certificate),
        by_kind=len(certificate.scope.appliances) > MOST_APPLIANCES,
        appliances=_appliances(certificate),
        sections=_sections(certificate),
        lacks=_lacks(certificate),
        MOST_ON_PAPER=MOST_ON_PAPER,
    )


def _appliances(certificate: Certificate) -> list[tuple[str, object, list[CertifiedAppliance]]]:
    """A row an appliance, or a row a kind where these are too many for a page, and what each is about."""
    rows = certificate.scope.appliances
    if len(rows) <= MOST_APPLIANCES:
        return [(row.ha_id, row.kind, [row]) for row in rows]
    kinds: dict[str, list[CertifiedAppliance]] = defaultdict(list)
    for row in rows:
        kinds[row.kind].append(row)
    named = sorted(kinds.items(), key=lambda item: -len(item[1]))
    others = [row for _, rest in named[MOST_APPLIANCES:] for row in rest]
    named[MOST_APPLIANCES:] = [("other kinds", others)] if others else []
    return [(kind, len(of), of) for kind, of in named]


def _sections(certificate: Certificate) -> list[tuple[str, Counter[str]]]:
    """The clauses of each section of the catalog by verdict."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for clause in certificate.clauses:
        known = CATALOG.clauses.get(clause.id)
        counts[known.section if known else "others"][clause.verdict] += 1
    return list(counts.items())


def _lacks(certificate: Certificate) -> list[tuple[str, int]]:
    """What the run lacked, with the number of clauses that needed it, the most first."""
    needed = dict.fromkeys((row.field, row.clause) for row in certificate.scope.not_judged)
    ordered = Counter(field for field, _ in needed).most_common()
    more = len(ordered) - _MOST_LACKS
    return [*ordered[:_MOST_LACKS], *([("other fields", more)] if more > 0 else [])]
