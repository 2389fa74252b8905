"""Odd ways to keep the rules of lights: what is locked is hidden, swallowed, or unlocks itself.

> Can be set only while the ambient light color is CustomColor

The rules say what cannot be set, and neither how a try is answered nor what can be read meanwhile.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import AMBIENT_BRIGHTNESS, AMBIENT_COLOR, COLOR_PERCENT, COLOR_TEMPERATURE, CUSTOM_COLOR
from conformance.mutants.variant_write_soil import AMBIENT, AMBIENT_PRESET, COLOR_1, CUSTOM, LAMP, TEMPERATURES
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Refusal, Reply

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json


class LocksAnswering(Service):
    """A write that a rule forbids does nothing and has an answer of its own.

    Attributes:
        locked: that answer.
    """

    fleet = (LAMP, AMBIENT)
    locked: ClassVar[Reply]

    def refuse(self, refusal: Refusal) -> Reply:
        """Give that answer; every other refusal stays as it is."""
        return self.locked if refusal == INVALID_STATE else super().refuse(refusal)


@variant("locks-swallow", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class LocksSwallow(LocksAnswering):
    """A light setting that is locked is answered 204 and keeps its value."""

    locked = Reply(204, media_type=None)


@variant("locks-fail", clause="AMB-CUSTOM-ONLY", knowledges=("full",))
class LocksFail(LocksAnswering):
    """A light setting that is locked ends in an exception: 500."""

    locked = Reply(500, b"Internal Server Error", "text/plain")


@variant("locks-not-found", clause="HOOD-PERCENT-USABLE", knowledges=("full",))
class LocksNotFound(LocksAnswering):
    """A light setting that is locked is not found when it is written, and found when it is read."""

    locked = Reply(404, media_type=None)


class Unlocking(Service):
    """A write of a locked setting first moves what locks it.

    Attributes:
        key: the setting.
        by: the setting that locks it.
        to: what that is moved to.
    """

    key: ClassVar[str]
    by: ClassVar[str]
    to: ClassVar[str]

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Unlock it by the way."""
        if key == self.key and self.locked_by(appliance, key) is not None:
            self.apply(appliance, self.by, self.to)
        return super().write(appliance, segment, key, body)


@variant("custom-color-unlocks-itself", clause="AMB-CUSTOM-ONLY", knowledges=("full",))
class CustomColorUnlocksItself(Unlocking):
    """A custom colour that is written under a preset colour chooses CustomColor by itself."""

    fleet = (AMBIENT_PRESET,)
    key = CUSTOM_COLOR
    by = AMBIENT_COLOR
    to = CUSTOM


@variant("brightness-unlocks-itself", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class BrightnessUnlocksItself(Unlocking):
    """A brightness that is written under CustomColor chooses Color1 by itself."""

    fleet = (AMBIENT,)
    key = AMBIENT_BRIGHTNESS
    by = AMBIENT_COLOR
    to = COLOR_1


@variant("percent-unlocks-itself", clause="HOOD-PERCENT-USABLE", knowledges=("full",))
class PercentUnlocksItself(Unlocking):
    """A percent setting that is written under neutral chooses custom by itself."""

    fleet = (LAMP.having({COLOR_TEMPERATURE: f"{TEMPERATURES}.neutral"}),)
    key = COLOR_PERCENT
    by = COLOR_TEMPERATURE
    to = f"{TEMPERATURES}.custom"


class Unreadable(Service):
    """A setting that is locked cannot be read.

    Attributes:
        key: the setting.
        unread: what a GET of it is answered meanwhile.
    """

    key: ClassVar[str]
    unread: ClassVar[Reply]

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Hide it while it is locked."""
        return self.unread if key == self.key and self.locked_by(appliance, key) is not None else super().read(appliance, segment, key)


@variant("brightness-unreadable-under-custom-color", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class BrightnessUnreadableUnderCustomColor(Unreadable):
    """Once CustomColor is chosen the brightness has no content: 204."""

    fleet = (AMBIENT_PRESET,)
    key = AMBIENT_BRIGHTNESS
    unread = Reply(204, media_type=None)


@variant("custom-color-unreadable-under-a-preset", clause="AMB-CUSTOM-ONLY", knowledges=("full",))
class CustomColorUnreadableUnderAPreset(Unreadable):
    """Once a preset colour is chosen the custom colour is refused."""

    fleet = (AMBIENT,)
    key = CUSTOM_COLOR
    unread = Reply(409, b'{"error":{"key":"SDK.Error.UnsupportedSetting"}}')


@variant("percent-unreadable-while-warm", clause="HOOD-PERCENT-USABLE", knowledges=("full",))
class PercentUnreadableWhileWarm(Unreadable):
    """Once another colour temperature than custom is chosen, asking for the percent setting ends the connection."""

    fleet = (LAMP,)
    key = COLOR_PERCENT
    unread = Reply(200, drop=True)


@variant("locked-when-found", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class LockedWhenFound(Service):
    """A light setting that is locked has no content, 204; the brightness, the custom color and the percent setting are when found."""

    fleet = (AMBIENT, replace(AMBIENT_PRESET, ha_id="dishwasher-2"), LAMP.having({COLOR_TEMPERATURE: f"{TEMPERATURES}.neutral"}))

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Hide it while it is locked."""
        return Reply(204, media_type=None) if self.locked_by(appliance, key) is not None else super().read(appliance, segment, key)


@variant("brightness-full-under-custom-color", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class BrightnessFullUnderCustomColor(Service):
    """While CustomColor is chosen the brightness reads 100, and afterwards what it was before."""

    fleet = (AMBIENT_PRESET,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show the lamp, not the setting."""
        full = key == AMBIENT_BRIGHTNESS and appliance.values[AMBIENT_COLOR] == CUSTOM
        return 100 if full else super().value(appliance, key)


@variant("brightness-starts-at-a-try", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class BrightnessStartsAtATry(Service):
    """A try to set the brightness under CustomColor is refused, and leaves it at 37.5, whatever was tried."""

    fleet = (AMBIENT,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Flinch."""
        if key == AMBIENT_BRIGHTNESS and self.locked_by(appliance, key) is not None:
            self.change(appliance, key, 37.5)
        return super().write(appliance, segment, key, body)


@variant("custom-color-shows-the-preset", clause="AMB-CUSTOM-ONLY", knowledges=("full",))
class CustomColorShowsThePreset(Service):
    """Under a preset colour the custom colour reads as that colour, and under CustomColor as it was set."""

    fleet = (AMBIENT_PRESET,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what shines."""
        preset = key == CUSTOM_COLOR and self.locked_by(appliance, key) is not None
        return "#c01010" if preset else super().value(appliance, key)


@variant("percent-shows-the-choice", clause="HOOD-PERCENT-USABLE", knowledges=("full",))
class PercentShowsTheChoice(Service):
    """Under another colour temperature than custom the percent setting reads 33.3, and under custom as it was set."""

    fleet = (LAMP,)

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show what shines."""
        chosen = key == COLOR_PERCENT and self.locked_by(appliance, key) is not None
        return 33.3 if chosen else super().value(appliance, key)


@variant("light-without-a-custom-color", clause="AMB-BRIGHTNESS-LOCKED", knowledges=("full",))
class LightWithoutACustomColor(Service):
    """The light knows two preset colours and no CustomColor, and keeps a custom colour that nobody can set."""

    fleet = (replace(AMBIENT_PRESET, subsets={AMBIENT_COLOR: ("Color1", "Color2")}, read_only=frozenset({CUSTOM_COLOR})),)
