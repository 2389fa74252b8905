"""Two lights of an appliance are tried at the same time; one that shows what is not expected alone again."""

from pathlib import Path
from typing import TypeAlias

import pytest
from pydantic import JsonValue

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    COLOR_CUSTOM,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    LIGHTING,
)
from conformance.checks.answer import Answer
from conformance.checks.groups import AMBIENT, HOOD
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.batches import batches_of
from conformance.harness.writes.procedures.expected_lights import ExpectedLight
from conformance.harness.writes.procedures.lights import AmbientLight
from conformance.harness.writes.procedures.registry import procedure_of
from conformance.harness.writes.procedures.requests import write
from conformance.mutants.registry import find_server
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.service import Service
from conformance.reference.wire import Json
from conformance.selftest.support.judged_runs import Run, run_of
from conformance.selftest.support.samples.handmade import profile_of, refusal, seen_of, value, write_table

Told: TypeAlias = tuple[Ask, Answer]
SEEN = seen_of(profile_of(write=write_table("*")))
PRESET = "Vendor.Common.EnumType.AmbientLightColor.Color1"
ALONE = {"ambient/alone", "hood/alone"}


def shows(key: str, shown: JsonValue) -> Told:
    """A read of a key that has a value, or none."""
    answer = refusal(key) if shown is None else value(key, shown)
    return reread(SEEN, key, AMBIENT), seen_of(SEEN.profile, answer).reads["settings", key]


def wrote(key: str, wanted: JsonValue) -> Told:
    """A write of a key, whatever is answered."""
    return write(SEEN, AMBIENT, key, wanted), shows(key, None)[1]


FREE = (shows(AMBIENT_ENABLED, True), shows(AMBIENT_COLOR, PRESET), shows(AMBIENT_BRIGHTNESS, 50))
LOCKED = (shows(AMBIENT_ENABLED, True), shows(AMBIENT_COLOR, COLOR_CUSTOM), shows(AMBIENT_BRIGHTNESS, 50))
BRIGHTER = (*FREE, wrote(AMBIENT_BRIGHTNESS, 75))
KEPT = (*LOCKED, wrote(AMBIENT_BRIGHTNESS, 75))
CHOSEN = (wrote(AMBIENT_COLOR, PRESET), shows(AMBIENT_COLOR, PRESET))
FREED = (*LOCKED, *CHOSEN, shows(AMBIENT_BRIGHTNESS, 50), wrote(AMBIENT_BRIGHTNESS, 75))
BACK = (wrote(AMBIENT_COLOR, COLOR_CUSTOM), shows(AMBIENT_COLOR, COLOR_CUSTOM))
DARK = (*KEPT, wrote(AMBIENT_ENABLED, False), shows(AMBIENT_ENABLED, False))


@pytest.mark.parametrize(
    ("story", "is_reached"),
    [
        ((*BRIGHTER, shows(AMBIENT_BRIGHTNESS, 50)), False),
        ((*BRIGHTER, shows(AMBIENT_BRIGHTNESS, 50), shows(AMBIENT_BRIGHTNESS, 75)), True),
        ((*KEPT, shows(AMBIENT_BRIGHTNESS, 50)), True),
        ((*KEPT, shows(AMBIENT_BRIGHTNESS, None)), True),
        ((*DARK, shows(AMBIENT_COLOR, None), shows(AMBIENT_BRIGHTNESS, 10)), True),
        (FREE, False),
        ((*LOCKED, wrote(CUSTOM_COLOR, "#00d1ff"), shows(CUSTOM_COLOR, "#00D1FF")), True),
        ((*FREED, shows(AMBIENT_BRIGHTNESS, 75), *BACK, shows(AMBIENT_BRIGHTNESS, 75)), True),
        ((*FREED, shows(AMBIENT_BRIGHTNESS, 75), *BACK, shows(AMBIENT_BRIGHTNESS, 50)), True),
    ],
)
def test_light_that_keeps_the_rules_is_expected(story: tuple[Told, ...], is_reached: bool) -> None:
    """An effect may be late, what is locked hidden, a colour in capitals; at the end each was seen."""
    light = ExpectedLight(SEEN.catalog.entries, AmbientLight.keys, COLOR_CUSTOM)
    assert ([light.admits(*told) for told in story], light.is_reached) == ([True] * len(story), is_reached)


@pytest.mark.parametrize(
    "story",
    [
        (*BRIGHTER, shows(AMBIENT_BRIGHTNESS, 60)),
        (*BRIGHTER, shows(AMBIENT_BRIGHTNESS, 75), shows(AMBIENT_BRIGHTNESS, 50)),
        (*BRIGHTER, shows(AMBIENT_BRIGHTNESS, None)),
        (*BRIGHTER, shows(AMBIENT_COLOR, COLOR_CUSTOM)),
        (*KEPT, shows(AMBIENT_BRIGHTNESS, 75)),
        (*FREE, wrote(CUSTOM_COLOR, "#00d1ff"), shows(CUSTOM_COLOR, "#00d1ff")),
        (*DARK, shows(AMBIENT_COLOR, PRESET)),
        (*FREED, shows(AMBIENT_BRIGHTNESS, 75), *BACK, shows(AMBIENT_BRIGHTNESS, 60)),
    ],
)
def test_what_nobody_wrote_is_not_expected(story: tuple[Told, ...]) -> None:
    """Another value, one that goes again, a hidden one, a moved colour, and what is locked and taken."""
    light = ExpectedLight(SEEN.catalog.entries, AmbientLight.keys, COLOR_CUSTOM)
    assert [light.admits(*told) for told in story] == [*(True for _ in story[1:]), False]


def groups_of(ran: Run) -> set[str]:
    """The procedures of its exchanges."""
    return {group for line in ran.evidence for group in line.get("groups", ())}


def test_two_lights_are_tried_at_the_same_time(tmp_path: Path) -> None:
    """They are one batch, and none of them is made again where both keep the rules."""
    assert len(batches_of([procedure_of(AMBIENT), procedure_of(HOOD)], SEEN)) == 1
    ran = run_of(type("Colorful", (Service,), {"fleet": (HOOD_COLORFUL,)})(), tmp_path, "write")
    assert (groups_of(ran) & ALONE, ran.red()) == (set(), set())


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


def test_light_that_the_other_one_moves_is_tried_alone(tmp_path: Path) -> None:
    """No clause of the lights is about that, so none fails, and none is left open."""
    ran = run_of(MovedByTheOther(), tmp_path, "write")
    about = {name: one for name, one in ran.verdicts.items() if name.startswith(("AMB-", "HOOD-"))}
    assert "ambient/alone" in groups_of(ran)
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
