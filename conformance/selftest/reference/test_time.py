"""What the reference does with time, and with what is written to it."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from httpx_sse import EventSource, connect_sse

from catalog import keys
from catalog.keys import LOCAL_CONTROL
from conformance.reference.clock import Clock, Timers
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply


@pytest.fixture(scope="module")
def served() -> Iterator[httpx.Client]:
    """A reference whose clock stands unless it is pushed."""
    with (
        serve({"": Service(clock=Clock(running=False))}) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        yield client


@pytest.fixture
def hub(served: httpx.Client) -> httpx.Client:
    """The same reference, in its first state."""
    steer(served, "reset")
    return served


def steer(hub: httpx.Client, order: str, **orders: object) -> None:
    """Do what only the reference can be told."""
    assert hub.post(f"/_reference/{order}", json=orders).status_code == 204


def items(events: EventSource, count: int) -> list[tuple[str, str, str, object]]:
    """The kind, haId, key and value of the first item of the next events."""
    found: list[tuple[str, str, str, object]] = []
    for event in events.iter_sse():
        item = json.loads(event.data)["items"][0]
        found.append((event.event, event.id, item["key"], item["value"]))
        if len(found) == count:
            break
    return found


def test_listener_of_all_hears_every_appliance(hub: httpx.Client) -> None:
    """The stream of all appliances carries settings as notifications and statuses as such."""
    with connect_sse(hub, "GET", "/api/homeappliances/events") as events:
        hub.put(
            "/api/homeappliances/oven-1/settings/Vendor.Common.Setting.ChildLock",
            json={"data": {"value": True}},
        )
        steer(hub, "dustbox", ha_id="robot-2", inserted=False)
        assert items(events, 2) == [
            ("NOTIFY", "oven-1", "Vendor.Common.Setting.ChildLock", True),
            ("STATUS", "robot-2", "ConsumerProducts.CleaningRobot.Status.DustBoxInserted", False),
        ]


def test_revert_is_told_when_time_passes_by_itself() -> None:
    """On a running clock nobody has to ask for the revert to be sent."""

    class HastyHub(Service):
        """Forgets a touch after a moment."""

        reverting = {LOCAL_CONTROL: 0.05}  # noqa: RUF012  declared as a class variable by the service

    with (
        serve({"": HastyHub()}) as url,
        httpx.Client(base_url=url, timeout=60) as hub,
        connect_sse(hub, "GET", "/api/homeappliances/events") as events,
    ):
        steer(hub, "touch", ha_id="oven-1")
        assert [value for *_, value in items(events, 2)] == [True, False]


def test_server_stops_while_somebody_listens() -> None:
    """An open stream ends with the server instead of holding it."""
    with httpx.Client(timeout=60) as client:
        with serve({"": Service()}) as url:
            listening = client.send(
                client.build_request("GET", f"{url}/api/homeappliances/events"), stream=True
            )
        assert listening.read() == b""
        listening.close()


@pytest.mark.parametrize(
    ("order", "body", "status"),
    [
        ("advance", b'{"seconds": -1}', 400),
        ("advance", b'{"seconds": true}', 400),
        ("advance", b'{"seconds": 1e999}', 400),
        ("advance", b"{", 400),
        ("touch", b'{"ha_id": "nobody"}', 404),
        ("touch", b'{"ha_id": "fridge-1"}', 409),
        ("dustbox", b'{"ha_id": "robot-2"}', 400),
        ("reset", b'{"ha_id": "robot-2"}', 400),
        ("explode", b"{}", 404),
    ],
)
def test_wrong_order_is_refused(hub: httpx.Client, order: str, body: bytes, status: int) -> None:
    """An order that cannot be carried out says so."""
    assert hub.post(f"/_reference/{order}", content=body).status_code == status


def test_due_actions_run_in_the_order_of_their_moments() -> None:
    """A push over several moments does the oldest first, and only what is due."""
    clock, done = Clock(running=False), list[str]()
    timers = Timers(clock)
    for name, seconds in (("late", 9), ("second", 2), ("first", 1)):
        timers.arm(("", name), seconds, lambda name=name: done.append(name))
    clock.advance(5)
    timers.tick()
    assert done == ["first", "second"]


# Which writes the reference takes, and what follows from those that no clause judges.


# the appliance, the key, the value that is written, the one that is read afterwards
TAKEN: list[tuple[str, str, Json, Json]] = [
    ("fridge-1", keys.SETPOINT, 4.6, 5),
    ("wine-cabinet-1", keys.WINE_SETPOINT_2, 5.4, 5.5),
    ("washer-1", keys.DOSING_2, 12, 10),
    ("dishwasher-1", keys.POWER_STATE, keys.ON, keys.ON),
]


def reply_to(service: Service, ha_id: str, key: str, body: bytes | None = None) -> Reply:
    """A read of a setting, or a write with a body."""
    method = "GET" if body is None else "PUT"
    return service.handle(Incoming(method, f"/api/homeappliances/{ha_id}/settings/{key}", body=body or b""))


def write(service: Service, ha_id: str, key: str, value: Json) -> int:
    """The status of the answer to a write."""
    return reply_to(service, ha_id, key, json.dumps({"data": {"key": key, "value": value}}).encode()).status


def value_of(service: Service, ha_id: str, key: str) -> Any:
    """The value of a setting."""
    return json.loads(reply_to(service, ha_id, key).body)["data"]["value"]


@pytest.mark.parametrize(("ha_id", "key", "value", "due"), TAKEN)
def test_allowed_value_is_kept_on_its_step(ha_id: str, key: str, value: Json, due: Json) -> None:
    """A value that the range allows takes effect, rounded to the step; a power state that is there stays."""
    service = Service(clock=Clock(running=False))
    assert write(service, ha_id, key, value) == 204
    assert value_of(service, ha_id, key) == due


MALFORMED = (
    *(b"", b"{", b"[]", b'{"data":true}', b'{"data":{}}', b'{"data":{"value":NaN}}', b"[" * 100_000),
    b'{"data":{"key":"Another","value":true}}',
)


@pytest.mark.parametrize("body", MALFORMED)
def test_malformed_write_is_refused(body: bytes) -> None:
    """A body that is no write of this key is a bad request."""
    assert reply_to(Service(), "oven-1", keys.CHILD_LOCK, body).status == 400
