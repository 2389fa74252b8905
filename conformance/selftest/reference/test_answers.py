"""The reference answers as the document says, also to a client of others; what it does with time, and with
what is written to it.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import Any

import httpx
import pytest
from aiohomeconnect.client import AbstractAuth, Client
from aiohomeconnect.model import EventKey, SettingKey, StatusKey
from aiohomeconnect.model.error import ConflictError, NotFoundError, UnauthorizedError
from httpx_sse import EventSource, connect_sse

from catalog import keys
from catalog.keys import LOCAL_CONTROL
from conformance.reference.clock import Clock, Timers
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply
from conformance.selftest.pasted.strange_servers import SECRET, Guarded

APPLIANCES = "/api/homeappliances"
FLEET = Service.fleet
LIMIT_S = 60
"""Seconds that no answer takes, however busy the machine is."""
CHILD_LOCK_PATH = f"{APPLIANCES}/oven-1/settings/{keys.CHILD_LOCK}"


@pytest.fixture(scope="module")
def served() -> Iterator[httpx.Client]:
    """A reference whose clock stands unless it is pushed."""
    with (
        serve({"": Service(clock=Clock(running=False))}) as url,
        httpx.Client(base_url=url, timeout=LIMIT_S) as client,
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


def data(hub: httpx.Client, path: str) -> Any:
    """The member `data` of an answer that has to be granted."""
    answer = hub.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"]


def test_entry_shows_what_this_appliance_allows(hub: httpx.Client) -> None:
    """A setpoint shows its bounds, step, unit and access; an oven without Off advertises On and Standby."""
    found = data(hub, f"{APPLIANCES}/fridge-2/settings/{keys.SETPOINT}")
    assert found["constraints"] == {"min": 33, "max": 43, "stepsize": 1, "access": "readWrite"}
    assert (found["type"], found["unit"]) == ("Double", "°F")
    found = data(hub, f"{APPLIANCES}/oven-1/settings/{keys.POWER_STATE}")
    assert found["constraints"]["allowedvalues"] == [keys.ON, keys.STANDBY]
    assert found["type"] == keys.POWER_FAMILY


def test_unknown_prefix_is_not_found() -> None:
    """A server without a service at the root answers 404 there."""
    with serve({"only": Service()}) as url, httpx.Client(base_url=url, timeout=LIMIT_S) as client:
        codes = [client.get(f"{prefix}{CHILD_LOCK_PATH}").status_code for prefix in ("", "/only")]
    assert codes == [404, 200]


def test_lists_hold_keys_and_values_alone(hub: httpx.Client) -> None:
    """A list shows every served key once, without type and constraints."""
    items = data(hub, f"{APPLIANCES}/robot-3/settings")["settings"]
    assert items[0] == {"key": "Vendor.Common.Status.BatteryLevel", "value": 88, "unit": "%"}
    assert len(items) == 4
    assert [item["key"] for item in data(hub, f"{APPLIANCES}/robot-3/status")["status"]] == [
        "Vendor.Common.Status.BatteryChargingState"
    ]


def test_each_appliance_can_be_asked_alone(hub: httpx.Client) -> None:
    """What is said of it then is its row of the list."""
    listed = data(hub, APPLIANCES)["homeappliances"]
    assert [data(hub, f"{APPLIANCES}/{one['haId']}") for one in listed] == listed


@pytest.mark.parametrize("method", ["POST", "DELETE", "HEAD", "OPTIONS"])
def test_other_methods_are_refused(hub: httpx.Client, method: str) -> None:
    """A key knows GET and PUT."""
    answer = hub.request(method, CHILD_LOCK_PATH)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, PUT")


# What it does with time, and with what is written to it.
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
        httpx.Client(base_url=url, timeout=LIMIT_S) as hub,
        connect_sse(hub, "GET", "/api/homeappliances/events") as events,
    ):
        steer(hub, "touch", ha_id="oven-1")
        assert [value for *_, value in items(events, 2)] == [True, False]


def test_server_stops_while_somebody_listens() -> None:
    """An open stream ends with the server instead of holding it."""
    with httpx.Client(timeout=LIMIT_S) as client:
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


@pytest.mark.parametrize(("ha_id", "key", "value", "due"), TAKEN)
def test_allowed_value_is_kept_on_its_step(ha_id: str, key: str, value: Json, due: Json) -> None:
    """A value that the range allows takes effect, rounded to the step; a power state that is there stays."""
    service = Service(clock=Clock(running=False))
    body = json.dumps({"data": {"key": key, "value": value}}).encode()
    assert reply_to(service, ha_id, key, body).status == 204
    assert json.loads(reply_to(service, ha_id, key).body)["data"]["value"] == due


MALFORMED = (
    *(b"", b"{", b"[]", b'{"data":true}', b'{"data":{}}', b'{"data":{"value":NaN}}', b"[" * 100_000),
    b'{"data":{"key":"Another","value":true}}',
)


@pytest.mark.parametrize("body", MALFORMED)
def test_malformed_write_is_refused(body: bytes) -> None:
    """A body that is no write of this key is a bad request."""
    assert reply_to(Service(), "oven-1", keys.CHILD_LOCK, body).status == 400


# A published client library of an API of this shape speaks with the reference, as a hub of the maker that the
# library knows.
OVEN = "oven-1"
MINUTE_S, STEP_S = 60, 10


class Bearer(AbstractAuth):
    """Who holds a token."""

    token = SECRET

    async def async_get_access_token(self) -> str:
        """The token."""
        return self.token


def spoken(act: Callable[[Client, Bearer], Awaitable[None]]) -> None:
    """Does something with the library against the hub, which asks for the token; its clock stands."""

    async def speak(base_url: str) -> None:
        async with httpx.AsyncClient(base_url=base_url, timeout=60) as http:
            bearer = Bearer(http, base_url)
            await act(Client(bearer), bearer)

    with serve({"": Guarded(clock=Clock(running=False))}) as base_url:
        asyncio.run(speak(base_url))


def test_appliances_and_their_entries_are_listed_and_read() -> None:
    """Each entry of a list is the one that is read by itself, with its constraints."""

    async def act(client: Client, _: Bearer) -> None:
        appliances = (await client.get_home_appliances()).homeappliances
        assert [appliance.ha_id for appliance in appliances] == [spec.ha_id for spec in FLEET]
        for setting in (await client.get_settings(OVEN)).settings:
            if setting.key is not SettingKey.UNKNOWN:
                read = await client.get_setting(OVEN, setting_key=setting.key)
                assert (read.raw_key, read.value) == (setting.raw_key, setting.value)
                assert read.constraints
        for status in (await client.get_status(OVEN)).status:
            if status.key is not StatusKey.UNKNOWN:
                read_status = await client.get_status_value(OVEN, status_key=status.key)
                assert read_status.value == status.value

    spoken(act)


def test_what_is_written_is_read() -> None:
    """A number and a state of power."""

    async def act(client: Client, _: Bearer) -> None:
        clock, power = SettingKey.BSH_COMMON_ALARM_CLOCK, SettingKey.BSH_COMMON_POWER_STATE
        await client.set_setting(OVEN, setting_key=clock, value=600)
        assert (await client.get_setting(OVEN, setting_key=clock)).value == 600
        standby = "BSH.Common.EnumType.PowerState.Standby"
        await client.set_setting(OVEN, setting_key=power, value=standby)
        assert (await client.get_setting(OVEN, setting_key=power)).value == standby

    spoken(act)


def test_errors_are_met() -> None:
    """The library makes its own errors of an unknown appliance, a forbidden value and a wrong token."""

    async def act(client: Client, bearer: Bearer) -> None:
        clock = SettingKey.BSH_COMMON_ALARM_CLOCK
        with pytest.raises(NotFoundError):
            await client.get_setting("nobody", setting_key=clock)
        with pytest.raises(ConflictError, match=r"SDK\.Error\.InvalidSettingValue"):
            await client.set_setting(OVEN, setting_key=clock, value=-1)
        bearer.token = "another"
        with pytest.raises(UnauthorizedError):
            await client.get_setting(OVEN, setting_key=clock)

    spoken(act)


def test_events_of_a_minute_are_followed() -> None:
    """A minute of the reference's clock, which is moved by hand: local control begins, and ends by itself."""

    async def act(client: Client, bearer: Bearer) -> None:
        async with aclosing(client.stream_events(OVEN)) as stream:
            first = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            while not first.done():
                await bearer.client.post("/_reference/touch", json={"ha_id": OVEN})
                await asyncio.wait([first], timeout=0.1)
            for _ in range(MINUTE_S // STEP_S):
                await bearer.client.post("/_reference/advance", json={"seconds": STEP_S})
            told = (await first).data.items
            while told[-1].value is True:
                told += (await anext(stream)).data.items
        assert {event.key for event in told} == {EventKey.BSH_COMMON_STATUS_LOCAL_CONTROL_ACTIVE}
        assert (told[0].value, told[-1].value) == (True, False)

    spoken(act)
