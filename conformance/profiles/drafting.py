"""Profiles nobody wrote: from the words of a command line, and from what a server shows.

A draft claims what was seen, and says of everything it was not told that it is a guess.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from catalog.loader import load_catalog
from conformance.profiles.loader import Problem, ProfileError, build_profile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conformance.profiles.model import Profile

_MEMBERS: dict[str, tuple[str, ...]] = {
    "key": ("key",),
    "unit": ("unit",),
    "type": ("type",),
    "min": ("min", "minimum"),
    "max": ("max", "maximum"),
    "step": ("stepsize", "step", "stepSize"),
    "allowed": ("allowedvalues", "allowedValues", "enum"),
    "access": ("access",),
    "description": ("description", "name"),
}
_DEEPEST = 4


def command_line_profile(base_url: str, appliances: Sequence[str], vendor: str | None = None) -> Profile:
    """The profile that `--base-url`, `--vendor` and `--appliance HAID:KIND` amount to: nothing is claimed, nothing else declared.

    Raises:
        ProfileError: when either is not what it should be.
    """
    tables: list[dict[str, str]] = []
    for text in appliances:
        ha_id, colon, kind = text.rpartition(":")
        if not (colon and ha_id and kind):
            raise ProfileError("--appliance", [Problem(text, "is not HAID:KIND, such as 0123:Refrigerator")])
        tables.append({"ha_id": ha_id, "kind": kind})
    if not tables:
        raise ProfileError("--base-url", [Problem("--appliance", "name at least one appliance: --appliance HAID:KIND")])
    target = {"name": base_url, "base_url": base_url, **({"vendor": vendor} if vendor is not None else {})}
    return build_profile({"target": target, "appliance": tables}, load_catalog(), source="command line")


def guessed_pointers(value_pointer: str, bodies: Iterable[tuple[str, object]]) -> dict[str, str]:
    """Where bodies seem to hold what: the members of usual names beside the value or below it, by the field they would fill.

    `bodies` are pairs of the key asked for and the parsed body. A pointer to the key is only guessed where it held the key.
    """
    parent = value_pointer.rpartition("/")[0]
    found: dict[str, str] = {"value": value_pointer}
    for asked, body in bodies:
        for pointer, value in _members(_at(body, parent), parent):
            name = pointer.rpartition("/")[2]
            for field, names in _MEMBERS.items():
                if field not in found and name in names and _plausible(field, value, asked):
                    found[field] = pointer
    return found


def _plausible(field: str, value: object, asked: str) -> bool:
    if field == "key":
        return value == asked
    if field in {"min", "max", "step"}:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, list) if field == "allowed" else isinstance(value, str)


def _members(node: object, place: str, depth: int = 0) -> Iterable[tuple[str, object]]:
    if isinstance(node, dict) and depth < _DEEPEST:
        members = {
            f"{place}/{name.replace('~', '~0').replace('/', '~1')}": value for name, value in cast("dict[str, object]", node).items()
        }
        yield from members.items()
        for pointer, value in members.items():
            yield from _members(value, pointer, depth + 1)


def _at(body: object, pointer: str) -> object:
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        body = cast("Mapping[str, Any]", body).get(name) if isinstance(body, dict) else None
    return body
