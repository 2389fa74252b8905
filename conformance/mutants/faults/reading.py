"""Servers that do not give an entry on a plain GET of its key, or another one the next time.

> Each setting or status can be read individually with a GET request on its key.
> data type | one of Enumeration, Boolean, Integer, Double, Float, String | Type of the value
"""

import gzip
import re
from collections.abc import Callable

from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry
from conformance.mutants.fleets import COUNTING, FRIDGE_EQUIPPED, MACHINE, ROBOT, ROBOT_NAMED, TIMED_OVEN
from conformance.mutants.model import broken
from conformance.mutants.shapes.reads import (
    alternates,
    answers,
    goes_on,
    holds,
    lacks,
    rewrites,
    rewrites_where,
    wraps,
)
from conformance.mutants.shapes.requests import BAD_GATEWAY, INTERNAL, ErringAtRandom
from conformance.mutants.shapes.states import is_asleep, refuses_with
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cooking import HOOD_COLORFUL
from conformance.reference.service import Service
from conformance.reference.wire import MALFORMED, UNSUPPORTED, Incoming, Json, Members, Reply, Route, dump

_SETTING = {"READ-SETTING": "A setting is answered with a success and without a value."}
_STATUS = {"READ-STATUS": "A status is answered with a success and without a value."}
_SEGMENT = {"ADDR-SEG-STATUS": "A claimed status has no value under the segment status."}
_NO_MEMBER = {"READ-VALUE": "The body is well-formed and the declared value is missing."}
_SETTING_REFUSED = {"READ-SETTING": "A claimed setting is refused on a plain GET."}

_OFF_MACHINE = MACHINE.having({keys.POWER_STATE: keys.OFF, keys.OPERATION_STATE: keys.INACTIVE})
_LIT_HOOD = HOOD_COLORFUL.only(keys.POWER_STATE, keys.AMBIENT_ENABLED, keys.AMBIENT_COLOR)


def _refusal(status: int, key: str, description: str) -> Reply:
    return Reply(status, dump({"error": {"key": key, "description": description}}))


_NOT_FOUND = _refusal(404, "404", "No such resource")
_UNSUPPORTED = _refusal(409, "SDK.Error.UnsupportedSetting", "The appliance does not have this setting")
_IN_BAND = _refusal(200, "SDK.Error.Unsupported", "The appliance does not have this")
_OFFLINE = _refusal(200, "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "Not connected")
_NO_CONTENT = Reply(204, media_type=None)


def _needs(on: str, has: Callable[[Incoming], bool]) -> type[Service]:
    """A GET of a key is refused unless the request has something that a plain GET has not."""

    class Needs(Service):
        def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
            refused = route.key == on and not has(request)
            return self.refuse(MALFORMED) if refused else super().visit(request, appliance, route)

    return Needs


def _next(values: tuple[Json, ...]) -> Callable[[Json], Json]:
    """The value after another one, and the first after the last."""
    return lambda value: values[(values.index(value) + 1) % len(values)]


_COLORS = tuple(f"{keys.COLOR_FAMILY}.Color{number}" for number in range(1, 100))
_MAPS = tuple(f"{keys.MAP_FAMILY}.{name}" for name in ("TempMap", "Map1", "Map2", "Map3"))


def _half(body: bytes) -> bytes:
    return body[: len(body) // 2]


class SettingFailsBesideRandomErrors(ErringAtRandom):
    share = 5

    def answer(self, request: Incoming) -> Reply:
        return INTERNAL if request.path.endswith(keys.CHILD_LOCK) else super().answer(request)


def _called_state(entry: Entry, members: Members) -> Members:
    names = {"value": "state"} if entry.key == keys.DOOR_STATE else {}
    return {names.get(name, name): member for name, member in members.items()}


# fmt: off
broken("setting-not-found", "READ-SETTING", "L1", MACHINE, answers(keys.CHILD_LOCK, _NOT_FOUND),
    "ChildLock, which is claimed, is answered 404.")
broken("setting-unsupported", "READ-SETTING", "L1", TIMED_OVEN, lacks(keys.ALARM_CLOCK),
    "AlarmClock, which is claimed, is refused exactly like an unknown key.")
broken("setting-not-implemented", "READ-SETTING", "L1", ROBOT_NAMED,
    answers(keys.MAP_NAME_3, Reply(501, b"<h1>Not implemented</h1>", media_type="text/html")),
    "NameOfMap3, which is claimed, is answered 501 with a page of HTML.")
broken("setting-empty", "READ-SETTING", "L0", MACHINE, answers(keys.CHILD_LOCK, Reply(200)),
    "ChildLock is answered 200 with an empty body.")
broken("setting-no-content", "READ-SETTING", "L1", COUNTING, answers(keys.CUP_WARMER, _NO_CONTENT),
    "CupWarmer, which is claimed, is answered 204.")
broken("setting-fails-inside", "READ-SETTING", "L1", MACHINE, answers(keys.CHILD_LOCK, INTERNAL),
    "ChildLock, which is claimed, is answered 500.")
broken("power-state-fails-inside", "READ-SETTING", "L1", MACHINE, answers(keys.POWER_STATE, INTERNAL),
    "PowerState, which is claimed, is answered 500.")
broken("setting-fails-beside-random-errors", "READ-SETTING", "L1", MACHINE, SettingFailsBesideRandomErrors,
    "ChildLock, which is claimed, is always answered 500, and of all other answers 5 of a hundred are "
    "errors.")
broken("setting-drops-the-connection", "READ-SETTING", "L1", TIMED_OVEN,
    answers(keys.ALARM_CLOCK, Reply(200, drop=True)),
    "A GET of AlarmClock, which is claimed, closes the connection without an answer.")
broken("setting-times-out", "READ-SETTING", "L1", COUNTING,
    answers(keys.CUP_WARMER, replace(_OFFLINE, status=408)),
    "CupWarmer, which is claimed, is always answered 408, as a gateway does that waits in vain.")
broken("setting-refused-in-band", "READ-SETTING", "L1", MACHINE,
    (answers(keys.CHILD_LOCK, _IN_BAND), refuses_with(_IN_BAND, *UNSUPPORTED.values())),
    "What an appliance does not have is answered 200 with an error, and so is ChildLock, which is "
    "claimed.")
broken("setting-fails-in-band", "READ-SETTING", "L2", MACHINE, answers(keys.CHILD_LOCK, _OFFLINE),
    "ChildLock, which is claimed, is answered 200 with an error where the entry should be.",
    partners=_NO_MEMBER)
broken("operation-state-missing", "READ-STATUS", "L1", MACHINE, lacks(keys.OPERATION_STATE),
    "OperationState, which is claimed, is refused exactly like an unknown key.", partners=_SEGMENT)
broken("counter-not-found", "READ-STATUS", "L1", COUNTING, answers(keys.HOT_WATER_CUPS, Reply(404)),
    "One of three counters, which is claimed, is answered 404 with an empty body.", partners=_SEGMENT)
broken("status-empty", "READ-STATUS", "L0", MACHINE, answers(keys.DOOR_STATE, Reply(200)),
    "DoorState is answered 200 with an empty body.")
broken("status-no-content", "READ-STATUS", "L1", MACHINE, answers(keys.REMOTE_CONTROL, _NO_CONTENT),
    "RemoteControlActive, which is claimed, is answered 204.", partners=_SEGMENT)
broken("status-fails-inside", "READ-STATUS", "L1", MACHINE, answers(keys.DOOR_STATE, BAD_GATEWAY),
    "DoorState, which is claimed, is answered 502 with a page of HTML.", partners=_SEGMENT)
broken("status-drops-the-connection", "READ-STATUS", "L1", ROBOT,
    answers(keys.CHARGING_STATE, Reply(200, drop=True)),
    "A GET of BatteryChargingState, which is claimed, closes the connection without an answer.",
    partners=_SEGMENT)
broken("status-stops-midway", "READ-STATUS", "L1", MACHINE,
    answers(keys.DOOR_STATE, Reply(200, b'{"data":{"key":"Vendor', headers={"Content-Length": "4096"})),
    "The answer for DoorState, which is claimed, ends long before its Content-Length.",
    partners=_SEGMENT | {"READ-VALUE": "What comes of the body before the line is closed is no JSON."})
broken("status-fails-in-band", "READ-STATUS", "L2", MACHINE, answers(keys.DOOR_STATE, _OFFLINE),
    "DoorState, which is claimed, is answered 200 with an error where the entry should be.",
    partners=_NO_MEMBER | _SEGMENT)
broken("language-needed", "READ-NOPAYLOAD", "L1", MACHINE,
    _needs(keys.CHILD_LOCK, lambda request: "lang=" in request.query),
    "ChildLock, which is claimed, is refused without the query parameter lang.", partners=_SETTING_REFUSED)
broken("query-needed", "READ-NOPAYLOAD", "L1", MACHINE,
    _needs(keys.DOOR_STATE, lambda request: bool(request.query)),
    "DoorState, which is claimed, is refused without a query, whatever it says.",
    partners={"READ-STATUS": "A claimed status is refused on a plain GET."} | _SEGMENT)
broken("payload-needed", "READ-NOPAYLOAD", "L1", TIMED_OVEN,
    _needs(keys.ALARM_CLOCK, lambda request: bool(request.body)),
    "AlarmClock, which is claimed, is refused unless the GET carries a body.", partners=_SETTING_REFUSED)
broken("body-cut-in-half", "READ-VALUE", "L0", MACHINE,
    rewrites(keys.CHILD_LOCK, _half),
    "The body of ChildLock ends in its middle, where its Content-Length says it does.", partners=_SETTING)
broken("value-twice", "READ-VALUE", "L0", MACHINE,
    rewrites(keys.CHILD_LOCK, lambda body: body.replace(b'"value":', b'"value":true,"value":')),
    "The body of ChildLock has the member value twice, true and false.", partners=_SETTING)
broken("value-twice-alike", "READ-VALUE", "L1", MACHINE,
    rewrites(keys.POWER_STATE, lambda body: re.sub(rb'("value":"[^"]*")', rb"\1,\1", body)),
    "The body of PowerState has the member value twice, On and On.", partners=_SETTING)
broken("body-in-latin-1", "READ-VALUE", "L0", ROBOT_NAMED,
    rewrites(keys.MAP_NAME_1, lambda body: body.decode().encode("latin-1")),
    "The name of a map is sent in Latin-1, which is not UTF-8.", partners=_SETTING)
broken("line-break-in-text", "READ-VALUE", "L0", ROBOT_NAMED,
    rewrites(keys.MAP_NAME_1, lambda body: body.replace("Küche".encode(), b"Kitchen\nwest")),
    "The name of a map has a line break that is not escaped.", partners=_SETTING)
broken("remark-after-the-body", "READ-VALUE", "L0", MACHINE,
    rewrites(keys.DOOR_STATE, lambda body: body + b"\n<!-- served in 12 ms -->"),
    "The body of DoorState is followed by a remark of the web server.", partners=_STATUS)
broken("single-quotes", "READ-VALUE", "L0", MACHINE,
    rewrites(keys.REMOTE_CONTROL, lambda body: body.replace(b'"', b"'")),
    "The body of RemoteControlActive is the dump of a data structure, with single quotes.", partners=_STATUS)
broken("trailing-comma", "READ-VALUE", "L0", TIMED_OVEN,
    rewrites(keys.ALARM_CLOCK, lambda body: body.removesuffix(b"}") + b",}"),
    "The last member of the body of AlarmClock is followed by a comma.", partners=_SETTING)
broken("compressed-unsaid", "READ-VALUE", "L0", MACHINE, rewrites(keys.DOOR_STATE, gzip.compress),
    "The body of DoorState is compressed, and no header says so.", partners=_STATUS)
broken("page-for-an-entry", "READ-VALUE", "L0", MACHINE,
    answers(keys.CHILD_LOCK, Reply(200, b"<html><body>Please wait</body></html>")),
    "ChildLock is answered 200 with a page of HTML that is called JSON.", partners=_SETTING)
broken("false-left-out", "READ-VALUE", "L2", MACHINE,
    holds(lambda _, members: {name: it for name, it in members.items() if it is not False}),
    "A value that is false is left out of the body, as a default.", partners=_SETTING)
broken("entry-one-level-deeper", "READ-VALUE", "L2", MACHINE,
    wraps(lambda members: {"data": {"setting": members} if members["key"] == keys.CHILD_LOCK else members}),
    "The members of ChildLock lie one level deeper than those of every other entry.", partners=_SETTING)
broken("value-called-state", "READ-VALUE", "L2", MACHINE, holds(_called_state),
    "The value of DoorState is in a member called state.", partners=_STATUS | _SEGMENT)
broken("garbled-while-off", "READ-VALUE", "L1", _OFF_MACHINE, rewrites_where(is_asleep, _half),
    "While the appliance is off, every answer about another key than its power state is cut in the "
    "middle of its JSON.", partners=_SETTING | _STATUS | _SEGMENT)
broken("garbled-while-off-and-unclaimed", "READ-VALUE", "L0", _OFF_MACHINE,
    rewrites_where(is_asleep, _half),
    "The same of an appliance of which nothing is claimed.", partners=_SETTING | _STATUS)
broken("every-second-refused", "READ-REPEAT", "L1", MACHINE, alternates(keys.CHILD_LOCK, _UNSUPPORTED),
    "Every second GET of ChildLock is refused like an unknown key.")
broken("every-second-empty", "READ-REPEAT", "L1", MACHINE, alternates(keys.REMOTE_CONTROL, Reply(200)),
    "Every second GET of RemoteControlActive is answered 200 with an empty body.")
broken("every-second-no-content", "READ-REPEAT", "L1", FRIDGE_EQUIPPED,
    alternates(keys.INTERNAL_LIGHT, _NO_CONTENT),
    "Every second GET of the light of a refrigerator is answered 204.")
broken("color-moves-on", "READ-SAFE", "L0", _LIT_HOOD, goes_on(keys.AMBIENT_COLOR, _next(_COLORS)),
    "Each GET of AmbientLightColor goes on to the next colour.")
broken("lock-flips", "READ-SAFE", "L0", MACHINE, goes_on(keys.CHILD_LOCK, lambda value: not value),
    "Each GET of ChildLock flips it.")
broken("map-moves-on", "READ-SAFE", "L0", ROBOT_NAMED, goes_on(keys.CURRENT_MAP, _next(_MAPS)),
    "Each GET of CurrentMap selects the next map.")
