"""Servers that are wrong about paths, versions, appliances, segments, or about which entry a key is.

> GET | /api/homeappliances/{haId}/settings/{settingKey}
> key | string | Dotted identifier of the setting or status; also the last path segment
"""

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants.fleets import COUNTING, FRIDGE, HOOD, MACHINE, MACHINE_LIT, PROBED, TIMED_OVEN
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import (
    alternates,
    confuses,
    converts,
    displaces,
    gives,
    renames,
    sends,
    shows_as,
    supplies,
)
from conformance.mutants.shapes.requests import ha_ids, intercepts, moved_to, paths, takes_ha_id
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply, dump

_SETTING_REFUSED = {"READ-SETTING": "A claimed setting is refused under the segment settings."}
_STATUS_REFUSED = {"READ-STATUS": "A claimed status is refused under the segment status."}
_SHORT = Reply(200, dump({"data": {"key": "ChildLock", "value": False}}))
_OTHER_KEY = {"ADDR-KEY-LAST": "The key of the body is not the one asked for."}


def _lies_at(path: str, due: str) -> type[Service]:
    """A part of the paths is another, and those with the part that is due are unknown."""
    return paths(lambda asked: "" if path not in asked and due in asked else asked.replace(path, due, 1))


def _redirects(
    version: str, of: str = "", status: int = 308, *, absolute: bool = False
) -> tuple[type[Service], ...]:
    """Paths that contain a text redirect to a version of the service, which answers there."""

    def moved(request: Incoming) -> Reply | None:
        if of not in request.path or request.path.startswith(f"/api/{version}/"):
            return None
        origin = f"http://{request.headers['host']}" if absolute else ""
        return moved_to(request, request.path.replace("/api/", f"/api/{version}/", 1), status, origin)

    return intercepts(moved), paths(lambda path: path.replace(f"/api/{version}/", "/api/", 1))


def _invents(value: Json, *segments: Segment) -> type[Service]:
    """What the appliance does not have under some segments is answered with a value."""
    return supplies(
        lambda its, _, segment, key: its.show({"key": key, "value": value}) if segment in segments else None
    )


def _empty_but_under_status(its: Service, appliance: Appliance, segment: Segment, key: str) -> Reply | None:
    if key != keys.CHILD_LOCK:
        return None
    if segment == "settings":
        return Reply(204, media_type=None)
    return its.show(its.body(appliance, "settings", its.entries[key], its.value(appliance, key)))


class ApplianceOnDemand(Service):
    def find(self, ha_id: str) -> Appliance | None:
        return self.appliances.setdefault(ha_id, Appliance(replace(self.fleet[0], ha_id=ha_id)))


class NearestKey(Service):
    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        stem = ".".join(key.split(".")[:3])
        near = next((known for known in appliance.values if known.startswith(stem)), key)
        return super().read(appliance, segment, key if key in appliance.values else near)


# fmt: off
broken("mounted-elsewhere", "ADDR-BASE", "L1", MACHINE, _lies_at("/rest/", "/api/"),
    "The service lies under /rest/; every path under /api/ is unknown.")
broken("trailing-slash-needed", "ADDR-BASE", "L1", MACHINE,
    paths(lambda asked: asked.removesuffix("/") if asked.endswith("/") else ""),
    "Only paths that end in a slash are known.")
broken("ha-id-lower-cased", "ADDR-BASE", "L1", replace(MACHINE, ha_id="MAKER-SN65-0068A40B1C2D"),
    ha_ids(str.lower),
    "The haId of the path is lower-cased before it is looked up, so an appliance with capitals is never "
    "found.")
broken("redirects-to-v2", "ADDR-UNVERSIONED", "L0", MACHINE, _redirects("v2"),
    "Every unversioned path redirects to /api/v2/.")
broken("statuses-moved-to-v1-1", "ADDR-UNVERSIONED", "L0", MACHINE,
    _redirects("v1.1", "/status/", 301, absolute=True),
    "Statuses redirect to an absolute address under /api/v1.1/; settings are where they belong.")
broken("one-key-moved-to-v2", "ADDR-UNVERSIONED", "L0", MACHINE,
    _redirects("v2", f"/settings/{keys.CHILD_LOCK}", 302),
    "ChildLock redirects to /api/v2/; everything else is where it belongs.")
broken("version-1-only", "ADDR-UNVERSIONED", "L1", MACHINE, _lies_at("/api/v1/", "/api/"),
    "Everything is served under /api/v1/ and refused without the version.")
broken("any-ha-id", "ADDR-HAID", "L0", MACHINE, takes_ha_id(lambda _ha_id, _known: True),
    "The haId is ignored: whatever it is, the first appliance answers.")
broken("ha-id-by-length", "ADDR-HAID", "L0", replace(MACHINE, ha_id="401020304050607081"),
    takes_ha_id(lambda ha_id, known: len(ha_id) == len(known)),
    "A haId is only looked at for its length: any of the right one answers.")
broken("appliance-on-demand", "ADDR-HAID", "L0", MACHINE, ApplianceOnDemand,
    "A haId that nobody has heard of becomes an appliance the moment it is asked for.")
broken("settings-in-the-singular", "ADDR-SEG-SETTINGS", "L1",
    MACHINE.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.DOOR_STATE), _lies_at("/setting/", "/settings/"),
    "Settings are served under /setting/.", partners=_SETTING_REFUSED)
broken("child-lock-under-status", "ADDR-SEG-SETTINGS", "L1", MACHINE, displaces(keys.CHILD_LOCK),
    "ChildLock is served under status and refused under settings.", partners=_SETTING_REFUSED)
broken("unclaimed-setting-under-status", "ADDR-SEG-SETTINGS", "L0", TIMED_OVEN, displaces(keys.ALARM_CLOCK),
    "AlarmClock, which nobody claims, is served under status and refused under settings.", profile=PROBED)
broken("setting-empty-but-under-status", "ADDR-SEG-SETTINGS", "L1", MACHINE,
    gives(_empty_but_under_status),
    "ChildLock is answered 204 under settings and served under status.",
    partners={"READ-SETTING": "A claimed setting has no value."})
broken("statuses-in-the-plural", "ADDR-SEG-STATUS", "L1", MACHINE, _lies_at("/statuses/", "/status/"),
    "Statuses are served under /statuses/.", partners=_STATUS_REFUSED)
broken("one-status-in-the-plural", "ADDR-SEG-STATUS", "L1", MACHINE,
    _lies_at(f"/statuses/{keys.DOOR_STATE}", f"/status/{keys.DOOR_STATE}"),
    "DoorState is served under /statuses/, every other status where it belongs.", partners=_STATUS_REFUSED)
broken("unclaimed-status-under-settings", "ADDR-SEG-STATUS", "L0", MACHINE, displaces(keys.OPERATION_STATE),
    "OperationState, which nobody claims, is served under settings and refused under status.",
    partners={"PATH-ONLY-FOUR": "A status that is none of the four is served under settings only."},
    profile=PROBED)
broken("key-always-power-state", "ADDR-KEY-LAST", "L2", MACHINE, renames(lambda _: keys.POWER_STATE),
    "The key of every body is that of PowerState.",
    partners={"ADDR-SPECIFIC": "The key of the body is that of another entry."})
broken("key-lower-cased", "ADDR-KEY-LAST", "L2", MACHINE, renames(str.lower),
    "The key of every body is in lower case.")
broken("key-percent-encoded", "ADDR-KEY-LAST", "L2", MACHINE, renames(lambda key: key.replace(".", "%2E")),
    "The key of every body still has its dots percent-encoded.")
broken("key-shortened", "ADDR-KEY-LAST", "L2", MACHINE, renames(lambda _: "ChildLock", keys.CHILD_LOCK),
    "The key of the body of ChildLock is its last segment only.")
broken("key-shortened-in-turn", "ADDR-KEY-LAST", "L2", MACHINE, alternates(keys.CHILD_LOCK, _SHORT),
    "The key of every second body of ChildLock is its last segment only.")
broken("key-with-its-path", "ADDR-KEY-LAST", "L2", MACHINE,
    renames("status/{}".format, keys.REMOTE_CONTROL, keys.OPERATION_STATE, keys.DOOR_STATE),
    "The key of a status has the segment before it.")
broken("percent-answers-color-temperature", "ADDR-SPECIFIC", "L0", HOOD,
    shows_as(lambda _, one, key, now: (
        one.values[keys.COLOR_TEMPERATURE] if key == keys.COLOR_PERCENT else now)),
    "ColorTemperaturePercent answers with the value of ColorTemperature, whose key it begins with.",
    partners={"TYPE-DOUBLE": "The value is a string."})
broken("door-answers-operation-state", "ADDR-SPECIFIC", "L0", MACHINE, sends(keys.DOOR_STATE, keys.READY),
    "DoorState answers with an operation state.",
    partners={"ENUM-DOORSTATE": "The value is none of the three listed."})
broken("child-lock-answers-power-state", "ADDR-SPECIFIC", "L0", MACHINE, sends(keys.CHILD_LOCK, keys.ON),
    "ChildLock answers with a power state.", partners={"TYPE-BOOLEAN": "The value is a string."})
broken("temperature-unit-answers-volume-unit", "ADDR-SPECIFIC", "L0", FRIDGE,
    sends(keys.TEMPERATURE_UNIT, "Vendor.Common.EnumType.LiquidVolumeUnit.MilliLiter"),
    "TemperatureUnit answers with a unit of volume.",
    partners={"ENUM-TEMPUNIT": "The value is none of the two listed."})
broken("one-setting-answers-all", "ADDR-SPECIFIC", "L2", MACHINE,
    gives(lambda its, one, segment, key: its.list(one, segment) if key == keys.CHILD_LOCK else None),
    "GET on ChildLock returns the list of all settings.",
    partners={"READ-SETTING": "A claimed setting has no value at the declared pointer.",
        "READ-VALUE": "The body is well-formed and the declared value is missing."})
broken("second-door-answers-first", "ADDR-SPECIFIC", "L2",
    replace(FRIDGE, ha_id="fridge-3").having({keys.FRIDGE_DOOR_2: "Vendor.Common.EnumType.DoorState.Open"}),
    confuses(keys.FRIDGE_DOOR_2, keys.FRIDGE_DOOR),
    "Door.Refrigerator2 is answered with the whole entry of Door.Refrigerator, whose key it begins with.",
    partners=_OTHER_KEY)
broken("water-answers-cups", "ADDR-SPECIFIC", "L2", COUNTING, confuses(keys.HOT_WATER, keys.HOT_WATER_CUPS),
    "BeverageCounterHotWater is answered with the whole entry of BeverageCounterHotWaterCups.",
    partners=_OTHER_KEY)
broken("doors-of-another-maker", "ADDR-VENDOR", "L0", FRIDGE,
    converts(lambda sent: str(sent).replace("Vendor.", "Sister.", 1), keys.FREEZER_DOOR, keys.FRIDGE_DOOR),
    "The doors of a refrigerator name another maker than the keys do.",
    partners={"ENUM-DOOR-COOLING": "The value is none of the two listed."})
broken("maker-left-out", "ADDR-VENDOR", "L0", MACHINE,
    sends(keys.DOOR_STATE, "Vendor.Common.EnumType.DoorState.Closed"),
    "DoorState carries the word Vendor, every other key and value the maker's name.",
    partners={"ENUM-DOORSTATE": "The value is none of the three listed."}, vendor="Acme")
broken("sister-brand-color", "ADDR-VENDOR", "L0", MACHINE_LIT,
    sends(keys.AMBIENT_COLOR, "Sister.Common.EnumType.AmbientLightColor.Color7"),
    "AmbientLightColor names a sister brand, every other key and value the maker.",
    partners={"ENUM-AMBCOLOR": "The value is none of the hundred listed."}, vendor="Acme")
broken("any-key", "ADDR-UNKNOWNKEY", "L0", MACHINE, _invents(True, "settings", "status"),
    "Every key the appliance does not have is answered with the value true.")
broken("any-setting-is-text", "ADDR-UNKNOWNKEY", "L0", MACHINE, _invents("", "settings"),
    "Every setting the appliance does not have is answered with an empty text; statuses are refused as "
    "they should be.")
broken("nearest-key", "ADDR-UNKNOWNKEY", "L0", MACHINE, NearestKey,
    "A key that is not there is answered with the first one that begins with the same three segments.")
