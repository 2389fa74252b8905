"""COOL: what a cooling mode does to the setpoints, and what it must leave alone (lines 48, 49, 52, 53)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog.keys import ECO_MODE, FREEZER_SETPOINT, FRESH_MODE, SETPOINT, TEMPERATURE_UNIT, VACATION_MODE
from conformance.checks.exchange import WRITES
from conformance.checks.exempting import ExemptingState, StateId
from conformance.checks.groups import COOLING_ORDERS, mode_group
from conformance.checks.notes import note_value
from conformance.checks.reads.states import COOLING_MODES, is_light, is_setpoint
from conformance.checks.reads.value_types import number
from conformance.checks.traces.evaluating import Evaluation, verdict_on
from conformance.checks.traces.trace import attempts, opening, same
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import with_reads
from conformance.checks.wording import is_number, quoted
from conformance.checks.writes.effects import state_around
from conformance.checks.writes.requirements import require_served, require_settable, unwritten

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.checks.case import Case
    from conformance.checks.groups import Group
    from conformance.checks.traces.evaluating import Result
    from conformance.checks.traces.trace import Attempt
    from conformance.checks.view import View

_FRESH = (2.0, 35.0, 36.0, 35.6)  # 2 °C, and what it is in °F, rounded or not
_VACATION = (14.0, 57.0, 57.2)  # 14 °C, and what it is in °F, rounded or not
_TOLERANCE = 0.05


def assert_setpoints_kept(case: Case, seen: View) -> str | None:
    """A super mode leaves every setpoint as it is, before, during and after (lines 48, 49)."""
    tried = _tried(case, seen)
    if not any(_is_setpoint_served(seen, key, *_groups(case.key)) for key in seen.tried):
        raise NotApplicable("no setpoint is served")
    evaluations = [found for attempt in tried if (found := evaluate_setpoints_kept(seen, attempt, case.key))]
    if not any(one.result == "contradicts" for one in evaluations):
        _require_kept_afterwards(case, seen)
    return _verdict(case, seen, evaluations, '"setpoints unchanged"')


def evaluate_setpoints_kept(seen: View, attempt: Attempt, mode: str) -> Evaluation | None:
    """What one attempt says of a super mode keeping every setpoint; the other modes must be off."""
    if not _concerns(attempt, mode):
        return None
    other = next((key for key in COOLING_MODES if key != mode and _is_on_around(attempt, key)), None)
    if other:
        state = _other_mode(other)
        return Evaluation("undecided", f"{_wrote(attempt)} while {state}", attempt, state)
    return _evaluate(seen, attempt, mode, filter(is_setpoint, seen.tried))


def assert_freezer_kept(case: Case, seen: View) -> str | None:
    """VacationMode and FreshMode leave the freezer setpoint as it is (lines 52, 53; interpretation I-4)."""
    tried = _tried(case, seen)
    require_served(seen, FREEZER_SETPOINT, *_groups(case.key))
    evaluations = [
        found
        for attempt in tried
        if (found := evaluate_freezer_kept(seen, attempt, case.key)) and not _came_back(tried, attempt)
    ]
    return _verdict(
        case,
        seen,
        evaluations,
        '"freezer follows its setting"' if case.key == VACATION_MODE else '"freezer unchanged"',
    )


def evaluate_freezer_kept(seen: View, attempt: Attempt, mode: str) -> Evaluation | None:
    """What one attempt says of a mode keeping the freezer setpoint, which only EcoMode may move (line 50)."""
    if not _concerns(attempt, mode):
        return None
    if _is_on_around(attempt, ECO_MODE):
        state = _other_mode(ECO_MODE)
        return Evaluation("undecided", f"{_wrote(attempt)} while {state}", attempt, state)
    return _evaluate(seen, attempt, mode, [FREEZER_SETPOINT])


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
    return _verdict(case, seen, evaluations, '"refrigerator set automatically to 2 °C"')


def note_eco(case: Case, seen: View) -> str:
    """COOL-ECO: what the setpoints did when EcoMode was switched on; they may rise or stay (line 50)."""
    value = note_value(case, seen)
    switched = [
        attempt
        for attempt in attempts(seen, mode_group(case.key))
        if attempt.value is True and _was_seen_on(attempt)
    ]
    if not switched:
        return f"{value}; not switched on in this run"
    compared = [key for key in seen.tried if is_setpoint(key) and _is_compared(switched[-1], key)]
    moved = [
        f"{_name(key)} from {quoted(switched[-1].old(key))} to {quoted(switched[-1].last(key))}"
        for key in compared
    ]
    moved = [
        words
        for words, key in zip(moved, compared, strict=True)
        if not same(switched[-1].old(key), switched[-1].last(key))
    ]
    return f"{value}; while it was on, {', '.join(moved) or f'{len(compared)} setpoints stayed'}"


def note_sabbath(case: Case, seen: View) -> str:
    """COOL-SABBATH: what the lights showed beside the mode; what it stops cannot be read (line 51)."""
    said = note_value(case, seen)
    lights = {
        key: seen.value(key) for key in seen.tried if is_light(key) and isinstance(seen.value(key), bool)
    }
    shown = ", ".join(f"{_name(key)} {quoted(value)}" for key, value in lights.items())
    return f"{said}{f'; lights: {shown}' if shown else ''}"


def evaluate_fresh_setpoint(attempt: Attempt) -> Evaluation | None:
    """What switching FreshMode on says of the refrigerator setpoint; None if that was not read."""
    if not _is_compared(attempt, SETPOINT):
        return None
    old, last = attempt.old(SETPOINT), attempt.last(SETPOINT)
    words = f"{_wrote(attempt)}, and {_name(SETPOINT)} went from {quoted(old)} to {quoted(last)}"
    if same(old, last) or _is_one_of(last, _FRESH):
        return Evaluation("holds", words, attempt)
    doubt = _doubt(attempt, attempt.key, SETPOINT)
    if doubt:
        return Evaluation("undecided", f"{words}; {doubt}", attempt)
    return Evaluation("contradicts", words, attempt, about=tuple(attempt.reads(SETPOINT)[-1:]))


def _evaluate(seen: View, attempt: Attempt, mode: str, keys: Iterable[str]) -> Evaluation:
    """What one attempt that left `mode` on, or was to switch it on, says of the setpoints it must keep."""
    if attempt.key == mode and not _was_seen_on(attempt):
        state = state_around(seen, attempt)
        return Evaluation(
            "undecided",
            f"{_wrote(attempt)}, but it did not switch on{f' while {state}' if state else ''}",
            attempt,
            state,
        )
    compared = [key for key in keys if _is_compared(attempt, key)]
    if not compared:
        return Evaluation(
            "undecided", f"{_wrote(attempt)}; no setpoint could be read before and after", attempt
        )
    found: list[Evaluation] = []
    for key in compared:
        old, last = attempt.old(key), attempt.last(key)
        if not same(old, last):
            words = (
                f"{_wrote(attempt)}, and {_name(key)} went from {quoted(old)} to {quoted(last)} while"
                f" {_name(mode)} was on"
            )
            doubt = _doubt(attempt, mode, key)
            result: Result = "undecided" if doubt else "contradicts"
            shown = tuple(attempt.reads(key)[-1:])
            found.append(Evaluation(result, f"{words}; {doubt}" if doubt else words, attempt, about=shown))
    kept = Evaluation("holds", f"{_wrote(attempt)}, and {len(compared)} setpoints stayed", attempt)
    return min(found, key=lambda one: one.result != "contradicts", default=kept)


def _doubt(attempt: Attempt, mode: str, key: str) -> str:
    """Why a setpoint that differs does not contradict; empty where it does."""
    if attempt.reads(mode) and attempt.last(mode) is not True:
        return "the mode had ended by then"
    before, values = attempt.old_read(key), [read.value for read in attempt.reads(key)]
    units = {quoted(read.shown.unit) for read in (before, *attempt.reads(key)) if read and read.shown}
    if len(units) > 1 or (
        attempt.reads(TEMPERATURE_UNIT)
        and not same(attempt.old(TEMPERATURE_UNIT), attempt.last(TEMPERATURE_UNIT))
    ):
        return "the unit changed, too"
    return "" if all(same(value, values[-1]) for value in values[-2:]) else "it did not come to rest"


def _require_kept_afterwards(case: Case, seen: View) -> None:
    """Requires that each setpoint, once the mode is off again, is what it was before the first write."""
    group = mode_group(case.key)
    first = {
        answer.exchange.key: answer
        for answer in opening(seen, group)
        if is_setpoint(answer.exchange.key) and answer.has_value
    }
    for attempt in attempts(seen, group):
        if attempt.key != case.key or attempt.value is not False:
            continue
        for key, before in first.items():
            after = attempt.last_read(key)
            if after and not same(before.value, after.value):
                words = (
                    f"{_name(key)} was {quoted(before.value)} before, and is {quoted(after.value)} after the"
                    " mode was switched off"
                )
                raise Inconclusive(f"{words}, though not while it was on", after)


def _tried(case: Case, seen: View) -> list[Attempt]:
    """The writes that may tell of a mode, made only where the setpoints stood still before."""
    groups = _groups(case.key)
    require_settable(seen, case.key, *groups)
    tried = attempts(seen, *groups)
    then = with_reads(seen, opening(seen, *groups))
    other = next((key for key in COOLING_MODES if key != case.key and then.value(key) is True), None)
    if not tried and opening(seen, *groups) and other:
        raise Inconclusive(f"not written while {_other_mode(other)}", state=_other_mode(other))
    if not tried:
        raise unwritten(seen, case.key, *groups)
    reads = [
        answer
        for answer in opening(seen, mode_group(case.key))
        if is_setpoint(answer.exchange.key) and answer.has_value
    ]
    for read in reads:
        moved = next(
            (
                other
                for other in reads
                if other.exchange.key == read.exchange.key and not same(other.value, read.value)
            ),
            None,
        )
        if moved:
            raise Inconclusive(f"{_name(read.exchange.key)} moved before anything was written", moved)
    return tried


def _switched_on(case: Case, seen: View) -> list[Attempt]:
    """The attempts that switched the mode on."""
    tried = [attempt for attempt in _tried(case, seen) if attempt.key == case.key and attempt.value is True]
    switched = [attempt for attempt in tried if _was_seen_on(attempt)]
    if not switched:
        raise Inconclusive("it could not be switched on", tried[-1].answer if tried else None)
    return switched


def _with_setpoint(case: Case, seen: View) -> list[Attempt]:
    """The attempts that switched the mode on, with the refrigerator setpoint read before and after."""
    switched = _switched_on(case, seen)
    require_served(seen, SETPOINT, *_groups(case.key))
    compared = [attempt for attempt in switched if _is_compared(attempt, SETPOINT)]
    if not compared:
        raise Inconclusive("the refrigerator setpoint could not be read before and after")
    return compared


def _other_mode(mode: str) -> ExemptingState:
    return ExemptingState(StateId.X9, f"{_name(mode)} is on", mode)


def _concerns(attempt: Attempt, mode: str) -> bool:
    """Whether an attempt was to switch `mode` on, or wrote a key that moves no setpoint while it was on."""
    if attempt.key == mode:
        return attempt.value is True
    # Another mode that is being switched on has a clause of its own; a super mode has none while other modes
    # are on.
    has_own = attempt.key in {ECO_MODE, FRESH_MODE, VACATION_MODE} and attempt.value is True
    moves_itself = is_setpoint(attempt.key) or attempt.key == TEMPERATURE_UNIT or has_own
    return not moves_itself and attempt.old(mode) is True and attempt.holds(mode, True)  # noqa: FBT003  a value on the wire


def _came_back(tried: Sequence[Attempt], attempt: Attempt) -> bool:
    """Whether ending another mode only gave the freezer the setpoint back that it had before that mode."""
    started = [
        other for other in tried[: tried.index(attempt)] if other.key == attempt.key and other.value is True
    ]
    return (
        attempt.value is False
        and bool(started)
        and same(started[-1].old(FREEZER_SETPOINT), attempt.last(FREEZER_SETPOINT))
    )


def _is_on_around(attempt: Attempt, mode: str) -> bool:
    return attempt.old(mode) is True or attempt.last(mode) is True


def _was_seen_on(attempt: Attempt) -> bool:
    return any(read.value is True for read in attempt.reads())


def _is_compared(attempt: Attempt, key: str) -> bool:
    return is_number(attempt.old(key)) and is_number(attempt.last(key))


def _is_setpoint_served(seen: View, key: str, *groups: Group) -> bool:
    reads = [
        answer
        for group in groups
        for answer in seen.group(group)
        if answer.exchange.key == key and answer.exchange.purpose not in WRITES
    ]
    shared = seen.read(key)
    return is_setpoint(key) and any(answer.has_value for answer in [*reads, *([shared] if shared else [])])


def _verdict(case: Case, seen: View, evaluations: list[Evaluation], document: str) -> str | None:
    otherwise = f"{_name(case.key)} was not on while the setpoints were read"
    return verdict_on(seen, evaluations, *_groups(case.key), otherwise=otherwise, document=document)


def _groups(mode: str) -> tuple[Group, ...]:
    return mode_group(mode), COOLING_ORDERS


def _wrote(attempt: Attempt) -> str:
    return f"wrote {quoted(attempt.value)} to {_name(attempt.key)}, {attempt.words}"


def _is_one_of(value: object, numbers: tuple[float, ...]) -> bool:
    return is_number(value) and any(abs(number(value) - one) <= _TOLERANCE for one in numbers)


def _name(key: str) -> str:
    return key.partition(".Setting.")[2]
