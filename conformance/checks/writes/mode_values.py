"""COOL-FRESH-2: what the refrigerator setpoint shows while FreshMode is on (line 53)."""

from catalog.keys import SETPOINT, short_name
from conformance.checks.case import Case
from conformance.checks.traces.evaluating import Evaluation
from conformance.checks.traces.trace import Attempt
from conformance.checks.verdict import Inconclusive
from conformance.checks.view import View
from conformance.checks.writes.cooling import (
    doubt_about,
    groups_of,
    is_compared,
    verdict_on_mode,
    was_seen_on,
    words_of,
    written_for,
)
from conformance.checks.writes.requirements import require_served
from conformance.model.json_values import is_number, number, quoted, same

_FRESH = (2.0, 35.0, 36.0, 35.6)  # 2 °C, and what it is in °F, rounded or not
_TOLERANCE = 0.05


def assert_fresh_setpoint(case: Case, seen: View) -> str | None:
    """Whether the refrigerator setpoint reads 2 °C or keeps its value.

    Another value is judged only with the interpretation `freshmode_setpoint`.

    Raises:
        Inconclusive: when it is another value, and is not judged; when the mode could not be switched on, or
            the setpoint not be read before and after.
    """
    tried = [one for one in written_for(case, seen) if one.key == case.key and one.value is True]
    switched = [attempt for attempt in tried if was_seen_on(attempt)]
    if not switched:
        raise Inconclusive("it could not be switched on", tried[-1].answer if tried else None)
    require_served(seen, SETPOINT, *groups_of(case.key))
    evaluations = [found for attempt in switched if (found := evaluate_fresh_setpoint(attempt))]
    if not evaluations:
        raise Inconclusive("the refrigerator setpoint could not be read before and after")
    other = next((one for one in evaluations if one.result != "holds"), None)
    if other is None:
        return evaluations[-1].words
    if not case.profile.interpretation.freshmode_setpoint:
        raise Inconclusive(
            f"{other.words}, neither 2 °C nor its old value (interpretation freshmode_setpoint would"
            " judge it)",
            other.shown,
            state=other.state,
        )
    return verdict_on_mode(case, seen, evaluations, '"refrigerator set automatically to 2 °C"')


def evaluate_fresh_setpoint(attempt: Attempt) -> Evaluation | None:
    """What switching FreshMode on says of the refrigerator setpoint; None if that was not read."""
    if not is_compared(attempt, SETPOINT):
        return None
    old, last = attempt.old(SETPOINT), attempt.last(SETPOINT)
    words = f"{words_of(attempt)}, and {short_name(SETPOINT)} went from {quoted(old)} to {quoted(last)}"
    if same(old, last) or _is_one_of(last, _FRESH):
        return Evaluation("holds", words, attempt)
    doubt = doubt_about(attempt, attempt.key, SETPOINT)
    if doubt:
        return Evaluation("undecided", f"{words}; {doubt}", attempt)
    return Evaluation("contradicts", words, attempt, about=tuple(attempt.reads(SETPOINT)[-1:]))


def _is_one_of(value: object, numbers: tuple[float, ...]) -> bool:
    return is_number(value) and any(abs(number(value) - one) <= _TOLERANCE for one in numbers)
