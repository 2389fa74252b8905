"""What an entry looks like in an answer: the third layer of `service.Service`.

Response bodies are not shown (line 150); a profile declares these by its pointers. A mutant
overrides one method, such as `unit` to name another unit or `encode` to send broken JSON.
"""

from collections.abc import Mapping
from typing import ClassVar

from catalog.model import Entry, Segment
from conformance.reference.appliance import Appliance
from conformance.reference.gatekeeper import Gatekeeper
from conformance.reference.wire import Json, Members, Refusal, Reply, dump

_LABELS: Mapping[str, str] = {
    "Boolean": "Boolean",
    "Integer": "Int",
    "Double": "Double",
    "Float": "Double",
    "String": "String",
}
_SENT_UNITS = frozenset({"seconds", "%", "ml"})


class Presenter(Gatekeeper):
    """Words entries, lists and refusals.

    Attributes:
        answer_pointers: where the members of `body` end up in an answer, as a profile declares it.
    """

    answer_pointers: ClassVar[Mapping[str, str]] = {
        "value": "/data/value",
        "key": "/data/key",
        "unit": "/data/unit",
        "type": "/data/type",
        "min": "/data/constraints/min",
        "max": "/data/constraints/max",
        "step": "/data/constraints/stepsize",
        "allowed": "/data/constraints/allowedvalues",
        "access": "/data/constraints/access",
        "description": "/data/description",
    }

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:  # noqa: ARG002  a mutant may tell the segments apart
        """The members that describe one entry; `value` is spelled with Vendor."""
        members: Members = {
            "key": self.spell(appliance, entry.key),
            "value": self.spell_value(appliance, entry, value),
            "type": self.label(appliance, entry),
            "description": entry.notes,
        }
        unit = self.unit(appliance, entry)
        if unit is not None:
            members["unit"] = unit
        members["constraints"] = self.constraints(appliance, entry)
        return members

    def label(self, appliance: Appliance, entry: Entry) -> str:
        """The word for the data type: an enumeration is called by its family."""
        return self.spell(appliance, entry.family) if entry.family else _LABELS[entry.type]

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """The unit of a number, or None where an answer names none."""
        bounds = self.bounds(appliance, entry)
        if bounds is not None and bounds.unit is not None:
            return bounds.unit
        return entry.unit if entry.unit in _SENT_UNITS else None

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """What the entry can be (line 23): its own range if it has one (line 29), and who may write it."""
        members: Members = {}
        bounds = self.bounds(appliance, entry) if entry.is_numeric else None
        if bounds is not None:
            members |= {"min": bounds.min, "max": bounds.max, "stepsize": bounds.step}
        if entry.type == "Enumeration":
            members["allowedvalues"] = [
                self.spell(appliance, value) for value in self.allowed(appliance, entry)
            ]
        read_only = entry.segment == "status" or entry.key in appliance.spec.read_only
        members["access"] = "read" if read_only else "readWrite"
        return members

    def wrap(self, members: Members) -> Json:
        """The whole document of an answer about one entry."""
        return {"data": members}

    def encode(self, document: Json) -> bytes:
        """The bytes of a document that is granted."""
        return dump(document)

    def item(self, appliance: Appliance, segment: Segment, entry: Entry) -> Members:  # noqa: ARG002  a mutant may tell the segments apart
        """The members of one entry in a list: no type and no constraints."""
        members: Members = {
            "key": self.spell(appliance, entry.key),
            "value": self.spell_value(appliance, entry, self.value(appliance, entry.key)),
        }
        unit = self.unit(appliance, entry)
        return members if unit is None else {**members, "unit": unit}

    def portrait(self, appliance: Appliance) -> Members:
        """The members of one appliance in the list of appliances."""
        maker = self.maker(appliance)
        return {
            "haId": appliance.ha_id,
            "name": f"{maker} {appliance.kind}",
            "type": appliance.kind,
            "brand": maker,
            "vib": appliance.ha_id.upper(),
            "enumber": f"{appliance.ha_id.upper()}/01",
            "connected": True,
        }

    def refuse(self, refusal: Refusal) -> Reply:
        """The answer to whatever is not granted; error codes and bodies are not shown (line 163)."""
        document: Json = {"error": {"key": refusal.key, "description": refusal.description}}
        return Reply(refusal.status, dump(document), headers=refusal.headers)
