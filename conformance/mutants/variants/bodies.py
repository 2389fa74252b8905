"""Odd shapes of a body: other wrappings and words, more members or fewer, and other lists of possible values.

> Response body field names: not shown.

Where the shape is another one, the profile points into it; a suite that is told nothing may learn nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any

from catalog.model import Entry
from conformance.mutants import document, fleets
from conformance.mutants.model import odd
from conformance.mutants.shapes.reads import holds, limits, wraps
from conformance.mutants.shapes.states import Unsaid
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json, Members

_NOTHING: Mapping[str, Json] = {"displayvalue": None, "unit": None, "description": None, "default": None}
_OF_A_LANGUAGE = {
    "Enumeration": "enum",
    "Boolean": "bool",
    "Integer": "int32",
    "Double": "float64",
    "Float": "float32",
    "String": "str",
}


def _moved(before: str, after: str) -> Mapping[str, str]:
    """The pointers of the reference with another beginning."""
    return {name: after + pointer.removeprefix(before) for name, pointer in Service.answer_pointers.items()}


def _labels(labels: Mapping[str, str]) -> type[Service]:
    """Types have other labels than those of the reference, by the data type."""
    return holds(lambda entry, members: {**members, "type": labels.get(entry.type, members["type"])})


def _bare(entry: Entry, members: Members) -> Members:
    constraints = members["constraints"]
    assert isinstance(constraints, dict)
    ends: Members = {end: constraints[end] for end in ("min", "max") if entry.own_range}
    bare: Members = {"key": members["key"], "value": members["value"]}
    return {**bare, "constraints": ends} if ends else bare


def _among_more(members: Members) -> Json:
    more = {
        "name": "Setting",
        "displayvalue": "five",
        "history": [{"value": "Vendor.Older", "at": 1}],
        "default": {"value": False},
    }
    return {"meta": {"value": 17, "api": "v1"}, "data": {**more, **members}, "links": {"self": None}}


def _in_other_words(members: Members) -> Json:
    constraints = members["constraints"]
    assert isinstance(constraints, dict)
    can: list[Json] = [constraints[end] for end in ("min", "max") if end in constraints]
    return {"result": {"of": members["key"], "is": members["value"], "can": can}}


_OTHER_WORDS = {"value": "/result/is", "key": "/result/of", "min": "/result/can/0", "max": "/result/can/1"}
_STATUSES_APART: Mapping[str, Any] = {
    **Service.answer_pointers,
    "status": {"value": "/data/state/current", "key": "/data/state/key"},
}


def _lists(listed: Callable[[list[Json], Json], list[Json]]) -> type[Service]:
    """An advertised list is what the function makes of it and of the value; what is taken does not change."""

    def limited(appliance: Appliance, entry: Entry, own: Members) -> Members:
        values = own.get("allowedvalues")
        is_list = isinstance(values, list)
        return own | {"allowedvalues": listed(values, appliance.values[entry.key])} if is_list else own

    return limits(limited)


# fmt: off
odd(wraps(lambda members: members), "body-flat", "PROT-SHAPE", "The members stand at the root.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), answer_pointers=_moved("/data", ""),
    allowed=document.BODY_SHAPE)
odd(wraps(lambda members: members["value"]), "body-scalar", "PROT-SHAPE",
    "The body is the value and nothing else, so own ranges are not to be seen.",
    fleet=(fleets.MACHINE, fleets.ROBOT_TWOFOLD, fleets.HOOD), answer_pointers={"value": ""},
    allowed=document.BODY_SHAPE)
odd(wraps(lambda members: {"data": [members]}), "body-in-a-list", "ADDR-SPECIFIC",
    "The body holds a list of exactly the entry asked for.", fleet=(fleets.FRIDGE, fleets.MACHINE),
    answer_pointers=_moved("/data", "/data/0"), allowed=document.BODY_SHAPE)
odd(wraps(_in_other_words), "body-of-other-words", "PROT-SHAPE",
    "Nothing has the name one would guess: the value is at /result/is, its range at /result/can/0 and 1.",
    fleet=fleets.FRIDGE, answer_pointers=_OTHER_WORDS, allowed=document.BODY_SHAPE)
odd(holds(lambda _, its: {"state": {"key": its["key"], "current": its["value"]}}, "status"),
    "body-of-statuses-differs", "PROT-SHAPE",
    "Statuses have another shape than settings, and the profile says so.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), answer_pointers=_STATUSES_APART,
    allowed=document.STATUS_SHAPE)
odd(wraps(lambda its: {"value": "success", "key": its["key"], "state": {"val": its["value"]}}),
    "body-with-a-status-word", "PROT-SHAPE",
    "A member called value says that all went well; the value stands one level down, beside the key.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), answer_pointers={"value": "/state/val", "key": "/key"},
    allowed=document.BODY_SHAPE)
odd(wraps(lambda members: [{"of": members["key"], "v": members["value"]}]), "body-as-a-list-of-one",
    "ADDR-SPECIFIC", "The whole body is a list of one item, in which nothing has a usual name.",
    fleet=(fleets.FRIDGE, fleets.MACHINE), answer_pointers={"value": "/0/v", "key": "/0/of"},
    allowed=document.BODY_SHAPE)
odd(wraps(_among_more), "body-with-more-members", "READ-VALUE",
    "Beside the value stand a text, a default, an older value and links, some of them called value, too.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), allowed=document.FIELDS)
odd(holds(lambda _, members: {**_NOTHING, **members, "description": None}), "body-with-nulls", "TYPE-NOTNULL",
    "Members that have nothing to say are null; the value is not.", fleet=(fleets.MACHINE_LIT, fleets.HOOD),
    allowed=document.FIELDS)
odd(wraps(lambda members: {"value": members["value"], "data": members}), "body-with-two-values",
    "PROT-SHAPE", "The value stands at two places, and both agree.", fleet=fleets.FRIDGE,
    allowed=document.BODY_SHAPE)
odd(holds(_bare), "body-bare", "CAT-FIELD-DESC",
    "An answer holds key, value and the two ends of an own range; no description, type, unit or access.",
    fleet=(fleets.FRIDGE, fleets.COUNTING, fleets.ROBOT_TWOFOLD), allowed=document.FIELDS)
odd(holds(lambda entry, members: {**members, "description": {"en": entry.notes, "de": "Einstellung"}}),
    "description-by-language", "CAT-FIELD-DESC", "The description is an object of languages.",
    fleet=fleets.MACHINE, allowed=document.DESCRIPTION,
    disputed="line 21 says string")
odd(_labels(_OF_A_LANGUAGE), "labels-of-a-language", "CAT-FIELD-TYPE",
    "Types have the names they have in a programming language.",
    fleet=(fleets.FRIDGE, fleets.COUNTING, fleets.ROBOT_TWOFOLD), allowed=document.FIELDS)
odd(_labels({"Integer": "Double", "Double": "Integer"}), "labels-of-other-types", "CAT-FIELD-TYPE",
    "Setpoints are called Integer and counters Double: the label is another word of the six, the value is "
    "right.", fleet=(fleets.FRIDGE, fleets.COUNTING), allowed=document.FIELDS,
    disputed="lines 43 and 99 name the types")
odd(Unsaid, "list-not-advertised", "CAT-FIELD-POSSIBLE",
    "Enumerations come without a list of possible values.", fleet=(fleets.FRIDGE, fleets.MACHINE),
    members=("allowedvalues",), allowed=document.AVAILABILITY)
odd(_lists(lambda values, now: [value for value in values if value != now]), "list-without-the-current",
    "ENUM-ADVERTISED", "The current value is not in its list, because it cannot be chosen now.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_NAMED), allowed=document.AVAILABILITY)
odd(_lists(lambda _values, _now: []), "list-empty", "ENUM-ADVERTISED",
    "Lists of possible values are empty: nothing can be chosen now.", fleet=fleets.MACHINE,
    allowed=document.AVAILABILITY)
odd(_lists(lambda values, _: 2 * values[::-1]), "list-with-repeats", "ENUM-ADVERTISED",
    "Lists of possible values run backwards and name each value twice.", fleet=(fleets.MACHINE, fleets.HOOD),
    allowed=document.AVAILABILITY)
