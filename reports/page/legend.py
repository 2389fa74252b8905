"""The words of the report, explained for those who read nothing else: what the fold under the counts says."""

from typing import Final

from catalog.model import Level
from conformance.checks.verdict import Verdict

MEANING: Final[dict[Verdict, str]] = {
    "pass": "The premise of the clause was shown, and the server did what the clause asks.",
    "fail": "The premise was shown, and the server contradicts a sentence of the document.",
    "inconclusive": (
        "Nothing was learned, neither for the server nor against it; the reason is given: a refusal for the"
        " moment, an appliance that is off, a field of the profile that is not declared."
    ),
    "not_applicable": "The clause asks nothing here: the appliance does not have the entry.",
    "observed": "The document leaves it open; what was seen is recorded, and is neither right nor wrong.",
    "error": "The suite itself failed; that says nothing about the server.",
}
"""What each verdict says of a case."""
LEVEL_MEANING: Final[dict[Level, str]] = {
    "seen": "nothing was sent: what others had recorded was judged",
    "read": "nothing was written",
    "write": "settings were written and put back, no appliance was switched off",
    "power": "settings were written and put back, appliances were switched off and on",
    "attended": "as power, and a person or a test bench did what a server cannot",
}
"""What a run of each level did."""
OTHER_WORDS: Final[dict[str, str]] = {
    "clause": "A sentence of the document that can be tested. Each names its line.",
    "case": "One clause on one key of one appliance. A case has one verdict.",
    "finding": "One defect of the server, with all the cases that show it.",
    "not judged": "What the run did not try: its level is too low, or a field of the profile is missing.",
    "waived": "A failure that the profile excuses until a day, with a reason and an owner. It is shown.",
    "level": "; ".join(f"{level}: {text}" for level, text in LEVEL_MEANING.items()) + ".",
    "is it the profile?": (
        "Edits of the profile were tried on what the run saw. No verdict rests on that; appliance-conformance"
        " suspect says it at length."
    ),
    "controls": (
        "Requests that check what the suite presupposes: keys and appliances that do not exist, the same"
        " request once more, generated requests. Their answers tell a key that an appliance lacks from one"
        " that is broken."
    ),
    "claimed": "What the profile says an appliance supports. Only what is claimed can be missing.",
    "conditional": (
        "A certificate excuses claimed cases that a state of an appliance prevented, such as a light that was"
        " off, or a failure that is waived. It says nothing about those."
    ),
}
