"""A mutant of a writing run shows its fault after the steps it names, and a conforming server does not."""

from __future__ import annotations

from conformance.mutants.model import Mutant
from conformance.mutants.registry import load_mutants
from conformance.selftest.support.records import for_each
from conformance.selftest.support.servers.bench import Bench, played, twin

WRITE_FAULTS = [record for record in load_mutants() if record.level in {"L3", "L4"}]

UNLIKE_BEFORE = {
    "off-unlisted-and-refused",
    "door-ajar-once-on",
    "lock-as-text-once-on",
    "brightness-over-100-under-a-preset",
    "door-follows-once-on",
    "lock-dropped-behind-silence",
}
"""Mutants that answer otherwise from the beginning, which is no fault."""

each_mutant = for_each(WRITE_FAULTS)


@each_mutant
def test_the_fault_shows_after_its_steps(broken: Mutant) -> None:
    """What is read then is wrong on the mutant, and right on the reference with the same appliances."""
    assert broken.shows is not None
    steps, shown, due, place = *broken.shows[:3], broken.shows.place
    assert repr(played(broken.service, steps).read(place)) == repr(shown)
    assert repr(played(twin(broken), steps).read(place)) == repr(due)
    assert repr(shown) != repr(due)


@each_mutant
def test_the_fault_needs_its_steps(broken: Mutant) -> None:
    """Before anything is written or done, the mutant answers as the reference does."""
    alike = Bench(broken.service).everything() == Bench(twin(broken)).everything()
    assert alike == (broken.name not in UNLIKE_BEFORE)
