"""Servers whose fault shows only when a state is ended that they are found in: a lock, a mode, the dark.

> a set of settings (configurable properties)
> Type of the value
> a set of statuses (read-only states)

In the state that is found each of them does as the reference does, or a suite has to accept that it does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from catalog import keys
from conformance.mutants import fleets
from conformance.mutants.faults.rows import Row, add
from conformance.mutants.model import Symptom
from conformance.mutants.shapes.writes import drops, moves, opens, takes

if TYPE_CHECKING:
    from conformance.reference.wire import Json

_LOCKED_OVEN = fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True, keys.DOOR_STATE: keys.CLOSED})
_LOCKED_CUPS = fleets.COFFEE_SETTINGS.having({keys.CHILD_LOCK: True})
_ON_VACATION = fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True})
_RESTING = fleets.FRIDGE_LIGHT.having({keys.FRIDGE_SABBATH: True})
_DARK = fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False})
_IN_STANDBY = fleets.ON_AND_STANDBY_AND_LOCK.having(
    {keys.POWER_STATE: keys.STANDBY, keys.OPERATION_STATE: keys.INACTIVE}
)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


# fmt: off
ROWS = (
    Row("alarm-dropped-behind-a-lock", "SET-WRITABLE", "L3", _LOCKED_OVEN, drops(keys.ALARM_CLOCK),
        "ChildLock is found on; AlarmClock is acknowledged and dropped, also when it is off.",
        shows=Symptom("ChildLock=false; AlarmClock=60", 0, 60)),
    Row("lock-dropped-behind-standby", "SET-WRITABLE", "L3", _IN_STANDBY, drops(keys.CHILD_LOCK),
        "The oven is found in standby; ChildLock is acknowledged and dropped, also when it is on.",
        shows=Symptom("PowerState=On; ChildLock=true", False, True)),
    Row("setpoint-dropped-behind-a-mode", "SET-WRITABLE", "L3", _ON_VACATION, drops(keys.SETPOINT),
        "VacationMode is found on; the setpoint is acknowledged and dropped, also when it is off.",
        shows=Symptom("VacationMode=false; SetpointTemperatureRefrigerator=6", 4, 6)),
    Row("brightness-dropped-behind-the-sabbath", "SET-WRITABLE", "L3", _RESTING,
        drops(keys.INTERNAL_BRIGHTNESS),
        "SabbathMode is found on; the brightness of the light is acknowledged and dropped, also without it.",
        shows=Symptom("SabbathMode=false; Light.Internal.Brightness=30", 60, 30)),
    Row("any-number-once-the-light-is-on", "RANGE-WRITE-OUT", "L3", _DARK,
        takes(keys.AMBIENT_BRIGHTNESS, lambda value: value == 101, (keys.AMBIENT_ENABLED, True)),
        "The ambient light is found off; once it is on, its brightness takes 101.",
        shows=Symptom("AmbientLightEnabled=true; AmbientLightBrightness=101", 101, 40)),
    Row("text-stored-under-a-preset", "SET-TYPEGUARD", "L3", fleets.AMBIENT,
        takes(keys.AMBIENT_BRIGHTNESS, _is_text, (keys.AMBIENT_COLOR, keys.COLOR_1)),
        "The colour is found at CustomColor; under Color1 a text written to the brightness is stored.",
        shows=Symptom('AmbientLightColor=Color1; AmbientLightBrightness="dim"', "dim", 40)),
    Row("cups-follow-the-lock", "SET-ONLY-TARGET", "L3", _LOCKED_CUPS,
        moves(keys.CHILD_LOCK, keys.CUP_WARMER),
        "ChildLock is found on; whoever lifts it switches CupWarmer off, and on with it again.",
        shows=Symptom("ChildLock=false", False, True, read="CupWarmer")),
    Row("door-follows-once-unlocked", "STA-READONLY", "L3", _LOCKED_OVEN,
        opens(keys.DOOR_STATE, while_shown=(keys.CHILD_LOCK, False)),
        "ChildLock is found on; once it is off, a write of DoorState opens and closes the door.",
        shows=Symptom("ChildLock=false; status DoorState=Open", "Open", "Closed")),
)
# fmt: on

add(__name__, ROWS)
