"""JSON bodies that are odd, deep, long or ambiguous, and writes that are lost or cannot be taken back.

What cannot be put back ends a run with 5 and is said first. What was put back does not, whatever the answers
looked like.
"""

import json
from collections.abc import Callable
from functools import cache, partial
from http import HTTPStatus

from catalog.keys import ALARM_CLOCK, CHILD_LOCK, CUSTOM_COLOR, MAP_NAME_1, ON, POWER_STATE
from conformance.mutants.hostile.messages import bomb, coded_as
from conformance.mutants.hostile.model import (
    GARBLED,
    MUCH_OPEN,
    NOTHING_LEARNED,
    NOTHING_WRONG,
    Answer,
    Ending,
    Hostile,
    Lamp,
    Outcome,
    Oven,
    Piece,
    Robot,
)
from conformance.mutants.hostile.replies import always, conforming, framed, granted, moved, only, spoiled
from conformance.mutants.shapes.writes import refuses_where
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Json


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
    """The same body for every request, made when it is sent first."""
    made = cache(lambda: framed(200, make()))
    return lambda _asked: (made(),)


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
# fmt: on

OWED = Outcome(exit=5)
NO_TEXT = Outcome(exit=1, fails=frozenset({"TYPE-STRING"}))
_LOCK = {"write": {"allow": [CHILD_LOCK]}}


def _refusing(when: Callable[[Appliance, str, Json], bool]) -> type[Service]:
    """An oven that refuses writes where the function says so."""
    layers: list[type[Service]] = [refuses_where(when), Oven]
    return type("Refusing", tuple(layers), {})


class Reverting(Oven):
    """A write is acknowledged and can be read once, and then the old value is back."""

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:
        appliance.kept[key] = value

    def value(self, appliance: Appliance, key: str) -> Json:
        return appliance.kept.pop(key, super().value(appliance, key))


def _after_a_write(*pieces: Piece) -> Answer:
    """These pieces for every request after the first write."""
    return lambda asked: (
        pieces if any(one.request.method == "PUT" for one in asked.earlier) else conforming(asked)
    )


def _colored(text: str) -> Answer:
    """The custom colour is a text of JSON, as it stands in the body, until one is written."""
    found = _value(text, CUSTOM_COLOR)
    taken = ("PUT", CUSTOM_COLOR, HTTPStatus.NO_CONTENT)
    return lambda asked: (
        conforming(asked)
        if any((one.request.method, one.key, one.reply.status) == taken for one in asked.earlier)
        else found(asked)
    )


def _on_writes(answer: Answer) -> Answer:
    """Writes take effect, and are answered otherwise."""
    return lambda asked: answer(asked) if asked.request.method == "PUT" else conforming(asked)


_writing = partial(Hostile, knowledge="full", profile=_LOCK, level="write")
_coloring = partial(
    _writing, outcome=NOTHING_WRONG, service=Lamp, profile={"write": {"allow": [CUSTOM_COLOR]}}, whole=True
)
_BOMB = partial(bomb, 256)

# fmt: off
FALSE_WRITES = (
    _writing("write-silent", "Writes take effect and are never answered.", _on_writes(always()),
        NOTHING_WRONG),
    _writing("write-reset", "Writes take effect, and their connection is reset.",
        _on_writes(always(Ending.RESET)), NOTHING_WRONG),
    _writing("write-bomb", "Writes take effect and are answered with 256 MB in 256 kB.",
        _on_writes(coded_as("gzip", _BOMB)), NOTHING_WRONG),
    _writing("write-elsewhere", "Writes take effect, and are to be made again on another host.",
        _on_writes(moved("http://localhost:{port}{path}", 307)), NOTHING_WRONG),
    _coloring("found-shell", "The value that has to be put back is a command of a shell.",
        _colored(r'"$(touch hITmArK)`touch hITmArK`' + r"'; touch hITmArK #" + '"')),
    _coloring("found-lines", "The value that has to be put back has lines, an escape sequence and NUL.",
        _colored(r'"a\n::error::hITmArK\r\u001b[2J\u0000"')),
    _coloring("found-number", "The value that has to be put back is a number of 5,000 digits.",
        _colored("9" * 5000), outcome=NO_TEXT),
    _coloring("found-nan", "The value that has to be put back is NaN.", _colored("NaN"), outcome=NO_TEXT),
    _coloring("found-deep", "The value that has to be put back is 500 arrays, one in the other.",
        _colored("[" * 500 + "]" * 500), outcome=MUCH_OPEN),
    _writing("write-off-for-good", "Once it is switched off, nothing can be written.", conforming,
        Outcome(exit=5, fails=frozenset({"PWR-STANDBY-ON"})),
        service=_refusing(lambda its, _key, _value: its.values[POWER_STATE] != ON),
        profile={"write": {"allow": [POWER_STATE, CHILD_LOCK]}}, level="power", whole=True),
    _writing("write-lock-for-good", "A lock that was switched on cannot be switched off.", conforming,
        Outcome(exit=5, fails=frozenset({"SET-WRITABLE"})),
        service=_refusing(lambda _, key, value: key == CHILD_LOCK and value is False)),
    _writing("write-reverts", "Each write is acknowledged, can be read once, and is gone.", conforming,
        Outcome(exit=1, fails=frozenset({"SET-WRITABLE"})), service=Reverting),
    _writing("write-kills", "After the first write nothing is answered any more.",
        _after_a_write(Ending.CLOSE), OWED, whole=True),
    _writing("write-locks-out", "After the first write everything is 403.",
        _after_a_write(framed(403, b'{"error":{"key":"403"}}')), OWED),
)
