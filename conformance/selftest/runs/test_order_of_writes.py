"""Settings that come back only in the right order of writes, and two that cannot both come back."""

from dataclasses import replace
from pathlib import Path

import pytest

from catalog.keys import OVEN_SABBATH
from conformance.mutants.registry import find_server
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import OVEN
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.servers.bench import values_of

CLAUSES = {
    "freezer-assistant-follows": ("SET-ONLY-TARGET",),
    "brightness-found-unlocked": ("AMB-BRIGHTNESS-FREE", "AMB-CUSTOM-ONLY", "AMB-BRIGHTNESS-LOCKED"),
    "fresh-leaves-the-freezer-warm": ("COOL-FRESH-FREEZER",),
    "off-unlisted-and-refused": ("PWR-ON-OFF",),
    "remote-start-written-as-a-setting": ("STA-RCSA-DISABLE-ONLY",),
    "light-found-off-refuses-writes": ("AMB-CUSTOM-SETTABLE", "AMB-BRIGHTNESS-FREE"),
    "vacation-refuses-the-fresh-mode": ("SET-WRITABLE",),
}
"""Mutants and variants, with the clauses whose procedures write to them."""


@pytest.mark.parametrize("name", CLAUSES)
def test_what_was_written_comes_back(name: str, tmp_path: Path) -> None:
    """Every setting and status is what it was before the run, and nothing is said to be left."""
    service = find_server(name)()
    before = values_of(service)
    run = run_of(service, tmp_path, "power", clauses=CLAUSES[name])
    assert (run.left, values_of(service)) == ([], before)


class Shared(Service):
    """Two ovens share one SabbathMode, which was on at one of them and off at the other."""

    fleet = tuple(replace(OVEN.only(OVEN_SABBATH), ha_id=ha_id) for ha_id in ("oven-1", "oven-2"))

    def reset(self) -> None:
        super().reset()
        self.appliances["oven-2"].values[OVEN_SABBATH] = True

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  whichever it is
        for each in self.appliances.values():
            super().apply(each, key, value)


class Slipping(Service):
    """An oven whose SabbathMode comes on by itself after it was put off, at first at once, then later."""

    fleet = (OVEN.only(OVEN_SABBATH),)
    patience = (2, 2, 3)
    times, left = 0, -1

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        self.left = -1 if value else self.patience[min(self.times, 2)]
        self.times += not value

    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        self.left -= 1
        if found and self.left == 0:
            found.values[OVEN_SABBATH] = True
        return found


def test_what_moves_again_after_it_was_put_back_is_said(tmp_path: Path) -> None:
    """What the last look had to put back is looked at once more, though it was put back like that before."""
    run = run_of(Slipping(), tmp_path, "write", clauses=("SET-WRITABLE",))
    (left,) = run.left
    assert "SabbathMode" in left


def test_what_moves_another_back_is_said(tmp_path: Path) -> None:
    """Where putting one setting back moves another one away, the run does not end as if both were back."""
    clauses = ("SET-WRITABLE", "ADDR-HAID-ISOLATION")
    (left,) = run_of(Shared(), tmp_path, "write", clauses=clauses).left
    assert "SabbathMode" in left
