"""What whole runs come to: each row of the scenarios is judged in a process of the trial pool."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from conformance.proof.outcomes import TrialOutcome
from conformance.proof.pool import judge_all
from conformance.selftest.runs.scenarios import keeping, preparing, sharing, strangers, values
from conformance.selftest.runs.scenarios.model import troubles
from conformance.selftest.support.rows import named_by

TABLES = (preparing, sharing, keeping, values, strangers)
SCENARIOS = {row.what: row for table in TABLES for row in table.ROWS}
AT_ONCE = 2


def outcome(name: str, directory: Path) -> TrialOutcome:
    """How the run of a row differs from what the row says."""
    out = directory / str(list(SCENARIOS).index(name))
    return TrialOutcome("ended", {}, tuple(troubles(SCENARIOS[name], out)))


@pytest.fixture(scope="module")
def outcomes(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Mapping[str, TrialOutcome]:
    """What came of the rows that are run."""
    names = named_by(request.session.items, "test_run_comes_to_what_its_row_says")
    judge = partial(outcome, directory=tmp_path_factory.mktemp("scenarios"))
    return judge_all(names, judge, workers=AT_ONCE)


@pytest.mark.parametrize("name", SCENARIOS)
def test_run_comes_to_what_its_row_says(name: str, outcomes: Mapping[str, TrialOutcome]) -> None:
    """The row says what may fail, what stays open, what is written and what is left."""
    assert "\n".join(outcomes[name].faults) == ""
