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
from typing import Final, Literal
from unittest import SkipTest

from msgspec import Struct

from conformance.checks.answer import Answer
from conformance.checks.permission import Omission


class StateId(Enum):
    """The states that may keep an entry from being read or written, or lift the clause about its value.

    Each has its words; one that names no line is a caution of the suite.
    """

    X1 = "the ambient light has its custom color (line 68)"
    X2 = "the ambient light has a preset color (line 70)"
    X3 = "the color temperature is not custom (line 65)"
    X4 = "the appliance is not on"
    X5 = "a mode holds the setpoint (lines 50, 52, 53)"
    X6 = "remote control is not active, or somebody operates the appliance (lines 88, 90)"
    X7 = "the Sabbath mode is on (line 51)"
    X8 = "the light is off"
    X9 = "a cooling mode is on"
    X10 = "a program is active"
    X11 = "the alarm clock is running"
    X12 = "the map is not stored"
    X13 = "the child lock is on"


STATES: Final = {state.name: state.value for state in StateId}
"""The words of the states by their ids."""
ENDS: Final[dict[str, str]] = {
    "X1": "choose a preset, or name AmbientLightColor under write.allow",
    "X2": "choose CustomColor, or name AmbientLightColor under write.allow",
    "X3": "choose custom, or name ColorTemperature under write.allow",
    "X4": "switch it on, or let --level power do so with PowerState under write.allow",
    "X5": "switch the mode off, or name its key under write.allow",
    "X6": "activate remote control, and let nobody operate it; or set write.while_busy = true",
    "X7": "switch it off, or name the key of the mode in full under write.allow",
    "X8": "switch the light on, or name its key under write.allow",
    "X9": "switch the mode off, or name its key under write.allow",
    "X10": "end it, or set write.while_busy = true",
    "X11": "let it run out",
    "X12": "store one on the appliance",
    "X13": "switch it off, or name ChildLock in full under write.allow",
}
"""What ends each state: an act on the appliance, or the line of the profile that lets a run do so."""


class Sight(Enum):
    """What was seen of the key that shows a state."""

    SHOWN = "it shows the state"
    ONCE = "it showed the state once, and not again"
    REFUSED = "it is claimed, and refused now"
    UNANSWERED = "an error, which says nothing of the appliance"
    FOREIGN = "a value that is none of the document's"


class ExemptingState(Struct, frozen=True):
    """A state that held, or may hold, and in words how it was seen, such as `PowerState is Standby`.

    As text it is `X4: PowerState is Standby`, for findings; what carries the meaning is `id`. `controller` is
    the key that shows it. Only what is shown excuses anything; whatever else leaves a case open is a doubt.
    """

    id: StateId
    words: str
    controller: str
    sight: Sight = Sight.SHOWN

    @property
    def is_shown(self) -> bool:
        """Whether the state was seen to hold, so that it may be a condition of a certificate."""
        return self.sight is Sight.SHOWN

    def __str__(self) -> str:
        """The state for a finding: its id, where it is one, and how it was seen."""
        return f"{self.id.name}: {self.words}" if self.is_shown else self.words


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
