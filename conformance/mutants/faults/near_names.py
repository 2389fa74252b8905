"""Servers that take a name for one that it is near, or let something beside the name select what is read.

> path parameters haId (string) and settingKey (a setting key from the table)
"""

import posixpath
import re
from collections.abc import Callable
from difflib import SequenceMatcher
from fnmatch import fnmatchcase
from functools import partial
from urllib.parse import parse_qs, unquote

from msgspec.structs import replace

from catalog import keys
from catalog.model import Segment
from conformance.mutants.fleets import COUNTING, FRIDGE, MACHINE, OVEN_ALARM, ROBOT
from conformance.mutants.model import broken
from conformance.mutants.shapes.requests import ha_ids, paths, takes_ha_id
from conformance.reference.appliance import Appliance
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply, Route

_ROOT = "/api/homeappliances/"
_SIXTY = 60
_LIKE = 0.9
_CYRILLIC = (
    "\u0430\u0435\u0456\u043e\u0441\u0440\u0445\u0443\u0455\u0458\u0410"
    "\u0412\u0421\u0415\u041d\u0406\u041a\u041c\u041e\u0420\u0405\u0422\u0425"
)
_LATIN = str.maketrans(_CYRILLIC, "aeiocpxysjABCEHIKMOPSTX")
_GENERATED = {"pace": {"generated_reads": 60}}
"""Added to a profile: generated requests, as many as a target elsewhere is asked."""
_LONG = FRIDGE.only(keys.SETPOINT, keys.FREEZER_SETPOINT)
_TWO = (FRIDGE, replace(FRIDGE.having({keys.SETPOINT: 7, keys.FREEZER_SETPOINT: -21}), ha_id="fridge-9"))
_UNLIKE = (
    OVEN_ALARM.only(keys.ALARM_CLOCK, keys.DOOR_STATE),
    ROBOT.only(keys.CHARGING_STATE, keys.BATTERY_LEVEL),
)
_LOCK = MACHINE.only(keys.CHILD_LOCK, keys.DOOR_STATE)


def _takes_key(is_near: Callable[[str, str], bool]) -> type[Service]:
    """A key that is near one of the appliance is answered as that one."""

    class TakesKey(Service):
        def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
            known = [one for one in appliance.values if one == key or is_near(key, one)]
            return super().read(appliance, segment, known[-1] if known else key)

    return TakesKey


def _selects(named: Callable[[Incoming], str]) -> type[Service]:
    """An appliance that is named beside the path is asked instead."""

    class Selects(Service):
        def route(self, request: Incoming) -> Route | None:
            found, other = super().route(request), unquote(named(request))
            return replace(found, ha_id=other) if found and other in self.appliances else found

    return Selects


def _answers_method(method: str, change: Callable[[Appliance], None]) -> type[Service]:
    """A method that should only read changes the appliance, and is answered without a body."""

    class AnswersMethod(Service):
        def answer(self, request: Incoming) -> Reply:
            if request.method != method:
                return super().answer(request)
            route = self.route(request)
            appliance = self.find(route.ha_id) if route and route.ha_id else None
            if appliance is not None:
                change(appliance)
            return Reply(200, media_type=None)

    return AnswersMethod


def _counts(appliance: Appliance) -> None:
    appliance.values[keys.COFFEE_COUNT] = int(str(appliance.values[keys.COFFEE_COUNT])) + 1


def _toggles(appliance: Appliance, key: str = keys.CHILD_LOCK) -> None:
    appliance.values[key] = not appliance.values[key]


def _query(request: Incoming, name: str) -> str:
    return next(iter(parse_qs(request.query).get(name, [])), "")


def _decoded_twice(path: str) -> str:
    twice = re.sub(r"%25(2[EF])", r"%\1", path, flags=re.IGNORECASE)
    return path if twice == path else posixpath.normpath(unquote(twice))


class OriginalUrlFollowed(Service):
    def answer(self, request: Incoming) -> Reply:
        return super().answer(replace(request, path=request.headers.get("x-original-url", request.path)))


class QuerySelectsEntry(Service):
    def route(self, request: Incoming) -> Route | None:
        found, key = super().route(request), _query(request, "key")
        return replace(found, key=key) if found and key else found


class OtherCaseIsAnother(Service):
    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        others = (known for known in appliance.values if known.casefold() != key.casefold())
        return super().read(appliance, segment, next(others) if key in {key.upper(), key.lower()} else key)


def _answers_german(on: str, change: Callable[[Json], Json]) -> type[Service]:
    """Whoever asks in German gets the value of a key as the function makes it."""

    class AnswersGerman(Service):
        def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
            is_german = "de" in request.headers.get("accept-language", "")
            if request.method != "GET" or route.key != on or not is_german:
                return super().visit(request, appliance, route)
            entry = self.entries[on]
            members = self.body(appliance, entry.segment, entry, appliance.values[on])
            return Reply(200, self.encode(self.wrap({**members, "value": change(members["value"])})))

    return AnswersGerman


class LanguageSwitchesTheLock(Service):
    def answer(self, request: Incoming) -> Reply:
        if request.headers.get("accept-language", "").startswith("de"):
            for appliance in self.appliances.values():
                _toggles(appliance)
        return super().answer(request)


class DoorSwitchesTheLock(Service):
    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        reply = super().read(appliance, segment, key)
        if key == keys.DOOR_STATE:
            _toggles(appliance)
        return reply


# A row of a table takes two or three lines; the formatter would make ten of them.
broken = partial(broken, profile=_GENERATED)

# fmt: off
broken("keys-by-prefix", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: key.startswith(known)),
    "A key that begins with a known one is answered as that.")
broken("keys-by-end", "ADDR-UNKNOWNKEY", "L0", MACHINE, _takes_key(lambda key, known: key.endswith(known)),
    "A key that ends with a known one is answered as that.")
broken("keys-by-likeness", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: SequenceMatcher(None, key, known).ratio() > _LIKE),
    "A key that is much like a known one is answered as that.")
broken("keys-cut-at-sixty", "ADDR-UNKNOWNKEY", "L0", _LONG,
    _takes_key(lambda key, known: key[:_SIXTY] == known[:_SIXTY]),
    "Of a key, only the first sixty characters are looked at.")
broken("keys-as-patterns", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: "_" in key and fnmatchcase(known, key.replace("_", "?"))),
    "A low line in a key stands for any letter, as in a query of a database.")
broken("keys-as-expressions", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: re.fullmatch(known, key) is not None),
    "The dots of a known key match any letter, as in a regular expression.")
broken("keys-end-at-null", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: key.partition("\0")[0] == known),
    "Of a key, only what stands before a null character is looked at.")
broken("keys-by-looks", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: key.translate(_LATIN) == known),
    "Letters of another script are taken for those that they look like.")
broken("keys-without-their-end", "ADDR-UNKNOWNKEY", "L0", MACHINE,
    _takes_key(lambda key, known: key.rpartition(".")[0] == known),
    "The last segment of a key is cut off like the extension of a file.")
broken("keys-in-any-order", "ADDR-UNKNOWNKEY", "L2", MACHINE,
    _takes_key(lambda key, known: sorted(key.split(".")) == sorted(known.split("."))),
    "The segments of a key may stand in any order.")
broken("ha-id-by-prefix", "ADDR-HAID", "L0", MACHINE,
    takes_ha_id(lambda ha_id, known: ha_id.startswith(known)),
    "A haId that begins with a known one is taken for it.")
broken("ha-id-as-pattern", "ADDR-HAID", "L0", MACHINE,
    takes_ha_id(lambda ha_id, known: "%" in ha_id and fnmatchcase(known, ha_id.replace("%", "*"))),
    "A percent sign in a haId stands for any letters, as in a query of a database.")
broken("ha-id-empty", "ADDR-HAID", "L0", MACHINE,
    paths(lambda path: path.replace(f"{_ROOT}/", f"{_ROOT}{MACHINE.ha_id}/", 1)),
    "An empty haId means the first appliance.")
broken("ha-id-with-dots", "ADDR-HAID", "L0", _TWO, ha_ids(posixpath.normpath),
    "Encoded dot segments in a haId lead to another appliance.")
broken("paths-decoded-twice", "ADDR-HAID", "L0", _TWO, paths(_decoded_twice),
    "A path is decoded twice, so that dot segments which are encoded twice lead to another appliance.")
broken("query-selects-appliance", "ADDR-HAID", "L0", _TWO, _selects(lambda request: _query(request, "haId")),
    "A haId in the query counts before that of the path.")
broken("query-selects-another-kind", "ADDR-HAID", "L0", _UNLIKE,
    _selects(lambda request: _query(request, "haId")),
    "A haId in the query counts before that of the path, and no two appliances have an entry in common.")
broken("header-selects-appliance", "ADDR-HAID", "L0", _TWO,
    _selects(lambda request: request.headers.get("x-haid", "")),
    "A haId in a header counts before that of the path.")
broken("cookie-selects-appliance", "ADDR-HAID", "L0", _TWO,
    _selects(lambda request: request.headers.get("cookie", "").removeprefix("haId=")),
    "A haId in a cookie counts before that of the path.")
broken("original-url-followed", "ADDR-HAID", "L0", _TWO, OriginalUrlFollowed,
    "A header with the address before a proxy counts before the path.")
broken("query-selects-entry", "ADDR-SPECIFIC", "L0", MACHINE, QuerySelectsEntry,
    "A key in the query counts before that of the path.")
broken("query-selects-setpoint", "ADDR-KEY-LAST", "L2", _LONG, QuerySelectsEntry,
    "A key in the query counts before that of the path, on an appliance with two temperatures.")
broken("other-case-is-another", "ADDR-SPECIFIC", "L0", MACHINE.only(keys.OPERATION_STATE, keys.DOOR_STATE),
    OtherCaseIsAnother, "A key in capitals or in small letters is answered with another entry.")
broken("decimal-comma-in-german", "TYPE-FLOAT", "L0", ROBOT.only(keys.BATTERY_LEVEL, keys.MAP_NAME_1),
    _answers_german(keys.BATTERY_LEVEL, lambda value: f"{value},0"),
    "Whoever asks in German gets the battery level as a text with a comma.")
broken("charging-in-german", "ENUM-BATTCHARGE", "L0", ROBOT.only(keys.CHARGING_STATE, keys.MAP_NAME_1),
    _answers_german(keys.CHARGING_STATE, lambda _: "Lädt"),
    "Whoever asks in German gets the charging state as a German word.")
broken("per-mille-in-german", "RANGE-BATTERY", "L0", ROBOT.only(keys.BATTERY_LEVEL, keys.MAP_NAME_1),
    _answers_german(keys.BATTERY_LEVEL, lambda value: 10 * float(str(value))),
    "Whoever asks in German gets the battery level ten times as high.")
broken("head-counts", "READ-SAFE", "L0", COUNTING.only(keys.COFFEE_COUNT, keys.CUP_WARMER),
    _answers_method("HEAD", _counts), "Each HEAD advances a counter.")
broken("options-toggles", "READ-SAFE", "L0", _LOCK, _answers_method("OPTIONS", _toggles),
    "Each OPTIONS switches the child lock.")
broken("language-switches-the-lock", "READ-SAFE", "L0", _LOCK, LanguageSwitchesTheLock,
    "Whoever asks in German switches the child lock.")
broken("head-switches-the-warmer", "READ-SAFE", "L0", COUNTING.only(keys.COFFEE_COUNT, keys.CUP_WARMER),
    _answers_method("HEAD", lambda its: _toggles(its, keys.CUP_WARMER)),
    "Each HEAD switches the cup warmer, also that of a counter.")
broken("door-switches-the-lock", "READ-SAFE", "L0", _LOCK, DoorSwitchesTheLock,
    "Each read of DoorState switches the child lock.")
