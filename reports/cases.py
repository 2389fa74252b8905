"""cases.html: pytest-html's page, made from saved cases by a session of pytest that collects and runs nothing.

The session is one of its own in this process: no configuration, conftest, plugin or variable of anybody else reaches it.
pytest-html writes the time of its own session into the page; the time of the run stands there instead, so that
the same results give the same page.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import pytest

from reports.table import Table
from reports.wording import one_line, plural

if TYPE_CHECKING:
    from collections.abc import Generator

    from catalog.model import Catalog
    from reports.records import Results

_BENDING: Final = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
_PLUGINS: Final = ("pytest_metadata.plugin", "pytest_html.plugin")
_NEEDLESS: Final = ("terminal", "cacheprovider", "logging", "faulthandler", "threadexception", "unraisableexception", "warnings")
_ENDS: Final = frozenset({pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED})
_MADE: Final = re.compile(r"<p>Report generated on [^<]* by ")
_TOOK: Final = re.compile(r'(<p class="run-count">)[^<]*(</p>)')


class TableError(RuntimeError):
    """The page could not be made as it should; the text says why."""


def render_cases(results: Results, catalog: Catalog) -> str:
    """The text of cases.html.

    Raises:
        TableError: When pytest-html makes no page, or another than the one known here.
    """
    table = Table(results, catalog)
    with TemporaryDirectory(prefix="cases-") as place, _unbent():
        configuration, page = Path(place, "pytest.ini"), Path(place, "cases.html")
        configuration.write_text("[pytest]\n", encoding="utf-8")
        words = ["-c", str(configuration), "--rootdir", place, "--noconftest", "--disable-plugin-autoload", "--assert=plain"]
        words += ["--capture=no", f"--html={page}", "--self-contained-html"]
        words += [word for plugin in _PLUGINS for word in ("-p", plugin)]
        words += [word for plugin in _NEEDLESS for word in ("-p", f"no:{plugin}")]
        code = pytest.main(words, plugins=[table])
        if code not in _ENDS or not page.is_file():
            raise TableError(table.trouble or f"pytest ended with {code}")
        return _timeless(page.read_text(encoding="utf-8"), results, len(table.rows))


def _timeless(page: str, results: Results, rows: int) -> str:
    """The page with the time of the run in the place of the time it was made at."""
    run = results.run
    judged = f"<p>Judged {escape(one_line(run.started))} to {escape(one_line(run.finished))}; laid out by "
    page, made = _MADE.subn(lambda _: judged, page, count=1)
    page, took = _TOOK.subn(lambda found: f"{found[1]}{plural(rows, 'row')}.{found[2]}", page, count=1)
    if not (made and took):
        raise TableError("the page of pytest-html is not the one that is known here")
    return page


@contextmanager
def _unbent() -> Generator[None]:
    """Without the variables that would bend the session."""
    taken = {name: os.environ.pop(name) for name in _BENDING if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(taken)
