"""Settings that are enumerations, each with a value the document does not list.

> An enumeration value is identified by its own key, listed below.
"""

from __future__ import annotations

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Missent
from conformance.mutants.soil import (
    AMBIENT_COLOR,
    CHILD_LOCK,
    COLOR_TEMPERATURE,
    DOOR_STATE,
    HOOD,
    LIGHTING,
    LIQUID_UNIT,
    MACHINE,
)
from conformance.reference.fleet_cooking import COFFEE_MAKER
from conformance.reference.fleet_cooling import FRIDGE_CELSIUS
from conformance.reference.names import POWER_STATE, TEMPERATURE_UNIT

_UNLISTED = "The value is none of those listed for this key."
_SHORT = "The last segment stands where the whole key belongs."
_LABEL = "A label stands where the key belongs."
_CASE = "A letter has the other case."
_ZERO = "The number has a leading zero."
_FOREIGN = "The value belongs to an enumeration that this key does not use."

_FORCE_FRIDGE = "Refrigeration.Common.Setting.Door.AssistantForceFridge"
_FORCE_FREEZER = "Refrigeration.Common.Setting.Door.AssistantForceFreezer"
_TRIGGER_FRIDGE = "Refrigeration.Common.Setting.Door.AssistantTriggerFridge"
_TRIGGER_FREEZER = "Refrigeration.Common.Setting.Door.AssistantTriggerFreezer"

_SWITCHED = MACHINE.only(POWER_STATE, CHILD_LOCK, DOOR_STATE)
_STANDING_BY = _SWITCHED.having({POWER_STATE: "Vendor.Common.EnumType.PowerState.Standby"})
_MEASURING = COFFEE_MAKER.only(POWER_STATE, TEMPERATURE_UNIT, LIQUID_UNIT, CHILD_LOCK)
_ASSISTED = FRIDGE_CELSIUS.only(POWER_STATE, CHILD_LOCK, _FORCE_FRIDGE, _FORCE_FREEZER, _TRIGGER_FRIDGE, _TRIGGER_FREEZER)
_TINTED = HOOD.only(POWER_STATE, LIGHTING, COLOR_TEMPERATURE)
_COLORED = MACHINE.only(POWER_STATE, CHILD_LOCK).having({AMBIENT_COLOR: "Vendor.Common.EnumType.AmbientLightColor.Color2"})


@mutant("power-state-short", clause="ENUM-KEYFORM", level="L0", partners={"ENUM-POWERSTATE": _UNLISTED})
class PowerStateShort(Missent):
    """PowerState is On, without its family."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    sent = "On"


@mutant("power-state-label", clause="ENUM-KEYFORM", level="L0", partners={"ENUM-POWERSTATE": _UNLISTED})
class PowerStateLabel(Missent):
    """PowerState is Stand-by, as the table words it for people."""

    fleet = (_STANDING_BY,)
    key = POWER_STATE
    sent = "Stand-by"


@mutant("power-state-inner-capital", clause="ENUM-POWERSTATE", level="L0", partners={"ENUM-KEYFORM": _CASE})
class PowerStateInnerCapital(Missent):
    """PowerState is StandBy, with a capital B."""

    fleet = (_STANDING_BY,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.PowerState.StandBy"


@mutant("power-state-hyphen", clause="ENUM-POWERSTATE", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class PowerStateHyphen(Missent):
    """PowerState ends in the label Stand-by."""

    fleet = (_STANDING_BY,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.PowerState.Stand-by"


@mutant("power-state-trailing-space", clause="ENUM-KEYFORM", level="L0", partners={"ENUM-POWERSTATE": _UNLISTED})
class PowerStateTrailingSpace(Missent):
    """PowerState is followed by a space."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.PowerState.On "


@mutant("power-state-mains-off", clause="ENUM-POWERSTATE", level="L0")
class PowerStateMainsOff(Missent):
    """PowerState has a fourth value, MainsOff."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.PowerState.MainsOff"


@mutant("power-state-prolonged", clause="ENUM-POWERSTATE", level="L0")
class PowerStateProlonged(Missent):
    """PowerState is Once, which only begins like On."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.PowerState.Once"


@mutant("power-state-operates", clause="ENUM-POWERSTATE", level="L0", partners={"ADDR-SPECIFIC": _FOREIGN})
class PowerStateOperates(Missent):
    """PowerState is a value of OperationState."""

    fleet = (_SWITCHED,)
    key = POWER_STATE
    sent = "Vendor.Common.EnumType.OperationState.Ready"


@mutant("temperature-unit-kelvin", clause="ENUM-TEMPUNIT", level="L0")
class TemperatureUnitKelvin(Missent):
    """TemperatureUnit is Kelvin."""

    fleet = (_MEASURING,)
    key = TEMPERATURE_UNIT
    sent = "Vendor.Common.EnumType.TemperatureUnit.Kelvin"


@mutant("temperature-unit-symbol", clause="ENUM-TEMPUNIT", level="L0")
class TemperatureUnitSymbol(Missent):
    """TemperatureUnit is °C."""

    fleet = (_MEASURING,)
    key = TEMPERATURE_UNIT
    sent = "°C"


@mutant("temperature-unit-short", clause="ENUM-TEMPUNIT", level="L0", partners={"ENUM-KEYFORM": _SHORT})
class TemperatureUnitShort(Missent):
    """TemperatureUnit is Celsius, without its family."""

    fleet = (_MEASURING,)
    key = TEMPERATURE_UNIT
    sent = "Celsius"


@mutant("temperature-unit-volume", clause="ENUM-TEMPUNIT", level="L0", partners={"ADDR-SPECIFIC": _FOREIGN})
class TemperatureUnitVolume(Missent):
    """TemperatureUnit is a unit of volumes."""

    fleet = (_MEASURING,)
    key = TEMPERATURE_UNIT
    sent = "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter"


@mutant("volume-unit-small-letter", clause="ENUM-LIQUIDUNIT", level="L0", partners={"ENUM-KEYFORM": _CASE})
class VolumeUnitSmallLetter(Missent):
    """LiquidVolumeUnit is Milliliter, with a small l inside."""

    fleet = (_MEASURING,)
    key = LIQUID_UNIT
    sent = "Vendor.Common.EnumType.LiquidVolumeUnit.Milliliter"


@mutant("volume-unit-label", clause="ENUM-LIQUIDUNIT", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class VolumeUnitLabel(Missent):
    """LiquidVolumeUnit is ml."""

    fleet = (_MEASURING,)
    key = LIQUID_UNIT
    sent = "ml"


@mutant("volume-unit-singular", clause="ENUM-LIQUIDUNIT", level="L0")
class VolumeUnitSingular(Missent):
    """LiquidVolumeUnit is one FluidOunce."""

    fleet = (_MEASURING,)
    key = LIQUID_UNIT
    sent = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunce"


@mutant("assistant-force-label", clause="ENUM-ASSISTFORCE", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class AssistantForceLabel(Missent):
    """The force of the fridge door assistant ends in the label Low."""

    fleet = (_ASSISTED,)
    key = _FORCE_FRIDGE
    sent = "Refrigeration.Common.EnumType.Door.AssistantForce.Low"


@mutant("assistant-force-mid", clause="ENUM-ASSISTFORCE", level="L0")
class AssistantForceMid(Missent):
    """The force of the freezer door assistant is MidForce, half label and half key."""

    fleet = (_ASSISTED,)
    key = _FORCE_FREEZER
    sent = "Refrigeration.Common.EnumType.Door.AssistantForce.MidForce"


@mutant("assistant-trigger-reversed", clause="ENUM-ASSISTTRIGGER", level="L0")
class AssistantTriggerReversed(Missent):
    """The trigger of the fridge door assistant is PullPush."""

    fleet = (_ASSISTED,)
    key = _TRIGGER_FRIDGE
    sent = "Refrigeration.Common.EnumType.Door.AssistantTrigger.PullPush"


@mutant("assistant-trigger-force", clause="ENUM-ASSISTTRIGGER", level="L0", partners={"ADDR-SPECIFIC": _FOREIGN})
class AssistantTriggerForce(Missent):
    """The trigger of the freezer door assistant is a force."""

    fleet = (_ASSISTED,)
    key = _TRIGGER_FREEZER
    sent = "Refrigeration.Common.EnumType.Door.AssistantForce.LowForce"


@mutant("color-temperature-reversed", clause="ENUM-COLORTEMP", level="L0")
class ColorTemperatureReversed(Missent):
    """ColorTemperature is neutralToWarm."""

    fleet = (_TINTED,)
    key = COLOR_TEMPERATURE
    sent = "Cooking.Hood.EnumType.ColorTemperature.neutralToWarm"


@mutant("color-temperature-capital", clause="ENUM-COLORTEMP", level="L0", partners={"ENUM-KEYFORM": _CASE})
class ColorTemperatureCapital(Missent):
    """ColorTemperature is Warm, with a capital like all other enumerations."""

    fleet = (_TINTED,)
    key = COLOR_TEMPERATURE
    sent = "Cooking.Hood.EnumType.ColorTemperature.Warm"


@mutant("color-temperature-label", clause="ENUM-COLORTEMP", level="L0", partners={"ENUM-KEYFORM": _LABEL})
class ColorTemperatureLabel(Missent):
    """ColorTemperature ends in the label Individual."""

    fleet = (_TINTED,)
    key = COLOR_TEMPERATURE
    sent = "Cooking.Hood.EnumType.ColorTemperature.Individual"


@mutant("ambient-color-hundredth", clause="ENUM-AMBCOLOR", level="L0")
class AmbientColorHundredth(Missent):
    """AmbientLightColor is Color100."""

    fleet = (_COLORED,)
    key = AMBIENT_COLOR
    sent = "Vendor.Common.EnumType.AmbientLightColor.Color100"


@mutant("ambient-color-padded", clause="ENUM-AMBCOLOR", level="L0", partners={"ENUM-KEYFORM": _ZERO})
class AmbientColorPadded(Missent):
    """AmbientLightColor is Color07."""

    fleet = (_COLORED,)
    key = AMBIENT_COLOR
    sent = "Vendor.Common.EnumType.AmbientLightColor.Color07"


@mutant("ambient-color-from-zero", clause="ENUM-AMBCOLOR", level="L0")
class AmbientColorFromZero(Missent):
    """AmbientLightColor is Color0: colours are counted from zero."""

    fleet = (_COLORED,)
    key = AMBIENT_COLOR
    sent = "Vendor.Common.EnumType.AmbientLightColor.Color0"


@mutant("ambient-color-hexadecimal", clause="ENUM-AMBCOLOR", level="L0")
class AmbientColorHexadecimal(Missent):
    """AmbientLightColor is the colour itself, #4a88f8."""

    fleet = (_COLORED,)
    key = AMBIENT_COLOR
    sent = "#4a88f8"
