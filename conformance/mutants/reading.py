"""Servers that do not give an entry on a plain GET of its key.

> Each setting or status can be read individually with a GET request on its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.random_errors import INTERNAL, ErringAtRandom
from conformance.mutants.shapes import Misanswered, Unserved
from conformance.mutants.soil import (
    ALARM_CLOCK,
    CHARGING_STATE,
    CHILD_LOCK,
    COUNTING,
    CUP_WARMER,
    DOOR_STATE,
    HOT_WATER_CUPS,
    MACHINE,
    MAP_NAME_3,
    REMOTE_CONTROL,
    ROBOT,
    ROBOT_NAMED,
    TIMED_OVEN,
)
from conformance.reference.names import OPERATION_STATE, POWER_STATE
from conformance.reference.service import Service
from conformance.reference.wire import MALFORMED, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Incoming, Route

_SEGMENT = {"ADDR-SEG-STATUS": "A claimed status has no value under the segment status."}
_NO_MEMBER = "The body is well-formed and the declared value is missing."
_OFFLINE = dump({"error": {"key": "SDK.Error.HomeAppliance.Connection.Initialization.Failed", "description": "Not connected"}})
_FAILED = dump({"error": {"key": "500", "description": "Internal error"}})


@mutant("setting-not-found", clause="READ-SETTING", level="L1")
class SettingNotFound(Misanswered):
    """ChildLock, which is claimed, is answered 404."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(404, dump({"error": {"key": "404", "description": "No such resource"}}))


@mutant("setting-unsupported", clause="READ-SETTING", level="L1")
class SettingUnsupported(Unserved):
    """AlarmClock, which is claimed, is refused exactly like an unknown key."""

    fleet = (TIMED_OVEN,)
    key = ALARM_CLOCK


@mutant("setting-not-implemented", clause="READ-SETTING", level="L1")
class SettingNotImplemented(Misanswered):
    """NameOfMap3, which is claimed, is answered 501 with a page of HTML."""

    fleet = (ROBOT_NAMED,)
    key, reply = MAP_NAME_3, Reply(501, b"<h1>Not implemented</h1>", media_type="text/html")


@mutant("setting-empty", clause="READ-SETTING", level="L0")
class SettingEmpty(Misanswered):
    """ChildLock is answered 200 with an empty body."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(200)


@mutant("setting-no-content", clause="READ-SETTING", level="L1")
class SettingNoContent(Misanswered):
    """CupWarmer, which is claimed, is answered 204."""

    fleet = (COUNTING,)
    key, reply = CUP_WARMER, Reply(204, media_type=None)


@mutant("setting-fails-inside", clause="READ-SETTING", level="L1")
class SettingFailsInside(Misanswered):
    """ChildLock, which is claimed, is answered 500."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(500, _FAILED)


@mutant("power-state-fails-inside", clause="READ-SETTING", level="L1")
class PowerStateFailsInside(Misanswered):
    """PowerState, which is claimed, is answered 500."""

    fleet = (MACHINE,)
    key, reply = POWER_STATE, Reply(500, _FAILED)


@mutant("setting-fails-beside-random-errors", clause="READ-SETTING", level="L1")
class SettingFailsBesideRandomErrors(ErringAtRandom):
    """ChildLock, which is claimed, is always answered 500, and of all other answers 5 of a hundred are errors."""

    fleet = (MACHINE,)
    share = 5

    def answer(self, request: Incoming) -> Reply:
        """Fail on the one key, and err at random on the others."""
        return INTERNAL if request.path.endswith(CHILD_LOCK) else super().answer(request)


@mutant("setting-drops-the-connection", clause="READ-SETTING", level="L1")
class SettingDropsTheConnection(Misanswered):
    """A GET of AlarmClock, which is claimed, closes the connection without an answer."""

    fleet = (TIMED_OVEN,)
    key, reply = ALARM_CLOCK, Reply(200, drop=True)


@mutant("setting-times-out", clause="READ-SETTING", level="L1")
class SettingTimesOut(Misanswered):
    """CupWarmer, which is claimed, is always answered 408, as a gateway does that waits in vain."""

    fleet = (COUNTING,)
    key, reply = CUP_WARMER, Reply(408, _OFFLINE)


@mutant("setting-refused-in-band", clause="READ-SETTING", level="L1")
class SettingRefusedInBand(Service):
    """What an appliance does not have is answered 200 with an error, and so is ChildLock, which is claimed."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Refuse in the body of a success."""
        if key != CHILD_LOCK and self.serves(appliance, segment, key):
            return super().read(appliance, segment, key)
        return Reply(200, dump({"error": {"key": "SDK.Error.Unsupported", "description": "The appliance does not have this"}}))


@mutant("setting-fails-in-band", clause="READ-SETTING", level="L2", partners={"READ-VALUE": _NO_MEMBER})
class SettingFailsInBand(Misanswered):
    """ChildLock, which is claimed, is answered 200 with an error where the entry should be."""

    fleet = (MACHINE,)
    key, reply = CHILD_LOCK, Reply(200, _OFFLINE)


@mutant("operation-state-missing", clause="READ-STATUS", level="L1", partners=_SEGMENT)
class OperationStateMissing(Unserved):
    """OperationState, which is claimed, is refused exactly like an unknown key."""

    fleet = (MACHINE,)
    key = OPERATION_STATE


@mutant("counter-not-found", clause="READ-STATUS", level="L1", partners=_SEGMENT)
class CounterNotFound(Misanswered):
    """One of three counters, which is claimed, is answered 404 with an empty body."""

    fleet = (COUNTING,)
    key, reply = HOT_WATER_CUPS, Reply(404)


@mutant("status-empty", clause="READ-STATUS", level="L0")
class StatusEmpty(Misanswered):
    """DoorState is answered 200 with an empty body."""

    fleet = (MACHINE,)
    key, reply = DOOR_STATE, Reply(200)


@mutant("status-no-content", clause="READ-STATUS", level="L1", partners=_SEGMENT)
class StatusNoContent(Misanswered):
    """RemoteControlActive, which is claimed, is answered 204."""

    fleet = (MACHINE,)
    key, reply = REMOTE_CONTROL, Reply(204, media_type=None)


@mutant("status-fails-inside", clause="READ-STATUS", level="L1", partners=_SEGMENT)
class StatusFailsInside(Misanswered):
    """DoorState, which is claimed, is answered 502 with a page of HTML."""

    fleet = (MACHINE,)
    key, reply = DOOR_STATE, Reply(502, b"<h1>Bad gateway</h1>", media_type="text/html")


@mutant("status-drops-the-connection", clause="READ-STATUS", level="L1", partners=_SEGMENT)
class StatusDropsTheConnection(Misanswered):
    """A GET of BatteryChargingState, which is claimed, closes the connection without an answer."""

    fleet = (ROBOT,)
    key, reply = CHARGING_STATE, Reply(200, drop=True)


@mutant(
    "status-stops-midway",
    clause="READ-STATUS",
    level="L1",
    partners=_SEGMENT | {"READ-VALUE": "What comes of the body before the line is closed is no JSON."},
)
class StatusStopsMidway(Misanswered):
    """The answer for DoorState, which is claimed, ends long before its Content-Length."""

    fleet = (MACHINE,)
    key, reply = DOOR_STATE, Reply(200, b'{"data":{"key":"Vendor', headers={"Content-Length": "4096"})


@mutant("status-fails-in-band", clause="READ-STATUS", level="L2", partners={"READ-VALUE": _NO_MEMBER, **_SEGMENT})
class StatusFailsInBand(Misanswered):
    """DoorState, which is claimed, is answered 200 with an error where the entry should be."""

    fleet = (MACHINE,)
    key, reply = DOOR_STATE, Reply(200, _OFFLINE)


@mutant("language-needed", clause="READ-NOPAYLOAD", level="L1", partners={"READ-SETTING": "A claimed setting is refused on a plain GET."})
class LanguageNeeded(Service):
    """ChildLock, which is claimed, is refused without the query parameter lang."""

    fleet = (MACHINE,)

    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        """Ask for the query parameter."""
        refused = route.key == CHILD_LOCK and "lang=" not in request.query
        return self.refuse(MALFORMED) if refused else super().visit(request, appliance, route)


@mutant(
    "query-needed",
    clause="READ-NOPAYLOAD",
    level="L1",
    partners={"READ-STATUS": "A claimed status is refused on a plain GET.", **_SEGMENT},
)
class QueryNeeded(Service):
    """DoorState, which is claimed, is refused without a query, whatever it says."""

    fleet = (MACHINE,)

    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        """Ask for any query."""
        refused = route.key == DOOR_STATE and not request.query
        return self.refuse(MALFORMED) if refused else super().visit(request, appliance, route)


@mutant("payload-needed", clause="READ-NOPAYLOAD", level="L1", partners={"READ-SETTING": "A claimed setting is refused on a plain GET."})
class PayloadNeeded(Service):
    """AlarmClock, which is claimed, is refused unless the GET carries a body."""

    fleet = (TIMED_OVEN,)

    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        """Ask for a body."""
        refused = route.key == ALARM_CLOCK and not request.body
        return self.refuse(MALFORMED) if refused else super().visit(request, appliance, route)
