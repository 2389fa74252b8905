"""States that a run may end before it writes: what closes an appliance, and what was tried to end a state."""

from __future__ import annotations

from conformance.checks.exempting import ExemptingState, StateId
from conformance.checks.groups import PREPARE
from conformance.checks.reads.states import acting_state, write_exempting_states
from conformance.checks.traces.trace import attempts, same
from conformance.checks.view import View
from conformance.checks.wording import quoted

_PROTECTING = frozenset({StateId.X7, StateId.X13})


def closing_state(seen: View, key: str) -> ExemptingState | None:
    """The state in which nothing is written to the appliance, not even what must have no effect.

    It is one in which others act (X6, X10), unless the profile says `while_busy`, or one that protects people
    (X7, X13), unless the write list names its key. The value of `key` itself may be a sign of it.
    """
    acting = acting_state(seen, "")
    if acting and not (seen.profile.write and seen.profile.write.while_busy):
        return acting
    return next((state for state in write_exempting_states(seen, key) if closes(seen, state)), None)


def closes(seen: View, state: ExemptingState) -> bool:
    """Whether a state protects people, and the run must not end it: then nothing is written."""
    return state.id in _PROTECTING and not seen.profile.may_write(state.controller)


def tried_to_end(seen: View, state: ExemptingState) -> str:
    """What was written to end a state that stood all the same, and what came of it; empty without that."""
    tried = [attempt for attempt in attempts(seen, PREPARE) if attempt.key == state.controller]
    if not tried or same(tried[-1].last(), tried[-1].value):
        return ""
    last, name = tried[-1], state.controller.rpartition(".")[2]
    read = last.last_read()
    return (
        f"to end that, {quoted(last.value)} was written to {name}, {last.words},"
        f" then {quoted(read.value) if read else 'it could not be read'}"
    )
