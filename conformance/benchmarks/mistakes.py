"""Mistakes that people make in profiles: a row for each field, with wrong values of it.

A mistake is made in a profile that is right. Where it concerns an appliance, it is made for the first one of
which it makes the profile another one that is valid.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from catalog import keys
from catalog.model import Level

Table: TypeAlias = Mapping[str, Any]
Making: TypeAlias = Callable[[Table], Iterator[Table]]
"""The profiles with a mistake that can be made of a right one, in an order of preference."""


class Mistake(NamedTuple):
    """A wrong value of a field: what makes the mistake, and what a run must be allowed to do to see it."""

    field: str
    wrong: str
    make: Making
    level: Level


def _says(field: str, *values: object, level: Level = "read", adds: bool = False) -> Iterator[Mistake]:
    """A field of a table says each of `values`; one that is not there is added only if it `adds`."""
    table, _, name = field.partition(".")

    def making(value: object) -> Making:
        def make(data: Table) -> Iterator[Table]:
            own: Table = data.get(table, {})
            if own.get(name) != value and (adds or name in own):
                yield {**data, table: {**own, name: value}}

        return make

    return (Mistake(field, str(value), making(value), level) for value in values)


def _of_one(
    field: str, wrong: str, change: Callable[[Table], Table | None], level: Level = "read"
) -> Iterator[Mistake]:
    """The table of one appliance is as `change` makes it; None where that would be no mistake."""

    def make(data: Table) -> Iterator[Table]:
        for at, table in enumerate(data["appliance"]):
            changed = change(table)
            if changed is not None and changed != table:
                yield {**data, "appliance": [*data["appliance"][:at], changed, *data["appliance"][at + 1 :]]}

    yield Mistake(f"appliance.{field}", wrong, make, level)


def _moved(key: str, source: str, target: str) -> Callable[[Table], Table | None]:
    """A key stands under `target` rather than under `source`."""

    def change(table: Table) -> Table | None:
        if key not in table.get(source, ()):
            return None
        left = [name for name in table[source] if name != key]
        return {**table, source: left, target: [*table.get(target, ()), key]}

    return change


def _states(*names: str) -> Callable[[Table], Table | None]:
    return lambda table: {**table, "power_states": list(names)} if "power_states" in table else None


def _other_camera(table: Table) -> Table | None:
    shows = keys.CAMERA_STATE in table.get("supports", ())
    return (
        {**table, "streaming_camera": not table["streaming_camera"]}
        if "streaming_camera" in table and not shows
        else None
    )


_CLAIMED = (keys.ALARM_CLOCK, keys.CHILD_LOCK, keys.ECO_MODE, keys.CUP_WARMER, keys.DOOR_STATE, keys.LOST)
_ENDS = ("/data/constraints/stepsize", "/bound", "/data/bound", "/data/value", "/data/key")
MISTAKES: tuple[Mistake, ...] = (
    *_says(
        "answer.value",
        "/value",
        "/data",
        "/data/key",
        "/data/name",
        "/data/type",
        "/data/val",
        "/val",
        "/key",
    ),
    *_says("answer.key", "/data/type", "/id", "/data/description", "/data/value", "/type", "/description"),
    *_says("answer.unit", "/data/type", "/uom", "/data/key", "/data/constraints/access", "/type"),
    *_says("answer.min", "/data/constraints/max", "/constraints/max", *_ENDS),
    *_says("answer.max", "/data/constraints/min", "/constraints/min", *_ENDS),
    *_says("answer.allowed", "/data/type", "/data/constraints", "/data/key", "/data/value", "/type"),
    *_says(
        "answer.step", "/data/constraints/max", "/data/constraints/min", "/constraints/max", level="write"
    ),
    *_says("target.vendor", "Acme", "vendor", "VENDOR", "Vendors", adds=True),
    *_says("http.success", "201-299", "204", "200-204,404", "200-204,409", adds=True),
    *_says("http.unreachable", [{"status": 409}], [{"status": 404}], adds=True),
    *_says("http.not_supported", [{"status": 401}], adds=True),
    *_says("paths.authoritative", "status", "settings", adds=True),
    *_says("interpretation.type_label_is_catalog_type", *(True,), adds=True),
    *_says("interpretation.integer_lexical", "strict", adds=True),
    *_says("interpretation.I-1", *(False,), adds=True),
    *(
        one
        for key in _CLAIMED
        for one in _of_one("supports", f"with {key}", _moved(key, "lacks", "supports"))
    ),
    *(one for key in _CLAIMED for one in _of_one("lacks", f"with {key}", _moved(key, "supports", "lacks"))),
    *_of_one("power_states", "Off", _states("Off")),
    *_of_one("power_states", "Standby", _states("Standby")),
    *_of_one("power_states", "On, Off, Standby", _states("On", "Off", "Standby"), "power"),
    *_of_one("power_states", "On, Off", _states("On", "Off"), "power"),
    *_of_one("power_states", "On, Standby", _states("On", "Standby"), "power"),
    *_of_one("streaming_camera", "the other", _other_camera),
)
