"""States that excuse a silence, sandwiches that show a contradiction, and the four statuses with two paths."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle, islice
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.checks.groups import NONCE_STATUS, Group
from conformance.checks.operation import (
    SANDWICH,
    assert_camera_only_with_one,
    assert_inactive_is_off,
    assert_on_is_not_inactive,
    assert_ready_is_on,
)
from conformance.checks.paths import agreement, assert_either_segment, assert_segments_agree, disagree
from conformance.checks.states import controllers_of, exempting_state
from conformance.derive import CATALOG
from conformance.harness.classes import Classifier
from conformance.selftest.handmade import ANCHOR, exchange, judged, profile_of, refusal, seen_of, value

if TYPE_CHECKING:
    from conformance.checks.exchange import Exchange

POWER, OPERATION = "Vendor.Common.Setting.PowerState", "Vendor.Common.Status.OperationState"
AMBIENT, HOOD, LIGHT = "Vendor.Common.Setting.AmbientLight", "Cooking.Hood.Setting.ColorTemperature", "Refrigeration.Common.Setting.Light."
COLOR, LIGHTING = f"{AMBIENT}Color", "Cooking.Common.Setting.Lighting"
CUSTOM, PRESET = (f"Vendor.Common.EnumType.AmbientLightColor.{name}" for name in ("CustomColor", "Color7"))
BATTERY, LOST = "Vendor.Common.Status.BatteryLevel", "ConsumerProducts.CleaningRobot.Status.Lost"
CAMERA = "Vendor.Common.Status.Video.CameraState"


def power(name: str) -> Exchange:
    """A read of the power state."""
    return value(POWER, f"Vendor.Common.EnumType.PowerState.{name}")


# what was read, what is claimed, the key in question -> the state that exempts it
STATES: dict[str, tuple[list[Exchange], list[str], str, str]] = {
    "nothing known": ([], [], f"{AMBIENT}Brightness", ""),
    "custom color": ([value(COLOR, CUSTOM)], [], f"{AMBIENT}Brightness", "X1"),
    "preset, brightness": ([value(COLOR, PRESET)], [], f"{AMBIENT}Brightness", ""),
    "preset": ([value(COLOR, PRESET)], [], f"{AMBIENT}CustomColor", "X2"),
    "custom color, custom": ([value(COLOR, CUSTOM)], [], f"{AMBIENT}CustomColor", ""),
    "color is claimed and silent": ([refusal(COLOR)], [COLOR], f"{AMBIENT}Brightness", "X1"),
    "color is silent": ([refusal(COLOR)], [], f"{AMBIENT}Brightness", ""),
    "warm": ([value(HOOD, "Cooking.Hood.EnumType.ColorTemperature.warm")], [], f"{HOOD}Percent", "X3"),
    "custom": ([value(HOOD, "Cooking.Hood.EnumType.ColorTemperature.custom")], [], f"{HOOD}Percent", ""),
    "temperature is claimed and silent": ([refusal(HOOD)], [HOOD], f"{HOOD}Percent", "X3"),
    "off": ([power("Off")], [], ANCHOR, "X4"),
    "standby": ([power("Standby")], [], ANCHOR, "X4"),
    "on": ([power("On")], [], ANCHOR, ""),
    "off, the power state itself": ([power("Off")], [], POWER, ""),
    "power is claimed and silent": ([refusal(POWER)], [POWER], ANCHOR, "X4"),
    "power is silent": ([refusal(POWER)], [], ANCHOR, ""),
    "a power state that is none": ([value(POWER, "On")], [], ANCHOR, "X4"),
    "sabbath, a light": ([value("Cooking.Oven.Setting.SabbathMode", shown=True)], ["Cooking.Oven.Setting.SabbathMode"], COLOR, "X7"),
    "sabbath, no light": ([value("Cooking.Oven.Setting.SabbathMode", shown=True)], ["Cooking.Oven.Setting.SabbathMode"], ANCHOR, ""),
    "no sabbath": ([value("Cooking.Oven.Setting.SabbathMode", shown=False)], ["Cooking.Oven.Setting.SabbathMode"], COLOR, ""),
    "lighting is off": ([value(LIGHTING, shown=False)], [], "Cooking.Common.Setting.LightingBrightness", "X8"),
    "lighting is off, temperature": ([value(LIGHTING, shown=False)], [], HOOD, "X8"),
    "lighting is on": ([value(LIGHTING, shown=True)], [], "Cooking.Common.Setting.LightingBrightness", ""),
    "lighting is claimed and silent": ([refusal(LIGHTING)], [LIGHTING], "Cooking.Common.Setting.LightingBrightness", "X8"),
    "ambient light is off": ([value(f"{AMBIENT}Enabled", shown=False)], [], COLOR, "X8"),
    "the other light is off": ([value(f"{LIGHT}External.Power", shown=False)], [], f"{LIGHT}Internal.Brightness", ""),
    "its light is off": ([value(f"{LIGHT}Internal.Power", shown=False)], [], f"{LIGHT}Internal.Brightness", "X8"),
}


@pytest.mark.parametrize("name", STATES)
def test_exempting_state(name: str) -> None:
    """A state exempts the keys it touches, and a controlling key that is claimed and silent counts as its state."""
    exchanges, supports, key, state = STATES[name]
    kind = "Refrigerator" if key.startswith("Refrigeration") else "Hood"
    seen = seen_of(profile_of(kind, appliance={"supports": supports}), *exchanges)
    found = exempting_state(seen, key)
    assert (found.id.value if found else "") == state


@pytest.mark.parametrize("name", STATES)
def test_controllers_are_read_with_their_key(name: str) -> None:
    """Whatever decides about a key is asked in a run that judges that key alone."""
    exchanges, _, key, state = STATES[name]
    if state:
        assert {item.key for item in exchanges} <= controllers_of(CATALOG, key)


def sandwich(*pairs: tuple[str, str], seconds: float = 1) -> list[Exchange]:
    """Reads of power and operation state: the shared ones, and pairs a second apart."""
    reads: list[Exchange] = []
    for number, (on, state) in enumerate([pairs[0], *pairs]):
        at = f"2026-01-01T00:00:{(number - 1) * seconds if number else 0:09.6f}+00:00"
        two = [power(on), value(OPERATION, f"Vendor.Common.EnumType.OperationState.{state}")]
        reads += [replace(item, at=at, group=SANDWICH if number else None) for item in two]
    return reads


# pairs of (power, operation) -> verdicts of Inactive-is-off, Ready-is-on, On-is-not-inactive
OPERATIONS: dict[str, tuple[list[tuple[str, str]], str, str, str]] = {
    "on and ready": ([("On", "Ready")] * 2, "not_applicable", "pass", "pass"),
    "off and inactive": ([("Off", "Inactive")] * 2, "pass", "not_applicable", "not_applicable"),
    "standby and inactive": ([("Standby", "Inactive")] * 2, "pass", "not_applicable", "not_applicable"),
    "on and running": ([("On", "Run")] * 2, "not_applicable", "not_applicable", "pass"),
    "off and running": ([("Off", "Run")] * 2, "not_applicable", "not_applicable", "not_applicable"),
    "on and inactive for long": ([("On", "Inactive")] * 6, "fail", "not_applicable", "fail"),
    "on and inactive for a moment": ([("On", "Inactive")] * 2, "inconclusive", "not_applicable", "inconclusive"),
    "off and ready for long": ([("Off", "Ready")] * 6, "not_applicable", "fail", "not_applicable"),
    "on and inactive, then ready": ([("On", "Inactive")] * 5 + [("On", "Ready")], "inconclusive", "not_applicable", "inconclusive"),
    "read once": ([("On", "Inactive")], "inconclusive", "inconclusive", "inconclusive"),
    "a state that is none": ([("On", "Idle")] * 6, "not_applicable", "not_applicable", "not_applicable"),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operation_state_against_power_state(name: str) -> None:
    """A contradiction counts when it stood for the whole settle time, and only for the state the line names."""
    pairs, *verdicts = OPERATIONS[name]
    seen = seen_of(profile_of("Oven", timing={"power_settle_s": 4}), *sandwich(*pairs))
    checks = (assert_inactive_is_off, assert_ready_is_on, assert_on_is_not_inactive)
    assert [judged(check, "OPS-READY", OPERATION, seen).verdict for check in checks] == verdicts


CAMERAS: dict[str, tuple[bool | None, list[Exchange], str]] = {
    "undeclared": (None, [value(CAMERA, "x")], "inconclusive"),
    "has one": (True, [value(CAMERA, "x")], "pass"),
    "has one, silent": (True, [refusal(CAMERA)], "inconclusive"),
    "has none, silent": (False, [value(ANCHOR, 5), refusal(CAMERA)], "pass"),
    "has none, and nothing answers": (False, [refusal(ANCHOR), refusal(CAMERA)], "inconclusive"),
    "has none, once": (False, [value(CAMERA, "x")], "inconclusive"),
    "has none, twice": (False, [value(CAMERA, "x"), value(CAMERA, "x", group=Group.parse(f"confirm/status/{CAMERA}"))], "fail"),
    "has none, then silent": (False, [value(CAMERA, "x"), refusal(CAMERA, group=Group.parse(f"confirm/status/{CAMERA}"))], "inconclusive"),
}


@pytest.mark.parametrize("name", CAMERAS)
def test_camera_state_needs_a_camera(name: str) -> None:
    """Line 103 is about appliances without one; silence of a target that says nothing at all proves nothing."""
    camera, exchanges, verdict = CAMERAS[name]
    declared = {} if camera is None else {"streaming_camera": camera}
    seen = seen_of(profile_of("CleaningRobot", appliance=declared), *exchanges)
    assert judged(assert_camera_only_with_one, "OPT-CAMERA", CAMERA, seen).verdict == verdict


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


@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 5))
def test_stable_paths_differ_beyond_the_drift(one: float, other: float, drift: float) -> None:
    """Two stable numbers differ exactly when they lie farther apart than the drift."""
    answers = tuple(Classifier(profile_of()).answer(value(BATTERY, shown)) for shown in (one, other, one, other))
    assert (disagree(answers, drift) is None) is (abs(one - other) <= drift)


def served(status: object, settings: object, times: int) -> list[Exchange]:
    """A contested status under both paths: its shared reads, and so many more in turn."""
    turns = islice(cycle([("status", status), ("settings", settings)]), times)
    shared = [value(LOST, status, segment="status"), value(LOST, settings, segment="settings")]
    return shared + [value(LOST, shown, segment=segment, group=agreement(LOST)) for segment, shown in turns]


AGREEMENTS: dict[str, tuple[list[Exchange], str]] = {
    "agree": (served(status=True, settings=True, times=4), "pass"),
    "differ in two sandwiches": (served(status=True, settings=False, times=8), "fail"),
    "differ in one": (served(status=True, settings=False, times=4), "inconclusive"),
    "not read in turn": (served(status=True, settings=False, times=2), "inconclusive"),
    "of another type": (served(status="true", settings=True, times=8), "inconclusive"),
    "one path": ([value(LOST, shown=True), refusal(LOST, segment="settings")], "not_applicable"),
}


@pytest.mark.parametrize("name", AGREEMENTS)
def test_segments_agree(name: str) -> None:
    """Two paths to one status tell the same value, or differ in two sandwiches."""
    exchanges, verdict = AGREEMENTS[name]
    assert judged(assert_segments_agree, "PATH-AGREE", LOST, seen_of(profile_of("CleaningRobot"), *exchanges)).verdict == verdict


def silent(segment: str, status: int = 404) -> list[Exchange]:
    """A refusal under one path and two more, the anchor in between."""
    group = Group.parse(f"again/{segment}/{LOST}")
    no, yes = refusal(LOST, status, group=group, segment=segment), value(ANCHOR, 5, group=group)
    return [refusal(LOST, status, segment=segment), yes, no, yes, no, yes]


EITHER: dict[str, tuple[str, str, list[Exchange], str]] = {
    "status only": ("yes", "either", [value(LOST, shown=True), *silent("settings")], "pass"),
    "settings only": ("yes", "either", [*silent("status"), value(LOST, shown=True, segment="settings")], "pass"),
    "neither, claimed": ("yes", "either", [*silent("status"), *silent("settings")], "fail"),
    "neither, not claimed": ("unknown", "either", [*silent("status"), *silent("settings")], "not_applicable"),
    "neither, denied": ("no", "either", [*silent("status"), *silent("settings")], "not_applicable"),
    "neither, one fails otherwise": ("yes", "either", [*silent("status"), exchange(LOST, 429, segment="settings")], "inconclusive"),
    "neither, not tried again": ("yes", "either", [refusal(LOST), refusal(LOST, segment="settings")], "inconclusive"),
    "the authoritative one": ("yes", "status", [value(LOST, shown=True), *silent("settings")], "pass"),
    "not the authoritative one": ("yes", "settings", [value(LOST, shown=True), *silent("settings")], "inconclusive"),
}


@pytest.mark.parametrize("name", EITHER)
def test_either_segment(name: str) -> None:
    """One path is enough; only a claimed status that is silent on both is broken."""
    claim, authoritative, exchanges, verdict = EITHER[name]
    named = {"yes": {"supports": [LOST]}, "no": {"lacks": [LOST]}, "unknown": {}}[claim]
    profile = profile_of("CleaningRobot", appliance=named, paths={"authoritative": authoritative})
    nonce = refusal("Vendor.Common.Status.NonceAb", group=NONCE_STATUS)
    result = judged(assert_either_segment, "PATH-LOST", LOST, seen_of(profile, value(ANCHOR, 5), nonce, *exchanges))
    assert result.verdict == verdict, result.message
