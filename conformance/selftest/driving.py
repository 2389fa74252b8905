"""Steps that drive a service without HTTP: writes, reads, time that passes, and what its profile says.

A script is a row of steps; each asserts something. The clock of a driven service stands, so nothing depends on speed.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from urllib.parse import quote

from conformance.reference.clock import Clock
from conformance.reference.profile import truthful_profile
from conformance.reference.wire import Incoming, Reply

if TYPE_CHECKING:
    from catalog.model import Segment
    from conformance.reference.appliance import Appliance
    from conformance.reference.service import Service

GONE = 0
"""The status of an answer that never came."""

YES, NO = True, False
"""The two Booleans as a script names them: they are values here, and switch nothing in the call they stand in."""


class Driver:
    """Whoever talks to a service."""

    def __init__(self, service: type[Service]) -> None:
        """Start the service with a clock that stands."""
        self.service = service(clock=Clock(running=False))

    def appliance(self, ha_id: str) -> Appliance:
        """The appliance that is meant; the first one by default."""
        return self.service.appliances[ha_id] if ha_id else next(iter(self.service.appliances.values()))

    def ask(self, method: str, ha_id: str, segment: str, key: str, body: bytes = b"") -> tuple[int, Reply]:
        """A request about one key, and its status."""
        path = f"/api/homeappliances/{quote(self.appliance(ha_id).ha_id, safe='')}/{segment}/{quote(key, safe='')}"
        reply = self.service.handle(Incoming(method, path, body=body))
        return GONE if reply.drop else reply.status, reply

    def get(self, ha_id: str, key: str) -> tuple[int, dict[str, Any]]:
        """The status of a read, and the members of the entry, if it has any."""
        segment: Segment = self.service.entries[key].segment
        status, reply = self.ask("GET", ha_id, segment, key)
        document: dict[str, Any] = json.loads(reply.body) if status == 200 else {}
        return status, document.get("data", {})


Step: TypeAlias = Callable[[Driver], None]
Script: TypeAlias = "tuple[Step, ...]"


def put(key: str, value: object, status: int = 204, *, on: str = "", at: str = "settings") -> Step:
    """Writing the value is answered with this status."""

    def step(driver: Driver) -> None:
        answered, _ = driver.ask("PUT", on, at, key, _document(key, value))
        assert answered == status, f"{key} = {value!r} is answered {answered}, not {status}"

    return step


def echoes(key: str, value: object, status: int, said: bytes, *, at: str = "settings") -> Step:
    """Writing the value is answered with this status, and with these bytes somewhere in the body."""

    def step(driver: Driver) -> None:
        answered, reply = driver.ask("PUT", "", at, key, _document(key, value))
        assert answered == status
        assert said in reply.body

    return step


def shows(key: str, value: object, *, on: str = "") -> Step:
    """Reading the key shows the value."""

    def step(driver: Driver) -> None:
        status, members = driver.get(on, key)
        assert (status, members.get("value")) == (200, value)
        assert isinstance(members["value"], bool) == isinstance(value, bool)

    return step


def hides(key: str, status: int, *, on: str = "") -> Step:
    """Reading the key is answered with this status and no value."""

    def step(driver: Driver) -> None:
        answered, members = driver.get(on, key)
        assert answered == status
        assert "value" not in members

    return step


def limits(key: str, member: str, value: object, *, on: str = "") -> Step:
    """The constraints of the key show this member, or None if they do not have it."""

    def step(driver: Driver) -> None:
        _, members = driver.get(on, key)
        assert members["constraints"].get(member) == value

    return step


def after(seconds: float) -> Step:
    """So many seconds pass."""

    def step(driver: Driver) -> None:
        driver.service.clock.advance(seconds)

    return step


def told(field: str, value: object, *, on: str = "") -> Step:
    """The whole truthful profile says this of the appliance, or None if it does not say."""

    def step(driver: Driver) -> None:
        tables = cast("list[dict[str, Any]]", truthful_profile(driver.service, "http://127.0.0.1:1")["appliance"])
        table = next(table for table in tables if table["ha_id"] == driver.appliance(on).ha_id)
        assert table.get(field) == value

    return step


def played(script: Script, service: type[Service]) -> Driver:
    """The driver of a service after a script; the first step that does not hold raises an AssertionError."""
    driver = Driver(service)
    for step in script:
        step(driver)
    return driver


def _document(key: str, value: object) -> bytes:
    return json.dumps({"data": {"key": key, "value": value}}).encode()
