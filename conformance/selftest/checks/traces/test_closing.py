"""Which states close an appliance to writes, and what is told of one that could not be ended."""

import pytest

from catalog.keys import FRESH_MODE, LOCAL_CONTROL
from conformance.checks.exchange import Exchange
from conformance.checks.groups import PREPARE
from conformance.checks.reads.states import write_exempting_states
from conformance.checks.verdict import StateId
from conformance.checks.writes.requirements import closing_state, tried_to_end
from conformance.selftest.support.samples.handmade import value, write_table
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Steps,
    attempt,
    procedure,
    read,
    traced,
)

LOCKED, OPERATED = value(LOCK, True), value(LOCAL_CONTROL, True)
CLOSING: dict[str, tuple[StateId | None, Exchange, list[str], bool]] = {
    "nothing": (None, value(LOCK, False), [], False),
    "somebody operates it": (StateId.X6, OPERATED, [], False),
    "somebody operates it, which is declared": (None, OPERATED, [], True),
    "locked": (StateId.X13, LOCKED, [], False),
    "locked, and the lock may be written": (None, LOCKED, [LOCK], False),
    "a mode is on": (None, value(FRESH_MODE, True), [], False),
}


@pytest.mark.parametrize("name", CLOSING)
def test_state_closes_the_appliance(name: str) -> None:
    """One in which others act does, and one that protects people and that the run may not end."""
    expected, shown, allow, busy = CLOSING[name]
    found = closing_state(traced([shown], write=write_table(*allow, while_busy=busy)), FRESH_MODE)
    assert (found.id if found else None) == expected


TRIED: dict[str, tuple[Steps, str]] = {
    "never": ([read(LOCK, True)], ""),
    "in vain": (attempt(LOCK, False, True), "acknowledged (204), then true"),
    "and it took effect": (attempt(LOCK, False, False), ""),
    "in vain at last": ([*attempt(LOCK, False, False), *attempt(LOCK, False, True)], "(204), then true"),
    "and it is silent": (attempt(LOCK, False, SILENT), "then it could not be read"),
    "of another key": (attempt(FRESH_MODE, False, True), ""),
}


@pytest.mark.parametrize("name", TRIED)
def test_what_was_tried_to_end_a_state_is_told(name: str) -> None:
    """Only where it stands all the same, with what the last write led to."""
    steps, says = TRIED[name]
    seen = traced([LOCKED, *procedure(PREPARE, *steps)])
    (state,) = write_exempting_states(seen, FRESH_MODE)
    told = tried_to_end(seen, state)
    assert (says in told, bool(told)) == (True, bool(says)), told
