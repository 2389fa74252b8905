"""Exempting states: moments in which an entry may be refused, or a value may lie outside its own range.

They are the states X1 to X13 of the model: some stated by the document (lines 50 to 53, 65, 68, 70), the
others are cautions: an appliance that is merely off is not a fail. A state turns a read without a
value into inconclusive, and so a write that was refused or had no effect; a value that is served is judged
all the same, and so is a body that is malformed, and what a write does that must not be done (`acting_state`
names the exceptions).
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

from msgspec.structs import replace

from catalog import keys
from catalog.model import Catalog
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS
from conformance.checks.reads.tries import again
from conformance.checks.verdict import ExemptingState, Sight, StateId
from conformance.checks.view import View, on_the_wire
from conformance.model.json_values import quoted

SABBATH_MODES = (keys.OVEN_SABBATH, keys.FRIDGE_SABBATH)

SWITCHES = {
    keys.LIGHTING: (keys.LIGHTING_BRIGHTNESS, keys.COLOR_TEMPERATURE, keys.COLOR_PERCENT),
    keys.AMBIENT_ENABLED: (keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR, keys.CUSTOM_COLOR),
    keys.EXTERNAL_LIGHT: (keys.EXTERNAL_BRIGHTNESS,),
    keys.INTERNAL_LIGHT: (keys.INTERNAL_BRIGHTNESS,),
}
"""The switch of a light, and the keys that may be refused while it is off (X8)."""
_OF_LIGHTS = frozenset({StateId.X1, StateId.X2, StateId.X3, StateId.X8})
CONTROLLING: Final = frozenset(
    {
        *SWITCHES,
        *SABBATH_MODES,
        *keys.COOLING_MODES,
        keys.POWER_STATE,
        keys.AMBIENT_COLOR,
        keys.COLOR_TEMPERATURE,
        keys.CHILD_LOCK,
        keys.REMOTE_CONTROL,
        keys.LOCAL_CONTROL,
        keys.OPERATION_STATE,
    }
)
"""The keys that show the states."""
_LIGHTS = frozenset([*SWITCHES, *(key for lit in SWITCHES.values() for key in lit)])


def of_one_light(key: str) -> tuple[str, ...]:
    """The other settings of the light that a key is of, which may follow a write; none if it is of none."""
    lights = ((switch, *lit) for switch, lit in SWITCHES.items())
    return next((tuple(other for other in light if other != key) for light in lights if key in light), ())


@cache  # each case about a key asks for them when a run is planned
def controllers_of(catalog: Catalog, key: str) -> frozenset[str]:
    """The keys that a judgement of `key` needs: what its states and its unit depend on, and PowerState."""
    entry = catalog.entries[key]
    needed = {keys.POWER_STATE, *(switch for switch, lit in SWITCHES.items() if key in lit)}
    if key in {keys.AMBIENT_ENABLED, *SWITCHES[keys.AMBIENT_ENABLED]}:
        needed.add(keys.AMBIENT_COLOR)
    if key in {keys.COLOR_TEMPERATURE, keys.COLOR_PERCENT}:
        needed.add(keys.COLOR_TEMPERATURE)
    if key in _LIGHTS:
        needed.update(SABBATH_MODES)
    if entry.own_range:
        needed.update((keys.ECO_MODE, keys.VACATION_MODE, keys.FRESH_MODE))
    if entry.own_range or entry.unit == "ml":
        needed.update((keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT))
    if key == keys.POWER_STATE:
        needed.add(keys.OPERATION_STATE)
    return frozenset(needed)


def exempting_state(seen: View, key: str) -> ExemptingState | None:
    """The state that may keep `key` from being read now, such as X4 (not On); None if none does.

    That PowerState or a Sabbath mode met an error is none: it would excuse whatever is missing.
    """
    sabbath = _sabbath(seen, key) if is_light(key) else None
    states = (_locked(seen, key), _switched_off(seen, key), sabbath, _not_on(seen, key))  # each is looked at
    found = [one for one in states if one and (one.sight is not Sight.UNANSWERED or one.id in _OF_LIGHTS)]
    return next(iter(_shown_first(_confirmed(seen, one) for one in found)), None)


def _confirmed(seen: View, state: ExemptingState) -> ExemptingState:
    """A state that was read; one that no second read shows excuses nothing."""
    first = seen.read(state.controller)
    if not state.is_shown or first is None or not first.has_value:
        return state
    reads = (first, *seen.later_reads(state.controller))
    alike = {read.exchange.n for read in reads if read.has_value and read.value == first.value}
    return state if len(alike) > 1 else replace(state, words=f"{state.words}, once", sight=Sight.ONCE)


def _shown_first(states: Iterable[ExemptingState]) -> list[ExemptingState]:
    """What was seen to hold before what is only doubted."""
    return sorted(states, key=lambda state: not state.is_shown)


def write_controllers_of(catalog: Catalog, key: str) -> set[str]:
    """The keys that a judgement of a write of `key` needs: what may lock it, and what shows others acting."""
    needed = {
        *controllers_of(catalog, key),
        keys.REMOTE_CONTROL,
        keys.LOCAL_CONTROL,
        keys.OPERATION_STATE,
        keys.CHILD_LOCK,
        *SABBATH_MODES,
    }
    needed -= {keys.TEMPERATURE_UNIT, keys.LIQUID_UNIT}
    if is_setpoint(key):
        needed.update(keys.COOLING_MODES)
    if key == keys.CURRENT_MAP:
        needed.update(keys.MAP_NAMES)
    return needed - {key}


def write_exempting_state(
    seen: View, key: str, value: object = None, *, about: StateId | None = None
) -> ExemptingState | None:
    """The state that may keep `value` from being written to `key` now, such as X13; None if none does.

    `about` is the state that the clause itself is about (X1, X2 or X3), which does not exempt it.
    """
    return next((state for state in write_exempting_states(seen, key, value) if state.id is not about), None)


def write_exempting_states(seen: View, key: str, value: object = None) -> tuple[ExemptingState, ...]:
    """Every state that may keep `value` from being written to `key` now, the stated ones first.

    A value that is none of the document's is no reason not to write, but where others may act.
    """
    own = (_locked(seen, key), _switched_off(seen, key), _sabbath(seen, key), _not_on(seen, key))
    others = (
        _operated(seen),
        _busy(seen),
        _is_on(seen, keys.CHILD_LOCK, StateId.X13) if key != keys.CHILD_LOCK else None,
        _cooling(seen, key),
        _map_not_stored(seen, key, value),
    )
    return tuple(
        state
        for state in _shown_first(filter(None, (*own, *others)))
        if state.sight is not Sight.FOREIGN or state.id is StateId.X10
    )


def foreign_state(seen: View, key: str) -> ExemptingState | None:
    """What shows no value of the document where it might show a state of `key`; None where nothing does.

    What is written has its effect all the same, or is open because of that value.
    """
    found = (_locked(seen, key), _not_on(seen, key))
    return next((state for state in found if state and state.sight is Sight.FOREIGN), None)


def acting_state(seen: View, key: str) -> ExemptingState | None:
    """The state (X6 or X10) in which a person or a program may change what is read; None if neither holds.

    Other states excuse only what a target does not do. In these two, what follows a write of `key` proves
    nothing, because others may have done it. The value of `key` itself is no sign of them.
    """
    reads = {place: answer for place, answer in seen.reads.items() if place[1] != key}
    signs = replace(seen, tried=tuple(one for one in seen.tried if one != key), reads=reads)
    return _operated(signs) or _busy(signs)


def modes_on(seen: View, *, but: str = "") -> tuple[ExemptingState, ...]:
    """The cooling modes that are on (X9), besides one: each may keep setpoints and modes from being set."""
    return tuple(
        state for mode in keys.COOLING_MODES if mode != but and (state := _is_on(seen, mode, StateId.X9))
    )


def is_light(key: str) -> bool:
    """Whether a key is a light's switch or one of the settings it may carry along (lines 61 to 70)."""
    return key in _LIGHTS


def is_setpoint(key: str) -> bool:
    """Whether a key is one of the nine setpoint temperatures (lines 43 to 47)."""
    return "SetpointTemperature" in key


def range_exempting_state(seen: View, key: str) -> ExemptingState | None:
    """The cooling state (X5) in which setpoint `key` may lie outside its own range; None if none holds."""
    entry = seen.catalog.entries[key]
    if not entry.own_range or not is_setpoint(key):
        return None
    for controller in (
        (keys.VACATION_MODE, keys.FRESH_MODE, keys.ECO_MODE) if key == keys.SETPOINT else (keys.ECO_MODE,)
    ):
        if state := _is_on(seen, controller, StateId.X5):
            return state
    return None


def power_is_on(seen: View) -> bool:
    """Whether nothing shows that the appliance is not on (X4): PowerState reads On, or is not served."""
    state = _not_on(seen, "")
    return state is None or not state.is_shown


def _not_on(seen: View, key: str) -> ExemptingState | None:
    """X4; PowerState that is not served counts as On, and that is claimed and refused as not On."""
    if key == keys.POWER_STATE or seen.is_value(keys.POWER_STATE, "On"):
        return None
    return _of_member(seen, StateId.X4, keys.POWER_STATE)


def _of_member(seen: View, state: StateId, controller: str) -> ExemptingState | None:
    """A state that shows in a member of an enumeration; a text that is none shows nothing."""
    now = seen.value(controller)
    if now is None:
        return _unreadable(seen, state, controller)
    members = on_the_wire(seen.catalog.entries[controller].values or (), seen.maker)
    if isinstance(now, str) and now in members:
        return ExemptingState(state, f"{_short(controller)} is {now}", controller)
    words = f"{_short(controller)} is {quoted(now)}, which is no value of the document"
    return ExemptingState(state, words, controller, Sight.FOREIGN)


def _locked(seen: View, key: str) -> ExemptingState | None:
    """X1 to X3: the three stated light rules."""
    if key == keys.AMBIENT_BRIGHTNESS:
        return _while(seen, StateId.X1, keys.AMBIENT_COLOR, "CustomColor", wanted=True)
    if key == keys.CUSTOM_COLOR:
        return _while(seen, StateId.X2, keys.AMBIENT_COLOR, "CustomColor", wanted=False)
    if key == keys.COLOR_PERCENT:
        return _while(seen, StateId.X3, keys.COLOR_TEMPERATURE, "custom", wanted=False)
    return None


def _while(seen: View, state: StateId, controller: str, name: str, *, wanted: bool) -> ExemptingState | None:
    found = _of_member(seen, state, controller)
    stands = found and found.is_shown and seen.value(controller) is not None
    return None if stands and seen.is_value(controller, name) is not wanted else found


def _switched_off(seen: View, key: str) -> ExemptingState | None:
    switch = next((switch for switch, lit in SWITCHES.items() if key in lit), None)
    if switch is None:
        return None
    return _shown(seen, StateId.X8, switch, "is off", holds=seen.value(switch) is False)


def _sabbath(seen: View, key: str) -> ExemptingState | None:
    """X7: a Sabbath mode other than `key` itself is on."""
    others = (mode for mode in SABBATH_MODES if mode != key and mode in seen.tried)
    return next((state for mode in others if (state := _is_on(seen, mode, StateId.X7))), None)


def _operated(seen: View) -> ExemptingState | None:
    """X6: remote control is not allowed, or somebody is operating the appliance."""
    if seen.value(keys.REMOTE_CONTROL) is False:
        return ExemptingState(StateId.X6, "RemoteControlActive is false", keys.REMOTE_CONTROL)
    if seen.value(keys.LOCAL_CONTROL) is True:
        return ExemptingState(StateId.X6, "LocalControlActive is true", keys.LOCAL_CONTROL)
    hidden = (_unreadable(seen, StateId.X6, key) for key in (keys.REMOTE_CONTROL, keys.LOCAL_CONTROL))
    return next(filter(None, hidden), None)


def _busy(seen: View) -> ExemptingState | None:
    """X10: a program is active."""
    if seen.is_value(keys.OPERATION_STATE, "Inactive", "Ready"):
        return None
    return _of_member(seen, StateId.X10, keys.OPERATION_STATE)


def _cooling(seen: View, key: str) -> ExemptingState | None:
    """X9: a cooling mode may keep setpoints from being written."""
    return next(iter(modes_on(seen)), None) if is_setpoint(key) else None


def _map_not_stored(seen: View, key: str, value: object) -> ExemptingState | None:
    """X12: a map that has no name may not be there."""
    end = f"NameOf{value.rpartition('.')[2]}" if key == keys.CURRENT_MAP and isinstance(value, str) else key
    name = next((name for name in keys.MAP_NAMES if name.endswith(end)), None)
    if name is None or seen.value(name):
        return None
    if answer := _unanswered(seen, name):
        return _doubt(StateId.X12, name, answer)
    return ExemptingState(StateId.X12, f"{_short(name)} is empty or cannot be read", name)


def _is_on(seen: View, controller: str, state: StateId) -> ExemptingState | None:
    return _shown(seen, state, controller, "is on", holds=seen.value(controller) is True)


def _shown(seen: View, state: StateId, controller: str, words: str, *, holds: bool) -> ExemptingState | None:
    """The state of a controlling key, in these words, where it holds, or where the key cannot be read now."""
    if holds:
        return ExemptingState(state, f"{_short(controller)} {words}", controller)
    return _unreadable(seen, state, controller)


def _unreadable(seen: View, state: StateId, controller: str) -> ExemptingState | None:
    """What a controlling key without a value means: nothing where it is not served, else a state, or a doubt.

    PowerState that is claimed and refused counts as not On, and what controls a light, and is served at other
    times, as its state. That others are refused, or that any met an error, shows no state.
    """
    if controller not in seen.tried or seen.claim(controller) == "no" or seen.value(controller) is not None:
        return None
    if answer := _unanswered(seen, controller):
        return _doubt(state, controller, answer)
    if seen.claim(controller) != "yes":
        return None
    power = seen.value(keys.POWER_STATE)
    why = "now" if power is None or power_is_on(seen) else f"while PowerState is {power}"
    counts = state is StateId.X4 or (state in _OF_LIGHTS and _is_served_at_times(seen, controller))
    sight = Sight.SHOWN if counts else Sight.REFUSED
    return ExemptingState(state, f"{_short(controller)} cannot be read {why}", controller, sight)


def _unanswered(seen: View, controller: str) -> Answer | None:
    """The answer about a controlling key that says nothing of the appliance; None where it says something.

    Where access is refused as to a key that cannot exist, the key is not served.
    """
    answer = seen.read(controller)
    if answer and answer.is_error and answer.exchange.group is None:
        tries = (one for one in seen.group(again(answer)) if one.exchange.key == controller)
        answer = next((one for one in tries if not one.is_error), answer)
    if answer is None or answer.has_value:
        return None
    if answer.outcome is Outcome.AUTH and seen.claim(controller) != "yes":
        nonces = (one for group in (NONCE_SETTINGS, NONCE_STATUS) for one in seen.made.get(group, ()))
        return None if any(one.status == answer.status for one in nonces) else answer
    is_garbled = answer.absence is Absence.MALFORMED  # a state may refuse, it does not garble
    is_nothing = answer.is_error or answer.outcome in {Outcome.AUTH, Outcome.THROTTLE}
    return answer if is_garbled or is_nothing else None


def _doubt(state: StateId, controller: str, answer: Answer) -> ExemptingState:
    met = "malformed" if answer.absence is Absence.MALFORMED else answer.status or answer.outcome.value
    words = f"the key {_short(controller)} could not be read ({met})"
    return ExemptingState(state, words, controller, Sight.UNANSWERED)


def _is_served_at_times(seen: View, controller: str) -> bool:
    """Whether a key gave a value at any time of the run."""
    return any(one.has_value and one.exchange.key == controller for one in _all_made(seen))


def _all_made(seen: View) -> Iterator[Answer]:
    yield from seen.reads.values()
    yield from seen.known.reads.values() if seen.known else ()
    for answers in seen.made.values():
        yield from answers


def _short(key: str) -> str:
    return key.partition(".Setting.")[2] or key.partition(".Status.")[2]
