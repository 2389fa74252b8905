"""COOL: what a mode must leave alone while it is on (lines 48, 49, 52, 53)."""

from collections.abc import Iterable, Iterator
from functools import partial

from catalog.keys import SETPOINT, short_name
from catalog.loader import CATALOG
from conformance.checks.case import Case
from conformance.checks.groups import COOLING_ORDERS, Group, mode_group
from conformance.checks.traces.expecting import Stays
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.expected import other_keys
from conformance.checks.writes.expected.other_keys import as_before, is_compared, was_seen_on
from conformance.checks.writes.judging import Sentence, evaluated, verdict_of
from conformance.checks.writes.requirements import (
    reads_of,
    require_served,
    require_settable,
    unwritten,
)
from conformance.model.couplings import kept_with
from conformance.model.json_values import is_number, number, quoted, same
from conformance.model.state_table import SETPOINTS

_FRESH = (2.0, 35.0, 36.0, 35.6)  # 2 °C, and what it is in °F, rounded or not
_TOLERANCE = 0.05


def kept(case: Case, seen: View) -> Sentence:
    """A mode leaves what its rule names as it is, before, during and after (lines 48, 49, 52, 53)."""
    rule = next(rule for rule in CATALOG.keeping(case.key) if rule.clause == case.clause.id)
    groups = _groups_of(case.key)
    tried = _written_for(case, seen)
    served = [key for key in rule.subjects if key in seen.tried]
    if not any(read.has_value for key in served for read in reads_of(seen, key, *groups)):
        if len(served) == 1:
            require_served(seen, served[0], *groups)
        raise NotApplicable("no setting that the mode keeps is served")
    return Sentence(
        expects=partial(other_keys.kept_by, rule),
        tried=tried,
        groups=groups,
        document=f'"{rule.quote}"',
        nothing=partial(Inconclusive, f"{short_name(case.key)} was not on while the setpoints were read"),
        beside=partial(_require_kept_afterwards, case, seen, served),
    )


def assert_fresh_setpoint(case: Case, seen: View) -> str | None:
    """Whether the refrigerator setpoint reads 2 °C or keeps its value.

    Another value is judged only with the interpretation `freshmode_setpoint`.

    Raises:
        Inconclusive: when it is another value, and is not judged; when the mode could not be switched on, or
            the setpoint not be read before and after.
    """
    tried = [one for one in _written_for(case, seen) if one.key == case.key and one.value is True]
    switched = [attempt for attempt in tried if was_seen_on(attempt)]
    if not switched:
        raise Inconclusive("it could not be switched on", tried[-1].answer if tried else None)
    groups = _groups_of(case.key)
    require_served(seen, SETPOINT, *groups)
    document = '"refrigerator set automatically to 2 °C"'
    said = Sentence(expects=_fresh, tried=switched, groups=groups, document=document)
    evaluations = evaluated(seen, said)
    if not evaluations:
        raise Inconclusive("the refrigerator setpoint could not be read before and after")
    other = next((one for one in evaluations if one.result != "holds"), None)
    if other is None:
        return evaluations[-1].words
    if not case.profile.interpretation.freshmode_setpoint:
        reason = "neither 2 °C nor its old value (interpretation freshmode_setpoint would judge it)"
        raise Inconclusive(f"{other.words}, {reason}", other.shown, state=other.state)
    return verdict_of(seen, said, evaluations)


def _fresh(_seen: View, attempt: Attempt) -> Iterator[Stays]:
    if is_compared(attempt, SETPOINT):
        yield as_before(attempt, attempt.key, SETPOINT, _is_fresh)


def _is_fresh(value: object) -> bool:
    return is_number(value) and any(abs(number(value) - one) <= _TOLERANCE for one in _FRESH)


def _require_kept_afterwards(case: Case, seen: View, keys: Iterable[str]) -> None:
    """Requires that each setpoint, once the mode is off again, is what it was before the first write.

    Raises:
        Inconclusive: when one is not.
    """
    group, named = mode_group(case.key), {*keys}
    first = {
        answer.key: answer for answer in opening(seen, group) if answer.key in named and answer.has_value
    }
    for attempt in attempts(seen, group):
        if attempt.key != case.key or attempt.value is not False:
            continue
        for key, before in first.items():
            after = attempt.last_read(key)
            if after and not same(before.value, after.value):
                was = f"{short_name(key)} was {quoted(before.value)} before, and is {quoted(after.value)}"
                words = f"{was} after the mode was switched off"
                raise Inconclusive(f"{words}, though not while it was on", after)


def _written_for(case: Case, seen: View) -> list[Attempt]:
    """The writes that may tell of a mode, made only where the setpoints stood still before."""
    groups = _groups_of(case.key)
    require_settable(seen, case.key, *groups)
    tried = attempts(seen, *groups)
    if not tried:
        raise unwritten(seen, case.key, *groups)
    watched = {*SETPOINTS, *kept_with(case.key)}
    reads = [
        answer for answer in opening(seen, mode_group(case.key)) if answer.key in watched and answer.has_value
    ]
    for read in reads:
        moved = next(
            (other for other in reads if other.key == read.key and not same(other.value, read.value)),
            None,
        )
        if moved:
            raise Inconclusive(f"{short_name(read.key)} moved before anything was written", moved)
    return tried


def _groups_of(mode: str) -> tuple[Group, ...]:
    """The procedures that write a mode."""
    return mode_group(mode), COOLING_ORDERS
