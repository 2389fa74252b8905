"""Servers that conform, each with a wire of its own."""

from collections.abc import Callable
from typing import ClassVar

from msgspec.structs import replace

from catalog.model import Entry, Segment
from conformance.mutants import fleets
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.service import Service
from conformance.reference.wire import (
    INVALID_TOKEN,
    UNKNOWN_PATH,
    Incoming,
    Json,
    Members,
    Refusal,
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

    def admits(self, request: Incoming) -> Refusal | None:
        """Only with the token."""
        return None if self.is_known(request) else INVALID_TOKEN

    def is_known(self, request: Incoming) -> bool:
        """Whether a request shows it."""
        return request.headers.get("authorization") == f"Bearer {SECRET}"


def wraps(document: Callable[[Members], Json], base: type[Guarded] = Guarded) -> type[Guarded]:
    """A server whose document of an entry is what the function makes of its members."""

    class Wraps(base):
        def wrap(self, members: Members) -> Json:
            return document(members)

    return Wraps


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
