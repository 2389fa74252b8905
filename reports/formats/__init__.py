"""Results in the formats of other tools, and the short renderings for people."""

from collections.abc import Mapping
from typing import Final, Literal

Format = Literal["html", "markdown", "badge", "ctrf", "sarif"]
FILES: Final[Mapping[Format, str]] = {
    "html": "report.html",
    "markdown": "summary.md",
    "badge": "badge.json",
    "ctrf": "ctrf.json",
    "sarif": "results.sarif",
}
"""The file of a run that is made in each format."""
JUNIT_FILE: Final = "junit.xml"
CASES_FILE: Final = "cases.html"
"""The files that pytest writes of a run, which no other command can make again."""
InconclusiveAs = Literal["skipped", "failure"]
"""What an inconclusive case is in junit.xml."""
