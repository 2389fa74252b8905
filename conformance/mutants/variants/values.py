"""Odd values, and odd ways to send them: numbers, texts, bytes, media types, headers, connections.

> data type: one of Enumeration, Boolean, Integer, Double, Float, String
> Response body field names: not shown.

JSON has one kind of number: 5, 5.0 and 5e0 are the same. Encodings differ as RFC 8259 and RFC 9112 let them.
"""

import gzip
import json
import re
from collections.abc import Mapping

from msgspec.structs import replace

from catalog import keys
from conformance.mutants import document, fleets
from conformance.mutants.model import odd, written
from conformance.mutants.shapes.reads import spells
from conformance.mutants.shapes.requests import amends, encodes
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.fleets.cleaning import ROBOT_WATCHING
from conformance.reference.service import Service
from conformance.reference.wire import INVALID_VALUE, JSON_MEDIA, Incoming, Json, Reply, dump

_CHARGE = "Vendor.Common.EnumType.BatteryChargingState"
_CONNECTION = "Vendor.Common.EnumType.ChargingConnection"
_ROBOT = ROBOT_WATCHING.only(keys.POWER_STATE, keys.MAP_NAME_1, keys.CHARGING_STATE, keys.CHARGING_CONNECTION)
_CHARGED = _ROBOT.having(
    {keys.CHARGING_STATE: f"{_CHARGE}.Charging", keys.CHARGING_CONNECTION: f"{_CONNECTION}.Disconnected"}
)
_DISCHARGED = _ROBOT.having(
    {keys.CHARGING_STATE: f"{_CHARGE}.Discharging", keys.CHARGING_CONNECTION: f"{_CONNECTION}.Connected"}
)
_ZEROES = (
    fleets.HOOD.having({keys.COLOR_PERCENT: -0.0}),
    fleets.FRIDGE_EQUIPPED.having({keys.INTERNAL_BRIGHTNESS: -0.0}),
    fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: -0.0}),
)
_LEAST = (
    fleets.TIMED_OVEN.having({keys.ALARM_CLOCK: 0}),
    fleets.HOOD.having({keys.LIGHTING_BRIGHTNESS: 10, keys.COLOR_PERCENT: 0}),
    fleets.FRIDGE.having({keys.SETPOINT: 2, keys.FREEZER_SETPOINT: -24, keys.INTERNAL_BRIGHTNESS: 0}),
    fleets.MACHINE_LIT.having({keys.AMBIENT_BRIGHTNESS: 10, keys.AMBIENT_COLOR: keys.COLOR_1}),
    fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 0}),
    fleets.COUNTING.having({keys.COFFEE_COUNT: 0, keys.HOT_WATER: 0, keys.HOT_WATER_CUPS: 0}),
)
_MOST = (
    fleets.TIMED_OVEN.having({keys.ALARM_CLOCK: 38340}),
    fleets.HOOD.having({keys.LIGHTING_BRIGHTNESS: 100, keys.COLOR_PERCENT: 100}),
    fleets.FRIDGE.having({keys.SETPOINT: 8, keys.FREEZER_SETPOINT: -16, keys.INTERNAL_BRIGHTNESS: 100}),
    fleets.MACHINE_LIT.having(
        {keys.AMBIENT_BRIGHTNESS: 100, keys.AMBIENT_COLOR: f"{keys.COLOR_FAMILY}.Color99"}
    ),
    fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 100}),
)


def _pointed(*types: str) -> type[Service]:
    """Whole numbers of some data types are written with a decimal point, even where nothing follows it."""
    return spells(lambda entry, sent: float(sent) if entry.type in types and isinstance(sent, int) else sent)


_WHOLE = re.compile(rb'"value":(-?\d+)([,}])')
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def _labelled(media_type: str | None) -> type[Service]:
    """Every JSON answer has another Content-Type, or none."""
    return amends(
        lambda reply, _: replace(reply, media_type=media_type) if reply.media_type == JSON_MEDIA else reply
    )


def _headed(**more: str) -> type[Service]:
    """Every JSON answer has more headers, whose names have low lines here."""
    headers = {name.replace("_", "-"): text for name, text in more.items()}
    return amends(lambda reply, _: _with(reply, headers) if reply.media_type == JSON_MEDIA else reply)


def _with(reply: Reply, headers: Mapping[str, str]) -> Reply:
    return replace(reply, headers={**reply.headers, **headers})


def _compressed(reply: Reply, request: Incoming) -> Reply:
    if reply.media_type != JSON_MEDIA or "gzip" not in request.headers.get("accept-encoding", ""):
        return reply
    packed = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding"}
    return _with(replace(reply, body=gzip.compress(reply.body)), packed)


def _reversed(document: Json) -> Json:
    """The document with the members of every object in reverse order."""
    if not isinstance(document, Mapping):
        return document
    return {name: _reversed(document[name]) for name in reversed(tuple(document))}


def _indented(body: bytes) -> bytes:
    text = json.dumps(json.loads(body), ensure_ascii=False, indent=2, separators=(" ,", " : "))
    return f"\n{text}\n".replace("\n", "\r\n").encode()


# fmt: off
odd(_pointed("Double", "Float"), "doubles-with-point", "TYPE-DOUBLE",
    "Doubles and the Float have a decimal point even where nothing follows it, as in 4.0.",
    fleet=(fleets.FRIDGE, fleets.HOOD, fleets.ROBOT_TWOFOLD), allowed=document.NUMBERS)
odd(_pointed("Integer"), "integers-with-point", "TYPE-INTEGER", "Integers are written 5.0.",
    fleet=(fleets.TIMED_OVEN, fleets.COUNTING, fleets.DOSER, fleets.FRIDGE_EQUIPPED),
    allowed=document.NUMBERS)
odd(Service, "doubles-whole", "TYPE-DOUBLE", "Doubles and the Float have no fraction and no decimal point.",
    fleet=(fleets.FRIDGE, fleets.HOOD, fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 57})),
    allowed=document.NUMBERS)
odd(Service, "battery-of-single-precision", "TYPE-FLOAT",
    "BatteryLevel is 57.29999923706055: a number of single precision, written out.",
    fleet=fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 57.29999923706055}), allowed=document.NUMBERS)
odd(Service, "zero-negative", "TYPE-DOUBLE", "Zero is written -0.0.", fleet=_ZEROES, allowed=document.NUMBERS)
odd(Service, "values-at-lower-ends", "RANGE-LIGHTING", "Every number is the least it may be.", fleet=_LEAST,
    allowed=document.PERCENT_ENDS)
odd(Service, "values-at-upper-ends", "RANGE-ALARMCLOCK", "Every number is the most it may be.", fleet=_MOST,
    allowed=document.ALARM_ENDS)
odd(Service, "fractions-of-a-percent", "RANGE-BATTERY",
    "Percentages are below one: nearly dark, nearly empty.",
    fleet=(fleets.FRIDGE_EQUIPPED.having({keys.INTERNAL_BRIGHTNESS: 0.5}),
        fleets.ROBOT_TWOFOLD.having({keys.BATTERY_LEVEL: 0.3})), allowed=document.FRACTIONS)
odd(Service, "counters-huge", "RANGE-COUNT",
    "Counters are beyond 32 bits and beyond what a Double holds exactly, and do not add up.",
    fleet=fleets.COUNTING.having({keys.COFFEE_COUNT: 2**53 + 1, keys.HOT_WATER: 4294967295,
        keys.HOT_WATER_CUPS: 0}), allowed=document.COUNT)
odd(Service, "assistant-timeout-zero", "RANGE-ASSISTTIMEOUT",
    "The door assistant waits 0 of no unit, and has no range.",
    fleet=fleets.FRIDGE_EQUIPPED.having({keys.ASSISTANT_TIMEOUT_FRIDGE: 0}), allowed=document.ASSISTANT)
odd(Service, "assistant-timeout-negative", "RANGE-ASSISTTIMEOUT",
    "The door assistant waits -1, which is to say for ever: neither range nor unit is shown.",
    fleet=fleets.FRIDGE_EQUIPPED.having({keys.ASSISTANT_TIMEOUT_FRIDGE: -1}), allowed=document.ASSISTANT)
odd(Service, "custom-color-in-words", "AMB-CUSTOM-SETTABLE",
    "The custom colour is no number sign with six digits.",
    fleet=fleets.MACHINE_LIT.having({keys.CUSTOM_COLOR: "rgb(74 136 248 / 50%)"}),
    allowed=document.CUSTOM_COLOR)
odd(Service, "texts-empty", "TYPE-STRING", "A map has no name and the custom colour is the empty text.",
    fleet=(fleets.ROBOT_NAMED.having({keys.MAP_NAME_1: "", keys.MAP_NAME_3: ""}),
        fleets.MACHINE_LIT.having({keys.CUSTOM_COLOR: ""})), allowed=document.MAP_NAMES)
odd(Service, "texts-of-any-kind", "TYPE-STRING",
    "A map is called by an emoji, line breaks and markup, another one like a number.",
    fleet=fleets.ROBOT_NAMED.having({keys.MAP_NAME_1: '🏠\n"Erdgeschoß" <b>\\0', keys.MAP_NAME_3: "1"}),
    allowed=document.MAP_NAMES)
odd(Service, "maps-apart", "ENUM-CURRENTMAP",
    "CurrentMap is the temporary map, LastSelectedMap another one, and that one has no name.",
    fleet=fleets.ROBOT_NAMED.having({keys.CURRENT_MAP: f"{keys.MAP_FAMILY}.TempMap",
        keys.LAST_MAP: f"{keys.MAP_FAMILY}.Map2"}), allowed=document.MAPS)
odd(Service, "map-named-vendor", "ADDR-VENDOR",
    "Where the maker is called Acme, somebody called one map Vendor.Room and another one On: names, and "
    "neither keys nor values.", vendor="Acme",
    fleet=fleets.ROBOT_NAMED.having({keys.MAP_NAME_1: "Vendor.Room", keys.MAP_NAME_3: "On"}),
    allowed=document.MAP_NAMES)
odd(Service, "charging-disconnected", "ENUM-BATTCHARGE",
    "The robot charges although it is not connected: on another charger.", fleet=_CHARGED,
    allowed=document.CHARGING)
odd(Service, "discharging-connected", "ENUM-CHARGECONN",
    "The robot discharges although it is connected: it has been full for a while.", fleet=_DISCHARGED,
    allowed=document.CHARGING)
written((refuses_where(lambda _its, _key, value: isinstance(value, float), INVALID_VALUE),
        _pointed("Integer")), "integers-with-point-not-taken",
    "RANGE-WRITE-BOUNDS", "AlarmClock is shown as 5.0, and is refused unless it is written as 5.",
    fleet=fleets.TIMED_OVEN.only(keys.ALARM_CLOCK, keys.POWER_STATE), allowed=document.NUMBERS)
odd(_labelled('application/json;charset="UTF-8"'), "charset-parameter", "PROT-SHAPE",
    "The media type has a parameter, in quotes.", fleet=fleets.FRIDGE, allowed=document.PAYLOADS)
odd(_labelled("application/vnd.acme.sdk.v1+json"), "media-type-of-the-maker", "ADDR-UNVERSIONED",
    "The media type is the maker's own and carries a version, which is none of the path.",
    fleet=fleets.FRIDGE, allowed=document.PAYLOADS)
odd(_labelled("text/json"), "media-type-text-json", "PROT-SHAPE", "The media type is text/json.",
    fleet=fleets.FRIDGE, allowed=document.PAYLOADS)
odd(_labelled("Application/JSON"), "media-type-capitals", "PROT-SHAPE", "The media type is Application/JSON.",
    fleet=fleets.FRIDGE, allowed=document.PAYLOADS)
odd(_labelled(None), "media-type-missing", "PROT-SHAPE", "Answers have no media type.", fleet=fleets.FRIDGE,
    allowed=document.PAYLOADS)
odd(_headed(API_Version="v1.2", Content_Location="/api/v1/homeappliances", Deprecation="true",
        Link='</api/v2/homeappliances>; rel="successor-version"'), "version-in-headers", "ADDR-UNVERSIONED",
    "Headers name versions, and a location with one beside a granted answer.", fleet=fleets.MACHINE,
    allowed=document.VERSIONS)
odd(_headed(Set_Cookie="hub=7; Path=/", ETag='"1"', Cache_Control="max-age=3600"), "cookies-and-caches",
    "READ-REPEAT", "Answers set a cookie and may be kept for an hour.", fleet=fleets.MACHINE,
    allowed=document.TRANSPORT)
odd(_headed(Connection="close"), "connection-closed", "PROT-SHAPE", "Every answer ends its connection.",
    fleet=fleets.FRIDGE, allowed=document.TRANSPORT)
odd(_headed(Transfer_Encoding="chunked"), "chunked", "PROT-SHAPE", "Bodies come in chunks, without a length.",
    fleet=fleets.FRIDGE, allowed=document.TRANSPORT)
odd(encodes(_indented), "pretty-printed", "PROT-SHAPE",
    "Bodies are indented, with spaces around colons and lines that end in CR LF.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), allowed=document.PAYLOADS)
odd(encodes(lambda body: dump(_reversed(json.loads(body)))), "members-reversed", "PROT-SHAPE",
    "The members of every object stand in reverse order, the value after its constraints.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_TWOFOLD), allowed=document.PAYLOADS)
odd(encodes(lambda body: json.dumps(json.loads(body)).encode()), "escaped-letters", "PROT-SHAPE",
    "Everything outside ASCII is escaped, as in \\u00b0C and K\\u00fcche.",
    fleet=(fleets.FRIDGE, fleets.ROBOT_NAMED), allowed=document.PAYLOADS)
odd(encodes(lambda body: body.replace(b"V", rb"\u0056").replace(b"O", rb"\u004f")), "escaped-needlessly",
    "ENUM-KEYFORM",
    "Letters that need no escape have one: Vendor is sent as \\u0056endor, also inside values.",
    fleet=fleets.MACHINE, allowed=document.PAYLOADS)
odd(encodes(lambda body: _BYTE_ORDER_MARK + body), "byte-order-mark", "READ-VALUE",
    "Bodies begin with a byte order mark, which a parser may ignore.", fleet=fleets.FRIDGE,
    allowed=document.PAYLOADS)
odd(encodes(lambda body: _WHOLE.sub(rb'"value":\1E+0\2', body)), "numbers-with-exponent", "TYPE-INTEGER",
    "Whole numbers are written 5E+0, Integers and Doubles alike.",
    fleet=(fleets.COUNTING, fleets.TIMED_OVEN, fleets.FRIDGE), allowed=document.NUMBERS)
odd(amends(_compressed), "compressed-if-accepted", "PROT-SHAPE",
    "Bodies are compressed for a client that says it takes gzip.", fleet=fleets.FRIDGE,
    allowed=document.TRANSPORT)
odd(amends(lambda reply, _: replace(reply, delay_s=0.02)), "slow", "READ-SETTING",
    "Every answer takes a fiftieth of a second.", fleet=fleets.MACHINE, allowed=document.TRANSPORT)
odd(amends(lambda reply, _: replace(reply, status=203) if (reply.status, reply.stream) == (200, None) else
        reply), "success-not-authoritative", "PROT-ERRORS",
    "Reads are granted with status 203.", fleet=fleets.MACHINE, allowed=document.ERRORS)
