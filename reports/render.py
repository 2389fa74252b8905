"""Every rendering of results.json by name: the files of a run, and `report RESULTS --format NAME`.

The same results and the same ledger and journal beside them give the same text: nothing here reads a clock.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from reports.cases import render_cases
from reports.certificate import CERTIFICATE_FILE, build_certificate, digest_file, load_certificate
from reports.changes.file import load_changes
from reports.ctrf import render_ctrf
from reports.events import load_events
from reports.journal import JOURNAL_FILE, load_journal
from reports.junit import render_junit
from reports.kills import published_kills
from reports.ledger import LEDGER_FILE, load_exchanges
from reports.page.render import render_page
from reports.results_file import ResultsError, load_results, write_text
from reports.rows import json_by_row
from reports.summary import render_badge, render_markdown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Any

    from catalog.model import Catalog
    from reports.junit import Undecided
    from reports.records import Results

    Rendering = Callable[[Results, Path, Catalog], str]  # an empty text makes no file

Format = Literal["html", "cases", "junit", "markdown", "badge", "ctrf"]
FILES: Final[Mapping[Format, str]] = {
    "html": "report.html",
    "cases": "cases.html",
    "junit": "junit.xml",
    "markdown": "summary.md",
    "badge": "badge.json",
    "ctrf": "ctrf.json",
}
"""The file of a run that is made in each format."""


def _render_certificate(results: Results, directory: Path, catalog: Catalog) -> str:
    if not results.certify or results.refused:
        return ""
    return json_by_row(build_certificate(results, catalog, digest_file(directory / LEDGER_FILE), published_kills()))


def _render_html(results: Results, directory: Path, catalog: Catalog) -> str:
    ledger = directory / LEDGER_FILE
    journal = load_journal(directory / JOURNAL_FILE, results.run)
    certificate = load_certificate(directory, results.run) if results.certify and not results.refused else None
    return render_page(
        results,
        catalog,
        _exchanges(results, ledger),
        journal=journal,
        events=load_events(ledger),
        certificate=certificate,
        changes=load_changes(directory, results.run),
    )


def _render_cases(results: Results, _directory: Path, catalog: Catalog) -> str:
    return render_cases(results, catalog)


def _render_junit(results: Results, directory: Path, _catalog: Catalog, *, inconclusive: Undecided = "skipped") -> str:
    return render_junit(results, _exchanges(results, directory / LEDGER_FILE), inconclusive)


def _render_markdown(results: Results, directory: Path, _catalog: Catalog) -> str:
    return render_markdown(results, load_journal(directory / JOURNAL_FILE, results.run), load_changes(directory, results.run))


def _render_badge(results: Results, _directory: Path, _catalog: Catalog) -> str:
    return render_badge(results)


def _render_ctrf(results: Results, _directory: Path, _catalog: Catalog) -> str:
    return render_ctrf(results)


def _exchanges(results: Results, ledger: Path) -> dict[int, dict[str, Any]]:
    """What the findings rest on."""
    return load_exchanges(ledger, {number for case in results.cases if case.verdict in {"fail", "error"} for number in case.evidence})


BY_FORMAT: Final[Mapping[Format, Rendering]] = {
    "html": _render_html,
    "cases": _render_cases,
    "junit": _render_junit,
    "markdown": _render_markdown,
    "badge": _render_badge,
    "ctrf": _render_ctrf,
}
RENDERINGS: Final[Mapping[str, Rendering]] = {
    CERTIFICATE_FILE: _render_certificate,
    **{FILES[form]: rendering for form, rendering in BY_FORMAT.items()},
}


def with_undecided(renderings: Mapping[str, Rendering], inconclusive: Undecided) -> Mapping[str, Rendering]:
    """`renderings`, with a junit.xml in which inconclusive cases are written so."""
    junit = FILES["junit"]
    return {**renderings, junit: partial(_render_junit, inconclusive=inconclusive)} if junit in renderings else renderings


def render(
    results_path: Path,
    format: Format,  # noqa: A002  the word of the command line
    catalog: Catalog | None = None,
    *,
    inconclusive: Undecided = "skipped",
) -> str:
    """Renders saved results again; exchanges and writes are read from the ledger and the journal beside them, if they are there.

    Args:
        results_path: A results.json.
        format: One of html, cases, junit, markdown, badge, ctrf.
        catalog: The catalog of the document; loaded when not given.
        inconclusive: What junit writes an inconclusive case as.

    Raises:
        ResultsError: The file is no results.json of this schema.
    """
    if catalog is None:
        from catalog.loader import load_catalog  # noqa: PLC0415  reading the catalog is left out where the caller has it

        catalog = load_catalog()
    rendering = with_undecided(RENDERINGS, inconclusive)[FILES[format]]
    return rendering(load_results(results_path), results_path.parent, catalog)


def export(results_path: Path) -> Iterator[str]:
    """The ledger beside saved results as an HTTP Archive, in pieces.

    Raises:
        ResultsError: The file is no results.json of this schema, or there is no ledger beside it.
    """
    ledger = results_path.parent / LEDGER_FILE
    version = load_results(results_path).run.suite_version
    if not ledger.is_file():
        raise ResultsError(f"{ledger}: an HTTP Archive is made from the ledger, and there is none")
    from reports.har import export_har  # noqa: PLC0415  its library is dear to import, and a run makes no archive

    return export_har(ledger, version)


def produce(results: Results, directory: Path, catalog: Catalog, renderings: Mapping[str, Rendering]) -> tuple[str, ...]:
    """Writes each rendering that is not empty into `directory`; answers what went wrong, a line for each that could not be made."""
    broken: list[str] = []
    for name, rendering in renderings.items():
        try:
            text = rendering(results, directory, catalog)
            if text:
                write_text(directory / name, text)
        except Exception as problem:  # noqa: BLE001  one broken rendering must not take the others with it
            broken.append(f"{name} could not be made: {type(problem).__name__}: {problem}")
    return tuple(broken)
