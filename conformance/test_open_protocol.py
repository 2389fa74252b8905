"""What the document does not show of the protocol is recorded, never judged.

> Request and response payload shapes: not shown.
"""

from conformance.cases import Judge, each_appliance
from conformance.checks import notes


@each_appliance(clause="PROT-SHAPE")
def test_body_shape_is_noted(judge: Judge) -> None:
    """Where the value was found is recorded."""
    judge(notes.note_shape)


@each_appliance(clause="PROT-ERRORS")
def test_error_codes_are_noted(judge: Judge) -> None:
    """The status codes of answers without a value are recorded."""
    judge(notes.note_errors)


@each_appliance(clause="PROT-AUTH")
def test_access_is_noted(judge: Judge) -> None:
    """What was sent for access, and how often it was refused, is recorded."""
    judge(notes.note_access)


@each_appliance(clause="PROT-RATE")
def test_pace_is_noted(judge: Judge) -> None:
    """The pace kept, and how often the target throttled, are recorded."""
    judge(notes.note_pace)


@each_appliance(clause="PROT-LIST")
def test_lists_are_noted(judge: Judge) -> None:
    """What declared lists hold is recorded."""
    judge(notes.note_lists)
