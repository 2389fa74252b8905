"""cases.html: pytest-html's page, made from saved cases by a session of pytest that runs nothing.

The session is one of its own in this process: no other configuration, conftest, plugin or variable reaches
it. pytest-html writes the time of its session into the page; it is replaced by the time of the run, so that
the same results give the same page. Its words for the outcomes of a test are replaced by our verdicts.
"""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from conformance.records.results import Results
from reports.formats.table import VERDICT_OF, CaseRows
from reports.page.rendering import own_text
from reports.phrases import WORD
from reports.texts import period, plural

_VARIABLES: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
_PLUGINS: Final = ("pytest_metadata.plugin", "pytest_html.plugin")
_UNUSED: Final = (
    "terminal cacheprovider logging faulthandler threadexception unraisableexception warnings debugging"
    " doctest pastebin recwarn setuponly setupplan skipping stepwise subtests tmpdir unittest"
)
_OPTIONS: Final = (
    *("--noconftest", "--disable-plugin-autoload", "--assert=plain", "--capture=no", "--self-contained-html"),
    *(word for plugin in _PLUGINS for word in ("-p", plugin)),
    *(word for plugin in _UNUSED.split() for word in ("-p", f"no:{plugin}")),
)
_ENDS: Final = {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED}
_GENERATED: Final = re.compile(r"<p>Report generated on [^<]* by ")
_DURATION: Final = re.compile(r'(<p class="run-count">)[^<]*(</p>)')
_COUNT: Final = re.compile(rf'(<span class="({"|".join(VERDICT_OF).lower()})">[\d,]+) [^<]*<')
_HOW_TO_FILTER: Final = re.compile(re.escape("(Un)check the boxes to filter the results."))
_END_OF_STYLE: Final = "</style>"
_VIEWPORT: Final = '<meta name="viewport" content="width=device-width, initial-scale=1">'


class TableError(RuntimeError):
    """The page could not be made as it should; the text says why."""


def render_cases(results: Results) -> str:
    """The text of cases.html.

    Raises:
        TableError: When pytest-html makes no page, or another than the one known here.
    """
    plugin = CaseRows(results)
    with TemporaryDirectory(prefix="cases-") as place, _without_variables():
        configuration, page = Path(place, "pytest.ini"), Path(place, "cases.html")
        configuration.write_text("[pytest]\nrender_collapsed = all\n", encoding="utf-8")
        places = ["-c", str(configuration), "--rootdir", place, f"--html={page}"]
        code = pytest.main([*places, *_OPTIONS], plugins=[plugin])
        if code not in _ENDS or not page.is_file():
            raise TableError(plugin.trouble or f"pytest ended with {code}")
        return _told_our_way(page.read_text(encoding="utf-8"), results, len(plugin.rows))


def _told_our_way(page: str, results: Results, rows: int) -> str:
    """The page with the time of the run, with verdicts beside its filters, and for narrow screens as well."""
    run = results.run
    judged = f"<p>Judged {escape(period(run.started, run.finished))}; the table is made by "
    page, made = _GENERATED.subn(lambda _: judged, page, count=1)
    page, took = _DURATION.subn(lambda found: f"{found[1]}{plural(rows, 'row')}.{found[2]}", page, count=1)
    page, counts = _COUNT.subn(lambda found: f"{found[1]} {WORD[VERDICT_OF[found[2].title()]]}<", page)
    page, told = _HOW_TO_FILTER.subn("Choose which verdicts are shown.", page, count=1)
    head, style, rest = page.partition(_END_OF_STYLE)
    page = f"{head}{own_text('cases.css')}{style}{_VIEWPORT}{rest}"
    if not (made and took and told and style and counts == len(VERDICT_OF)):
        raise TableError("the page of pytest-html is not the one that is known here")
    return page


@contextmanager
def _without_variables() -> Generator[None]:
    """Without the variables that would add options or plugins to the session."""
    taken = {name: os.environ.pop(name) for name in _VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(taken)
