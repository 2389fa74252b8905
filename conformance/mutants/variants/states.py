"""States that an appliance is found in, or that a write brings about, and what they do to reads and writes.

> Whether remote control is allowed
> A status is a state reported by the appliance.

A state can be read as long as it lasts; what it hides, refuses or leaves without effect is as ever before it
and after it. Who wants to write ends the state first: the appliance need not let it be ended, may take its
time, and may move with it what nothing keeps apart from it.

Nothing says how an attempt to write a status is turned away, so the status itself must be read. One of them
may be switched off from afar (line 89).
"""

from types import MappingProxyType

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import hides, is_in, shows
from conformance.mutants.shapes.side_effects import couples
from conformance.mutants.shapes.states import Away, Late, Unsaid, is_asleep
from conformance.mutants.shapes.writes import (
    acknowledges,
    opens,
    refuses,
    refuses_where,
    refuses_while,
    stores,
    swallows_while,
)
from conformance.reference.appliance import Appliance
from conformance.reference.fleets.cleaning import DISHWASHER
from conformance.reference.fleets.cooling import FRIDGE_CELSIUS
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, Json, Reply, dump

_COOLING_MODES = (keys.VACATION_MODE, keys.FRESH_MODE, keys.SUPER_REFRIGERATOR, keys.SUPER_FREEZER)
_RESTING = fleets.FRIDGE_EQUIPPED.having({keys.FRIDGE_SABBATH: True})
_NAME_OF = {f"{keys.MAP_FAMILY}.Map{number}": name for number, name in enumerate(keys.MAP_NAMES, 1)}
_UNNAMED = fleets.ROBOT_THREE_MAPS.having({keys.MAP_NAME_3: ""})
_LOCKED_OVEN = fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True})
_ASSISTED = FRIDGE_CELSIUS.only(
    keys.ASSISTANT_FRIDGE, keys.ASSISTANT_FREEZER, keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FORCE_FREEZER
).having({keys.ASSISTANT_FRIDGE: True})
_OF_THE_ASSISTANT = {keys.ASSISTANT_FORCE_FRIDGE, keys.ASSISTANT_FREEZER}
_LIT = fleets.MACHINE_LIT.only(
    keys.POWER_STATE, keys.CHILD_LOCK, keys.AMBIENT_ENABLED, keys.AMBIENT_BRIGHTNESS, keys.AMBIENT_COLOR
)
_LOCKED_AND_OFF = _LIT.having({keys.CHILD_LOCK: True, keys.POWER_STATE: keys.OFF})
_DARK_AND_LOCKED = _LIT.having({keys.CHILD_LOCK: True, keys.AMBIENT_ENABLED: False})
_ON_VACATION = fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True, keys.SETPOINT: 14})
_LOCK, _SABBATH = (keys.CHILD_LOCK, True), (keys.FRIDGE_SABBATH, True)
_NEVER_LIFTED = refuses(keys.CHILD_LOCK)


def _refuses_after(writes: int, state: tuple[str, Json]) -> tuple[type[Service], ...]:
    """After so many writes a person brings a state about, for good, in which every other write is refused."""

    def acknowledged(its: Service, appliance: Appliance, _: str) -> None:
        if appliance.nth("write") == writes:
            its.change(appliance, *state)

    return acknowledges(acknowledged), refuses_while(state)


class Waking(Service):
    """A write wakes the panel of the machine: LocalControlActive is true for a tenth of a second."""

    fleet = (
        DISHWASHER.only(keys.CHILD_LOCK, keys.AMBIENT_ENABLED, keys.LOCAL_CONTROL, keys.OPERATION_STATE),
    )
    profile_extras = fleets.PATIENT
    reverting = MappingProxyType({**Service.reverting, keys.LOCAL_CONTROL: 0.1})

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:
        self.touch(appliance)
        return super().acknowledge(appliance, key)


def _darkened(appliance: Appliance, key: str) -> bool:
    return key in {keys.INTERNAL_LIGHT, keys.INTERNAL_BRIGHTNESS} and is_in(_SABBATH, appliance)


def _is_nameless(appliance: Appliance, key: str, value: Json) -> bool:
    """Whether a write selects a map without a name."""
    name = _NAME_OF.get(str(value))
    return key == keys.CURRENT_MAP and name is not None and appliance.values.get(name, "") == ""


_STARTABLE = DISHWASHER.only(keys.CHILD_LOCK, keys.REMOTE_START, keys.OPERATION_STATE, keys.DOOR_STATE)
_OPERATED = DISHWASHER.only(keys.CHILD_LOCK, keys.REMOTE_CONTROL, keys.DOOR_STATE)


def _answers_attempts(reply: Reply | None = None) -> type[Service]:
    """An attempt to write a status does nothing and has an answer of its own, or what was sent."""

    class AnswersAttempts(Service):
        fleet = (fleets.MACHINE_STATUSES,)

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
odd(refuses_while(_LOCK), "child-lock-on", "SET-WRITABLE",
    "ChildLock is on, and nothing but ChildLock can be written.",
    fleet=fleets.MACHINE_LIT.having({keys.CHILD_LOCK: True}), allowed=document.CHILD_LOCK)
odd(refuses_while(_SABBATH), "sabbath-lights-on", "COOL-SABBATH",
    "SabbathMode is on, the light still reads as on, and nothing else can be written.", fleet=_RESTING,
    allowed=document.SABBATH)
odd(refuses_while((keys.REMOTE_CONTROL, False)), "remote-control-inactive", "SELF-RCA",
    "Remote control is not allowed, so every write is refused.",
    fleet=fleets.MACHINE.having({keys.REMOTE_CONTROL: False}), allowed=document.REMOTE_CONTROL)
odd(refuses_while((keys.LOCAL_CONTROL, True)), "operated-by-hand", "SELF-LOCALCONTROL",
    "Somebody has just touched the machine, and until that is over every write is refused.",
    fleet=fleets.MACHINE.having({keys.LOCAL_CONTROL: True}), allowed=document.LOCAL_CONTROL)
odd(refuses_while((keys.OPERATION_STATE, keys.RUN)), "program-running", "OPS-OTHERS",
    "A program runs, and until it ends every write is refused.",
    fleet=fleets.MACHINE.having({keys.OPERATION_STATE: keys.RUN}), allowed=document.REFUSED_WRITE)
written(refuses_while(_LOCK), "child-lock-refuses-the-rest", "SET-WRITABLE",
    "Once ChildLock is written on, nothing but ChildLock can be written, PowerState neither.",
    fleet=fleets.MACHINE, allowed=document.CHILD_LOCK)
written(refuses_while(_SABBATH), "sabbath-refuses-the-rest", "COOL-SABBATH",
    "Once SabbathMode is written on, nothing but SabbathMode can be written.", fleet=fleets.FRIDGE_LIGHT,
    allowed=document.SABBATH)
written(_refuses_after(3, (keys.REMOTE_CONTROL, False)), "remote-control-withdrawn", "SET-WRITABLE",
    "After three writes a person withdraws remote control, for good, and every further write is refused.",
    fleet=fleets.MACHINE_STATUSES, allowed=document.REMOTE_CONTROL)
written(_refuses_after(2, (keys.OPERATION_STATE, keys.RUN)), "program-starts-meanwhile", "SET-WRITABLE",
    "After two writes a person starts a program, which runs on and refuses every further write.",
    fleet=fleets.OVEN_ALARM, allowed=document.REFUSED_WRITE)
written(swallows_while(_LOCK), "child-lock-swallows-the-rest", "SET-WRITABLE",
    "ChildLock is found on, and everything else is answered 204 and keeps its value until it is off.",
    fleet=fleets.OVEN_ALARM.having({keys.CHILD_LOCK: True}), allowed=document.CHILD_LOCK)
written(swallows_while((keys.REMOTE_CONTROL, False)), "remote-control-swallows", "SELF-RCA",
    "Remote control is not allowed, and every write is answered 204 and ignored.",
    fleet=fleets.MACHINE_STATUSES.having({keys.REMOTE_CONTROL: False}), allowed=document.REMOTE_CONTROL)
written((shows(lambda _: False, keys.INTERNAL_LIGHT, state=_SABBATH),
        shows(lambda _: 0, keys.INTERNAL_BRIGHTNESS, state=_SABBATH)), "unlit-in-sabbath",
    "COOL-SABBATH", "While SabbathMode is on the light reads as off and its brightness as 0.",
    fleet=fleets.FRIDGE_LIGHT, allowed=document.SABBATH)
written(Service, "remote-control-not-needed", "SELF-RCA",
    "RemoteControlActive is false, and every write is taken all the same, PowerState included.",
    fleet=fleets.MACHINE.having({keys.REMOTE_CONTROL: False}), allowed=document.REMOTE_CONTROL)
written(Waking, "panel-wakes", "SELF-LOCALCONTROL",
    "LocalControlActive is true for a moment after every write, and writes are taken meanwhile.",
    allowed=document.LOCAL_CONTROL,
    disputed="line 90: it is set when the user operates the appliance")
written((Waking, refuses_while((keys.LOCAL_CONTROL, True))), "panel-wakes-and-refuses", "SET-WRITABLE",
    "LocalControlActive is true for a moment after every write, and further writes are refused meanwhile.",
    allowed=document.LOCAL_CONTROL,
    disputed="line 90: it is set when the user operates the appliance")
odd(hides(_darkened), "sabbath-refuses-lights", "COOL-SABBATH",
    "SabbathMode is on and the keys of the light are refused as if they were not there.", fleet=_RESTING,
    allowed=document.SABBATH)
written(hides(_darkened), "sabbath-hides-lights", "COOL-SABBATH",
    "Once SabbathMode is written on, the keys of the light are refused as if they were not there.",
    fleet=fleets.FRIDGE_LIGHT, allowed=document.SABBATH)
written(hides(lambda its, key: key in _OF_THE_ASSISTANT and not its.values[keys.ASSISTANT_FRIDGE]),
    "assistant-hides-its-force", "READ-SETTING",
    "Once the door assistant is written off, its force and the freezer's one are refused as if not there.",
    fleet=_ASSISTED, allowed=document.READ_ALONE)
written(refuses_where(lambda its, key, _: key in {keys.SETPOINT, keys.FREEZER_SETPOINT} and any(
        is_in((mode, True), its) for mode in _COOLING_MODES)), "modes-hold-setpoints", "SET-WRITABLE",
    "Setpoints are refused while one of four cooling modes is on; one of them is found on.",
    fleet=(fleets.FRIDGE_SUPER, replace(fleets.FRIDGE_MODES,
        ha_id="fridge-3").having({keys.VACATION_MODE: True})), allowed=document.VACATION)
written(refuses_where(_is_nameless), "unnamed-map-refused", "ENUM-CURRENTMAP",
    "A map whose name is empty cannot be selected.", fleet=_UNNAMED, allowed=document.MAPS)
written(refuses_where(_is_nameless), "nameless-maps-refused", "ENUM-CURRENTMAP",
    "Maps 2 and 3, whose names the robot does not show, cannot be selected.",
    fleet=fleets.ROBOT_THREE_MAPS.only(keys.CURRENT_MAP, keys.MAP_NAME_1, keys.LAST_MAP),
    allowed=document.MAPS)
written(refuses_where(lambda its, key, _: key == keys.MAP_NAME_3 and its.values[key] == ""),
    "unstored-map-not-to-be-named", "SET-WRITABLE",
    "Map 3 has an empty name, is not stored, and cannot be named.", fleet=_UNNAMED,
    allowed=document.MAP_NAMES)
written((refuses_where(lambda its, key, _: key == _NAME_OF.get(str(its.values.get(keys.CURRENT_MAP)))),
        Unsaid), "current-map-keeps-its-name", "SET-WRITABLE",
    "The map that is selected cannot be renamed, and the profile does not call map names writable.",
    fleet=fleets.ROBOT_THREE_MAPS, unwritable=keys.MAP_NAMES, allowed=document.MAP_NAMES)
written(refuses_where(lambda its, key, _: key == keys.FRESH_MODE and its.values[keys.VACATION_MODE] is True),
    "vacation-refuses-the-fresh-mode",
    "SET-WRITABLE", "VacationMode is found on, and FreshMode cannot be switched on meanwhile.",
    fleet=fleets.FRIDGE_MODES.having({keys.VACATION_MODE: True}), allowed=document.VACATION)
written((_NEVER_LIFTED, refuses_while(_LOCK), Unsaid), "lock-lifted-by-hand-only", "SET-WRITABLE",
    "ChildLock is found on, cannot be lifted by a write, and everything else is refused.",
    fleet=_DARK_AND_LOCKED, unwritable=(keys.CHILD_LOCK,), allowed=document.CHILD_LOCK)
written((_NEVER_LIFTED, swallows_while(_LOCK), Unsaid), "deaf-until-lifted-by-hand", "SET-WRITABLE",
    "ChildLock is found on, cannot be lifted by a write, and everything else is answered 204 and ignored.",
    fleet=_DARK_AND_LOCKED, unwritable=(keys.CHILD_LOCK,), allowed=document.CHILD_LOCK)
written((Late, refuses_while(_LOCK)), "lock-lifted-late", "SET-WRITABLE",
    "ChildLock is found on and refuses everything else until it is off, a tenth of a second after the write.",
    fleet=_LOCKED_OVEN, allowed=document.CHILD_LOCK)
written((Away, refuses_while(_LOCK)), "locked-and-off", "SET-WRITABLE",
    "The machine is found off and locked, and nothing but ChildLock can be written until that is off.",
    fleet=_LOCKED_AND_OFF, allowed=document.OFF)
written((Away, refuses_where(lambda its, key, _: is_asleep(its, key))), "locked-while-off", "SET-WRITABLE",
    "The machine is found off and locked, and nothing but PowerState can be written until it is on.",
    fleet=_LOCKED_AND_OFF, allowed=document.OFF)
written(couples({(keys.FRIDGE_SABBATH, False): {keys.INTERNAL_LIGHT: False}}), "light-ends-with-the-sabbath",
    "COOL-SABBATH", "SabbathMode is found on; the light goes off when it ends, and stays so.",
    fleet=fleets.FRIDGE_LIGHT.having({keys.FRIDGE_SABBATH: True}), allowed=document.SABBATH)
written(couples({(keys.VACATION_MODE, False): {keys.SETPOINT: 4},
        (keys.VACATION_MODE, True): {keys.SETPOINT: 14}}), "setpoint-comes-back-after-vacation",
    "COOL-VACATION-14",
    "VacationMode is found on; the setpoint of the refrigerator is 14 meanwhile, and 4 when it ends.",
    fleet=_ON_VACATION, allowed=document.VACATION)
written(_answers_attempts(Reply(404, b"<html><body>Cannot PUT</body></html>", "text/html")),
    "status-writes-not-found", "STA-READONLY",
    "There is nothing to write to where a status is read: 404 in HTML.", allowed=document.ERRORS)
written(_answers_attempts(Reply(409, dump({"error": {"key": "SDK.Error.UnsupportedOperation"}}))),
    "status-writes-conflict", "STA-READONLY", "Writing a status is a conflict: 409.", allowed=document.ERRORS)
written(_answers_attempts(Reply(400, media_type=None)), "status-writes-malformed", "STA-READONLY",
    "Writing a status is a mistake of whoever asks: 400 without a body.", fleet=fleets.ROBOT_CONTESTED,
    allowed=document.ERRORS)
written(_answers_attempts(Reply(403, dump({"error": {"key": "insufficient_scope"}}))),
    "status-writes-forbidden", "STA-READONLY", "Writing a status is forbidden: 403.", allowed=document.ERRORS)
written(_answers_attempts(Reply(500, b"Internal Server Error", "text/plain")), "status-writes-fail",
    "STA-READONLY", "Writing a status ends in an exception: 500.", fleet=fleets.ROBOT_CONTESTED,
    allowed=document.ERRORS)
written(_answers_attempts(Reply(200, drop=True)), "status-writes-hang-up", "STA-READONLY",
    "Writing a status ends the connection.", allowed=document.TRANSPORT)
written(_answers_attempts(Reply(204, media_type=None)), "status-writes-ignored", "STA-READONLY",
    "Writing a status is answered 204 and ignored.", allowed=document.STATUS_WRITES)
written(_answers_attempts(Reply(200, dump({"data": {"written": True}}))), "status-writes-granted",
    "STA-READONLY",
    "Writing a status is answered 200 and called written, and nothing is.", fleet=fleets.ROBOT_CONTESTED,
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
    fleet=fleets.ROBOT_CONTESTED, allowed=document.STATUS_WRITES)
written(DoorOpenedOnce, "door-opened-once", "STA-READONLY",
    "Just when somebody tries to write DoorState for the first time, a person opens the door.",
    fleet=fleets.MACHINE_STATUSES.having({keys.DOOR_STATE: keys.CLOSED}), allowed=document.DOOR)
written(LastMapFollows, "last-map-follows", "SET-ONLY-TARGET",
    "A write of CurrentMap moves LastSelectedMap, a status, to the map that was there before.",
    fleet=fleets.ROBOT_THREE_MAPS, allowed=document.TRANSITIONS)
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
