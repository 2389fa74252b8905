"""Servers that send something else than a number where a number is due, or a number that is not finite.

> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    ALARM_CLOCK,
    ASSISTANT_TIMEOUT,
    BATTERY_LEVEL,
    COFFEE_COUNT,
    COLOR_PERCENT,
    COUNTING,
    DOSER,
    DOSING_1,
    DOSING_2,
    FREEZER_SETPOINT,
    FRIDGE,
    FRIDGE_EQUIPPED,
    HOOD,
    HOT_WATER,
    INTERNAL_BRIGHTNESS,
    LIGHTING_BRIGHTNESS,
    ROBOT,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_NO_DOUBLE = {"TYPE-DOUBLE": "The number is not finite, so it is no Double."}
_NO_FLOAT = {"TYPE-FLOAT": "The number is not finite, so it is no Float."}


@mutant("alarm-with-half-seconds", clause="TYPE-INTEGER", level="L0")
class AlarmWithHalfSeconds(Missent):
    """AlarmClock is sent as 90.5."""

    fleet = (TIMED_OVEN,)
    key, sent = ALARM_CLOCK, 90.5


@mutant("timeout-as-true", clause="TYPE-INTEGER", level="L0")
class TimeoutAsTrue(Missent):
    """The timeout of a door assistant is sent as true."""

    fleet = (FRIDGE_EQUIPPED,)
    key, sent = ASSISTANT_TIMEOUT, True


@mutant("dosing-with-its-unit", clause="TYPE-INTEGER", level="L0")
class DosingWithItsUnit(Missent):
    """Dosing1BaseLevel is sent as the text "50 ml"."""

    fleet = (DOSER,)
    key, sent = DOSING_1, "50 ml"


@mutant("integers-as-text", clause="TYPE-INTEGER", level="L0")
class IntegersAsText(Service):
    """Integers are sent as text, such as "54"."""

    fleet = (COUNTING,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Print every Integer."""
        sent = super().spell_value(appliance, entry, value)
        return str(sent) if entry.type == "Integer" else sent


@mutant("alarm-as-time", clause="TYPE-INTEGER", level="L0")
class AlarmAsTime(Missent):
    """AlarmClock is sent as the text "00:00:00"."""

    fleet = (TIMED_OVEN,)
    key, sent = ALARM_CLOCK, "00:00:00"


@mutant("count-with-a-comma", clause="TYPE-INTEGER", level="L0")
class CountWithAComma(Missent):
    """BeverageCounterCoffee is sent as the text "1,290"."""

    fleet = (COUNTING,)
    key, sent = COFFEE_COUNT, "1,290"


@mutant("water-with-a-fraction", clause="TYPE-INTEGER", level="L0")
class WaterWithAFraction(Missent):
    """BeverageCounterHotWater is sent with a fraction of a millilitre."""

    fleet = (COUNTING,)
    key, sent = HOT_WATER, 10350.25


@mutant("dosing-in-an-object", clause="TYPE-INTEGER", level="L2")
class DosingInAnObject(Service):
    """The value of Dosing2BaseLevel is an object of an amount and a unit."""

    fleet = (DOSER,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Take one value apart."""
        sent = super().spell_value(appliance, entry, value)
        return {"amount": sent, "unit": "ml"} if entry.key == DOSING_2 else sent


@mutant("setpoint-as-text", clause="TYPE-DOUBLE", level="L0")
class SetpointAsText(Missent):
    """The setpoint of the refrigerator is sent as the text "4.0"."""

    fleet = (FRIDGE,)
    key, sent = SETPOINT, "4.0"


@mutant("setpoint-as-true", clause="TYPE-DOUBLE", level="L0")
class SetpointAsTrue(Missent):
    """The setpoint of the refrigerator is sent as true."""

    fleet = (FRIDGE,)
    key, sent = SETPOINT, True


@mutant("freezer-with-its-unit", clause="TYPE-DOUBLE", level="L0")
class FreezerWithItsUnit(Missent):
    """The setpoint of the freezer is sent as the text "-18 °C"."""

    fleet = (FRIDGE,)
    key, sent = FREEZER_SETPOINT, "-18 °C"


@mutant("brightness-with-a-comma", clause="TYPE-DOUBLE", level="L0")
class BrightnessWithAComma(Missent):
    """The brightness of a refrigerator's light is sent as the text "60,5"."""

    fleet = (FRIDGE_EQUIPPED,)
    key, sent = INTERNAL_BRIGHTNESS, "60,5"


@mutant("setpoint-in-an-object", clause="TYPE-DOUBLE", level="L2")
class SetpointInAnObject(Service):
    """The value of the refrigerator's setpoint is an object of a number and a unit."""

    fleet = (FRIDGE,)

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """Take one value apart."""
        sent = super().spell_value(appliance, entry, value)
        return {"value": sent, "unit": "°C"} if entry.key == SETPOINT else sent


@mutant("percent-in-a-list", clause="TYPE-DOUBLE", level="L2")
class PercentInAList(Missent):
    """ColorTemperaturePercent is sent as a list of one number."""

    fleet = (HOOD,)
    key, sent = COLOR_PERCENT, (25,)


@mutant("battery-with-its-unit", clause="TYPE-FLOAT", level="L0")
class BatteryWithItsUnit(Missent):
    """BatteryLevel is sent as the text "80%"."""

    fleet = (ROBOT,)
    key, sent = BATTERY_LEVEL, "80%"


@mutant("battery-as-text", clause="TYPE-FLOAT", level="L0")
class BatteryAsText(Missent):
    """BatteryLevel is sent as the text "57.3"."""

    fleet = (ROBOT,)
    key, sent = BATTERY_LEVEL, "57.3"


@mutant("battery-as-true", clause="TYPE-FLOAT", level="L0")
class BatteryAsTrue(Missent):
    """BatteryLevel is sent as true when the battery is full."""

    fleet = (ROBOT,)
    key, sent = BATTERY_LEVEL, True


@mutant("brightness-beyond-numbers", clause="TYPE-FINITE", level="L0", partners=_NO_DOUBLE)
class BrightnessBeyondNumbers(Service):
    """LightingBrightness is sent as 1e999, which no number format holds."""

    fleet = (HOOD,)

    def encode(self, document: Json) -> bytes:
        """Write one number too large."""
        key = f'{{"data":{{"key":"{LIGHTING_BRIGHTNESS}"'.encode()
        body = super().encode(document)
        return body.replace(b'"value":80', b'"value":1e999') if body.startswith(key) else body


@mutant("battery-not-a-number", clause="TYPE-FINITE", level="L0", partners=_NO_FLOAT)
class BatteryNotANumber(Service):
    """BatteryLevel is sent as NaN."""

    fleet = (ROBOT,)

    def encode(self, document: Json) -> bytes:
        """Write one number that is none."""
        key = f'{{"data":{{"key":"{BATTERY_LEVEL}"'.encode()
        body = super().encode(document)
        return body.replace(b'"value":100', b'"value":NaN') if body.startswith(key) else body


@mutant("alarm-infinite", clause="TYPE-FINITE", level="L0")
class AlarmInfinite(Service):
    """AlarmClock is sent as Infinity when it is not set."""

    fleet = (TIMED_OVEN,)

    def encode(self, document: Json) -> bytes:
        """Write one number without an end."""
        key = f'{{"data":{{"key":"{ALARM_CLOCK}"'.encode()
        body = super().encode(document)
        return body.replace(b'"value":0', b'"value":Infinity') if body.startswith(key) else body


@mutant("setpoint-minus-infinite", clause="TYPE-FINITE", level="L0", partners=_NO_DOUBLE)
class SetpointMinusInfinite(Service):
    """The setpoint of the freezer is sent as -Infinity."""

    fleet = (FRIDGE,)

    def encode(self, document: Json) -> bytes:
        """Write one number without a beginning."""
        key = f'{{"data":{{"key":"{FREEZER_SETPOINT}"'.encode()
        body = super().encode(document)
        return body.replace(b'"value":-18', b'"value":-Infinity') if body.startswith(key) else body
