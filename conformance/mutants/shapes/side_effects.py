"""The shapes of writes that move more than what is written: other keys, or other appliances.

Each is a function that overrides one method, as those of a single key in `shapes.writes`.
"""

from collections.abc import Callable, Mapping

from conformance.mutants.shapes.writes import soon
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json


def spreads(to: Callable[[Appliance, Appliance, str], bool]) -> type[Service]:
    """A write of a key is one to other appliances as well that have it, where the function says so."""

    class Spreads(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            super().apply(appliance, key, value)
            for other in self.appliances.values():
                if other is not appliance and key in other.values and to(appliance, other, key):
                    super().apply(other, key, value)

    return Spreads


def shares(*shared: str) -> type[Service]:
    """All appliances have some settings together, or all that are named alike."""
    return spreads(lambda _its, _other, key: not shared or key in shared)


def mirrors(*twins: str) -> type[Service]:
    """Keys share one value: whoever writes one of them writes all."""

    class Mirrors(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            for twin in twins if key in twins else (key,):
                super().apply(appliance, twin, value)

    return Mirrors


def saves(*together: str) -> type[Service]:
    """Whoever writes one of some keys writes the others, too, as they were when the service started."""

    class Saves(Service):
        def apply(self, appliance: Appliance, key: str, value: Json) -> None:
            for other in together if key in together else ():
                if other != key:
                    self.change(appliance, other, appliance.spec.values[other])
            super().apply(appliance, key, value)

    return Saves


def detaches(on: str, *values: Json) -> type[Service]:
    """Nothing follows when a key is written, to any value or to some."""

    class Detaches(Service):
        def follow(self, appliance: Appliance, key: str, value: Json) -> None:
            if key != on or (values and value not in values):
                super().follow(appliance, key, value)

    return Detaches


def follows(
    on: str, act: Callable[[Service, Appliance, Json], None], *, once: bool = False, after_s: float = 0
) -> type[Service]:
    """When a key changes, the function acts on the appliance, by the new value: each time, or once.

    It does so at once, or so many seconds later, if the key does not change again before.
    """

    class Follows(Service):
        is_over = False

        def follow(self, appliance: Appliance, key: str, value: Json) -> None:
            super().follow(appliance, key, value)
            if key == on and not self.is_over:
                self.is_over = once
                soon(self, appliance, key, after_s, lambda: act(self, appliance, value))

    return Follows


def moves_unasked(on: str, step: Callable[[Json], Json], every_s: float) -> type[Service]:
    """A value goes on by one step every so many seconds, whoever asks."""

    class MovesUnasked(Service):
        def reset(self) -> None:
            super().reset()
            for one in self.appliances.values():
                if on in one.values:
                    self.move_later(one)

        def move_later(self, one: Appliance) -> None:
            self.timers.arm((one.ha_id, f"next {on}"), every_s, lambda: self.move(one))

        def move(self, one: Appliance) -> None:
            self.change(one, on, step(one.values[on]))
            self.move_later(one)

    return MovesUnasked


def moves(on: str, other: str, made: Callable[[Json], Json] = lambda value: value) -> type[Service]:
    """A key that changes moves another one to what the function makes of its value."""
    return follows(on, lambda its, appliance, value: its.change(appliance, other, made(value)))


def couples(moved: Mapping[tuple[str, bool | str], Mapping[str, Json]]) -> type[Service]:
    """A setting that changes to a certain value moves other keys, where they are, to certain values."""

    class Couples(Service):
        def follow(self, appliance: Appliance, key: str, value: Json) -> None:
            super().follow(appliance, key, value)
            for cause, effects in moved.items():
                for other in effects if cause == (key, value) else ():
                    if other in appliance.values:
                        self.change(appliance, other, effects[other])

    return Couples


def shifts(mode: str, setpoint: str, meanwhile: float, *, fahrenheit: float | None = None) -> type[Service]:
    """While a cooling mode is on, a setpoint is another, of its own where it is in °F; then it is back."""

    class Shifts(Service):
        def follow(self, appliance: Appliance, key: str, value: Json) -> None:
            super().follow(appliance, key, value)
            kept = appliance.kept
            if (key, value) == (mode, True):
                kept[setpoint] = appliance.values[setpoint]
                in_celsius = fahrenheit is None or self.temperature_unit(appliance) == "°C"
                self.change(appliance, setpoint, meanwhile if in_celsius else fahrenheit)
            elif key == mode and setpoint in kept:
                self.change(appliance, setpoint, kept.pop(setpoint))

    return Shifts
