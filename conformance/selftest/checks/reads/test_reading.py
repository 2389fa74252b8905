"""An entry can be read by itself: reads that come and go, payloads, pairs of states, contested paths."""

from typing import Any

from msgspec.structs import replace

from conformance.checks.exchange import Exchange
from conformance.checks.groups import NONCE_SETTINGS, PREPARE, Group, ProcedureKind
from conformance.checks.reads.paths import agreement, assert_either_segment, assert_segments_agree
from conformance.checks.reads.reading import (
    assert_no_payload_needed,
    assert_readable,
    assert_reading_is_safe,
    assert_repeatable,
    assert_value_present,
)
from conformance.checks.writes.operation import (
    ALTERNATING,
    assert_camera_only_with_one,
    assert_inactive_is_off,
    assert_on_is_not_inactive,
    assert_ready_is_on,
)
from conformance.selftest.support.samples.handmade import ANCHOR, Reads, exchange, of, refusal, tried, value
from conformance.selftest.support.samples.handtraced import procedure

LOCK, POWER = (f"Vendor.Common.Setting.{name}" for name in ("ChildLock", "PowerState"))
OPERATION, BATTERY, CAMERA = (
    f"Vendor.Common.Status.{name}" for name in ("OperationState", "BatteryLevel", "Video.CameraState")
)
SERVED, LOCKED, ODD = value(ANCHOR, 5), value(LOCK, True), refusal(LOCK, 409)
ON, OFF = (value(POWER, f"Vendor.Common.EnumType.PowerState.{name}") for name in ("On", "Off"))
BACK = replace(OFF, purpose="restore")
READY, INACTIVE = (
    value(OPERATION, f"Vendor.Common.EnumType.OperationState.{name}") for name in ("Ready", "Inactive")
)
CLAIMED = {"supports": [LOCK, BATTERY], "lacks": [POWER]}
GUESSED = {"answer": dict[str, str]()}
NULL = value(LOCK, None)
UNKNOWN = refusal("Vendor.Common.Setting.Nonce", group=NONCE_SETTINGS)


def series(*answers: Exchange) -> tuple[Exchange, ...]:
    """The first read of a key, and those that repeat it."""
    return answers[0], *of(ProcedureKind.REPEAT, *answers[1:])


def sending(answer: Exchange, text: str | None = None, url: str = "", *headers: tuple[str, str]) -> Exchange:
    """An answer to a read that sends something."""
    request = replace(answer.request, body=text, url=answer.request.url + url, headers=headers)
    return replace(answer, request=request)


def prepared(*later: Exchange) -> Reads:
    """A claimed key that was refused while it was off, and what was read, and put back, after that."""
    return Reads(
        OFF, ODD, *(replace(one, groups=(PREPARE,)) for one in later), appliance={"supports": [LOCK]}
    )


PLAIN = sending(ODD)
WITH_BODY, WITH_QUERY, WITH_TYPE = (
    sending(LOCKED, "{}"),
    sending(LOCKED, None, "?a=1"),
    sending(LOCKED, None, "", ("Content-TYPE", "x")),
)


def payload(*answers: Exchange) -> tuple[Exchange, ...]:
    """Probes that send what a GET should not need, and such that send nothing."""
    return SERVED, ODD, *of(ProcedureKind.PAYLOAD, *answers)


def turns(*states: Exchange, pause: float = 60) -> tuple[Exchange, ...]:
    """A first read of power and operation state, and two more in turn, so many seconds apart."""
    return *states[:2], *procedure(ALTERNATING, *states[:2], pause, *(states[2:] or states))


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


CAMERA_ON = value(CAMERA, "Vendor.Common.EnumType.Video.CameraState.Enabled")


# fmt: off
ROWS = {
    ("READ-SETTING", assert_readable, LOCK): {
        "a value": Reads(LOCKED),
        "null": Reads(SERVED, NULL, appliance=CLAIMED),
        "null while off": Reads(SERVED, OFF, NULL, appliance={"supports": [LOCK]}),
        "null, as for no key": Reads(SERVED, NULL,
            value("Vendor.Common.Setting.Nonce", None, group=NONCE_SETTINGS)),
        "refused each time": Reads(SERVED, *tried(ODD), appliance=CLAIMED),
        "refused once": Reads(SERVED, ODD, appliance=CLAIMED),
        "shown only once it was on": prepared(ON, LOCKED),
        "refused once it was on": prepared(*[ON, ODD] * 4, ON),
        "refused once it was on, not tried again": prepared(ON, ODD),
        "refused once it was on, and off again": prepared(ON, ODD, BACK, *[OFF, ODD] * 4, OFF),
        "null once it was on": prepared(*[ON, NULL] * 4, ON),
        "refused, and it never was on": prepared(*[OFF, ODD] * 4, OFF),
    },
    ("READ-STATUS", assert_readable, BATTERY): {
        "contested, under settings": Reads(SERVED, *battery(None, 50)),
        "contested, unsupported": Reads(SERVED, *battery(None, None), appliance={"lacks": [BATTERY]}),
        "contested, doubtful": Reads(SERVED, *battery(None, None)),
        "contested, doubtful while off": Reads(SERVED, OFF, *battery(None, None),
            appliance={"supports": [BATTERY]}),
        "contested, broken": Reads(SERVED, *tried(exchange(BATTERY, 500)),
            *tried(exchange(BATTERY, 500, segment="settings")), appliance=CLAIMED),
        "contested, empty each time": Reads(SERVED, *tried(exchange(BATTERY, 200, b"")),
            *tried(exchange(BATTERY, 200, b"", segment="settings"))),
        "contested, refused everywhere": Reads(SERVED, *tried(refusal(BATTERY, 409)),
            *tried(refusal(BATTERY, 409, segment="settings")), appliance=CLAIMED),
    },
    ("READ-NOPAYLOAD", assert_no_payload_needed, LOCK): {
        "no payload is needed": Reads(LOCKED),
        "no payload is needed once it was on": prepared(ON, LOCKED),
        "no payload helps": Reads(*payload(sending(ODD, "{}"), PLAIN)),
        "a body is needed": Reads(*payload(WITH_BODY, PLAIN, WITH_BODY)),
        "a query is needed": Reads(*payload(WITH_QUERY, PLAIN, WITH_QUERY)),
        "a content type is needed": Reads(*payload(WITH_TYPE, PLAIN, WITH_TYPE)),
        "a body is needed, without another": Reads(*payload(WITH_BODY, WITH_BODY)),
        "a body is needed, then not": Reads(*payload(WITH_BODY, sending(LOCKED), WITH_BODY)),
        "a body is needed once": Reads(*payload(PLAIN, WITH_BODY)),
        "a body is needed, then it fails": Reads(*payload(WITH_BODY, PLAIN, sending(ODD, "{}"))),
        "a body is needed, reads come and go": Reads(*payload(WITH_BODY, PLAIN, WITH_BODY),
            *of(ProcedureKind.REPEAT, LOCKED)),
        "an error without a body": Reads(SERVED, exchange(LOCK, 500),
            *of(ProcedureKind.PAYLOAD, WITH_BODY, exchange(LOCK, 500), WITH_BODY)),
    },
    ("READ-VALUE", assert_value_present, LOCK): {
        "one value": Reads(LOCKED),
        "malformed each time": Reads(SERVED, *tried(exchange(LOCK, 200, b"{")), appliance=CLAIMED),
        "no value each time": Reads(SERVED, *tried(exchange(LOCK, 200, b"{}")), appliance=CLAIMED),
        "empty each time": Reads(SERVED, *tried(exchange(LOCK, 200, b"")), appliance=CLAIMED),
        "a value once it was on": prepared(ON, LOCKED),
        "empty once it was on": prepared(*[ON, exchange(LOCK, 200, b"")] * 4, ON),
        "no value under one segment": Reads(SERVED, *tried(exchange(BATTERY, 200, b"{}")),
            *battery(None, 50)[1:], key=BATTERY, appliance=CLAIMED),
        "no value under one segment, once": Reads(SERVED, exchange(BATTERY, 200, b"{}"),
            *battery(None, 50)[1:], key=BATTERY, appliance=CLAIMED),
    },
    ("READ-REPEAT", assert_repeatable, LOCK): {
        "always a value": Reads(*series(LOCKED, LOCKED, LOCKED)),
        "two values": Reads(*series(LOCKED, LOCKED)),
        "two values, of a sample": Reads(*series(LOCKED, LOCKED), timing={"repeat_sample": 3}),
        "never a value": Reads(SERVED, *series(ODD, ODD, ODD)),
        "always a value once it was on": prepared(ON, *[LOCKED] * 3),
        "two values once it was on": prepared(ON, *[LOCKED] * 2, BACK, LOCKED),
        "comes and goes once it was on": prepared(ON, *[LOCKED] * 3, ODD),
        "comes and goes in turn once it was on": prepared(ON, *[LOCKED, ODD] * 6),
        "comes and goes": Reads(SERVED, *series(*[LOCKED, ODD] * 6), appliance=CLAIMED),
        "comes and goes, unclaimed": Reads(SERVED, *series(*[LOCKED, ODD] * 6)),
        "comes and goes, not all reads": Reads(SERVED, *series(*[LOCKED, ODD] * 5, LOCKED),
            appliance=CLAIMED),
        "comes and goes in one series": Reads(SERVED, *series(*[LOCKED, ODD] * 3, *[ODD] * 6),
            appliance=CLAIMED),
        "comes and goes with errors": Reads(SERVED,
            *series(LOCKED, exchange(LOCK, 500), LOCKED, ODD, LOCKED, ODD), appliance=CLAIMED),
        "comes and goes while off": Reads(SERVED, OFF, *series(LOCKED, ODD, LOCKED, ODD, LOCKED, ODD),
            appliance={"supports": [LOCK]}),
        "comes and goes, switched meanwhile": Reads(SERVED, ON,
            *series(*[LOCKED, ODD] * 6, OFF), appliance={"supports": [LOCK]}),
        "comes and goes, not switched": Reads(SERVED, ON, *series(*[LOCKED, ODD] * 6, ON),
            appliance={"supports": [LOCK]}),
    },
    ("READ-SAFE", assert_reading_is_safe, LOCK): {
        "six times the same": Reads(*series(*[LOCKED] * 6)),
        "five times": Reads(*series(*[LOCKED] * 5)),
        "walks": Reads(*series(*[LOCKED, value(LOCK, False)] * 6)),
        "walks, eleven reads": Reads(*series(*[LOCKED, value(LOCK, False)] * 5, LOCKED)),
        "changes once": Reads(*series(*[LOCKED] * 6, *[value(LOCK, False)] * 6)),
        "shown only once it was on": prepared(ON, LOCKED),
        "stays once it was on": prepared(ON, *[LOCKED] * 6),
        "walks once it was on": prepared(ON, *[LOCKED, value(LOCK, False)] * 6),
    },
    ("OPS-INACTIVE", assert_inactive_is_off, OPERATION): {
        "inactive and off": Reads(*turns(OFF, INACTIVE)),
        "inactive and on": Reads(*turns(ON, INACTIVE)),
        "inactive and on, for a moment": Reads(*turns(ON, INACTIVE, pause=59)),
        "inactive and on, then off": Reads(*turns(ON, INACTIVE, OFF, INACTIVE)),
        "not inactive": Reads(*turns(ON, READY)),
        "inactive, read once": Reads(ON, INACTIVE, *procedure(ALTERNATING, ON, INACTIVE)),
        "inactive, not read again": Reads(*turns(ON, INACTIVE, ON, refusal(OPERATION, 409))),
        "no power state": Reads(INACTIVE),
        "a power state of its own": Reads(*turns(value(POWER, "Dozing"), INACTIVE)),
    },
    ("OPS-READY", assert_ready_is_on, OPERATION): {
        "ready and on": Reads(*turns(ON, READY)),
        "ready and off": Reads(*turns(OFF, READY)),
        "not ready": Reads(*turns(OFF, INACTIVE)),
    },
    ("OPS-ON-NOT-INACTIVE", assert_on_is_not_inactive, OPERATION): {
        "on and inactive": Reads(*turns(ON, INACTIVE)),
        "on and ready": Reads(*turns(ON, READY)),
        "not on": Reads(*turns(OFF, INACTIVE)),
    },
    ("OPT-CAMERA", assert_camera_only_with_one, CAMERA): {
        "a camera, perhaps": Reads(SERVED, CAMERA_ON),
        "a camera": Reads(SERVED, CAMERA_ON, appliance={"streaming_camera": True}),
        "a camera that says nothing": Reads(SERVED, refusal(CAMERA), appliance={"streaming_camera": True}),
        "no camera": Reads(SERVED, refusal(CAMERA), appliance={"streaming_camera": False}),
        "no camera and no value": Reads(refusal(CAMERA), appliance={"streaming_camera": False}),
        "no camera, once a value": Reads(SERVED, CAMERA_ON, appliance={"streaming_camera": False}),
        "no camera, a value twice": Reads(SERVED, CAMERA_ON, *of(ProcedureKind.AGAIN, CAMERA_ON),
            appliance={"streaming_camera": False}),
    },
    ("PATH-BATTERYLEVEL", assert_either_segment, BATTERY): {
        "under both": Reads(*battery(50, 50)),
        "under one": Reads(*battery(50, None)),
        "under the other": Reads(*battery(50, None), paths={"authoritative": "settings"}),
        "under neither, refused": Reads(SERVED, *tried(refusal(BATTERY, 409)),
            *tried(refusal(BATTERY, 409, segment="settings")), appliance=CLAIMED),
        "under neither, errors": Reads(SERVED, *tried(exchange(BATTERY, 500)),
            *tried(exchange(BATTERY, 500, segment="settings")), appliance=CLAIMED),
        "under neither, once": Reads(SERVED, *battery(None, None), appliance=CLAIMED),
        "under neither, while off": Reads(SERVED, OFF, *battery(None, None),
            appliance={"supports": [BATTERY]}),
        "under neither, unclaimed": Reads(SERVED, *tried(exchange(BATTERY, 200, b"")),
            *tried(exchange(BATTERY, 200, b"", segment="settings"))),
        "under neither, denied": Reads(SERVED, *battery(None, None), appliance={"lacks": [BATTERY]}),
    },
    ("PATH-AGREE", assert_segments_agree, BATTERY): {
        "agree": Reads(*agreeing(*[50] * 8)),
        "agree as far as it drifts": Reads(*agreeing(*[50, 51] * 4)),
        "disagree": Reads(*agreeing(*[50, 60] * 4)),
        "disagree once": Reads(*agreeing(*[50, 60] * 2, *[60, 60] * 2)),
        "disagree in one sandwich": Reads(*agreeing(*[50, 60] * 2)),
        "read three times in turn": Reads(*agreeing(50, 60, 50)),
        "one is no number": Reads(*agreeing(*[50, "60"] * 4)),
        "under one segment alone": Reads(*agreeing(*[50, None] * 4)),
    },
}
# fmt: on

test_reading = Reads.each_of(ROWS)
