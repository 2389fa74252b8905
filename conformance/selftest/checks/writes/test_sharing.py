"""What settings and appliances share, and what the last look shows."""

from functools import partial
from typing import Any

from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import LAST_LOOK, guard_group, isolation_group, setting_group
from conformance.profiles.validation import build_profile
from conformance.selftest.support.samples.handmade import (
    HA_ID,
    POINTERS,
    URL,
    Seen,
    refusal,
    seen_of,
    value,
)
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    LOCKS,
    SETTLE_S,
    SILENT,
    Steps,
    Story,
    attempt,
    procedure,
    read,
    restore,
    write,
)

NAME1, NAME2 = (f"ConsumerProducts.CleaningRobot.Setting.NameOfMap{number}" for number in (1, 2))
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
ALARM = "Vendor.Common.Setting.AlarmClock"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Power"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
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
    return Seen(seen_of(build_profile(data, CATALOG), *shared, *made), key)


def pair(wanted: Any, other: object, *, took: bool = True) -> Steps:
    """A write of the child lock, and what the other appliance's shows afterwards."""
    shown = wanted if took else not wanted
    return [*attempt(LOCK, wanted, shown, shown), read(LOCK, other, ha_id=OTHER)]


BOTH: Steps = [read(LOCK, False), read(LOCK, False, ha_id=OTHER)]
ALONE = replace(isolation_group(LOCK), alone=True)
FOLLOWS: Steps = [*BOTH, *pair(True, True), *pair(False, False)]


FOUND, TEXT = False, "false"
UNLOCKED = (value(LOCK, FOUND),)


def looked(*looks: object) -> Story:
    """What the last look shows of a lock that had kept its value."""
    made = procedure(guard_group(LOCK), read(LOCK, False), attempt(LOCK, "yes", False))
    last = [step for look in looks for step in (read(LOCK, look), SETTLE_S)]
    return Story(*last, shared=(*LOCKS, *made))


def alarm(status: int) -> Story:
    """An alarm clock that shows at last, twice, what a forbidden write wanted that was answered so."""
    made = procedure(guard_group(ALARM), read(ALARM, 0), attempt(ALARM, -1, 0, status=status))
    return Story(read(ALARM, -1), SETTLE_S, read(ALARM, -1), shared=(value(ALARM, 0), *made))


def silenced(*looks: Exchange) -> Story:
    """An alarm clock that shows these after another setting was put back."""
    return Story(read(LOCK, TEXT), restore(LOCK, FOUND), *looks, shared=(value(ALARM, 0),), key=ALARM)


WRITTEN = procedure(guard_group(LOCK), read(LOCK, FOUND), write(LOCK, TEXT), 1, read(LOCK, FOUND))

# fmt: off
ROWS = {
    # A sibling that follows two values convicts, and a setting that moves with a write, back, and again.
    ("SET-ONLY-TARGET", setting_group): {
        "both stay": ("pass (3) ~4db", only(SWITCHES, locks((True, False), (False, False)))),
        "the sibling stays": ("pass (1) ~610", only(MAPS, names(("c", "b"), ("a", "b")))),
        "the sibling follows": ('fail 12 "c" NameOfMap1 204 NameOfMap2 1 ~402',
            only(MAPS, names(("c", "c"), ("a", "a")))),
        "an unrelated one changes without rule": (
            "inconclusive 24 false ChildLock 204 Dispenser.Enabled false ~3a4",
            only(SWITCHES, locks((True, True), (False, True), (True, False), (False, True)))),
        "the other cannot be read then": ("inconclusive 12 true ChildLock 204 Dispenser.Enabled 409 ~c38",
            only(SWITCHES, locks((True, SILENT)))),
        "the other was not read": ("inconclusive (3) ~5cc",
            only(read(LOCK, False), attempt(LOCK, True, True, True))),
        "the write had no effect": ("inconclusive 11 true ChildLock 204 Dispenser.Enabled false ~c26",
            only(SWITCHES, beside(LOCK, True, DISPENSER, False, took=False))),
        "nothing is served beside it": ("not_applicable (1) ~77a",
            Story(read(LOCK, False), shared=(value(LOCK, False), refusal(DISPENSER)))),
        "nothing was written": ("inconclusive (3) ~160", only(SWITCHES, key=LOCK)),
        "a light moves others": ("not_applicable (7) ~e88", only(read(LIGHT, False))),
        "a read-only key": ('not_applicable 7 ChildLock "read" ~543', only(read(LOCK, False, access="read"))),
    },
    ("ADDR-HAID-ISOLATION",): {
        "the other stays": ("pass (3) ~1e0",
            two_appliances(LOCK, BOTH, pair(True, False), pair(False, False))),
        "the other follows": ("fail 12 true 204 false true 1 ~b61", two_appliances(LOCK, FOLLOWS)),
        "the other follows, and was read before alone": ("fail 12 true 204 false true 1 ~1ad",
            two_appliances(LOCK, FOLLOWS[:1], FOLLOWS[2:],
                shared=(*SERVED, replace(value(LOCK, False), ha_id=OTHER, lane=OTHER)))),
        "the other follows one value alone": ("inconclusive 18 true 204 false true ~8ee",
            two_appliances(LOCK, BOTH, pair(True, True), BOTH, pair(True, True))),
        # Nothing gives it back what it showed first.
        "the other follows one value alone, and has it when it is compared again": (
            "inconclusive 21 true 204 false true ~31a",
            two_appliances(LOCK, BOTH, pair(True, True), pair(False, True), shared=(*SERVED, *procedure(ALONE,
                BOTH[:1], read(LOCK, True, ha_id=OTHER), attempt(LOCK, True, True, True), pair(False,
                True))))),
        "the other follows, and not when it is compared again": ("pass (3) ~1e0",
            two_appliances(LOCK, BOTH, pair(True, True), pair(False, False),
                shared=(*SERVED, *procedure(ALONE, BOTH, pair(True, False), pair(False, False))))),
        "the other moves elsewhere, and is still so when it is compared again": (
            "inconclusive 18 0 204 3 1 ~887",
            two_appliances(LEFT, [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER)], attempt(LEFT, 0, 0, 0),
                read(LEFT, 1, ha_id=OTHER), shared=(*SERVED, *procedure(replace(ALONE, subject=LEFT),
                read(LEFT, 2), read(LEFT, 1, ha_id=OTHER), attempt(LEFT, 0, 0, 0), read(LEFT, 1,
                ha_id=OTHER))))),
        "it is compared alone, and was not before": ("pass (3) ~1e0",
            two_appliances(LOCK, BOTH[:1],
                shared=(*SERVED, *procedure(ALONE, BOTH, pair(True, False), pair(False, False))))),
        "the other has that value": ("inconclusive (3) ~264",
            two_appliances(LOCK, read(LOCK, False), read(LOCK, True, ha_id=OTHER), pair(True, True))),
        "the other cannot be read then": ("inconclusive 12 true 204 409 ~a11",
            two_appliances(LOCK, BOTH, pair(True, SILENT))),
        "the write had no effect": ("inconclusive 12 true 204 false ~5b5",
            two_appliances(LOCK, BOTH, pair(True, False, took=False))),
        # A change to what nobody wrote is the other appliance's own.
        "another number there": ("inconclusive 12 0 204 3 1 ~3cc",
            two_appliances(LEFT, [read(LEFT, 2), read(LEFT, 3, ha_id=OTHER)], attempt(LEFT, 0, 0, 0),
                read(LEFT, 1, ha_id=OTHER))),
        # An alarm clock runs on from what was written to the other one.
        "the other clock is set, and runs": ("fail 12 900 204 0 898 1 ~ddf",
            two_appliances(ALARM, read(ALARM, 0), read(ALARM, 0, ha_id=OTHER), attempt(ALARM, 900, 900, 899),
                read(ALARM, 898, ha_id=OTHER), attempt(ALARM, 600, 600, 599), read(ALARM, 599, ha_id=OTHER))),
        "the other clock runs by itself": ("pass (16) ~305",
            two_appliances(ALARM, read(ALARM, 0), read(ALARM, 901, ha_id=OTHER), attempt(ALARM, 900, 900,
                899), read(ALARM, 899, ha_id=OTHER), attempt(ALARM, 0, 0, 0), read(ALARM, 898, ha_id=OTHER))),
        "an alias": ("not_applicable ~a05", two_appliances(LOCK, FOLLOWS, alias_of=HA_ID)),
        "not served there": ("not_applicable (13) ChildLock ~cbd",
            two_appliances(LOCK, read(LOCK, False), read(LOCK, SILENT, ha_id=OTHER), pair(True, SILENT),
                shared=(*SERVED, replace(value(DISPENSER, True), ha_id=OTHER, lane=OTHER)))),
        "nothing was written": ("inconclusive (3) ~469", two_appliances(LOCK, BOTH)),
    },
    # What a setting shows when all was written is judged where it stays, and where nobody wanted it.
    ("TYPE-BOOLEAN", LAST_LOOK): {
        "a text stays": ('fail 3 "false" ~137',
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT), shared=UNLOCKED)),
        "a text passes": ('inconclusive 2 "false" ~552',
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, FOUND), shared=UNLOCKED)),
        "a text is put back at once": ('inconclusive 2 "false" ~552',
            Story(read(LOCK, TEXT), 1, restore(LOCK, FOUND), SETTLE_S, read(LOCK, FOUND), shared=UNLOCKED,
                key=LOCK)),
        "it is as it was": ("pass (1) ~345", Story(read(LOCK, FOUND), shared=UNLOCKED)),
        # It is the finding of the write that was to be refused.
        "a text that was written stays": ("pass (1) ~345",
            Story(read(LOCK, TEXT), SETTLE_S, read(LOCK, TEXT), shared=(*UNLOCKED, *WRITTEN), key=LOCK)),
    },
    ("RANGE-ALARMCLOCK", LAST_LOOK): {
        "a number that was written, and taken": ("pass (1) ~afc", alarm(204)),
        "a number that was written, and refused": ("fail 6 BELOW -1 0 38340 ~703", alarm(409)),
    },
    ("TYPE-NOTNULL", LAST_LOOK): {
        "null once": ("inconclusive 4 null ~df1", silenced(read(ALARM, None))),
        "null, then a value": ("inconclusive 4 null 200 ~a48", silenced(read(ALARM, None), read(ALARM, 5))),
        "null twice": ("fail 4 null ~29a", silenced(read(ALARM, None), read(ALARM, None))),
    },
    # A forbidden value that the last look shows is no pass, and a finding where it is read twice.
    ("SET-TYPEGUARD", LAST_LOOK): {
        "it shows at last": ('inconclusive 8 "yes" ChildLock 204 "yes" ~70f', looked("yes")),
        "another one shows at last": ("pass (4) ~976", looked(True)),
        "it shows at last, twice": ('fail 9 "yes" ChildLock 204 "yes" ~356', looked("yes", "yes")),
    },
}
# fmt: on

test_sharing = Story.each_of(ROWS)
