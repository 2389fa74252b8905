"""Odd answers to an attempt to write a status, and statuses that move at such a moment.

> A status is a state reported by the appliance.

Nothing says how an attempt is turned away, so the status itself must be read. One of them may be switched off from afar (line 89).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from conformance.mutants.model import variant
from conformance.mutants.soil import CHILD_LOCK, CURRENT_MAP, DOOR_STATE, LAST_MAP
from conformance.mutants.variant_write_soil import CONTESTED, MAPPED, WATCHED
from conformance.reference.fleet_household import DISHWASHER
from conformance.reference.names import OPERATION_STATE, REMOTE_START
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, Refusal, Reply, dump

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.wire import Json

_CLOSED = "Vendor.Common.EnumType.DoorState.Closed"
_OPEN = "Vendor.Common.EnumType.DoorState.Open"
_STARTABLE = DISHWASHER.only(CHILD_LOCK, REMOTE_START, OPERATION_STATE, DOOR_STATE)


class StatusesAnswering(Service):
    """An attempt to write a status does nothing and has an answer of its own.

    Attributes:
        attempted: that answer.
    """

    attempted: ClassVar[Reply]

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Give that answer under status."""
        return self.attempted if segment == "status" else super().write(appliance, segment, key, body)


@variant("status-writes-not-found", clause="STA-READONLY", knowledges=("full",))
class StatusWritesNotFound(StatusesAnswering):
    """There is nothing to write to where a status is read: 404 in HTML."""

    fleet = (WATCHED,)
    attempted = Reply(404, b"<html><body>Cannot PUT</body></html>", "text/html")


@variant("status-writes-conflict", clause="STA-READONLY", knowledges=("full",))
class StatusWritesConflict(StatusesAnswering):
    """Writing a status is a conflict: 409."""

    fleet = (WATCHED,)
    attempted = Reply(409, dump({"error": {"key": "SDK.Error.UnsupportedOperation"}}))


@variant("status-writes-malformed", clause="STA-READONLY", knowledges=("full",))
class StatusWritesMalformed(StatusesAnswering):
    """Writing a status is a mistake of whoever asks: 400 without a body."""

    fleet = (CONTESTED,)
    attempted = Reply(400, media_type=None)


@variant("status-writes-forbidden", clause="STA-READONLY", knowledges=("full",))
class StatusWritesForbidden(StatusesAnswering):
    """Writing a status is forbidden: 403."""

    fleet = (WATCHED,)
    attempted = Reply(403, dump({"error": {"key": "insufficient_scope"}}))


@variant("status-writes-fail", clause="STA-READONLY", knowledges=("full",))
class StatusWritesFail(StatusesAnswering):
    """Writing a status ends in an exception: 500."""

    fleet = (CONTESTED,)
    attempted = Reply(500, b"Internal Server Error", "text/plain")


@variant("status-writes-hang-up", clause="STA-READONLY", knowledges=("full",))
class StatusWritesHangUp(StatusesAnswering):
    """Writing a status ends the connection."""

    fleet = (WATCHED,)
    attempted = Reply(200, drop=True)


@variant("status-writes-ignored", clause="STA-READONLY", knowledges=("full",))
class StatusWritesIgnored(StatusesAnswering):
    """Writing a status is answered 204 and ignored."""

    fleet = (WATCHED,)
    attempted = Reply(204, media_type=None)


@variant("status-writes-granted", clause="STA-READONLY", knowledges=("full",))
class StatusWritesGranted(StatusesAnswering):
    """Writing a status is answered 200 and called written, and nothing is."""

    fleet = (CONTESTED,)
    attempted = Reply(200, dump({"data": {"written": True}}))


@variant("status-writes-echoed", clause="STA-READONLY", knowledges=("full",))
class StatusWritesEchoed(Service):
    """Writing a status is answered 200 with what was sent, and nothing is written."""

    fleet = (WATCHED,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Send the body back."""
        return Reply(200, body) if segment == "status" else super().write(appliance, segment, key, body)


@variant("contested-writes-ignored", clause="STA-READONLY", knowledges=("full",))
class ContestedWritesIgnored(Service):
    """Writing a status of the published example under settings is answered 204 and ignored."""

    fleet = (CONTESTED,)

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Overlook the contested ones."""
        contested = key in appliance.values and self.entries[key].contested
        return Reply(204, media_type=None) if contested else super().write(appliance, segment, key, body)


@variant("door-opened-once", clause="STA-READONLY", knowledges=("full",))
class DoorOpenedOnce(Service):
    """Just when somebody tries to write DoorState for the first time, a person opens the door."""

    fleet = (WATCHED.having({DOOR_STATE: _CLOSED}),)
    opened = False

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Let the person do it once."""
        if key == DOOR_STATE and not self.opened:
            self.opened = True
            self.change(appliance, DOOR_STATE, _OPEN)
        return super().write(appliance, segment, key, body)


class Disabling(Service):
    """RemoteControlStartAllowed can be written where it is read."""

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        """Make the one exception that line 89 makes."""
        return None if segment == "status" and key == REMOTE_START else super().writable(appliance, segment, key)


@variant("remote-start-disabled-from-afar", clause="STA-RCSA-DISABLE-ONLY", knowledges=("full",))
class RemoteStartDisabledFromAfar(Disabling):
    """RemoteControlStartAllowed is found true, takes false and refuses true."""

    fleet = (_STARTABLE.having({REMOTE_START: True}),)

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Take nothing but false."""
        return INVALID_VALUE if key == REMOTE_START and value is not False else super().accepts(appliance, key, value)


@variant("remote-start-stays-disabled", clause="STA-RCSA-DISABLE-ONLY", knowledges=("full",))
class RemoteStartStaysDisabled(Disabling):
    """RemoteControlStartAllowed is found false, and whatever is written to it is answered 204 and leaves it false."""

    fleet = (_STARTABLE,)

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Keep false, whatever was wanted."""
        return False if key == REMOTE_START else super().normal(appliance, key, value)


@variant("remote-start-enabled-by-hand-once", clause="STA-RCSA-DISABLE-ONLY", knowledges=("full",))
class RemoteStartEnabledByHandOnce(Disabling):
    """Just when somebody tries to write RemoteControlStartAllowed for the first time, a person enables it; it can be disabled again."""

    fleet = (_STARTABLE,)
    enabled = False

    def normal(self, appliance: Appliance, key: str, value: Json) -> Json:
        """Let the person do it once."""
        if key != REMOTE_START:
            return super().normal(appliance, key, value)
        by_hand, self.enabled = not self.enabled, True
        return by_hand


@variant("last-map-follows", clause="SET-ONLY-TARGET", knowledges=("full",))
class LastMapFollows(Service):
    """A write of CurrentMap moves LastSelectedMap, a status, to the map that was there before."""

    fleet = (MAPPED,)

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        """Remember what was selected."""
        before = appliance.values[key]
        super().apply(appliance, key, value)
        if key == CURRENT_MAP and value != before:
            self.change(appliance, LAST_MAP, before)
