"""What the document says of the catalog as a whole is recorded, never demanded of an appliance.

> Support differs per appliance.
"""

from conformance.cases import Judge, each_appliance
from conformance.checks import notes


@each_appliance(clause="CAT-FIELD-DESC")
def test_descriptions_are_noted(judge: Judge) -> None:
    """Which answers carry a description is recorded."""
    judge(notes.note_descriptions)


@each_appliance(clause="CAT-FIELD-TYPE")
def test_type_labels_are_noted(judge: Judge) -> None:
    """The labels of data types are recorded; the value is judged, not its label."""
    judge(notes.note_type_labels)


@each_appliance(clause="CAT-SUPPORT-VARIES")
def test_support_is_noted(judge: Judge) -> None:
    """How many keys an appliance serves, lacks or leaves unknown is recorded."""
    judge(notes.note_support)
