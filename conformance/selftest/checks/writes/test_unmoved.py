"""What a write must not move: another setting, another appliance, a status."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from catalog import keys
from catalog.keys import DISPENSER, REMOTE_START
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import Group, ProcedureKind, isolation_group, probe_group, setting_group
from conformance.profiles.validation import build_profile
from conformance.selftest.support.handmade import (
    HA_ID,
    POINTERS,
    UNKNOWN,
    URL,
    Seen,
    exchange,
    refusal,
    seen_of,
    value,
    write_table,
)
from conformance.selftest.support.handtraced import (
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

NAME1, NAME2 = keys.MAP_NAMES[:2]
LEFT, RIGHT = keys.CHILLER_LEFT_SETPOINT, keys.CHILLER_RIGHT_SETPOINT
ALARM, LIGHT, REMOTE = keys.ALARM_CLOCK, keys.INTERNAL_LIGHT, keys.REMOTE_CONTROL
OTHER = "two"


def beside(key: str, wanted: Any, other: str, *shown: object, took: bool = True, **members: Any) -> Steps:
    """A write of a key that takes effect, and reads of another setting afterwards."""
    return [
        *attempt(key, wanted, *([wanted, wanted] if took else [SILENT]), **members),
        *(read(other, each) for each in shown),
    ]


def names(*pairs: tuple[str, str]) -> Steps:
    """Writes of the name of map 1, each with what map 2 is called afterwards."""
    return [step for wanted, second in pairs for step in beside(NAME1, wanted, NAME2, second)]


def locks(*pairs: tuple[bool, object]) -> Steps:
    """Writes of the child lock, each with what the dispenser is afterwards."""
    return [step for wanted, second in pairs for step in beside(LOCK, wanted, DISPENSER, second)]


def moved_twice(*rests: Exchange | float) -> Steps:
    """Two writes of the child lock, which move the dispenser; that is off before each, and `rests` then."""
    rest: Steps = [read(DISPENSER, False), *rests]
    back = [*locks((False, True)), *attempt(DISPENSER, False, False)]
    return [read(LOCK, False), *rest, *locks((True, True)), *back, *rest, *locks((True, True))]


MAPS: Steps = [read(NAME1, "a"), read(NAME2, "b")]
SWITCHES: Steps = [read(LOCK, False), read(DISPENSER, False)]
SHOWN = {NAME1: "a", NAME2: "b", LOCK: False, DISPENSER: False, LEFT: 2, RIGHT: 3}
SERVED = tuple(value(key, shown) for key, shown in SHOWN.items())
only = partial(Story, shared=SERVED)


def two_appliances(
    key: str, *steps: Exchange | float | Steps, shared: tuple[Exchange, ...] = SERVED, **second: object
) -> Seen:
    """What the first of two appliances shows."""
    one, other = ({"ha_id": ha_id, "kind": "Refrigerator"} for ha_id in (HA_ID, OTHER))
    data = {"target": {"name": "x", "base_url": URL}, "answer": POINTERS, "appliance": [one, other | second]}
    made = procedure(isolation_group(key), *steps)
    return Seen(seen_of(build_profile(data), *shared, *made), key)


def pair(wanted: Any, other: object, *, took: bool = True) -> Steps:
    """A write of the child lock, and what the other appliance's shows afterwards."""
    shown = wanted if took else not wanted
    return [*attempt(LOCK, wanted, shown, shown), read(LOCK, other, ha_id=OTHER)]


BOTH: Steps = [read(LOCK, False), read(LOCK, False, ha_id=OTHER)]
ALONE = replace(isolation_group(LOCK), alone=True)
FOLLOWS: Steps = [*BOTH, *pair(True, True), *pair(False, False)]


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
BOTH_WAYS = [*quiet(DOOR, CLOSED), *probe(DOOR, OPEN, OPEN, OPEN), *probe(DOOR, CLOSED, CLOSED, CLOSED)]
SERIES = tuple(value(DOOR, CLOSED, group=Group(ProcedureKind.REPEAT, f"status/{DOOR}")) for _ in range(2))
DROPPED = (value(LOCK, False), *procedure(setting_group(LOCK), read(LOCK, False), attempt(LOCK, True, False)))


def start(wanted: bool, *shown: object, **members: Any) -> Steps:
    """An attempt to allow the remote start, or to disable it."""
    return probe(REMOTE_START, wanted, *shown, **members)


CYCLE: Steps = [*start(True, True, True), *start(False, False, False)]


def operated(answer: str) -> Seen:
    """Two cycles, after which an operator was asked whether nobody had acted."""
    group = probe_group(REMOTE_START)
    seen = traced(procedure(group, *quiet(REMOTE_START, False), *CYCLE * 2))
    told = Remark("operator", group, HA_ID, REMOTE_START, {"asked": "did nobody touch it?", "said": answer})
    return Seen(replace(seen, remarks={group: (told,)}))


# fmt: off
ROWS = {
    # A sibling that follows two values convicts, and a setting that moves with a write, back, and again.
    ("SET-ONLY-TARGET", setting_group): {
        "both stay": ("pass (3) ~d0e", only(SWITCHES, locks((True, False), (False, False)))),
        "the sibling stays": ("pass (1) ~5dc", only(MAPS, names(("c", "b"), ("a", "b")))),
        "the sibling follows": ('fail 12 "c" NameOfMap1 204 NameOfMap2 1 ~886',
            only(MAPS, names(("c", "c"), ("a", "a")))),
        "an unrelated one changes without rule": (
            "inconclusive 24 false ChildLock 204 Dispenser.Enabled false ~3b9",
            only(SWITCHES, locks((True, True), (False, True), (True, False), (False, True)))),
        "an unrelated one twice moves from where it had stayed": (
            "fail 13 true ChildLock 204 Dispenser.Enabled false true ~d29",
            only(moved_twice(60.0, read(DISPENSER, False)))),
        "an unrelated one twice moves as soon as it has come": (
            "inconclusive 23 true ChildLock 204 Dispenser.Enabled false ~bf4", only(moved_twice())),
        "the other cannot be read then": ("inconclusive 12 true ChildLock 204 Dispenser.Enabled 409 ~2e3",
            only(SWITCHES, locks((True, SILENT)))),
        "the other was not read": ("inconclusive (3) ~a2d",
            only(read(LOCK, False), attempt(LOCK, True, True, True))),
        "the write had no effect": ("inconclusive 11 true ChildLock 204 Dispenser.Enabled false ~163",
            only(SWITCHES, beside(LOCK, True, DISPENSER, False, took=False))),
        "nothing is served beside it": ("not_applicable (1) ~2ca",
            Story(read(LOCK, False), shared=(value(LOCK, False), refusal(DISPENSER)))),
        "nothing was written": ("inconclusive (3) ~51e", only(SWITCHES, key=LOCK)),
        "a light moves others": ("not_applicable (7) ~17c", only(read(LIGHT, False))),
        "a read-only key": ('not_applicable 7 ChildLock "read" ~a28', only(read(LOCK, False, access="read"))),
    },
    ("ADDR-HAID-ISOLATION",): {
        "the other stays": ("pass (3) ~0af",
            two_appliances(LOCK, BOTH, pair(True, False), pair(False, False))),
        "the other follows": ("fail 12 true 204 false true 1 ~00f", two_appliances(LOCK, FOLLOWS)),
        "the other follows, and was read before alone": ("fail 12 true 204 false true 1 ~786",
            two_appliances(LOCK, FOLLOWS[:1], FOLLOWS[2:],
                shared=(*SERVED, replace(value(LOCK, False), ha_id=OTHER, lane=OTHER)))),
        "the other follows one value alone": ("inconclusive 18 true 204 false true ~e93",
            two_appliances(LOCK, BOTH, pair(True, True), BOTH, pair(True, True))),
        # Nothing gives it back what it showed first.
        "the other follows one value alone, and has it when it is compared again": (
            "inconclusive 21 true 204 false true ~44b",
            two_appliances(LOCK, BOTH, pair(True, True), pair(False, True), shared=(*SERVED, *procedure(ALONE,
                BOTH[:1], read(LOCK, True, ha_id=OTHER), attempt(LOCK, True, True, True), pair(False,
                True))))),
        "the other follows, and not when it is compared again": ("pass (3) ~0af",
            two_appliances(LOCK, BOTH, pair(True, True), pair(False, False),
                shared=(*SERVED, *procedure(ALONE, BOTH, pair(True, False), pair(False, False))))),
        "the other moves elsewhere, and is still so when it is compared again": (
            "inconclusive 18 0 204 3 1 ~402",
            two_appliances(LEFT, [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER)], attempt(LEFT, 0, 0, 0),
                read(LEFT, 1, ha_id=OTHER), shared=(*SERVED, *procedure(replace(ALONE, subject=LEFT),
                read(LEFT, 2), read(LEFT, 1, ha_id=OTHER), attempt(LEFT, 0, 0, 0), read(LEFT, 1,
                ha_id=OTHER))))),
        "it is compared alone, and was not before": ("pass (3) ~0af",
            two_appliances(LOCK, BOTH[:1],
                shared=(*SERVED, *procedure(ALONE, BOTH, pair(True, False), pair(False, False))))),
        "the other has that value": ("inconclusive (3) ~18a",
            two_appliances(LOCK, read(LOCK, False), read(LOCK, True, ha_id=OTHER), pair(True, True))),
        "the other cannot be read then": ("inconclusive 12 true 204 409 ~4a1",
            two_appliances(LOCK, BOTH, pair(True, SILENT))),
        "the write had no effect": ("inconclusive 12 true 204 false ~60f",
            two_appliances(LOCK, BOTH, pair(True, False, took=False))),
        # A change to what nobody wrote is the other appliance's own.
        "another number there": ("inconclusive 12 0 204 3 1 ~982",
            two_appliances(LEFT, [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER)], attempt(LEFT, 0, 0, 0),
                read(LEFT, 1, ha_id=OTHER))),
        # An alarm clock runs on from what was written to the other one.
        "the other clock is set, and runs": ("fail 12 900 204 0 898 1 ~409",
            two_appliances(ALARM, read(ALARM, 0), read(ALARM, 0, ha_id=OTHER), attempt(ALARM, 900, 900, 899),
                read(ALARM, 898, ha_id=OTHER), attempt(ALARM, 600, 600, 599), read(ALARM, 599, ha_id=OTHER))),
        "the other clock runs by itself": ("pass (16) ~991",
            two_appliances(ALARM, read(ALARM, 0), read(ALARM, 901, ha_id=OTHER), attempt(ALARM, 900, 900,
                899), read(ALARM, 899, ha_id=OTHER), attempt(ALARM, 0, 0, 0), read(ALARM, 898, ha_id=OTHER))),
        "an alias": ("not_applicable ~ea5", two_appliances(LOCK, FOLLOWS, alias_of=HA_ID)),
        "not served there": ("not_applicable (13) ChildLock ~968",
            two_appliances(LOCK, read(LOCK, False), read(LOCK, SILENT, ha_id=OTHER), pair(True, SILENT),
                shared=(*SERVED, replace(value(DISPENSER, True), ha_id=OTHER, lane=OTHER)))),
        "nothing was written": ("inconclusive (3) ~c56", two_appliances(LOCK, BOTH)),
    },
    # A status that takes a written value and then the opposite one convicts, a far number at once.
    ("STA-READONLY", probe_group): {
        "a series has shown it quiet": ("pass (6) ~a35",
            Story(read(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=(*SERIES, *LOCKS))),
        "every write is ignored": ("inconclusive (10) ~876",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=DROPPED,
                says="no write of any setting was seen to work", write=write_table(LOCK))),
        "every write is ignored without remote control": (
            "inconclusive (2) X6 RemoteControlActive false ~423",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                shared=(value(LOCK, False), *procedure(setting_group(LOCK), read(REMOTE, False), read(LOCK,
                False), attempt(LOCK, True, False))))),
        "every setting is read-only": ("not_applicable (1) ~68b",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                shared=(value(LOCK, False, access="read"),))),
        "a setting is claimed, and not served": ("inconclusive (6) ~1b0",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), write=write_table(LOCK),
                appliance={"supports": [LOCK]})),
        "it takes what puts it back, too": (
            'fail 5 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~016',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, OPEN, OPEN), restore(DOOR, CLOSED), read(DOOR,
                CLOSED), 10.0, read(DOOR, CLOSED))),
        "a number moves a bit": ("inconclusive 9 55 …BatteryLevel /status/ 204 /status/ ~61d",
            Story(quiet(CHARGE, 50), probe(CHARGE, 55, 55, 55), shared=LOCKS)),
        "a number moves far": ("fail 9 61 …BatteryLevel /status/ 204 /status/ ~433",
            Story(quiet(CHARGE, 50), probe(CHARGE, 61, 61, 61), shared=LOCKS)),
        "a number moves to another one": ("inconclusive 10 61 …BatteryLevel /status/ 204 51 ~7c2",
            Story(quiet(CHARGE, 50), probe(CHARGE, 61, 51, 51), shared=LOCKS)),
        "a text becomes a number": ("inconclusive 9 61 …BatteryLevel /status/ 204 /status/ ~71e",
            Story(quiet(CHARGE, "50"), probe(CHARGE, 61, 61, 61), shared=LOCKS)),
        "moved under settings": ('inconclusive (14) "…DoorState.Open" "…DoorState.Open" ~aaf',
            Story(quiet(DOOR, CLOSED), quiet(DOOR, OPEN, "settings"), read(DOOR, CLOSED, segment="settings"),
                probe(DOOR, OPEN, CLOSED, CLOSED), shared=LOCKS)),
        "it is shown quiet afterwards": ("pass (4) ~343",
            Story(read(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=LOCKS)),
        "it is shown quiet afterwards, but for an error": ("pass (4) ~c73",
            Story(read(DOOR, CLOSED), write(DOOR, OPEN), exchange(DOOR, 500), 10.0, quiet(DOOR, CLOSED),
                shared=LOCKS)),
        "no setting may be written": ("not_judged (1) write.allow ~916",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=(value(LOCK, False),))),
        "there is no setting": ("not_applicable (6) ~172",
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED))),
        "it takes both": ('fail 5 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~016',
            Story(BOTH_WAYS)),
        "it takes one": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~d2c',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, OPEN), probe(DOOR, CLOSED, OPEN))),
        "it follows without remote control": (
            'inconclusive 9 X6 "…DoorState.Closed" …Door.Freezer /status/ ~97f',
            Story(read(REMOTE, False), BOTH_WAYS)),
        "not written without remote control": ("inconclusive (4) X6 RemoteControlActive false ~edb",
            Story(quiet(DOOR, CLOSED), read(REMOTE, False), key=DOOR)),
        "it cannot be read then": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~20c',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, SILENT))),
        "it is not read then": ('inconclusive 4 "…DoorState.Open" …Door.Freezer /status/ 204 ~d60',
            Story(quiet(DOOR, CLOSED), write(DOOR, OPEN))),
        "it is not watched": ('inconclusive 5 "…DoorState.Open" …Door.Freezer /status/ 204 ~997',
            Story(quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, seconds=1))),
        "it takes both, a bit later": ('fail 8 "…DoorState.Open" …Door.Freezer /status/ 204 /status/ ~903',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN), late(OPEN, CLOSED))),
        "it takes both, too late": ('inconclusive 10 "…DoorState.Closed" …Door.Freezer /status/ ~7b6',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN, pause=20), late(OPEN, CLOSED, pause=20))),
        "it takes both, but power was written": (
            'inconclusive 10 "…DoorState.Closed" …Door.Freezer /status/ ~7b6',
            Story(quiet(DOOR, CLOSED), late(CLOSED, OPEN, POWER), late(OPEN, CLOSED, POWER))),
        "it has that value": ("inconclusive (5) ~048", Story(quiet(DOOR, OPEN), probe(DOOR, OPEN, OPEN))),
        "it was not quiet": ('inconclusive (6) "…DoorState.Closed" "…DoorState.Closed" ~a41',
            Story(quiet(DOOR, CLOSED), read(DOOR, OPEN), probe(DOOR, OPEN, OPEN))),
        "an error before it was quiet": ("pass (4) ~6f1",
            Story(exchange(DOOR, 500), quiet(DOOR, CLOSED), probe(DOOR, OPEN, CLOSED, CLOSED), shared=LOCKS)),
        "nothing but an error before it": ("inconclusive (11) 0 3 ~870",
            Story(exchange(DOOR, 500), BOTH_WAYS[3:], shared=LOCKS)),
        "it was read once": ("inconclusive (3) 1 3 ~cb3", Story(read(DOOR, CLOSED), probe(DOOR, OPEN, OPEN))),
        "nothing was written": ("inconclusive (3) ~754", Story(quiet(DOOR, CLOSED))),
        "not served": ("not_applicable 2 404 ~8de",
            Story(read(DOOR, SILENT), shared=(UNKNOWN, refusal(DOOR)))),
    },
    # Becoming true by a write convicts in three cycles, since a person may do the same.
    ("STA-RCSA-DISABLE-ONLY", probe_group): {
        "it stays false": ("pass (4) ~8d3",
            Story(quiet(REMOTE_START, False), start(True, False, False, status=400), shared=LOCKS)),
        "it becomes true in three cycles": ("fail 6 true /status/ 204 true 10 3 false ~484",
            Story(quiet(REMOTE_START, False), CYCLE * 3)),
        "only disabled": ("inconclusive (6) true false ~50f",
            Story(quiet(REMOTE_START, True), start(False, False, False))),
        "it is true": ("not_applicable 1 true true false ~e85", Story(quiet(REMOTE_START, True))),
        "it becomes true in two cycles": ("inconclusive 12 true /status/ 204 true 10 3 ~059",
            Story(quiet(REMOTE_START, False), CYCLE * 2)),
    },
    # Where an operator says that no person acted, two cycles are enough.
    ("STA-RCSA-DISABLE-ONLY", REMOTE_START): {
        "two cycles, nobody acted": ("fail 6 true /status/ 204 true 10 false ~465", operated("yes")),
        "two cycles, somebody acted": ("inconclusive 12 true /status/ 204 true 10 3 ~059", operated("no")),
    },
}
# fmt: on

test_unmoved = Story.each_of(ROWS)
