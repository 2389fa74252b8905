"""Generated values leave each setting an allowed one, and the settings beside it as they were."""

from functools import partial
from typing import Any

import pytest

from conformance.checks.exchange import Exchange
from conformance.checks.generated.edge_writes import (
    assert_edges_enumeration_guarded,
    assert_edges_only_target,
    assert_edges_type_guarded,
    assert_edges_without_effect,
)
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, edge_group, setting_group
from conformance.selftest.support.findings import assert_said
from conformance.selftest.support.samples.handmade import Reads, value, write_table
from conformance.selftest.support.samples.handtraced import (
    LOCK,
    SILENT,
    Steps,
    attempt,
    procedure,
    read,
)

UNIT, POWER = "Vendor.Common.Setting.TemperatureUnit", "Vendor.Common.Setting.PowerState"
REMOTE = "Vendor.Common.Status.RemoteControlActive"
LIGHT = "Refrigeration.Common.Setting.Light.Internal.Brightness"
DISPENSER = "Refrigeration.Common.Setting.Dispenser.Enabled"
LEFT, RIGHT = (
    f"Refrigeration.Common.Setting.Chiller{side}.SetpointTemperature" for side in ("Left", "Right")
)
CELSIUS, FAHRENHEIT = (f"Vendor.Common.EnumType.TemperatureUnit.{name}" for name in ("Celsius", "Fahrenheit"))
SHOWN = {LOCK: False, DISPENSER: False, UNIT: CELSIUS, LIGHT: 50, LEFT: 2, RIGHT: 3}
SERVED = tuple(value(key, shown) for key, shown in SHOWN.items())
UNLOCKED, IN_CELSIUS, OPEN = read(LOCK, False), read(UNIT, CELSIUS), read(DISPENSER, False)


def edges(key: str, *steps: Exchange | float | Steps) -> tuple[Exchange, ...]:
    """The generated values of a setting."""
    return tuple(procedure(edge_group(key), *steps))


def again(key: str, wanted: Any, *shown: object) -> Steps:
    """The same attempt twice."""
    return attempt(key, wanted, *shown) * 2


def locks(*pairs: tuple[object, object], lock: object = False) -> Steps:
    """Values of the child lock, each with what the dispenser is afterwards."""
    return [
        step for wanted, beside in pairs for step in (*attempt(LOCK, wanted, lock), read(DISPENSER, beside))
    ]


KEPT = edges(UNIT, IN_CELSIUS, attempt(UNIT, 1, CELSIUS))
TURNS: Steps = [UNLOCKED, OPEN, *locks((True, True), (False, False), (True, True))]
served = partial(Reads, *SERVED)
# A second value of each has its effect: what is kept out is told from that.
WORKING = [
    each
    for key, other in ((LOCK, True), (UNIT, FAHRENHEIT), (LIGHT, 60), (LEFT, 3))
    for each in procedure(setting_group(key), read(key, SHOWN[key]), attempt(key, other, other))
]
works = partial(served, *WORKING)

# fmt: off
ROWS = {
    ("SET-TYPEGUARD", assert_edges_type_guarded, LOCK, UNIT): {
        "two keep their types": ("pass (12) 2",
            works(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, False)), *KEPT)),
        "no write of either works": ("inconclusive (3) TemperatureUnit",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, False)), *KEPT)),
        "one of two takes a number": ("fail 12 1 ChildLock 204 1",
            served(*KEPT, *edges(LOCK, UNLOCKED, again(LOCK, 1, 1)))),
        "neither tells anything": ("inconclusive 9 1 ChildLock 204 409",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, SILENT)))),
        "the first cannot be read then, the other takes a number once": (
            "inconclusive 12 1 TemperatureUnit 204 1",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, 1, SILENT)), *edges(UNIT, IN_CELSIUS, attempt(UNIT, 1,
                1)))),
        "a right value right before": ("fail 10 1 ChildLock 204 1",
            served(*edges(LOCK, read(LOCK, "no"), UNLOCKED, again(LOCK, 1, 1)))),
        "every key gives a value": ("inconclusive nothing",
            served(value("Vendor.Common.Setting.Nonce", 1, group=NONCE_SETTINGS),
                value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS), *edges(LOCK, UNLOCKED, again(LOCK,
                1, 1)))),
        "the second is kept by a lock": ("inconclusive (3) X6 RemoteControlActive false",
            served(*edges(LOCK, UNLOCKED), *edges(UNIT, read(REMOTE, False), IN_CELSIUS))),
        "nothing may be written": ("not_judged (3) write.allow", served()),
        "nothing was drawn": ("not_judged (3) pace.generated_writes", served(write=write_table(UNIT))),
    },
    ("SET-ENUMGUARD", assert_edges_enumeration_guarded, UNIT): {
        "a text leaves the unit": ("pass (12) 1",
            works(*edges(UNIT, IN_CELSIUS, attempt(UNIT, "Kelvin", CELSIUS)))),
    },
    ("RANGE-WRITE-OUT", assert_edges_without_effect, LIGHT, LEFT): {
        "a number outside is stored": ("fail 9 101 Light.Internal.Brightness 204 101 10",
            served(*edges(LIGHT, read(LIGHT, 50), again(LIGHT, 101, 101)))),
        "it was outside before": ("not_judged (5) write.allow",
            served(*edges(LIGHT, read(LIGHT, 101), again(LIGHT, 102, 102)))),
        "a number outside its own range is stored": ("fail 9 9 ChillerLeft.SetpointTemperature 204 9 10",
            served(*edges(LEFT, read(LEFT, 2, min=0, max=8), attempt(LEFT, 9, 9, min=0, max=8) * 2))),
    },
    ("SET-ONLY-TARGET", assert_edges_only_target, LOCK, LEFT, POWER): {
        "the neighbour stays": ("pass (9) 1", works(*edges(LOCK, UNLOCKED, OPEN, locks(("yes", False))))),
        "the neighbour follows": ("fail 11 true ChildLock 204 Dispenser.Enabled false true 1",
            served(*edges(LOCK, TURNS))),
        "the neighbour follows once": ("inconclusive 11 true ChildLock 204 Dispenser.Enabled false true",
            served(*edges(LOCK, UNLOCKED, OPEN, locks((True, True))))),
        "the neighbour stays, another cannot be read then": ("pass (18) 1",
            works(*edges(LOCK, UNLOCKED, OPEN, locks(("yes", SILENT))), *edges(LEFT, read(LEFT, 2),
                read(RIGHT, 3), attempt(LEFT, "2", 2), read(RIGHT, 3)))),
        "no neighbour was read": ("not_judged (5) write.allow",
            served(*edges(LOCK, UNLOCKED, attempt(LOCK, True, True)))),
        "there is no neighbour": ("not_applicable",
            Reads(value(POWER, "Vendor.Common.EnumType.PowerState.On"))),
    },
}
# fmt: on
CASES = {name: (of, row) for of, rows in ROWS.items() for name, row in rows.items()}


@pytest.mark.parametrize("name", CASES)
def test_generated_values(name: str) -> None:
    """What is said of each of them stands beside its name."""
    (clause, check, *keys), (expected, row) = CASES[name]
    assert_said(row.judged(clause, check, groups=tuple(map(edge_group, keys))), expected, name)
