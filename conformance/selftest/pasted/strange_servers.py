"""Servers that conform, each with a wire of its own, and the line that somebody has for it.

The lines were written down before the inference was tuned, and nobody looked at the second table meanwhile.
"""

from collections.abc import Mapping
from typing import Any, ClassVar

from msgspec import Struct
from msgspec.structs import replace

from catalog import keys
from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.mutants.shapes.reads import wraps
from conformance.pasted.trying import Said
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.service import Service
from conformance.reference.wire import (
    INVALID_TOKEN,
    UNKNOWN_PATH,
    Incoming,
    Json,
    Members,
    Reply,
    Route,
    dump,
)

SECRET = "tok-4711-kept-out-of-files"
COOKIE = "sid-0815-also-kept-out"
LOGIN = "colleague:pass-4711-word"


class Guarded(Service):
    """Lets those in who show its token."""

    vendor: ClassVar[str] = "BSH"

    def answer(self, request: Incoming) -> Reply:
        """Only with the token."""
        return super().answer(request) if self.is_known(request) else self.refuse(INVALID_TOKEN)

    def is_known(self, request: Incoming) -> bool:
        """Whether a request shows it."""
        return request.headers.get("authorization") == f"Bearer {SECRET}"


def bounds(members: Members) -> tuple[Json, Json, Json]:
    """Least, most and step of an entry; None where it has none."""
    limits = members["constraints"]
    assert isinstance(limits, dict)
    return limits.get("min"), limits.get("max"), limits.get("stepsize")


def options(members: Members) -> list[Json]:
    """The values that an entry lists."""
    limits = members["constraints"]
    assert isinstance(limits, dict)
    listed = limits.get("allowedvalues")
    return listed if isinstance(listed, list) else []


def without_nulls(members: Members) -> Members:
    """Those members that say something."""
    return {name: value for name, value in members.items() if value not in (None, [], {})}


class EnvelopeOfEachSegment(Guarded):
    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        return {
            "setting" if segment == "settings" else "status": super().body(appliance, segment, entry, value)
        }

    def wrap(self, members: Members) -> Json:
        return members


class TwoOfThem(Guarded):
    def portrait(self, appliance: Appliance) -> Members:
        is_away = appliance.ha_id != self.fleet[-1].ha_id
        return {**super().portrait(appliance), "connected": not is_away}


class OfABrowser(Guarded):
    def is_known(self, request: Incoming) -> bool:
        return f"sid={COOKIE}" in request.headers.get("cookie", "")

    def body(self, appliance: Appliance, segment: Segment, entry: Entry, value: Json) -> Members:
        members = super().body(appliance, segment, entry, value)
        if segment == "settings":
            return members
        return {"id": members["key"], "state": {"value": members["value"], "unit": members.get("unit", "")}}


class Maps(Guarded):
    def answer(self, request: Incoming) -> Reply:
        if request.path == "/api/homeappliances" and self.is_known(request):
            return Reply(200, dump({one.ha_id: {"model": "X1", "online": True} for one in self.fleet}))
        return super().answer(request)

    def list(self, appliance: Appliance, segment: Segment) -> Reply:
        served = [self.entries[key] for key in appliance.values if self.serves(appliance, segment, key)]
        items = {
            self.spell(appliance, entry.key): {"current": self.value(appliance, entry.key)}
            for entry in served
        }
        return Reply(200, dump(items))

    def wrap(self, members: Members) -> Json:
        low, high, _ = bounds(members)
        flat = {
            "current": members["value"],
            "unit": members.get("unit"),
            "range": [] if low is None else [low, high],
            "choices": options(members),
        }
        return {"name": members["key"], **without_nulls(flat)}


def deep(members: Members) -> Json:
    low, high, step = bounds(members)
    limits = without_nulls({"lower": low, "upper": high, "increment": step})
    state = {"current": members["value"], "since": 1_732_000_000, "unit": members.get("unit")}
    entry = {"key": members["key"], "state": without_nulls(state), "limits": limits}
    return {"result": {"code": 0, "payload": {"entry": without_nulls(entry)}}}


class WithoutLists(Guarded):
    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        return self.refuse(UNKNOWN_PATH) if route.key is None else super().visit(request, appliance, route)


def among_decoys(members: Members) -> Json:
    value = members["value"]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return {
        "ok": True,
        "key": members["key"],
        "value": value,
        "previous": 17 if number else value,
        "default": 5 if number else value,
        "changed": 1_732_000_000,
        "revision": 42,
        "unit": members.get("unit", ""),
        "type": members["type"],
        "name": "Name of the entry",
    }


class OnlyIds(Guarded):
    def is_known(self, request: Incoming) -> bool:
        return request.headers.get("authorization", "").startswith("Basic ")

    def answer(self, request: Incoming) -> Reply:
        if request.path == "/api/homeappliances" and self.is_known(request):
            return Reply(200, dump([one.ha_id for one in self.fleet]))
        return super().answer(request)


def at(
    service: type[Service], *fleet: ApplianceSpec, layers: tuple[type[Service], ...] = ()
) -> type[Service]:
    """The server with these appliances, and with layers over it."""
    return type(service.__name__, (*layers, service), {"fleet": fleet, "__module__": __name__})


def called(spec: ApplianceSpec, ha_id: str) -> ApplianceSpec:
    """The appliance under another haId."""
    return replace(spec, ha_id=ha_id)


FRIDGE = called(fleets.FRIDGE, "BOSCH-KAD90VI20-68A40E123456")
OVEN = called(fleets.TIMED_OVEN, "SIEMENS-HB676GBS6-68A40E000001")
COFFEE = called(fleets.COUNTING, "401020304050607081")
ROBOT = called(fleets.ROBOT_TWOFOLD, "BOSCH-BCR1ACG-68A40E0000AA")


# The line for each, and where the server truly shows what.
SETTING = "api/homeappliances/{ha_id}/settings"
BEARER = f"curl -H 'Authorization: Bearer {SECRET}' "
USUAL = dict(Service.answer_pointers)
BROWSER = (
    "curl '{url}/api/homeappliances/{ha_id}/status/BSH.Common.Status.DoorState' \\\n"
    "  -H 'accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' \\\n"
    "  -H 'accept-language: de-DE,de;q=0.9,en;q=0.8' \\\n"
    "  -H 'cache-control: max-age=0' \\\n"
    f"  -b 'consent=yes; sid={COOKIE}' \\\n"
    "  -H 'dnt: 1' \\\n"
    "  -H 'if-none-match: W/\"1-2\"' \\\n"
    "  -H 'priority: u=0, i' \\\n"
    "  -H 'referer: https://hub.example/' \\\n"
    '  -H $\'sec-ch-ua: "Chromium";v="142", "It\\\'s";v="99"\' \\\n'
    "  -H 'sec-fetch-mode: navigate' \\\n"
    "  -H 'upgrade-insecure-requests: 1' \\\n"
    "  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36' \\\n"
    "  --compressed --insecure"
)


class Strange(Struct, frozen=True):
    """A server with a wire of its own, and the line that somebody has for it.

    Attributes:
        name, what: how it is called, and what is strange about it.
        service: the server.
        line: the line, with {url}, {host} and {ha_id} to be filled in.
        pointers: where it truly shows what.
        prefix: the path that its tree stands below.
        said: the fact that is typed beside the line, if one is.
        untold: the pointers that nothing in its answers tells.
    """

    name: str
    what: str
    service: type[Service]
    line: str
    pointers: Mapping[str, Any]
    prefix: str = ""
    said: Said = Said()
    untold: frozenset[str] = frozenset()

    @property
    def spec(self) -> ApplianceSpec:
        """The appliance that is meant: the last one of the server."""
        return self.service.fleet[-1]

    def pasted(self, base_url: str) -> str:
        """The line for the server at a base URL."""
        words = {
            "url": base_url + self.prefix,
            "host": base_url.partition("://")[2],
            "ha_id": self.spec.ha_id,
        }
        line = self.line
        for name, word in words.items():
            line = line.replace(f"{{{name}}}", word)
        return line


def moved(after: str, **others: str) -> dict[str, str]:
    """The usual pointers with another beginning, some of them elsewhere."""
    found = {name: pointer.replace("/data", after, 1) for name, pointer in USUAL.items()}
    return {**found, **others}


def only(pointers: Mapping[str, str], *names: str) -> dict[str, str]:
    """Some of these pointers."""
    return {name: pointers[name] for name in names}


POWER = f"{BEARER}{{url}}/{SETTING}/BSH.Common.Setting.PowerState"
_ENVELOPES = {**moved("/setting"), "status": only(moved("/status"), "value", "key", "type", "access")}
_UNRANGED = ("value", "key", "type", "allowed", "access", "description")
# fmt: off
TUNED = (
    Strange("plain", "The wire of the reference, of another maker.",
        at(Guarded, FRIDGE), POWER, USUAL),
    Strange("envelopes", "Settings and statuses have envelopes of their own.",
        at(EnvelopeOfEachSegment, FRIDGE), POWER,
        {**_ENVELOPES, "status": only(moved("/status"), *_UNRANGED)}),
    Strange("array", "The body is an array of the one entry.",
        at(Guarded, FRIDGE, layers=(wraps(lambda members: [members]),)), POWER, moved("/0")),
    Strange("bare", "The body is the value.",
        at(Guarded, FRIDGE, layers=(wraps(lambda members: members["value"]),)), POWER, {"value": ""}),
    Strange("prefix", "The tree of the document stands below a path.",
        at(Guarded, OVEN),
        f"curl -sS --oauth2-bearer {SECRET} '{{url}}/{SETTING}/BSH.Common.Setting.AlarmClock' | jq .", USUAL,
        prefix="/gateway/eu-1/hub"),
    Strange("list-of-settings", "The line asks for the list of settings.",
        at(Guarded, COFFEE), f"{BEARER}{{url}}/{SETTING}",
        only(USUAL, "value", "key", "unit", "type", "allowed", "access")),
    Strange("list-of-appliances", "The line asks for the list of appliances, of which the first is away.",
        at(TwoOfThem, FRIDGE, ROBOT), f"{BEARER}{{url}}/api/homeappliances", USUAL),
)
HELD_OUT = (
    Strange("browser", "A browser's line with a cookie; statuses are shaped otherwise.",
        at(OfABrowser, FRIDGE), BROWSER,
        {**USUAL, "status": {"value": "/data/state/value", "key": "/data/id"}}),
    Strange("maps", "Appliances and entries are listed as maps; the line has only the base URL.",
        at(Maps, FRIDGE), f"{BEARER}{{url}}",
        {"value": "/current", "key": "/name", "unit": "/unit", "min": "/range/0", "max": "/range/1",
         "allowed": "/choices"}, prefix="/hub", untold=frozenset({"min", "max"})),
    Strange("deep", "The value stands five levels down, beside a time.",
        at(Guarded, FRIDGE, layers=(wraps(deep),)), POWER,
        {"value": "/result/payload/entry/state/current", "key": "/result/payload/entry/key",
         "unit": "/result/payload/entry/state/unit", "min": "/result/payload/entry/limits/lower",
         "max": "/result/payload/entry/limits/upper", "step": "/result/payload/entry/limits/increment"}),
    Strange("without-lists", "There are no lists, and the key of the line does not name the maker.",
        at(WithoutLists, FRIDGE), f"{BEARER}{{url}}/{SETTING}/{keys.SETPOINT}", USUAL,
        said=Said(vendor="BSH")),
    Strange("decoys", "Beside the value stand an earlier one, a default, a time, a revision.",
        at(Guarded, FRIDGE, layers=(wraps(among_decoys),)), POWER,
        {"value": "/value", "key": "/key", "unit": "/unit", "type": "/type", "description": "/name"}),
    Strange("equals", "The value stands beside the one before, and nothing tells them apart.",
        at(Guarded, FRIDGE,
            layers=(wraps(lambda its: {"of": its["key"], "is": its["value"], "was": its["value"]}),)), POWER,
        {"value": "/is", "key": "/of"}, said=Said(value="/is")),
    Strange("only-ids",
        "Name and password stand in the address, and appliances are listed by their haId alone.",
        at(OnlyIds, OVEN), f"curl http://{LOGIN}@{{host}}/api/homeappliances", USUAL),
)
