"""Which states keep a key from being read or written now, by what was read last.

A state turns a read without a value into inconclusive, and so a write that was refused or had no effect; a
value that is served is judged all the same, and so is a body that is malformed, and what a write does that
must not be done (`acting_state` names the exceptions).
"""

from collections.abc import Collection, Iterable
from enum import Enum
from functools import cache
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from catalog.keys import POWER_STATE, short_name
from catalog.loader import CATALOG
from catalog.maker import on_the_wire, without_maker
from conformance.model.json_values import quoted, same
from conformance.model.state_table import ANYTHING, STATE_ROWS, STATED, EndedAt, State, StateId, WhenUnread
from conformance.model.values import Values
from conformance.profiles.model import PROTECTING, Claim, Profile


class Sight(Enum):
    """What was seen of the key that shows a state."""

    SHOWN = "it shows the state"
    ONCE = "it showed the state once, and not again"
    REFUSED = "it is claimed, and refused now"
    UNANSWERED = "an error, which says nothing of the appliance"
    FOREIGN = "a value that is none of the document's"


class ExemptingState(Struct, frozen=True):
    """A state that held, or may hold, and in words how it was seen, such as `PowerState is Standby`.

    As text it is its words, for findings; what carries the meaning is `id`. `controller` is the key that
    shows it. Only what is shown excuses anything; whatever else leaves a case open is a doubt.
    """

    id: StateId
    words: str
    controller: str
    sight: Sight = Sight.SHOWN

    @property
    def is_shown(self) -> bool:
        """Whether the state was seen to hold, so that it may be a condition of a certificate."""
        return self.sight is Sight.SHOWN

    def __str__(self) -> str:
        """The state for a finding: how it was seen."""
        return self.words


class Now(Protocol):
    """What was read of an appliance last."""

    @property
    def profile(self) -> Profile: ...  # noqa: D102
    @property
    def tried(self) -> tuple[str, ...]:
        """The keys that the appliance is asked."""
        ...

    @property
    def maker(self) -> str:
        """The maker's name in its keys and values."""
        ...

    def claim(self, key: str) -> Claim:
        """What the profile claims of a key."""
        ...

    def value(self, key: str) -> object:
        """The value of a key; None where it gave none."""
        ...

    def here(self, key: str) -> Values:
        """What a key may hold on the appliance, as its last read shows."""
        ...

    def why_unanswered(self, key: str) -> str:
        """What was answered about a key that says nothing of the appliance, in a word; else empty."""
        ...

    def was_served(self, key: str) -> bool:
        """Whether a key gave a value at any time."""
        ...

    def is_confirmed(self, key: str) -> bool:
        """Whether more than one read shows the value of a key."""
        ...


@cache
def _touching(key: str) -> tuple[tuple[State, ...], tuple[State, ...]]:
    """The rows that may keep a key from being read, and those that may keep it from being written."""
    hiding = tuple(row for row in STATE_ROWS if key in row.hides)
    return hiding, tuple(row for row in STATE_ROWS if key in row.keeps)


def exempting_state(now: Now, key: str) -> ExemptingState | None:
    """The state that may keep `key` from being read now, such as X4 (not On); None if none does.

    That PowerState or a Sabbath mode met an error is none: it would excuse whatever is missing.
    """
    rows, _ = _touching(key)
    seen = [(row, state) for row in rows if (state := seen_of(now, row))]  # each is looked at
    found = (
        state for row, state in seen if state.sight is not Sight.UNANSWERED or row.unread is WhenUnread.SERVED
    )
    return next(iter(_shown_first(confirmed(now, state) for state in found)), None)


def write_exempting_state(
    now: Now, key: str, value: object = None, *, about: StateId | None = None
) -> ExemptingState | None:
    """The state that may keep `value` from being written to `key` now, such as X13; None if none does.

    `about` is the state that the clause itself is about (X1, X2 or X3), which does not exempt it.
    """
    return next((state for state in write_exempting_states(now, key, value) if state.id is not about), None)


def write_exempting_states(now: Now, key: str, value: object = None) -> tuple[ExemptingState, ...]:
    """Every state that may keep `value` from being written to `key` now, the stated ones first.

    A value that is none of the document's is no reason not to write, but where others may act.
    """
    found = [
        (row, state) for row in _touching(key)[1] if _is_of(row, key, value) and (state := seen_of(now, row))
    ]
    kept = (state for row, state in found if state.sight is not Sight.FOREIGN or row.acts)
    return tuple(_shown_first(kept))


def hindering_states(now: Now, key: str) -> tuple[ExemptingState, ...]:
    """Every state in which a write of `key` would show nothing: what keeps it, and what hides its effect."""
    blurring = (row for row in STATE_ROWS if key in row.blurs)
    blurred = (state for row in blurring if (state := seen_of(now, row)))
    return tuple(dict.fromkeys((*write_exempting_states(now, key), *blurred)))


def foreign_state(now: Now, key: str) -> ExemptingState | None:
    """What shows no value of the document where it might show a state of `key`; None where nothing does.

    What is written has its effect all the same, or is open because of that value.
    """
    rows = (row for row in _touching(key)[1] if not row.acts)
    found = (state for row in rows if (state := seen_of(now, row)))
    return next((state for state in found if state.sight is Sight.FOREIGN), None)


def acting_state(now: Now, key: str = ANYTHING) -> ExemptingState | None:
    """The state (X6 or X10) in which a person or a program may change what is read; None if neither holds.

    Other states excuse only what a target does not do. In these two, what follows a write of `key` proves
    nothing, because others may have done it. The value of `key` itself is no sign of them.
    """
    rows = (row for row in STATE_ROWS if row.acts and row.controller != key)
    found = [state for row in rows if (state := seen_of(now, row))]
    return next(iter(_shown_first(one for one in found if one.id is found[0].id)), None)


def closing_state(now: Now, key: str = ANYTHING) -> ExemptingState | None:
    """The state in which nothing is written to the appliance, not even what must have no effect.

    It is one in which others act (X6, X10), unless the profile says `while_busy`, or one that protects people
    (X7, X13), unless the write list names its key. The value of `key` itself may be a sign of it.
    """
    acting = acting_state(now)
    if acting and not (now.profile.write and now.profile.write.while_busy):
        return acting
    return next((state for state in write_exempting_states(now, key) if closes(now, state)), None)


def closes(now: Now, state: ExemptingState) -> bool:
    """Whether a state protects people, and the run must not end it: then nothing is written."""
    return state.controller in PROTECTING and not now.profile.may_write(state.controller)


def may_write_now(now: Now, key: str, despite: Collection[StateId] = ()) -> bool:
    """Whether no state keeps a key from being written now, but those of `despite`.

    While somebody else acts nothing is written, unless the profile says `while_busy`; a power state never is
    while a program is active. Nor is anything where what protects people is on and must not be written.
    """
    borne = {*despite, *(row.id for row in STATE_ROWS if row.acts)}
    if key == POWER_STATE:
        borne.discard(StateId.X10)
    held = write_exempting_states(now, key)
    return closing_state(now, key) is None and all(state.id in borne for state in held)


def range_exempting_state(now: Now, key: str) -> ExemptingState | None:
    """The cooling state (X5) in which setpoint `key` may lie outside its own range; None if none holds."""
    rows = (row for row in STATE_ROWS if key in row.lifts)
    return next((state for row in rows if (state := seen_of(now, row))), None)


def power_is_on(now: Now) -> bool:
    """Whether nothing shows that the appliance is not on (X4): PowerState reads On, or is not served."""
    rows = (row for row in STATE_ROWS if row.id.turn is EndedAt.POWER)
    return not any((state := seen_of(now, row)) and state.is_shown for row in rows)


def is_locked_by(now: Now, key: str, value: object) -> bool | None:
    """Whether a rule locks a key while its controller has a value; None for no value of the document."""
    row = STATED[key]
    members = CATALOG.entries[row.controller].values or ()
    if not isinstance(value, str) or value not in on_the_wire(members, now.maker):
        return None
    return without_maker(value, now.maker) in row.values


def seen_of(now: Now, row: State) -> ExemptingState | None:
    """A state as its key shows it, or as far as it is in doubt; None where it does not hold."""
    value = now.value(row.controller)
    if value is None:
        return _without_value(now, row)
    entry = CATALOG.entries[row.controller]
    if entry.type == "Enumeration":
        if not isinstance(value, str) or value not in on_the_wire(entry.values or (), now.maker):
            words = f"{row.name} is {quoted(value)}, which is no value of the document"
            return ExemptingState(row.id, words, row.controller, Sight.FOREIGN)
        texts = tuple(one for one in row.values if isinstance(one, str))
        holds = value in on_the_wire(texts, now.maker)
        return ExemptingState(row.id, f"{row.name} is {value}", row.controller) if holds else None
    if not any(same(value, one) for one in row.values):
        return None
    return ExemptingState(
        row.id, f"{row.name} {_words(value, is_status=entry.segment == 'status')}", row.controller
    )


def _words(value: object, *, is_status: bool = False) -> str:
    if value == "":
        return "is empty or cannot be read"
    on, off = ("true", "false") if is_status else ("on", "off")
    return f"is {on if value is True else off}"


def _without_value(now: Now, row: State) -> ExemptingState | None:
    """What a controlling key without a value means: nothing where it is not served, else a state, or a doubt.

    PowerState that is claimed and refused counts as not On, and what controls a light, and is served at other
    times, as its state. That others are refused, or that any met an error, shows no state.
    """
    key = row.controller
    is_asked = key in now.tried and now.claim(key) != "no"
    if is_asked and (met := now.why_unanswered(key)):
        words = f"the key {row.name} could not be read ({met})"
        return ExemptingState(row.id, words, key, Sight.UNANSWERED)
    if row.unread is WhenUnread.ALWAYS:
        return ExemptingState(row.id, f"{row.name} {_words('')}", key)
    if not is_asked or now.claim(key) != "yes":
        return None
    power = now.value(POWER_STATE)
    why = "now" if power is None or power_is_on(now) else f"while PowerState is {power}"
    counts = row.unread is WhenUnread.CLAIMED or (row.unread is WhenUnread.SERVED and now.was_served(key))
    return ExemptingState(
        row.id, f"{row.name} cannot be read {why}", key, Sight.SHOWN if counts else Sight.REFUSED
    )


def _is_of(row: State, key: str, value: object) -> bool:
    """Whether a row that touches a key touches this value of it."""
    if not row.of_value or row.controller == key:
        return True
    return isinstance(value, str) and short_name(value) == row.of_value


def confirmed(now: Now, state: ExemptingState) -> ExemptingState:
    """A state that was read; one that no second read shows excuses nothing."""
    if not state.is_shown or now.value(state.controller) is None or now.is_confirmed(state.controller):
        return state
    return replace(state, words=f"{state.words}, once", sight=Sight.ONCE)


def _shown_first(states: Iterable[ExemptingState]) -> list[ExemptingState]:
    """What was seen to hold before what is only doubted."""
    return sorted(states, key=lambda state: not state.is_shown)
