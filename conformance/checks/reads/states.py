"""Exempting states: moments in which an entry may be refused, or a value may lie outside its own range.

They are the states X1 to X13 of the model: some stated by the document (lines 50 to 53, 65, 68, 70), the
others are cautions: an appliance that is merely off is not a fail. A state turns a read without a
value into inconclusive, and so a write that was refused or had no effect; a value that is served is judged
all the same, and so is a body that is malformed, and what a write does that must not be done (`acting_state`
names the exceptions).
"""

from __future__ import annotations

from dataclasses import replace

from catalog.keys import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    AMBIENT_ENABLED,
    CHILD_LOCK,
    COLOR_PERCENT,
    COLOR_TEMPERATURE,
    COOLING_MODES,
    CURRENT_MAP,
    CUSTOM_COLOR,
    ECO_MODE,
    EXTERNAL_BRIGHTNESS,
    EXTERNAL_LIGHT,
    FRESH_MODE,
    FRIDGE_SABBATH,
    INTERNAL_BRIGHTNESS,
    INTERNAL_LIGHT,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    LIQUID_UNIT,
    LOCAL_CONTROL,
    MAP_NAMES,
    OPERATION_STATE,
    OVEN_SABBATH,
    POWER_STATE,
    REMOTE_CONTROL,
    SETPOINT,
    TEMPERATURE_UNIT,
    VACATION_MODE,
)
from catalog.model import Catalog
from conformance.checks.exempting import ExemptingState, StateId
from conformance.checks.view import View

SABBATH_MODES = (OVEN_SABBATH, FRIDGE_SABBATH)

SWITCHES = {
    LIGHTING: (LIGHTING_BRIGHTNESS, COLOR_TEMPERATURE, COLOR_PERCENT),
    AMBIENT_ENABLED: (AMBIENT_BRIGHTNESS, AMBIENT_COLOR, CUSTOM_COLOR),
    EXTERNAL_LIGHT: (EXTERNAL_BRIGHTNESS,),
    INTERNAL_LIGHT: (INTERNAL_BRIGHTNESS,),
}
"""The switch of a light, and the keys that may be refused while it is off (X8)."""
_LIGHTS = frozenset([*SWITCHES, *(key for keys in SWITCHES.values() for key in keys)])


def controllers_of(catalog: Catalog, key: str) -> set[str]:
    """The keys that a judgement of `key` needs: what its states and its unit depend on, and PowerState."""
    entry = catalog.entries[key]
    needed = {POWER_STATE, *(switch for switch, keys in SWITCHES.items() if key in keys)}
    if key in {AMBIENT_ENABLED, *SWITCHES[AMBIENT_ENABLED]}:
        needed.add(AMBIENT_COLOR)
    if key in {COLOR_TEMPERATURE, COLOR_PERCENT}:
        needed.add(COLOR_TEMPERATURE)
    if key in _LIGHTS:
        needed.update(SABBATH_MODES)
    if entry.own_range:
        needed.update((ECO_MODE, VACATION_MODE, FRESH_MODE))
    if entry.own_range or entry.unit == "ml":
        needed.update((TEMPERATURE_UNIT, LIQUID_UNIT))
    if key == POWER_STATE:
        needed.add(OPERATION_STATE)
    return needed


def exempting_state(seen: View, key: str) -> ExemptingState | None:
    """The state that may keep `key` from being read now, such as X4 (not On); None if none does."""
    sabbath = _sabbath(seen, key) if is_light(key) else None
    states = (_locked(seen, key), _switched_off(seen, key), sabbath, _not_on(seen, key))  # each is looked at
    return next(filter(None, states), None)


def write_controllers_of(catalog: Catalog, key: str) -> set[str]:
    """The keys that a judgement of a write of `key` needs: what may lock it, and what shows others acting."""
    needed = {
        *controllers_of(catalog, key),
        REMOTE_CONTROL,
        LOCAL_CONTROL,
        OPERATION_STATE,
        CHILD_LOCK,
        *SABBATH_MODES,
    }
    needed -= {TEMPERATURE_UNIT, LIQUID_UNIT}
    if is_setpoint(key):
        needed.update(COOLING_MODES)
    if key == CURRENT_MAP:
        needed.update(MAP_NAMES)
    return needed - {key}


def write_exempting_state(
    seen: View, key: str, value: object = None, *, about: StateId | None = None
) -> ExemptingState | None:
    """The state that may keep `value` from being written to `key` now, such as X13; None if none does.

    `about` is the state that the clause itself is about (X1, X2 or X3), which does not exempt it.
    """
    return next((state for state in write_exempting_states(seen, key, value) if state.id is not about), None)


def write_exempting_states(seen: View, key: str, value: object = None) -> tuple[ExemptingState, ...]:
    """Every state that may keep `value` from being written to `key` now, the stated ones first."""
    own = (_locked(seen, key), _switched_off(seen, key), _sabbath(seen, key), _not_on(seen, key))
    others = (
        _operated(seen),
        _busy(seen),
        _is_on(seen, CHILD_LOCK, StateId.X13) if key != CHILD_LOCK else None,
        _cooling(seen, key),
        _map_not_stored(seen, key, value),
    )
    return tuple(state for state in (*own, *others) if state)


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
    return tuple(state for mode in COOLING_MODES if mode != but and (state := _is_on(seen, mode, StateId.X9)))


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
    for controller in (ECO_MODE, VACATION_MODE, FRESH_MODE) if key == SETPOINT else (ECO_MODE,):
        if seen.value(controller) is True:
            return ExemptingState(StateId.X5, f"{_short(controller)} is on", controller)
        if _hidden(seen, controller):
            return _unreadable(StateId.X5, controller)
    return None


def power_is_on(seen: View) -> bool:
    """Whether the appliance is on: PowerState reads On, or is neither claimed nor served (X4)."""
    if seen.value(POWER_STATE) is not None:
        return seen.is_value(POWER_STATE, "On")
    return not _hidden(seen, POWER_STATE)


def _not_on(seen: View, key: str) -> ExemptingState | None:
    if key == POWER_STATE or power_is_on(seen):
        return None
    if seen.value(POWER_STATE) is not None:
        return ExemptingState(StateId.X4, f"PowerState is {seen.value(POWER_STATE)!s}", POWER_STATE)
    return _unreadable(StateId.X4, POWER_STATE)


def _locked(seen: View, key: str) -> ExemptingState | None:
    """X1 to X3: the three stated light rules."""
    if key == AMBIENT_BRIGHTNESS:
        return _while(seen, StateId.X1, AMBIENT_COLOR, "CustomColor", wanted=True)
    if key == CUSTOM_COLOR:
        return _while(seen, StateId.X2, AMBIENT_COLOR, "CustomColor", wanted=False)
    if key == COLOR_PERCENT:
        return _while(seen, StateId.X3, COLOR_TEMPERATURE, "custom", wanted=False)
    return None


def _while(seen: View, state: StateId, controller: str, name: str, *, wanted: bool) -> ExemptingState | None:
    if _hidden(seen, controller):
        return _unreadable(state, controller)
    if seen.value(controller) is not None and seen.is_value(controller, name) is wanted:
        return ExemptingState(state, f"{_short(controller)} is {seen.value(controller)}", controller)
    return None


def _switched_off(seen: View, key: str) -> ExemptingState | None:
    for switch, keys in SWITCHES.items():
        if key not in keys:
            continue
        if seen.value(switch) is False:
            return ExemptingState(StateId.X8, f"{_short(switch)} is off", switch)
        if _hidden(seen, switch):
            return _unreadable(StateId.X8, switch)
    return None


def _sabbath(seen: View, key: str) -> ExemptingState | None:
    """X7: a Sabbath mode other than `key` itself is on."""
    others = (mode for mode in SABBATH_MODES if mode != key and mode in seen.tried)
    return next((state for mode in others if (state := _is_on(seen, mode, StateId.X7))), None)


def _operated(seen: View) -> ExemptingState | None:
    """X6: remote control is not allowed, or somebody is operating the appliance."""
    if seen.value(REMOTE_CONTROL) is False:
        return ExemptingState(StateId.X6, "RemoteControlActive is false", REMOTE_CONTROL)
    if seen.value(LOCAL_CONTROL) is True:
        return ExemptingState(StateId.X6, "LocalControlActive is true", LOCAL_CONTROL)
    hidden = next(
        (controller for controller in (REMOTE_CONTROL, LOCAL_CONTROL) if _hidden(seen, controller)), None
    )
    return _unreadable(StateId.X6, hidden) if hidden else None


def _busy(seen: View) -> ExemptingState | None:
    """X10: a program is active."""
    if _hidden(seen, OPERATION_STATE):
        return _unreadable(StateId.X10, OPERATION_STATE)
    if seen.value(OPERATION_STATE) is None or seen.is_value(OPERATION_STATE, "Inactive", "Ready"):
        return None
    return ExemptingState(StateId.X10, f"OperationState is {seen.value(OPERATION_STATE)}", OPERATION_STATE)


def _cooling(seen: View, key: str) -> ExemptingState | None:
    """X9: a cooling mode may keep setpoints from being written."""
    return next(iter(modes_on(seen)), None) if is_setpoint(key) else None


def _map_not_stored(seen: View, key: str, value: object) -> ExemptingState | None:
    """X12: a map that has no name may not be there."""
    if key in MAP_NAMES:
        return (
            None
            if seen.value(key)
            else ExemptingState(StateId.X12, f"{_short(key)} is empty or cannot be read", key)
        )
    if key == CURRENT_MAP and isinstance(value, str):
        name = next((name for name in MAP_NAMES if name.endswith(f"NameOf{value.rpartition('.')[2]}")), None)
        if name is not None and not seen.value(name):
            return ExemptingState(StateId.X12, f"{_short(name)} is empty or cannot be read", name)
    return None


def _is_on(seen: View, controller: str, state: StateId) -> ExemptingState | None:
    if seen.value(controller) is True:
        return ExemptingState(state, f"{_short(controller)} is on", controller)
    return _unreadable(state, controller) if _hidden(seen, controller) else None


def _unreadable(state: StateId, controller: str) -> ExemptingState:
    """A controlling key that is served at other times and cannot be read now counts as its state."""
    return ExemptingState(state, f"{_short(controller)} cannot be read now", controller)


def _hidden(seen: View, controller: str) -> bool:
    """Whether a controlling key that is claimed, or that answered with an error, gave no value now."""
    if controller not in seen.tried or seen.claim(controller) == "no" or seen.value(controller) is not None:
        return False
    answer = seen.read(controller)
    return seen.claim(controller) == "yes" or (answer is not None and answer.is_error)


def _short(key: str) -> str:
    return key.partition(".Setting.")[2] or key.partition(".Status.")[2]
