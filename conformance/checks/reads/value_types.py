"""TYPE: settings and statuses carry the data type of their catalog entry (line 22)."""

import math

from conformance.checks.answer import Absence, Answer
from conformance.checks.case import Case
from conformance.checks.premise import behind_a_state, last_looks, of_every_value, require_trust
from conformance.checks.reads.support import (
    is_unsupported_answer,
    of_serving_segments,
    resolve,
    without_value,
)
from conformance.checks.verdict import Deviation, Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.model.json_values import described, is_number, number, type_word
from conformance.model.states import exempting_state
from conformance.model.values import fits


def _wrong(case: Case, answer: Answer) -> Deviation | Inconclusive:
    """An object or a list at a pointer that was only guessed may hold the value further down."""
    if is_number(answer.value) and case.subject.is_numeric:
        return _not_finite(answer)
    finding = f"value is {answer.written} ({type_word(answer.value)}), document says {case.subject.type}"
    if answer.calibrated and isinstance(answer.value, dict | list):
        return Inconclusive(f"{finding}; the pointer to the value was only guessed: declare answer.value")
    return Deviation(finding)


def _not_finite(answer: Answer) -> Deviation:
    return Deviation(f"value is {answer.written}, which is no finite number")


@of_every_value
def assert_of_its_type(case: Case, _seen: View, answer: Answer) -> None:
    """The value has the type of its entry: true or false, a finite number (5 is as good as 5.0), a string.

    Which string, ENUM clauses judge; of a String the constraints are not shown (lines 60, 70).
    """
    if not fits(case.subject, answer.value):
        raise _wrong(case, answer)


@of_every_value
def assert_integer(case: Case, _seen: View, answer: Answer) -> str | None:
    """The value is a whole number; 5.0 is one unless `integer_lexical` is strict (interpretation I-5)."""
    value = answer.value
    if not is_number(value):
        raise _wrong(case, answer)
    whole = number(value)
    if not math.isfinite(whole):
        raise Inconclusive("the number is not finite (TYPE-FINITE)")
    if not float(whole).is_integer():
        raise Deviation(f"value is {answer.written} (number with a fraction), document says Integer")
    chosen = case.profile.interpretation
    if isinstance(value, float):
        if chosen.integer_lexical == "strict" or not chosen.whole_number_any_form:
            raise Deviation(
                f"value is written {answer.written}, and integer_lexical is strict: document says Integer"
            )
        return f"whole number written {answer.written}"
    return None


@of_every_value
def assert_finite(_case: Case, _seen: View, answer: Answer) -> None:
    """A number is finite: JSON has no NaN and no Infinity."""
    if not is_number(answer.value):
        raise Inconclusive(f"value is {described(answer.value)}, no number (TYPE clauses judge it)")
    if not math.isfinite(number(answer.value)):
        raise _not_finite(answer)


def assert_not_null(case: Case, seen: View) -> None:
    """A successful read does not give null: the six data types hold none (interpretation I-7)."""
    require_trust(seen)
    answers = of_serving_segments(seen, case.subject)
    shown = behind_a_state(case, seen)
    for answer in answers:
        if answer.absence is Absence.NULL and not shown:
            _judge_null(case, seen, answer)
    if not any(answer.has_value for answer in answers) and not shown:
        raise without_value(resolve(seen, case.subject, answers[0]), "no value to judge: ")
    then, looks = last_looks(case, seen)
    if looks and looks[0].absence is Absence.NULL:
        again = looks[-1].words if len(looks) > 1 else "not read again"
        is_so = len(looks) > 1 and looks[-1].absence is Absence.NULL
        _judge_null(case, then, looks[0], "" if is_so else again)


def _judge_null(case: Case, seen: View, answer: Answer, then: str = "") -> None:
    """A null is no value, unless it says that the appliance has no such entry, or not now.

    `then` says what was read afterwards, where that was no null.
    """
    claim = seen.claim(case.key)
    if claim == "no" or (claim != "yes" and is_unsupported_answer(seen, answer)):
        raise NotApplicable("null is how this appliance answers for an entry it does not have", answer)
    state = exempting_state(seen, case.key)
    if state:
        raise Inconclusive(f"value is null while {state}", answer, state=state)
    if then:
        raise Inconclusive(f"value was null once, then {then}", answer)
    raise Deviation(f"value is null, document says {case.subject.type}", answer)
