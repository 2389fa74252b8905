"""Generated requests find what no table names: a case stands for all of one clause and appliance.

> path parameters haId (string) and settingKey (a setting key from the table)
"""

from __future__ import annotations

from conformance.cases import Judge, each_generated
from conformance.checks.generated import foreign_values, safe_methods, server_errors, unknown_names


@each_generated(clause="ADDR-UNKNOWNKEY")
def test_generated_key_yields_no_value(judge: Judge) -> None:
    """A generated key that is in no table, and is no other spelling of one that is, yields no value."""
    judge(unknown_names.assert_no_key_is_invented)


@each_generated(clause="ADDR-HAID")
def test_generated_ha_id_yields_no_value(judge: Judge) -> None:
    """A generated haId names no appliance, and nothing around a haId selects another one."""
    judge(unknown_names.assert_no_appliance_is_invented)


@each_generated(clause="ADDR-SPECIFIC")
def test_generated_request_is_answered_with_its_entry(judge: Judge) -> None:
    """Neither another spelling of a key nor anything around it selects another entry."""
    judge(foreign_values.assert_generated_answer_is_specific)


@each_generated(clause="ADDR-KEY-LAST")
def test_generated_request_is_answered_with_its_key(judge: Judge) -> None:
    """The body of a generated request shows no other entry's key."""
    judge(foreign_values.assert_generated_answer_shows_its_key)


@each_generated(clause="READ-SAFE")
def test_safe_methods_change_nothing(judge: Judge) -> None:
    """HEAD and OPTIONS leave every value as it is."""
    judge(safe_methods.assert_safe_methods_change_nothing)


@each_generated(clause="PROT-ERRORS")
def test_errors_of_generated_requests_are_noted(judge: Judge) -> None:
    """Server errors and dropped connections are recorded, each with the shortest request."""
    judge(server_errors.note_errors_of_generated)
