"""The exempting states as rows: what shows each, what it keeps from being read or written, what ends it.

Some are stated by the document (lines 50 to 53, 65, 68, 70); the others are cautions: an appliance that is
merely off is not a fail. The rules of the lights are those of the catalog. Whoever adds a state adds a row.
"""

from collections.abc import Iterable
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Rule


class EndedAt(IntEnum):
    """When a run ends a state: first what may refuse the rest; putting back goes the other way."""

    LOCK = 0
    POWER = 1
    MODE = 2
    LIGHT = 3
    RULE = 4
    """The document states it, and clauses are about it: it is ended for the writes that need that alone."""
    NEVER = 5


class StateId(Enum):
    """The states that may keep an entry from being read or written, or lift the clause about its value.

    Attributes:
        words: what it is; one that names no line is a caution of the suite.
        ended_by: the act on the appliance that ends it.
        turn: when a run ends it.
        rule: the rule of the catalog that makes it, by its id; empty for the others, whose rows stand below.
    """

    # fmt: off
    X1 = ("the ambient light has its custom color (line 68)",
        "choose a preset", EndedAt.RULE, "ambient-brightness")
    X2 = ("the ambient light has a preset color (line 70)",
        "choose CustomColor", EndedAt.RULE, "ambient-custom")
    X3 = ("the color temperature is not custom (line 65)",
        "choose custom", EndedAt.RULE, "percent-custom")
    X4 = ("the appliance is off, in standby, or shows no power state", "switch it on", EndedAt.POWER)
    X5 = ("a mode holds the setpoint (lines 50, 52, 53)", "switch the mode off")
    X6 = ("remote control is not active, or somebody operates the appliance (lines 88, 90)",
        "activate remote control, and let nobody operate it")
    X7 = ("the Sabbath mode is on (line 51)", "switch it off", EndedAt.LOCK)
    X8 = ("the light is off", "switch the light on", EndedAt.LIGHT)
    X9 = ("a cooling mode is on", "switch the mode off", EndedAt.MODE)
    X10 = ("a program is active", "end it")
    X12 = ("the map is not stored", "store one on the appliance")
    X13 = ("the child lock is on", "switch it off", EndedAt.LOCK)
    # fmt: on

    def __init__(self, words: str, ended_by: str, turn: EndedAt = EndedAt.NEVER, rule: str = "") -> None:
        self.words, self.ended_by, self.turn, self.rule = words, ended_by, turn, rule


STATES: Final = {state.name: state for state in StateId}
"""The states by their names, as results and certificates have them."""


def ended_at(*turns: EndedAt) -> tuple[StateId, ...]:
    """The states that are ended at some turns, in the order in which they are."""
    return tuple(sorted((state for state in StateId if state.turn in turns), key=lambda state: state.turn))


class WhenUnread(Enum):
    """When a controlling key that cannot be read now counts as its state."""

    NEVER = "it shows nothing"
    CLAIMED = "where it is claimed"
    SERVED = "where it is claimed, and served at other times"
    ALWAYS = "in any case"


class State(Struct, frozen=True):
    """A state of an appliance, as one key shows it.

    Attributes:
        id: which of the states it is.
        controller: the key that shows it.
        values: the values of that key in which it holds, as the document spells them.
        ends: the values that end it, the first of them first; none where no write ends it.
        hides: the keys that it may keep from being read.
        keeps: the keys that it may keep from being written.
        lifts: the keys whose own range it lifts.
        blurs: the keys of whose writes nothing can be told while it holds, though they are taken.
        of_value: the one value, by its short name, of which it keeps a write of another key; empty for any.
        unread: when its key, being claimed or not, counts as the state without a value.
        acts: whether a person or a program may move what is read.
    """

    id: StateId
    controller: str
    values: frozenset[str | bool]
    ends: tuple[str | bool, ...] = ()
    hides: frozenset[str] = frozenset()
    keeps: frozenset[str] = frozenset()
    lifts: frozenset[str] = frozenset()
    blurs: frozenset[str] = frozenset()
    of_value: str = ""
    unread: WhenUnread = WhenUnread.NEVER
    acts: bool = False

    @property
    def name(self) -> str:
        """The short name of the key that shows it."""
        return keys.short_name(self.controller)

    @property
    def moves_others(self) -> bool:
        """Whether more goes with it than that nothing can be written: what it hides or lifts may move."""
        return bool(self.hides or self.lifts or self.blurs or self.of_value)

    @property
    def is_stated(self) -> bool:
        """Whether it is a rule of the document that clauses are about (lines 65, 68, 70)."""
        return self.id.turn is EndedAt.RULE


ANYTHING: Final = ""
"""In place of a key: what hinders it hinders every key."""
SABBATH_MODES: Final = (keys.OVEN_SABBATH, keys.FRIDGE_SABBATH)
SWITCHES: Final = MappingProxyType(
    {
        keys.LIGHTING: (keys.LIGHTING_BRIGHTNESS, keys.COLOR_TEMPERATURE, keys.COLOR_PERCENT),
        keys.AMBIENT_ENABLED: (keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.CUSTOM_COLOR),
        keys.EXTERNAL_LIGHT: (keys.EXTERNAL_BRIGHTNESS,),
        keys.INTERNAL_LIGHT: (keys.INTERNAL_BRIGHTNESS,),
    }
)
"""The switch of a light, and the keys that may be refused while it is off (X8)."""
LIGHTS: Final = frozenset([*SWITCHES, *(key for lit in SWITCHES.values() for key in lit)])
"""Every switch of a light, and the settings that it may carry along (lines 61 to 70)."""
SHOWING_WHO_ACTS: Final = (keys.LOCAL_CONTROL, keys.REMOTE_CONTROL, keys.POWER_STATE, keys.OPERATION_STATE)
"""The keys that show that a person or a program acts on the appliance."""
LIGHT_STATES: Final = frozenset(ended_at(EndedAt.LIGHT, EndedAt.RULE))
"""The states that the settings of a light themselves make up."""
_HOLDING = {
    keys.VACATION_MODE: frozenset({keys.SETPOINT}),
    keys.FRESH_MODE: frozenset({keys.SETPOINT}),
    keys.ECO_MODE: None,
}
"""The modes that hold setpoints outside their range, and which; None for all (lines 50, 52, 53)."""
SETPOINTS: Final = frozenset(key for key in CATALOG.entries if "SetpointTemperature" in key)
"""The nine setpoint temperatures (lines 43 to 47)."""


def _of_rule(rule: Rule) -> State:
    """The state in which the subjects of a rule cannot be set, nor perhaps read."""
    named = frozenset(rule.values)
    others = _members_but(rule.controller, named)
    holds = named if rule.locks(named=True) else others
    ends = [value for value in CATALOG.entries[rule.controller].values or () if value not in holds]
    subjects = frozenset(rule.subjects)
    return State(
        next(state for state in StateId if state.rule == rule.id),
        rule.controller,
        holds,
        tuple(ends),
        hides=subjects,
        keeps=subjects,
        unread=WhenUnread.SERVED,
    )


def _of_switch(switch: str, lit: Iterable[str]) -> State:
    touched = frozenset(lit)
    return State(
        StateId.X8,
        switch,
        frozenset({False}),
        (True,),
        hides=touched,
        keeps=touched,
        unread=WhenUnread.SERVED,
    )


def _is_on(  # noqa: PLR0913  what tells one row from another
    state: StateId,
    mode: str,
    keeps: frozenset[str] = frozenset(),
    *,
    hides: frozenset[str] = frozenset(),
    lifts: frozenset[str] = frozenset(),
    blurs: frozenset[str] = frozenset(),
) -> State:
    return State(state, mode, frozenset({True}), (False,), hides=hides, keeps=keeps, lifts=lifts, blurs=blurs)


def _not_stored(name: str, stored_as: str) -> State:
    """The state of a map that has no name, as far as anything shows."""
    return State(
        StateId.X12,
        name,
        frozenset({""}),
        keeps=frozenset({name, keys.CURRENT_MAP}),
        of_value=stored_as,
        unread=WhenUnread.ALWAYS,
    )


def _members_but(key: str, but: Iterable[str | bool]) -> frozenset[str | bool]:
    return frozenset(CATALOG.entries[key].values or ()).difference(but)


_EVERYTHING = frozenset([ANYTHING, *CATALOG.entries])
_MODES = frozenset(keys.COOLING_MODES)
STATE_ROWS: Final = (
    *(_of_rule(rule) for rule in CATALOG.rules if rule.may_lock),
    *(_of_switch(switch, lit) for switch, lit in SWITCHES.items()),
    *(_is_on(StateId.X7, mode, _EVERYTHING - {mode}, hides=LIGHTS - {mode}) for mode in SABBATH_MODES),
    State(
        StateId.X4,
        keys.POWER_STATE,
        _members_but(keys.POWER_STATE, {keys.ON}),
        (keys.ON,),
        hides=_EVERYTHING - {keys.POWER_STATE},
        keeps=_EVERYTHING - {keys.POWER_STATE},
        unread=WhenUnread.CLAIMED,
    ),
    State(StateId.X6, keys.REMOTE_CONTROL, frozenset({False}), keeps=_EVERYTHING, acts=True),
    State(StateId.X6, keys.LOCAL_CONTROL, frozenset({True}), keeps=_EVERYTHING, acts=True),
    State(
        StateId.X10,
        keys.OPERATION_STATE,
        _members_but(keys.OPERATION_STATE, {keys.INACTIVE, keys.READY}),
        keeps=_EVERYTHING,
        acts=True,
    ),
    _is_on(StateId.X13, keys.CHILD_LOCK, _EVERYTHING - {keys.CHILD_LOCK}),
    *(_is_on(StateId.X9, mode, SETPOINTS, blurs=_MODES - {mode}) for mode in keys.COOLING_MODES),
    *(_is_on(StateId.X5, mode, lifts=lifted or SETPOINTS) for mode, lifted in _HOLDING.items()),
    *(_not_stored(name, f"Map{number}") for number, name in enumerate(keys.MAP_NAMES, 1)),
)
"""Every row, the stated ones first."""
SHOWING_A_STATE: Final = frozenset(row.controller for row in STATE_ROWS)
"""The keys that show one of the states."""
STATED: Final = {key: row for row in STATE_ROWS if row.is_stated for key in row.keeps}
"""The rows of the rules that keep a key from being set at times, by that key (lines 65, 68, 70)."""
