"""COOL: what a mode must leave alone while it is on (lines 48, 49, 52, 53)."""

from collections.abc import Iterable, Sequence

from catalog.keys import (
    TEMPERATURE_UNIT,
    short_name,
)
from catalog.model import Rule
from conformance.checks.case import Case
from conformance.checks.exchange import WRITES
from conformance.checks.groups import COOLING_ORDERS, Group, mode_group
from conformance.checks.traces.evaluating import Evaluation, Result, verdict_on
from conformance.checks.traces.trace import Attempt, attempts, opening
from conformance.checks.verdict import Inconclusive, NotApplicable
from conformance.checks.view import View
from conformance.checks.writes.effects import state_around
from conformance.checks.writes.requirements import require_served, require_settable, unwritten
from conformance.model.couplings import kept_with, may_unsettle, unsettling
from conformance.model.json_values import NOTHING, quoted, same, type_word
from conformance.model.state_table import StateId, is_setpoint
from conformance.model.states import ExemptingState


def assert_kept(case: Case, seen: View) -> str | None:
    """A mode leaves what its rule names as it is, before, during and after (lines 48, 49, 52, 53)."""
    rule = next(rule for rule in seen.catalog.keeping(case.key) if rule.clause == case.clause.id)
    tried = written_for(case, seen)
    kept = [key for key in rule.subjects if key in seen.tried]
    if not any(_is_served(seen, key, *groups_of(case.key)) for key in kept):
        if len(kept) == 1:
            require_served(seen, kept[0], *groups_of(case.key))
        raise NotApplicable("no setting that the mode keeps is served")
    evaluations = [
        found
        for attempt in tried
        if (found := evaluate_kept(seen, attempt, rule)) and not _came_back(tried, attempt, kept)
    ]
    _require_kept_afterwards(case, seen, evaluations, kept)
    return verdict_on_mode(case, seen, evaluations, f'"{rule.quote}"')


def evaluate_kept(seen: View, attempt: Attempt, rule: Rule) -> Evaluation | None:
    """What one attempt says of a mode keeping what its rule names; modes that may move that must be off."""
    if not _concerns(seen, attempt, rule):
        return None
    other = next((mode for mode in unsettling(seen.catalog, rule) if _is_on_around(attempt, mode)), None)
    if other:
        state = ExemptingState(StateId.X9, f"{short_name(other)} is on", other)
        return Evaluation("undecided", f"{words_of(attempt)} while {state}", attempt, state)
    kept = tuple(key for key in rule.subjects if key in seen.tried)
    return _evaluate(seen, attempt, rule.controller, kept)


def _evaluate(seen: View, attempt: Attempt, mode: str, keys: Sequence[str]) -> Evaluation:
    """What one attempt that left `mode` on, or was to switch it on, says of the settings it must keep."""
    if attempt.key == mode and not was_seen_on(attempt):
        state = state_around(seen, attempt)
        return Evaluation(
            "undecided",
            f"{words_of(attempt)}, but it did not switch on{f' while {state}' if state else ''}",
            attempt,
            state,
        )
    compared = [key for key in keys if is_compared(attempt, key)]
    if not compared:
        return Evaluation(
            "undecided", f"{words_of(attempt)}; none of what it keeps could be read before and after", attempt
        )
    found: list[Evaluation] = []
    for key in compared:
        old, last = attempt.old(key), attempt.last(key)
        if not same(old, last):
            words = (
                f"{words_of(attempt)}, and {short_name(key)} went from {quoted(old)} to {quoted(last)} while"
                f" {short_name(mode)} was on"
            )
            doubt = doubt_about(attempt, mode, key)
            result: Result = "undecided" if doubt else "contradicts"
            shown = tuple(attempt.reads(key)[-1:])
            found.append(Evaluation(result, f"{words}; {doubt}" if doubt else words, attempt, about=shown))
    kept = Evaluation("holds", f"{words_of(attempt)}, and {len(compared)} settings stayed", attempt)
    unread = next((key for key in keys if attempt.old(key) is not NOTHING and _is_lost(attempt, key)), None)
    if unread:
        words = f"{words_of(attempt)}, and {short_name(unread)} could not be read afterwards"
        kept = Evaluation("undecided", words, attempt)
    return min(found, key=lambda one: one.result != "contradicts", default=kept)


def doubt_about(attempt: Attempt, mode: str, key: str) -> str:
    """Why a setpoint that differs does not contradict; empty where it does."""
    if attempt.reads(mode) and attempt.last(mode) is not True:
        return "the mode had ended by then"
    before, values = attempt.old_read(key), [read.value for read in attempt.reads(key)]
    units = {quoted(read.shown.unit) for read in (before, *attempt.reads(key)) if read and read.has_value}
    if len(units) > 1 or (
        attempt.reads(TEMPERATURE_UNIT)
        and not same(attempt.old(TEMPERATURE_UNIT), attempt.last(TEMPERATURE_UNIT))
    ):
        return "the unit changed, too"
    return "" if all(same(value, values[-1]) for value in values[-2:]) else "it did not come to rest"


def _require_kept_afterwards(
    case: Case, seen: View, evaluations: Iterable[Evaluation], keys: Iterable[str]
) -> None:
    """Requires that each setpoint, once the mode is off again, is what it was before the first write.

    Raises:
        Inconclusive: when one is not, and no evaluation contradicts.
    """
    if any(one.result == "contradicts" for one in evaluations):
        return
    group, kept = mode_group(case.key), {*keys}
    first = {
        answer.exchange.key: answer
        for answer in opening(seen, group)
        if answer.exchange.key in kept and answer.has_value
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


def written_for(case: Case, seen: View) -> list[Attempt]:
    """The writes that may tell of a mode, made only where the setpoints stood still before."""
    groups = groups_of(case.key)
    require_settable(seen, case.key, *groups)
    tried = attempts(seen, *groups)
    if not tried:
        raise unwritten(seen, case.key, *groups)
    watched = {*filter(is_setpoint, seen.tried), *kept_with(seen.catalog, case.key)}
    reads = [
        answer
        for answer in opening(seen, mode_group(case.key))
        if answer.exchange.key in watched and answer.has_value
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
            raise Inconclusive(f"{short_name(read.exchange.key)} moved before anything was written", moved)
    return tried


def _concerns(seen: View, attempt: Attempt, rule: Rule) -> bool:
    """Whether an attempt was to switch a mode on, or wrote what moves nothing that it keeps while it was on.

    Another mode that is being switched on has a clause of its own, unless none of its own can be judged then.
    """
    mode = rule.controller
    if attempt.key == mode:
        return attempt.value is True
    own = [one for one in seen.catalog.keeping(attempt.key) if {*rule.subjects} <= {*one.subjects}]
    if attempt.value is True and any(mode not in unsettling(seen.catalog, one) for one in own):
        return False
    is_free = not may_unsettle(seen.catalog, rule, attempt.key, attempt.value)
    return is_free and attempt.old(mode) is True and attempt.holds(mode, True)  # noqa: FBT003  a value on the wire


def _came_back(tried: Sequence[Attempt], attempt: Attempt, kept: Iterable[str]) -> bool:
    """Whether ending another mode only gave everything the value back that it had before that mode."""
    started = [
        other for other in tried[: tried.index(attempt)] if other.key == attempt.key and other.value is True
    ]
    return (
        attempt.value is False
        and bool(started)
        and all(same(started[-1].old(key), attempt.last(key)) for key in kept if is_compared(attempt, key))
    )


def _is_on_around(attempt: Attempt, mode: str) -> bool:
    return attempt.old(mode) is True or attempt.last(mode) is True


def was_seen_on(attempt: Attempt) -> bool:
    """Whether the mode was read as on after a write."""
    return any(read.value is True for read in attempt.reads())


def is_compared(attempt: Attempt, key: str) -> bool:
    """Whether a key was read as the same type before and after a write."""
    return type_word(attempt.old(key)) == type_word(attempt.last(key)) and attempt.last(key) is not NOTHING


def _is_lost(attempt: Attempt, key: str) -> bool:
    """Whether a key was read after a write, and gave no value at last."""
    return bool(attempt.reads(key)) and attempt.last(key) is NOTHING


def _is_served(seen: View, key: str, *groups: Group) -> bool:
    reads = (
        answer
        for group in groups
        for answer in seen.group(group)
        if answer.exchange.key == key and answer.exchange.purpose not in WRITES
    )
    shared = seen.read(key)
    return any(answer.has_value for answer in (*reads, *([shared] if shared else ())))


def verdict_on_mode(case: Case, seen: View, evaluations: list[Evaluation], document: str) -> str | None:
    """The verdict on the writes of a mode."""
    otherwise = f"{short_name(case.key)} was not on while the setpoints were read"
    return verdict_on(seen, evaluations, *groups_of(case.key), otherwise=otherwise, document=document)


def groups_of(mode: str) -> tuple[Group, ...]:
    """The procedures that write a mode."""
    return mode_group(mode), COOLING_ORDERS


def words_of(attempt: Attempt) -> str:
    """The write in words."""
    return f"wrote {quoted(attempt.value)} to {short_name(attempt.key)}, {attempt.words}"
