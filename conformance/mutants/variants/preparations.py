"""Appliances found in states that a run may end, and odd ways in which they end, or do not.

> Child lock state

Who wants to write ends the state first. The appliance need not let it be ended, may take its time, and may
move with it what nothing keeps apart from it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.model import Symptom, add_variant
from conformance.mutants.variants.asleep import Away
from conformance.mutants.variants.moments import Late
from conformance.mutants.variants.shapes import Coupled, RefusingInState, SwallowingInState
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE

if TYPE_CHECKING:
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Refusal

_LOCKED_OVEN = fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True})
_LIT = fleets.MACHINE_LIT.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.AMBIENT_ENABLED, keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR
)
_LOCKED_AND_OFF = _LIT.having({keys.CHILD_LOCK: True, keys.POWER_STATE: keys.OFF})
_DARK_AND_LOCKED = _LIT.having({keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False})
_ON_VACATION = fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True, keys.SETPOINT: 14})
_LOCK = (keys.CHILD_LOCK, True)

odd = partial(add_variant, __name__)


class LiftedByHandOnly(Service):
    """ChildLock cannot be lifted by a write, and nobody claims that it can be written."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        return INVALID_STATE if key == keys.CHILD_LOCK else super().accepts(appliance, key, value)

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        own = super().abilities(spec)
        writable = [key for key in spec.values if key != keys.CHILD_LOCK and ".Setting." in key]
        return own | {"writable": writable}


class LockedUntilLiftedByHand(LiftedByHandOnly, RefusingInState):
    pass


class DeafUntilLiftedByHand(LiftedByHandOnly, SwallowingInState):
    pass


class LockedAndLate(Late, RefusingInState):
    pass


class LockedAndOff(Away, RefusingInState):
    pass


class NothingWhileOff(Away):
    """An appliance that is not on takes no write but one of its power state."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        is_on = appliance.values[keys.POWER_STATE] == keys.ON
        refused = key != keys.POWER_STATE and not is_on
        return INVALID_STATE if refused else super().accepts(appliance, key, value)


# fmt: off
odd(LockedUntilLiftedByHand, "lock-lifted-by-hand-only", "SET-WRITABLE",
    "ChildLock is found on, cannot be lifted by a write, and everything else is refused.",
    fleet=_DARK_AND_LOCKED, state=_LOCK, shows=Symptom("ChildLock=false", True, False))
odd(DeafUntilLiftedByHand, "deaf-until-lifted-by-hand", "SET-WRITABLE",
    "ChildLock is found on, cannot be lifted by a write, and everything else is answered 204 and ignored.",
    fleet=_DARK_AND_LOCKED, state=_LOCK, shows=Symptom("AmbientLightEnabled=true", False, True))
odd(LockedAndLate, "lock-lifted-late", "SET-WRITABLE",
    "ChildLock is found on and refuses everything else until it is off, a tenth of a second after the write.",
    fleet=_LOCKED_OVEN, state=_LOCK, shows=Symptom("ChildLock=false; AlarmClock=60", 409, 204, "answer"))
odd(LockedAndOff, "locked-and-off", "SET-WRITABLE",
    "The machine is found off and locked, and nothing but ChildLock can be written until that is off.",
    fleet=_LOCKED_AND_OFF, state=_LOCK, shows=Symptom("PowerState=On", "Off", "On"))
odd(NothingWhileOff, "locked-while-off", "SET-WRITABLE",
    "The machine is found off and locked, and nothing but PowerState can be written until it is on.",
    fleet=_LOCKED_AND_OFF, shows=Symptom("ChildLock=false", True, False))
odd(Coupled, "light-ends-with-the-sabbath", "COOL-SABBATH",
    "SabbathMode is found on; the light goes off when it ends, and stays so.",
    fleet=fleets.FRIDGE_LIGHT.having({keys.FRIDGE_SABBATH: True}),
    moves={(keys.FRIDGE_SABBATH, False): {keys.INTERNAL_LIGHT: False}},
    shows=Symptom("SabbathMode=false", False, True, "Light.Internal.Power"))
odd(Coupled, "setpoint-comes-back-after-vacation", "COOL-VACATION-14",
    "VacationMode is found on; the setpoint of the refrigerator is 14 meanwhile, and 4 when it ends.",
    fleet=_ON_VACATION, moves={(keys.VACATION_MODE, False): {keys.SETPOINT: 4},
        (keys.VACATION_MODE, True): {keys.SETPOINT: 14}},
    shows=Symptom("VacationMode=false", 4, 14, "SetpointTemperatureRefrigerator"))
# fmt: on
