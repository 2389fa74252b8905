"""The shapes most faults have: a wrong value, a wrong unit, a wrong answer, a key that is not there.

Each overrides one method of the reference and leaves the key and what is wrong about it to the
mutant, as class attributes.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Reply


class Missent(Service):
    """One key is sent with something else than its value.

    Attributes:
        key: the key, spelled with Vendor.
        sent: what is sent, as it stands on the wire.
    """

    key: ClassVar[str]
    sent: ClassVar[Json]

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Send the wrong thing for the one key."""
        return self.sent if entry.key == self.key else super().spell_value(appliance, entry, value)


class Mismeasured(Service):
    """One key is sent with a unit that is not its own.

    Attributes:
        key: the key, spelled with Vendor.
        sent: the unit that is sent.
    """

    key: ClassVar[str]
    sent: ClassVar[str]

    def unit(self, appliance: Appliance, entry: Entry) -> str | None:
        """Name the wrong unit for the one key."""
        return self.sent if entry.key == self.key else super().unit(appliance, entry)


class Misanswered(Service):
    """A GET of one key is answered with something that is no entry, under every segment.

    Attributes:
        key: the key, spelled with Vendor.
        reply: the whole answer.
    """

    key: ClassVar[str]
    reply: ClassVar[Reply]

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Answer the one key wrongly."""
        return self.reply if key == self.key else super().read(appliance, segment, key)


class Unserved(Service):
    """One key of the appliance is answered as if the appliance did not have it, under every segment.

    Attributes:
        key: the key, spelled with Vendor.
    """

    key: ClassVar[str]

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Forget the one key."""
        return key != self.key and super().serves(appliance, segment, key)


class Displaced(Service):
    """One key is served under the other of the two segments, and there only.

    Attributes:
        key: the key, spelled with Vendor.
    """

    key: ClassVar[str]

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Look for the one key where it does not belong."""
        other: Segment = "status" if segment == "settings" else "settings"
        return super().serves(appliance, other if key == self.key else segment, key)


class Alternating(Service):
    """Every second GET of one key is answered with something that is no entry.

    Attributes:
        key: the key, spelled with Vendor.
        reply: every second answer.
    """

    key: ClassVar[str]
    reply: ClassVar[Reply]

    @cached_property
    def answered(self) -> set[str]:
        """The key, after a GET that was answered well."""
        return set()

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Answer well and wrongly by turns."""
        if key == self.key:
            self.answered.symmetric_difference_update({key})
        return self.reply if key == self.key and key not in self.answered else super().read(appliance, segment, key)
