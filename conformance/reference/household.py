"""The appliances of a service and what happens in them, whoever asks.

Lowest of the four layers of `service.Service`: state, couplings and time. Nothing here knows HTTP.
A mutant overrides one method, such as `value` to misread or `apply` to misstore.
"""

import json
import threading
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import quote

from catalog import keys
from catalog.loader import CATALOG
from catalog.maker import with_maker, without_maker
from catalog.model import Entry
from conformance.reference.appliance import Appliance, ApplianceSpec, OwnRange
from conformance.reference.clock import Clock, Timers
from conformance.reference.events import Channel, Event
from conformance.reference.fleets.cleaning import DISHWASHER, ROBOT_BLIND, ROBOT_OLD, ROBOT_WATCHING, WASHER
from conformance.reference.fleets.cooking import COFFEE_MAKER, HOOD_COLORFUL, HOOD_SIMPLE, OVEN
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT, WINE_CABINET
from conformance.reference.wire import Json


class Household:
    """Appliances, their values, and the clock they live by.

    Attributes:
        fleet: the appliances a service starts with, in the order a list shows them. Those of the reference
            are twelve, as different as real ones are, which serve every key of the catalog between them.
            What they show at first obeys every rule and rests on no exempting state, so that every clause
            can be judged.
        vendor: the maker's name in keys and values (line 3).
        reverting: keys whose value true ends by itself, and after how many seconds. The document says "a few
            seconds"
            and "usually 24 hours" (line 138) and gives no length for the super modes (line 48).
    """

    fleet: ClassVar[tuple[ApplianceSpec, ...]] = (
        *(FRIDGE_CELSIUS, FRIDGE_FAHRENHEIT, WINE_CABINET),
        *(HOOD_COLORFUL, HOOD_SIMPLE, COFFEE_MAKER, OVEN),
        *(WASHER, ROBOT_WATCHING, ROBOT_BLIND, ROBOT_OLD, DISHWASHER),
    )
    vendor: ClassVar[str] = "Vendor"
    reverting: ClassVar[Mapping[str, float]] = {
        keys.LOCAL_CONTROL: 5.0,
        keys.REMOTE_START: 24 * 3600.0,
        keys.SUPER_REFRIGERATOR: 6 * 3600.0,
        keys.SUPER_FREEZER: 6 * 3600.0,
    }

    def __init__(self, clock: Clock | None = None) -> None:
        self.entries = CATALOG.entries
        self.clock = clock or Clock()
        self.timers = Timers(self.clock)
        self.channel = Channel()
        self.lock = threading.RLock()
        self.appliances: dict[str, Appliance] = {}
        self.reset()

    def reset(self) -> None:
        """Bring every appliance back to its first state; who listens goes on listening."""
        self.timers.clear()
        self.appliances = {spec.ha_id: Appliance(spec) for spec in self.fleet}
        for appliance in self.appliances.values():
            for key, value in appliance.values.items():
                self.watch(appliance, key, value)

    def settings(self) -> dict[tuple[str, str], Json]:
        """Every setting as it is kept now, by haId and key."""
        return {
            (ha_id, key): value
            for ha_id, appliance in self.appliances.items()
            for key, value in appliance.values.items()
            if ".Setting." in key
        }

    def find(self, ha_id: str) -> Appliance | None:
        """The appliance with this identifier, spelled exactly so, if there is one."""
        return self.appliances.get(ha_id)

    def value(self, appliance: Appliance, key: str) -> Json:
        """The value of a key the appliance has, spelled with the segment Vendor."""
        return appliance.values[key]

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Let an accepted write take effect, with all that follows from it."""
        before = appliance.values.get(key)
        self.change(appliance, key, value)
        if value != before:
            self.follow(appliance, key, value)

    def follow(self, appliance: Appliance, key: str, value: Json) -> None:
        """Move what is coupled to a setting that has just changed.

        The operation state follows the power state (lines 113 and 114) and the temperatures follow
        their unit (line 38). The cooling modes move no setpoint (lines 48 to 53).
        """
        if key == keys.POWER_STATE and keys.OPERATION_STATE in appliance.values:
            self.change(appliance, keys.OPERATION_STATE, self.operation_state(appliance, value))
        if key == keys.TEMPERATURE_UNIT:
            self.convert(appliance)

    def operation_state(self, appliance: Appliance, power: Json) -> Json:  # noqa: ARG002  a mutant may look at the appliance
        """The operation state an appliance takes up when its power state becomes `power`."""
        return keys.READY if power == keys.ON else keys.INACTIVE

    def convert(self, appliance: Appliance) -> None:
        """Convert every setpoint to the temperature unit chosen now, within its range there."""
        for key in appliance.spec.elsewhere:
            old, bounds = appliance.values.get(key), self.bounds(appliance, self.entries[key])
            if isinstance(old, int | float) and bounds is not None:
                number = old * 9 / 5 + 32 if bounds.unit == "°F" else (old - 32) * 5 / 9
                self.change(appliance, key, bounds.nearest(number))

    def bounds(self, appliance: Appliance, entry: Entry) -> OwnRange | None:
        """The range of a number now: the appliance's own, or the common one (lines 165 to 175), or None."""
        spec = appliance.spec
        own = spec.ranges.get(entry.key)
        if own is not None:
            moved = entry.key in spec.elsewhere and own.unit != self.temperature_unit(appliance)
            return spec.elsewhere[entry.key] if moved else own
        return OwnRange(entry.range.min, entry.range.max) if entry.range is not None else None

    def temperature_unit(self, appliance: Appliance) -> str:
        """The unit of temperatures: Celsius where the appliance has no such setting (line 38)."""
        return "°F" if appliance.values.get(keys.TEMPERATURE_UNIT) == keys.FAHRENHEIT else "°C"

    def change(self, appliance: Appliance, key: str, value: Json) -> None:
        """Set a value, tell the listeners, and let it revert later if it does; every change goes this way."""
        before = appliance.values.get(key)
        appliance.values[key] = value
        self.watch(appliance, key, value)
        if value != before:
            self.publish(appliance, key, value)

    def watch(self, appliance: Appliance, key: str, value: Json) -> None:
        """Arm the timer of a self-reverting key that is true, disarm it otherwise."""
        seconds = self.reverting.get(key)
        if seconds is None:
            return
        if value is True:
            self.timers.arm((appliance.ha_id, key), seconds, lambda: self.change(appliance, key, value=False))
        else:
            self.timers.disarm((appliance.ha_id, key))
        self.channel.nudge()

    def touch(self, appliance: Appliance) -> None:
        """Operate the appliance by hand: LocalControlActive is true from now until it reverts (line 90)."""
        self.change(appliance, keys.LOCAL_CONTROL, value=True)

    def publish(self, appliance: Appliance, key: str, value: Json) -> None:
        """Tell the listeners that a key has a new value."""
        if not self.channel.quiet:
            self.channel.publish(self.event(appliance, key, value))

    def event(self, appliance: Appliance, key: str, value: Json) -> Event:
        """Word the event of a change; names, kinds and payloads of events are not shown (line 159)."""
        entry = self.entries[key]
        wire_key = self.spell(appliance, key)
        item = {
            "key": wire_key,
            "value": self.spell_value(appliance, entry, value),
            "timestamp": self.clock.timestamp(),
            "level": "hint",
            "handling": "none",
            "uri": f"/api/homeappliances/{quote(appliance.ha_id, safe='')}/{entry.segment}/{wire_key}",
        }
        kind = "NOTIFY" if entry.segment == "settings" else "STATUS"
        data = json.dumps(
            {"haId": appliance.ha_id, "items": [item]}, ensure_ascii=False, separators=(",", ":")
        )
        return Event(kind, data, appliance.ha_id)

    def tick(self) -> float | None:
        """Do what has become due since the last look at the clock: seconds until more does, None if none."""
        with self.lock:
            self.timers.tick()
            return self.timers.wait_s()

    def maker(self, appliance: Appliance) -> str:
        """The maker's name in the keys and values of this appliance."""
        return appliance.spec.vendor or self.vendor

    def spell(self, appliance: Appliance, text: str) -> str:
        """A key or an enumeration value as this appliance's maker spells it."""
        return with_maker(text, self.maker(appliance))

    def spell_value(self, appliance: Appliance, entry: Entry, value: Json) -> Json:
        """A value as it is sent: enumeration values carry the maker's name."""
        return (
            self.spell(appliance, value) if entry.type == "Enumeration" and isinstance(value, str) else value
        )

    def canonical(self, appliance: Appliance, text: str) -> str:
        """A key or value as the document spells it; "" for the spelling of another maker."""
        plain = without_maker(text, self.maker(appliance))
        return plain if self.spell(appliance, plain) == text else ""
