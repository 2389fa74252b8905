"""The table of cases, made of results."""

import json
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from conformance.records.results import CaseResult
from conformance.records.run_facts import JudgedTarget
from conformance.selftest.support.samples.pages import Seen
from conformance.selftest.support.samples.results import RUN, results_of
from reports.formats.cases_page import render_cases


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
    seen = Seen(render_cases(results_of(*cases, run=replace(RUN, target=target))))
    blob = next(
        str(attributes["data-jsonblob"]) for _, attributes in seen.tags if "data-jsonblob" in attributes
    )
    return Page(seen, json.loads(blob))
