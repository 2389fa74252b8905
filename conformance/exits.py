"""The exit codes that need no results: every command ends with them, and a run whose results cannot tell (reports.results.exit_code)."""

from typing import Final

USAGE: Final = 2
INCONCLUSIVE: Final = 3
SUITE_FAULT: Final = 5
