"""Odd appliances: what they are called, have and claim, and under which segments.

> Support differs per appliance. Many entries are supported only by some appliances

Nobody claims here what is then refused: a refusal that no profile rules out breaks no rule.
"""

from types import MappingProxyType
from typing import cast

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import changes
from conformance.mutants.shapes.requests import ha_ids
from conformance.mutants.shapes.side_effects import follows
from conformance.mutants.shapes.states import Unsaid, refuses_unsaid
from conformance.mutants.shapes.writes import drops, refuses_where
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.fleets.cleaning import ROBOT_OLD, ROBOT_WATCHING
from conformance.reference.fleets.cooking import COFFEE_MAKER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS, WINE_CABINET
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_STATE, Json, Members, Refusal, Reply

_FAILURE = Refusal(500, "500", "Internal server error")
_BUSY = Refusal(409, "SDK.Error.HomeAppliance.Busy", "Not now")
_FORCE = "Refrigeration.Common.EnumType.Door.AssistantForce"
_MIDDLE_FORCE = f"{_FORCE}.MiddleForce"
_FREEZER = replace(fleets.FRIDGE_SETPOINTS.only(keys.FREEZER_SETPOINT), ha_id="fridge-1-freezer")
_OVENS = (fleets.OVEN_ALARM, replace(fleets.OVEN_ALARM, ha_id="oven-2"))
_SUBSETS = (
    fleets.AMBIENT_PRESET,
    replace(fleets.ROBOT_THREE_MAPS, subsets={keys.CURRENT_MAP: ("Map1", "Map2")}),
)
_READ_ONLY = replace(
    fleets.FRIDGE_SETPOINTS, read_only=frozenset({keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_SETPOINT})
)


class MakerInAnyCase(Service):
    """The maker's name of a key is taken in any case, and the profile has it in small letters."""

    profile_extras = MappingProxyType({"target": {"vendor": "acme"}})

    def canonical(self, appliance: Appliance, text: str) -> str:
        first, dot, rest = text.partition(".")
        own = self.maker(appliance)
        return super().canonical(
            appliance, f"{own}{dot}{rest}" if first.casefold() == own.casefold() else text
        )

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        return {**super().claims(spec), "vendor": "acme"}


def _calls_alias(alias: str, of: str) -> type[Service]:
    """The profile calls one haId the alias of another."""

    class CallsAlias(Service):
        def claims(self, spec: ApplianceSpec) -> dict[str, object]:
            return super().claims(spec) | ({"alias_of": of} if spec.ha_id == alias else {})

    return CallsAlias


class CompartmentOfItsOwn(Service):
    def find(self, ha_id: str) -> Appliance | None:
        found = super().find(ha_id)
        if found is not None and ha_id == _FREEZER.ha_id:
            found.values[keys.FREEZER_SETPOINT] = self.appliances[fleets.FRIDGE_SETPOINTS.ha_id].values[
                keys.FREEZER_SETPOINT
            ]
        return found

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        super().apply(self.appliances[fleets.FRIDGE_SETPOINTS.ha_id], key, value)


def _sets_the_others(its: Service, _: Appliance, value: Json) -> None:
    for other in its.appliances.values():
        its.change(other, keys.CHILD_LOCK, value)


_FEW = fleets.MACHINE.only(keys.POWER_STATE, keys.CHILD_LOCK)
_ONE_KEY = replace(fleets.MACHINE.only(keys.CHILD_LOCK), power_states=())
_ALIAS = replace(fleets.MACHINE, ha_id="dishwasher-alias")


def _under_both(its: Segment) -> type[Service]:
    """What is served under one segment answers under both."""

    class UnderBoth(Service):
        def serves(self, appliance: Appliance, segment: Segment, key: str) -> bool:
            return super().serves(appliance, segment, key) or super().serves(appliance, its, key)

    return UnderBoth


class ListsWithMore(Service):
    def item(self, appliance: Appliance, segment: Segment, entry: Entry) -> Members:
        return {"name": entry.notes, **super().item(appliance, segment, entry), "uri": None}

    def show(self, data: Json) -> Reply:
        if isinstance(data, dict) and isinstance(found := data.get("settings"), list):
            foreign = {"key": "Vendor.Common.Setting.SoundVolume", "value": 3}
            return super().show({"settings": [foreign, *found]})
        return super().show(data)


class ListsEmpty(Service):
    def list(self, appliance: Appliance, segment: Segment) -> Reply:
        return self.show({segment: []})


# fmt: off
odd(Service, "lower-bound-said-to-be-elsewhere", "RANGE-PERAPP-PRESENT",
    "The profile says that the lower bound stands where no answer has anything.",
    fleet=fleets.FRIDGE_SETPOINTS, profile_extras={"answer": {"min": "/data/constraints/minimum"}},
    knowledges=("L2",), allowed=document.FIELDS)
odd(changes("constraints", lambda _: {}), "bounds-shown-nowhere", "RANGE-PERAPP-PRESENT",
    "No answer has anything where the profile says that bounds stand.", fleet=fleets.DOSER,
    knowledges=("L2",), allowed=document.FIELDS)
odd(Service, "key-said-to-be-the-value", "TYPE-ENUM",
    "The profile says that the value stands where every answer has the key.", fleet=fleets.MACHINE,
    profile_extras={"answer": {"value": "/data/key"}}, knowledges=("L2",), allowed=document.BODY_SHAPE)
odd(MakerInAnyCase, "maker-in-small-letters", "ADDR-VENDOR",
    "Keys are known in capital and in small letters; the profile says acme, and values say Acme.",
    fleet=replace(fleets.FRIDGE, vendor="Acme"), knowledges=("L2",), allowed=document.MAKER)
written(refuses_unsaid(INVALID_STATE), "settings-refuse-unclaimed", "SET-WRITABLE",
    "Every write is refused; answers call the settings writable, and the profile does not.",
    fleet=fleets.FRIDGE_SETPOINTS, fields=("writable",), allowed=document.REFUSED_WRITE)
written(refuses_unsaid(_FAILURE), "settings-fail-unclaimed", "SET-WRITABLE",
    "Every write ends in an exception, on all tries; the profile does not call anything writable.",
    fleet=fleets.OVEN_ALARM, fields=("writable",), allowed=document.REFUSED_WRITE)
written(Service, "settings-read-only", "SET-WRITABLE",
    "Settings are shown, called readable, and refuse to be written.", fleet=_READ_ONLY,
    allowed=document.REFUSED_WRITE)
written(Service, "equal-twins", "ADDR-HAID-ISOLATION", "Two ovens are alike in everything but their haIds.",
    fleet=_OVENS, allowed=document.ONE_APPLIANCE)
written(Unsaid, "subset-only-advertised", "ENUM-SUBSET",
    "Four colours of a hundred and two maps of four can be chosen, as the answers show and the profile does "
    "not.", fleet=_SUBSETS, fields=("enum_subset",), allowed=document.AVAILABILITY)
written(Unsaid, "subset-only-declared", "ENUM-SUBSET",
    "Four colours of a hundred and two maps of four can be chosen, as the profile says and no answer shows.",
    fleet=_SUBSETS, members=("allowedvalues",), allowed=document.AVAILABILITY)
written((drops(keys.ASSISTANT_FORCE_FRIDGE, _MIDDLE_FORCE), Unsaid), "subset-told-nowhere", "SET-WRITABLE",
    "A door has no middle force: it is answered 204 and ignored, and neither answer nor profile says so.",
    fleet=FRIDGE_CELSIUS.only(keys.ASSISTANT_FORCE_FRIDGE, keys.FRIDGE_DOOR).having(
        {keys.ASSISTANT_FORCE_FRIDGE: f"{_FORCE}.LowForce"}),
    members=("allowedvalues",), fields=("enum_subset",), allowed=document.AVAILABILITY)
written((refuses_where(lambda its, key, _: its.nth(f"PUT {key}") == 1, _BUSY), Unsaid), "busy-once",
    "SET-WRITABLE",
    "The first write of every setting is refused as the oven is busy; no profile calls one writable.",
    fleet=fleets.OVEN_ALARM, fields=("writable",), allowed=document.REFUSED_WRITE)
written(changes("constraints", lambda own: {**cast("Members", own), "access": "read"}),
    "access-called-read", "SET-WRITABLE",
    "Answers call every setting readable only, and all of them take what is written.",
    fleet=(fleets.FRIDGE_SETPOINTS, fleets.THREE_STATES_AND_LOCK), allowed=document.FIELDS)
written((CompartmentOfItsOwn, _calls_alias(_FREEZER.ha_id, fleets.FRIDGE_SETPOINTS.ha_id)),
    "compartment-of-its-own", "ADDR-HAID-ISOLATION",
    "The freezer of a refrigerator has a haId of its own, with fewer keys; the profile calls it an alias.",
    fleet=(fleets.FRIDGE_SETPOINTS, _FREEZER), allowed=document.ONE_APPLIANCE)
written(follows(keys.CHILD_LOCK, _sets_the_others, once=True),
    "neighbour-follows-once", "ADDR-HAID-ISOLATION",
    "Just when ChildLock of one oven is written for the first time a person sets that of the other alike.",
    fleet=_OVENS, allowed=document.DEVICE_ACTS)
odd(_under_both("status"), "statuses-under-settings-too", "ADDR-OTHERSEG",
    "Every status answers under settings as well.", fleet=(fleets.ROBOT_TWOFOLD, fleets.FRIDGE),
    allowed=document.OTHER_SEGMENT)
odd(_under_both("settings"), "settings-under-status-too", "ADDR-OTHERSEG",
    "Every setting answers under status as well.", fleet=(fleets.FRIDGE, fleets.MACHINE),
    allowed=document.OTHER_SEGMENT)
odd(Service, "maker-named", "ADDR-VENDOR",
    "The maker has a name, and it stands in keys and values, also below keys that begin with Refrigeration.",
    vendor="Acme", fleet=(fleets.FRIDGE, fleets.MACHINE), allowed=document.MAKER)
odd(Service, "maker-with-umlaut", "ADDR-VENDOR",
    "The maker's name has a letter that a path must encode, and a hyphen.", vendor="Kühl-Gut",
    fleet=fleets.FRIDGE, allowed=document.MAKER)
odd(Service, "maker-per-appliance", "ADDR-VENDOR",
    "Each appliance has a maker of its own, one of them the literal Vendor.",
    fleet=(replace(fleets.FRIDGE, vendor="Acme"), replace(fleets.MACHINE, vendor="Zeta"), fleets.TIMED_OVEN),
    allowed=document.MAKER)
odd(Service, "ha-id-encoded", "ADDR-HAID", "A haId has an umlaut, a space and a slash.",
    fleet=replace(fleets.MACHINE, ha_id="Küche 7/links"), allowed=document.HA_ID)
odd(Service, "ha-id-reserved", "ADDR-HAID",
    "A haId has every character that means something in a URL, and a percent sign that encodes nothing.",
    fleet=replace(fleets.MACHINE, ha_id="a?b#c%2Fd&e=f+g;h:i@j"), allowed=document.HA_ID)
odd(Service, "ha-id-numeric", "ADDR-HAID", "A haId is a long number with zeros in front.",
    fleet=replace(fleets.MACHINE, ha_id="000401020304050607081"), allowed=document.HA_ID)
odd(Service, "ha-id-case", "ADDR-HAID",
    "Two appliances have haIds that differ in case alone, one of them with fewer keys.",
    fleet=(replace(fleets.MACHINE, ha_id="Hub-A-001"), replace(_FEW, ha_id="hub-a-001")),
    allowed=document.HA_ID)
odd(Service, "contested-under-status", "PATH-BATTERYLEVEL",
    "The four statuses of the published example answer under status only.",
    fleet=replace(fleets.ROBOT_TWOFOLD, contested=("status",)), allowed=document.SEGMENT)
odd(Service, "contested-under-settings", "PATH-LOST",
    "The four statuses of the published example answer under settings only.",
    fleet=(replace(fleets.ROBOT_TWOFOLD, contested=("settings",)), ROBOT_OLD), allowed=document.SEGMENT)
odd(Service, "contested-under-both", "PATH-AGREE",
    "The four statuses of the published example answer under both segments.", fleet=fleets.ROBOT_TWOFOLD,
    allowed=document.SEGMENT)
odd(Service, "no-states", "CAT-SUPPORT-VARIES",
    "The appliance has no PowerState, no OperationState and no DoorState.",
    fleet=(fleets.FRIDGE.only(keys.CHILD_LOCK, keys.SETPOINT, keys.FREEZER_DOOR), _ONE_KEY),
    allowed=document.SUPPORT, lacks=(keys.POWER_STATE, keys.OPERATION_STATE, keys.DOOR_STATE))
odd(Service, "camera-silent", "OPT-CAMERA", "The robot has a streaming camera and does not return its state.",
    fleet=ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE),
    allowed=document.CAMERA, lacks=(keys.CAMERA_STATE,))
odd(Service, "camera-undeclared", "OPT-CAMERA",
    "The robot returns the state of a camera that no profile mentions.",
    fleet=replace(ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CAMERA_STATE), camera=None),
    allowed=document.CAMERA)
odd(Service, "kinds-of-cooling", "CAT-KIND-FOREIGN",
    "Refrigerators are of kinds called FridgeFreezer and WineCooler.",
    fleet=(replace(fleets.FRIDGE, kind="FridgeFreezer"), replace(WINE_CABINET, kind="WineCooler")),
    allowed=document.KINDS)
odd(Service, "celsius-by-default", "OPT-UNITS",
    "TemperatureUnit is not returned, and temperatures are in °C.",
    fleet=(fleets.FRIDGE_UNITLESS, WINE_CABINET), allowed=document.UNIT_ABSENT,
    lacks=(keys.TEMPERATURE_UNIT,))
odd(Service, "millilitres-by-default", "OPT-UNITS",
    "LiquidVolumeUnit is not returned, and volumes are in ml.",
    fleet=(fleets.DOSER, fleets.COUNTING.only(keys.POWER_STATE, keys.COFFEE_COUNT, keys.HOT_WATER)),
    allowed=document.VOLUME_ABSENT, lacks=(keys.LIQUID_UNIT,))
odd(Service, "one-counter-alone", "OPT-COUNTERS",
    "The coffee maker counts one beverage of nine, and warms no cups.",
    fleet=fleets.COUNTING.only(keys.POWER_STATE, keys.COFFEE_COUNT), allowed=document.COUNTERS,
    lacks=tuple(key for key in COFFEE_MAKER.values if key not in {keys.POWER_STATE, keys.COFFEE_COUNT}))
odd(Service, "fridge-always-on", "PWR-ON-OFF",
    "The refrigerator can neither be switched off nor be put into standby.", fleet=fleets.FRIDGE,
    allowed=document.SUPPORT)
odd(Service, "kind-of-its-own", "CAT-KIND-FOREIGN",
    "A kind the document does not name has the keys of a refrigerator.",
    fleet=replace(fleets.FRIDGE_AMERICAN, kind="IceCabinet"), allowed=document.KINDS)
odd(Service, "fridge-brews-coffee", "CAT-KIND-FOREIGN",
    "A refrigerator has the counters of a coffee maker as well.",
    fleet=fleets.FRIDGE.having({keys.COFFEE_COUNT: 12, keys.HOT_WATER: 900}), allowed=document.KINDS)
odd(Service, "oven-with-hood-light", "CAT-KIND-FOREIGN",
    "An oven has the light that the document gives to hoods.",
    fleet=fleets.TIMED_OVEN.having({keys.LIGHTING: True, keys.LIGHTING_BRIGHTNESS: 10}),
    allowed=document.KINDS)
odd(Service, "oven-with-ambient-light", "CAT-VENDOR-COMMON",
    "An oven has the ambient light whose notes speak of hoods.",
    fleet=fleets.TIMED_OVEN.having({keys.AMBIENT_ENABLED: True, keys.AMBIENT_BRIGHTNESS: 100}),
    allowed=document.COMMON_KEYS)
odd((ha_ids(lambda ha_id: fleets.MACHINE.ha_id if ha_id == _ALIAS.ha_id else ha_id),
        _calls_alias(_ALIAS.ha_id, fleets.MACHINE.ha_id)), "two-names-of-one-appliance",
    "ADDR-HAID-ISOLATION", "One machine answers to two haIds, and the profile says which is the other name.",
    fleet=(fleets.MACHINE, _ALIAS), allowed=document.ONE_APPLIANCE)
odd(ListsWithMore, "lists-with-more", "PROT-LIST",
    "Lists name an entry outside the catalog and have members of their own.", fleet=fleets.MACHINE_LIT,
    allowed=document.WRITES_AND_LISTS)
odd(ListsEmpty, "lists-empty", "PROT-LIST", "Lists are empty, although every entry can be read.",
    fleet=fleets.MACHINE, allowed=document.WRITES_AND_LISTS)
