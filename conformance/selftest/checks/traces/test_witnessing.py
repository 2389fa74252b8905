"""Writes of others, in rows and as an app makes them: what keeps one from contradicting, and what not."""

from pathlib import Path
from typing import Any

import pytest

from catalog import keys
from catalog.keys import (
    ALARM_CLOCK,
    COOLING_MODES,
    FREEZER_SETPOINT,
    FRESH_MODE,
    LOCAL_CONTROL,
    OPERATION_STATE,
    POWER_STATE,
    REMOTE_CONTROL,
    SETPOINT,
    SUPER_FREEZER,
)
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import WALK, WATCH, mode_group, setting_group
from conformance.mutants.fleets import FRIDGE_MODES, THREE_STATES
from conformance.mutants.registry import find_server
from conformance.mutants.shapes.writes import refuses_move, strays
from conformance.reference.service import Service
from conformance.selftest.support.captured import judged_use, sets
from conformance.selftest.support.handmade import HA_ID, refusal, value
from conformance.selftest.support.handtraced import (
    FROM_ON,
    FROM_STANDBY,
    LOCK,
    SILENT,
    Steps,
    Story,
    attempt,
    read,
    to,
    write,
)
from conformance.selftest.support.recording import served_by

NAME, DOOR = "ConsumerProducts.CleaningRobot.Setting.NameOfMap1", "Vendor.Common.Status.DoorState"
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"


def named(key: str, name: str) -> str:
    """A value of an enumeration."""
    return f"Vendor.Common.EnumType.{key.rpartition('.')[2]}.{name}"


READY, RUN, INACTIVE = (named(OPERATION_STATE, name) for name in ("Ready", "Run", "Inactive"))
STATES: dict[str, Any] = {
    LOCAL_CONTROL: False,
    REMOTE_CONTROL: True,
    OPERATION_STATE: READY,
    POWER_STATE: named(POWER_STATE, "On"),
}


def looks(*without: str) -> Steps:
    """A look at what shows the states of an appliance that is on, but at these keys."""
    return [read(key, shown) for key, shown in STATES.items() if key not in without]


def lost(*later: Exchange | float, key: str = LOCK, old: Any = False, new: Any = True) -> Steps:
    """A write that is acknowledged and has no effect; between its reads is what else was seen."""
    return [read(key, old), write(key, new), read(key, old), *later, 10.0, read(key, old)]


def twice(*steps: Exchange | float | Steps, beside: tuple[Remark, ...] = (), **more: Any) -> Story:
    """What others did on two days, and what was noted of them."""
    return once(*steps, 3600.0, *steps, beside=beside, **more)


def once(*steps: Exchange | float | Steps, beside: tuple[Remark, ...] = (), **more: Any) -> Story:
    """What others did."""
    appliance = {"lacks": ["*Sabbath*", "*Unit"], **more.pop("appliance", {})}
    return Story(*steps, beside=beside, appliance=appliance, **more)


def moved(key: str) -> Remark:
    """That a setting moved at some time, which nobody was seen to do."""
    note: dict[str, Any] = {"from": "false", "to": "true", "at": "09:15:00 UTC"}
    return Remark("others", WATCH, HA_ID, key, note)


def then(key: str, old: Any, new: Any) -> Story:
    """Beside a write that is lost, another key shows one value, and another one later."""
    return twice(looks(), read(key, old), lost(read(key, old), 1.0, read(key, new)))


def freshly(*meanwhile: Exchange) -> Steps:
    """FreshMode is switched on, and the freezer gets warmer, which it must not."""
    warm = read(FREEZER_SETPOINT, -16)
    written = [write(FRESH_MODE, True), *meanwhile, read(FRESH_MODE, True), read(SETPOINT, 4)]
    return [*looks(), *COLD, read(SETPOINT, 4), read(FREEZER_SETPOINT, -18), *written, warm, 10.0, warm]


def at_end(wanted: int, shown: object) -> Steps:
    """An end of the range of the setpoint is written, and what is read then."""
    own: dict[str, Any] = {"min": 2, "max": 8, "step": 1}
    return [*looks(), *COLD, read(SETPOINT, 5, **own), *attempt(SETPOINT, wanted, shown, shown, **own)]


SEEN_REMOTE = (value(REMOTE_CONTROL, shown=True),)
UNLOCKED = read(LOCK, False)
COLD: Steps = [read(key, False) for key in (LOCK, *COOLING_MODES)]
LOST_ALARM = lost(key=ALARM_CLOCK, old=0, new=6000)
LATER = [UNLOCKED, *lost(key=DISPENSER, old=True, new=False)]
ROBOT = [*looks(), read(LOCK, False), *lost(key=NAME, old="Attic", new="Kitchen")]

# fmt: off
ROWS = {
    ("SET-WRITABLE", setting_group): {
        "twice": ("fail 8 DROPPED true 204 false 10 ~e7e", twice(looks(), lost())),
        "once": ("inconclusive 8 true 204 false 10 ~1a8", once(looks(), lost())),
        "it came at another time": ("inconclusive 23 true 204 false 10 ~7d6",
            twice(looks(), lost(), 300.0, looks(), read(LOCK, False), attempt(LOCK, True, True))),
        "another value came": ("fail 8 DROPPED true 204 false 10 ~20a",
            twice(looks(), lost(), 300.0, looks(), read(LOCK, True), attempt(LOCK, False, False))),
        # What shows a state is to be known right before the write.
        "a state was not looked at": ("inconclusive 14 true 204 false 10 RemoteControlActive ~d9c",
            twice(looks(REMOTE_CONTROL), lost())),
        "a state was looked at another time": ("inconclusive 15 true 204 false 10 RemoteControlActive ~295",
            twice(looks(REMOTE_CONTROL), lost(), shared=SEEN_REMOTE)),
        "long ago": ("inconclusive 16 true 204 false 10 PowerState ~494", twice(looks(), 120.0, lost())),
        "a state is never shown": ("fail 8 DROPPED true 204 false 10 ~04f",
            twice(looks(REMOTE_CONTROL), lost(), shared=(refusal(REMOTE_CONTROL),))),
        "a state is not served": ("fail 7 DROPPED true 204 false 10 ~4ab",
            twice(looks(REMOTE_CONTROL), lost(), appliance={"lacks": ["*Sabbath*", "*Unit",
                REMOTE_CONTROL]})),
        "states were looked at before another write": ("fail 12 DROPPED true 204 false 10 ~089",
            twice(looks(), LOST_ALARM, lost(), key=LOCK)),
        "not since": ("inconclusive 18 true 204 false 10 PowerState ~18c",
            twice(looks(), write(POWER_STATE, named(POWER_STATE, "On")), lost(), key=LOCK)),
        "nothing was read for two minutes after the write": ("inconclusive 13 true 204 ~f41",
            twice(looks(), read(LOCK, False), attempt(LOCK, True, False, seconds=120.0))),
        "it was read too soon alone": ("inconclusive 14 true 204 false 5 ~bc4",
            twice(looks(), read(LOCK, False), write(LOCK, True), 5.0, read(LOCK, False))),
        "it was read until a minute later": ("fail 7 DROPPED true 204 false 50 ~fa4",
            twice(looks(), read(LOCK, False), write(LOCK, True), [50.0, read(LOCK, False)] * 4)),
        # An earlier write that was not seen to take effect.
        "the lock was written just before": ("inconclusive 22 false 204 true 10 ChildLock ~d86",
            twice(looks(), UNLOCKED, write(LOCK, True), LATER, key=DISPENSER)),
        "the lock was refused just before": ("fail 11 DROPPED false 204 true 10 ~c1d",
            twice(looks(), UNLOCKED, write(LOCK, True, 409), LATER, key=DISPENSER)),
        "the lock came just before": ("fail 12 DROPPED false 204 true 10 ~2c2",
            twice(looks(), read(LOCK, True), attempt(LOCK, False, False, seconds=1.0), LATER, key=DISPENSER)),
        "the lock was written a while before": ("fail 13 DROPPED false 204 true 10 ~833",
            twice(looks(), lost(), LATER, key=DISPENSER)),
        "the lock was written before something else": (
            "inconclusive 30 false 204 true 10 Dispenser.Enabled ~603",
            twice(looks(), UNLOCKED, write(LOCK, True), read(LOCK, False), lost(key=DISPENSER, old=True,
                new=False)[:3], LATER, key=DISPENSER)),
        "what moves nothing was written just before": ("fail 11 DROPPED false 204 true 10 ~c1d",
            twice(looks(), UNLOCKED, write(SETPOINT, 6), LATER, key=DISPENSER)),
        # What moves meanwhile.
        "somebody operates it": ("inconclusive 18 X6 true 204 false 10 LocalControlActive true ~7dc",
            twice(looks(), lost(read(LOCAL_CONTROL, True)))),
        "nobody operates it": ("fail 9 DROPPED true 204 false 10 ~d86",
            twice(looks(), lost(read(LOCAL_CONTROL, False)))),
        "remote control ends": ("inconclusive 18 X6 true 204 false 10 RemoteControlActive ~6cf",
            twice(looks(), lost(read(REMOTE_CONTROL, False)))),
        "remote control cannot be read": ("fail 9 DROPPED true 204 false 10 ~d86",
            twice(looks(), lost(read(REMOTE_CONTROL, SILENT)))),
        "a status moves": ("fail 11 DROPPED true 204 false 11 ~2c5",
            then(DOOR, named(DOOR, "Open"), named(DOOR, "Closed"))),
        "it goes to rest": ("fail 11 DROPPED true 204 false 11 ~2c5", then(OPERATION_STATE, READY, INACTIVE)),
        "a program begins": ("inconclusive 22 X10 true 204 false 11 OperationState ~5f2",
            then(OPERATION_STATE, READY, RUN)),
        "a setting moves": ("inconclusive 22 true 204 false 11 SetpointTemperatureFreezer ~196",
            then(FREEZER_SETPOINT, -18, -16)),
        "a setting stays": ("fail 11 DROPPED true 204 false 11 ~2c5", then(FREEZER_SETPOINT, -18, -18)),
        "a setting was another one before": ("fail 10 DROPPED true 204 false 10 ~854",
            twice(looks(), read(FREEZER_SETPOINT, -18), lost(read(FREEZER_SETPOINT, -16)))),
        "a super mode ends": ("fail 11 DROPPED true 204 false 11 ~2c5", then(SUPER_FREEZER, True, False)),
        "it is taken back": ("inconclusive 16 true 204 true false ChildLock true false ~771",
            twice(looks(), read(LOCK, False), attempt(LOCK, True, True, False))),
        "a mode ends before its time": ("pass (26) ~302",
            twice(looks(), COLD, attempt(SUPER_FREEZER, True, True, False))),
        "others write it": ("inconclusive 16 true 204 false 10 ChildLock false true ~f0c",
            twice(looks(), lost(), beside=(moved(SETPOINT), moved(LOCK)))),
        "others write something else": ("fail 8 DROPPED true 204 false 10 ~e7e",
            twice(looks(), lost(), beside=(moved(SETPOINT),))),
        # A text may have a format of its own.
        "a text": ('inconclusive 18 "Kitchen" 204 "Attic" 10 ~b0f', twice(ROBOT, appliance={"lacks": []})),
        "a text of the profile": ('fail 9 DROPPED "Kitchen" 204 "Attic" 10 ~910',
            twice(ROBOT, appliance={"lacks": [], "samples": {"map_name": ["Kitchen", "Attic"]}})),
        "a text that was shown": ('fail 9 DROPPED "Kitchen" 204 "Attic" 10 ~af7',
            twice(ROBOT, 60.0, read(NAME, "Kitchen"), appliance={"lacks": []})),
    },
    # Each end of a range has to come, and one of them came at another time.
    ("RANGE-WRITE-BOUNDS", setting_group): {
        "of the other end nothing is known": ("inconclusive 56 8 2 8 204 7 10 ~339",
            twice(at_end(8, 7), 300.0, at_end(8, 8), 300.0, at_end(2, SILENT), key=SETPOINT,
                appliance={"writable": [SETPOINT]})),
    },
    # What a write must leave alone moves after it.
    ("COOL-FRESH-FREEZER", mode_group): {
        "warmer": ("fail 17 true FreshMode 204 SetpointTemperatureFreezer -18 ~648", twice(freshly())),
        "warmer a moment later": ("inconclusive 36 true FreshMode 204 ~7cf",
            twice(freshly(read(FREEZER_SETPOINT, -18)))),
        "late": ("fail 18 true FreshMode 204 SetpointTemperatureFreezer -18 ~7d4",
            twice(freshly(read(FRESH_MODE, False)))),
        "touched": ("inconclusive 36 true FreshMode 204 ~99c", twice(freshly(read(LOCAL_CONTROL, True)))),
        "touched before": ("inconclusive 38 true FreshMode 204 ~c31",
            twice(freshly(read(LOCAL_CONTROL, True), read(LOCAL_CONTROL, False)))),
        "no remote control": ("inconclusive 36 true FreshMode 204 ~2c5",
            twice(freshly(read(REMOTE_CONTROL, False)))),
        "off": ("inconclusive 36 true FreshMode 204 ~3b1",
            twice(freshly(read(POWER_STATE, named(POWER_STATE, "Off"))))),
        "at rest": ("fail 18 true FreshMode 204 SetpointTemperatureFreezer -18 ~7d4",
            twice(freshly(read(OPERATION_STATE, INACTIVE)))),
        "modes unseen": ("inconclusive 22 true FreshMode 204 ~e4c", twice(freshly()[:4], freshly()[10:])),
    },
    # A power state is written from one state and from another.
    ("PWR-NO-FOREIGN", WALK): {
        "it came from another state": ('inconclusive 12 204 PowerState "…PowerState.Standby" ~e77',
            twice(looks(POWER_STATE), FROM_ON, to("Off", "Standby", "Standby"), looks(POWER_STATE),
                FROM_STANDBY, to("Off", "Off"), shared=(value(POWER_STATE, STATES[POWER_STATE]),),
                appliance={"power_states": ["On", "Off", "Standby"]})),
    },
}
# fmt: on

test_writes_of_others = Story.each_of(ROWS)


# What apps were seen to write is judged as what a run writes, where what has to be known was seen.
TEMPERATURE = f"SET-WRITABLE::{SETPOINT}"
SWITCHED_OFF = f"PWR-ON-OFF::{POWER_STATE}"


@pytest.mark.parametrize(
    ("fault", "verdict", "words"),
    [
        (Service, "pass", ""),
        (strays(keys.ON, keys.OFF, keys.ON), "fail", "wrote Off from On, acknowledged (204), still"),
        (refuses_move(keys.ON, keys.OFF), "fail", "wrote Off from On, 409 (refused), still"),
    ],
    ids=["conforming", "off is ignored", "off is refused"],
)
def test_oven_that_was_switched_off_twice_is_judged(
    tmp_path: Path, fault: type[Service], verdict: str, words: str
) -> None:
    """With the states known that might explain it, and for as long as the write may take."""
    oven = served_by(fault, fleet=THREE_STATES)
    told = judged_use(tmp_path, oven, lambda client: client.switches(every_s=10, times=7))
    found = {one for one, (judged, _) in told.items() if judged in {"fail", "error"}}
    assert (told[SWITCHED_OFF][0], words in told[SWITCHED_OFF][1]) == (verdict, True), told[SWITCHED_OFF]
    assert bool(found) is (verdict == "fail")


def test_conforming_refrigerator_passes(tmp_path: Path) -> None:
    """What was written was read, and nothing is found fault with; what nobody wrote is not judged, nor is
    anything written for it.
    """
    told = judged_use(tmp_path, served_by(fleet=FRIDGE_MODES), sets(SETPOINT, 6, 7))
    assert told[TEMPERATURE] == ("pass", "")
    assert not [one for one, (verdict, _) in told.items() if verdict in {"fail", "error"}]
    assert told[f"SET-WRITABLE::{FREEZER_SETPOINT}"] == ("not_judged", "nobody was seen to write it")
    assert f"SET-TYPEGUARD::{SETPOINT}" not in told


def test_what_was_not_seen_is_said(tmp_path: Path) -> None:
    """Where an app never shows what may keep a setting from being written, nobody can tell why it stayed."""
    dropped = served_by(find_server("acknowledged-and-dropped"), fleet=FRIDGE_MODES)
    verdict, words = judged_use(tmp_path, dropped, lambda client: client.sets(SETPOINT, 6))[TEMPERATURE]
    assert (verdict, words.partition("; not seen: ")[2].split(", ")[0]) == ("inconclusive", "SabbathMode")
