"""Odd answers to an attempt to write a status, and statuses that move at such a moment.

> A status is a state reported by the appliance.

Nothing says how an attempt is turned away, so the status itself must be read. One of them may be switched off
from afar (line 89).
"""

from catalog import keys
from catalog.model import Segment
from conformance.mutants import document
from conformance.mutants.fleets import MACHINE_STATUSES, ROBOT_CONTESTED, ROBOT_THREE_MAPS
from conformance.mutants.model import written
from conformance.mutants.shapes.writes import opens, refuses_where, stores
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, Json, Reply, dump

_STARTABLE = DISHWASHER.only(keys.CHILD_LOCK, keys.REMOTE_START, keys.OPERATION_STATE, keys.DOOR_STATE)
_OPERATED = DISHWASHER.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.DOOR_STATE)


def _answers_attempts(reply: Reply | None = None) -> type[Service]:
    """An attempt to write a status does nothing and has an answer of its own, or what was sent."""

    class AnswersAttempts(Service):
        fleet = (MACHINE_STATUSES,)

        def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
            if segment != "status":
                return super().write(appliance, segment, key, body)
            return reply or Reply(200, body)

    return AnswersAttempts


class ContestedWritesIgnored(Service):
    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        contested = key in appliance.values and self.entries[key].contested
        return Reply(204, media_type=None) if contested else super().write(appliance, segment, key, body)


class DoorOpenedOnce(Service):
    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        if key == keys.DOOR_STATE and appliance.nth("opening") == 1:
            self.change(appliance, keys.DOOR_STATE, keys.OPEN)
        return super().write(appliance, segment, key, body)


class LastMapFollows(Service):
    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        before = appliance.values[key]
        super().apply(appliance, key, value)
        if key == keys.CURRENT_MAP and value != before:
            self.change(appliance, keys.LAST_MAP, before)


class RemoteStartEnabledByHandOnce(Service):
    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        is_start = key == keys.REMOTE_START
        return appliance.nth("enabling") == 1 if is_start else super().normal(appliance, key, value)


# fmt: off
written(_answers_attempts(Reply(404, b"<html><body>Cannot PUT</body></html>", "text/html")),
    "status-writes-not-found", "STA-READONLY",
    "There is nothing to write to where a status is read: 404 in HTML.", allowed=document.ERRORS)
written(_answers_attempts(Reply(409, dump({"error": {"key": "SDK.Error.UnsupportedOperation"}}))),
    "status-writes-conflict", "STA-READONLY", "Writing a status is a conflict: 409.", allowed=document.ERRORS)
written(_answers_attempts(Reply(400, media_type=None)), "status-writes-malformed", "STA-READONLY",
    "Writing a status is a mistake of whoever asks: 400 without a body.", fleet=ROBOT_CONTESTED,
    allowed=document.ERRORS)
written(_answers_attempts(Reply(403, dump({"error": {"key": "insufficient_scope"}}))),
    "status-writes-forbidden", "STA-READONLY", "Writing a status is forbidden: 403.", allowed=document.ERRORS)
written(_answers_attempts(Reply(500, b"Internal Server Error", "text/plain")), "status-writes-fail",
    "STA-READONLY", "Writing a status ends in an exception: 500.", fleet=ROBOT_CONTESTED,
    allowed=document.ERRORS)
written(_answers_attempts(Reply(200, drop=True)), "status-writes-hang-up", "STA-READONLY",
    "Writing a status ends the connection.", allowed=document.TRANSPORT)
written(_answers_attempts(Reply(204, media_type=None)), "status-writes-ignored", "STA-READONLY",
    "Writing a status is answered 204 and ignored.", allowed=document.STATUS_WRITES)
written(_answers_attempts(Reply(200, dump({"data": {"written": True}}))), "status-writes-granted",
    "STA-READONLY",
    "Writing a status is answered 200 and called written, and nothing is.", fleet=ROBOT_CONTESTED,
    allowed=document.STATUS_WRITES)
written(opens(keys.DOOR_STATE), "door-moved-by-hand", "STA-READONLY",
    "Remote control is not allowed, and a person opens and closes the door whenever a write of DoorState "
    "happens to arrive.", fleet=_OPERATED.having({keys.REMOTE_CONTROL: False, keys.DOOR_STATE: keys.CLOSED}),
    allowed=document.DOOR)
written(_answers_attempts(), "status-writes-echoed", "STA-READONLY",
    "Writing a status is answered 200 with what was sent, and nothing is written.",
    allowed=document.STATUS_WRITES)
written(ContestedWritesIgnored, "contested-writes-ignored", "STA-READONLY",
    "Writing a status of the published example under settings is answered 204 and ignored.",
    fleet=ROBOT_CONTESTED, allowed=document.STATUS_WRITES)
written(DoorOpenedOnce, "door-opened-once", "STA-READONLY",
    "Just when somebody tries to write DoorState for the first time, a person opens the door.",
    fleet=MACHINE_STATUSES.having({keys.DOOR_STATE: keys.CLOSED}), allowed=document.DOOR)
written(LastMapFollows, "last-map-follows", "SET-ONLY-TARGET",
    "A write of CurrentMap moves LastSelectedMap, a status, to the map that was there before.",
    fleet=ROBOT_THREE_MAPS, allowed=document.TRANSITIONS)
written((refuses_where(lambda _, key, value: key == keys.REMOTE_START and value is not False, INVALID_VALUE),
        opens(keys.REMOTE_START)), "remote-start-disabled-from-afar", "STA-RCSA-DISABLE-ONLY",
    "RemoteControlStartAllowed is found true, takes false and refuses true.",
    fleet=_STARTABLE.having({keys.REMOTE_START: True}), allowed=document.REMOTE_START)
written((stores(lambda _: False, keys.REMOTE_START), opens(keys.REMOTE_START)), "remote-start-stays-disabled",
    "STA-RCSA-DISABLE-ONLY",
    "RemoteControlStartAllowed is found false; whatever is written to it is answered 204 and ignored.",
    fleet=_STARTABLE, allowed=document.REMOTE_START)
written((RemoteStartEnabledByHandOnce, opens(keys.REMOTE_START)), "remote-start-enabled-by-hand-once",
    "STA-RCSA-DISABLE-ONLY",
    "A person enables RemoteControlStartAllowed when somebody first tries to write it; it can be undone.",
    fleet=_STARTABLE, allowed=document.REMOTE_START)
