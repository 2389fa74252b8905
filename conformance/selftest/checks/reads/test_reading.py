"""An entry can be read by itself: reads that come and go, payloads, segments."""

from typing import Any

import pytest
from msgspec.structs import replace

from catalog.keys import INTERNAL_BRIGHTNESS, INTERNAL_LIGHT, MAP_NAME_1
from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange
from conformance.checks.groups import LISTS, NONCE_SETTINGS, NONCE_STATUS, PREPARE, Group, ProcedureKind
from conformance.checks.reads.addressing import elsewhere
from conformance.checks.reads.paths import agreement, disagree
from conformance.harness.answers.classes import Classifier
from conformance.selftest.support.handmade import (
    ANCHOR,
    Reads,
    exchange,
    of,
    profile_of,
    refusal,
    tried,
    value,
)
from conformance.selftest.support.handtraced import SILENT, procedure, read, write

LOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState"))
BATTERY, DOOR = (f"Vendor.Common.Status.{name}" for name in ("BatteryLevel", "DoorState"))
SERVED, LOCKED, ODD = value(ANCHOR, 5), value(LOCK, True), refusal(LOCK, 409)
ON, OFF = (value(POWER, f"Vendor.Common.EnumType.PowerState.{name}") for name in ("On", "Off"))
CLAIMED = {"supports": [LOCK, BATTERY], "lacks": [POWER]}
NULL = value(LOCK, None)


def series(*answers: Exchange) -> tuple[Exchange, ...]:
    """The first read of a key, and those that repeat it."""
    return answers[0], *of(ProcedureKind.REPEAT, *answers[1:])


def sending(answer: Exchange, text: str | None = None) -> Exchange:
    """An answer to a read that sends something."""
    return replace(answer, request=replace(answer.request, body=text))


def prepared(*later: Exchange) -> Reads:
    """A claimed key that was refused while it was off, and what was read, and put back, after that."""
    return Reads(
        OFF, ODD, *(replace(one, groups=(PREPARE,)) for one in later), appliance={"supports": [LOCK]}
    )


def asking(query: str = "") -> Exchange:
    """A value that was asked for with a query, or else with a Content-Type."""
    headers = () if query else (("content-type", "text/plain"),)
    request = replace(LOCKED.request, url=LOCKED.request.url + query, headers=headers)
    return replace(LOCKED, request=request)


def beside(shown: object, *lists: Exchange) -> Reads:
    """A claimed key that is refused, beside a key of every maker, and what is listed."""
    shape = {"settings": {"path": "/api/homeappliances/{ha_id}/settings", "items": "/data"}}
    return Reads(value(COOLER, shown), *tried(ODD, COOLER, shown), *lists, appliance=CLAIMED, list=shape)


COOLER, BETA = "Refrigeration.Common.Status.Door.BottleCooler", "Beta.Common.EnumType.DoorState.Open"
KEY_OF_BETA = b'{"data": [{"key": "Beta.Common.Setting.ChildLock"}]}'
LISTED = exchange("*", 200, KEY_OF_BETA, group=LISTS[0], segment="settings", purpose="list")
PLAIN = sending(ODD)
WITH_BODY = sending(LOCKED, "{}")


def payload(*answers: Exchange) -> tuple[Exchange, ...]:
    """Probes that send what a GET should not need, and such that send nothing."""
    return SERVED, ODD, *of(ProcedureKind.PAYLOAD, *answers)


def battery(*shown: Any, group: Group | None = None) -> tuple[Exchange, ...]:
    """The battery's level under both segments, in turn; None where it is refused."""
    places: list[Any] = [{"segment": each, "group": group} for each in ("status", "settings") * len(shown)]
    pairs = zip(shown, places, strict=False)
    return tuple(
        refusal(BATTERY, 409, **at) if each is None else value(BATTERY, each, **at) for each, at in pairs
    )


def agreeing(*shown: Any) -> tuple[Exchange, ...]:
    """The shared reads under both segments, and those in turn."""
    return *battery(*shown[:2]), *battery(*shown, group=agreement(BATTERY))


def probed(key: str, *answers: Exchange) -> tuple[Exchange, ...]:
    """Probes of a key under several segments."""
    return tuple(replace(answer, groups=(elsewhere(CATALOG.entries[key]),)) for answer in answers)


UNDER_STATUS = value(LOCK, shown=True, segment="status")
STATUS_LOCK = probed(LOCK, UNDER_STATUS, ODD, UNDER_STATUS, ODD)
DOOR_OPEN = value(DOOR, "Vendor.Common.EnumType.DoorState.Open", segment="settings")
SETTINGS_DOOR = probed(DOOR, DOOR_OPEN, refusal(DOOR, 409), DOOR_OPEN)


def refused_later(
    rests_s: float = 10.1, *shown: Exchange, off: bool = False, key: str = LOCK
) -> list[Exchange]:
    """A claimed key that is refused at three tries, so many seconds after another one was written, and after
    that others were shown.
    """
    beside = read(POWER, "Vendor.Common.EnumType.PowerState.Off") if off else read(ANCHOR, 6)
    tries = [beside, *[read(key, SILENT), beside] * 3]
    group = Group(ProcedureKind.SET, ANCHOR)
    return procedure(group, read(ANCHOR, 5), write(ANCHOR, 6), beside, *shown, rests_s, *tries)


# fmt: off
ROWS = {
    ("READ-SETTING", LOCK): {
        "a value": ("pass (1) ~4b1", Reads(LOCKED)),
        "null, as for no key": ("not_applicable 2 200 null ~50e",
            Reads(SERVED, NULL, value("Vendor.Common.Setting.Nonce", None, group=NONCE_SETTINGS))),
        "refused, values have another name": ("inconclusive (2) target.vendor ~67b", beside(BETA)),
        "refused, listed keys have another name": ("inconclusive (2) target.vendor ~67b", beside(5, LISTED)),
        "refused, no name is shown": ("fail 2 4 409 ~2f6", beside(5)),
        "shown only once it was on": ("pass (4) ~5b7", prepared(ON, LOCKED)),
        "refused once it was on": ("fail 4 4 409 ~562", prepared(*[ON, ODD] * 4, ON)),
        "refused once it was on, not tried again": ("inconclusive 4 409 ~d83", prepared(ON, ODD)),
        "null once it was on": ("inconclusive 4 null ~45b", prepared(*[ON, NULL] * 4, ON)),
        "refused, and it never was on": ("inconclusive 2 409 PowerState …PowerState.Off ~c0e",
            prepared(*[OFF, ODD] * 4, OFF)),
        "refused later": ("fail 7 ChildLock 3 409 ~51a",
            Reads(SERVED, LOCKED, *refused_later(), appliance=CLAIMED)),
        "refused later, for a while": ("pass (12) ~abf",
            Reads(SERVED, LOCKED, *refused_later(9.9), appliance=CLAIMED)),
        "refused later, unclaimed": ("pass (2) ~7bf", Reads(SERVED, LOCKED, *refused_later())),
        "refused later, and off": ("pass (11) ~a68",
            Reads(SERVED, LOCKED, ON, *refused_later(off=True), appliance={"supports": [LOCK]})),
        "refused later, and the power state hidden": ("pass (7) ~928",
            Reads(SERVED, LOCKED, ON, *refused_later(10.1, read(POWER, SILENT)),
                appliance={"supports": [LOCK, POWER]})),
    },
    ("READ-SETTING", INTERNAL_BRIGHTNESS): {
        "refused later, and its switch hidden": ("pass (7) ~e8b",
            Reads(SERVED, value(INTERNAL_BRIGHTNESS, 50), value(INTERNAL_LIGHT, True),
                *refused_later(10.1, read(INTERNAL_LIGHT, SILENT), key=INTERNAL_BRIGHTNESS),
                appliance={"supports": [INTERNAL_BRIGHTNESS, INTERNAL_LIGHT]})),
    },
    ("READ-SETTING", MAP_NAME_1): {
        "refused later, as a map that is not stored may be": ("pass (2) ~ec8",
            Reads(SERVED, value(MAP_NAME_1, "Attic"), *refused_later(key=MAP_NAME_1),
                appliance={"supports": [MAP_NAME_1]})),
    },
    ("READ-SETTING", POWER): {
        "refused later, as who is not on may": ("pass (2) ~ec8",
            Reads(SERVED, ON, *refused_later(key=POWER), appliance={"supports": [POWER]})),
    },
    ("READ-STATUS", BATTERY): {
        "contested, under settings": ("pass (3) ~c4b", Reads(SERVED, *battery(None, 50))),
        "contested, unsupported": ("not_applicable 2 409 ~d1e",
            Reads(SERVED, *battery(None, None), appliance={"lacks": [BATTERY]})),
        "contested, refused in two ways": ("inconclusive 2 409 ~377",
            Reads(SERVED, refusal(BATTERY, 409), refusal(BATTERY, 410, segment="settings"))),
        "contested, doubtful": ("inconclusive 2 409 ~377", Reads(SERVED, *battery(None, None))),
        "contested, empty each time": ("fail 2 4 200 ~af7",
            Reads(SERVED, *tried(exchange(BATTERY, 200, b"")), *tried(exchange(BATTERY, 200, b"",
                segment="settings")))),
    },
    ("TYPE-FLOAT", BATTERY): {
        "contested, unsupported and refused": ("inconclusive 4 409 ~9b3",
            Reads(SERVED, refusal("Vendor.Common.Status.Nonce", 404, group=NONCE_STATUS), refusal(BATTERY),
                refusal(BATTERY, 409, segment="settings"))),
    },
    ("READ-NOPAYLOAD", LOCK): {
        "a query is needed": ("fail 3 2 409 ~496",
            Reads(*payload(asking("?x=1"), PLAIN, asking("?x=1")), appliance=CLAIMED)),
        "a Content-Type is needed": ("fail 3 2 409 ~a70",
            Reads(*payload(asking(), PLAIN, asking()), appliance=CLAIMED)),
        "it is refused, claimed": ("inconclusive 2 409 ~a5b", Reads(SERVED, ODD, appliance=CLAIMED)),
        "no payload is needed": ("pass (1) ~4b1", Reads(LOCKED)),
        "no payload helps": ("inconclusive 2 409 ~6b7", Reads(*payload(sending(ODD, "{}"), PLAIN))),
        "a body is needed": ("fail 3 2 409 ~757", Reads(*payload(WITH_BODY, PLAIN, WITH_BODY))),
        "a body is needed, without another": ("inconclusive 3 ~df0", Reads(*payload(WITH_BODY, WITH_BODY))),
        "a body is needed, then not": ("inconclusive 3 ~4d2",
            Reads(*payload(WITH_BODY, sending(LOCKED), WITH_BODY))),
        "a body is needed once": ("inconclusive 4 ~df0", Reads(*payload(PLAIN, WITH_BODY))),
        "a body is needed, then it fails": ("inconclusive 3 ~4d2",
            Reads(*payload(WITH_BODY, PLAIN, sending(ODD, "{}")))),
        "a body is needed, reads come and go": ("inconclusive 3 ~b7b",
            Reads(*payload(WITH_BODY, PLAIN, WITH_BODY), *of(ProcedureKind.REPEAT, LOCKED))),
    },
    ("READ-VALUE", LOCK): {
        "one value": ("pass (1) ~4b1", Reads(LOCKED)),
        "malformed each time": ("inconclusive 2 200 1 4 4 nothing ~ed0",
            Reads(SERVED, *tried(exchange(LOCK, 200, b"{")), appliance=CLAIMED)),
        "no value each time": ("fail 2 200 '/data/value' ~5b4",
            Reads(SERVED, *tried(exchange(LOCK, 200, b"{}")), appliance=CLAIMED)),
        "empty each time": ("inconclusive 2 4 200 ~903",
            Reads(SERVED, *tried(exchange(LOCK, 200, b"")), appliance=CLAIMED)),
        "a value once it was on": ("pass (4) ~5b7", prepared(ON, LOCKED)),
        "empty once it was on": ("inconclusive 2 409 PowerState …PowerState.Off ~8d9",
            prepared(*[ON, exchange(LOCK, 200, b"")] * 4, ON)),
        "no value under one segment, once": ("pass (3) ~d42",
            Reads(SERVED, exchange(BATTERY, 200, b"{}"), *battery(None, 50)[1:], key=BATTERY,
                appliance=CLAIMED)),
    },
    ("READ-REPEAT", LOCK): {
        "always a value": ("pass (3) ~c28", Reads(*series(LOCKED, LOCKED, LOCKED))),
        "two values": ("inconclusive 1 ~18b", Reads(*series(LOCKED, LOCKED))),
        "two values, of a sample": ("not_judged 1 timing.repeat_sample ~a17",
            Reads(*series(LOCKED, LOCKED), timing={"repeat_sample": 3})),
        "never a value": ("inconclusive 2 409 ~b3c", Reads(SERVED, *series(ODD, ODD, ODD))),
        "comes and goes once it was on": ("inconclusive 4 409 ~006", prepared(ON, *[LOCKED] * 3, ODD)),
        "comes and goes in turn once it was on": ("fail 4 409 409 409 ~7ef",
            prepared(ON, *[LOCKED, ODD] * 6)),
        "comes and goes, unclaimed": ("inconclusive 2 409 409 409 ~fe9",
            Reads(SERVED, *series(*[LOCKED, ODD] * 6))),
        "comes and goes while it is off": ("inconclusive 3 409 409 409 PowerState …PowerState.Off ~a80",
            Reads(SERVED, OFF, *series(*[LOCKED, ODD] * 6), appliance={"supports": [LOCK]})),
        "comes and goes in one series": ("inconclusive 2 409 409 409 ~3e6",
            Reads(SERVED, *series(*[LOCKED, ODD] * 3, *[ODD] * 6), appliance=CLAIMED)),
        "comes and goes with errors": ("inconclusive 2 500 409 409 ~939",
            Reads(SERVED, *series(LOCKED, exchange(LOCK, 500), LOCKED, ODD, LOCKED, ODD), appliance=CLAIMED)),
        "comes and goes, switched meanwhile": ("inconclusive 3 409 409 409 PowerState ~b64",
            Reads(SERVED, ON, *series(*[LOCKED, ODD] * 6, OFF), appliance={"supports": [LOCK]})),
    },
    ("READ-SAFE", LOCK): {
        "six times the same": ("pass (6) ~3ca", Reads(*series(*[LOCKED] * 6))),
        "five times": ("inconclusive 1 ~746", Reads(*series(*[LOCKED] * 5))),
        "walks": ("fail 1 true false true false true false ~cea",
            Reads(*series(*[LOCKED, value(LOCK, False)] * 6))),
        "walks, eleven reads": ("inconclusive 1 true false true false true false ~35d",
            Reads(*series(*[LOCKED, value(LOCK, False)] * 5, LOCKED))),
        "changes once": ("inconclusive 1 true true true true true true ~0fd",
            Reads(*series(*[LOCKED] * 6, *[value(LOCK, False)] * 6))),
    },
    ("ADDR-SEG-SETTINGS", LOCK): {
        "under its own segment": ("pass (1) ~4b1", Reads(SERVED, key=ANCHOR)),
        "under status only": ("fail 3 2 /status/ /settings/ 409 ~cda", Reads(SERVED, ODD, *STATUS_LOCK)),
        "under status once": ("inconclusive 2 409 ~0ae", Reads(SERVED, ODD, *STATUS_LOCK[:2])),
        "under status, its own not asked again": ("inconclusive 2 /status/ /settings/ 409 ~4e4",
            Reads(SERVED, ODD, STATUS_LOCK[0], STATUS_LOCK[2])),
        "under status, its own came back": ("inconclusive 2 /status/ /settings/ 409 ~ce9",
            Reads(SERVED, ODD, *STATUS_LOCK[:3], *probed(LOCK, exchange(LOCK, 500)))),
        "under status, while it is off": ("inconclusive 3 /status/ /settings/ 409 PowerState ~dab",
            Reads(SERVED, OFF, ODD, *STATUS_LOCK)),
        "its own in another shape": ("inconclusive 2 /status/ /settings/ 200 '/data/value' ~f65",
            Reads(SERVED, exchange(LOCK, 200, b'{"other": 1}'), *STATUS_LOCK, answer=dict[str, str]())),
        "a setting nowhere, claimed": ("inconclusive 2 4 200 ~150",
            Reads(SERVED, *tried(exchange(LOCK, 200)), appliance={"supports": [LOCK], "lacks": [POWER]})),
    },
    ("ADDR-SEG-STATUS", DOOR): {
        "a claimed status that is refused": ("inconclusive 2 X4 409 PowerState ~e07",
            Reads(SERVED, refusal(DOOR, 409), appliance={"supports": ["*"], "online": True})),
    },
    ("PATH-ONLY-FOUR", DOOR): {
        "not one of the four": ("fail 3 2 /settings/ /status/ 409 ~378",
            Reads(SERVED, refusal(DOOR, 409), *SETTINGS_DOOR)),
        "not one of the four, and as it should be": ("pass (2) ~ec8", Reads(SERVED, value(DOOR, "x"))),
        "not one of the four, nowhere": ("inconclusive 2 409 ~435", Reads(SERVED, refusal(DOOR, 409))),
    },
    ("ADDR-OTHERSEG", "*"): {
        "nothing is served elsewhere": ("observed (3) ~3d7",
            Reads(SERVED, *probed(LOCK, ODD, refusal(LOCK, segment="status")))),
        "a key is served elsewhere, too": ("observed (7) …ChildLock …DoorState ~b12",
            Reads(SERVED, *probed(LOCK, value(LOCK, True), UNDER_STATUS, UNDER_STATUS), *SETTINGS_DOOR)),
    },
    ("PATH-BATTERYLEVEL", BATTERY): {
        "under both": ("pass (2) ~9c1", Reads(*battery(50, 50))),
        "under the other": ("inconclusive (2) /status/ /settings/ ~a9a",
            Reads(*battery(50, None), paths={"authoritative": "settings"})),
        "under neither, refused": ("fail 2 /status/ /settings/ 4 409 ~c59",
            Reads(SERVED, *tried(refusal(BATTERY, 409)), *tried(refusal(BATTERY, 409, segment="settings")),
                appliance=CLAIMED)),
        "under neither, once": ("inconclusive 2 /status/ 409 ~4f9",
            Reads(SERVED, *battery(None, None), appliance=CLAIMED)),
        "under neither, unclaimed": ("not_applicable 2 4 200 ~e9d",
            Reads(SERVED, *tried(exchange(BATTERY, 200, b"")), *tried(exchange(BATTERY, 200, b"",
                segment="settings")))),
        "under neither, denied": ("not_applicable 2 409 ~da7",
            Reads(SERVED, *battery(None, None), appliance={"lacks": [BATTERY]})),
    },
    ("PATH-AGREE", BATTERY): {
        "agree": ("pass (10) ~13c", Reads(*agreeing(*[50] * 8))),
        "disagree": ("fail 3 4 /status/ 50 /settings/ 60 ~3bd", Reads(*agreeing(*[50, 60] * 4))),
        "disagree once": ("inconclusive 3 ~18d", Reads(*agreeing(*[50, 60] * 2, *[60, 60] * 2))),
        "disagree in one sandwich": ("inconclusive 3 ~1e6", Reads(*agreeing(*[50, 60] * 2))),
        "read three times in turn": ("inconclusive (5) ~163", Reads(*agreeing(50, 60, 50))),
        "one is no number": ("inconclusive 2 /settings/ ~faa", Reads(*agreeing(*[50, "60"] * 4))),
        "under one segment alone": ("not_applicable (2) ~5d1", Reads(*agreeing(*[50, None] * 4))),
    },
}
# fmt: on

test_reading = Reads.each_of(ROWS)


# Two paths of one status: whether they agree, differ or move.
# four values read in turn under status and settings, and the drift that is allowed -> agree, differ, move
SANDWICHES: dict[str, tuple[list[object], float, str]] = {
    "equal": ([True, True, True, True], 0, "agree"),
    "different and stable": ([True, False, True, False], 0, "differ"),
    "both move together": ([True, True, False, False], 0, "agree"),
    "one moves": ([True, False, False, False], 0, "move"),
    "numbers within the drift": ([50, 52, 50, 52], 2, "agree"),
    "numbers beyond the drift": ([50, 53, 50, 53], 2, "differ"),
    "numbers that drift together": ([50, 55, 60, 60], 2, "agree"),
    "numbers that move and differ": ([50, 80, 60, 80], 2, "move"),
    "whole and with a fraction": ([50, 50.0, 50, 50.0], 0, "agree"),
    "numbers that come near": ([50, 53, 52, 53], 2, "agree"),
    "no numbers": ([float("nan")] * 4, 2, "move"),
    "a text and a number": (["50", 50, "50", 50], 2, "differ"),
}


@pytest.mark.parametrize("name", SANDWICHES)
def test_two_paths_agree_or_differ(name: str) -> None:
    """Each path must be stable in itself before the two can be said to differ."""
    shown, drift, verdict = SANDWICHES[name]
    answers = tuple(Classifier(profile_of()).answer(value(BATTERY, each)) for each in shown)
    said = disagree(answers, drift)
    assert ("agree" if said is None else "differ" if said else "move") == verdict
