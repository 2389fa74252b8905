"""Numbers lie in the common range, or in the appliance's own.

> For settings without a common value range, the range is obtained by requesting the specific setting.
"""

from catalog import keys
from conformance.cases import CATALOG, Judge, each
from conformance.checks.reads import ranges

_OWN = tuple(entry for entry in CATALOG.settings if entry.own_range)
_COMMON = tuple(entry for entry in CATALOG.entries.values() if entry.range)
_COUNTERS = tuple(entry for entry in CATALOG.statuses if entry.is_counter)


@each(keys.ALARM_CLOCK, clause="RANGE-ALARMCLOCK", generated=True)
@each(
    [entry for entry in _COMMON if entry.key.startswith("Refrigeration.Common.Setting.Light.")],
    clause="RANGE-LIGHT",
    generated=True,
)
@each(keys.LIGHTING_BRIGHTNESS, clause="RANGE-LIGHTING", generated=True)
@each(keys.COLOR_PERCENT, clause="RANGE-COLORTEMPPCT", generated=True)
@each(keys.AMBIENT_BRIGHTNESS, clause="RANGE-AMBBRIGHT", generated=True)
@each(keys.BATTERY_LEVEL, clause="RANGE-BATTERY", generated=True)
def test_value_lies_in_common_range(judge: Judge) -> None:
    """The value lies in the common range, both ends allowed."""
    judge(ranges.assert_in_common_range)


@each(_OWN, clause="RANGE-PERAPP-PRESENT")
def test_specific_setting_shows_its_range(judge: Judge) -> None:
    """A setting without a common range shows its own bounds."""
    judge(ranges.assert_own_range_present)


@each(_OWN, clause="RANGE-PERAPP-WELLFORMED")
def test_own_range_is_a_range(judge: Judge) -> None:
    """The bounds are finite numbers, the lower not above the upper."""
    judge(ranges.assert_own_range_wellformed)


@each(_OWN, clause="RANGE-PERAPP-VALUE", generated=True)
def test_value_lies_in_own_range(judge: Judge) -> None:
    """The value lies in the range of its own body."""
    judge(ranges.assert_in_own_range)


@each(_COMMON, clause="RANGE-COMMON-ADVERTISED")
def test_advertised_range_is_not_wider(judge: Judge) -> None:
    """A range shown for a key with a common range is not wider than that."""
    judge(ranges.assert_advertised_not_wider)


@each(_COUNTERS, clause="RANGE-COUNT", generated=True)
def test_counter_is_not_negative(judge: Judge) -> None:
    """A counter is a count."""
    judge(ranges.assert_count)
