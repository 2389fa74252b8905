"""Odd shapes of a body: other wrappings, other words, more members, fewer, and lists of possible values that differ.

> Response body field names: not shown.

Where the shape is another one, the profile points into it; a suite that is told nothing may learn nothing.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import COUNTING, FRIDGE, HOOD, MACHINE, MACHINE_LIT, ROBOT_NAMED, ROBOT_TWOFOLD
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members


def _moved(before: str, after: str) -> Mapping[str, str]:
    """The pointers of the reference with another beginning."""
    return MappingProxyType({name: after + pointer.removeprefix(before) for name, pointer in Service.answer_pointers.items()})


@variant("body-flat", clause="PROT-SHAPE")
class BodyFlat(Service):
    """The members stand at the root."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)
    answer_pointers = _moved("/data", "")

    def wrap(self, members: Members) -> Json:
        """Wrap nothing."""
        return members


@variant("body-scalar", clause="PROT-SHAPE")
class BodyScalar(Service):
    """The body is the value and nothing else, so own ranges are not to be seen."""

    fleet = (MACHINE, ROBOT_TWOFOLD, HOOD)
    answer_pointers: ClassVar[Mapping[str, str]] = {"value": ""}

    def wrap(self, members: Members) -> Json:
        """Keep the value."""
        return members["value"]


@variant("body-in-a-list", clause="ADDR-SPECIFIC")
class BodyInAList(Service):
    """The body holds a list of exactly the entry asked for."""

    fleet = (FRIDGE, MACHINE)
    answer_pointers = _moved("/data", "/data/0")

    def wrap(self, members: Members) -> Json:
        """Put the one entry into a list."""
        return {"data": [members]}


@variant("body-of-other-words", clause="PROT-SHAPE")
class BodyOfOtherWords(Service):
    """Nothing has the name one would guess: the value is at /result/is, its range at /result/can/0 and 1."""

    fleet = (FRIDGE,)
    answer_pointers: ClassVar[Mapping[str, str]] = {
        "value": "/result/is",
        "key": "/result/of",
        "min": "/result/can/0",
        "max": "/result/can/1",
    }

    def wrap(self, members: Members) -> Json:
        """Rename everything."""
        constraints = members["constraints"]
        assert isinstance(constraints, dict)
        can: list[Json] = [constraints[end] for end in ("min", "max") if end in constraints]
        return {"result": {"of": members["key"], "is": members["value"], "can": can}}


@variant("body-of-statuses-differs", clause="PROT-SHAPE")
class BodyOfStatusesDiffers(Service):
    """Statuses have another shape than settings, and the profile says so."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)
    answer_pointers: ClassVar[Mapping[str, Any]] = {
        **Service.answer_pointers,
        "status": {"value": "/data/state/current", "key": "/data/state/key"},
    }

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Word a status in another way."""
        members = super().body(appliance, segment, entry, value)
        return members if segment == "settings" else {"state": {"key": members["key"], "current": members["value"]}}


@variant("body-with-a-status-word", clause="PROT-SHAPE")
class BodyWithAStatusWord(Service):
    """A member called value says that all went well; what was asked for stands beside the key, one level down."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)
    answer_pointers: ClassVar[Mapping[str, str]] = {"value": "/state/val", "key": "/key"}

    def wrap(self, members: Members) -> Json:
        """Say that all went well."""
        return {"value": "success", "key": members["key"], "state": {"val": members["value"]}}


@variant("body-as-a-list-of-one", clause="ADDR-SPECIFIC")
class BodyAsAListOfOne(Service):
    """The whole body is a list of one item, in which nothing has a usual name."""

    fleet = (FRIDGE, MACHINE)
    answer_pointers: ClassVar[Mapping[str, str]] = {"value": "/0/v", "key": "/0/of"}

    def wrap(self, members: Members) -> Json:
        """Put two members into a list."""
        return [{"of": members["key"], "v": members["value"]}]


@variant("body-with-more-members", clause="READ-VALUE")
class BodyWithMoreMembers(Service):
    """Beside the value stand a text of it, a default, an older value and links, some of them called value as well."""

    fleet = (FRIDGE, ROBOT_TWOFOLD)

    def wrap(self, members: Members) -> Json:
        """Add what nobody asked for."""
        more = {"name": "Setting", "displayvalue": "five", "history": [{"value": "Vendor.Older", "at": 1}], "default": {"value": False}}
        return {"meta": {"value": 17, "api": "v1"}, "data": {**more, **members}, "links": {"self": None}}


@variant("body-with-nulls", clause="TYPE-NOTNULL")
class BodyWithNulls(Service):
    """Members that have nothing to say are null; the value is not."""

    fleet = (MACHINE_LIT, HOOD)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Leave no member out."""
        nothing: Members = {"displayvalue": None, "unit": None, "description": None, "default": None}
        return {**nothing, **super().body(appliance, segment, entry, value), "description": None}


@variant("body-with-two-values", clause="PROT-SHAPE")
class BodyWithTwoValues(Service):
    """The value stands at two places, and both agree."""

    fleet = (FRIDGE,)

    def wrap(self, members: Members) -> Json:
        """Say it twice."""
        return {"value": members["value"], "data": members}


@variant("body-bare", clause="CAT-FIELD-DESC")
class BodyBare(Service):
    """An answer holds key, value and, for an own range, its two ends; no description, type, unit, step or access."""

    fleet = (FRIDGE, COUNTING, ROBOT_TWOFOLD)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Leave out what can be left out."""
        members = super().body(appliance, segment, entry, value)
        constraints = members["constraints"]
        assert isinstance(constraints, dict)
        ends: Members = {end: constraints[end] for end in ("min", "max") if entry.own_range}
        bare: Members = {"key": members["key"], "value": members["value"]}
        return {**bare, "constraints": ends} if ends else bare


@variant("description-by-language", clause="CAT-FIELD-DESC")
class DescriptionByLanguage(Service):
    """The description is an object of languages."""

    fleet = (MACHINE,)

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        """Describe the entry twice."""
        described: Members = {"description": {"en": entry.notes, "de": "Einstellung"}}
        return super().body(appliance, segment, entry, value) | described


@variant("labels-of-a-language", clause="CAT-FIELD-TYPE")
class LabelsOfALanguage(Service):
    """Types have the names they have in a programming language."""

    fleet = (FRIDGE, COUNTING, ROBOT_TWOFOLD)

    def label(self, appliance: Appliance, entry: Entry) -> str:  # noqa: ARG002  the label is the same on every appliance
        """Speak of bool and float64."""
        return {"Boolean": "bool", "Integer": "int32", "Double": "float64", "Float": "float32", "String": "str"}.get(entry.type, "enum")


@variant("labels-of-other-types", clause="CAT-FIELD-TYPE")
class LabelsOfOtherTypes(Service):
    """Setpoints are called Integer and counters Double: the label is another word of the six, the value is right."""

    fleet = (FRIDGE, COUNTING)

    def label(self, appliance: Appliance, entry: Entry) -> str:
        """Mix up the numbers."""
        return {"Integer": "Double", "Double": "Integer"}.get(entry.type) or super().label(appliance, entry)


class Listing(Service):
    """Advertised lists differ from what an appliance could be told; what it takes when written does not."""

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Change the list of an enumeration."""
        members = super().constraints(appliance, entry)
        listed = members.pop("allowedvalues", None)
        if not isinstance(listed, list):
            return members
        shown = self.listed(appliance, entry, [value for value in listed if isinstance(value, str)])
        return members if shown is None else {**members, "allowedvalues": shown}

    def listed(self, appliance: Appliance, entry: Entry, values: list[str]) -> list[str] | None:  # noqa: ARG002  one of them looks at the value
        """The list that is shown; None for no list."""
        return values


@variant("list-not-advertised", clause="CAT-FIELD-POSSIBLE")
class ListNotAdvertised(Listing):
    """Enumerations come without a list of possible values."""

    fleet = (FRIDGE, MACHINE)

    def listed(self, appliance: Appliance, entry: Entry, values: list[str]) -> None:
        """Show none."""


@variant("list-without-the-current", clause="ENUM-ADVERTISED")
class ListWithoutTheCurrent(Listing):
    """The current value is not in its list, because it cannot be chosen now."""

    fleet = (FRIDGE, ROBOT_NAMED)

    def listed(self, appliance: Appliance, entry: Entry, values: list[str]) -> list[str]:
        """Leave out what is there already."""
        return [value for value in values if value != self.value(appliance, entry.key)]


@variant("list-empty", clause="ENUM-ADVERTISED")
class ListEmpty(Listing):
    """Lists of possible values are empty: nothing can be chosen now."""

    fleet = (MACHINE,)

    def listed(self, appliance: Appliance, entry: Entry, values: list[str]) -> list[str]:  # noqa: ARG002  no entry has any
        """Show an empty one."""
        return []


@variant("list-with-repeats", clause="ENUM-ADVERTISED")
class ListWithRepeats(Listing):
    """Lists of possible values run backwards and name each value twice."""

    fleet = (MACHINE, HOOD)

    def listed(self, appliance: Appliance, entry: Entry, values: list[str]) -> list[str]:  # noqa: ARG002  every list is like that
        """Go through it backwards, twice."""
        return [*reversed(values), *reversed(values)]
