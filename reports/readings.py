"""In words, how the document was read where two readings are possible, and how its gaps were filled."""

from typing import Final

from catalog.model import Gap
from conformance.records.run_facts import RunFacts

READINGS: Final[dict[str, tuple[str, str]]] = {
    "I-1": ("lines 41, 61 to 68", "Both ends of a range belong to it."),
    "I-2": (
        "lines 38, 39",
        (
            "A setting is not returned when a GET on its key is refused again and again while the appliance"
            " is on."
        ),
    ),
    "I-3": ("line 65", "A setting is usable when it can be set."),
    "I-4": ("line 52", "The freezer follows its setting when the freezer's setpoint stays as it was."),
    "I-5": ("line 22", "A whole number may be written 5 or 5.0."),
    "I-6": ("line 99", "A count is never below zero."),
    "I-7": ("line 22", "null is no value of any data type."),
    "I-8": ("line 149", "Where a contested status answers under both segments, the two answers agree."),
    "I-9": ("line 8", "A key or an appliance that does not exist yields no value."),
    "I-10": (
        "lines 127 to 133",
        "After a write of the power state the appliance is in the state written or in the one before.",
    ),
    "integer_lexical": (
        "line 22",
        "How a whole number may be spelled: by its value, or strictly without a fraction.",
    ),
    "type_label_is_catalog_type": ("line 22", "A type label in an answer is one of the six data types."),
    "freshmode_setpoint": (
        "line 53",
        "The 2 °C of the fresh mode are read from the refrigerator's setpoint.",
    ),
    "siblings_independent": (
        "not shown",
        (
            "A write to one of a pair (left and right, internal and external, maps 1 and 2) leaves the other"
            " alone."
        ),
    ),
}
"""What each switch of `[interpretation]` means: the place of the document, and the reading."""


_TAKEN: Final[dict[bool | str, str]] = {True: "the reading is taken", False: "the reading is not taken"}
NOT_JUDGED: Final = "out of scope"
OBSERVED: Final = "observation"


def answer_to(gap: Gap, run: RunFacts) -> str:
    """How a gap of the document was answered in a run: as declared, by a default, or not at all."""
    if gap.answered_by == NOT_JUDGED:
        return "not judged"
    if gap.answered_by == OBSERVED:
        return "observed, not judged"
    taken = [run.interpretations[name] for name in gap.interpretations if name in run.interpretations]
    told = [_TAKEN.get(chosen, str(chosen)) for chosen in taken]
    told += [answer for field in gap.fields for answer in _declared(field, run)]
    return "; ".join(told) or "not declared"


def _declared(field: str, run: RunFacts) -> list[str]:
    """What a run recorded of a field of the profile, or of each field of a table."""
    return [
        f"{name} = {answer}"
        for name, answer in run.answers.items()
        if name == field or name.startswith(f"{field}.")
    ]
