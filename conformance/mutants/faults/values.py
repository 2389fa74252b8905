"""Servers that show wrong values: what can be wrong with a value follows from its row in the catalog.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
> An enumeration value is identified by its own key, listed below.
> possible values: enumeration keys, true/false, or a numeric range
> For settings without a common value range, the range is obtained by requesting the specific setting.
> When the setting is not returned, the unit is Celsius.

Each mutant has one thing wrong with all keys that a clause is about, or with those of one type, and the
clause must be red on every one of them. Its appliances have these keys between them. Faults of single keys
are in the other modules.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Entry, ValueType
from conformance.mutants.model import SeenAt, broken
from conformance.mutants.shapes.reads import holds, measures, rewrites, spells
from conformance.reference.appliance import ApplianceSpec, OwnRange
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members

_KINDS = {kind for entry in CATALOG.entries.values() for kind in entry.kinds}
_SPECS = [spec for spec in Service.fleet if spec.kind in _KINDS]
_HEALTHY = (
    keys.TEMPERATURE_UNIT,
    keys.POWER_STATE,
    keys.CHILD_LOCK,
    keys.REMOTE_CONTROL,
    keys.MAP_NAME_1,
    keys.CHARGING_CONNECTION,
    keys.WINE_DOOR,
    keys.FREEZER_DOOR,
)
"""Keys of which an appliance has two beside those that are wrong."""
_FEW = 2
_NOBODY = "Nonce"
"""No value of any enumeration."""


def _entries(wanted: Callable[[Entry], object]) -> tuple[Entry, ...]:
    return tuple(entry for entry in CATALOG.entries.values() if wanted(entry))


def _named(*names: str) -> tuple[Entry, ...]:
    return tuple(CATALOG.entries[name] for name in names)


def _appliances(entries: Iterable[Entry]) -> tuple[ApplianceSpec, ...]:
    """A few appliances of the reference that have all the keys between them, and two healthy ones each."""
    left, found = {entry.key for entry in entries}, list[ApplianceSpec]()
    healthy = [key for key in _HEALTHY if key not in left]
    while left:
        spec = max(_SPECS, key=lambda one: len(left & one.values.keys()))
        beside = [key for key in healthy if key in spec.values][:2]
        found.append(spec.only(*(key for key in spec.values if key in left), *beside))
        left -= spec.values.keys()
    return tuple(found)


def _what(entries: tuple[Entry, ...]) -> str:
    """What the entries are, in the singular."""
    known = [keys.short_name(entry.key) for entry in entries]
    return " or ".join(known) if len(known) <= _FEW else f"Each of {len(known)} keys like {known[0]}"


def _fault(  # noqa: PLR0913, PLR0917  the columns of a table
    clause: str,
    name: str,
    wrong: str,
    entries: tuple[Entry, ...],
    shape: type[Service] | tuple[type[Service], ...],
    seen_at: SeenAt = "L0",
    partners: Mapping[str, str] = MappingProxyType({}),
    fleet: tuple[ApplianceSpec, ...] = (),
) -> None:
    """Register a mutant in which the values of entries are wrong."""
    called, own = f"{clause}-{name}".lower().replace(" ", "-"), tuple(entry.key for entry in entries)
    appliances = fleet or _appliances(entries)
    broken(called, clause, seen_at, appliances, shape, wrong, partners=partners, everywhere=own)


def _sent(entries: Iterable[Entry], made: Callable[[Entry, Any], Json]) -> type[Service]:
    """The values of entries are sent as the function makes them."""
    own = {entry.key for entry in entries}
    return spells(lambda entry, sent: made(entry, sent) if entry.key in own else sent)


def _shown(entries: Iterable[Entry], made: Callable[[Entry, Any], Members]) -> type[Service]:
    """The function makes the members of entries that are others than they should be."""
    own = {entry.key for entry in entries}
    return holds(lambda entry, members: {**members, **made(entry, members)} if entry.key in own else members)


_TYPES: Mapping[ValueType, Mapping[str, Callable[[Any], Json]]] = {
    "Boolean": {"as a text": lambda sent: str(sent).lower(), "as a number": int, "as no text": lambda _: ""},
    "Integer": {"as a text": str, "as true": lambda _: True, "with a fraction": lambda sent: sent + 0.5},
    "Double": {"as a text": str, "as true": lambda _: True},
    "Float": {"as a text": str, "as true": lambda _: True},
    "String": {"as a number": lambda _: 7, "as false": lambda _: False},
    "Enumeration": {"as a number": lambda _: 2, "as false": lambda _: False},
}
_LITERALS = {"as NaN": b"NaN", "as an infinity": b"-Infinity", "beyond all numbers": b"1e999"}


def _of_types() -> None:
    """Values of another type, null, and numbers that are not finite."""
    for name, ways in _TYPES.items():
        entries, clause = CATALOG.of_type(name), f"TYPE-{'ENUM' if name == 'Enumeration' else name.upper()}"
        for way, made in ways.items():
            shape = _sent(entries, lambda _, sent, made=made: made(sent))
            _fault(clause, way, f"Every {name} is sent {way}.", entries, shape)
        wrapped = _sent(entries, lambda _, sent: {"value": sent})
        said = f"Every {name} is sent in an object that holds it once more."
        _fault(clause, "in an object", said, entries, wrapped, "L2")
        for way, literal in _LITERALS.items() if entries[0].is_numeric else ():
            rewritten = tuple(rewrites(entry.key, _says(literal)) for entry in entries)
            partners = {} if name == "Integer" else {clause: f"The number is not finite, so it is no {name}."}
            said = f"Every {name} is sent {way}."
            _fault("TYPE-FINITE", f"{name} {way}", said, entries, rewritten, partners=partners)
        nothing = _sent(entries, lambda _entry, _sent: None)
        _fault("TYPE-NOTNULL", name, f"Every {name} is null.", entries, nothing)


def _says(literal: bytes) -> Callable[[bytes], bytes]:
    return lambda body: re.sub(rb'"value":[^,]+', b'"value":' + literal, body)


_ENUMERATIONS = CATALOG.of_type("Enumeration")
_MEMBERS = {
    "ENUM-POWERSTATE": _named(keys.POWER_STATE),
    "ENUM-TEMPUNIT": _named(keys.TEMPERATURE_UNIT),
    "ENUM-LIQUIDUNIT": _named(keys.LIQUID_UNIT),
    "ENUM-ASSISTFORCE": _named(keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER),
    "ENUM-ASSISTTRIGGER": _named(keys.ASSISTANT_TRIGGER_FRIDGE, keys.ASSISTANT_TRIGGER_FREEZER),
    "ENUM-CURRENTMAP": _named(keys.CURRENT_MAP),
    "ENUM-LASTMAP": _named(keys.LAST_MAP),
    "ENUM-COLORTEMP": _named(keys.COLOR_TEMPERATURE),
    "ENUM-AMBCOLOR": _named(keys.AMBIENT_COLOR),
    "ENUM-OPSTATE": _named(keys.OPERATION_STATE),
    "ENUM-DOORSTATE": _named(keys.DOOR_STATE),
    "ENUM-DOOR-COOLING": _entries(lambda entry: entry.key.startswith("Refrigeration.Common.Status.Door.")),
    "ENUM-BATTCHARGE": _named(keys.CHARGING_STATE),
    "ENUM-CHARGECONN": _named(keys.CHARGING_CONNECTION),
    "ENUM-CAMERA": _named(keys.CAMERA_STATE),
}
_SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "short": lambda sent: sent.rpartition(".")[2],
    "with underscores": lambda sent: sent.replace(".", "_"),
    "in small letters": str.lower,
}
_UNLISTED = dict.fromkeys(_MEMBERS, "The value is none of those listed for its key.")
_FOREIGN = {"ADDR-SPECIFIC": "The value belongs to an enumeration that this key does not use."}


def _elsewhere(entry: Entry, _: Json) -> Json:
    """A value of the first family that the entry does not use."""
    other = next(family for family in CATALOG.enumerations if family != entry.family)
    return CATALOG.enumerations[other].values[-1].key


def _beside(entry: Entry, members: Any) -> Members:
    limits = members["constraints"]
    return {"constraints": {**limits, "allowedvalues": [*limits["allowedvalues"], _nobody(entry)]}}


def _nobody(entry: Entry, _: Json = None) -> str:
    return f"{entry.family}.{_NOBODY}"


def _of_enumerations() -> None:
    """Values in another spelling, values of nothing and of another enumeration, and lists with one."""
    for way, made in _SPELLINGS.items():
        shape = _sent(_ENUMERATIONS, lambda _, sent, made=made: made(sent))
        said = f"Every enumeration value is sent {way}."
        _fault("ENUM-KEYFORM", way, said, _ENUMERATIONS, shape, "L0", _UNLISTED)
    for clause, entries in _MEMBERS.items():
        what = _what(entries)
        shape, said = _sent(entries, _nobody), f"{what} is {_NOBODY}, which is no value of its enumeration."
        _fault(clause, "nonce", said, entries, shape)
        shape, said = _sent(entries, _elsewhere), f"{what} is a value of another enumeration."
        _fault(clause, "elsewhere", said, entries, shape, "L0", _FOREIGN)
    doors = _MEMBERS["ENUM-DOOR-COOLING"]
    locked, said = _sent(doors, lambda _entry, _sent: keys.LOCKED), "Every door of a refrigerator is Locked."
    _fault("ENUM-DOOR-COOLING", "locked", said, doors, locked)
    said = f"Every list of possible values ends in {_NOBODY}."
    _fault("ENUM-ADVERTISED", "nonce", said, _ENUMERATIONS, _shown(_ENUMERATIONS, _beside), "L2")


_COMMON = {
    "RANGE-ALARMCLOCK": _named(keys.ALARM_CLOCK),
    "RANGE-LIGHT": _named(keys.INTERNAL_BRIGHTNESS, keys.EXTERNAL_BRIGHTNESS),
    "RANGE-LIGHTING": _named(keys.LIGHTING_BRIGHTNESS),
    "RANGE-COLORTEMPPCT": _named(keys.COLOR_PERCENT),
    "RANGE-AMBBRIGHT": _named(keys.AMBIENT_BRIGHTNESS),
    "RANGE-BATTERY": _named(keys.BATTERY_LEVEL),
}
_OWN, _COUNTERS = _entries(lambda entry: entry.own_range), _entries(lambda entry: entry.is_counter)
_TEMPERATURES = tuple(entry for entry in _OWN if entry.unit != "ml")
_DOSES = tuple(entry for entry in _OWN if entry.unit == "ml")
_ABSENT: Mapping[str, tuple[str, Callable[[Any], Members]]] = {
    "without-max": ("have no upper bound", lambda own: {"min": own["min"]}),
    "without-min": ("have no lower bound", lambda own: {"max": own["max"]}),
    "nowhere": ("show no range", lambda _: {}),
}
_MALFORMED: Mapping[str, tuple[str, Callable[[Any], Members]]] = {
    "swapped": ("begins at its upper bound", lambda own: {"min": own["max"], "max": own["min"]}),
    "texts": ("is of texts", lambda own: {"min": str(own["min"]), "max": str(own["max"])}),
    "true": ("ends at true", lambda own: {"min": own["min"], "max": True}),
}
"""What is wrong with the range that an answer shows beside a value.

One is missed only where an answer shows another: else the profile may look in the wrong place.
"""


def _common(entry: Entry) -> tuple[float, float]:
    """The bounds of the common range of an entry that has one."""
    return (entry.range.min, entry.range.max) if entry.range else (0, 0)


def _of_ranges() -> None:
    """Numbers beyond the common range or their own, and ranges that are none, or wider than they may be."""
    for clause, entries in _COMMON.items():
        what, (low, high) = _what(entries), _common(entries[0])
        for name, beyond in (("below", low - 1), ("above", high + 1), ("far above", 2 * high + 55)):
            shape = _sent(entries, lambda _entry, _sent, beyond=beyond: beyond)
            _fault(clause, name, f"{what} is {beyond:g}, outside {low:g} to {high:g}.", entries, shape)
    common = tuple(entry for entries in _COMMON.values() for entry in entries)
    for name, by in (("below", (-1, 0)), ("above", (0, 1))):
        shape = _shown(common, lambda entry, members, by=by: _wider(entry, members, *by))
        said = f"Every range that has one in common with others is shown one wider {name}."
        _fault("RANGE-COMMON-ADVERTISED", name, said, common, shape, "L2")
    for name, (said, made) in _ABSENT.items():
        for what, entries in (("temperatures", _TEMPERATURES), ("doses", _DOSES)):
            _fault(
                "RANGE-PERAPP-PRESENT",
                f"{what} {name}",
                f"All {what} {said}.",
                entries,
                _limited(entries, made),
                "L2",
                fleet=_appliances(_OWN),
            )
    for name, (said, made) in _MALFORMED.items():
        wrong = f"Every range of its own {said}."
        _fault("RANGE-PERAPP-WELLFORMED", name, wrong, _OWN, _limited(_OWN, made), "L2")
    for name, bound, way in (("below", "min", -1), ("above", "max", 1)):
        shape = _shown(_OWN, lambda _, shown, bound=bound, way=way: _beyond(shown, bound, way))
        said = f"Every number with a range of its own is one step {name} that."
        _fault("RANGE-PERAPP-VALUE", name, said, _OWN, shape, "L2")
    shape = _sent(_COUNTERS, lambda _entry, _sent: -1)
    _fault("RANGE-COUNT", "negative", "Every counter is -1.", _COUNTERS, shape)


def _limited(entries: tuple[Entry, ...], made: Callable[[Any], Members]) -> type[Service]:
    return _shown(entries, lambda _, members: {"constraints": made(members["constraints"])})


def _beyond(members: Any, bound: str, way: int) -> Members:
    own = members["constraints"]
    return {"value": own[bound] + way * own["stepsize"]}


def _wider(entry: Entry, members: Any, below: float, above: float) -> Members:
    low, high = _common(entry)
    return {"constraints": {**members["constraints"], "min": low + below, "max": high + above}}


_COLD = ApplianceSpec(
    "fridge-9",
    "Refrigerator",
    {**{entry.key: 6 for entry in _TEMPERATURES}, keys.CHILD_LOCK: False, keys.FREEZER_DOOR: keys.CLOSED},
    ranges={entry.key: OwnRange(1, 9, 1, "°C") for entry in _TEMPERATURES},
)
"""A refrigerator with every temperature, in °C, that has no setting for the unit."""
_COLD_BY_UNIT = _COLD.having({keys.TEMPERATURE_UNIT: keys.CELSIUS})
_VOLUMES, _WATER = _entries(lambda entry: entry.unit == "ml"), _named(keys.HOT_WATER)
_BY_VOLUME = COFFEE_MAKER.only(keys.LIQUID_UNIT, keys.CUP_WARMER, keys.HOT_WATER)
_UNITS = (
    ("UNIT-TEMP-DEFAULT", _TEMPERATURES, {"fahrenheit": "°F", "kelvin": "K"}, (_COLD,)),
    ("UNIT-TEMP-APPLIES", _TEMPERATURES, {"fahrenheit": "°F", "kelvin": "K"}, (_COLD_BY_UNIT,)),
    ("UNIT-LIQ-DEFAULT", _VOLUMES, {"ounces": "fl.oz", "litres": "l"}, _appliances(_VOLUMES)),
    ("UNIT-HOTWATER", _WATER, {"ounces": "fl.oz", "cups": "cups"}, (_BY_VOLUME,)),
    ("UNIT-PERCENT", _entries(lambda entry: entry.unit == "%"), {"kelvin": "K", "lux": "lux"}, ()),
    ("UNIT-SECONDS", _named(keys.ALARM_CLOCK), {"minutes": "min", "milliseconds": "ms"}, ()),
)
_WHERE = {"UNIT-TEMP-DEFAULT": " without TemperatureUnit", "UNIT-LIQ-DEFAULT": " without LiquidVolumeUnit"}
_BOTH = {"UNIT-HOTWATER": "The hot water counter names another unit than ml."}


def _of_units() -> None:
    """Numbers beside another unit."""
    for clause, entries, wrong, fleet in _UNITS:
        for name, unit in wrong.items():
            shape = measures(unit, *(entry.key for entry in entries))
            partners = _BOTH if clause == "UNIT-LIQ-DEFAULT" else {}
            said = f"{_what(entries)} is shown in {unit}{_WHERE.get(clause, '')}."
            _fault(clause, name, said, entries, shape, "L2", partners, fleet)


_of_types()
_of_enumerations()
_of_ranges()
_of_units()
