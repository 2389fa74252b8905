"""The benchmark of captures runs at its smallest size, and says what it measured; no test asserts a time."""

import pytest

from conformance.benchmarks import captured
from conformance.benchmarks.captured import measure, shown_by
from conformance.proof.trials import all_trials
from conformance.selftest.support.forked_script import forked_script


@pytest.mark.parametrize("name", ["type-boolean-as-a-text", "value-twice", "range-perapp-value-above"])
def test_capture_shows_what_shared_reads_show(name: str) -> None:
    """A wrong type, a body that is no JSON, a value outside its own range."""
    shown = shown_by(all_trials()[name])
    assert shown.shared & shown.seen


@pytest.mark.parametrize(
    "name", ["lacking-null.L0", "cuts-30-of-100-bodies.L0", "maker-per-appliance.L0", "offline.L0"]
)
def test_conforming_capture_shows_nothing(name: str) -> None:
    """Absent keys, bodies that were cut, two makers, and no answer at all."""
    assert not shown_by(all_trials()[name]).seen


def test_figures_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults that are missed, false findings, time and memory."""
    with forked_script() as place:
        monkeypatch.setattr(captured, "SCRIPTS", place)
        figures = list(measure(mutants=3, size=50))
    assert [figure.values for figure in figures[2:]] == [(0,), (0,)]
    assert [figure.unit for figure in figures[:2]] == ["s", "MB"]
