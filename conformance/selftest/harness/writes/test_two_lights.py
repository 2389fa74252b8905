"""Two lights of an appliance are tried one after the other: what one does is not held against the other."""

from pathlib import Path

import pytest

from catalog.keys import AMBIENT_BRIGHTNESS, COLOR_TEMPERATURE, LIGHTING
from conformance.mutants.registry import find_server
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import run_of


class MovedByTheOther(Service):
    """The switch and the colour temperature of the hood's light move the ambient light's brightness, soon."""

    fleet = (HOOD_COLORFUL,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key in {LIGHTING, COLOR_TEMPERATURE}:
            self.timers.arm((appliance.ha_id, "moved"), 0.005, lambda: self.move(appliance))

    def move(self, appliance: Appliance) -> None:
        """The brightness is one that it is not now."""
        appliance.values[AMBIENT_BRIGHTNESS] = 30 if appliance.values[AMBIENT_BRIGHTNESS] == 40 else 40


def test_light_that_the_other_one_moves_keeps_its_rules(tmp_path: Path) -> None:
    """No clause of the lights is about that, so none fails, and none is left open."""
    ran = run_of(MovedByTheOther(), tmp_path, "write")
    about = {name: one for name, one in ran.verdicts.items() if name.startswith(("AMB-", "HOOD-"))}
    assert {verdict for verdict, _ in about.values()} == {"pass"}


@pytest.mark.parametrize(
    ("name", "clause"),
    [
        ("custom-color-kept-for-later", "AMB-CUSTOM-ONLY"),
        ("brightness-unlocked-in-the-dark", "AMB-BRIGHTNESS-LOCKED"),
        ("percent-under-cold", "HOOD-PERCENT-USABLE"),
        ("percent-ends-custom", "HOOD-PERCENT-APPLIES"),
    ],
)
def test_fault_of_one_light_is_found_beside_the_other(name: str, clause: str, tmp_path: Path) -> None:
    """It is the only finding about lights: the other one keeps its rules."""
    ran = run_of(type("Broken", (find_server(name),), {"fleet": (HOOD_COLORFUL,)})(), tmp_path, "write")
    assert {found for found in ran.red() if found.startswith(("AMB-", "HOOD-"))} == {clause}
