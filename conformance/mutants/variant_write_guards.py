"""Odd ways not to take a wrong value: any code, no code, or a value made of it that is right.

> possible values | enumeration keys, true/false, or a numeric range | Allowed values

What counts is that the value read afterwards is allowed; it need not be the one from before.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import DOSING_1, LIQUID_UNIT
from conformance.mutants.variant_write_soil import AMBIENT, CLOCKED, COLD, COLD_UNITS, LAMP, MAPPED
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.fleet_household import WASHER
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, MALFORMED, Refusal, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_DOSER = WASHER.only("Vendor.Common.Setting.ChildLock", DOSING_1, "Vendor.Common.Status.DoorState")
_TRUE_WORDS = frozenset({"yes", "true", "on", "1"})
_UNITS = COFFEE_MAKER.only(LIQUID_UNIT, "Vendor.Common.Setting.TemperatureUnit", "ConsumerProducts.CoffeeMaker.Setting.CupWarmer")


class GuardsAnswering(Service):
    """A wrong value does nothing and has an answer of its own.

    Attributes:
        guarded: that answer.
    """

    guarded: ClassVar[Reply]

    def refuse(self, refusal: Refusal) -> Reply:
        """Give that answer; every other refusal stays as it is."""
        return self.guarded if refusal in (INVALID_VALUE, MALFORMED) else super().refuse(refusal)


@variant("wrong-values-ignored", clause="RANGE-WRITE-OUT", knowledges=("full",))
class WrongValuesIgnored(GuardsAnswering):
    """A value of the wrong type or beyond the range is answered 204 and ignored."""

    fleet = (COLD,)
    guarded = Reply(204, media_type=None)


@variant("unknown-values-ignored", clause="SET-ENUMGUARD", knowledges=("full",))
class UnknownValuesIgnored(GuardsAnswering):
    """A value outside the enumeration is answered 200, called written, and ignored."""

    fleet = (_UNITS,)
    guarded = Reply(200, dump({"data": {"written": True}}))


@variant("wrong-values-fail", clause="SET-TYPEGUARD", knowledges=("full",))
class WrongValuesFail(GuardsAnswering):
    """A wrong value ends in an exception: 500 in HTML."""

    fleet = (CLOCKED,)
    guarded = Reply(500, b"<html><body>Internal Server Error</body></html>", "text/html")


@variant("wrong-values-hang-up", clause="SET-TYPEGUARD", knowledges=("full",))
class WrongValuesHangUp(GuardsAnswering):
    """A wrong value ends the connection."""

    fleet = (LAMP,)
    guarded = Reply(200, drop=True)


@variant("wrong-values-not-found", clause="SET-ENUMGUARD", knowledges=("full",))
class WrongValuesNotFound(GuardsAnswering):
    """A wrong value is answered 404, as if the setting were not there, which it still is."""

    fleet = (AMBIENT,)
    guarded = Reply(404, dump({"error": {"key": "404"}}))


class Coercing(Service):
    """Values that are wrong as they stand are made into ones that may be right."""

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        """Make of the value what can be made of it."""
        return self.coerced(appliance, self.entries[key], super().decode(appliance, key, body))

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  some of them look at the appliance
        """The value that is taken in place of the one that was sent."""
        return value


@variant("numbers-clamped", clause="RANGE-WRITE-OUT", knowledges=("full",))
class NumbersClamped(Coercing):
    """A number beyond its range ends at the nearest end."""

    fleet = (COLD, CLOCKED)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Stop at the end."""
        bounds = self.bounds(appliance, entry)
        if bounds is None or not isinstance(value, int | float) or not self.fits_type(entry, value):
            return value
        return min(max(value, bounds.min), bounds.max)


@variant("numbers-beyond-take-the-first", clause="RANGE-WRITE-OUT", knowledges=("full",))
class NumbersBeyondTakeTheFirst(Coercing):
    """A number beyond its range sets what the appliance left the factory with."""

    fleet = (LAMP, _DOSER)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Fall back."""
        return value if self.is_within(appliance, entry, value) else appliance.spec.values[entry.key]


@variant("numbers-rounded-before-judged", clause="RANGE-WRITE-OUT", knowledges=("full",))
class NumbersRoundedBeforeJudged(Coercing):
    """A setpoint of 8.4 is taken where 8 is the most, because it is rounded to 8 first."""

    fleet = (COLD,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Round to the step before the range is looked at."""
        bounds = self.bounds(appliance, entry)
        return bounds.on_step(value) if bounds is not None and isinstance(value, float) and self.fits_type(entry, value) else value


@variant("texts-become-numbers", clause="SET-TYPEGUARD", knowledges=("full",))
class TextsBecomeNumbers(Coercing):
    """The text "5" is taken as the number 5, by Integers and Doubles."""

    fleet = (CLOCKED, COLD)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Read the text."""
        if not entry.is_numeric or not isinstance(value, str):
            return value
        try:
            return int(value) if entry.type == "Integer" else float(value)
        except ValueError:
            return value


@variant("fractions-cut", clause="SET-TYPEGUARD", knowledges=("full",))
class FractionsCut(Coercing):
    """An Integer that is sent 5.4 becomes 5."""

    fleet = (CLOCKED, _DOSER)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Leave the fraction out."""
        return int(value) if entry.type == "Integer" and isinstance(value, float) and abs(value) < 2**53 else value


@variant("words-become-booleans", clause="SET-TYPEGUARD", knowledges=("full",))
class WordsBecomeBooleans(Coercing):
    """A Boolean that is sent "yes" becomes true, and false for any other text."""

    fleet = (CLOCKED,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Understand the word."""
        return value.casefold() in _TRUE_WORDS if entry.type == "Boolean" and isinstance(value, str) else value


@variant("numbers-become-booleans", clause="SET-TYPEGUARD", knowledges=("full",))
class NumbersBecomeBooleans(Coercing):
    """A Boolean that is sent 1 becomes true, and false for 0."""

    fleet = (CLOCKED,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Count as C does."""
        return bool(value) if entry.type == "Boolean" and isinstance(value, int | float) else value


@variant("booleans-become-numbers", clause="SET-TYPEGUARD", knowledges=("full",))
class BooleansBecomeNumbers(Coercing):
    """An AlarmClock that is sent true is set to 1 second."""

    fleet = (CLOCKED,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Take true for 1."""
        return int(value) if entry.type == "Integer" and isinstance(value, bool) else value


@variant("anything-becomes-text", clause="SET-TYPEGUARD", knowledges=("full",))
class AnythingBecomesText(Coercing):
    """A map that is named 17 or true is called "17" or "True"."""

    fleet = (MAPPED,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:  # noqa: ARG002  on every appliance
        """Write it down."""
        return value if entry.type != "String" or value is None else str(value)


@variant("null-restores-the-first-value", clause="SET-TYPEGUARD", knowledges=("full",))
class NullRestoresTheFirstValue(Coercing):
    """A setting that is sent null goes back to what the appliance left the factory with."""

    fleet = (CLOCKED, replace(COLD_UNITS, ha_id="fridge-units"))

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Take null for a reset."""
        return appliance.spec.values[entry.key] if value is None else value


@variant("unknown-values-take-the-first", clause="SET-ENUMGUARD", knowledges=("full",))
class UnknownValuesTakeTheFirst(Coercing):
    """An enumeration that is sent what it does not know becomes the first of its values."""

    fleet = (_UNITS, MAPPED)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Fall back on the first."""
        if entry.type != "Enumeration" or not isinstance(value, str) or self.is_member(appliance, entry, value):
            return value
        return self.allowed(appliance, entry)[0]


@variant("short-names-taken", clause="SET-ENUMGUARD", knowledges=("full",))
class ShortNamesTaken(Coercing):
    """An enumeration takes the last part of a value, in capitals or not, and shows the whole of it."""

    fleet = (_UNITS,)

    def coerced(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Complete the name."""
        if entry.type != "Enumeration" or not isinstance(value, str):
            return value
        short = value.rpartition(".")[2].casefold()
        return next((known for known in self.allowed(appliance, entry) if known.rpartition(".")[2].casefold() == short), value)
