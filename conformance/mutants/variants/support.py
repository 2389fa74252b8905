"""Odd appliances: what they are called, what they have, and under which segments.

> Support differs per appliance. Many entries are supported only by some appliances

"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from catalog import keys
from conformance.mutants.fleets import (
    COUNTING,
    DOSER,
    FRIDGE,
    FRIDGE_AMERICAN,
    FRIDGE_UNITLESS,
    MACHINE,
    MACHINE_LIT,
    ROBOT_TWOFOLD,
    TIMED_OVEN,
)
from conformance.mutants.model import add_variant, variant
from conformance.reference.fleets.cleaning import ROBOT_OLD, ROBOT_WATCHING
from conformance.reference.fleets.cooling import WINE_CABINET
from conformance.reference.service import Service

if TYPE_CHECKING:
    from catalog.model import Entry, Segment
    from conformance.reference.appliance import Appliance, ApplianceSpec
    from conformance.reference.wire import Json, Members, Reply

_FEW = MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK)
_ONE_KEY = replace(MACHINE.only(keys.CHILD_LOCK), power_states=())
_ALIAS = replace(MACHINE, ha_id="dishwasher-alias")

odd = partial(add_variant, __name__)


class UnderBoth(Service):
    """What is served under one segment answers under both.

    Attributes:
        segment: that segment.
    """

    segment: ClassVar[Segment]

    def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
        return super().serves(appliance, segment, key) or super().serves(appliance, self.segment, key)


# fmt: off
odd(UnderBoth, "statuses-under-settings-too", "ADDR-OTHERSEG", "Every status answers under settings as well.",
    fleet=(ROBOT_TWOFOLD, FRIDGE), segment="status")
odd(UnderBoth, "settings-under-status-too", "ADDR-OTHERSEG", "Every setting answers under status as well.",
    fleet=(FRIDGE, MACHINE), segment="settings")
odd(Service, "maker-named", "ADDR-VENDOR",
    "The maker has a name, and it stands in keys and values, also below keys that begin with Refrigeration.",
    vendor="Acme", fleet=(FRIDGE, MACHINE))
odd(Service, "maker-with-umlaut", "ADDR-VENDOR",
    "The maker's name has a letter that a path must encode, and a hyphen.", vendor="Kühl-Gut",
    fleet=(FRIDGE,))
odd(Service, "maker-per-appliance", "ADDR-VENDOR",
    "Each appliance has a maker of its own, one of them the literal Vendor.",
    fleet=(replace(FRIDGE, vendor="Acme"), replace(MACHINE, vendor="Zeta"), TIMED_OVEN))
odd(Service, "ha-id-encoded", "ADDR-HAID", "A haId has an umlaut, a space and a slash.",
    fleet=(replace(MACHINE, ha_id="Küche 7/links"),))
odd(Service, "ha-id-reserved", "ADDR-HAID",
    "A haId has every character that means something in a URL, and a percent sign that encodes nothing.",
    fleet=(replace(MACHINE, ha_id="a?b#c%2Fd&e=f+g;h:i@j"),))
odd(Service, "ha-id-numeric", "ADDR-HAID", "A haId is a long number with zeros in front.",
    fleet=(replace(MACHINE, ha_id="000401020304050607081"),))
odd(Service, "ha-id-case", "ADDR-HAID",
    "Two appliances have haIds that differ in case alone, one of them with fewer keys.",
    fleet=(replace(MACHINE, ha_id="Hub-A-001"), replace(_FEW, ha_id="hub-a-001")))
odd(Service, "contested-under-status", "PATH-BATTERYLEVEL",
    "The four statuses of the published example answer under status only.",
    fleet=(replace(ROBOT_TWOFOLD, contested=("status",)),))
odd(Service, "contested-under-settings", "PATH-LOST",
    "The four statuses of the published example answer under settings only.",
    fleet=(replace(ROBOT_TWOFOLD, contested=("settings",)), ROBOT_OLD))
odd(Service, "contested-under-both", "PATH-AGREE",
    "The four statuses of the published example answer under both segments.", fleet=(ROBOT_TWOFOLD,))
odd(Service, "no-states", "CAT-SUPPORT-VARIES",
    "The appliance has no PowerState, no OperationState and no DoorState.",
    fleet=(FRIDGE.only(keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_DOOR), _ONE_KEY))
odd(Service, "camera-silent", "OPT-CAMERA", "The robot has a streaming camera and does not return its state.",
    fleet=(ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE),))
odd(Service, "camera-undeclared", "OPT-CAMERA",
    "The robot returns the state of a camera that no profile mentions.",
    fleet=(replace(ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CAMERA_STATE), camera=None),))
odd(Service, "kinds-of-cooling", "CAT-KIND-FOREIGN",
    "Refrigerators are of kinds called FridgeFreezer and WineCooler.",
    fleet=(replace(FRIDGE, kind="FridgeFreezer"), replace(WINE_CABINET, kind="WineCooler")))
odd(Service, "celsius-by-default", "OPT-UNITS",
    "TemperatureUnit is not returned, and temperatures are in °C.", fleet=(FRIDGE_UNITLESS, WINE_CABINET))
odd(Service, "millilitres-by-default", "OPT-UNITS",
    "LiquidVolumeUnit is not returned, and volumes are in ml.",
    fleet=(DOSER, COUNTING.only(keys.POWER_STATE, keys.COFFEE_COUNT, keys.HOT_WATER)))
odd(Service, "one-counter-alone", "OPT-COUNTERS",
    "The coffee maker counts one beverage of nine, and warms no cups.",
    fleet=(COUNTING.only(keys.POWER_STATE, keys.COFFEE_COUNT),))
odd(Service, "fridge-always-on", "PWR-ON-OFF",
    "The refrigerator can neither be switched off nor be put into standby.", fleet=(FRIDGE,))
odd(Service, "kind-of-its-own", "CAT-KIND-FOREIGN",
    "A kind the document does not name has the keys of a refrigerator.",
    fleet=(replace(FRIDGE_AMERICAN, kind="IceCabinet"),))
odd(Service, "fridge-brews-coffee", "CAT-KIND-FOREIGN",
    "A refrigerator has the counters of a coffee maker as well.",
    fleet=(FRIDGE.having({keys.COFFEE_COUNT: 12, keys.HOT_WATER: 900}),))
odd(Service, "oven-with-hood-light", "CAT-KIND-FOREIGN",
    "An oven has the light that the document gives to hoods.",
    fleet=(TIMED_OVEN.having({keys.LIGHTING: True, keys.LIGHTING_BRIGHTNESS: 10}),))
odd(Service, "oven-with-ambient-light", "CAT-VENDOR-COMMON",
    "An oven has the ambient light whose notes speak of hoods.",
    fleet=(TIMED_OVEN.having({keys.AMBIENT_ENABLED: True, keys.AMBIENT_BRIGHTNESS: 100}),))
# fmt: on


@variant("two-names-of-one-appliance", clause="ADDR-HAID-ISOLATION")
class TwoNamesOfOneAppliance(Service):
    """One machine answers to two haIds, and the profile says which is the other name."""

    fleet = (MACHINE, _ALIAS)

    def find(self, ha_id: str) -> Appliance | None:
        return super().find(MACHINE.ha_id if ha_id == _ALIAS.ha_id else ha_id)

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        return super().claims(spec) | ({"alias_of": MACHINE.ha_id} if spec == _ALIAS else {})


@variant("lists-with-more", clause="PROT-LIST")
class ListsWithMore(Service):
    """Lists name an entry outside the catalog and have members of their own."""

    fleet = (MACHINE_LIT,)

    def item(self, appliance: Appliance, segment: Segment, entry: Entry) -> Members:
        return {"name": entry.notes, **super().item(appliance, segment, entry), "uri": None}

    def show(self, data: Json) -> Reply:
        if isinstance(data, dict) and isinstance(found := data.get("settings"), list):
            foreign = {"key": "Vendor.Common.Setting.SoundVolume", "value": 3}
            return super().show({"settings": [foreign, *found]})
        return super().show(data)


@variant("lists-empty", clause="PROT-LIST")
class ListsEmpty(Service):
    """Lists are empty, although every entry can be read."""

    fleet = (MACHINE,)

    def list(self, appliance: Appliance, segment: Segment) -> Reply:
        return self.show({segment: []})
