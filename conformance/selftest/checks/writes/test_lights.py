"""Which settings of a light can be set under which color."""

from typing import Any

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    CUSTOM_COLOR,
    LIGHTING,
    LOCAL_CONTROL,
)
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, HOOD, HOOD_ORDERS
from conformance.selftest.support.handmade import UNKNOWN, refusal
from conformance.selftest.support.handtraced import SILENT, Steps, Story, attempt, read, restore

CUSTOM, PRESET, OTHER = (
    f"Vendor.Common.EnumType.AmbientLightColor.{name}" for name in ("CustomColor", "Color7", "Color8")
)
RED, BLUE, OLD = "#ff0000", "#0000ff", "#010203"


def light(color: object, brightness: object, custom: object = OLD, *, enabled: object = True) -> Steps:
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
UNSEEN: Steps = [*light(PRESET, 50), *chosen(CUSTOM, OLD), *dim(80, SILENT, SILENT)]


UNDER_PRESET = [*light(CUSTOM, 50), *chosen(PRESET, OLD)]
PAINTED = paint(BLUE, BLUE, BLUE, under=CUSTOM)


# What a tour showed and was made twice counts like any other attempt.
ONCE = [*light(CUSTOM, 50), *dim(80, 80, 80), restore(AMBIENT_BRIGHTNESS, 50)]


KEPT, KEPT_AGAIN = (
    [*dim(later, was, was), *attempt(AMBIENT_COLOR, PRESET, PRESET), read(AMBIENT_BRIGHTNESS, later)]
    for was, later in ((50, 80), (80, 20))
)


# When the percentage of the color temperature can be set: with custom, and not without it.
OWN, NEUTRAL, WARM = (
    f"Cooking.Hood.EnumType.ColorTemperature.{name}" for name in ("custom", "neutral", "warm")
)


def hood(temperature: object, percent: object, *, light: object = True) -> Steps:
    """What the functional light is found like."""
    return [read(LIGHTING, light), read(COLOR_TEMPERATURE, temperature), read(COLOR_PERCENT, percent)]


def share(wanted: Any, *shown: object, under: object, **members: Any) -> Steps:
    """An attempt on the percent setting."""
    return [*attempt(COLOR_PERCENT, wanted, *shown, **members), read(COLOR_TEMPERATURE, under)]


UNDER_CUSTOM: Steps = [*attempt(COLOR_TEMPERATURE, OWN, OWN), *share(60, 60, 60, under=OWN)]
UNSEEN_PERCENT: Steps = [
    *hood(OWN, 50),
    *attempt(COLOR_TEMPERATURE, NEUTRAL, NEUTRAL),
    *share(80, SILENT, SILENT, under=NEUTRAL),
]
SET_UNDER_NEUTRAL = (hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL), share(20, 20, 20, under=NEUTRAL))


LEAVES = (
    hood(OWN, 50),
    share(90, 90, 90, under=NEUTRAL),
    attempt(COLOR_TEMPERATURE, OWN, OWN),
    share(10, 10, 10, under=NEUTRAL),
)


# fmt: off
ROWS = {
    # A brightness that reads back while the color stays CustomColor convicts, twice.
    ("AMB-BRIGHTNESS-LOCKED", AMBIENT, AMBIENT_BRIGHTNESS): {
        "it is refused": ("pass (16) ~19d", Story(light(CUSTOM, 50), dim(80, 50, 50, status=409), FREED)),
        "it is read again under a preset": ("pass (21) ~9e2",
            Story(UNSEEN, chosen(PRESET, OLD), [read(AMBIENT_BRIGHTNESS, 50)], dim(70, 70, 70,
                under=PRESET))),
        "it is read again under a preset, after another write": ("pass (25) ~1e1",
            Story(UNSEEN, dim(80, SILENT, SILENT), chosen(PRESET, OLD), [read(AMBIENT_BRIGHTNESS, 50)],
                dim(70, 70, 70, under=PRESET))),
        "it is read again under a preset, after one of another value": (
            "pass (25) 1 2 80 AmbientLightColor ~457",
            Story(UNSEEN, dim(20, SILENT, SILENT), chosen(PRESET, OLD), [read(AMBIENT_BRIGHTNESS, 80)],
                dim(70, 70, 70, under=PRESET))),
        "it is kept for later": ("fail 11 5 80 AmbientLightColor ~d57",
            Story(light(CUSTOM, 50), KEPT, attempt(AMBIENT_COLOR, CUSTOM, CUSTOM), KEPT_AGAIN, dim(70, 70, 70,
                under=PRESET))),
        "it is kept for later, or comes with the color": ("pass (15) ~ad7",
            Story(light(CUSTOM, 50), KEPT, dim(70, 70, 70, under=PRESET))),
        "CustomColor is there": ("pass (16) ~19d",
            Story(light(CUSTOM, 50), dim(80, 50, 50, status=409), FREED,
                appliance={"enum_subset": {AMBIENT_COLOR: ["CustomColor", "Color7"]}})),
        "it is set behind an error": ('fail 6 80 AmbientLightColor "…AmbientLightColor.CustomColor" ~433',
            Story(light(CUSTOM, 50), dim(80, 80, status=409), dim(20, 20, status=409))),
        "the color cannot be read then": ("inconclusive 7 80 AmbientLightColor ~a60",
            Story(light(CUSTOM, 50), dim(80, 80, 80, under=SILENT))),
        "it is taken while somebody operates it": ("inconclusive 12 X6 20 AmbientLightColor ~a8d",
            Story([read(LOCAL_CONTROL, True)], light(CUSTOM, 50), dim(80, 80, 80), dim(20, 20, 20))),
        "it is kept out while the light is off": ("inconclusive 7 X8 80 AmbientLightColor ~fdc",
            Story(light(CUSTOM, 50, enabled=False), dim(80, 50, 50))),
        "it is locked otherwise": ("inconclusive 8 X13 80 AmbientLightColor ~01c",
            Story([read("Vendor.Common.Setting.ChildLock", True)], light(CUSTOM, 50), dim(80, 50, 50))),
        "nothing is written, as somebody operates it": ("inconclusive (5) X6 AmbientLightBrightness ~719",
            Story([read(LOCAL_CONTROL, True)], light(CUSTOM, 50))),
        "it is not watched": ("inconclusive 7 80 AmbientLightColor ~96e",
            Story(light(CUSTOM, 50), dim(80, 50, 50, seconds=1))),
        "it has that value": ("inconclusive (8) AmbientLightBrightness AmbientLightColor ~94f",
            Story(light(CUSTOM, 80), dim(80, 80, 80))),
        "CustomColor is not there": ("not_applicable (4) CustomColor AmbientLightColor ~b91",
            Story(light(PRESET, 50), appliance={"enum_subset": {AMBIENT_COLOR: ["Color7"]}})),
        "the color is not served": ("not_applicable 2 404 ~1c6",
            Story([read(AMBIENT_COLOR, SILENT)], shared=(UNKNOWN, refusal(AMBIENT_COLOR)))),
    },
    # A brightness that is dropped under a preset convicts, twice.
    ("AMB-BRIGHTNESS-FREE", AMBIENT, AMBIENT_BRIGHTNESS): {
        "it is set": ("pass (8) ~96d", Story(light(PRESET, 50), dim(80, 80, 80, under=PRESET))),
        "it is dropped": ("fail 7 DROPPED 90 AmbientLightColor ~657",
            Story(light(PRESET, 50), dim(90, 50, 50, under=PRESET) * 2)),
        "it is refused though claimed": ("fail 6 REFUSED 90 AmbientLightColor ~9be",
            Story(light(PRESET, 50), dim(90, 50, under=PRESET, status=409) * 2,
                appliance={"writable": [AMBIENT_BRIGHTNESS]})),
        "the light is off": ("inconclusive 11 X8 90 AmbientLightColor ~dac",
            Story(light(PRESET, 50, enabled=False), dim(90, 50, 50, under=PRESET) * 2)),
        "under CustomColor": ("inconclusive (12) AmbientLightBrightness AmbientLightColor ~a4c",
            Story(light(CUSTOM, 50), dim(90, 50, 50) * 2)),
        "read-only": ('not_applicable 2 AmbientLightBrightness "read" ~260',
            Story([read(AMBIENT_COLOR, PRESET), read(AMBIENT_BRIGHTNESS, 50, access="read")])),
    },
    # A custom color written under a preset convicts when it reads back, at once or under CustomColor.
    ("AMB-CUSTOM-ONLY", AMBIENT, CUSTOM_COLOR): {
        "it is refused": ("pass (20) ~110",
            Story(UNDER_PRESET, paint(RED, OLD, OLD, status=409), chosen(CUSTOM, OLD), PAINTED)),
        "it is refused under any color": ('inconclusive 18 AmbientLightCustomColor "#0000ff" ~a01',
            Story(UNDER_PRESET, paint(RED, OLD, OLD, status=409), chosen(CUSTOM, OLD), paint(BLUE, OLD,
                under=CUSTOM, status=409), says="no write of AmbientLightCustomColor was seen to work")),
        "it is set": ('fail 11 "#ff0000" AmbientLightColor ~a92',
            Story(UNDER_PRESET, paint(RED, RED, RED), paint(BLUE, BLUE, BLUE))),
        "set at once, and so later": ('fail 11 "#ff0000" AmbientLightColor ~50c',
            Story(UNDER_PRESET, paint(RED, RED, RED), chosen(CUSTOM, RED))),
        "what it was is not known": ('inconclusive 11 "#ff0000" AmbientLightColor ~607',
            Story(light(PRESET, 50, SILENT), paint(RED, SILENT, SILENT), chosen(CUSTOM, RED))),
        "it is not chosen again": ('inconclusive 11 "#ff0000" AmbientLightColor ~bd7',
            Story(UNDER_PRESET, paint(RED, OLD, OLD))),
        "it was that already": ('inconclusive 11 "#ff0000" AmbientLightColor ~728',
            Story(light(CUSTOM, 50, RED), chosen(PRESET, OLD), paint(RED, OLD, OLD), chosen(CUSTOM, RED))),
        "it cannot be read under CustomColor": ('inconclusive 19 "#ff0000" AmbientLightColor ~7f2',
            Story(UNDER_PRESET, chosen(CUSTOM, SILENT), chosen(PRESET, OLD), paint(RED, OLD, OLD),
                chosen(CUSTOM, SILENT))),
        "the server chooses CustomColor": ('inconclusive 11 "#ff0000" AmbientLightColor ~011',
            Story(UNDER_PRESET, paint(RED, RED, RED, under=CUSTOM) * 2)),
        "written under CustomColor": ("inconclusive (12) AmbientLightCustomColor AmbientLightColor ~c77",
            Story(light(CUSTOM, 50), paint(RED, RED, RED, under=CUSTOM), chosen(CUSTOM, RED))),
        "under another preset": ("pass (24) ~330",
            Story(UNDER_PRESET, chosen(OTHER, OLD), paint(RED, OLD, OLD, under=OTHER), chosen(CUSTOM, OLD),
                PAINTED)),
    },
    # Two samples that are dropped convict; one alone may be in a format that the appliance does not know.
    ("AMB-CUSTOM-SETTABLE", AMBIENT, CUSTOM_COLOR): {
        "one sample is dropped twice": ('inconclusive 11 "#ff0000" AmbientLightColor ~527',
            Story(light(CUSTOM, 50), paint(RED, OLD, OLD, under=CUSTOM) * 2)),
        "one sample is dropped that was taken": ('fail 15 DROPPED "#ff0000" AmbientLightColor ~7d7',
            Story(light(CUSTOM, 50), paint(RED, RED, RED, under=CUSTOM), paint(BLUE, BLUE, BLUE,
                under=CUSTOM), paint(RED, BLUE, BLUE, under=CUSTOM) * 2)),
        "it reads like a state": ('inconclusive 7 "#ff0000" AmbientLightColor ~916',
            Story(light(CUSTOM, 50), paint(RED, "X4: #123456", "X4: #123456", under=CUSTOM))),
        "it is set": ("pass (8) ~c18", Story(light(CUSTOM, 50), paint(RED, RED, RED, under=CUSTOM))),
        "both samples are dropped": ('fail 7 DROPPED "#ff0000" AmbientLightColor ~a2f',
            Story(light(CUSTOM, 50), paint(RED, OLD, OLD, under=CUSTOM), paint(BLUE, OLD, OLD,
                under=CUSTOM))),
        "under a preset": ("inconclusive (8) AmbientLightCustomColor AmbientLightColor ~6a5",
            Story(light(PRESET, 50), paint(RED, OLD, OLD))),
    },
    ("AMB-BRIGHTNESS-LOCKED", AMBIENT_ORDERS): {
        "an order twice": ('fail 7 80 AmbientLightColor "…AmbientLightColor.CustomColor" ~a9f',
            Story(ONCE, ONCE)),
    },
    ("AMB-BRIGHTNESS-LOCKED", AMBIENT, AMBIENT_ORDERS): {
        "an order beside the walk": ('fail 7 80 AmbientLightColor "…AmbientLightColor.CustomColor" ~a9f',
            Story(ONCE)),
    },
    # A percentage that reads back under another ColorTemperature than custom convicts, twice (I-3).
    ("HOOD-PERCENT-USABLE", HOOD, COLOR_PERCENT): {
        "it is refused": ("pass (13) ~bbe",
            Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL, status=409), UNDER_CUSTOM)),
        "it is refused with custom, too": ("inconclusive 11 ColorTemperaturePercent 60 ColorTemperature ~5f2",
            Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL, status=409), attempt(COLOR_TEMPERATURE,
                OWN, OWN), share(60, 50, under=OWN, status=409),
                says="no write of ColorTemperaturePercent was seen to work")),
        "it is not readable": ("inconclusive 8 80 ColorTemperature ~6e6", Story(UNSEEN_PERCENT)),
        "it is set": ('fail 6 80 ColorTemperature "…ColorTemperature.neutral" 204 ~43d',
            Story(*SET_UNDER_NEUTRAL)),
        "it is set, and I-3 is off": ('pass (11) 80 ColorTemperature "…ColorTemperature.neutral" ~78e',
            Story(*SET_UNDER_NEUTRAL, interpretation={"I-3": False})),
        "custom is not there": ("not_applicable (2) ColorTemperature ~bf2",
            Story([read(COLOR_TEMPERATURE, WARM, allowed=[WARM]), read(COLOR_PERCENT, 50)])),
    },
    # With custom, a percentage that is dropped convicts, and so does one that ends custom.
    ("HOOD-PERCENT-APPLIES", HOOD, COLOR_PERCENT): {
        "it is set": ("pass (7) ~927", Story(hood(OWN, 50), share(80, 80, 80, under=OWN))),
        "it has that value": ("inconclusive (7) ColorTemperaturePercent ColorTemperature ~d3c",
            Story(hood(OWN, 50), share(50, 50, 50, under=OWN))),
        "it is dropped": ("fail 6 DROPPED 100 ColorTemperature ~3a3",
            Story(hood(OWN, 50), share(100, 50, 50, under=OWN) * 2)),
        "custom is left": ('fail 7 90 204 ColorTemperature "…ColorTemperature.neutral" 1 ~064',
            Story(*LEAVES)),
        "under neutral": ("inconclusive (7) ColorTemperaturePercent ColorTemperature ~d3c",
            Story(hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL))),
        "without a color temperature": ("pass (4) ~62d",
            Story([read(COLOR_PERCENT, 50)], attempt(COLOR_PERCENT, 80, 80, 80))),
    },
    # What a tour showed and was made twice counts like any other attempt.
    # Nobody waits after its other writes: how many were watched long enough is chance, and is not said.
    ("HOOD-PERCENT-USABLE", HOOD, HOOD_ORDERS): {
        "an order is not watched": ("pass (34) 1 2 20 ColorTemperature ~438",
            Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL), share(20, 50, 50, under=NEUTRAL,
                seconds=0.1), UNDER_CUSTOM, says="1 of 2 writes could be judged")),
    },
}
# fmt: on

test_lights = Story.each_of(ROWS)
