"""Settings and statuses are found at the document's paths.

> The appliance is addressed by the path parameter {haId}, the identifier of the home appliance.
"""

from conformance.cases import CATALOG, Judge, each, each_appliance
from conformance.checks import notes
from conformance.checks.reads import addressing

_ENTRIES = tuple(CATALOG.entries.values())
_PLAIN_STATUSES = tuple(entry for entry in CATALOG.statuses if not entry.contested)


@each_appliance(clause="ADDR-BASE")
def test_base_address_serves(judge: Judge) -> None:
    """The target answers below base_url, whatever path prefix that carries."""
    judge(addressing.assert_base_address_serves)


@each_appliance(clause="ADDR-UNVERSIONED")
def test_path_needs_no_version(judge: Judge) -> None:
    """The path without a version segment serves the entry."""
    judge(addressing.assert_unversioned)


@each_appliance(clause="ADDR-HAID")
def test_ha_id_addresses_the_appliance(judge: Judge) -> None:
    """A haId that names no appliance yields no value."""
    judge(addressing.assert_ha_id_addresses)


@each_appliance(clause="ADDR-UNKNOWNKEY")
def test_unknown_key_yields_no_value(judge: Judge) -> None:
    """A key that is in no table yields no value."""
    judge(addressing.assert_unknown_key_yields_nothing)


@each(CATALOG.settings, clause="ADDR-SEG-SETTINGS")
@each(_PLAIN_STATUSES, clause="ADDR-SEG-STATUS")
def test_entry_answers_under_its_segment(judge: Judge) -> None:
    """A setting answers under settings, a status under status."""
    judge(addressing.assert_own_segment)


@each(_ENTRIES, clause="ADDR-KEY-LAST")
def test_key_in_body_is_last_path_segment(judge: Judge) -> None:
    """The key that the body carries is the one asked for."""
    judge(addressing.assert_key_is_last_segment)


@each(_ENTRIES, clause="ADDR-SPECIFIC")
def test_answer_is_the_specific_entry(judge: Judge) -> None:
    """The answer is about this entry, not a list and not a neighbour."""
    judge(addressing.assert_specific)


@each(CATALOG.of_type("Enumeration"), clause="ADDR-VENDOR")
def test_values_carry_the_declared_maker_name(judge: Judge) -> None:
    """The first segment of a value is the maker's name wherever the document says Vendor."""
    judge(addressing.assert_maker_name)


@each_appliance(clause="ADDR-OTHERSEG")
def test_other_segments_are_noted(judge: Judge) -> None:
    """Which keys are served under another segment as well is recorded."""
    judge(notes.note_other_segments)
