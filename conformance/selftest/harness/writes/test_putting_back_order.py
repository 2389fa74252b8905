"""What a light hides as it is found, and loses by the write that shows it, is not lost without a word."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from catalog import keys
from conformance.mutants.fleets import AMBIENT, LAMP
from conformance.mutants.shapes.reads import hides
from conformance.mutants.shapes.writes import couples
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import run_of
from conformance.selftest.support.rows import drawn


class Light(NamedTuple):
    """A light: its switch, its brightness, its color with two values, and what only the custom one frees."""

    fleet: ApplianceSpec
    switch: str
    brightness: str
    color: str
    custom: str
    preset: str
    freed: str
    value: Json
    reset: Json

    def locked(self, its: Appliance) -> str:
        """What cannot be set under the color that is chosen."""
        is_custom = its.values[self.color] == self.custom
        return (self.brightness if self.color == keys.AMBIENT_COLOR else "") if is_custom else self.freed

    @property
    def couplings(self) -> Mapping[str, Mapping[tuple[str, bool | str], Mapping[str, Json]]]:
        """What may move with the switch, or with the color."""
        on, freed = (self.switch, True), {self.freed: self.reset}
        return {
            "on resets the brightness": {on: {self.brightness: 100}},
            "on resets what custom frees": {on: freed},
            "on chooses the preset": {on: {self.color: self.preset}},
            "the preset resets what custom frees": {(self.color, self.preset): freed},
            "custom resets the brightness": {(self.color, self.custom): {self.brightness: 100}},
            "custom resets what it frees": {(self.color, self.custom): freed},
        }


TIMING = {"settle_s": 0.01, "power_settle_s": 0.01, "poll_s": 0.005, "retry_s": 0, "put_back_s": 0.05}
"""Seconds; the lights move at once, and hundreds of runs wait for them."""
FAMILY = keys.COLOR_TEMPERATURE_FAMILY
LIGHTS = {
    "hood": Light(
        LAMP,
        keys.LIGHTING,
        keys.LIGHTING_BRIGHTNESS,
        keys.COLOR_TEMPERATURE,
        f"{FAMILY}.custom",
        f"{FAMILY}.warm",
        keys.COLOR_PERCENT,
        77,
        0,
    ),
    "ambient": Light(
        AMBIENT,
        keys.AMBIENT_ENABLED,
        keys.AMBIENT_BRIGHTNESS,
        keys.AMBIENT_COLOR,
        keys.COLOR_CUSTOM,
        keys.COLOR_1,
        keys.CUSTOM_COLOR,
        "#123456",
        "#ffffff",
    ),
}


CASES = [
    (name, coupling, is_custom, is_lit, hidden)
    for name, light in LIGHTS.items()
    for coupling in light.couplings
    for is_custom in (True, False)
    for is_lit in (True, False)
    for hidden in ("", "dark", "locked", "dark locked")
]
"""Before what was hidden was named, 49 of these 192 lost a setting without a word."""


@pytest.mark.parametrize(("name", "coupling", "is_custom", "is_lit", "hidden"), drawn(CASES, 48))
def test_nothing_hidden_is_moved_without_a_word(  # noqa: PLR0913  one parameter for each thing that lights differ in
    *, name: str, coupling: str, is_custom: bool, is_lit: bool, hidden: str, tmp_path: Path
) -> None:
    """A run says of each setting that it left with another value that it did, or that it never knew it."""
    light = LIGHTS[name]

    def is_hidden(its: Appliance, key: str) -> bool:
        lit = {light.brightness, light.color, light.freed}
        is_dark = "dark" in hidden and not its.values[light.switch] and key in lit
        return is_dark or ("locked" in hidden and key == light.locked(its))

    color = light.custom if is_custom else light.preset
    spec = light.fleet.having({light.switch: is_lit, light.color: color, light.freed: light.value})
    moved = light.couplings[coupling]
    service = type("Coupled", (hides(is_hidden), couples(moved)), {"fleet": (spec,)})()
    found = service.settings()
    ran = run_of(service, tmp_path, "power", {"timing": TIMING})
    told = {line["key"] for line in ran.journal if "restored" in line and line["note"]}
    left = service.settings()
    lost = [key for (_, key), value in found.items() if left[spec.ha_id, key] != value]
    silent = [
        key
        for key in lost
        if key not in told and not any(key.rpartition(".")[2] in text for text in ran.left)
    ]
    assert (ran.red(), silent) == (set(), [])
