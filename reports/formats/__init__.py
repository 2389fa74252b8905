"""Results in the formats of other tools, and the short renderings for people."""

from collections.abc import Mapping
from typing import Final, Literal

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
