"""Generated requests find what no table names: a case stands for all of one clause and appliance.

> path parameters haId (string) and settingKey (a setting key from the table)
"""

from functools import partial

from catalog import keys
from conformance.cases import CATALOG, Judge, each_generated
from conformance.checks.generated import answered_values, edge_writes, moved_settings
from conformance.checks.groups import Purpose, edge_group
from conformance.checks.writes.requirements import beside_setting

_SETTINGS = tuple(entry for entry in CATALOG.settings if entry.key != keys.POWER_STATE)
_ENUMERATIONS = tuple(entry for entry in _SETTINGS if entry.type == "Enumeration")
_NUMBERS = tuple(entry for entry in _SETTINGS if entry.is_numeric)
_written = partial(each_generated, written=edge_group, besides=beside_setting)


@each_generated(clause="ADDR-UNKNOWNKEY")
def test_generated_key_yields_no_value(judge: Judge) -> None:
    """A generated key that is in no table, and is no other spelling of one that is, yields no value."""
    judge(answered_values.assert_no_key_is_invented)


@each_generated(clause="ADDR-HAID")
def test_generated_ha_id_yields_no_value(judge: Judge) -> None:
    """A generated haId names no appliance, and nothing around a haId selects another one."""
    judge(answered_values.assert_no_appliance_is_invented)


@each_generated(clause="ADDR-SPECIFIC")
def test_generated_request_is_answered_with_its_entry(judge: Judge) -> None:
    """Neither another spelling of a key nor anything around it selects another entry."""
    judge(answered_values.assert_generated_answer_is_specific)


@each_generated(clause="ADDR-KEY-LAST")
def test_generated_request_is_answered_with_its_key(judge: Judge) -> None:
    """The body of a generated request shows no other entry's key."""
    judge(answered_values.assert_generated_answer_shows_its_key)


@each_generated(clause="READ-SAFE")
def test_reading_changes_nothing(judge: Judge) -> None:
    """HEAD, OPTIONS, and generated and plain reads of other entries leave every setting as it is."""
    judge(moved_settings.assert_generated_reads_are_safe)


@_written(_SETTINGS, clause="SET-TYPEGUARD")
def test_generated_value_of_a_wrong_type_has_no_effect(judge: Judge) -> None:
    """After a generated value of any type was written, the value that reads back has the right one."""
    judge(edge_writes.assert_edges_type_guarded)


@_written(_ENUMERATIONS, clause="SET-ENUMGUARD")
def test_generated_text_has_no_effect(judge: Judge) -> None:
    """After a write of a text near a value of an enumeration, one of its values reads back."""
    judge(edge_writes.assert_edges_enumeration_guarded)


@_written(_NUMBERS, clause="RANGE-WRITE-OUT")
def test_generated_number_outside_the_range_has_no_effect(judge: Judge) -> None:
    """After a generated number outside the range was written, the value that reads back is inside."""
    judge(edge_writes.assert_edges_without_effect)


@_written(_SETTINGS, clause="SET-ONLY-TARGET", purpose=Purpose.NEIGHBOURS)
def test_generated_value_moves_nothing_else(judge: Judge) -> None:
    """A generated value leaves the settings beside it as they are."""
    judge(edge_writes.assert_edges_only_target)


@each_generated(clause="PROT-ERRORS")
def test_errors_of_generated_requests_are_noted(judge: Judge) -> None:
    """Server errors and dropped connections are recorded, each with the shortest request."""
    judge(answered_values.note_errors_of_generated)
