"""Tells an entry the appliance does not have from one that is broken.

The document shows no error codes (line 163), so nothing here knows one. Three things tell: the profile's
claim, the likeness of an answer to that for a key that cannot exist, and that the anchor still answers. A
server error, a timeout, an empty or a malformed success is never "not supported" by itself.
"""

from collections.abc import Sequence
from enum import Enum

from msgspec import Struct

from catalog.loader import CATALOG
from catalog.model import Entry
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.reads.tries import LEAST_TRIES, Odds, Tries, noted, odds, tries_of
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View, with_reads
from conformance.model.couplings import LOCKS, is_coupled
from conformance.model.state_table import SHOWING_A_STATE, STATE_ROWS, WhenUnread
from conformance.model.states import ExemptingState, exempting_state


class Standing(Enum):
    """How an entry stands: a value to judge, shown to be broken, not known, or not supported."""

    VALUE = "served"
    UNSUPPORTED = "not supported"
    UNKNOWN = "undecided"
    BROKEN = "broken"


class Support(Struct, frozen=True):
    """How an entry stands, and why.

    `state` is the exempting state through which it is not known; None where it is not known for another
    reason.
    """

    standing: Standing
    reason: str
    answer: Answer
    state: ExemptingState | None = None


def needs_again(seen: View, entry: Entry, answer: Answer) -> bool:
    """Whether only further tries can tell how `entry` stands, or what state it shows."""
    return not answer.has_value and (
        _may_show_a_state(seen, entry, answer) or _settled(seen, entry, answer) is None
    )


def resolve(seen: View, entry: Entry, answer: Answer) -> Support:
    """How `entry` stands by `answer`, after the tries that were made; wants more where they may tell."""
    if answer.has_value:
        return Support(Standing.VALUE, "", answer)
    return seen.once((resolve, entry.key, answer.n), lambda its: _resolved(its, entry, answer))


def _resolved(seen: View, entry: Entry, answer: Answer) -> Support:
    early = _settled(seen, entry, answer)
    may_be_told = early is None or _may_show_a_state(seen, entry, answer)
    if may_be_told and noted(seen, answer.again, entry.key) is None and _is_open(seen, answer):
        seen.want(answer.again)
    return early or _tried(seen, entry, answer)


def _may_show_a_state(seen: View, entry: Entry, answer: Answer) -> bool:
    """Whether an error keeps an entry from showing a state that others may be in."""
    return answer.is_error and entry.key in SHOWING_A_STATE and seen.claim(entry.key) != "no"


def is_lost(answer: Answer, found: View, now: View) -> bool:
    """Whether an entry that gave a value gives none any more, and nothing that is known now excuses that.

    What belongs to a function may go when that is switched off, as it was not found. So may what counts as a
    state where it is hidden: power, a light, a colour, a map (X1 to X4, X8, X12). Of an entry under two
    segments the other one may give the value, and null is for TYPE-NOTNULL to judge.
    """
    entry = CATALOG.entries.get(answer.key)
    if entry is None or entry.contested or answer.is_write or now.value(answer.key) is None:
        return False
    if any(row.controller == entry.key and row.unread is not WhenUnread.NEVER for row in STATE_ROWS):
        return False
    if not answer.is_refusal or answer.absence is Absence.NULL or _settled(now, entry, answer):
        return False
    off = [key for key in now.learned.settings if now.value(key) is False and found.value(key) is True]
    return all(is_coupled(key) or key in LOCKS for key in off)


def is_hidden(seen: View, key: str) -> bool:
    """Whether a state keeps every shared read of a key from showing a value that the appliance may have."""
    entry = CATALOG.entries[key]
    found = [seen.reads[segment, key] for segment in entry.segments if (segment, key) in seen.reads]
    hiding = (not answer.has_value and resolve(seen, entry, answer).state for answer in found)
    return bool(found) and all(hiding)


def require_support(seen: View, entry: Entry, answer: Answer) -> None:
    """Raises the verdict of a clause that rests on `entry` being read, unless `answer` holds a value.

    Raises:
        Deviation: when the entry is shown to be broken.
        Inconclusive: when it cannot be told.
        NotApplicable: when the appliance does not have it.
    """
    support = resolve(seen, entry, answer)
    if support.standing is Standing.BROKEN:
        raise Deviation(support.reason, support.answer)
    if support.standing is not Standing.VALUE:
        raise without_value(support)


def without_value(support: Support, words: str = "") -> Inconclusive | NotApplicable:
    """The judgement where there is no value: not applicable if the entry is not supported, else inconclusive.

    What is broken is the finding of READ clauses, never a second one. `words` stand before the reason.
    """
    if support.standing is Standing.UNSUPPORTED:
        return NotApplicable(words + support.reason, support.answer)
    return Inconclusive(words + support.reason, support.answer, state=support.state)


def is_refused_everywhere(seen: View, answers: tuple[Answer, ...]) -> bool:
    """Whether a contested status is claimed and neither segment gives a value or an error."""
    claimed = all(seen.claim(answer.key) == "yes" for answer in answers)
    return claimed and all(answer.is_refusal for answer in answers)


def is_unsupported_answer(seen: View, answer: Answer) -> bool:
    """Whether `answer` is like one for an entry that does not exist, learnt or declared."""
    return answer.signature in seen.learned.signatures or answer.declared_unsupported


def of_serving_segments(seen: View, entry: Entry) -> tuple[Answer, ...]:
    """The shared answers about an entry, without those of a segment that does not have it.

    Of a contested status one segment may give the value, and the other one answer as for any entry that does
    not exist, whatever that looks like: the document does not say which of them is authoritative (line 149).
    """
    answers = seen.answers(entry)
    if not any(answer.has_value for answer in answers):
        return answers
    return tuple(one for one in answers if one.has_value or not is_unsupported_answer(seen, one))


def value_after_forbidden(seen: View, answer: Answer) -> Answer | None:
    """A value that the appliance gave after it had answered 403; None where it gave none, or it is no 403.

    The requests have the same access: then that answer is no missing access, but refuses what was asked for.
    """
    if answer.outcome is not Outcome.AUTH or answer.status != _FORBIDDEN:
        return None
    later = (one for one in seen.told if one.has_value and one.n > answer.n)
    return next(later, None)


def _settled(seen: View, entry: Entry, answer: Answer) -> Support | None:
    """The standing that one answer settles; None when the entry must be tried again."""
    claim = seen.claim(entry.key)
    unlike = not is_unsupported_answer(seen, answer)
    if claim == "no":
        is_silent = answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE}
        said = f"the profile says it is not supported; answered {answer.words}"
        return Support(Standing.UNSUPPORTED if is_silent else Standing.UNKNOWN, said, answer)
    if answer.is_unreadable or answer.outcome in {Outcome.AUTH, Outcome.THROTTLE, Outcome.REDIRECT}:
        return Support(Standing.UNKNOWN, f"answered {answer.words}", answer)
    state = exempting_state(seen, entry.key)
    if claim == "unknown" and (standing := _unclaimed(answer, unlike=unlike)):
        return standing
    if seen.anchor is None and not (unlike and answer.absence in _NOTHING_AT_ALL):
        said = f"answered {answer.words}; no key of this appliance gives a value"
        return Support(Standing.UNKNOWN, said, answer)
    if state and not (unlike and answer.absence is Absence.MALFORMED):  # a state does not garble
        return Support(Standing.UNKNOWN, f"answered {answer.words} while {state}", answer, state)
    return None


def _unclaimed(answer: Answer, *, unlike: bool) -> Support | None:
    """The row "claim unknown" of the table; None where it says FAIL, which tries must confirm."""
    if answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE} and not unlike:
        same = f"not supported: same answer as for a key that cannot exist, {answer.words}"
        return Support(Standing.UNSUPPORTED, same, answer)
    is_empty = answer.absence in _NOTHING_AT_ALL and answer.status != 204
    is_elsewhere = answer.absence is Absence.MISSING and not answer.calibrated
    if answer.outcome is Outcome.NOVALUE and (is_empty or is_elsewhere):
        return None
    is_refused = answer.outcome is Outcome.REFUSED
    then = ", but not as for an unknown key: perhaps not available now" if is_refused else ""
    return Support(Standing.UNKNOWN, f"answered {answer.words}{then}", answer)


def _tried(seen: View, entry: Entry, answer: Answer) -> Support:
    """The standing after the spaced tries, each between two reads of the anchor.

    How many there must be follows from how often the appliance errs, so that they are judged together.
    """
    tries = tries_of(seen, answer)
    decisive = (*tries.answers, answer)[0]
    if seen.claim(entry.key) == "unknown" and (other := _as_unknown(seen, tries)):
        return other
    doubt = _doubt(seen, tries, noted(seen, answer.again, answer.key))
    if doubt:
        return Support(Standing.UNKNOWN, f"answered {answer.words}{doubt}", answer)
    settled = _settled(seen, entry, decisive)
    if settled:
        return settled
    malformed = all(
        attempt.absence is Absence.MALFORMED and not is_unsupported_answer(seen, attempt)
        for attempt in tries.answers or tries.errors
    )
    # somebody may have switched it off meanwhile
    state = None if malformed else exempting_state(with_reads(seen, tries.others), answer.key)
    if state:
        return Support(Standing.UNKNOWN, f"answered {decisive.words}, and meanwhile {state}", decisive, state)
    claimed = "claimed as supported, but " if seen.claim(answer.key) == "yes" else ""
    meanwhile = ", while other keys give values" if seen.anchor else ""
    count = len(tries.answers or tries.errors)
    return Support(Standing.BROKEN, f"{claimed}{count} tries got {decisive.words}{meanwhile}", decisive)


def _as_unknown(seen: View, tries: Tries) -> Support | None:
    """How an entry that nobody claims stands where a later try is answered as for a key that cannot exist."""
    first, *later = [attempt for attempt in tries.made if not attempt.is_error] or tries.made[:1]
    alike = [attempt for attempt in later if attempt.is_refusal and is_unsupported_answer(seen, attempt)]
    if not alike:
        return None
    if len(alike) == len(later) >= LEAST_TRIES - 1:
        words = f"not supported: {len(alike)} tries got the answer for a key that cannot exist"
        return Support(Standing.UNSUPPORTED, f"{words}, {alike[0].words}", alike[0])
    return Support(
        Standing.UNKNOWN, f"answered {first.words}, then {alike[0].words}, as an unknown key", first
    )


def _doubt(seen: View, tries: Tries, found: Odds | None) -> str:
    """Why the tries do not show the entry to be broken, or empty; `found` are the odds noted at their end."""
    if len(tries.made) < LEAST_TRIES:
        return "; not tried again"
    if any(attempt.has_value for attempt in tries.made):
        return ", then a value: it comes and goes"
    unlike = next(
        (attempt for attempt in tries.made if attempt.outcome not in _BROKEN or attempt.is_unreadable), None
    )
    if unlike:
        return f", then {unlike.words}"
    if len(tries.answers) >= LEAST_TRIES:
        return "" if is_unsupported_answer(seen, tries.answers[0]) else _perhaps_elsewhere(tries.answers[0])
    return _doubt_of_errors(tries, found)


def _doubt_of_errors(tries: Tries, found: Odds | None) -> str:
    """Why fewer than three answers about the entry do not show it to be broken, or empty."""
    if tries.only_errors and found and not found.is_within_budget:
        return f"; {found.words} (timing.most_tries)"
    if len(tries.counted) < LEAST_TRIES:
        return ", but meanwhile no other key gave a value either"
    if tries.only_errors and found and found.are_met_by(len(tries.errors)):
        return ""
    rate = f"; {found.words}" if found else ""
    return (
        f"; {len(tries.errors)} of {len(tries.counted)} tries met an error, which says nothing of the"
        f" entry{rate}"
    )


def _is_open(seen: View, answer: Answer) -> bool:
    """Whether more tries, or the number of those that were made among errors, would tell more."""
    return is_unsettled(seen, answer) or any(one.is_error for one in tries_of(seen, answer).made)


def is_unsettled(seen: View, answer: Answer, later: Sequence[Answer] = ()) -> bool:
    """Whether further tries could still decide; `later` ones are not in `seen` yet."""
    tries = tries_of(seen, answer, later)
    if len(tries.made) < LEAST_TRIES:
        return True
    if len(tries.answers) >= LEAST_TRIES or any(
        attempt.outcome not in _BROKEN or attempt.is_unreadable for attempt in tries.made
    ):
        return False
    now = odds(seen, later)
    enough = tries.only_errors and len(tries.errors) >= now.needed
    return not enough and now.is_within_budget and len(tries.made) < now.budget


def _perhaps_elsewhere(answer: Answer) -> str:
    """Why a success without a value may hold one where nobody was told to look; empty when it cannot."""
    if answer.absence is Absence.MISSING and answer.calibrated:
        return "; its pointer was only guessed: declare answer.value"
    return f"; {answer.absence.value}" if answer.absence in {Absence.FOREIGN, Absence.UNPOINTED} else ""


_FORBIDDEN = 403
_BROKEN = {Outcome.REFUSED, Outcome.NOVALUE, Outcome.SERVERERR, Outcome.TRANSPORT}
_NOTHING_AT_ALL = {Absence.EMPTY, Absence.MALFORMED}
