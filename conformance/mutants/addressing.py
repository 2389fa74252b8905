"""Servers that are wrong about paths, versions, appliances and segments.

> GET | /api/homeappliances/{haId}/settings/{settingKey}
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from conformance.mutants.model import mutant
from conformance.mutants.shapes import Displaced
from conformance.mutants.soil import ALARM_CLOCK, CHILD_LOCK, DOOR_STATE, MACHINE, PROBED, REMOTE_CONTROL, TIMED_OVEN
from conformance.reference.appliance import Appliance
from conformance.reference.names import OPERATION_STATE
from conformance.reference.service import Service
from conformance.reference.wire import Reply

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.wire import Incoming, Route

_API = "/api/"
_SETTING_REFUSED = "A claimed setting is refused under the segment settings."
_STATUS_REFUSED = "A claimed status is refused under the segment status."


def _moved(request: Incoming, location: str, status: int = 308) -> Reply:
    """Send the client to another path of the same service."""
    return Reply(status, media_type=None, headers={"Location": request.prefix + location})


@mutant("mounted-elsewhere", clause="ADDR-BASE", level="L1")
class MountedElsewhere(Service):
    """The service lies under /rest/; every path under /api/ is unknown."""

    fleet = (MACHINE,)

    def route(self, request: Incoming) -> Route | None:
        """Know the paths under /rest/ alone."""
        if not request.path.startswith("/rest/"):
            return None
        return super().route(replace(request, path=request.path.replace("/rest/", _API, 1)))


@mutant("trailing-slash-needed", clause="ADDR-BASE", level="L1")
class TrailingSlashNeeded(Service):
    """Only paths that end in a slash are known."""

    fleet = (MACHINE,)

    def route(self, request: Incoming) -> Route | None:
        """Insist on the slash."""
        return super().route(replace(request, path=request.path[:-1])) if request.path.endswith("/") else None


@mutant("ha-id-lower-cased", clause="ADDR-BASE", level="L1")
class HaIdLowerCased(Service):
    """The haId of the path is lower-cased before it is looked up, so an appliance with capitals is never found."""

    fleet = (replace(MACHINE, ha_id="MAKER-SN65-0068A40B1C2D"),)

    def find(self, ha_id: str) -> Appliance | None:
        """Look for another haId than the one asked for."""
        return super().find(ha_id.lower())


@mutant("redirects-to-v2", clause="ADDR-UNVERSIONED", level="L0")
class RedirectsToV2(Service):
    """Every unversioned path redirects to /api/v2/."""

    fleet = (MACHINE,)

    def answer(self, request: Incoming) -> Reply:
        """Answer under the version only."""
        versioned = "/api/v2/"
        if request.path.startswith(versioned):
            return super().answer(replace(request, path=request.path.replace(versioned, _API, 1)))
        return _moved(request, request.path.replace(_API, versioned, 1))


@mutant("statuses-moved-to-v1-1", clause="ADDR-UNVERSIONED", level="L0")
class StatusesMovedToV11(Service):
    """Statuses redirect to an absolute address under /api/v1.1/; settings are where they belong."""

    fleet = (MACHINE,)

    def answer(self, request: Incoming) -> Reply:
        """Answer for statuses under the version only."""
        versioned = "/api/v1.1/"
        if request.path.startswith(versioned):
            return super().answer(replace(request, path=request.path.replace(versioned, _API, 1)))
        if "/status/" not in request.path:
            return super().answer(request)
        origin = f"http://{request.headers['host']}{request.prefix}"
        return Reply(301, media_type=None, headers={"Location": origin + request.path.replace(_API, versioned, 1)})


@mutant("one-key-moved-to-v2", clause="ADDR-UNVERSIONED", level="L0")
class OneKeyMovedToV2(Service):
    """ChildLock redirects to /api/v2/; everything else is where it belongs."""

    fleet = (MACHINE,)

    def answer(self, request: Incoming) -> Reply:
        """Answer for the one key under the version only."""
        versioned = "/api/v2/"
        if request.path.startswith(versioned):
            return super().answer(replace(request, path=request.path.replace(versioned, _API, 1)))
        moved = request.path.endswith(f"/settings/{CHILD_LOCK}")
        return _moved(request, request.path.replace(_API, versioned, 1), 302) if moved else super().answer(request)


@mutant("version-1-only", clause="ADDR-UNVERSIONED", level="L1")
class Version1Only(Service):
    """Everything is served under /api/v1/ and refused without the version."""

    fleet = (MACHINE,)

    def route(self, request: Incoming) -> Route | None:
        """Know the versioned paths alone."""
        versioned = "/api/v1/"
        if not request.path.startswith(versioned):
            return None
        return super().route(replace(request, path=request.path.replace(versioned, _API, 1)))


@mutant("any-ha-id", clause="ADDR-HAID", level="L0")
class AnyHaId(Service):
    """The haId is ignored: whatever it is, the first appliance answers."""

    fleet = (MACHINE,)

    def find(self, ha_id: str) -> Appliance | None:
        """Find an appliance in any case."""
        return super().find(ha_id) or self.appliances[self.fleet[0].ha_id]


@mutant("ha-id-by-length", clause="ADDR-HAID", level="L0")
class HaIdByLength(Service):
    """A haId is only looked at for its length: any of the right one answers."""

    fleet = (replace(MACHINE, ha_id="401020304050607081"),)

    def find(self, ha_id: str) -> Appliance | None:
        """Take the first appliance whose haId is as long."""
        return next((appliance for known, appliance in self.appliances.items() if len(known) == len(ha_id)), None)


@mutant("appliance-on-demand", clause="ADDR-HAID", level="L0")
class ApplianceOnDemand(Service):
    """A haId that nobody has heard of becomes an appliance the moment it is asked for."""

    fleet = (MACHINE,)

    def find(self, ha_id: str) -> Appliance | None:
        """Make what is not there."""
        return self.appliances.setdefault(ha_id, Appliance(replace(self.fleet[0], ha_id=ha_id)))


@mutant("settings-in-the-singular", clause="ADDR-SEG-SETTINGS", level="L1", partners={"READ-SETTING": _SETTING_REFUSED})
class SettingsInTheSingular(Service):
    """Settings are served under /setting/."""

    # No power state: one that is claimed and unreadable would excuse everything else.
    fleet = (MACHINE.only(CHILD_LOCK, REMOTE_CONTROL, DOOR_STATE),)

    def route(self, request: Incoming) -> Route | None:
        """Know the singular in place of the plural."""
        if "/settings/" in request.path:
            return None
        return super().route(replace(request, path=request.path.replace("/setting/", "/settings/")))


@mutant("child-lock-under-status", clause="ADDR-SEG-SETTINGS", level="L1", partners={"READ-SETTING": _SETTING_REFUSED})
class ChildLockUnderStatus(Displaced):
    """ChildLock is served under status and refused under settings."""

    fleet = (MACHINE,)
    key = CHILD_LOCK


@mutant("unclaimed-setting-under-status", clause="ADDR-SEG-SETTINGS", level="L0")
class UnclaimedSettingUnderStatus(Displaced):
    """AlarmClock, which nobody claims, is served under status and refused under settings."""

    fleet = (TIMED_OVEN,)
    profile_extras = PROBED
    key = ALARM_CLOCK


@mutant(
    "setting-empty-but-under-status", clause="ADDR-SEG-SETTINGS", level="L1", partners={"READ-SETTING": "A claimed setting has no value."}
)
class SettingEmptyButUnderStatus(Service):
    """ChildLock is answered 204 under settings and served under status."""

    fleet = (MACHINE,)

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Have nothing to say where the setting belongs."""
        if key != CHILD_LOCK:
            return super().read(appliance, segment, key)
        return Reply(204, media_type=None) if segment == "settings" else super().read(appliance, "settings", key)


@mutant("statuses-in-the-plural", clause="ADDR-SEG-STATUS", level="L1", partners={"READ-STATUS": _STATUS_REFUSED})
class StatusesInThePlural(Service):
    """Statuses are served under /statuses/."""

    fleet = (MACHINE,)

    def route(self, request: Incoming) -> Route | None:
        """Know the plural in place of the singular."""
        if "/status/" in request.path:
            return None
        return super().route(replace(request, path=request.path.replace("/statuses/", "/status/")))


@mutant("one-status-in-the-plural", clause="ADDR-SEG-STATUS", level="L1", partners={"READ-STATUS": _STATUS_REFUSED})
class OneStatusInThePlural(Service):
    """DoorState is served under /statuses/, every other status where it belongs."""

    fleet = (MACHINE,)

    def route(self, request: Incoming) -> Route | None:
        """Know the one key under the plural only."""
        if request.path.endswith(f"/status/{DOOR_STATE}"):
            return None
        return super().route(replace(request, path=request.path.replace(f"/statuses/{DOOR_STATE}", f"/status/{DOOR_STATE}")))


@mutant(
    "unclaimed-status-under-settings",
    clause="ADDR-SEG-STATUS",
    level="L0",
    partners={"PATH-ONLY-FOUR": "A status that is none of the four is served under settings only."},
)
class UnclaimedStatusUnderSettings(Displaced):
    """OperationState, which nobody claims, is served under settings and refused under status."""

    fleet = (MACHINE,)
    profile_extras = PROBED
    key = OPERATION_STATE
