"""What readers see of results: of pages as a browser takes them, and on the terminal at the end of a run."""

import json
from collections.abc import Mapping
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec import Struct

from conformance.checks.exchange import Exchange
from conformance.records.results import Results
from conformance.selftest.support.collected import WITHIN_A_TEST
from reports.formats.cases_page import PLUGIN, write_cases
from reports.formats.terminal import summarize
from reports.page.document import render_page
from reports.shown_run import ShownRun

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "</pre></style><svg onload=alert(1)>",
    "{{ 7 * 7 }}",
)
CURL = "curl -i 'https://staging.example/hub/api/homeappliances/fridge-1/settings/Vendor.Common.Setting.AlarmClock'"


class Seen(HTMLParser):
    """Every tag with its attributes, and the text, as a browser's parser would take them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._raw = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes a tag."""
        self.tags.append((tag, dict(attrs)))
        self._raw = tag in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        """After a script there is text again."""
        self._raw = self._raw and tag not in {"script", "style"}

    def handle_data(self, data: str) -> None:
        """Adds text that is shown."""
        self.text += "" if self._raw else data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every tag of that name."""
        return [attributes for name, attributes in self.tags if name == tag]


def html_of(results: Results, exchanges: Mapping[int, Exchange] | None = None) -> str:
    """report.html of these results, of which no file is read."""
    shown = ShownRun(results, Path("nowhere"))
    vars(shown).update(exchanges=exchanges or {}, certificate=None)
    return render_page(shown)


def page_of(results: Results) -> Seen:
    """The page of these results, parsed."""
    return Seen(html_of(results))


def write_page(results: Results, path: Path) -> Path:
    """The cases.html of these results, as a session of its own writes it, which collects nothing."""

    class Ending:
        def pytest_collection(self) -> bool:
            return True

        def pytest_sessionfinish(self, session: pytest.Session) -> None:
            write_cases(session, results, path)

    words = ["--noconftest", "-p", "no:terminal", "-p", PLUGIN]
    with TemporaryDirectory() as place:
        (Path(place) / "pytest.ini").touch()
        pytest.main(
            [*WITHIN_A_TEST, *words, "--rootdir", place, "-c", f"{place}/pytest.ini"], plugins=[Ending()]
        )
    return path


class Page(Struct, frozen=True):
    """A page of cases: what is static in it, and what its own JavaScript is given to draw."""

    seen: Seen
    data: dict[str, Any]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows, in the order of the cases."""
        return [row for rows in self.data["tests"].values() for row in rows]

    @property
    def cells(self) -> list[list[str]]:
        """The text of the visible cells of each row."""
        return [[Seen(cell).text for cell in row["resultsTableRow"]][:-1] for row in self.rows]

    @property
    def below(self) -> list[Seen]:
        """What opens below each row."""
        return [Seen(row["log"]) for row in self.rows]


def cases_page_of(results: Results) -> Page:
    """The page of the cases of a run."""
    with TemporaryDirectory() as place:
        path = write_page(results, Path(place, "cases.html"))
        seen = Seen(path.read_text(encoding="utf-8"))
    blob = next(
        str(attributes["data-jsonblob"]) for _, attributes in seen.tags if "data-jsonblob" in attributes
    )
    return Page(seen, json.loads(blob))


def terminal_lines(results: Results, directory: Path) -> list[str]:
    """What a terminal shows at the end of a run with its files in `directory`; of a ruled line its title."""
    terminal = Mock(spec=["write_sep", "write_line"])
    summarize(ShownRun(results, directory), terminal)
    return [call.args[-1] for call in terminal.method_calls]
