"""A status that is written keeps its value, whatever the answer was."""

from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import REMOTE_START
from conformance.cases import CATALOG
from conformance.checks.exchange import Remark
from conformance.checks.groups import (
    Group,
    ProcedureKind,
    probe_group,
    setting_group,
)
from conformance.checks.writes.requirements import beside_setting, beside_status
from conformance.selftest.support.findings import said
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    UNKNOWN,
    profile_of,
    refusal,
    ruling,
    value,
    write_table,
)
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    LOCKS,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    traced,
    write,
)

REMOTE = "Vendor.Common.Status.RemoteControlActive"

# A status that a write moves convicts: by its value and the opposite one, or in three cycles.
DOOR = "Refrigeration.Common.Status.Door.Freezer"
OPEN, CLOSED = (f"Vendor.Common.EnumType.DoorState.{name}" for name in ("Open", "Closed"))


def quiet(key: str, shown: object, segment: str = "status") -> Steps:
    """Three equal reads of a status."""
    return [read(key, shown, segment=segment) for _ in range(3)]


def probe(key: str, wanted: Any, *shown: object, segment: str = "status", **members: Any) -> Steps:
    """An attempt to write a status."""
    return attempt(key, wanted, *shown, segment=segment, **members)


def late(old: str, new: str, beside: str = LOCK, pause: float = 0) -> Steps:
    """A status comes to what was written only once another entry has been written."""
    return [
        *probe(DOOR, new, old, seconds=1),
        write(beside, True),
        pause,
        read(DOOR, SILENT),
        read(DOOR, new),
    ]


CHARGE, POWER = "Vendor.Common.Status.BatteryLevel", "Vendor.Common.Setting.PowerState"
FOLLOWS = [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, OPEN, OPEN), *probe(DOOR, CLOSED, CLOSED, CLOSED)]
SERIES = tuple(value(DOOR, CLOSED, group=Group(ProcedureKind.REPEAT, f"status/{DOOR}")) for _ in range(2))
DROPPED = (value(LOCK, False), *procedure(setting_group(LOCK), read(LOCK, False), attempt(LOCK, True, False)))


def start(wanted: bool, *shown: object, **members: Any) -> Steps:
    """An attempt to allow the remote start, or to disable it."""
    return probe(REMOTE_START, wanted, *shown, **members)


CYCLE: Steps = [*start(True, True, True), *start(False, False, False)]


# fmt: off
ROWS = {
    # A status that takes a written value and then the opposite one convicts, a far number at once.
    ("STA-READONLY", probe_group): {
        "a series has shown it quiet": ("pass (6) ~de9",
            Story(read(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=(*SERIES, *LOCKS))),
        "every write is ignored": ("inconclusive (10) ~b26",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=DROPPED,
                says="no write of any setting was seen to work", write=write_table(LOCK))),
        "every write is ignored without remote control": (
            "inconclusive (2) X6 RemoteControlActive false ~fa8",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                shared=(value(LOCK, False), *procedure(setting_group(LOCK), read(REMOTE, False), read(LOCK,
                False), attempt(LOCK, True, False))))),
        "every setting is read-only": ("not_applicable (1) ~af6",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                shared=(value(LOCK, False, access="read"),))),
        "a setting is claimed, and not served": ("inconclusive (6) ~ef0",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                appliance={"supports": [LOCK]})),
        "it takes what puts it back, too": (
            'fail 5 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~b22',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, OPEN, OPEN), restore(DOOR, CLOSED), read(DOOR,
                CLOSED), 10.0, read(DOOR, CLOSED))),
        "a number moves a bit": ("inconclusive 9 55 …BatteryLevel /status/ 204 /status/ ~a9e",
            Story(quiet(CHARGE, 50), probe(CHARGE, 55, 55, 55), shared=LOCKS)),
        "a number moves far": ("fail 9 61 …BatteryLevel /status/ 204 /status/ ~f5c",
            Story(quiet(CHARGE, 50), probe(CHARGE, 61, 61, 61), shared=LOCKS)),
        "a number moves to another one": ("inconclusive 10 61 …BatteryLevel /status/ 204 51 ~7db",
            Story(quiet(CHARGE, 50), probe(CHARGE, 61, 51, 51), shared=LOCKS)),
        "a text becomes a number": ("inconclusive 9 61 …BatteryLevel /status/ 204 /status/ ~570",
            Story(quiet(CHARGE, "50"), probe(CHARGE, 61, 61, 61), shared=LOCKS)),
        "moved under settings": ('inconclusive (14) "…DoorState.Open" "…DoorState.Open" ~e3e',
            Story(quiet(DOOR, CLOSED), quiet(DOOR, OPEN, "settings"), read(DOOR, CLOSED, segment="settings"),
                probe(DOOR, OPEN, CLOSED, CLOSED), shared=LOCKS)),
        "it is shown quiet afterwards": ("pass (4) ~a78",
            Story(read(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=LOCKS)),
        "no setting may be written": ("not_judged (1) write.allow ~5be",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=(value(LOCK, False),))),
        "there is no setting": ("not_applicable (6) ~b7f",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED))),
        "it takes both": ('fail 5 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~b22',
            Story(FOLLOWS)),
        "it takes one": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~50b',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, OPEN), probe(DOOR, CLOSED, OPEN))),
        "it follows without remote control": (
            'inconclusive 9 X6 "…DoorState.Closed" …Door.Freezer /status/ ~5f3',
            Story(read(REMOTE, False), FOLLOWS)),
        "not written without remote control": ("inconclusive (4) X6 RemoteControlActive false ~22d",
            Story(quiet(DOOR, CLOSED), read(REMOTE, False), key=DOOR)),
        "it cannot be read then": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~4ff',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, SILENT))),
        "it is not read then": ('inconclusive 4 "…DoorState.Open" …Door.Freezer /status/ 204 ~06b',
            Story(quiet(DOOR, CLOSED), write(DOOR, OPEN))),
        "it is not watched": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~590',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, seconds=1))),
        "it takes both, a bit later": ('fail 8 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~603',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN), late(OPEN, CLOSED))),
        "it takes both, too late": ('inconclusive 10 "…DoorState.Closed" …Door.Freezer /status/ ~d71',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN, pause=20), late(OPEN, CLOSED, pause=20))),
        "it takes both, but power was written": (
            'inconclusive 10 "…DoorState.Closed" …Door.Freezer /status/ ~d71',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN, POWER), late(OPEN, CLOSED, POWER))),
        "it has that value": ("inconclusive (5) ~815", Story(quiet(DOOR, OPEN), probe(DOOR, OPEN, OPEN))),
        "it was not quiet": ('inconclusive (6) "…DoorState.Closed" "…DoorState.Closed" ~8df',
            Story(quiet(DOOR, CLOSED), read(DOOR, OPEN), probe(DOOR, OPEN, OPEN))),
        "it was read once": ("inconclusive (3) 1 3 ~ccf", Story(read(DOOR, CLOSED), probe(DOOR, OPEN, OPEN))),
        "nothing was written": ("inconclusive (3) ~1ce", Story(quiet(DOOR, CLOSED))),
        "not served": ("not_applicable 2 404 ~a19",
            Story(read(DOOR, SILENT), shared=(UNKNOWN, refusal(DOOR)))),
    },
    # Becoming true by a write convicts in three cycles, since a person may do the same.
    ("STA-RCSA-DISABLE-ONLY", probe_group): {
        "it stays false": ("pass (4) ~798",
            Story(quiet(REMOTE_START, False), start(True, False, False, status=400), shared=LOCKS)),
        "it becomes true in three cycles": ("fail 6 true /status/ 204 true 10 3 false ~bea",
            Story(quiet(REMOTE_START, False), CYCLE * 3)),
        "only disabled": ("inconclusive (6) true false ~250",
            Story(quiet(REMOTE_START, True), start(False, False, False))),
        "it is true": ("not_applicable 1 true true false ~ed7", Story(quiet(REMOTE_START, True))),
        "it becomes true in two cycles": ("inconclusive 12 true /status/ 204 true 10 3 ~704",
            Story(quiet(REMOTE_START, False), CYCLE * 2)),
    },
}
# fmt: on

test_probing = Story.each_of(ROWS)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("yes", "fail 6 true /status/ 204 true 10 false ~0f4"),
        ("no", "inconclusive 12 true /status/ 204 true 10 3 ~704"),
    ],
)
def test_operator_shortens_the_proof(answer: str, expected: str) -> None:
    """Where an operator says that no person acted, two cycles are enough."""
    group = probe_group(REMOTE_START)
    seen = traced(procedure(group, *quiet(REMOTE_START, False), *CYCLE * 2))
    told = Remark("operator", group, HA_ID, REMOTE_START, {"asked": "did nobody touch it?", "said": answer})
    seen = replace(seen, remarks={group: (told,)})
    assert said(ruling("STA-RCSA-DISABLE-ONLY", REMOTE_START, seen)) == expected


ECO, BRIGHT = "Refrigeration.Common.Setting.EcoMode", "Refrigeration.Common.Setting.Light.Internal.Brightness"
DISPENSER, ALARM = "Refrigeration.Common.Setting.Dispenser.Enabled", "Vendor.Common.Setting.AlarmClock"
MANY = (LOCK, BRIGHT, ECO, ALARM, DISPENSER)


@pytest.mark.parametrize(
    ("allowed", "supports", "written"),
    [
        ([*MANY], [*MANY], (DISPENSER, ECO, ALARM)),
        ([*MANY], [ALARM, BRIGHT], (ALARM, BRIGHT)),
        ([*MANY], [], (DISPENSER, ECO, ALARM, BRIGHT, LOCK)),
        ([ALARM], [*MANY], (ALARM,)),
        ([], [*MANY], ()),
    ],
)
def test_what_moves_least_is_written_beside_a_status(
    allowed: list[str], supports: list[str], written: tuple[str, ...]
) -> None:
    """Three of what is claimed, else all: switches before numbers, what protects people last."""
    profile = profile_of(appliance={"supports": supports}, write=write_table(*allowed))
    (own,) = profile.appliance
    found = beside_status(profile, own, CATALOG, DOOR)
    assert tuple(group.subject for group in found) == written
    assert beside_setting(profile, own, CATALOG, LOCK) == (setting_group(LOCK),)
