"""When the percentage of the color temperature can be set: with custom, and not without it."""

from typing import Any

from catalog.keys import COLOR_PERCENT, COLOR_TEMPERATURE, LIGHTING
from conformance.checks.groups import HOOD, HOOD_ORDERS
from conformance.checks.writes.judging import judge_writes
from conformance.checks.writes.lights import assert_percent_usable_only_with_custom, percent_applies
from conformance.selftest.support.samples.handtraced import SILENT, Steps, Story, attempt, read

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
UNSEEN: Steps = [
    *hood(OWN, 50),
    *attempt(COLOR_TEMPERATURE, NEUTRAL, NEUTRAL),
    *share(80, SILENT, SILENT, under=NEUTRAL),
]
SET_UNDER_NEUTRAL = (hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL), share(20, 20, 20, under=NEUTRAL))
# A percentage that reads back under another ColorTemperature than custom convicts, twice (I-3).
# fmt: off
USABLE: dict[str, tuple[str, Story]] = {
    "it is refused": ("pass (13)",
        Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL, status=409), UNDER_CUSTOM)),
    "it is refused with custom, too": (
        'inconclusive 11 ColorTemperaturePercent 60 ColorTemperature "…ColorTemperature.custom" 409',
        Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL, status=409), attempt(COLOR_TEMPERATURE, OWN,
            OWN), share(60, 50, under=OWN, status=409),
            says="no write of ColorTemperaturePercent was seen to work")),
    "it is not readable": ('inconclusive 8 80 ColorTemperature "…ColorTemperature.neutral" 204 409',
        Story(UNSEEN)),
    "it is set": (
        'fail 6 80 ColorTemperature "…ColorTemperature.neutral" 204 80 1 "usable only when the',
        Story(*SET_UNDER_NEUTRAL)),
    "it is set, and I-3 is off": (
        'pass (11) 80 ColorTemperature "…ColorTemperature.neutral" 204 80 1 "usable only when the',
        Story(*SET_UNDER_NEUTRAL, interpretation={"I-3": False})),
    "it is kept out while the light is off": (
        'inconclusive 6 X8 80 ColorTemperature "…ColorTemperature.neutral" 204 50',
        Story(hood(NEUTRAL, 50, light=False), share(80, 50, 50, under=NEUTRAL))),
    "custom is not there": ("not_applicable (2) ColorTemperature",
        Story([read(COLOR_TEMPERATURE, WARM, allowed=[WARM]), read(COLOR_PERCENT, 50)])),
}
# fmt: on


LEAVES = (
    hood(OWN, 50),
    share(90, 90, 90, under=NEUTRAL),
    attempt(COLOR_TEMPERATURE, OWN, OWN),
    share(10, 10, 10, under=NEUTRAL),
)
# fmt: off
# With custom, a percentage that is dropped convicts, and so does one that ends custom.
APPLIES: dict[str, tuple[str, Story]] = {
    "it is set": ("pass (7)", Story(hood(OWN, 50), share(80, 80, 80, under=OWN))),
    "it has that value": ("inconclusive (7) ColorTemperaturePercent ColorTemperature",
        Story(hood(OWN, 50), share(50, 50, 50, under=OWN))),
    "it is dropped": (
        'fail 6 DROPPED 100 ColorTemperature "…ColorTemperature.custom" 204 50 10 "with custom the',
        Story(hood(OWN, 50), share(100, 50, 50, under=OWN) * 2)),
    "custom is left": (
        'fail 7 90 204 ColorTemperature "…ColorTemperature.neutral" 1 "with custom the percent',
        Story(*LEAVES)),
    "under neutral": ("inconclusive (7) ColorTemperaturePercent ColorTemperature",
        Story(hood(NEUTRAL, 50), share(80, 80, 80, under=NEUTRAL))),
    "without a color temperature": ("pass (4)",
        Story([read(COLOR_PERCENT, 50)], attempt(COLOR_PERCENT, 80, 80, 80))),
}
# fmt: on


# fmt: off
# What a tour showed and was made twice counts like any other attempt.
# Nobody waits after its other writes: how many of them were watched long enough is chance, and is not said.
ORDERS = {
    "an order is not watched": ('pass (34) 1 2 20 ColorTemperature "…ColorTemperature.neutral" 204 50 0.1',
        Story(hood(NEUTRAL, 50), share(80, 50, 50, under=NEUTRAL), share(20, 50, 50, under=NEUTRAL,
            seconds=0.1), UNDER_CUSTOM, says="1 of 2 writes could be judged")),
}
# fmt: on

test_hood = Story.each_of(
    {
        ("HOOD-PERCENT-USABLE", assert_percent_usable_only_with_custom, HOOD, COLOR_PERCENT): USABLE,
        ("HOOD-PERCENT-APPLIES", judge_writes(percent_applies), HOOD, COLOR_PERCENT): APPLIES,
        ("HOOD-PERCENT-USABLE", assert_percent_usable_only_with_custom, HOOD, HOOD_ORDERS): ORDERS,
    }
)
