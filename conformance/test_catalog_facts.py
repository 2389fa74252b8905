"""What the document says of the catalog as a whole is recorded, never demanded of an appliance.

> Support differs per appliance.
"""

from conformance.cases import Judge, each_appliance, once
from conformance.checks import notes


@each_appliance(clause="CAT-ICS")
def test_declaration_is_noted(judge: Judge) -> None:
    """What the profile claims is recorded; its contradictions stop a run before any request."""
    judge(notes.note_declaration)


@each_appliance(clause="CAT-FIELD-DESC")
def test_descriptions_are_noted(judge: Judge) -> None:
    """Which answers carry a description is recorded."""
    judge(notes.note_descriptions)


@each_appliance(clause="CAT-FIELD-TYPE")
def test_type_labels_are_noted(judge: Judge) -> None:
    """The labels of data types are recorded; the value is judged, not its label."""
    judge(notes.note_type_labels)


@each_appliance(clause="CAT-FIELD-POSSIBLE")
def test_possible_values_are_noted(judge: Judge) -> None:
    """How many answers carry possible values is recorded."""
    judge(notes.note_possible_values)


@once(clause="CAT-LABELS")
def test_labels_select_nothing(judge: Judge) -> None:
    """The three labels stand with every entry and select none."""
    judge(notes.note_labels)


@each_appliance(clause="CAT-SUPPORT-VARIES")
def test_support_is_noted(judge: Judge) -> None:
    """How many keys an appliance serves, lacks or leaves unknown is recorded."""
    judge(notes.note_support)


@each_appliance(clause="CAT-VENDOR-COMMON")
def test_common_keys_are_noted(judge: Judge) -> None:
    """Which of the keys common to all kinds are served is recorded."""
    judge(notes.note_vendor_keys)


@each_appliance(clause="CAT-KIND-FOREIGN")
def test_foreign_keys_are_noted(judge: Judge) -> None:
    """Keys of another kind that are served are recorded."""
    judge(notes.note_foreign_keys)
