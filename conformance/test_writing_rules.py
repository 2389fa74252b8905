"""Rules that tie one setting to others: the lights, and the cooling modes.

> Cannot be set while the ambient light color is CustomColor
"""

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    COLOR_PERCENT,
    CUSTOM_COLOR,
    DISPENSER,
    ECO_MODE,
    FRESH_MODE,
    SUPER_MODES,
    VACATION_MODE,
)
from conformance.cases import CATALOG, Judge, each, keys
from conformance.checks import notes
from conformance.checks.groups import AMBIENT, AMBIENT_ORDERS, COOLING_ORDERS, HOOD, HOOD_ORDERS, mode_group
from conformance.checks.writes import cooling, lights, mode_values
from conformance.model.state_table import SABBATH_MODES, SWITCHES


@each(keys(AMBIENT_BRIGHTNESS), clause="AMB-BRIGHTNESS-LOCKED", written=AMBIENT, besides=(AMBIENT_ORDERS,))
def test_brightness_is_locked_under_custom_color(judge: Judge) -> None:
    """The ambient brightness cannot be set while the colour is CustomColor."""
    judge(lights.assert_brightness_locked)


@each(keys(AMBIENT_BRIGHTNESS), clause="AMB-BRIGHTNESS-FREE", written=AMBIENT, besides=(AMBIENT_ORDERS,))
def test_brightness_is_free_under_a_preset(judge: Judge) -> None:
    """The ambient brightness can be set under a preset colour."""
    judge(lights.assert_brightness_free)


@each(keys(CUSTOM_COLOR), clause="AMB-CUSTOM-ONLY", written=AMBIENT, besides=(AMBIENT_ORDERS,))
def test_custom_color_needs_custom(judge: Judge) -> None:
    """The custom colour can be set only while the colour is CustomColor."""
    judge(lights.assert_custom_only)


@each(keys(CUSTOM_COLOR), clause="AMB-CUSTOM-SETTABLE", written=AMBIENT, besides=(AMBIENT_ORDERS,))
def test_custom_color_can_be_set(judge: Judge) -> None:
    """The custom colour can be set while the colour is CustomColor."""
    judge(lights.assert_custom_settable)


@each(keys(COLOR_PERCENT), clause="HOOD-PERCENT-USABLE", written=HOOD, besides=(HOOD_ORDERS,))
def test_percent_needs_custom(judge: Judge) -> None:
    """The percentage is usable only while ColorTemperature, if it is supported, is custom."""
    judge(lights.assert_percent_usable_only_with_custom)


@each(keys(COLOR_PERCENT), clause="HOOD-PERCENT-APPLIES", written=HOOD, besides=(HOOD_ORDERS,))
def test_percent_applies_with_custom(judge: Judge) -> None:
    """With custom, the percentage can be set and ColorTemperature stays custom."""
    judge(lights.assert_percent_applies)


@each(keys(SUPER_MODES[0]), clause="COOL-SUPER-FRIDGE", written=mode_group, besides=(COOLING_ORDERS,))
@each(keys(SUPER_MODES[1]), clause="COOL-SUPER-FREEZER", written=mode_group, besides=(COOLING_ORDERS,))
def test_super_mode_keeps_the_setpoints(judge: Judge) -> None:
    """A super mode leaves every setpoint as it was."""
    judge(cooling.assert_setpoints_kept)


@each(keys(*SUPER_MODES), clause="COOL-SUPER-TIMEOUT", written=mode_group, besides=(COOLING_ORDERS,))
def test_super_mode_may_end_by_itself(judge: Judge) -> None:
    """How long a super mode was seen on is recorded."""
    judge(mode_values.note_super_timeout)


@each(keys(VACATION_MODE), clause="COOL-VACATION-FREEZER", written=mode_group, besides=(COOLING_ORDERS,))
@each(keys(FRESH_MODE), clause="COOL-FRESH-FREEZER", written=mode_group, besides=(COOLING_ORDERS,))
def test_mode_keeps_the_freezer_setpoint(judge: Judge) -> None:
    """VacationMode and FreshMode leave the freezer setpoint as it was."""
    judge(cooling.assert_freezer_kept)


@each(keys(VACATION_MODE), clause="COOL-VACATION-14", written=mode_group, besides=(COOLING_ORDERS,))
def test_vacation_setpoint_is_noted(judge: Judge) -> None:
    """What the refrigerator setpoint shows in VacationMode is recorded."""
    judge(mode_values.note_vacation_setpoint)


@each(keys(FRESH_MODE), clause="COOL-FRESH-2", written=mode_group, besides=(COOLING_ORDERS,))
def test_fresh_setpoint_is_two_degrees_or_as_before(judge: Judge) -> None:
    """The refrigerator setpoint in FreshMode is recorded; judged only where the profile says so."""
    judge(mode_values.assert_fresh_setpoint)


@each(keys(ECO_MODE), clause="COOL-ECO", written=mode_group, besides=(COOLING_ORDERS,))
def test_eco_mode_is_noted(judge: Judge) -> None:
    """What the setpoints do in EcoMode is recorded."""
    judge(mode_values.note_eco)


@each(keys(*SABBATH_MODES), clause="COOL-SABBATH")
def test_sabbath_mode_is_noted(judge: Judge) -> None:
    """What the lights show beside SabbathMode is recorded."""
    judge(mode_values.note_sabbath)


@each(keys(DISPENSER), clause="COOL-DISPENSER")
@each([entry for entry in CATALOG.settings if ".Door.Assistant" in entry.key], clause="COOL-DOORASSIST")
@each(keys(*SWITCHES), clause="LIGHT-POWER")
def test_what_needs_a_person_is_noted(judge: Judge) -> None:
    """The value of a switch whose effect only a person can see is recorded."""
    judge(notes.note_value)
