"""Odd ways to keep the rules of lights: what is locked is hidden, swallowed, or unlocks itself.

> Can be set only while the ambient light color is CustomColor

The rules say what cannot be set, and neither how a try is answered nor what can be read meanwhile.
"""

from functools import partial

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants import document, fleets
from conformance.mutants.fleets import PATIENT
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import State, gives, hides, nulls, shows, shows_as
from conformance.mutants.shapes.side_effects import couples
from conformance.mutants.shapes.states import refuses_with
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import HOOD_SIMPLE
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json, Reply

_SWITCH_OF = {
    keys.LIGHTING_BRIGHTNESS: keys.LIGHTING,
    keys.COLOR_TEMPERATURE: keys.LIGHTING,
    keys.COLOR_PERCENT: keys.LIGHTING,
    keys.AMBIENT_BRIGHTNESS: keys.AMBIENT_ENABLED,
    keys.AMBIENT_COLOR: keys.AMBIENT_ENABLED,
    keys.CUSTOM_COLOR: keys.AMBIENT_ENABLED,
    keys.INTERNAL_BRIGHTNESS: keys.INTERNAL_LIGHT,
}
_NO_CONTENT = Reply(204, media_type=None)
_LIGHTS_OFF = (
    fleets.HOOD.having({keys.LIGHTING: False}),
    fleets.MACHINE_LIT.having({keys.AMBIENT_ENABLED: False}),
    fleets.FRIDGE_EQUIPPED.having({keys.INTERNAL_LIGHT: False}),
)
_DARK_LAMP = fleets.LAMP.having({keys.LIGHTING: False})
_HOOD_WARM = fleets.HOOD.having({keys.COLOR_TEMPERATURE: f"{keys.COLOR_TEMPERATURE_FAMILY}.warm"})
_LAMP_NEUTRAL = fleets.LAMP.having({keys.COLOR_TEMPERATURE: keys.NEUTRAL_LIGHT})
_BOTH_LOCKED = (fleets.LAMP, fleets.AMBIENT)
_TWO_COLORS = replace(
    fleets.AMBIENT_PRESET,
    subsets={keys.AMBIENT_COLOR: ("Color1", "Color2")},
    read_only=frozenset({keys.CUSTOM_COLOR}),
)
_TWO_MACHINES = (
    fleets.MACHINE_LIT,
    replace(
        fleets.MACHINE_LIT.having({keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color2"}), ha_id="dishwasher-2"
    ),
)


def _try_moves(locked: str, moved: State) -> type[Service]:
    """A write of a locked setting first moves a key, such as the one that locks it."""

    class TryMoves(Service):
        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            if key == locked and self.locked_by(appliance, key) is not None:
                self.apply(appliance, *moved)
            return super().write(appliance, segment, key, body)

    return TryMoves


def _shows_when_locked(on: str, shown: Json) -> type[Service]:
    """A setting that is locked shows another value than it has."""
    return shows_as(lambda its, one, key, now: shown if key == on and its.locked_by(one, key) else now)


def unreadable(*locked: str, unread: Reply = _NO_CONTENT) -> type[Service]:
    """A GET of any of these settings while it is locked has this answer."""
    return gives(
        lambda its, one, _, key: unread if key in locked and its.locked_by(one, key) is not None else None
    )


class Hidden(Service):
    """A setting that is locked is refused as if it were not there."""

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        return self.locked_by(appliance, key) is None and super().serves(appliance, segment, key)


class BrightensLate(Service):
    profile_extras = PATIENT
    warming = False

    def value(self, appliance: Appliance, key: str) -> Json:
        is_dim = key == keys.LIGHTING_BRIGHTNESS and (self.warming or not appliance.values[keys.LIGHTING])
        return 10 if is_dim else super().value(appliance, key)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(appliance, key, value)
        if key == keys.LIGHTING and value is True:
            self.warming = True
            self.timers.arm((appliance.ha_id, "warm"), 0.15, partial(setattr, self, "warming", False))


def _is_dark(appliance: Appliance, key: str) -> bool:
    """Whether the light that the key is about is off."""
    return key in _SWITCH_OF and appliance.values.get(_SWITCH_OF[key]) is False


# fmt: off
written(refuses_with(Reply(204, media_type=None), INVALID_STATE), "locks-swallow",
    "AMB-BRIGHTNESS-LOCKED", "A light setting that is locked is answered 204 and keeps its value.",
    fleet=_BOTH_LOCKED, allowed=document.AMBIENT_LOCKED)
written(refuses_with(Reply(500, b"Internal Server Error", "text/plain"), INVALID_STATE),
    "locks-fail", "AMB-CUSTOM-ONLY", "A light setting that is locked ends in an exception: 500.",
    fleet=_BOTH_LOCKED, allowed=document.CUSTOM_LOCKED)
written(refuses_with(Reply(404, media_type=None), INVALID_STATE), "locks-not-found", "HOOD-PERCENT-USABLE",
    "A light setting that is locked is not found when it is written, and found when it is read.",
    fleet=_BOTH_LOCKED, allowed=document.PERCENT_USABLE)
written(_try_moves(keys.CUSTOM_COLOR, (keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)), "custom-color-unlocks-itself",
    "AMB-CUSTOM-ONLY", "A custom colour that is written under a preset colour chooses CustomColor by itself.",
    fleet=fleets.AMBIENT_PRESET, allowed=document.CUSTOM_LOCKED)
written(_try_moves(keys.AMBIENT_BRIGHTNESS, (keys.AMBIENT_COLOR, keys.COLOR_1)), "brightness-unlocks-itself",
    "AMB-BRIGHTNESS-LOCKED", "A brightness that is written under CustomColor chooses Color1 by itself.",
    fleet=fleets.AMBIENT, allowed=document.AMBIENT_LOCKED)
written(_try_moves(keys.COLOR_PERCENT, (keys.COLOR_TEMPERATURE, keys.CUSTOM_LIGHT)), "percent-unlocks-itself",
    "HOOD-PERCENT-USABLE", "A percent setting that is written under neutral chooses custom by itself.",
    fleet=_LAMP_NEUTRAL, allowed=document.PERCENT_USABLE)
written(unreadable(keys.AMBIENT_BRIGHTNESS), "brightness-unreadable-under-custom-color",
    "AMB-BRIGHTNESS-LOCKED", "Once CustomColor is chosen the brightness has no content: 204.",
    fleet=fleets.AMBIENT_PRESET, allowed=document.AMBIENT_LOCKED)
written(unreadable(keys.CUSTOM_COLOR, unread=Reply(409, b'{"error":{"key":"SDK.Error.UnsupportedSetting"}}')),
    "custom-color-unreadable-under-a-preset", "AMB-CUSTOM-ONLY",
    "Once a preset colour is chosen the custom colour is refused.", fleet=fleets.AMBIENT,
    allowed=document.CUSTOM_LOCKED)
written(unreadable(keys.COLOR_PERCENT, unread=Reply(200, drop=True)), "percent-unreadable-while-warm",
    "HOOD-PERCENT-USABLE",
    "Once another colour temperature than custom is chosen, asking for the percent setting ends the "
    "connection.", fleet=fleets.LAMP, allowed=document.PERCENT_USABLE)
written(unreadable(keys.AMBIENT_BRIGHTNESS, keys.CUSTOM_COLOR, keys.COLOR_PERCENT), "locked-when-found",
    "AMB-BRIGHTNESS-LOCKED",
    "A light setting that is locked has no content, 204; the brightness, the custom color and the percent "
    "setting are when found.",
    fleet=(fleets.AMBIENT, replace(fleets.AMBIENT_PRESET, ha_id="dishwasher-2"), _LAMP_NEUTRAL),
    allowed=document.AMBIENT_LOCKED)
odd(Hidden, "percent-hidden-while-warm", "HOOD-PERCENT-USABLE",
    "ColorTemperature is warm and its percent setting is refused.", fleet=_HOOD_WARM,
    allowed=document.PERCENT_USABLE)
odd(Hidden, "ambient-keys-hidden", "AMB-BRIGHTNESS-LOCKED",
    "What cannot be set under the present colour cannot be read either: brightness here, the custom colour "
    "there.", fleet=_TWO_MACHINES, allowed=document.AMBIENT_LOCKED)
written(shows(lambda _: 100, keys.AMBIENT_BRIGHTNESS, state=(keys.AMBIENT_COLOR, keys.COLOR_CUSTOM)),
    "brightness-full-under-custom-color", "AMB-BRIGHTNESS-LOCKED",
    "While CustomColor is chosen the brightness reads 100, and afterwards what it was before.",
    fleet=fleets.AMBIENT_PRESET, allowed=document.AMBIENT_LOCKED)
written(shows(lambda _: 0, keys.INTERNAL_BRIGHTNESS, state=(keys.INTERNAL_LIGHT, False)),
    "light-off-reads-zero",
    "LIGHT-POWER", "The brightness of a refrigerator's light reads 0 while the light is off.",
    fleet=fleets.FRIDGE_LIGHT, allowed=document.LIGHT)
written(BrightensLate, "light-brightens-late", "LIGHT-POWER",
    "A light is found off. Its brightness reads 10 while it is off, and for a moment after that.",
    fleet=_DARK_LAMP, allowed=document.LIGHT)
written(_shows_when_locked(keys.CUSTOM_COLOR, "#c01010"), "custom-color-shows-the-preset", "AMB-CUSTOM-ONLY",
    "Under a preset colour the custom colour reads as that colour, and under CustomColor as it was set.",
    fleet=fleets.AMBIENT_PRESET, allowed=document.CUSTOM_LOCKED)
written(_shows_when_locked(keys.COLOR_PERCENT, 33.3), "percent-shows-the-choice", "HOOD-PERCENT-USABLE",
    "Under another colour temperature than custom the percent setting reads 33.3, and under custom as it "
    "was set.", fleet=fleets.LAMP, allowed=document.PERCENT_USABLE)
written(Service, "light-without-a-custom-color", "AMB-BRIGHTNESS-LOCKED",
    "The light knows two preset colours and no CustomColor, and keeps a custom colour that nobody can set.",
    fleet=_TWO_COLORS, allowed=document.AVAILABILITY)
odd(Service, "lights-off-readable", "RANGE-AMBBRIGHT",
    "Lights are off, and brightness and colour read as they will be when they are on.", fleet=_LIGHTS_OFF,
    allowed=document.LIGHT)
odd(Service, "percent-readable-while-warm", "HOOD-PERCENT-USABLE",
    "ColorTemperature is warm and its percent setting can be read.", fleet=_HOOD_WARM,
    allowed=document.PERCENT_USABLE)
odd(Service, "percent-without-color-temperature", "HOOD-PERCENT-USABLE",
    "The hood has no ColorTemperature, and its percent setting is free.", fleet=HOOD_SIMPLE,
    allowed=document.PERCENT_USABLE)
written(_try_moves(keys.AMBIENT_BRIGHTNESS, (keys.AMBIENT_BRIGHTNESS, 37.5)),
    "brightness-starts-at-a-try", "AMB-BRIGHTNESS-LOCKED",
    "A try to set the brightness under CustomColor is refused, and leaves it at 37.5, whatever was tried.",
    fleet=fleets.AMBIENT, allowed=document.AMBIENT_LOCKED)
written(couples({(keys.AMBIENT_COLOR, keys.COLOR_1): {keys.AMBIENT_BRIGHTNESS: 55}}),
    "preset-brings-its-brightness", "AMB-BRIGHTNESS-LOCKED",
    "Color1 has a brightness of its own, 55, which comes whenever that colour is chosen.",
    fleet=fleets.AMBIENT, allowed=document.LIGHT)
written(couples({(keys.COLOR_TEMPERATURE, keys.CUSTOM_LIGHT): {keys.COLOR_PERCENT: 50}}),
    "custom-begins-at-half", "HOOD-PERCENT-USABLE",
    "Whenever custom is chosen, the percent setting begins at 50.", fleet=fleets.HOOD_LIGHT_NEUTRAL,
    allowed=document.LIGHT)
odd(hides(_is_dark), "lights-off-refuse", "LIGHT-POWER",
    "Lights are off, and brightness and colour are refused until they are on.", fleet=_LIGHTS_OFF,
    allowed=document.LIGHT)
odd(nulls(_is_dark), "lights-off-null", "TYPE-NOTNULL",
    "Lights are off, and brightness and colour are null until they are on.",
    fleet=_LIGHTS_OFF, allowed=document.LIGHT,
    disputed="line 22: null is of none of the six types")
written(refuses_where(lambda appliance, key, _: _is_dark(appliance, key)), "lights-off-refuse-writes",
    "LIGHT-POWER", "Once a light is written off, its brightness and its colours can be read and not written.",
    fleet=(fleets.LAMP, fleets.AMBIENT, fleets.FRIDGE_LIGHT), allowed=document.LIGHT)
written(refuses_where(lambda appliance, key, _: _is_dark(appliance, key)), "light-found-off-refuses-writes",
    "AMB-BRIGHTNESS-FREE",
    "An ambient light is found off, and refuses everything but its switch while it is off.",
    fleet=fleets.AMBIENT_PRESET.having({keys.AMBIENT_ENABLED: False}), allowed=document.LIGHT)
