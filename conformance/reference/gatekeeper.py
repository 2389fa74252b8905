"""Which writes are taken: the second layer of `service.Service`.

Everything here is read from the catalog's tables: types, values, ranges, the power table and the
rules that tie one key to another. A mutant overrides one of the questions.
"""

import re

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Entry, PowerEdge, Rule, Segment
from conformance.reference.appliance import Appliance
from conformance.reference.clock import Clock
from conformance.reference.household import Household
from conformance.reference.wire import (
    INVALID_STATE,
    INVALID_VALUE,
    READ_ONLY_PATH,
    UNSUPPORTED,
    Json,
    Refusal,
)

_SURROGATE = re.compile("[\ud800-\udfff]")
"""What UTF-8 cannot carry in a text."""


class Gatekeeper(Household):
    """Says of every write whether it takes effect, and with which value."""

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__(clock)
        self.edges: dict[tuple[str, str], PowerEdge] = {
            (edge.source, edge.write): edge for edge in CATALOG.power_edges
        }
        self.locks: dict[str, list[Rule]] = {}
        for rule in CATALOG.rules:
            for subject in rule.subjects if rule.may_lock else ():
                self.locks.setdefault(subject, []).append(rule)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Whether the appliance shows this key under this segment."""
        return key in appliance.values and segment in appliance.spec.segments(self.entries[key])

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        """Why the entry cannot be written, or None: it is a status (line 84) or a read-only setting."""
        if segment == "status":
            return READ_ONLY_PATH
        if not self.serves(appliance, segment, key):
            return UNSUPPORTED["settings"]
        if self.entries[key].segment == "status" or key in appliance.spec.read_only:
            return INVALID_STATE
        return None

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Why this value is not taken now, or None if it is."""
        entry = self.entries[key]
        if not (
            self.fits_type(entry, value)
            and self.is_member(appliance, entry, value)
            and self.is_within(appliance, entry, value)
        ):
            return INVALID_VALUE
        if self.locked_by(appliance, key) is not None:
            return INVALID_STATE
        if key == keys.POWER_STATE and not self.moves_power(appliance, value):
            return INVALID_STATE
        return None

    def fits_type(self, entry: Entry, value: Json) -> bool:
        """Whether the value has the entry's data type; 5.0 is a whole number as well (interpretation I-5)."""
        if entry.type == "Boolean":
            return isinstance(value, bool)
        if entry.type in {"Enumeration", "String"}:
            return isinstance(value, str) and not _SURROGATE.search(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < float("inf"):
            return False
        return entry.type != "Integer" or value == int(value)

    def is_member(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Whether an enumeration value is one this appliance can take; true for any other type."""
        return entry.type != "Enumeration" or value in self.allowed(appliance, entry)

    def is_within(self, appliance: Appliance, entry: Entry, value: Json) -> bool:
        """Whether a number lies in its range on this appliance; true for what has no range."""
        bounds = self.bounds(appliance, entry)
        return bounds is None or not isinstance(value, int | float) or bounds.contains(value)

    def allowed(self, appliance: Appliance, entry: Entry) -> tuple[str, ...]:
        """The enumeration values this appliance can take, in the document's order, spelled with Vendor."""
        values = entry.values or ()
        spec = appliance.spec
        short = spec.power_states if entry.key == keys.POWER_STATE else spec.subsets.get(entry.key)
        return (
            values if short is None else tuple(value for value in values if value.rpartition(".")[2] in short)
        )

    def locked_by(self, appliance: Appliance, key: str) -> Rule | None:
        """The rule that forbids to set this key now (lines 65, 68 and 70), or None."""
        for rule in self.locks.get(key, ()):
            now = appliance.values.get(rule.controller)
            if now is not None and rule.locks(named=now in rule.values):
                return rule
        return None

    def moves_power(self, appliance: Appliance, value: Json) -> bool:
        """Whether the power table lists a move from the present state to this one (lines 129 to 133).

        Writing the present state is not listed; it is taken and leaves the state as it is.
        """
        before = appliance.values[keys.POWER_STATE]
        return value == before or (before, value) in self.edges

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """The accepted value as it is kept: numbers on the nearest step, whole ones without a fraction."""
        entry = self.entries[key]
        if not entry.is_numeric or isinstance(value, bool) or not isinstance(value, int | float):
            return value
        bounds = self.bounds(appliance, entry)
        if bounds is not None:
            return bounds.on_step(value)
        return int(value) if value == int(value) else value
