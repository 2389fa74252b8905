"""How much each place shows of what may be much; what is left out is counted, with the place of the rest."""

from typing import Final

from msgspec import Struct


class MostShown(Struct, frozen=True):
    """How much a place shows; 0 where it shows none of that."""

    findings: int = 0
    reasons: int = 0  # why cases were not decided, or what else limits the verdict
    places: int = 0  # where else a finding shows; on the terminal and in a summary, of each clause
    requests: int = 0  # that prove a finding
    script_lines: int = 0  # that make a finding again
    changes: int = 0  # since the baseline
    rows: int = 0  # of every other table
    characters: int = 600  # of a finding


# fmt: off
TERMINAL: Final = MostShown(findings=20, reasons=12, places=4, script_lines=16, changes=10)
SUMMARY: Final = MostShown(findings=50, reasons=20, places=8, script_lines=30, changes=20)
FIRST_SCREEN: Final = MostShown(findings=5, reasons=5, changes=5, characters=300)  # of report.html
PAGE: Final = MostShown(findings=1_000, reasons=200, places=200, requests=4, changes=500, rows=500)
CHANGES: Final = MostShown(reasons=20, changes=50)  # changes.md, and what `diff` says
CASES: Final = MostShown(findings=700, script_lines=30, rows=700)  # cases.html opens slowly beyond 1,500 rows
JUNIT: Final = MostShown(requests=3, script_lines=60)
HISTORY: Final = MostShown(rows=400)
# fmt: on
