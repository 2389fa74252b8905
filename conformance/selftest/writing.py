"""A service on a bench: a hand that writes, reads and touches, without HTTP, and the conforming twin of a mutant."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from conformance.reference.clock import Clock
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Reply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.mutants.model import Mutant
    from conformance.reference.appliance import Appliance


class Bench:
    """A service whose clock stands, and a hand that writes and reads."""

    def __init__(self, service: type[Service]) -> None:
        """Put the appliances there."""
        self.service = service(clock=Clock(running=False))
        self.first = next(iter(self.service.appliances))

    def appliance(self, ha_id: str = "") -> Appliance:
        """The appliance with the identifier, or the first."""
        return self.service.appliances[ha_id or self.first]

    def key(self, name: str, ha_id: str = "") -> str:
        """The one key of the appliance that ends with `name`."""
        (found,) = (key for key in self.appliance(ha_id).values if key.endswith(f".{name}"))
        return found

    def ask(self, method: str, segment: str, key: str, body: bytes = b"", ha_id: str = "") -> Reply:
        """Send one request about a key."""
        path = f"/api/homeappliances/{ha_id or self.first}/{segment}/{key}"
        return self.service.handle(Incoming(method, path, headers={"host": "localhost"}, body=body))

    def do(self, step: str) -> int:
        """Take one step; the status of the answer.

        Args:
            step: `Key=value`, with the end of a key and a JSON value or the short name of an enumeration value; `status
                Key=value` writes under status; `touch`, `dustbox` and `advance` are what a person does.
        """
        orders = {"touch": {"ha_id": self.first}, "dustbox": {"ha_id": self.first, "inserted": False}, "advance": {"seconds": 900}}
        if step in orders:
            body = json.dumps(orders[step]).encode()
            return self.service.handle(Incoming("POST", f"/_reference/{step}", body=body)).status
        place, _, text = step.partition("=")
        segment, _, name = place.rpartition(" ")
        key = self.key(name)
        try:
            value = json.loads(text)
        except ValueError:
            value = f"{self.service.entries[key].family}.{text}"
        return self.ask("PUT", segment or "settings", key, json.dumps({"data": {"key": key, "value": value}}).encode()).status

    def read(self, what: str, ha_id: str = "") -> Any:
        """The value of `Key`, its unit for `Key unit`, the value under a segment for `segment Key`; enumeration values as short names."""
        segment, _, rest = what.rpartition(" ") if what.startswith(("settings ", "status ")) else ("", "", what)
        name, _, member = rest.partition(" ")
        entry = self.service.entries[self.key(name, ha_id)]
        reply = self.ask("GET", segment or entry.segment, entry.key, ha_id=ha_id)
        shown = json.loads(reply.body)["data"][member or "value"]
        return shown.rpartition(".")[2] if entry.family and isinstance(shown, str) else shown

    def everything(self) -> list[Reply]:
        """What every key of every appliance answers, under the segments it has it under."""
        return list(self._answers())

    def _answers(self) -> Iterator[Reply]:
        for appliance in self.service.appliances.values():
            for key in appliance.values:
                for segment in appliance.spec.segments(self.service.entries[key]):
                    yield self.ask("GET", segment, key, ha_id=appliance.ha_id)


def twin(broken: Mutant) -> type[Service]:
    """The reference with the appliances of a mutant."""
    return type("Twin", (Service,), {"fleet": broken.service.fleet})


def played(service: type[Service], steps: str) -> Bench:
    """A service after a script, with everything read before it and after each step, as a suite would."""
    bench = Bench(service)
    bench.everything()
    for step in steps.split("; "):
        bench.do(step)
        bench.everything()
    return bench
