"""When the percentage of the color temperature can be set: with custom, and not without it."""

from typing import Any

from catalog.keys import COLOR_PERCENT, COLOR_TEMPERATURE, LIGHTING
from conformance.checks.groups import HOOD, HOOD_ORDERS, NONCE_SETTINGS
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.lights import assert_percent_usable_only_with_custom, percent_applies
from conformance.selftest.support.samples.handmade import refusal
from conformance.selftest.support.samples.handtraced import SILENT, Steps, Story, attempt, read

OWN, NEUTRAL, WARM = (
    f"Cooking.Hood.EnumType.ColorTemperature.{name}" for name in ("custom", "neutral", "warm")
)
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)


def hood(temperature: object, percent: object, *, light: object = True) -> Steps:
    """What the functional light is found like."""
    return [read(LIGHTING, light), read(COLOR_TEMPERATURE, temperature), read(COLOR_PERCENT, percent)]


def share(wanted: Any, *shown: object, under: object, **members: Any) -> Steps:
    """An attempt on the percent setting."""
    return [*attempt(COLOR_PERCENT, wanted, *shown, **members), read(COLOR_TEMPERATURE, under)]


UNDER_CUSTOM: Steps = [*attempt(COLOR_TEMPERATURE, OWN, OWN), *share(60, 60, 60, under=OWN)]
UNSEEN: Steps = [
    *hood(OWN, 50),
    *attempt(COLOR_TEMPERATURE, NEUTRAL, NEUTRAL),
    *share(80, SILENT, SILENT, under=NEUTRAL),
]
SET_UNDER_NEUTRAL = (hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL), share(20, 20, 20, under=NEUTRAL))
# A percentage that reads back under another ColorTemperature than custom convicts, twice (I-3).
# fmt: off
USABLE: dict[str, Story] = {
    "it is refused": Story("pass", hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL, status=409),
        UNDER_CUSTOM),
    "it is refused with custom, too": Story("inconclusive", hood(NEUTRAL, 50),
        share(80, 50, 50, under=NEUTRAL, status=409), attempt(COLOR_TEMPERATURE, OWN, OWN),
        share(60, 50, under=OWN, status=409), says="no write of ColorTemperaturePercent was seen to work"),
    "it is not readable": Story("inconclusive", UNSEEN),
    "it is read with custom": Story("pass", UNSEEN, attempt(COLOR_TEMPERATURE, OWN, OWN),
        [read(COLOR_PERCENT, 50)], share(60, 60, 60, under=OWN)),
    "it is set": Story("fail", *SET_UNDER_NEUTRAL),
    "it is set, and I-3 is off": Story("pass", *SET_UNDER_NEUTRAL, interpretation={"I-3": False}),
    "the server chooses custom": Story("inconclusive", hood(NEUTRAL, 50), share(80, 80, 80, under=OWN) * 2),
    "it is taken while the light is off": Story("fail", hood(NEUTRAL, 50, light=False),
        share(80, 80, 80, under=NEUTRAL), share(20, 20, 20, under=NEUTRAL)),
    "it is kept out while the light is off": Story("inconclusive", hood(NEUTRAL, 50, light=False),
        share(80, 50, 50, under=NEUTRAL)),
    "under custom": Story("inconclusive", hood(OWN, 50), share(80, 80, 80, under=OWN)),
    "no color temperature": Story("not_applicable",
        [read(COLOR_TEMPERATURE, SILENT), read(COLOR_PERCENT, 50)], share(80, 80, 80, under=SILENT),
        shared=(UNKNOWN, refusal(COLOR_TEMPERATURE))),
    "custom is not there": Story("not_applicable",
        [read(COLOR_TEMPERATURE, WARM, allowed=[WARM]), read(COLOR_PERCENT, 50)]),
}
# fmt: on


LEAVES = (
    hood(OWN, 50),
    share(90, 90, 90, under=NEUTRAL),
    attempt(COLOR_TEMPERATURE, OWN, OWN),
    share(10, 10, 10, under=NEUTRAL),
)
# With custom, a percentage that is dropped convicts, and so does one that ends custom.
APPLIES: dict[str, Story] = {
    "it is set": Story("pass", hood(OWN, 50), share(80, 80, 80, under=OWN)),
    "it has that value": Story("inconclusive", hood(OWN, 50), share(50, 50, 50, under=OWN)),
    "it is dropped": Story("fail", hood(OWN, 50), share(100, 50, 50, under=OWN) * 2),
    "custom is left": Story("fail", *LEAVES),
    "it is refused": Story(
        "inconclusive",
        hood(OWN, 50),
        share(80, 50, under=OWN, status=409) * 2,
        appliance={"writable": [COLOR_PERCENT]},
    ),
    "under neutral": Story("inconclusive", hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL)),
    "without a color temperature": Story(
        "pass", [read(COLOR_PERCENT, 50)], attempt(COLOR_PERCENT, 80, 80, 80)
    ),
    "the temperature is claimed and silent": Story(
        "inconclusive",
        [read(COLOR_TEMPERATURE, SILENT), read(COLOR_PERCENT, 50)],
        share(100, 50, 50, under=SILENT) * 2,
        appliance={"supports": [COLOR_TEMPERATURE]},
    ),
}


# What a tour showed and was made twice counts like any other attempt.
# Nobody waits after its other writes: how many of them were watched long enough is chance, and is not said.
ORDERS = {
    "an order beside the walk": Story("fail", hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL)),
    "an order is not watched": Story(
        "pass",
        hood(NEUTRAL, 50),
        share(80, 50, 50, under=NEUTRAL),
        share(20, 50, 50, under=NEUTRAL, seconds=0.1),
        UNDER_CUSTOM,
        says="1 of 2 writes could be judged",
    ),
}

test_hood = Story.each_of(
    {
        ("HOOD-PERCENT-USABLE", assert_percent_usable_only_with_custom, HOOD, COLOR_PERCENT): USABLE,
        ("HOOD-PERCENT-APPLIES", judge_writes(percent_applies), HOOD, COLOR_PERCENT): APPLIES,
        ("HOOD-PERCENT-USABLE", assert_percent_usable_only_with_custom, HOOD, HOOD_ORDERS): ORDERS,
    }
)
