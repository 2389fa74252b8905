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
from conformance.checks.notes import note_other_segments
from conformance.checks.reads.addressing import (
    assert_base_address_serves,
    assert_ha_id_addresses,
    assert_key_is_last_segment,
    assert_maker_name,
    assert_only_four_contested,
    assert_own_segment,
    assert_specific,
    assert_unknown_key_yields_nothing,
    assert_unversioned,
    elsewhere,
)
from conformance.selftest.support.samples.handmade import ANCHOR, Reads, exchange, refusal, tried, value

LOCK, POWER, UNIT = (
    f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState", "LiquidVolumeUnit")
)
DOOR, REMOTE = "Vendor.Common.Status.DoorState", "Vendor.Common.Status.RemoteControlActive"


CLAIMED = {"supports": ["*"], "online": True}
GUESSED = dict[str, str]()
SERVED = value(ANCHOR, 5)
NOBODY, NOBODYS = refusal(ANCHOR, group=NONCE_HA_ID), value(ANCHOR, 5, group=NONCE_HA_ID)
NO_KEY = (
    refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS),
    refusal("Vendor.Common.Status.Nonce", group=NONCE_STATUS),
)
ANY_KEY = (
    value("Vendor.Common.Setting.Nonce", 1, group=NONCE_SETTINGS),
    value("Vendor.Common.Status.Nonce", 2, group=NONCE_STATUS),
)


def redirected(url: str, asked: str = ANCHOR) -> Exchange:
    """An answer that came after a redirect."""
    answer = value(asked, 5)
    assert answer.response
    return replace(answer, response=replace(answer.response, redirects=(url,)))


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


def of_kind(kind: ProcedureKind) -> Group:
    """The procedure of a kind that is about the anchor."""
    return Group(kind, f"settings/{ANCHOR}")


AGAIN, NONCE = Group(ProcedureKind.REPEAT, f"settings/{ANCHOR}"), "Vendor.Common.Setting.Nonce"
AFTER = replace(SERVED, groups=(AGAIN,), purpose="repeat")
FORBIDDEN = exchange(ANCHOR, 403, group=NONCE_HA_ID)
NULL_KEY = value(NONCE, None, group=NONCE_SETTINGS)
SERVED_LOCK, MISNAMED = value(LOCK, shown=True), about(ANCHOR, 5, LOCK)

# fmt: off
ROWS = {
    ("ADDR-BASE", assert_base_address_serves, "*"): {
        "a key gives a value": Reads(refusal(LOCK), SERVED),
        "nothing was asked": Reads(replace(NOBODY)),
        "only a versioned path serves": Reads(refusal(ANCHOR), refusal(LOCK, group=VERSION),
            value(LOCK, True, group=VERSION)),
        "as an unknown appliance": Reads(refusal(ANCHOR), refusal(LOCK), NOBODY, appliance=CLAIMED),
        "as an unknown appliance, offline": Reads(refusal(ANCHOR), NOBODY,
            appliance={"supports": ["*"], "online": False}),
        "as an unknown appliance, unclaimed": Reads(refusal(ANCHOR), NOBODY, appliance={"online": True}),
        "one key answers otherwise": Reads(refusal(ANCHOR), exchange(LOCK, 409), NOBODY, appliance=CLAIMED),
        "every key answers otherwise": Reads(refusal(ANCHOR, 409), NOBODY, appliance=CLAIMED),
        "all are server errors": Reads(exchange(ANCHOR, 500), exchange(ANCHOR, 500, group=NONCE_HA_ID),
            appliance=CLAIMED),
    },
    ("ADDR-UNVERSIONED", assert_unversioned, "*"): {
        "no version is needed": Reads(refusal(LOCK), SERVED),
        "no value at all": Reads(refusal(ANCHOR)),
        "served with a version only": Reads(refusal(ANCHOR), value(LOCK, True, group=VERSION),
            refusal(ANCHOR, group=VERSION)),
        "redirected without a version": Reads(refusal(ANCHOR), value(LOCK, True, group=VERSION),
            exchange(ANCHOR, 301, group=VERSION)),
        "not asked again without a version": Reads(refusal(ANCHOR), refusal(ANCHOR, group=VERSION),
            value(LOCK, True, group=VERSION)),
        "an error without a version": Reads(refusal(ANCHOR), value(LOCK, True, group=VERSION),
            exchange(ANCHOR, 500, group=VERSION)),
        "redirected to a version": Reads(redirected("/api/V1.2/homeappliances/one/settings/" + ANCHOR)),
        "redirected to no version": Reads(redirected("/api/v/homeappliances/xv1/settings/" + ANCHOR)),
    },
    ("ADDR-HAID", assert_ha_id_addresses, "*"): {
        "nobody's haId without an anchor": Reads(NOBODY),
        "nobody's haId was not asked": Reads(SERVED),
        "nobody's haId is refused": Reads(SERVED, NOBODY, NOBODY),
        "nobody's haId gives a value": Reads(SERVED, NOBODYS, NOBODYS),
        "nobody's haId gives a value once": Reads(SERVED, NOBODY, NOBODYS),
        "nobody's haId gives texts": Reads(SERVED, *[value(ANCHOR, "x", group=NONCE_HA_ID)] * 2),
        "nobody's haId is forbidden, a key is read after it": Reads(SERVED, FORBIDDEN, AFTER),
        "nobody's haId is forbidden, and then every key": Reads(SERVED, FORBIDDEN,
            replace(exchange(ANCHOR, 403), groups=(AGAIN,), purpose="repeat")),
        "nobody's haId is not authorized": Reads(SERVED, exchange(ANCHOR, 401, group=NONCE_HA_ID), AFTER),
        "nobody's haId is told in band": Reads(SERVED, body(ANCHOR, "{}", group=NONCE_HA_ID), AFTER),
        "nobody's haId meets an error": Reads(SERVED, NOBODY, exchange(ANCHOR, 500, group=NONCE_HA_ID)),
    },
    ("ADDR-UNKNOWNKEY", assert_unknown_key_yields_nothing, "*"): {
        "no such key without an anchor": Reads(*NO_KEY),
        "no such key was not asked": Reads(SERVED),
        "no such key is refused": Reads(SERVED, *NO_KEY),
        "no such key gives a value": Reads(SERVED, *ANY_KEY),
        "no such key gives a value once": Reads(SERVED, NO_KEY[0], ANY_KEY[1]),
        "no such key is null": Reads(SERVED, NULL_KEY),
        "no such key is null, which is declared": Reads(SERVED, NULL_KEY,
            http={"not_supported": [{"status": 200, "pointer": "/data/value"}]}),
        "no such key is forbidden, like another one": Reads(SERVED,
            exchange(NONCE, 403, group=NONCE_SETTINGS)),
    },
    ("ADDR-SEG-SETTINGS", assert_own_segment, LOCK): {
        "under its own segment": Reads(SERVED, key=ANCHOR),
        "under status only": Reads(SERVED, OWN, *STATUS_LOCK),
        "under status once": Reads(SERVED, OWN, *STATUS_LOCK[:2]),
        "under status, its own not asked again": Reads(SERVED, OWN, STATUS_LOCK[0], STATUS_LOCK[2]),
        "under status, its own came back": Reads(SERVED, OWN, *STATUS_LOCK[:3],
            *probed(LOCK, exchange(LOCK, 500))),
        "under status, its own met an error": Reads(SERVED, exchange(LOCK, 500), *STATUS_LOCK),
        "under status, while it is off": Reads(SERVED, value(POWER, "Vendor.Common.EnumType.PowerState.Off"),
            OWN, *STATUS_LOCK),
        "under status, and its own once it was on": Reads(SERVED,
            value(POWER, "Vendor.Common.EnumType.PowerState.Off"), OWN, *STATUS_LOCK,
            value(POWER, "Vendor.Common.EnumType.PowerState.On", group=PREPARE),
            value(LOCK, True, group=PREPARE), appliance={"supports": [LOCK]}),
        "under status, its own in another shape": Reads(SERVED, body(LOCK, '{"other": 1}'), *STATUS_LOCK,
            answer=GUESSED),
        "a setting nowhere": Reads(SERVED, OWN),
        "a setting nowhere, claimed": Reads(SERVED, *tried(body(LOCK, "")),
            appliance={"supports": [LOCK], "lacks": [POWER]}),
    },
    ("ADDR-SEG-STATUS", assert_own_segment, DOOR): {
        "a claimed status that is null": Reads(SERVED, value(DOOR, None), appliance=CLAIMED),
        "a claimed status that is refused": Reads(SERVED, refusal(DOOR, 409), appliance=CLAIMED),
    },
    ("PATH-ONLY-FOUR", assert_only_four_contested, DOOR): {
        "not one of the four": Reads(SERVED, refusal(DOOR, 409), *SETTINGS_DOOR),
        "not one of the four, elsewhere": Reads(
            SERVED,
            refusal(DOOR, 409),
            *(
                replace(each, segment="programs") if each.response and each.response.status == 200 else each
                for each in SETTINGS_DOOR
            ),
        ),
        "not one of the four, and as it should be": Reads(SERVED, value(DOOR, "x")),
        "not one of the four, nowhere": Reads(SERVED, refusal(DOOR, 409)),
    },
    ("ADDR-OTHERSEG", note_other_segments, "*"): {
        "nothing is served elsewhere": Reads(SERVED, *probed(LOCK, OWN, refusal(LOCK, segment="status"))),
        "a key is served elsewhere, too": Reads(SERVED,
            *probed(LOCK, value(LOCK, True), UNDER_STATUS, UNDER_STATUS), *SETTINGS_DOOR),
    },
    ("ADDR-KEY-LAST", assert_key_is_last_segment, ANCHOR): {
        "the body shows another key": Reads(about(LOCK, True, ANCHOR), key=LOCK),
        "the body shows no key": Reads(body(LOCK, '{"data": {"value": true}}'), key=LOCK),
        "where the key stands is not declared": Reads(SERVED, answer={"value": "/data/value"}),
        "the key has the maker's name": Reads(about(ANCHOR, 5, ANCHOR.replace("Vendor", "Maker")),
            appliance={"vendor": "Maker"}),
        "another key, twice beside writes": Reads(SERVED, *later(WALK, MISNAMED, SERVED, MISNAMED)),
        "another key, in the first value that is shown": Reads(refusal(ANCHOR, 409), SERVED_LOCK,
            *later(LAST_LOOK, MISNAMED, MISNAMED)),
        "another key, once beside writes": Reads(SERVED, *later(WALK, SERVED, MISNAMED, SERVED)),
        "another key, in one read for two procedures": Reads(SERVED,
            *(replace(one, groups=(WALK, LAST_LOOK)) for one in later(WALK, MISNAMED))),
        "another key, twice in a series on one connection": Reads(SERVED,
            *later(of_kind(ProcedureKind.REPEAT), MISNAMED, MISNAMED)),
        "another key, twice on connections of their own": Reads(SERVED,
            *later(of_kind(ProcedureKind.AGAIN), MISNAMED, MISNAMED)),
        "another key, twice where a payload was sent": Reads(SERVED,
            *later(of_kind(ProcedureKind.PAYLOAD), MISNAMED, MISNAMED)),
        "another key, twice at another address": Reads(SERVED,
            *later(WALK, *(about(ANCHOR, 5, LOCK, segment="status"),) * 2)),
    },
    ("ADDR-SPECIFIC", assert_specific, LOCK): {
        "the specific entry": Reads(SERVED, key=ANCHOR),
        "a list": Reads(SERVED, body(LOCK,
            '{"a": [{"key": "A.Setting.A"}, {"key": "B.Status.B"}, {"key": "C"}, "D.Setting.D"]}')),
        "a list of one": Reads(SERVED, body(LOCK, '{"data": [{"key": "A.Setting.A"}]}')),
        "a list, the pointer guessed": Reads(SERVED,
            body(LOCK, '[{"key": "A.Setting.A"}, {"key": "B.Setting.B"}]'), answer=GUESSED),
        "about a neighbour": Reads(about(LOCK, True, ANCHOR)),
        "about no entry at all": Reads(about(LOCK, True, "Foo")),
        "about a neighbour, twice beside writes": Reads(SERVED_LOCK,
            *later(WALK, *(about(LOCK, True, ANCHOR),) * 2)),
        "a neighbour's value": Reads(value(POWER, NEIGHBOUR), key=POWER),
        "its own family's value": Reads(value(UNIT, NEIGHBOUR), key=UNIT),
        "a text like a neighbour's value": Reads(value("ConsumerProducts.CleaningRobot.Setting.NameOfMap1",
            NEIGHBOUR), key="ConsumerProducts.CleaningRobot.Setting.NameOfMap1"),
    },
    ("ADDR-VENDOR", assert_maker_name, UNIT): {
        "the declared maker": Reads(value(UNIT, NEIGHBOUR.replace("Vendor", "Maker")),
            appliance={"vendor": "Maker"}),
        "the declared maker in another case": Reads(value(UNIT, NEIGHBOUR.replace("Vendor", "MAKER")),
            appliance={"vendor": "Maker"}),
        "a value without a maker": Reads(value(UNIT, "MilliLiter"), appliance={"vendor": "Maker"}),
        "another maker": Reads(value(UNIT, NEIGHBOUR), appliance={"vendor": "Maker"}),
        "no maker": Reads(value(UNIT, 5)),
    },
}
# fmt: on

test_addressing = Reads.each_of(ROWS)
