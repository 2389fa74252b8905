"""COOL: what the setpoints and the lights show while a cooling mode is on (lines 48 to 53)."""

from catalog.keys import SETPOINT
from conformance.checks.case import Case
from conformance.checks.groups import mode_group
from conformance.checks.notes import note_value
from conformance.checks.traces.evaluating import Evaluation
from conformance.checks.traces.trace import Attempt, attempts
from conformance.checks.verdict import Inconclusive
from conformance.checks.view import View
from conformance.checks.writes.cooling import (
    doubt_about,
    groups_of,
    is_compared,
    short_name,
    verdict_on_mode,
    was_seen_on,
    words_of,
    written_for,
)
from conformance.checks.writes.requirements import require_served
from conformance.model.couplings import is_light
from conformance.model.json_values import is_number, number, quoted, same
from conformance.model.state_table import is_setpoint

_FRESH = (2.0, 35.0, 36.0, 35.6)  # 2 °C, and what it is in °F, rounded or not
_VACATION = (14.0, 57.0, 57.2)  # 14 °C, and what it is in °F, rounded or not
_TOLERANCE = 0.05


def note_super_timeout(case: Case, seen: View) -> str:
    """COOL-SUPER-TIMEOUT: whether the mode stayed on while it was watched; it may end (line 48)."""
    attempt = _switched_on(case, seen)[-1]
    reads = [read for read in attempt.reads() if read.has_value]
    first = next(index for index, read in enumerate(reads) if read.value is True)
    ended = next((read for read in reads[first:] if read.value is False), None)
    if ended:
        return f"ended by itself, {ended.began - attempt.answer.ended:.1f} s after it was switched on"
    return f"stayed on for the {reads[-1].began - attempt.answer.ended:.1f} s it was watched"


def note_vacation_setpoint(case: Case, seen: View) -> str:
    """COOL-VACATION-14: whether the refrigerator setpoint shows 14 °C or its old value (line 52)."""
    attempt = _with_setpoint(case, seen)[-1]
    old, last = attempt.old(SETPOINT), attempt.last(SETPOINT)
    what = (
        "shows +14 °C"
        if _is_one_of(last, _VACATION)
        else "keeps its value"
        if same(old, last)
        else "shows another value"
    )
    return f"the refrigerator setpoint {what}: {quoted(old)} before, {quoted(last)} while VacationMode is on"


def assert_fresh_setpoint(case: Case, seen: View) -> str | None:
    """COOL-FRESH-2: whether the refrigerator setpoint reads 2 °C or keeps its value (line 53).

    Another value is judged only with the interpretation `freshmode_setpoint`.

    Raises:
        Inconclusive: when it is another value, and is not judged.
    """
    evaluations = [
        found for attempt in _with_setpoint(case, seen) if (found := evaluate_fresh_setpoint(attempt))
    ]
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


def note_eco(case: Case, seen: View) -> str:
    """COOL-ECO: what the setpoints did when EcoMode was switched on; they may rise or stay (line 50)."""
    value = note_value(case, seen)
    switched = [
        attempt
        for attempt in attempts(seen, mode_group(case.key))
        if attempt.value is True and was_seen_on(attempt)
    ]
    if not switched:
        return f"{value}; not switched on in this run"
    compared = [key for key in seen.tried if is_setpoint(key) and is_compared(switched[-1], key)]
    moved = [
        f"{short_name(key)} from {quoted(switched[-1].old(key))} to {quoted(switched[-1].last(key))}"
        for key in compared
        if not same(switched[-1].old(key), switched[-1].last(key))
    ]
    return f"{value}; while it was on, {', '.join(moved) or f'{len(compared)} setpoints stayed'}"


def note_sabbath(case: Case, seen: View) -> str:
    """COOL-SABBATH: what the lights showed beside the mode; what it stops cannot be read (line 51)."""
    said = note_value(case, seen)
    lights = {
        key: seen.value(key) for key in seen.tried if is_light(key) and isinstance(seen.value(key), bool)
    }
    shown = ", ".join(f"{short_name(key)} {quoted(value)}" for key, value in lights.items())
    return f"{said}{f'; lights: {shown}' if shown else ''}"


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


def _switched_on(case: Case, seen: View) -> list[Attempt]:
    """The attempts that switched the mode on."""
    tried = [
        attempt for attempt in written_for(case, seen) if attempt.key == case.key and attempt.value is True
    ]
    switched = [attempt for attempt in tried if was_seen_on(attempt)]
    if not switched:
        raise Inconclusive("it could not be switched on", tried[-1].answer if tried else None)
    return switched


def _with_setpoint(case: Case, seen: View) -> list[Attempt]:
    """The attempts that switched the mode on, with the refrigerator setpoint read before and after."""
    switched = _switched_on(case, seen)
    require_served(seen, SETPOINT, *groups_of(case.key))
    compared = [attempt for attempt in switched if is_compared(attempt, SETPOINT)]
    if not compared:
        raise Inconclusive("the refrigerator setpoint could not be read before and after")
    return compared


def _is_one_of(value: object, numbers: tuple[float, ...]) -> bool:
    return is_number(value) and any(abs(number(value) - one) <= _TOLERANCE for one in numbers)
