"""What a write of the power state lets one expect of it, and of the operation state (lines 76 to 133)."""

from collections.abc import Iterator
from functools import partial

from catalog.keys import POWER_STATE, short_name
from catalog.model import PowerEdge
from conformance.checks.traces.effects import Effect
from conformance.checks.traces.expecting import Comes, Counts, Stays, watched_for
from conformance.checks.traces.trace import Attempt
from conformance.checks.view import View
from conformance.checks.writes import doubts
from conformance.checks.writes.power_states import (
    are_lastingly_at_odds,
    at_odds,
    pairs_after,
    unsupported_states,
)
from conformance.model.json_values import NOTHING, quoted, same

_ELSEWHERE = frozenset({Effect.DROPPED, Effect.REVERTED, Effect.REFUSED, Effect.OTHER})


def along(edge: PowerEdge, seen: View, attempt: Attempt) -> Iterator[Comes]:
    """A write along a listed edge leads to the state that was written (lines 129 to 133)."""
    if is_along(edge, seen, attempt) and not attempt.was_sent_again:
        yield Comes(attempt, _wrote(attempt), _ELSEWHERE, doubts.OF_EDGES)


def is_along(edge: PowerEdge, seen: View, attempt: Attempt) -> bool:
    """Whether a write was made along an edge."""
    values = seen.values(POWER_STATE)
    states = short_name(edge.source), short_name(edge.write)
    return (
        attempt.key == POWER_STATE
        and values.is_of(attempt.old())
        and values.is_of(attempt.value)
        and (short_name(attempt.old()), short_name(attempt.value)) == states
    )


def no_third_state(_seen: View, attempt: Attempt) -> Iterator[Stays]:
    """A power write settles in the written state or in the old one (interpretation I-10)."""
    old, written = attempt.old(), attempt.value
    if attempt.key == POWER_STATE and old is not NOTHING:
        yield Stays(
            attempt,
            _wrote(attempt),
            attempt.reads(),
            lambda value: not (same(value, written) or same(value, old)),
            tells=lambda read: f"PowerState is {quoted(read.value)}",
            doubts=(doubts.unsettled, doubts.written_unknown),
        )


def in_agreement(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """After a power write OperationState agrees with PowerState (lines 113, 114)."""
    pairs = pairs_after(attempt) if attempt.key == POWER_STATE else []
    if pairs:
        power, _ = pairs[-1]
        settle_s = seen.profile.timing.power_settle_s
        while_it = f"while PowerState is {quoted(power.value)}"
        if are_lastingly_at_odds(seen, attempt):
            while_it += f" for {settle_s:g} s, and still later"
        yield Stays(
            attempt,
            _wrote(attempt),
            [operation for _, operation in pairs],
            partial(at_odds, seen, power.value),
            tells=lambda read: f"and OperationState is {quoted(read.value)} {while_it}",
            beside=(power,),
            doubts=(doubts.lagging,),
        )


def not_reached(seen: View, attempt: Attempt) -> Iterator[Stays]:
    """A write of a power state that the appliance does not support does not lead to it from On (line 79)."""
    is_concerned = attempt.key == POWER_STATE and any(
        same(attempt.value, state) for state in unsupported_states(seen)
    )
    if is_concerned and short_name(attempt.old()) == "On":
        name = short_name(attempt.value)
        yield Stays(
            attempt,
            f"wrote {name}, which the appliance does not support, from On, {attempt.words}",
            attempt.reads(),
            partial(same, attempt.value),
            tells=lambda read: f"PowerState is {quoted(read.value)} after {watched_for(attempt)}",
            counts=Counts.ANY,
            is_watched=True,
            doubts=(doubts.read_once,),
        )


def _wrote(attempt: Attempt) -> str:
    return f"wrote {short_name(attempt.value)} from {short_name(attempt.old())}, {attempt.words}"
