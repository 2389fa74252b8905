"""Two paths of one status: whether they agree, differ or move."""

import pytest

from conformance.checks.reads.paths import disagree
from conformance.harness.answers.classes import Classifier
from conformance.selftest.support.samples.handmade import profile_of, value

BATTERY = "Vendor.Common.Status.BatteryLevel"
# four values read in turn under status and settings, and the drift that is allowed -> agree, differ, move
SANDWICHES: dict[str, tuple[list[object], float, str]] = {
    "equal": ([True, True, True, True], 0, "agree"),
    "different and stable": ([True, False, True, False], 0, "differ"),
    "both move together": ([True, True, False, False], 0, "agree"),
    "one moves": ([True, False, False, False], 0, "move"),
    "numbers within the drift": ([50, 52, 50, 52], 2, "agree"),
    "numbers beyond the drift": ([50, 53, 50, 53], 2, "differ"),
    "numbers that drift together": ([50, 55, 60, 60], 2, "agree"),
    "numbers that move and differ": ([50, 80, 60, 80], 2, "move"),
    "whole and with a fraction": ([50, 50.0, 50, 50.0], 0, "agree"),
    "no numbers": ([float("nan")] * 4, 2, "move"),
    "a text and a number": (["50", 50, "50", 50], 2, "differ"),
}


@pytest.mark.parametrize("name", SANDWICHES)
def test_two_paths_agree_or_differ(name: str) -> None:
    """Each path must be stable in itself before the two can be said to differ."""
    shown, drift, verdict = SANDWICHES[name]
    answers = tuple(Classifier(profile_of()).answer(value(BATTERY, each)) for each in shown)
    said = disagree(answers, drift)
    assert ("agree" if said is None else "differ" if said else "move") == verdict
