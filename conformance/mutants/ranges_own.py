"""Ranges that are missing, no ranges, not kept, or wider than the common one: faults of the bounds in an answer.

> For settings without a common value range, the range is obtained by requesting the specific setting.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    DOSER,
    DOSING_1,
    DOSING_2,
    FREEZER_SETPOINT,
    FRIDGE,
    FRIDGE_AMERICAN,
    SETPOINT,
)
from conformance.reference.appliance import OwnRange
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json, Members

_NAN = float("nan")


class Misbounded(Service):
    """One key is sent with a range that is none, or not all of it.

    Attributes:
        key: the key, spelled with Vendor.
        forgotten: members of its constraints that are left out.
        sent: members of its constraints that are sent instead of its own.
    """

    key: ClassVar[str]
    forgotten: ClassVar[frozenset[str]] = frozenset()
    sent: ClassVar[Mapping[str, Json]] = {}

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:
        """Send the wrong constraints for the one key."""
        members = super().constraints(appliance, entry)
        if entry.key != self.key:
            return members
        return {name: value for name, value in {**members, **self.sent}.items() if name not in self.forgotten}


@mutant("bound-upper-missing", clause="RANGE-PERAPP-PRESENT", level="L2")
class BoundUpperMissing(Misbounded):
    """The refrigerator setpoint shows its lower bound only."""

    fleet = (FRIDGE,)
    key = SETPOINT
    forgotten = frozenset({"max"})


@mutant("bound-lower-missing", clause="RANGE-PERAPP-PRESENT", level="L2")
class BoundLowerMissing(Misbounded):
    """The freezer setpoint shows its upper bound only."""

    fleet = (FRIDGE,)
    key = FREEZER_SETPOINT
    forgotten = frozenset({"min"})


@mutant("bounds-missing-second-dosing", clause="RANGE-PERAPP-PRESENT", level="L2")
class BoundsMissingSecondDosing(Misbounded):
    """The second dosing level shows no bounds, the first one does."""

    fleet = (DOSER,)
    key = DOSING_2
    forgotten = frozenset({"min", "max"})


@mutant("bounds-renamed", clause="RANGE-PERAPP-PRESENT", level="L2")
class BoundsRenamed(Misbounded):
    """The bounds of the refrigerator setpoint have names of their own there."""

    fleet = (FRIDGE,)
    key = SETPOINT
    forgotten = frozenset({"min", "max"})
    sent: ClassVar[Mapping[str, Json]] = {"minimum": 2, "maximum": 8}


@mutant("constraints-missing", clause="RANGE-PERAPP-PRESENT", level="L2")
class ConstraintsMissing(Service):
    """No answer shows any constraints, not even where the range is the appliance's own."""

    fleet = (DOSER,)

    def constraints(self, appliance: Appliance, entry: Entry) -> Members:  # noqa: ARG002  nothing is told of any entry
        """Tell nothing."""
        return {}


@mutant("bounds-are-texts", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundsAreTexts(Misbounded):
    """The bounds of the refrigerator setpoint are strings."""

    fleet = (FRIDGE,)
    key = SETPOINT
    sent: ClassVar[Mapping[str, Json]] = {"min": "2", "max": "8"}


@mutant("bounds-swapped", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundsSwapped(Misbounded):
    """The freezer setpoint counts its bounds from the warm end: the lower is above the upper."""

    fleet = (FRIDGE,)
    key = FREEZER_SETPOINT
    sent: ClassVar[Mapping[str, Json]] = {"min": -16, "max": -24}


@mutant("bound-boolean", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundBoolean(Misbounded):
    """The lower bound of the refrigerator setpoint is true."""

    fleet = (FRIDGE,)
    key = SETPOINT
    sent: ClassVar[Mapping[str, Json]] = {"min": True}


@mutant("bound-in-a-list", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundInAList(Misbounded):
    """The upper bound of the first dosing level is a list of one number."""

    fleet = (DOSER,)
    key = DOSING_1
    sent: ClassVar[Mapping[str, Json]] = {"max": [200]}


@mutant("bound-with-unit", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundWithUnit(Misbounded):
    """The upper bound of the second dosing level carries its unit with it."""

    fleet = (DOSER,)
    key = DOSING_2
    sent: ClassVar[Mapping[str, Json]] = {"max": "150 ml"}


@mutant("bound-not-a-number", clause="RANGE-PERAPP-WELLFORMED", level="L2")
class BoundNotANumber(Service):
    """The lower bound of the refrigerator setpoint is NaN."""

    fleet = (replace(FRIDGE, ranges={**FRIDGE.ranges, SETPOINT: OwnRange(_NAN, 8, 1, "°C")}),)

    def encode(self, document: Json) -> bytes:
        """Write NaN, which JSON does not know."""
        return json.dumps(document, ensure_ascii=False).encode()


@mutant("setpoint-beyond-its-range", clause="RANGE-PERAPP-VALUE", level="L2")
class SetpointBeyondItsRange(Missent):
    """The refrigerator setpoint is 12 in a range of 2 to 8, with no mode on."""

    fleet = (FRIDGE,)
    key = SETPOINT
    sent = 12


@mutant("freezer-below-its-range", clause="RANGE-PERAPP-VALUE", level="L2")
class FreezerBelowItsRange(Missent):
    """The freezer setpoint is -30 in a range of -24 to -16."""

    fleet = (FRIDGE,)
    key = FREEZER_SETPOINT
    sent = -30


@mutant("dosing-below-its-range", clause="RANGE-PERAPP-VALUE", level="L2")
class DosingBelowItsRange(Missent):
    """The second dosing level is 0, whatever its range."""

    fleet = (DOSER,)
    key = DOSING_2
    sent = 0


@mutant("dosing-within-the-examples", clause="RANGE-PERAPP-VALUE", level="L2")
class DosingWithinTheExamples(Missent):
    """The second dosing level is 190 in a range of 10 to 150, as if the example of the document were the limit."""

    fleet = (DOSER,)
    key = DOSING_2
    sent = 190


@mutant("bounds-of-the-other-unit", clause="RANGE-PERAPP-VALUE", level="L2")
class BoundsOfTheOtherUnit(Misbounded):
    """The refrigerator setpoint is 37 °F and its bounds are those in °C."""

    fleet = (FRIDGE_AMERICAN,)
    key = SETPOINT
    sent: ClassVar[Mapping[str, Json]] = {"min": 2, "max": 8}
