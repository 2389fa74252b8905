"""Every rendering of results.json by name: the files of a run, and `report RESULTS --format NAME`.

The same results with the same ledger and journal give the same text: no rendering reads a clock.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from conformance.files.text_files import write_text
from conformance.records.ledger_lines import LEDGER_FILE, Header, recorded_in
from reports.certificate import CERTIFICATE_FILE, build_certificate, digest_file, render_certificate
from reports.changes.files import CHANGES_FILE, render_changes
from reports.formats import FILES, JUNIT_FILE, Format
from reports.formats.ctrf import render_ctrf
from reports.formats.junit import render_junit
from reports.formats.sarif import render_sarif
from reports.formats.summary import render_badge, render_markdown
from reports.kills import published_kills
from reports.results.file import RESULTS_FILE, ResultsError, load_results, render_results
from reports.shown_run import ShownRun

Rendering = Callable[[ShownRun], str | Iterator[str]]  # an empty text makes no file


def _render_certificate(run: ShownRun) -> str:
    if not run.results.is_certified:
        return ""
    ledger_sha256 = digest_file(run.directory / LEDGER_FILE)
    return render_certificate(build_certificate(run.results, ledger_sha256, published_kills()))


def _render_html(run: ShownRun) -> str:
    from reports.page.document import render_page  # noqa: PLC0415  it imports jinja2, which nobody waits for at the start

    return render_page(run)


BY_FORMAT: Final[Mapping[Format, Rendering]] = {
    "html": _render_html,
    "markdown": lambda run: render_markdown(run.results, run.journal, run.changes),
    "badge": lambda run: render_badge(run.results),
    "ctrf": lambda run: render_ctrf(run.results),
    "sarif": lambda run: render_sarif(run.results),
}
RENDERINGS: Final[Mapping[str, Rendering]] = {
    CERTIFICATE_FILE: _render_certificate,
    **{FILES[form]: rendering for form, rendering in BY_FORMAT.items()},
    JUNIT_FILE: lambda run: render_junit(run.results, run.exchanges, run.inconclusive),
}


def render(results_path: Path, format: Format) -> str:  # noqa: A002  the word of the command line
    """Renders saved results again, with the ledger and the journal beside them, where there are any.

    Args:
        results_path: A results.json.
        format: One of html, markdown, badge, ctrf, sarif.

    Raises:
        ResultsError: The file is not a results.json of this schema.
    """
    return "".join(BY_FORMAT[format](_saved(results_path)))


def _saved(results_path: Path) -> ShownRun:
    return ShownRun(load_results(results_path), results_path.parent)


def render_signable(results_path: Path) -> str:
    """The certificate beside saved results as a page that prints on two pages.

    Raises:
        ResultsError: The file is not a results.json of this schema.
        CertificateError: There is no certificate of that run beside it.
    """
    from reports.page.certificate_page import render_on_paper  # noqa: PLC0415  it imports jinja2

    return render_on_paper(load_results(results_path), results_path.parent)


def render_anonymous(results_path: Path) -> Mapping[str, str]:
    """Every report of saved results by the name of its file, with stand-ins for haIds, hosts and names.

    The ledger, the journal and the certificate are not among them: they prove by what they name.

    Raises:
        ResultsError: The file is not a results.json of this schema.
    """
    from reports.anonymous.records import AnonymousRun  # noqa: PLC0415  only this needs it

    run = AnonymousRun(_saved(results_path))
    return {
        RESULTS_FILE: "".join(render_results(run.results)),
        **{FILES[form]: "".join(rendering(run)) for form, rendering in BY_FORMAT.items()},
        **({CHANGES_FILE: render_changes(run.changes)} if run.changes else {}),
    }


def export_ledger(results_path: Path) -> Iterator[str]:
    """The ledger beside saved results as an HTTP Archive, in pieces.

    Raises:
        ResultsError: The file is not a results.json of this schema, or there is no ledger beside it.
    """
    ledger = results_path.parent / LEDGER_FILE
    version = load_results(results_path).run.suite_version
    _, first = next(recorded_in(ledger), (0, None))
    if not isinstance(first, Header):
        raise ResultsError(f"{ledger}: an HTTP Archive is made from the ledger, and there is none")
    from reports.formats.har import export_har  # noqa: PLC0415  its library is dear to import, and a run makes no archive

    return export_har(ledger, version)


def write_renderings(run: ShownRun, renderings: Mapping[str, Rendering]) -> tuple[str, ...]:
    """Writes each rendering that is not empty beside the results; returns a line for each that failed."""
    broken: list[str] = []
    for name, rendering in renderings.items():
        try:
            text = rendering(run)
            if text:
                write_text(run.directory / name, text)
        except Exception as problem:  # noqa: BLE001  one broken rendering must not take the others with it
            broken.append(f"{name} could not be made: {type(problem).__name__}: {problem}")
    return tuple(broken)
