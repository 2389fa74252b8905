"""Ranges in answers that are wider than the common range of the document.

> possible values: enumeration keys, true/false, or a numeric range

The value lies in both. Each of the seven keys of the limits table is wider at least once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import mutant
from conformance.mutants.soil import (
    ALARM_CLOCK,
    AMBIENT_BRIGHTNESS,
    AMBIENT_COLOR,
    BATTERY_LEVEL,
    CHILD_LOCK,
    COLOR_PERCENT,
    FRIDGE_EQUIPPED,
    HOOD,
    INTERNAL_BRIGHTNESS,
    LIGHTING_BRIGHTNESS,
    MACHINE_LIT,
    ROBOT,
    TIMED_OVEN,
)
from conformance.reference.appliance import OwnRange
from conformance.reference.fleet_cooling import FRIDGE_FAHRENHEIT
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry
    from conformance.reference.appliance import Appliance

_EXTERNAL_BRIGHTNESS = "Refrigeration.Common.Setting.Light.External.Brightness"
_EXTERNAL_LIGHT = "Refrigeration.Common.Setting.Light.External.Power"

_PRESET = MACHINE_LIT.only(POWER_STATE, CHILD_LOCK, AMBIENT_BRIGHTNESS).having(
    {AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.Color1"}
)


class Widened(Service):
    """One key is sent with a range that is not the document's.

    Attributes:
        key: the key, spelled with Vendor.
        sent: the range that is sent.
    """

    key: ClassVar[str]
    sent: ClassVar[OwnRange]

    def bounds(self, appliance: Appliance, entry: Entry) -> OwnRange | None:
        """Advertise the wrong range for the one key."""
        return self.sent if entry.key == self.key else super().bounds(appliance, entry)


@mutant("alarm-clock-advertises-a-day", clause="RANGE-COMMON-ADVERTISED", level="L2")
class AlarmClockAdvertisesADay(Widened):
    """AlarmClock advertises 0 to 86400 seconds."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK
    sent = OwnRange(0, 86400)


@mutant("alarm-clock-advertises-below", clause="RANGE-COMMON-ADVERTISED", level="L2")
class AlarmClockAdvertisesBelow(Widened):
    """AlarmClock advertises -1 to 38340 seconds."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK
    sent = OwnRange(-1, 38340)


@mutant("hood-light-advertises-zero", clause="RANGE-COMMON-ADVERTISED", level="L2")
class HoodLightAdvertisesZero(Widened):
    """LightingBrightness advertises 0 to 100, the range of its neighbours."""

    fleet = (HOOD,)
    key = LIGHTING_BRIGHTNESS
    sent = OwnRange(0, 100)


@mutant("ambient-light-advertises-one", clause="RANGE-COMMON-ADVERTISED", level="L2")
class AmbientLightAdvertisesOne(Widened):
    """AmbientLightBrightness advertises 1 to 90: narrower above, wider below."""

    fleet = (_PRESET,)
    key = AMBIENT_BRIGHTNESS
    sent = OwnRange(1, 90)


@mutant("internal-light-advertises-a-byte", clause="RANGE-COMMON-ADVERTISED", level="L2")
class InternalLightAdvertisesAByte(Widened):
    """The internal light advertises 0 to 255."""

    fleet = (FRIDGE_EQUIPPED,)
    key = INTERNAL_BRIGHTNESS
    sent = OwnRange(0, 255)


@mutant("external-light-advertises-above", clause="RANGE-COMMON-ADVERTISED", level="L2")
class ExternalLightAdvertisesAbove(Widened):
    """The external light advertises 10 to 100.5: narrower below, wider above."""

    fleet = (FRIDGE_FAHRENHEIT.only(POWER_STATE, _EXTERNAL_LIGHT, _EXTERNAL_BRIGHTNESS),)
    key = _EXTERNAL_BRIGHTNESS
    sent = OwnRange(10, 100.5, 0.5)


@mutant("percent-advertises-kelvin", clause="RANGE-COMMON-ADVERTISED", level="L2")
class PercentAdvertisesKelvin(Widened):
    """ColorTemperaturePercent advertises 0 to 6500."""

    fleet = (HOOD,)
    key = COLOR_PERCENT
    sent = OwnRange(0, 6500)


@mutant("battery-advertises-unknown", clause="RANGE-COMMON-ADVERTISED", level="L2")
class BatteryAdvertisesUnknown(Widened):
    """BatteryLevel advertises -1 to 100."""

    fleet = (ROBOT,)
    key = BATTERY_LEVEL
    sent = OwnRange(-1, 100)
