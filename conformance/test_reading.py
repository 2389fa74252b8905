"""Each setting or status can be read individually with a GET request on its key.

> Each setting or status can be read individually with a GET request on its key.
"""

from conformance.cases import CATALOG, Judge, each
from conformance.checks.reads import reading

_ENTRIES = tuple(CATALOG.entries.values())


@each(CATALOG.settings, clause="READ-SETTING", per_pair=True)
@each(CATALOG.statuses, clause="READ-STATUS", per_pair=True)
def test_supported_entry_gives_a_value(judge: Judge) -> None:
    """A GET on the key of a supported entry gives its value."""
    judge(reading.assert_readable)


@each(_ENTRIES, clause="READ-NOPAYLOAD")
def test_get_needs_no_payload(judge: Judge) -> None:
    """A GET without body, Content-Type and query gives the value."""
    judge(reading.assert_no_payload_needed)


@each(_ENTRIES, clause="READ-VALUE")
def test_successful_read_holds_a_value(judge: Judge) -> None:
    """The body of a successful read holds one value."""
    judge(reading.assert_value_present)


@each(_ENTRIES, clause="READ-REPEAT")
def test_reading_gives_the_same_kind_of_answer(judge: Judge) -> None:
    """Three reads in a quiet state are all values, or none is."""
    judge(reading.assert_repeatable)


@each(tuple(entry for entry in CATALOG.settings if reading.walks(entry)), clause="READ-SAFE")
def test_reading_does_not_change_a_setting(judge: Judge) -> None:
    """Six reads of a Boolean or enumeration setting do not walk through values."""
    judge(reading.assert_reading_is_safe)
