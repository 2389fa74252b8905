"""What does not go with TemperatureUnit a moment after it was written is read again after the settle time."""

from pathlib import Path

import pytest

from conformance.harness.writes.procedures import parts
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.recording import recorded


@pytest.mark.parametrize(
    ("name", "clauses"),
    [
        ("unit-forgotten", {"UNIT-TEMP-APPLIES"}),
        ("setpoint-keeps-its-number", {"RANGE-PERAPP-VALUE"}),
        ("unit-change-in-fractions", set[str]()),
    ],
)
def test_setpoints_have_the_settle_time_to_follow(
    name: str, clauses: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setpoint that keeps its unit or its number then is a finding, also where effects may take long."""
    monkeypatch.setattr(parts, "STAYS_AFTER_S", 0.01)
    timing = {"settle_s": 0.3, "power_settle_s": 0.1, "poll_s": 0.01, "retry_s": 0.0}
    about = {"UNIT-TEMP-APPLIES", "RANGE-PERAPP-VALUE"}
    assert run_of(recorded(name), tmp_path, "write", {"timing": timing}, clauses=about).red() == clauses
