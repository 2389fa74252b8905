"""What the document does not show of the protocol is recorded, never judged.

> Error codes, status codes and error bodies: not shown.
"""

from conformance.cases import Judge, each_appliance
from conformance.checks import notes
from conformance.checks.reads import edges


@each_appliance(clause="PROT-ERRORS")
def test_error_codes_are_noted(judge: Judge) -> None:
    """The status codes of answers without a value are recorded."""
    judge(notes.note_errors)


@each_appliance(clause="PROT-LIST")
def test_lists_are_noted(judge: Judge) -> None:
    """What declared lists hold is recorded."""
    judge(edges.note_lists)
