"""One service: requests in, replies out, on a fleet, a clock and a state of its own.

A request goes down this path. Every name is a method that a mutant may override alone:

    answer        the whole request
      route       the path                     find         the appliance of a haId
      visit       what is asked of it
        read      one entry                    write        one setting
          serves  is it there                    writable   may it be written at all
          value   its value                      decode     the value that is wanted
          body    the members                    accepts    may it have this value, now
            label, unit, constraints               fits_type, is_member, is_within, locked_by, moves_power
            bounds, allowed, spell_value         normal     the value that is kept
          wrap    the document                   apply      it takes effect
          encode  the bytes                        change, follow, operation_state, convert
        list      several entries                acknowledge  the answer
        events    the stream                   refuse       every answer that grants nothing

The methods come from four layers, `household`, `gatekeeper`, `presenter` and this one. All are
synchronous, and `handle` holds the lock of the service around them. Keys and values are spelled
with the segment Vendor everywhere between `decode` and `body`; an appliance is always the first argument.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar
from urllib.parse import unquote

from catalog import keys
from catalog.loader import CATALOG
from catalog.model import Segment
from conformance.reference import control
from conformance.reference.appliance import Appliance, ApplianceSpec
from conformance.reference.presenter import Presenter
from conformance.reference.wire import (
    MALFORMED,
    READ_ONLY_PATH,
    UNKNOWN_APPLIANCE,
    UNKNOWN_PATH,
    UNSUPPORTED,
    WRONG_METHOD,
    Incoming,
    Json,
    Reply,
    Route,
    dump,
    parse,
)


class Service(Presenter):
    """The whole service of the document; without a `clock` it lives by one of its own, which runs.

    Attributes:
        name: what the service is called, in its profile too.
        profile_extras: tables that `truthful_profile` lays over what it derives, at every knowledge.
    """

    name: ClassVar[str] = "reference"
    profile_extras: ClassVar[Mapping[str, object]] = MappingProxyType({})

    def handle(self, request: Incoming) -> Reply:
        """Answer one request under the lock of the service, at the time its clock shows."""
        with self.lock:
            self.tick()
            if request.path.startswith(control.ROOT):
                refusal = control.steer(self, request)
                return Reply(204, media_type=None) if refusal is None else self.refuse(refusal)
            return self.answer(request)

    def answer(self, request: Incoming) -> Reply:
        """Answer one request of the /api tree, of anybody; authentication is not shown (line 155)."""
        route = self.route(request)
        if route is None:
            return self.refuse(UNKNOWN_PATH)
        if request.method != "GET" and (request.method != "PUT" or route.key is None):
            return self.refuse(READ_ONLY_PATH if route.key is None else WRONG_METHOD)
        if route.ha_id is None:
            all_of_them = {"homeappliances": [self.portrait(one) for one in self.appliances.values()]}
            return self.events(None) if route.place == "events" else self.show(all_of_them)
        appliance = self.find(route.ha_id)
        if appliance is None:
            return self.refuse(UNKNOWN_APPLIANCE)
        return self.visit(request, appliance, route)

    def visit(self, request: Incoming, appliance: Appliance, route: Route) -> Reply:
        """Answer a request for one appliance."""
        if route.place is None:
            return self.show(self.portrait(appliance))
        if route.place == "events":
            return self.events(appliance)
        if route.key is None:
            return self.list(appliance, route.place)
        key = self.canonical(appliance, route.key)
        if request.method == "PUT":
            return self.write(appliance, route.place, key, request.body)
        return self.read(appliance, route.place, key)

    def route(self, request: Incoming) -> Route | None:
        """Take the path apart (lines 146 and 147); None if nothing is there. Queries are ignored."""
        match [unquote(part) for part in request.path.removeprefix("/").split("/")]:
            case ["api", "homeappliances"]:
                return Route()
            case ["api", "homeappliances", "events"]:
                return Route(place="events")
            case ["api", "homeappliances", ha_id] if ha_id:
                return Route(ha_id)
            case ["api", "homeappliances", ha_id, ("settings" | "status" | "events") as place] if ha_id:
                return Route(ha_id, place)
            case ["api", "homeappliances", ha_id, ("settings" | "status") as segment, key] if ha_id and key:
                return Route(ha_id, segment, key)
            case _:
                return None

    def read(self, appliance: Appliance, segment: Segment, key: str) -> Reply:
        """Answer with one entry (line 10); `key` is spelled with Vendor and may be anything."""
        if not self.serves(appliance, segment, key):
            return self.refuse(UNSUPPORTED[segment])
        members = self.body(appliance, segment, self.entries[key], self.value(appliance, key))
        return Reply(200, self.encode(self.wrap(members)))

    def list(self, appliance: Appliance, segment: Segment) -> Reply:
        """Answer with all entries of a segment; listing is not shown (line 151)."""
        served = [self.entries[key] for key in appliance.values if self.serves(appliance, segment, key)]
        return self.show({segment: [self.item(appliance, segment, entry) for entry in served]})

    def show(self, data: Json) -> Reply:
        """Answer with a document that is not about one entry."""
        return Reply(200, dump({"data": data}))

    def write(self, appliance: Appliance, segment: Segment, key: str, body: bytes) -> Reply:
        """Let a setting be written; how it is written is not shown (lines 150 and 151)."""
        absent = None if key in appliance.values else UNSUPPORTED[segment]
        refusal = absent or self.writable(appliance, segment, key)
        if refusal is not None:
            return self.refuse(refusal)
        try:
            value = self.decode(appliance, key, body)
        except ValueError:
            return self.refuse(MALFORMED)
        refusal = self.accepts(appliance, key, value)
        if refusal is not None:
            return self.refuse(refusal)
        self.apply(appliance, key, self.normal(appliance, key, value))
        return self.acknowledge(appliance, key)

    def decode(self, appliance: Appliance, key: str, body: bytes) -> Json:
        """The value a request wants written, spelled with Vendor.

        Raises:
            ValueError: the body is no JSON, has no value, or is about another key.
        """
        document = parse(body)
        data = document.get("data") if isinstance(document, dict) else None
        if (
            not isinstance(data, dict)
            or "value" not in data
            or data.get("key", self.spell(appliance, key)) != self.spell(appliance, key)
        ):
            raise ValueError("not a write of this key")
        value = data["value"]
        if self.entries[key].type == "Enumeration" and isinstance(value, str):
            return self.canonical(appliance, value)
        return value

    def acknowledge(self, appliance: Appliance, key: str) -> Reply:  # noqa: ARG002  a variant may answer with the entry
        """The answer to a write that took effect."""
        return Reply(204, media_type=None)

    def events(self, appliance: Appliance | None) -> Reply:
        """A stream of the events of one appliance, or of all (line 159 names neither channel nor kinds)."""
        subscription = self.channel.subscribe(None if appliance is None else appliance.ha_id, self.tick)
        return Reply(200, media_type="text/event-stream", stream=subscription)

    def claims(self, spec: ApplianceSpec) -> dict[str, object]:
        """What a truthful profile says an appliance has and lacks; a mutant still claims what it then breaks.

        These are the fields `supports`, `lacks`, `power_states`, `online` and, unless nobody says,
        `streaming_camera`, in the order of the catalog.
        """
        claims: dict[str, object] = {
            "supports": [key for key in self.entries if key in spec.values],
            "lacks": [entry.key for entry in CATALOG.of_kind(spec.kind) if entry.key not in spec.values],
            "online": True,
        }
        if keys.POWER_STATE in spec.values:
            claims["power_states"] = list(spec.power_states)
        if spec.camera is not None:
            claims["streaming_camera"] = spec.camera
        return claims

    def abilities(self, spec: ApplianceSpec) -> dict[str, object]:
        """What a truthful profile adds for a run that writes.

        These are the fields `writable`, `enum_subset` and `samples`, each only if there is something to say.
        """
        served = [entry for key, entry in self.entries.items() if key in spec.values]
        samples: dict[str, list[str]] = {}
        if any(key in spec.values for key in keys.MAP_NAMES):
            samples["map_name"] = ["Ground floor", "First floor"]
        if keys.CUSTOM_COLOR in spec.values:
            samples["custom_color"] = ["#4a88f8", "#00d1ff"]
        found: dict[str, object] = {
            "writable": [
                entry.key
                for entry in served
                if entry.segment == "settings" and entry.key not in spec.read_only
            ],
            "enum_subset": {
                entry.key: list(spec.subsets[entry.key]) for entry in served if entry.key in spec.subsets
            },
            "samples": samples,
        }
        return {field: facts for field, facts in found.items() if facts}
