"""The table of cases, made of results."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from conformance.records.results import CaseResult, Results
from conformance.records.run_facts import JudgedTarget
from conformance.selftest.support.samples.pages import Seen
from conformance.selftest.support.samples.results import RUN, results_of
from reports.formats.cases_page import PLUGIN, write_cases


class _Session:
    """A plugin of pytest: its session collects nothing, and ends with a page of cases."""

    def __init__(self, results: Results, path: Path) -> None:
        self._results, self._path = results, path

    def pytest_collection(self) -> bool:
        """There is nothing to collect."""
        return True

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Writes the page."""
        write_cases(session, self._results, self._path)


def write_page(results: Results, path: Path) -> Path:
    """The cases.html of these results, as a session of its own writes it."""
    words = ["--disable-plugin-autoload", "--noconftest", "--capture=no", "-p", "no:terminal", "-p", PLUGIN]
    with TemporaryDirectory() as place:
        (Path(place) / "pytest.ini").touch()
        pytest.main(
            [*words, "--rootdir", place, "-c", f"{place}/pytest.ini"], plugins=[_Session(results, path)]
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


def page_of(*cases: CaseResult, target: JudgedTarget = RUN.target) -> Page:
    """The page of these cases."""
    with TemporaryDirectory() as place:
        path = write_page(results_of(*cases, run=replace(RUN, target=target)), Path(place, "cases.html"))
        seen = Seen(path.read_text(encoding="utf-8"))
    blob = next(
        str(attributes["data-jsonblob"]) for _, attributes in seen.tags if "data-jsonblob" in attributes
    )
    return Page(seen, json.loads(blob))
