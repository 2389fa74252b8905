"""What a view of one appliance costs does not grow with the fleet."""

from collections.abc import Iterator
from typing import SupportsIndex, overload

from msgspec import to_builtins

from conformance.cases import CATALOG
from conformance.checks.exchange import Remark
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.remarks import LOSS, LossNote
from conformance.harness.observing import Observations
from conformance.profiles.validation import build_profile
from conformance.selftest.support.samples.handmade import ANCHOR, URL, exchange, numbered

NOTED = Group(ProcedureKind.REPEAT, "on")
FLEET = [f"fridge-{number}" for number in range(40)]
"""The haIds of a fleet."""


class Counted(list[Remark]):
    """Remarks that count how often one of them is looked at."""

    looks = 0

    def __iter__(self) -> Iterator[Remark]:
        for remark in super().__iter__():
            self.looks += 1
            yield remark

    @overload
    def __getitem__(self, place: SupportsIndex) -> Remark: ...
    @overload
    def __getitem__(self, place: slice) -> list[Remark]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Remark | list[Remark]:
        found = super().__getitem__(place)
        self.looks += len(found) if isinstance(found, list) else 1
        return found


def test_view_looks_at_each_remark_once() -> None:
    """Also where views are made while more is noted, as a run makes them; and it has all of its own."""
    appliances = [{"ha_id": ha_id, "kind": "Refrigerator"} for ha_id in FLEET]
    profile = build_profile({"target": {"name": "fleet", "base_url": URL}, "appliance": appliances}, CATALOG)
    remarks = Counted()
    made = numbered([exchange(ANCHOR, 409, ha_id=ha_id) for ha_id in FLEET])
    seen = Observations(profile, CATALOG, made, remarks)
    for ha_id in FLEET:
        remarks += [Remark("unfinished", NOTED, ha_id, ANCHOR, {}) for _ in range(2)]
        assert seen.view(ha_id).remarks == {NOTED: tuple(remarks[-2:])}
    seen.views()
    assert remarks.looks <= 3 * len(remarks)


def test_loss_shows_in_the_view_that_follows_it() -> None:
    """Of the appliance that went away, and of no other, whichever view is made first."""
    appliances = [{"ha_id": ha_id, "kind": "Refrigerator"} for ha_id in FLEET[:2]]
    profile = build_profile({"target": {"name": "fleet", "base_url": URL}, "appliance": appliances}, CATALOG)
    made = numbered([exchange(ANCHOR, 409, ha_id=ha_id) for ha_id in FLEET[:2]])
    seen = Observations(profile, CATALOG, made)
    assert seen.view(FLEET[0]).lost is None
    note = LossNote(since=1, answer="409 (refused)", access=False, target=False)
    seen.remarks.append(Remark("lost", LOSS, FLEET[0], "*", to_builtins(note)))
    assert seen.view(FLEET[1]).lost is None
    gone = seen.view(FLEET[0]).lost
    assert gone is not None
    assert gone.since == 1
