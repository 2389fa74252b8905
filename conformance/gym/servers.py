"""The conforming servers of the gym: all appliances of the reference, and one oddity of a variant.

A variant has as few appliances and keys as a run needs. A client is written for a household. So what is odd
about a variant is put upon the reference: its shapes, and what its appliances have otherwise.
"""

import inspect
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from catalog.keys import INACTIVE, ON, OPERATION_STATE, POWER_STATE, TEMPERATURE_UNIT
from catalog.loader import CATALOG
from conformance.mutants.model import Allowed, Variant
from conformance.mutants.registry import load_variants
from conformance.mutants.shapes.states import Away, Unsaid
from conformance.reference.appliance import ApplianceSpec
from conformance.reference.service import Service

_PLAIN: Final = frozenset(Service.__mro__)
_SAYS_NOTHING: Final = frozenset({Away, Unsaid})
"""Shapes that alone change what a profile says, and no answer."""
_OF_ITS_OWN: Final = frozenset({"name", "fleet", "profile_extras"})
"""What a service has that is no answer of it."""
_WHOLE: Final = "appliance"
_FIELDS: Final = ("power_states", "camera", "subsets", "read_only", "contested", "vendor")
_RANGES: Final = ("ranges", "elsewhere")


class Change(Struct, frozen=True):
    """What an appliance has otherwise than that of the reference.

    Attributes:
        ha_id: the appliance.
        what: a key, a field of its spec, or `appliance` where the reference has none of that haId.
        shown: the value in words, by which two are compared; empty for a key that is not there.
    """

    ha_id: str
    what: str
    shown: str


class Oddity(Struct, frozen=True):
    """What makes the reference odd.

    Attributes:
        shapes: classes that override its methods, each before those that it is made of.
        data: values of their attributes.
        changes: what appliances have otherwise, each with the value; of a whole appliance that is its spec.
        declared: the tables of a profile that only such a server needs.
    """

    shapes: tuple[type[Service], ...] = ()
    data: Mapping[str, object] = {}
    changes: Mapping[Change, Any] = {}
    declared: Mapping[str, object] = {}

    @property
    def is_seen(self) -> bool:
        """Whether a client may notice it."""
        return bool(set(self.shapes) - _SAYS_NOTHING or self.data or self.changes)

    def is_within(self, other: "Oddity") -> bool:
        """Whether the other one has all of this, and more; a shape may read a value of its own otherwise."""
        is_part = set(self.shapes) <= set(other.shapes) and self.changes.keys() <= other.changes.keys()
        return self != other and not self.data and is_part

    def served(self, name: str, vendor: str = "") -> type[Service]:
        """The reference with this oddity, whose maker is called `vendor` unless that is what is odd."""
        outer = tuple(
            shape for shape in self.shapes if not any(shape in other.__mro__[1:] for other in self.shapes)
        )
        maker = {"vendor": vendor} if vendor else {}
        own = {"name": name, "fleet": _fleet(self.changes), "profile_extras": self.declared}
        members = {**maker, **self.data, **own}
        return type("Odd", outer or (Service,), members)


class Conforming(Struct, frozen=True):
    """A server of the gym.

    Attributes:
        name: that of its variant.
        what: what is odd about it.
        group: which sort of oddity that is: a word, and what it means.
        allowed: what allows it.
        oddity: what it is made of.
    """

    name: str
    what: str
    group: str
    allowed: Allowed
    oddity: Oddity

    @property
    def sort(self) -> str:
        """The word for the sort of its oddity, such as `values`."""
        return self.group.partition(":")[0]


@cache
def conforming_servers() -> tuple[Conforming, ...]:
    """Every variant that is odd in what it answers, and that nobody can dispute, by sort."""
    found = (
        Conforming(one.name, one.what, _group(one), one.allowed, oddity_of(one))
        for one in load_variants()
        if not one.disputed
    )
    return tuple(sorted((one for one in found if one.oddity.is_seen), key=lambda one: one.group))


def oddity_of(variant: Variant) -> Oddity:
    """What is odd about a variant, apart from the appliances that it is shown on."""
    service = variant.service
    shapes = tuple(shape for shape in service.__mro__[1:] if shape not in _PLAIN)
    own = {name: value for name, value in vars(service).items() if not name.startswith("__")}
    data = {name: value for name, value in own.items() if name not in _OF_ITS_OWN}
    known = {spec.ha_id: spec for spec in Service.fleet}
    changes = {
        change: value
        for spec in service.fleet
        for change, value in _changes(spec, known.get(spec.ha_id), variant.lacks)
    }
    return Oddity(shapes, data, changes, service.profile_extras)


def _group(variant: Variant) -> str:
    name = variant.service.__module__
    return f"{name.rpartition('.')[2]}: {(inspect.getdoc(sys.modules[name]) or '').partition('.')[0]}"


def _changes(
    spec: ApplianceSpec, known: ApplianceSpec | None, lacks: Sequence[str]
) -> Iterable[tuple[Change, Any]]:
    """What an appliance of a variant has otherwise than that of the reference; what it lacks is left out."""
    if known is None:
        yield Change(spec.ha_id, _WHOLE, repr(spec)), spec
        return
    for key, value in spec.values.items():
        if key not in known.values or repr(known.values[key]) != repr(value):
            yield Change(spec.ha_id, key, repr(value)), value
    lacking = {key for key in lacks if key in known.values}
    if spec.values.get(TEMPERATURE_UNIT) not in (None, known.values.get(TEMPERATURE_UNIT)):
        lacking |= known.ranges.keys() - spec.values.keys()  # those of the reference are in the other unit
    for key in lacking:
        yield Change(spec.ha_id, key, ""), None
    if spec.values.get(POWER_STATE, ON) != ON and OPERATION_STATE in known.values.keys() - spec.values.keys():
        yield Change(spec.ha_id, OPERATION_STATE, repr(INACTIVE)), INACTIVE
    was, now = asdict(known), asdict(spec)
    for field in _RANGES:
        others = {key: own for key, own in was[field].items() if key not in spec.values}
        now[field] = {**others, **now[field]}
    fields = [*_RANGES, *(_FIELDS if POWER_STATE in spec.values else _FIELDS[1:])]
    fields += [] if CATALOG.names_kind(spec.kind) else ["kind"]
    for field in fields:
        if was[field] != now[field]:
            yield Change(spec.ha_id, field, repr(now[field])), now[field]


def _fleet(changes: Mapping[Change, Any]) -> tuple[ApplianceSpec, ...]:
    made: dict[str, ApplianceSpec] = {spec.ha_id: spec for spec in Service.fleet}
    for change in sorted(changes, key=lambda change: (change.ha_id, change.what)):
        value = changes[change]
        if change.what == _WHOLE:
            made[change.ha_id] = value
            continue
        spec = made[change.ha_id]
        if "." not in change.what:
            made[change.ha_id] = replace(spec, **{change.what: value})
        elif change.shown:
            made[change.ha_id] = spec.having({change.what: value})
        else:
            made[change.ha_id] = spec.only(*(key for key in spec.values if key != change.what))
    return tuple(made.values())
