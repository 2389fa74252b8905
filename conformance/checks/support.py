"""Tells an entry the appliance does not have from one that is broken.

The document shows no error codes (line 163), so nothing here knows one. Three things tell: the profile's claim,
the likeness of an answer to that for a key that cannot exist, and that the anchor still answers. A server error,
a timeout, an empty or a malformed success is never "not supported" by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.groups import Group, ProcedureKind
from conformance.checks.states import exempting_state
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.checks.exempting import ExemptingState
    from conformance.checks.seen import Seen

Standing = Literal["value", "broken", "unknown", "unsupported"]
TRIES = 3


@dataclass(frozen=True, slots=True)
class Support:
    """How an entry stands: a value to judge, shown to be broken, not known, or not supported; and why.

    `state` is the exempting state through which it is not known; None where it is not known for another reason.
    """

    standing: Standing
    reason: str
    answer: Answer
    state: ExemptingState | None = None


def again(answer: Answer) -> Group:
    """The group in which the spaced tries after `answer` are kept: each followed by a read of the anchor."""
    return Group(ProcedureKind.AGAIN, f"{answer.exchange.segment}/{answer.exchange.key}")


def needs_again(seen: Seen, entry: Entry, answer: Answer) -> bool:
    """Whether only further tries can tell how `entry` stands."""
    return not answer.has_value and _judgeable(seen, entry, answer) is None


def resolve(seen: Seen, entry: Entry, answer: Answer) -> Support:
    """How `entry` stands by `answer`, after the tries that were made."""
    if answer.has_value:
        return Support("value", "", answer)
    early = _judgeable(seen, entry, answer)
    return early or _tried(seen, answer)


def require_support(seen: Seen, entry: Entry, answer: Answer) -> None:
    """Raises the verdict of a clause that rests on `entry` being read, unless `answer` holds a value.

    Raises:
        Deviation: when the entry is shown to be broken.
        Inconclusive: when it cannot be told.
        NotApplicable: when the appliance does not have it.
    """
    support = resolve(seen, entry, answer)
    if support.standing == "broken":
        raise Deviation(support.reason, support.answer)
    if support.standing != "value":
        raise without_value(support)


def without_value(support: Support, words: str = "") -> Inconclusive | NotApplicable:
    """The verdict of a clause that has no value to judge: not applicable where the entry is not supported, else inconclusive.

    What is broken is the finding of READ clauses, never a second one. `words` stand before the reason.
    """
    if support.standing == "unsupported":
        return NotApplicable(words + support.reason, support.answer)
    return Inconclusive(words + support.reason, support.answer, state=support.state)


def is_refused_everywhere(seen: Seen, answers: tuple[Answer, ...]) -> bool:
    """Whether a contested status is claimed, and each segment refuses it or answers without a value: what PATH clauses call neither."""
    claimed = all(seen.claim(answer.exchange.key) == "yes" for answer in answers)
    return claimed and all(answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE} for answer in answers)


def is_unsupported_answer(seen: Seen, answer: Answer) -> bool:
    """Whether `answer` is like one for an entry that does not exist, learnt or declared."""
    return answer.signature in seen.signatures or answer.declared_unsupported


def _judgeable(seen: Seen, entry: Entry, answer: Answer) -> Support | None:
    """The standing that one answer settles; None when the entry must be tried again."""
    claim = seen.claim(entry.key)
    unlike = not is_unsupported_answer(seen, answer)
    if claim == "no":
        silent = answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE}
        return Support("unsupported" if silent else "unknown", f"the profile says it is not supported; answered {answer.words}", answer)
    if answer.is_unreadable or answer.outcome in {Outcome.AUTH, Outcome.THROTTLE, Outcome.REDIRECT}:
        return Support("unknown", f"answered {answer.words}", answer)
    state = exempting_state(seen, entry.key)
    if claim == "unknown":
        standing = _unclaimed(answer, unlike=unlike)
        if standing:
            return standing
    if seen.anchor is None and not (unlike and answer.absence in _NOTHING_AT_ALL):
        return Support("unknown", f"answered {answer.words}; no key of this appliance gives a value", answer)
    if state:
        return Support("unknown", f"answered {answer.words} while {state}", answer, state)
    return None


def _unclaimed(answer: Answer, *, unlike: bool) -> Support | None:
    """The row "claim unknown" of the table; None where it says FAIL, which tries must confirm."""
    if answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE} and not unlike:
        return Support("unsupported", f"not supported: same answer as for a key that cannot exist, {answer.words}", answer)
    if answer.outcome is Outcome.REFUSED:
        return Support("unknown", f"answered {answer.words}, but not as for an unknown key: perhaps not available now", answer)
    if answer.outcome is not Outcome.NOVALUE:
        return Support("unknown", f"answered {answer.words}", answer)
    broken = answer.absence in _NOTHING_AT_ALL and answer.status != 204
    if broken or (answer.absence is Absence.MISSING and not answer.calibrated):
        return None
    return Support("unknown", f"answered {answer.words}", answer)


def _tried(seen: Seen, answer: Answer) -> Support:
    """The standing after the spaced tries: the anchor is read before, between and after them, what may lock the key last."""
    series = seen.group(again(answer))
    asked = (answer.exchange.segment, answer.exchange.key)
    tries = [answer, *(read for read in series if (read.exchange.segment, read.exchange.key) == asked)]
    others = [read for read in series if (read.exchange.segment, read.exchange.key) != asked]
    doubt = _doubt(tries, others, in_band=is_unsupported_answer(seen, answer))
    if doubt:
        return Support("unknown", f"answered {answer.words}{doubt}", answer)
    state = exempting_state(_as_last_seen(seen, others), answer.exchange.key)
    if state:
        return Support("unknown", f"answered {answer.words}, and meanwhile {state}", answer, state)
    claimed = "claimed as supported, but " if seen.claim(answer.exchange.key) == "yes" else ""
    meanwhile = ", while other keys give values" if seen.anchor else ""
    return Support("broken", f"{claimed}answered {answer.words} on {TRIES} tries{meanwhile}", answer)


def _as_last_seen(seen: Seen, later: list[Answer]) -> Seen:
    """The appliance as later reads saw it: somebody may have switched it off meanwhile."""
    return replace(seen, reads={**seen.reads, **{(read.exchange.segment, read.exchange.key): read for read in later}})


def _doubt(tries: list[Answer], others: list[Answer], *, in_band: bool) -> str:
    """Why the tries do not show the entry to be broken; empty when they do."""
    first = tries[0]
    if len(tries) < TRIES:
        return "; not tried again"
    if any(attempt.has_value for attempt in tries):
        return ", then a value: it comes and goes"
    if not all(other.has_value for other in others):
        return ", but meanwhile no other key gave a value either"
    unlike = next((attempt for attempt in tries if attempt.outcome not in _BROKEN), None)
    if unlike:
        return f", then {unlike.words}"
    return "" if in_band else _perhaps_elsewhere(first)


def _perhaps_elsewhere(answer: Answer) -> str:
    """Why a success without a value may hold one where nobody was told to look; empty when it cannot."""
    if answer.absence is Absence.MISSING and answer.calibrated:
        return "; its pointer was only guessed: declare answer.value"
    return f"; {answer.absence.value}" if answer.absence in {Absence.FOREIGN, Absence.UNPOINTED} else ""


_BROKEN = {Outcome.REFUSED, Outcome.NOVALUE, Outcome.SERVERERR, Outcome.TRANSPORT}
_NOTHING_AT_ALL = {Absence.EMPTY, Absence.MALFORMED}
