"""RANGE: numbers lie in the common range, or in the appliance's own (lines 29, 165 to 175).

Example ranges ("e.g. 2 to 8 °C") are examples: no check here knows one.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import cast

from catalog.keys import TEMPERATURE_UNIT, short_name
from catalog.loader import CATALOG
from catalog.model import Range
from conformance.checks.answer import Answer
from conformance.checks.case import Case
from conformance.checks.groups import PREPARE, setting_group
from conformance.checks.premise import (
    merge,
    of_each_read,
    of_each_value,
    of_every_value,
    read_again,
    standing,
)
from conformance.checks.traces.trace import attempts
from conformance.checks.verdict import Deviation, Inconclusive, Manner, NotApplicable
from conformance.checks.view import View, segment_of, with_reads
from conformance.model.couplings import UNITS, controllers_of
from conformance.model.json_values import NOTHING, described, is_number, number, quoted
from conformance.model.states import confirmed, range_exempting_state
from conformance.model.values import TOLERANCE


@of_every_value
def assert_in_common_range(case: Case, _seen: View, answer: Answer) -> None:
    """The value lies in the common range of the Limits table, both ends allowed (interpretation I-1)."""
    limits = cast("Range", case.subject.range)  # only the keys of the Limits table have such a case
    value = finite(answer)
    if not limits.min <= value <= limits.max:
        finding = f"value is {answer.written}, document says {limits}"
        raise Deviation(finding, manner=Manner.BELOW if value < limits.min else Manner.ABOVE)
    if value in {limits.min, limits.max} and not case.profile.interpretation.ends_allowed:
        raise Inconclusive(f"value is {value:g}, an end of the range, and interpretation I-1 is switched off")


@of_every_value
def assert_count(_case: Case, _seen: View, answer: Answer) -> None:
    """A counter is not negative (interpretation I-6); it may be of any size and may fall."""
    if finite(answer) < 0:
        raise Deviation(f"value is {answer.written}, document says a count")


@of_each_read
def assert_own_range_present(_case: Case, seen: View, answer: Answer) -> None:
    """The specific setting shows its own lower and upper bound at the declared pointers."""
    low, high = _shown_bounds(seen, answer)
    missing = [name for name, bound in (("min", low), ("max", high)) if bound is NOTHING]
    segment = segment_of(answer)
    never = [name for name in missing if f"{segment}.{name}" not in seen.pointed]
    if never:
        pointer = getattr(seen.pointers(segment), never[0])
        raise Inconclusive(f"no member at answer.{never[0]} {pointer!r} in any answer; is it right?")
    if missing:
        raise Deviation(
            f"no {' and no '.join(missing)} in the body, document says the range is obtained by requesting"
            " the specific setting"
        )
    if not (is_number(low) and is_number(high)):
        raise Inconclusive(
            f"the bounds are {described(low)} and {described(high)} (RANGE-PERAPP-WELLFORMED judges them)"
        )


@of_each_read
def assert_own_range_wellformed(_case: Case, seen: View, answer: Answer) -> str | None:
    """The bounds are finite numbers, the lower not above the upper."""
    low, high = _shown_bounds(seen, answer)
    if low is NOTHING or high is NOTHING:
        raise Inconclusive("a bound is missing (RANGE-PERAPP-PRESENT judges it)")
    for name, bound in (("min", low), ("max", high)):
        if not is_number(bound) or not math.isfinite(number(bound)):
            raise Deviation(f"{name} is {described(bound)}, document says a numeric range")
    if number(low) > number(high):
        raise Deviation(f"min {quoted(low)} is above max {quoted(high)}, document says a numeric range")
    return f"min and max are both {number(low):g}" if low == high else None


def assert_in_own_range(case: Case, seen: View) -> str | None:
    """The value lies in the range of the same body, as found and at every later read."""
    judged = partial(_judge_later, seen)
    read_again(case, seen, judged)
    later = standing(case, seen, judged)
    return merge([partial(_in_own_range_as_found, case, seen), *later, *_rounded(case, seen)])


def _judge_later(seen: View, read: Answer) -> None:
    """A later read shows a value inside its own range, unless a cooling state lifted that then (X5)."""
    if not _is_beyond_rounding(read) or _may_be_converted(seen, read):
        return
    before = [one for one in seen.told if one.n < read.n]
    shown = (one for one in before if not one.is_write and one.has_value)
    if range_exempting_state(with_reads(seen, shown), read.key):
        return
    movers = controllers_of(read.key)
    made = (one for one in before if one.is_write and one.is_acknowledged)
    written = [one.exchange for one in made if one.key in movers]
    after = (
        f" after {short_name(written[-1].key)} was written: {quoted(written[-1].value)}" if written else ""
    )
    raise Deviation(f"{_words(read)}{after}", read, manner=_manner(read))


def _may_be_converted(seen: View, read: Answer) -> bool:
    """Whether a value lies outside by less than 1, without a step, after the unit of it was written."""
    if read.outside >= 1 or read.shown.step_size:
        return False
    return any(one.key in UNITS and one.is_write for one in seen.told if one.n < read.n)


def _rounded(case: Case, seen: View) -> Iterator[Callable[[], None]]:
    """The doubts about what lies outside after TemperatureUnit was written, and may be rounded."""

    def doubt(read: Answer) -> None:
        raise Inconclusive(f"{_words(read)} after TemperatureUnit was written; that may be rounding", read)

    group = setting_group(TEMPERATURE_UNIT)
    reads = [one.last_read(case.key) for one in attempts(seen, group) if case.subject.unit != "ml"]
    for read in (read for read in reads if read and read.outside):
        if not _is_beyond_rounding(read) or _may_be_converted(seen, read):
            yield partial(doubt, read)


def _words(answer: Answer) -> str:
    low, high = answer.shown.bounds or (math.nan, math.nan)
    return f"value is {answer.written}, its own range is {quoted(low)} to {quoted(high)}"


def _is_beyond_rounding(answer: Answer) -> bool:
    """Whether a value lies outside its own range by more than half of the step that its body shows."""
    return answer.outside > max(answer.shown.step_size / 2, TOLERANCE)


def _manner(answer: Answer) -> Manner:
    """Whether a value lies below or above its own range."""
    low, _ = answer.shown.bounds or (math.nan, math.nan)
    return Manner.BELOW if number(answer.value) < low else Manner.ABOVE


@of_each_value
def _in_own_range_as_found(case: Case, seen: View, answer: Answer) -> None:
    """The same, unless a cooling state lifts that (X5)."""
    finite(answer)
    if answer.shown.bounds is None:
        raise Inconclusive(
            "the body shows no range (RANGE-PERAPP-PRESENT and RANGE-PERAPP-WELLFORMED judge it)"
        )
    finding = _words(answer)
    if not answer.outside:
        return
    state = range_exempting_state(seen, case.key)
    if state and not _is_inside_once_ended(case, seen):
        shown = confirmed(seen, state)
        raise Inconclusive(f"{finding}, while {shown}", state=shown)
    if state:
        return
    if not _is_beyond_rounding(answer):
        raise Inconclusive(f"{finding}; that may be rounding, the step is {answer.shown.step_size:g}")
    unit = seen.read(TEMPERATURE_UNIT)  # which is read again with the value
    later = seen.made_in(unit.again) if unit and unit.has_value else ()
    if any(read.value != unit.value for read in later if unit and read.has_value):
        raise Inconclusive(f"{finding}, but TemperatureUnit changed meanwhile")
    raise Deviation(finding, manner=_manner(answer))


def _is_inside_once_ended(case: Case, seen: View) -> bool:
    """Whether the value lies in its range once the run has ended the state that lifted that."""
    made = [answer for answer in seen.made_in(PREPARE) if not answer.is_write]
    ended = [
        read
        for number, read in enumerate(made)
        if read.key == case.key
        and read.has_value
        and not range_exempting_state(with_reads(seen, made[:number]), case.key)
    ]
    return bool(ended) and not ended[-1].outside


def is_lifted(seen: View, key: str) -> bool:
    """Whether a value lies outside its own range, and a cooling state lifts that (X5)."""
    answer = seen.read(key) if CATALOG.entries[key].own_range else None
    return bool(answer and answer.outside and range_exempting_state(seen, key))


@of_each_read
def assert_advertised_not_wider(case: Case, seen: View, answer: Answer) -> str | None:
    """A range shown for a key with a common range is not wider than that; it may be narrower or missing.

    The document allows a value outside a narrower one, so that this is no deviation; but it is said.
    """
    pointers = seen.pointers(segment_of(answer))
    if pointers.min is None and pointers.max is None:
        raise NotApplicable("not served under the segment whose bodies show the bounds", answer)
    limits = cast("Range", case.subject.range)
    low, high = answer.shown.min, answer.shown.max
    if low is NOTHING and high is NOTHING:
        raise NotApplicable("the body shows no range, and need not")
    for name, bound, wider in (
        ("min", low, _below(low, limits.min)),
        ("max", high, _below(limits.max, high)),
    ):
        if wider:
            raise Deviation(f"{name} is {quoted(bound)}, document says {limits}")
    for name, bound in (("min", low), ("max", high)):
        if bound is not NOTHING and not is_number(bound):
            raise Inconclusive(f"{name} is {described(bound)}, no number")
    is_common = is_number(answer.value) and limits.min <= number(answer.value) <= limits.max
    if is_common and _is_beyond_rounding(answer):
        raise Inconclusive(f"{_words(answer)}; the document says {limits}, and allows it")
    return None


def finite(answer: Answer) -> float:
    """The value as a finite number.

    Raises:
        Inconclusive: when it is none, which TYPE clauses judge.
    """
    if not is_number(answer.value) or not math.isfinite(number(answer.value)):
        raise Inconclusive(f"value is {described(answer.value)}, no finite number (TYPE clauses judge it)")
    return number(answer.value)


def _shown_bounds(seen: View, answer: Answer) -> tuple[object, object]:
    pointers = seen.pointers(segment_of(answer))
    if pointers.min is None or pointers.max is None:
        raise Inconclusive("no pointers to the bounds are declared: declare answer.min and answer.max")
    return answer.shown.min, answer.shown.max


def _below(low: object, high: object) -> bool:
    return is_number(low) and is_number(high) and number(low) < number(high) - TOLERANCE
