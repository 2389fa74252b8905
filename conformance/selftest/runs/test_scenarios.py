"""What whole runs come to: a row of the scenarios each."""

from pathlib import Path

import pytest

from conformance.selftest.runs.scenarios import keeping, others, preparing, sharing, strangers, values
from conformance.selftest.runs.scenarios.model import troubles

SCENARIOS = {
    row.what: row for table in (preparing, sharing, keeping, values, others, strangers) for row in table.ROWS
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_run_comes_to_what_its_row_says(name: str, tmp_path: Path) -> None:
    """The row says what may fail, what stays open, what is written and what is left."""
    assert "\n".join(troubles(SCENARIOS[name], tmp_path)) == ""
