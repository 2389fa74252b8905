"""Which settings of the ambient light can be set under which color."""

from typing import Any

from catalog.keys import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, AMBIENT_ENABLED, CUSTOM_COLOR, LOCAL_CONTROL
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, NONCE_SETTINGS
from conformance.checks.writes import lights
from conformance.checks.writes.judging import judge_writes
from conformance.selftest.support.samples.handmade import refusal
from conformance.selftest.support.samples.handtraced import (
    SILENT,
    Steps,
    Story,
    attempt,
    read,
    restore,
    write,
)

CUSTOM, PRESET, OTHER = (
    f"Vendor.Common.EnumType.AmbientLightColor.{name}" for name in ("CustomColor", "Color7", "Color8")
)
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)
RED, BLUE, OLD = "#ff0000", "#0000ff", "#010203"


def found(color: object, brightness: object, custom: object = OLD, *, enabled: object = True) -> Steps:
    """What the ambient light is found like."""
    return [
        read(AMBIENT_ENABLED, enabled),
        read(AMBIENT_COLOR, color),
        read(AMBIENT_BRIGHTNESS, brightness),
        read(CUSTOM_COLOR, custom),
    ]


def tried(key: str, wanted: Any, *shown: object, under: object, **members: Any) -> Steps:
    """An attempt, and a read of the color after it."""
    return [*attempt(key, wanted, *shown, **members), read(AMBIENT_COLOR, under)]


def chosen(color: str, custom: object) -> Steps:
    """Another color is chosen, and the custom color read."""
    return [*attempt(AMBIENT_COLOR, color, color, color), read(CUSTOM_COLOR, custom)]


def dim(wanted: Any, *shown: object, under: object = CUSTOM, **members: Any) -> Steps:
    """An attempt on the brightness."""
    return tried(AMBIENT_BRIGHTNESS, wanted, *shown, under=under, **members)


def paint(wanted: Any, *shown: object, under: object = PRESET, **members: Any) -> Steps:
    """An attempt on the custom color."""
    return tried(CUSTOM_COLOR, wanted, *shown, under=under, **members)


FREED: Steps = [*chosen(PRESET, OLD), *dim(70, 70, 70, under=PRESET)]
UNSEEN: Steps = [*found(PRESET, 50), *chosen(CUSTOM, OLD), *dim(80, SILENT, SILENT)]
# A brightness that reads back while the color stays CustomColor convicts, twice.
# fmt: off
LOCKED: dict[str, Story] = {
    "it is refused": Story("pass", found(CUSTOM, 50), dim(80, 50, 50, status=409), FREED),
    "it is ignored": Story("pass", found(CUSTOM, 50), dim(80, 50, 50), FREED),
    "it is refused under any color": Story("inconclusive", found(CUSTOM, 50), dim(80, 50, 50, status=409),
        chosen(PRESET, OLD), dim(70, 50, under=PRESET, status=409) * 2,
        says="no write of AmbientLightBrightness was seen to work"),
    "it is not readable under CustomColor": Story("inconclusive", UNSEEN),
    "it is read again under a preset": Story("pass", UNSEEN, chosen(PRESET, OLD),
        [read(AMBIENT_BRIGHTNESS, 50)], dim(70, 70, 70, under=PRESET)),
    "it shows under a preset": Story("inconclusive", UNSEEN, chosen(PRESET, OLD),
        [read(AMBIENT_BRIGHTNESS, 80)], dim(70, 70, 70, under=PRESET)),
    "it was not readable, and shows another value": Story("pass", found(PRESET, 50), chosen(CUSTOM, OLD),
        [read(AMBIENT_BRIGHTNESS, SILENT)], dim(80, 30, 30), FREED),
    "it is set": Story("fail", found(CUSTOM, 50), dim(80, 80, 80), dim(20, 20, 20),
        says="80; 1 other write did so, too; document"),
    "it is set behind an error": Story("fail", found(CUSTOM, 50), dim(80, 80, status=409),
        dim(20, 20, status=409)),
    "it is set once": Story("inconclusive", found(CUSTOM, 50), dim(80, 80, 80), dim(20, 80, 80)),
    "it is set for a moment": Story("inconclusive", found(CUSTOM, 50), dim(80, 80, 50)),
    "it takes a third value": Story("inconclusive", found(CUSTOM, 50), dim(80, 60, 60)),
    "the color gives way": Story("inconclusive", found(CUSTOM, 50), dim(80, 80, 80, under=PRESET) * 2),
    "the color cannot be read then": Story("inconclusive", found(CUSTOM, 50), dim(80, 80, 80, under=SILENT)),
    "it is taken while the light is off": Story("fail", found(CUSTOM, 50, enabled=False), dim(80, 80, 80),
        dim(20, 20, 20)),
    "it is taken while somebody operates it": Story("inconclusive", [read(LOCAL_CONTROL, True)],
        found(CUSTOM, 50), dim(80, 80, 80), dim(20, 20, 20)),
    "it is kept out while the light is off": Story("inconclusive", found(CUSTOM, 50, enabled=False),
        dim(80, 50, 50)),
    "it is locked otherwise": Story("inconclusive", [read("Vendor.Common.Setting.ChildLock", True)],
        found(CUSTOM, 50), dim(80, 50, 50)),
    "it is not watched": Story("inconclusive", found(CUSTOM, 50), dim(80, 50, 50, seconds=1)),
    "it is not read then": Story("inconclusive", found(CUSTOM, 50), [write(AMBIENT_BRIGHTNESS, 80)]),
    "it has that value": Story("inconclusive", found(CUSTOM, 80), dim(80, 80, 80)),
    "a text": Story("inconclusive", found(CUSTOM, 80), dim("50", "50", "50")),
    "another color": Story("inconclusive", found(PRESET, 50), dim(80, 80, 80, under=PRESET)),
    "a color of nobody": Story("inconclusive", found("Custom", 50), dim(80, 80, 80, under="Custom")),
    "somebody operates it": Story("inconclusive", found(CUSTOM, 50), dim(80, 50, 50),
        [read(LOCAL_CONTROL, True)]),
    "CustomColor is not there": Story("not_applicable", found(PRESET, 50),
        appliance={"enum_subset": {AMBIENT_COLOR: ["Color7"]}}),
    "the color is not served": Story("not_applicable", [read(AMBIENT_COLOR, SILENT)],
        shared=(UNKNOWN, refusal(AMBIENT_COLOR))),
}
# fmt: on


# A brightness that is dropped under a preset convicts, twice.
FREE: dict[str, Story] = {
    "it is set": Story("pass", found(PRESET, 50), dim(80, 80, 80, under=PRESET)),
    "it is rounded to a step": Story(
        "pass", found(PRESET, 50), dim(84, 80, 80, under=PRESET), appliance={"step": {AMBIENT_BRIGHTNESS: 10}}
    ),
    "it is dropped": Story("fail", found(PRESET, 50), dim(90, 50, 50, under=PRESET) * 2),
    "it is refused though claimed": Story(
        "fail",
        found(PRESET, 50),
        dim(90, 50, under=PRESET, status=409) * 2,
        appliance={"writable": [AMBIENT_BRIGHTNESS]},
    ),
    "it is refused": Story("inconclusive", found(PRESET, 50), dim(90, 50, under=PRESET, status=409) * 2),
    "it reverts": Story("inconclusive", found(PRESET, 50), dim(90, 90, 50, under=PRESET) * 2),
    "it is moved, and stays there": Story(
        "inconclusive", found(PRESET, 50), dim(100, 60, 60, under=PRESET) * 2, says="had led to that value"
    ),
    "the light is off": Story(
        "inconclusive", found(PRESET, 50, enabled=False), dim(90, 50, 50, under=PRESET) * 2
    ),
    "under CustomColor": Story("inconclusive", found(CUSTOM, 50), dim(90, 50, 50) * 2),
    "read-only": Story(
        "not_applicable", [read(AMBIENT_COLOR, PRESET), read(AMBIENT_BRIGHTNESS, 50, access="read")]
    ),
}


UNDER_PRESET = [*found(CUSTOM, 50), *chosen(PRESET, OLD)]
PAINTED = paint(BLUE, BLUE, BLUE, under=CUSTOM)
# A custom color written under a preset convicts when it reads back, at once or under CustomColor.
# fmt: off
ONLY: dict[str, Story] = {
    "it is refused": Story("pass", UNDER_PRESET, paint(RED, OLD, OLD, status=409), chosen(CUSTOM, OLD),
        PAINTED),
    "it is refused under any color": Story("inconclusive", UNDER_PRESET, paint(RED, OLD, OLD, status=409),
        chosen(CUSTOM, OLD), paint(BLUE, OLD, under=CUSTOM, status=409),
        says="no write of AmbientLightCustomColor was seen to work"),
    "it is not readable under a preset": Story("pass", found(CUSTOM, 50), chosen(PRESET, SILENT),
        paint(RED, SILENT, SILENT), chosen(CUSTOM, OLD), PAINTED),
    "it is set": Story("fail", UNDER_PRESET, paint(RED, RED, RED), paint(BLUE, BLUE, BLUE)),
    "it is kept for later": Story("fail", UNDER_PRESET, paint(RED, OLD, OLD), chosen(CUSTOM, RED),
        chosen(PRESET, OLD), paint(BLUE, OLD, OLD), chosen(CUSTOM, BLUE)),
    "it is kept for later once": Story("fail", UNDER_PRESET, paint(RED, OLD, OLD), chosen(CUSTOM, RED),
        says="chosen again, once; document"),
    "set at once, and so later": Story("fail", UNDER_PRESET, paint(RED, RED, RED), chosen(CUSTOM, RED)),
    "what it was is not known": Story("inconclusive", found(PRESET, 50, SILENT), paint(RED, SILENT, SILENT),
        chosen(CUSTOM, RED)),
    "it was that already": Story("inconclusive", found(CUSTOM, 50, RED), chosen(PRESET, OLD),
        paint(RED, OLD, OLD), chosen(CUSTOM, RED)),
    "CustomColor is not chosen again": Story("inconclusive", UNDER_PRESET, paint(RED, OLD, OLD)),
    "it cannot be read under CustomColor": Story("inconclusive", UNDER_PRESET, chosen(CUSTOM, SILENT),
        chosen(PRESET, OLD), paint(RED, OLD, OLD), chosen(CUSTOM, SILENT)),
    "the server chooses CustomColor": Story("inconclusive", UNDER_PRESET,
        paint(RED, RED, RED, under=CUSTOM) * 2),
    "then it may keep it": Story("inconclusive", UNDER_PRESET, paint(RED, OLD, RED, under=CUSTOM),
        chosen(PRESET, OLD), chosen(CUSTOM, RED)),
    "written under CustomColor": Story("inconclusive", found(CUSTOM, 50), paint(RED, RED, RED, under=CUSTOM),
        chosen(CUSTOM, RED)),
    "under another preset": Story("pass", UNDER_PRESET, chosen(OTHER, OLD),
        paint(RED, OLD, OLD, under=OTHER), chosen(CUSTOM, OLD), PAINTED),
}
# fmt: on


# Two samples that are dropped convict; one alone may be in a format that the appliance does not know.
# fmt: off
SETTABLE: dict[str, Story] = {
    "it reads like a state": Story("inconclusive", found(CUSTOM, 50),
        paint(RED, "X4: #123456", "X4: #123456", under=CUSTOM)),
    "it is set": Story("pass", found(CUSTOM, 50), paint(RED, RED, RED, under=CUSTOM)),
    "it is set in another case": Story("pass", found(CUSTOM, 50), paint("#FF0000", RED, RED, under=CUSTOM)),
    "both samples are dropped": Story("fail", found(CUSTOM, 50), paint(RED, OLD, OLD, under=CUSTOM),
        paint(BLUE, OLD, OLD, under=CUSTOM)),
    "a sample that was taken before is dropped": Story("fail", found(CUSTOM, 50),
        paint(RED, RED, RED, under=CUSTOM), paint(OLD, OLD, OLD, under=CUSTOM),
        paint(RED, OLD, OLD, under=CUSTOM) * 2),
    "one sample is dropped": Story("inconclusive", found(CUSTOM, 50), paint(RED, OLD, OLD, under=CUSTOM) * 2),
    "it is refused": Story("inconclusive", found(CUSTOM, 50), paint(RED, OLD, under=CUSTOM, status=400),
        paint(BLUE, OLD, under=CUSTOM, status=400), appliance={"writable": [CUSTOM_COLOR]}),
    "under a preset": Story("inconclusive", found(PRESET, 50), paint(RED, OLD, OLD)),
}
# fmt: on


# What a tour showed and was made twice counts like any other attempt.
ONCE = [*found(CUSTOM, 50), *dim(80, 80, 80), restore(AMBIENT_BRIGHTNESS, 50)]
TWICE, BESIDE = (
    {"an order twice": Story("fail", ONCE, ONCE)},
    {"an order beside the walk": Story("fail", ONCE)},
)

test_lights = Story.each_of(
    {
        (
            "AMB-BRIGHTNESS-LOCKED",
            judge_writes(lights.brightness_locked),
            AMBIENT,
            AMBIENT_BRIGHTNESS,
        ): LOCKED,
        ("AMB-BRIGHTNESS-FREE", judge_writes(lights.brightness_free), AMBIENT, AMBIENT_BRIGHTNESS): FREE,
        ("AMB-CUSTOM-ONLY", judge_writes(lights.custom_only), AMBIENT, CUSTOM_COLOR): ONLY,
        ("AMB-CUSTOM-SETTABLE", judge_writes(lights.custom_settable), AMBIENT, CUSTOM_COLOR): SETTABLE,
        ("AMB-BRIGHTNESS-LOCKED", judge_writes(lights.brightness_locked), AMBIENT_ORDERS): TWICE,
        ("AMB-BRIGHTNESS-LOCKED", judge_writes(lights.brightness_locked), AMBIENT, AMBIENT_ORDERS): BESIDE,
    }
)
