"""Four statuses are shown under two segments; which one is authoritative is not.

> For the four statuses BatteryLevel, DustBoxInserted, Lost and Lifted the published example path uses the
> settings segment
"""

from catalog import keys
from conformance.cases import CATALOG, Judge, each
from conformance.checks.groups import DUST_BOX_OUT
from conformance.checks.reads import addressing, paths


@each(keys.BATTERY_LEVEL, clause="PATH-BATTERYLEVEL")
@each(keys.DUST_BOX, clause="PATH-DUSTBOX")
@each(keys.LOST, clause="PATH-LOST")
@each(keys.LIFTED, clause="PATH-LIFTED")
def test_either_segment_serves(judge: Judge) -> None:
    """At least one of the two segments gives a value."""
    judge(paths.assert_either_segment)


@each(
    [entry for entry in CATALOG.statuses if entry.contested and entry.key != keys.DUST_BOX],
    clause="PATH-AGREE",
)
@each(keys.DUST_BOX, clause="PATH-AGREE", besides=DUST_BOX_OUT)
def test_both_segments_tell_the_same(judge: Judge) -> None:
    """Where both segments serve the status, they tell the same value."""
    judge(paths.assert_segments_agree)


@each([entry for entry in CATALOG.statuses if not entry.contested], clause="PATH-ONLY-FOUR")
def test_other_statuses_are_not_contested(judge: Judge) -> None:
    """The other 29 statuses are not served under settings alone."""
    judge(addressing.assert_only_four_contested)
