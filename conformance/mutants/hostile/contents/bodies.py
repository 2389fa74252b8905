"""JSON bodies in odd encodings, deep, long, enormous or ambiguous, and media types that name them wrongly."""

import json
from collections.abc import Callable

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, MAP_NAME_1, ON, POWER_STATE
from conformance.mutants.hostile.model import (
    GARBLED,
    MUCH_OPEN,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    Answer,
    Hostile,
    Outcome,
    Robot,
)
from conformance.mutants.hostile.replies import framed, granted, only, spoiled


def _labelled(charset: str, recode: Callable[[bytes], bytes] = bytes) -> Answer:
    """The bodies of a conforming server, changed by a function and called by the name of a charset."""
    media_type = f"application/json; charset={charset}"
    return spoiled(lambda reply: (framed(reply.status, recode(reply.body), media_type=media_type),))


# fmt: off
CHARSETS = (
    Hostile("charset-punycode",
        "The media type names a charset whose codec takes minutes for long texts.",
        _labelled("punycode"), NOTHING_WRONG),
    Hostile("charset-utf-16", "The media type names a charset in which two bytes are a letter.",
        _labelled("utf-16"), NOTHING_WRONG),
    Hostile("encoded-utf-16", "Bodies are UTF-16 with a byte order mark, and are called so.",
        granted(_labelled("utf-16", lambda body: body.decode().encode("utf-16"))), NOTHING_WRONG),
)
# fmt: on


def _body(make: Callable[[], bytes]) -> Answer:
    """The same body for every request, made when it is sent."""
    return lambda _asked: (framed(200, make()),)


def _value(text: str, key: str = CHILD_LOCK) -> Answer:
    """This text of JSON as the value of a key."""
    body = f'{{"data":{{"key":"{key}","value":{text}}}}}'
    return only(_body(body.encode), key)


def _advertised(values: list[str]) -> Answer:
    """PowerState with a list of allowed values."""
    data = {"data": {"key": POWER_STATE, "value": ON, "constraints": {"allowedvalues": values}}}
    return only(_body(lambda: json.dumps(data).encode()), POWER_STATE)


# fmt: off
JSON_EXTREMES = (
    Hostile("arrays-nested", "Every body is a million arrays, one in the other.",
        _body(lambda: b"[" * 1_000_000 + b"]" * 1_000_000), NOTHING_LEARNED),
    Hostile("arrays-nested-for-one", "The body for one setting is a million arrays, one in the other.",
        only(_body(lambda: b"[" * 1_000_000 + b"]" * 1_000_000)), MUCH_OPEN),
    Hostile("arrays-nested-in-value", "The value of one setting lies in 5,000 arrays, in few bytes.",
        _value("[" * 5_000 + "true" + "]" * 5_000), MUCH_OPEN),
    Hostile("objects-nested-for-one", "The body for one setting is 200,000 objects, one in the other.",
        only(_body(lambda: b'{"data":' * 200_000 + b"1" + b"}" * 200_000)), MUCH_OPEN),
    Hostile("member-twice", "The body for one setting has two values, one right and one wrong.",
        only(_body(lambda: b'{"data":{"value":true,"value":"x"}}')), GARBLED),
    Hostile("nul-plain", "A name holds NUL, unescaped, as JSON forbids.",
        _value('"a\0b"', MAP_NAME_1), GARBLED, service=Robot, whole=True),
    Hostile("surrogate-alone", "A name holds half of a surrogate pair, which no file can hold as it is.",
        _value(r'"a\ud800b"', MAP_NAME_1), GARBLED, service=Robot, whole=True),
    Hostile("number-of-digits", "An Integer has 100,000 digits, which take Python minutes to print.",
        _value("9" * 100_000, ALARM_CLOCK), Outcome(exit=1, fails=frozenset({"TYPE-FINITE"})), whole=True),
    Hostile("number-nan", "An Integer is NaN, which is no JSON and which Python reads.",
        _value("NaN", ALARM_CLOCK), Outcome(exit=1, fails=frozenset({"TYPE-FINITE"})), whole=True),
    Hostile("values-allowed-repeated", "90,000 allowed values are advertised, all of them right.",
        _advertised([ON] * 90_000), MUCH_OPEN),
    Hostile("values-allowed-foreign", "2,000 values are advertised that the document does not have.",
        _advertised([f"{ON}{n}" for n in range(2000)]),
        Outcome(exit=1, fails=frozenset({"ENUM-ADVERTISED"})), whole=True),
    Hostile("text-of-ten-megabytes", "The name of a map has ten million letters.",
        _value(f'"{"x" * 10_000_000}"', MAP_NAME_1), MUCH_OPEN, service=Robot, whole=True),
    Hostile("value-of-a-hundred-kilobytes",
        "A Boolean is a text of a hundred thousand letters, which every report would quote.",
        _value(f'"{"z" * 100_000}"'), Outcome(exit=1, fails=frozenset({"TYPE-BOOLEAN"})), whole=True),
)
