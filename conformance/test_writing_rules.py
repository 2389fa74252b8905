"""Rules that tie one setting to others: the lights, and the cooling modes.

> Cannot be set while the ambient light color is CustomColor
"""

from functools import partial

from catalog import keys
from conformance.cases import Judge, each, each_rule
from conformance.checks.groups import (
    AMBIENT,
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD,
    HOOD_ORDERS,
    Purpose,
    mode_group,
)
from conformance.checks.writes import cooling, lights
from conformance.checks.writes.judging import judge_writes

_ambient = partial(each, written=AMBIENT, besides=AMBIENT_ORDERS)
_hood = partial(each, written=HOOD, besides=HOOD_ORDERS)


@_ambient(keys.AMBIENT_BRIGHTNESS, clause="AMB-BRIGHTNESS-LOCKED", purpose=Purpose.BRIGHTNESS_LOCKED)
def test_brightness_is_locked_under_custom_color(judge: Judge) -> None:
    """The ambient brightness cannot be set while the colour is CustomColor."""
    judge(judge_writes(lights.brightness_locked))


@_ambient(keys.AMBIENT_BRIGHTNESS, clause="AMB-BRIGHTNESS-FREE", purpose=Purpose.BRIGHTNESS_FREE)
def test_brightness_is_free_under_a_preset(judge: Judge) -> None:
    """The ambient brightness can be set under a preset colour."""
    judge(judge_writes(lights.brightness_free))


@_ambient(keys.CUSTOM_COLOR, clause="AMB-CUSTOM-ONLY", purpose=Purpose.CUSTOM_COLOR_LOCKED)
def test_custom_color_needs_custom(judge: Judge) -> None:
    """The custom colour can be set only while the colour is CustomColor."""
    judge(judge_writes(lights.custom_only))


@_ambient(keys.CUSTOM_COLOR, clause="AMB-CUSTOM-SETTABLE", purpose=Purpose.CUSTOM_COLOR_FREE)
def test_custom_color_can_be_set(judge: Judge) -> None:
    """The custom colour can be set while the colour is CustomColor."""
    judge(judge_writes(lights.custom_settable))


@_hood(keys.COLOR_PERCENT, clause="HOOD-PERCENT-USABLE", purpose=Purpose.PERCENT_LOCKED)
def test_percent_needs_custom(judge: Judge) -> None:
    """The percentage is usable only while ColorTemperature, if it is supported, is custom."""
    judge(lights.assert_percent_usable_only_with_custom)


@_hood(keys.COLOR_PERCENT, clause="HOOD-PERCENT-APPLIES", purpose=Purpose.PERCENT_FREE)
def test_percent_applies_with_custom(judge: Judge) -> None:
    """With custom, the percentage can be set and ColorTemperature stays custom."""
    judge(judge_writes(lights.percent_applies))


@each_rule(written=mode_group, besides=COOLING_ORDERS)
def test_mode_keeps_what_the_document_names(judge: Judge) -> None:
    """While a mode is on, what a rule of the document names stays as it was."""
    judge(judge_writes(cooling.kept))


@each(keys.FRESH_MODE, clause="COOL-FRESH-2", written=mode_group, besides=COOLING_ORDERS)
def test_fresh_setpoint_is_two_degrees_or_as_before(judge: Judge) -> None:
    """The refrigerator setpoint in FreshMode is recorded; judged only where the profile says so."""
    judge(cooling.assert_fresh_setpoint)
