"""Services without HTTP: written to and read, told from the reference, with a conforming twin of a mutant."""

import json
from collections.abc import Iterator
from typing import Any, cast

from conformance.mutants.model import Mutant, Variant
from conformance.reference.appliance import Appliance
from conformance.reference.clock import Clock
from conformance.reference.profile import truthful_profile
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply


class Bench:
    """A service whose clock stands, and a hand that writes and reads."""

    def __init__(self, service: type[Service]) -> None:
        self.service = service(clock=Clock(running=False))
        self.first = next(iter(self.service.appliances))
        self.answer = 0

    def appliance(self, ha_id: str = "") -> Appliance:
        """The appliance with the identifier, or the first."""
        return self.service.appliances[ha_id or self.first]

    def key(self, name: str, ha_id: str = "") -> str:
        """The one key of the appliance that ends with `name`."""
        (found,) = (key for key in self.appliance(ha_id).values if key.endswith(f".{name}"))
        return found

    def ask(self, method: str, segment: str, key: str, body: bytes = b"", ha_id: str = "") -> Reply:
        """Send one request about a key, or about all of a segment."""
        path = f"/api/homeappliances/{ha_id or self.first}/{segment}/{key}".removesuffix("/")
        return self.service.handle(Incoming(method, path, headers={"host": "localhost"}, body=body))

    def do(self, step: str) -> int:
        """Take one step; the status of the answer, 0 for none.

        Args:
            step: `Key=value`, with the end of a key and a JSON value, a text or the short name of an
                enumeration value; `status Key=value` writes under status, `Key@haId=value` to another
                appliance than the first; `get Key` reads; `touch`, `dustbox` and `advance` are what a person
                does, and `after 0.5` lets so many seconds pass.
        """
        orders = {
            "touch": {"ha_id": self.first},
            "dustbox": {"ha_id": self.first, "inserted": False},
            "advance": {"seconds": 900},
        }
        if step in orders:
            body = json.dumps(orders[step]).encode()
            return self.service.handle(Incoming("POST", f"/_reference/{step}", body=body)).status
        if step.startswith("after "):
            self.service.clock.advance(float(step.removeprefix("after ")))
            return 0
        if step.startswith("get "):
            return self.ask("GET", "settings", self.key(step.removeprefix("get "))).status
        place, _, text = step.partition("=")
        segment, _, named = place.rpartition(" ")
        name, _, ha_id = named.partition("@")
        key = self.key(name, ha_id)
        try:
            json.loads(text)
        except ValueError:
            family = self.service.entries[key].family
            text = json.dumps(f"{family}.{text}" if family else text)
        body = f'{{"data": {{"key": {json.dumps(key)}, "value": {text}}}}}'.encode()
        reply = self.ask("PUT", segment or "settings", key, body, ha_id)
        self.answer = 0 if reply.drop else reply.status
        return self.answer

    def read(self, what: str, ha_id: str = "") -> Any:
        """What one can see now.

        Args:
            what: `Key` for its value, with enumeration values as short names; `segment Key` for the value
                under a segment; `Key listed` for the value in the list of its segment; `Key unit` for another
                member of the entry or of its constraints, None if there is none; `Key answer` for the status
                of the answer, 0 for none; `answer` for that of the last write; `profile field` for what the
                truthful profile says of the appliance. `Key@haId` and `profile@haId` are about another
                appliance than the first.
            ha_id: that other appliance, in place of `@haId`.
        """
        if what == "answer":
            return self.answer
        segment, _, rest = (
            what.rpartition(" ") if what.startswith(("settings ", "status ")) else ("", "", what)
        )
        named, _, member = rest.partition(" ")
        name, _, at = named.partition("@")
        ha_id = at or ha_id
        if name == "profile":
            return self.table(ha_id).get(member)
        entry = self.service.entries[self.key(name, ha_id)]
        if member == "listed":
            reply = self.ask("GET", segment or entry.segment, "", ha_id=ha_id)
            items = json.loads(reply.body)["data"][segment or entry.segment]
            return {item["key"]: item["value"] for item in items}.get(entry.key)
        reply = self.ask("GET", segment or entry.segment, entry.key, ha_id=ha_id)
        if member == "answer":
            return 0 if reply.drop else reply.status
        members = json.loads(reply.body)["data"]
        shown = (members | members["constraints"]).get(member or "value")
        return shown.rpartition(".")[2] if entry.family and isinstance(shown, str) else shown

    def table(self, ha_id: str = "") -> dict[str, Any]:
        """What the whole truthful profile says of an appliance."""
        tables = cast("list[dict[str, Any]]", truthful_profile(self.service, "http://here")["appliance"])
        return next(table for table in tables if table["ha_id"] == (ha_id or self.first))

    def everything(self) -> list[Reply]:
        """What every key of every appliance answers, under the segments it has it under."""
        return list(self._answers())

    def _answers(self) -> Iterator[Reply]:
        for appliance in self.service.appliances.values():
            for key in appliance.values:
                for segment in appliance.spec.segments(self.service.entries[key]):
                    yield self.ask("GET", segment, key, ha_id=appliance.ha_id)


def twin(judged: Mutant | Variant) -> type[Service]:
    """The reference with the appliances, the maker and the name of a mutant or a variant."""
    own = judged.service
    return type("Twin", (Service,), {"fleet": own.fleet, "vendor": own.vendor, "name": own.name})


def played(service: type[Service], steps: str) -> Bench:
    """A service after steps with `; ` between them, with everything read before them and after each."""
    bench = Bench(service)
    bench.everything()
    for step in filter(None, steps.split("; ")):
        bench.do(step)
        bench.everything()
    return bench


def overridden(service: type[Service]) -> set[str]:
    """The methods of the reference that a service replaces, itself or through a shape."""
    above = service.__mro__[: service.__mro__.index(Service)]
    return {
        name
        for layer in above
        for name, member in vars(layer).items()
        if callable(member) and hasattr(Service, name)
    }


def values_of(service: Service) -> dict[tuple[str, str], Json]:
    """Every value of every appliance, also one that it does not show."""
    return {
        (ha_id, key): value
        for ha_id, appliance in service.appliances.items()
        for key, value in appliance.values.items()
    }


def held_by(service: Service) -> dict[tuple[str, str], str]:
    """What the settings of a server are once all effects have come, -0.0 told from 0."""
    service.clock.advance(5)
    service.tick()
    return {place: repr(value) for place, value in service.settings().items()}
