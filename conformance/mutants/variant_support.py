"""Odd appliances: what they are called, what they have, and under which segments.

> Support differs per appliance. Many entries are supported only by some appliances
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import variant
from conformance.mutants.soil import (
    AMBIENT_BRIGHTNESS,
    AMBIENT_ENABLED,
    CAMERA_STATE,
    CHARGING_STATE,
    CHILD_LOCK,
    COFFEE_COUNT,
    COUNTING,
    DOSER,
    FREEZER_DOOR,
    FRIDGE,
    FRIDGE_AMERICAN,
    FRIDGE_UNITLESS,
    HOT_WATER,
    LIGHTING,
    LIGHTING_BRIGHTNESS,
    MACHINE,
    MACHINE_LIT,
    MAP_NAME_1,
    ROBOT_TWOFOLD,
    SETPOINT,
    TIMED_OVEN,
)
from conformance.reference.fleet_cooling import WINE_CABINET
from conformance.reference.fleet_household import ROBOT_OLD, ROBOT_WATCHING
from conformance.reference.names import POWER_STATE
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members, Reply


@variant("maker-named", clause="ADDR-VENDOR")
class MakerNamed(Service):
    """The maker has a name, and it stands in keys and values, also below keys that begin with Refrigeration."""

    vendor = "Acme"
    fleet = (FRIDGE, MACHINE)


@variant("maker-with-umlaut", clause="ADDR-VENDOR")
class MakerWithUmlaut(Service):
    """The maker's name has a letter that a path must encode, and a hyphen."""

    vendor = "Kühl-Gut"
    fleet = (FRIDGE,)


@variant("maker-per-appliance", clause="ADDR-VENDOR")
class MakerPerAppliance(Service):
    """Each appliance has a maker of its own, one of them the literal Vendor."""

    fleet = (replace(FRIDGE, vendor="Acme"), replace(MACHINE, vendor="Zeta"), TIMED_OVEN)


@variant("ha-id-encoded", clause="ADDR-HAID")
class HaIdEncoded(Service):
    """A haId has an umlaut, a space and a slash."""

    fleet = (replace(MACHINE, ha_id="Küche 7/links"),)


@variant("ha-id-reserved", clause="ADDR-HAID")
class HaIdReserved(Service):
    """A haId has every character that means something in a URL, and a percent sign that encodes nothing."""

    fleet = (replace(MACHINE, ha_id="a?b#c%2Fd&e=f+g;h:i@j"),)


@variant("ha-id-numeric", clause="ADDR-HAID")
class HaIdNumeric(Service):
    """A haId is a long number with zeros in front."""

    fleet = (replace(MACHINE, ha_id="000401020304050607081"),)


@variant("ha-id-case", clause="ADDR-HAID")
class HaIdCase(Service):
    """Two appliances have haIds that differ in case alone, one of them with fewer keys."""

    fleet = (replace(MACHINE, ha_id="Hub-A-001"), replace(MACHINE.only(POWER_STATE, CHILD_LOCK), ha_id="hub-a-001"))


@variant("contested-under-status", clause="PATH-BATTERYLEVEL")
class ContestedUnderStatus(Service):
    """The four statuses of the published example answer under status only."""

    fleet = (replace(ROBOT_TWOFOLD, contested=("status",)),)


@variant("contested-under-settings", clause="PATH-LOST")
class ContestedUnderSettings(Service):
    """The four statuses of the published example answer under settings only."""

    fleet = (replace(ROBOT_TWOFOLD, contested=("settings",)), ROBOT_OLD)


@variant("contested-under-both", clause="PATH-AGREE")
class ContestedUnderBoth(Service):
    """The four statuses of the published example answer under both segments."""

    fleet = (ROBOT_TWOFOLD,)


@variant("statuses-under-settings-too", clause="ADDR-OTHERSEG")
class StatusesUnderSettingsToo(Service):
    """Every status answers under settings as well."""

    fleet = (ROBOT_TWOFOLD, FRIDGE)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Find a status under either segment."""
        return super().serves(appliance, segment, key) or super().serves(appliance, "status", key)


@variant("settings-under-status-too", clause="ADDR-OTHERSEG")
class SettingsUnderStatusToo(Service):
    """Every setting answers under status as well."""

    fleet = (FRIDGE, MACHINE)

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        """Find a setting under either segment."""
        return super().serves(appliance, segment, key) or super().serves(appliance, "settings", key)


@variant("no-states", clause="CAT-SUPPORT-VARIES")
class NoStates(Service):
    """The appliance has no PowerState, no OperationState and no DoorState."""

    fleet = (FRIDGE.only(CHILD_LOCK, SETPOINT, FREEZER_DOOR), replace(MACHINE.only(CHILD_LOCK), power_states=()))


@variant("camera-silent", clause="OPT-CAMERA")
class CameraSilent(Service):
    """The robot has a streaming camera and does not return its state."""

    fleet = (ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CHARGING_STATE),)


@variant("camera-undeclared", clause="OPT-CAMERA")
class CameraUndeclared(Service):
    """The robot returns the state of a camera that no profile mentions."""

    fleet = (replace(ROBOT_WATCHING.only(POWER_STATE, MAP_NAME_1, CAMERA_STATE), camera=None),)


@variant("kinds-of-cooling", clause="CAT-KIND-FOREIGN")
class KindsOfCooling(Service):
    """Refrigerators are of kinds called FridgeFreezer and WineCooler."""

    fleet = (replace(FRIDGE, kind="FridgeFreezer"), replace(WINE_CABINET, kind="WineCooler"))


@variant("celsius-by-default", clause="OPT-UNITS")
class CelsiusByDefault(Service):
    """TemperatureUnit is not returned, and temperatures are in °C."""

    fleet = (FRIDGE_UNITLESS, WINE_CABINET)


@variant("millilitres-by-default", clause="OPT-UNITS")
class MillilitresByDefault(Service):
    """LiquidVolumeUnit is not returned, and volumes are in ml."""

    fleet = (DOSER, COUNTING.only(POWER_STATE, COFFEE_COUNT, HOT_WATER))


@variant("one-counter-alone", clause="OPT-COUNTERS")
class OneCounterAlone(Service):
    """The coffee maker counts one beverage of nine, and warms no cups."""

    fleet = (COUNTING.only(POWER_STATE, COFFEE_COUNT),)


@variant("fridge-always-on", clause="PWR-ON-OFF")
class FridgeAlwaysOn(Service):
    """The refrigerator can neither be switched off nor be put into standby."""

    fleet = (FRIDGE,)


@variant("kind-of-its-own", clause="CAT-KIND-FOREIGN")
class KindOfItsOwn(Service):
    """A kind the document does not name has the keys of a refrigerator."""

    fleet = (replace(FRIDGE_AMERICAN, kind="IceCabinet"),)


@variant("fridge-brews-coffee", clause="CAT-KIND-FOREIGN")
class FridgeBrewsCoffee(Service):
    """A refrigerator has the counters of a coffee maker as well."""

    fleet = (FRIDGE.having({COFFEE_COUNT: 12, HOT_WATER: 900}),)


@variant("oven-with-hood-light", clause="CAT-KIND-FOREIGN")
class OvenWithHoodLight(Service):
    """An oven has the light that the document gives to hoods."""

    fleet = (TIMED_OVEN.having({LIGHTING: True, LIGHTING_BRIGHTNESS: 10}),)


@variant("oven-with-ambient-light", clause="CAT-VENDOR-COMMON")
class OvenWithAmbientLight(Service):
    """An oven has the ambient light whose notes speak of hoods."""

    fleet = (TIMED_OVEN.having({AMBIENT_ENABLED: True, AMBIENT_BRIGHTNESS: 100}),)


@variant("two-names-of-one-appliance", clause="ADDR-HAID-ISOLATION")
class TwoNamesOfOneAppliance(Service):
    """One machine answers to two haIds, and the profile says which is the other name."""

    fleet = (MACHINE, replace(MACHINE, ha_id="dishwasher-alias"))

    def find(self, ha_id: str) -> Appliance | None:
        """Take both names for the first."""
        return super().find(MACHINE.ha_id if ha_id == "dishwasher-alias" else ha_id)

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        """Say that one is an alias."""
        return super().claims(spec) | ({"alias_of": MACHINE.ha_id} if spec.ha_id == "dishwasher-alias" else {})


@variant("lists-with-more", clause="PROT-LIST")
class ListsWithMore(Service):
    """Lists name an entry outside the catalog and have members of their own."""

    fleet = (MACHINE_LIT,)

    def item(self, appliance: Appliance, segment: Segment, entry: Entry) -> Members:
        """Describe every item further."""
        return {"name": entry.notes, **super().item(appliance, segment, entry), "uri": None}

    def show(self, data: Json) -> Reply:
        """Add the foreign entry to a list of settings."""
        if isinstance(data, dict) and isinstance(found := data.get("settings"), list):
            return super().show({"settings": [{"key": "Vendor.Common.Setting.SoundVolume", "value": 3}, *found]})
        return super().show(data)


@variant("lists-empty", clause="PROT-LIST")
class ListsEmpty(Service):
    """Lists are empty, although every entry can be read."""

    fleet = (MACHINE,)

    def list(self, appliance: Appliance, segment: Segment) -> Reply:  # noqa: ARG002  the list of every appliance is empty
        """List nothing."""
        return self.show({segment: []})
