"""In words, how the gaps of the document were filled."""

from typing import Final

from catalog.model import Gap
from conformance.records.run_facts import RunFacts

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
