"""Where entries are found: the base address, the haId, the segment, the key that the body shows."""

import json
from typing import Any

from msgspec.structs import replace

from conformance.cases import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import (
    LAST_LOOK,
    NONCE_HA_ID,
    NONCE_SETTINGS,
    NONCE_STATUS,
    PREPARE,
    VERSION,
    WALK,
    Group,
    ProcedureKind,
)
from conformance.checks.reads.addressing import (
    elsewhere,
    has_version,
)
from conformance.selftest.support.samples.handmade import (
    ANCHOR,
    ANY_KEY,
    Reads,
    exchange,
    redirected,
    refusal,
    tried,
    value,
)

LOCK, POWER, UNIT = (
    f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState", "LiquidVolumeUnit")
)
DOOR = "Vendor.Common.Status.DoorState"


CLAIMED = {"supports": ["*"], "online": True}
GUESSED = dict[str, str]()
SERVED = value(ANCHOR, 5)
NOBODY, NOBODYS = refusal(ANCHOR, group=NONCE_HA_ID), value(ANCHOR, 5, group=NONCE_HA_ID)
NO_KEY = (
    refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS),
    refusal("Vendor.Common.Status.Nonce", group=NONCE_STATUS),
)


def probed(key: str, *answers: Exchange) -> tuple[Exchange, ...]:
    """Probes of a key under several segments."""
    return tuple(replace(answer, groups=(elsewhere(CATALOG.entries[key]),)) for answer in answers)


OWN = refusal(LOCK, 409)
UNDER_STATUS = value(LOCK, shown=True, segment="status")
STATUS_LOCK = probed(LOCK, UNDER_STATUS, OWN, UNDER_STATUS, OWN)
DOOR_OPEN = value(DOOR, "Vendor.Common.EnumType.DoorState.Open", segment="settings")
SETTINGS_DOOR = probed(DOOR, DOOR_OPEN, refusal(DOOR, 409), DOOR_OPEN)
NEIGHBOUR = "Vendor.Common.EnumType.LiquidVolumeUnit.FluidOunces"


def body(key: str, text: str, **members: Any) -> Exchange:
    """An answer with this body."""
    return exchange(key, 200, text.encode(), **members)


def about(key: str, shown: object, named: str, **members: Any) -> Exchange:
    """An answer whose body names this key."""
    return body(key, json.dumps({"data": {"key": named, "value": shown}}), **members)


def later(group: Group, *answers: Exchange) -> tuple[Exchange, ...]:
    """Answers to reads that a procedure made."""
    return tuple(replace(answer, groups=(group,), purpose="repeat") for answer in answers)


AGAIN = Group(ProcedureKind.REPEAT, f"settings/{ANCHOR}")
AFTER = replace(SERVED, groups=(AGAIN,), purpose="repeat")
FORBIDDEN = exchange(ANCHOR, 403, group=NONCE_HA_ID)
SERVED_LOCK, MISNAMED = value(LOCK, shown=True), about(ANCHOR, 5, LOCK)

# fmt: off
ROWS = {
    ("ADDR-BASE", "*"): {
        "a key gives a value": ("pass (2) 1 2 ~0ec", Reads(refusal(LOCK), SERVED)),
        "nothing was asked": ("inconclusive nothing ~bc1", Reads(replace(NOBODY))),
        "only a versioned path serves": ("inconclusive 3 /api/homeappliances/one/settings/…ChildLock ~80f",
            Reads(refusal(ANCHOR), refusal(LOCK, group=VERSION), value(LOCK, True, group=VERSION))),
        "as an unknown appliance": ("fail 1 haId 404 ~0e5",
            Reads(refusal(ANCHOR), refusal(LOCK), NOBODY, appliance=CLAIMED)),
    },
    ("ADDR-UNVERSIONED", "*"): {
        "no version is needed": ("pass (2) ~269", Reads(refusal(LOCK), SERVED)),
        "no value at all": ("inconclusive ~5a2", Reads(refusal(ANCHOR))),
        "served with a version only": ("fail 2 /api/homeappliances/one/settings/…ChildLock ~c9b",
            Reads(refusal(ANCHOR), value(LOCK, True, group=VERSION), refusal(ANCHOR, group=VERSION))),
        "not asked again without a version": (
            "inconclusive 3 /api/homeappliances/one/settings/…ChildLock ~859",
            Reads(refusal(ANCHOR), refusal(ANCHOR, group=VERSION), value(LOCK, True, group=VERSION))),
        "redirected to a version": ("fail 1 /api/V1.2/homeappliances/one/settings/…AlarmClock ~517",
            Reads(redirected(SERVED, "/api/V1.2/homeappliances/one/settings/" + ANCHOR))),
    },
    ("ADDR-HAID", "*"): {
        "nobody's haId without an anchor": ("inconclusive ~20a", Reads(NOBODY)),
        "nobody's haId was not asked": ("inconclusive haId ~69c", Reads(SERVED)),
        "nobody's haId gives a value": ("fail 2 3 haIds 5 ~739", Reads(SERVED, NOBODYS, NOBODYS)),
        "nobody's haId gives a value once": ("inconclusive 3 haId 5 ~b5b", Reads(SERVED, NOBODY, NOBODYS)),
        "nobody's haId gives texts": ("inconclusive 2 haId 200 ~fc1",
            Reads(SERVED, *[value(ANCHOR, "x", group=NONCE_HA_ID)] * 2)),
        "nobody's haId is forbidden, a key is read after it": ("pass (3) ~fb9",
            Reads(SERVED, FORBIDDEN, AFTER)),
        "nobody's haId is told in band": ("inconclusive 2 haId 200 '/data/value' nothing ~441",
            Reads(SERVED, body(ANCHOR, "{}", group=NONCE_HA_ID), AFTER)),
        "nobody's haId meets an error": ("inconclusive 3 haId 500 ~c81",
            Reads(SERVED, NOBODY, exchange(ANCHOR, 500, group=NONCE_HA_ID))),
    },
    ("ADDR-UNKNOWNKEY", "*"): {
        "no such key without an anchor": ("inconclusive ~20a", Reads(*NO_KEY)),
        "no such key is refused": ("pass (3) ~56c", Reads(SERVED, *NO_KEY)),
        "no such key gives a value": ("fail 2 …Nonce 1 ~f64", Reads(SERVED, *ANY_KEY)),
    },
    ("ADDR-SEG-SETTINGS", LOCK): {
        "under its own segment": ("pass (1) ~4b1", Reads(SERVED, key=ANCHOR)),
        "under status only": ("fail 3 2 /status/ /settings/ 409 ~cda", Reads(SERVED, OWN, *STATUS_LOCK)),
        "under status once": ("inconclusive 2 409 ~0ae", Reads(SERVED, OWN, *STATUS_LOCK[:2])),
        "under status, its own not asked again": ("inconclusive 2 /status/ /settings/ 409 ~4e4",
            Reads(SERVED, OWN, STATUS_LOCK[0], STATUS_LOCK[2])),
        "under status, its own came back": ("inconclusive 2 /status/ /settings/ 409 ~ce9",
            Reads(SERVED, OWN, *STATUS_LOCK[:3], *probed(LOCK, exchange(LOCK, 500)))),
        "under status, while it is off": ("inconclusive 3 /status/ /settings/ 409 PowerState ~dab",
            Reads(SERVED, value(POWER, "Vendor.Common.EnumType.PowerState.Off"), OWN, *STATUS_LOCK)),
        "its own in another shape": ("inconclusive 2 /status/ /settings/ 200 '/data/value' ~f65",
            Reads(SERVED, body(LOCK, '{"other": 1}'), *STATUS_LOCK, answer=GUESSED)),
        "a setting nowhere, claimed": ("inconclusive 2 4 200 ~150",
            Reads(SERVED, *tried(body(LOCK, "")), appliance={"supports": [LOCK], "lacks": [POWER]})),
    },
    ("ADDR-SEG-STATUS", DOOR): {
        "a claimed status that is refused": ("inconclusive 2 X4 409 PowerState ~e07",
            Reads(SERVED, refusal(DOOR, 409), appliance=CLAIMED)),
    },
    ("PATH-ONLY-FOUR", DOOR): {
        "not one of the four": ("fail 3 2 /settings/ /status/ 409 ~378",
            Reads(SERVED, refusal(DOOR, 409), *SETTINGS_DOOR)),
        "not one of the four, and as it should be": ("pass (2) ~ec8", Reads(SERVED, value(DOOR, "x"))),
        "not one of the four, nowhere": ("inconclusive 2 409 ~435", Reads(SERVED, refusal(DOOR, 409))),
    },
    ("ADDR-OTHERSEG", "*"): {
        "nothing is served elsewhere": ("observed (3) ~3d7",
            Reads(SERVED, *probed(LOCK, OWN, refusal(LOCK, segment="status")))),
        "a key is served elsewhere, too": ("observed (7) …ChildLock …DoorState ~b12",
            Reads(SERVED, *probed(LOCK, value(LOCK, True), UNDER_STATUS, UNDER_STATUS), *SETTINGS_DOOR)),
    },
    ("ADDR-KEY-LAST", ANCHOR): {
        "the body shows no key": ("inconclusive 1 ~849",
            Reads(body(LOCK, '{"data": {"value": true}}'), key=LOCK)),
        "where the key stands is not declared": ("not_applicable 1 ~833",
            Reads(SERVED, answer={"value": "/data/value"})),
        "another key, in the first value that is shown": ('fail 3 "…ChildLock" …AlarmClock ~e46',
            Reads(refusal(ANCHOR, 409), SERVED_LOCK, *later(LAST_LOOK, MISNAMED, MISNAMED))),
        "another key, once it was on": ('fail 4 "…AlarmClock" …ChildLock ~984',
            Reads(value(POWER, "Vendor.Common.EnumType.PowerState.Off"), OWN, *later(PREPARE, value(POWER,
                "Vendor.Common.EnumType.PowerState.On"), about(LOCK, True, ANCHOR)), key=LOCK,
                appliance={"supports": [LOCK]})),
        "another key, twice in a series on one connection": ("pass (1) ~93c",
            Reads(SERVED, *later(AGAIN, MISNAMED, MISNAMED))),
        "another key, twice at another address": ("pass (1) ~9cc",
            Reads(SERVED, *later(WALK, *(about(ANCHOR, 5, LOCK, segment="status"),) * 2))),
    },
    ("ADDR-SPECIFIC", LOCK): {
        "the specific entry": ("pass (1) ~9cc", Reads(SERVED, key=ANCHOR)),
        "a list": ("fail 2 2 A.Setting.A B.Status.B ~594",
            Reads(SERVED, body(LOCK,
                '{"a": [{"key": "A.Setting.A"}, {"key": "B.Status.B"}, {"key": "C"}, "D.Setting.D"]}'))),
        "a list of one": ("inconclusive 2 200 '/data/value' ~a70",
            Reads(SERVED, body(LOCK, '{"data": [{"key": "A.Setting.A"}]}'))),
        "a list, the pointer guessed": ("inconclusive 2 2 ~f29",
            Reads(SERVED, body(LOCK, '[{"key": "A.Setting.A"}, {"key": "B.Setting.B"}]'), answer=GUESSED)),
        "about a neighbour": ("fail 1 …AlarmClock …ChildLock ~916", Reads(about(LOCK, True, ANCHOR))),
        "about no entry at all": ("pass (1) ~04e", Reads(about(LOCK, True, "Foo"))),
        "about a neighbour, twice beside writes": ("fail 2 …AlarmClock …ChildLock ~916",
            Reads(SERVED_LOCK, *later(WALK, *(about(LOCK, True, ANCHOR),) * 2))),
        "a neighbour's value": ('fail 1 "…LiquidVolumeUnit.FluidOunces" …LiquidVolumeUnit ~61e',
            Reads(value(POWER, NEIGHBOUR), key=POWER)),
        "its own family's value": ("pass (1) ~187", Reads(value(UNIT, NEIGHBOUR), key=UNIT)),
        "a text like a neighbour's value": ("pass (1) ~7b8",
            Reads(value("ConsumerProducts.CleaningRobot.Setting.NameOfMap1", NEIGHBOUR),
                key="ConsumerProducts.CleaningRobot.Setting.NameOfMap1")),
    },
    ("ADDR-VENDOR", UNIT): {
        "the declared maker": ("pass (1) ~4b1",
            Reads(value(UNIT, NEIGHBOUR.replace("Vendor", "Maker")), appliance={"vendor": "Maker"})),
        "another maker": ('fail 1 "…LiquidVolumeUnit.FluidOunces" ~07f',
            Reads(value(UNIT, NEIGHBOUR), appliance={"vendor": "Maker"})),
        "no maker": ("inconclusive 1 5 ~15a", Reads(value(UNIT, 5))),
    },
}
# fmt: on

test_addressing = Reads.each_of(ROWS)


def test_version_of_a_redirect_was_not_asked_for() -> None:
    """A haId may look like one."""
    asked = "http://hub/api/homeappliances/v2/settings/x"
    assert has_version("/api/v1/homeappliances/v2/settings/x", asked)
    assert not has_version("/other/homeappliances/v2/settings/x", asked)
