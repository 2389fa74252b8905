"""How a check says what it found.

pytest asks a check about a case; the check looks at the view of the appliance and

- returns None: the clause holds (pass), or a text: what was noted on the way;
- raises `Deviation`: the document is contradicted and the premise was shown (fail);
- raises `Inconclusive`: nothing was learned, and the text says why;
- raises `NotApplicable`: the clause has no subject here, such as an entry the appliance does not have;
- raises `NotTried`: the run left out what the clause needs, which showed only when it had read. What is known
  before a run to be left out is no case at all.

A check never raises anything else on purpose. Whatever else escapes is the suite's own fault (error).
The last three derive from `unittest.SkipTest`, so that any test runner shows them as skipped with their text.

    Judgement
    ├── Deviation (AssertionError)
    ├── Inconclusive (SkipTest)
    ├── NotApplicable (SkipTest)
    └── NotTried (SkipTest)
"""

from collections.abc import Iterable
from enum import Enum
from typing import Literal
from unittest import SkipTest

from conformance.checks.answer import Answer
from conformance.checks.case import Omission
from conformance.model.states import ExemptingState

Verdict = Literal["pass", "fail", "inconclusive", "not_applicable", "observed", "error"]


class Manner(Enum):
    """In which of several ways a clause is contradicted, where two of them would be two faults."""

    BELOW = "below the range"
    ABOVE = "above the range"
    CASE = "in another case"
    SHORT = "not the whole key"
    DIGITS = "with other digits"
    SEPARATORS = "with other separators"
    LABEL = "a label"
    DROPPED = "the old value stays"
    REVERTED = "the old value comes back"
    REFUSED = "refused"


class Judgement(Exception):  # noqa: N818  a judgement is not an error
    """What a check raises; `finding` is one line, `answer` the one exchange that shows it, if one does."""

    def __init__(self, finding: str, answer: Answer | None = None) -> None:
        super().__init__(finding)
        self.finding = finding
        self.answer = answer


class Deviation(Judgement, AssertionError):  # noqa: N818  a judgement is not an error
    """The target contradicts the document, and the premise was shown.

    `beside` are further exchanges without which `answer` does not show it, such as the read of a second key,
    or an earlier write.
    `manner` says in which way, where the clause can be contradicted in several.
    """

    def __init__(
        self,
        finding: str,
        answer: Answer | None = None,
        *,
        beside: Iterable[Answer | None] = (),
        manner: Manner | None = None,
    ) -> None:
        super().__init__(finding, answer)
        self.beside = tuple(one for one in beside if one is not None)
        self.manner = manner


class Inconclusive(Judgement, SkipTest):
    """Nothing was learned: the premise could not be shown, or the target could not be asked.

    `state` is the exempting state through which the case is open; None where it is open for another reason.
    """

    def __init__(
        self, finding: str, answer: Answer | None = None, *, state: ExemptingState | None = None
    ) -> None:
        super().__init__(finding, answer)
        self.state = state


class NotApplicable(Judgement, SkipTest):
    """The clause has no subject here."""


class NotTried(Judgement, SkipTest):
    """The run did not try what the clause needs, which shows only once it has read."""

    def __init__(self, omission: Omission, answer: Answer | None = None) -> None:
        super().__init__(omission.reason, answer)
        self.omission = omission
