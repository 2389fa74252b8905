"""Servers that do not go where a power write says, or whose operation state does not follow.

> The power state (setting) moves by writes:
> Inactive | Switched off or in standby
> Ready | Switched on, no program active
"""

from msgspec.structs import replace

from catalog import keys
from conformance.mutants.fleets import ON_AND_OFF, ON_AND_STANDBY, THREE_STATES, UNLISTED
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import shows
from conformance.mutants.shapes.side_effects import detaches, follows
from conformance.mutants.shapes.writes import Effect, effects, operates, refuses_move, strays, takes
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json

_SWITCHED_BY_HAND = replace(
    ON_AND_OFF.only(keys.POWER_STATE, keys.REMOTE_CONTROL).having({keys.REMOTE_CONTROL: False}),
    ha_id="hood-9",
    read_only=frozenset({keys.POWER_STATE}),
)
_THIRD_STATE = {"PWR-NO-FOREIGN": "The state is neither the written one nor the old one, each time."}


_SLOW = {"timing": {"settle_s": 0.3, "power_settle_s": 5}}
_READY = "PowerState is Off or Standby, and OperationState stays Ready."
_INACTIVE = "PowerState is On, and OperationState stays Inactive."


def _wakes(its: Service, one: Appliance, key: str, value: Json, effect: Effect) -> None:
    if key == keys.POWER_STATE and (one.values[key], value) == (keys.STANDBY, keys.ON):
        its.change(one, key, value)
    else:
        effect(value)


def _off_ends(its: Service, appliance: Appliance, state: Json) -> None:
    if state == keys.OFF:
        its.apply(appliance, keys.POWER_STATE, keys.ON)


# fmt: off
broken("on-refused-when-off", "PWR-OFF-ON", "L3", THREE_STATES, refuses_move(keys.OFF, keys.ON),
    "On is refused for ever once the appliance is off.")
broken("on-ignored-when-off", "PWR-OFF-ON", "L3", ON_AND_OFF, strays(keys.OFF, keys.ON, keys.OFF),
    "On is acknowledged while the appliance is off, and it stays off.")
broken("on-wakes-halfway", "PWR-OFF-ON", "L3", THREE_STATES, strays(keys.OFF, keys.ON, keys.STANDBY),
    "On leads from Off to Standby, and from there to On.", partners=_THIRD_STATE)
broken("off-ignored", "PWR-ON-OFF", "L3", THREE_STATES, strays(keys.ON, keys.OFF, keys.ON),
    "Off is acknowledged while the appliance is on, and it stays on.")
broken("off-refused", "PWR-ON-OFF", "L3", ON_AND_OFF, refuses_move(keys.ON, keys.OFF),
    "Off is refused while the appliance is on, although it is declared.")
broken("off-does-not-last", "PWR-ON-OFF", "L3", (THREE_STATES, ON_AND_OFF),
    follows(keys.POWER_STATE, _off_ends, after_s=0.1),
    "Off is there at once, and a tenth of a second later each appliance is on again.", profile=_SLOW)
broken("off-rests", "PWR-ON-OFF", "L3", THREE_STATES, strays(keys.ON, keys.OFF, keys.STANDBY),
    "Off puts an appliance that has Off into standby.", partners=_THIRD_STATE)
broken("standby-ignored", "PWR-ON-STANDBY", "L3", ON_AND_STANDBY, strays(keys.ON, keys.STANDBY, keys.ON),
    "Standby is acknowledged while the appliance is on, and it stays on.")
broken("standby-refused", "PWR-ON-STANDBY", "L3", THREE_STATES, refuses_move(keys.ON, keys.STANDBY),
    "Standby is refused while the appliance is on, although it is declared.")
broken("standby-switches-off", "PWR-ON-STANDBY", "L3", THREE_STATES, strays(keys.ON, keys.STANDBY, keys.OFF),
    "Standby switches an appliance off that has Standby.", partners=_THIRD_STATE)
broken("on-ignored-in-standby", "PWR-STANDBY-ON", "L3", ON_AND_STANDBY,
    strays(keys.STANDBY, keys.ON, keys.STANDBY),
    "On is acknowledged in standby, and the appliance stays there.")
broken("on-refused-in-standby", "PWR-STANDBY-ON", "L3", THREE_STATES, refuses_move(keys.STANDBY, keys.ON),
    "On is refused in standby; only an appliance that is off can be switched on.")
broken("off-ignored-in-standby", "PWR-STANDBY-OFF", "L3", THREE_STATES,
    strays(keys.STANDBY, keys.OFF, keys.STANDBY),
    "Off is acknowledged in standby, and the appliance stays there, although it has Off.")
broken("off-refused-in-standby", "PWR-STANDBY-OFF", "L3", THREE_STATES, refuses_move(keys.STANDBY, keys.OFF),
    "Off is refused in standby, and only there.")
broken("off-wakes-from-standby", "PWR-STANDBY-OFF", "L3", THREE_STATES,
    strays(keys.STANDBY, keys.OFF, keys.ON), "Off in standby switches the appliance on.",
    partners=_THIRD_STATE)
broken("standby-in-off-switches-on", "PWR-NO-FOREIGN", "L3", THREE_STATES,
    (takes(keys.POWER_STATE, lambda value: value == keys.STANDBY, (keys.POWER_STATE, keys.OFF)),
        strays(keys.OFF, keys.STANDBY, keys.ON)),
    "Standby, written while the appliance is off, switches it on.", profile=UNLISTED)
broken("on-toggles", "PWR-NO-FOREIGN", "L3", ON_AND_OFF, strays(keys.ON, keys.ON, keys.OFF),
    "On, written while the appliance is on, switches it off.", profile=UNLISTED)
broken("standby-toggles", "PWR-NO-FOREIGN", "L3", ON_AND_STANDBY, strays(keys.STANDBY, keys.STANDBY, keys.ON),
    "Standby, written in standby, switches the appliance on.", profile=UNLISTED)
broken("on-in-standby-switches-off", "PWR-NO-FOREIGN", "L3", THREE_STATES,
    strays(keys.STANDBY, keys.ON, keys.OFF), "On, written in standby, switches the appliance off.",
    partners={"PWR-STANDBY-ON": "On is acknowledged in standby, and the appliance is not on."})
broken("standby-where-there-is-none", "PWR-UNSUPPORTED", "L3", ON_AND_OFF,
    takes(keys.POWER_STATE, lambda value: value == keys.STANDBY),
    "A hood that has On and Off alone goes into standby when that is written.", profile=UNLISTED)
broken("off-where-there-is-none", "PWR-UNSUPPORTED", "L3", ON_AND_STANDBY,
    takes(keys.POWER_STATE, lambda value: value == keys.OFF),
    "A coffee maker that has On and Standby alone goes off when that is written.", profile=UNLISTED)
broken("found-in-standby-without-having-it", "PWR-UNSUPPORTED", "L3", (ON_AND_OFF, _SWITCHED_BY_HAND),
    shows(lambda _: keys.STANDBY, keys.POWER_STATE, state=(keys.REMOTE_CONTROL, False)),
    "One of two hoods that have On and Off alone is in standby, where nobody can end it.", profile=UNLISTED)
broken("power-echoed", "PWR-READBACK", "L3", THREE_STATES, detaches(keys.POWER_STATE),
    "PowerState is what was written last, and OperationState stays Ready through all of it.",
    partners={"OPS-READY": _READY})
broken("standby-echoed", "PWR-READBACK", "L3", ON_AND_STANDBY, operates({keys.STANDBY: keys.READY}),
    "PowerState becomes Standby and nothing else does: OperationState is Ready.",
    partners={"OPS-READY": _READY})
broken("on-echoed", "PWR-READBACK", "L3", ON_AND_OFF, detaches(keys.POWER_STATE, keys.ON),
    "PowerState becomes On and nothing else does: OperationState stays Inactive.",
    partners={"OPS-ON-NOT-INACTIVE": _INACTIVE, "OPS-INACTIVE": _INACTIVE})
broken("ready-when-switched-off", "OPS-READY", "L3", THREE_STATES, operates({keys.OFF: keys.READY}),
    "OperationState is Ready after Off was written, Inactive after Standby.",
    partners={"PWR-READBACK": _READY})
broken("ready-in-every-state", "OPS-READY", "L3", ON_AND_OFF,
    operates({keys.ON: keys.READY, keys.OFF: keys.READY}),
    "OperationState becomes Ready with every power write, On or not.", partners={"PWR-READBACK": _READY})
broken("inactive-after-switching-on", "OPS-ON-NOT-INACTIVE", "L3", THREE_STATES,
    operates({keys.ON: keys.INACTIVE, keys.OFF: keys.INACTIVE, keys.STANDBY: keys.INACTIVE}),
    "OperationState stays Inactive after On was written, whatever the appliance came from.",
    partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE})
broken("inactive-after-waking", "OPS-ON-NOT-INACTIVE", "L3", THREE_STATES, effects(_wakes),
    "OperationState stays Inactive when standby ends, and follows when Off does.",
    partners={"OPS-INACTIVE": _INACTIVE, "PWR-READBACK": _INACTIVE})
