"""The shapes of faults that only a certain order of writes shows, and the memory they need.

A reset makes appliances anew, and what was remembered of the old ones is gone with them.
"""

from collections.abc import Callable

from catalog import keys
from conformance.mutants.shapes.reads import State
from conformance.mutants.shapes.writes import Effect, decides, drops_where, effects
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json


def trail_of(appliance: Appliance, *begun: str) -> list[str]:
    """What has been written to an appliance, one word for each write, after those with which it has begun."""
    return appliance.kept.setdefault("trail", list(begun))


def _completes(order: tuple[str, ...], appliance: Appliance, key: str, value: Json) -> bool:
    """Note a power write; whether it is the last of an order.

    An order is the state before the first write, and then what is written, as short names.
    """
    if key != keys.POWER_STATE:
        return False
    trail = trail_of(appliance, keys.short_name(appliance.values[key]))
    trail.append(keys.short_name(value))
    completed = tuple(trail[-len(order) :]) == order
    if completed:
        del appliance.kept["trail"]  # the next order begins anew, wherever this one has led
    return completed


def _has_chosen(order: str, choosing: tuple[str, str], appliance: Appliance) -> bool:
    """Note what the color of a light is now; whether the last choices of it were made in an order.

    An order has one letter for each choice, `o` for the value of `choosing`, `p` for any other value of
    the setting that `choosing` names.
    """
    present = str(appliance.values[choosing[0]])
    trail = trail_of(appliance, present)
    if present != trail[-1]:
        trail.append(present)
    return "".join("o" if value == choosing[1] else "p" for value in trail).endswith(order)


def _after(states: tuple[str, ...], act: Callable[[Service, Appliance, Json, Effect], None]) -> type[Service]:
    """The last of these power writes does what the function says, which is given its right effect."""

    def acts(its: Service, one: Appliance, key: str, value: Json, effect: Effect) -> None:
        if _completes(("On", *states), one, key, value):
            act(its, one, value, effect)
        else:
            effect(value)

    return effects(acts)


def ignores_last(*states: str) -> type[Service]:
    """The last of these power writes is acknowledged and ignored."""
    return _after(states, lambda _its, _one, _value, _effect: None)


def last_strays(*states: str, end: str) -> type[Service]:
    """The last of these power writes leads to the state `end`."""
    return _after(states, lambda _its, _one, _, effect: effect(f"{keys.POWER_FAMILY}.{end}"))


def last_shows(*states: str, key: str, value: str) -> type[Service]:
    """After the last of these power writes another key has a wrong value."""

    def shows(its: Service, appliance: Appliance, written: Json, effect: Effect) -> None:
        effect(written)
        its.change(appliance, key, value)

    return _after(states, shows)


def refuses_last(*states: str) -> type[Service]:
    """The last of these power writes is refused."""
    return decides(
        lambda _, one, key, value, reason: (
            INVALID_STATE if reason is None and _completes(("On", *states), one, key, value) else reason
        )
    )


def unlocks_after(chosen: str, on: str, choosing: tuple[str, str]) -> type[Service]:
    """After these choices a key can be set that is locked."""
    return decides(
        lambda _its, one, key, _value, reason: (
            None if _has_chosen(chosen, choosing, one) and key == on and reason is INVALID_STATE else reason
        )
    )


def drops_after(chosen: str, on: str, choosing: tuple[str, str]) -> type[Service]:
    """After these choices a write of a key is acknowledged and dropped."""
    return drops_where(lambda its, key, _: _has_chosen(chosen, choosing, its) and key == on)


def shifts_beside(moved: State, mode: str, setpoint: str, meanwhile: float) -> type[Service]:
    """When one cooling mode is switched while another is on, a setpoint is another until that one ends."""

    class ShiftsBeside(Service):
        def follow(self, appliance: Appliance, key: str, value: Json) -> None:
            super().follow(appliance, key, value)
            kept = appliance.kept
            if (key, value) == moved and appliance.values[mode] is True:
                kept.setdefault(setpoint, appliance.values[setpoint])
                self.change(appliance, setpoint, meanwhile)
            elif (key, value) == (mode, False) and setpoint in kept:
                self.change(appliance, setpoint, kept.pop(setpoint))
            elif key == setpoint:
                kept.pop(setpoint, None)

    return ShiftsBeside
