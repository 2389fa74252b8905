"""The reference answers as the document says, also to clients of others, and ends when it is told to."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import aclosing
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import httpx
import pytest
from aiohomeconnect.client import AbstractAuth, Client
from aiohomeconnect.model import EventKey, SettingKey, StatusKey
from aiohomeconnect.model.error import ConflictError, NotFoundError, UnauthorizedError

from catalog import keys
from catalog.exports.openapi import openapi_document
from catalog.loader import CATALOG
from catalog.model import Segment
from conformance.reference.clock import Clock
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.pasted.strange_servers import SECRET, Guarded

APPLIANCES = "/api/homeappliances"
FLEET = Service.fleet
LIMIT_S = 60
"""Seconds that no answer takes, however busy the machine is."""
CHILD_LOCK_PATH = f"{APPLIANCES}/oven-1/settings/{keys.CHILD_LOCK}"


@pytest.fixture(scope="module")
def hub() -> Iterator[httpx.Client]:
    """A client of the reference."""
    with serve({"": Service()}) as url, httpx.Client(base_url=url, timeout=LIMIT_S) as client:
        yield client


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


# The appliances of the reference serve the whole catalog and start within its rules.
CONTESTED = [entry.key for entry in CATALOG.statuses if entry.contested]


def test_every_key_of_the_catalog_is_served_by_some_appliance() -> None:
    """No key is left without an appliance that shows it."""
    served = {key for spec in FLEET for key in spec.values}
    assert served == set(CATALOG.entries)


def test_fleet_has_every_kind_and_every_set_of_power_states() -> None:
    """All six kinds are there, and one more; three states, either pair, On alone, and none at all occur."""
    assert {spec.kind for spec in FLEET} == {kind.name for kind in CATALOG.kinds} | {"Dishwasher"}
    states = {"On Off Standby", "On Off", "On Standby", "On", ""}
    assert {" ".join(spec.power_states) for spec in FLEET} == states
    assert len({spec.ha_id for spec in FLEET}) == len(FLEET)


@pytest.mark.parametrize("segments", [("status",), ("settings",), ("status", "settings")])
def test_contested_statuses_are_served_in_each_way(segments: tuple[Segment, ...]) -> None:
    """One robot serves all four under status, one under settings, one under both."""
    assert any(spec.contested == segments and set(CONTESTED) <= set(spec.values) for spec in FLEET)


# The server that a run starts in a process of its own.
OPENER = """
import os, signal, sys
from conformance.reference.server import serve_apart
from conformance.reference.service import Service
signal.signal(signal.SIGTERM, lambda *_: os.write(1, b"told\\n"))
with serve_apart({"": Service()}) as base_url:
    print(base_url, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def opener() -> Iterator[subprocess.Popen[str]]:
    """A process that opens a server, says where it is, and leaves it when its standard input ends."""
    words = [sys.executable, "-c", OPENER]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, process_group=0
    ) as process:
        yield process
        process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    return process.stdout.readline().strip() if process.stdout else ""


@pytest.mark.parametrize("number", [None, signal.SIGKILL])
def test_server_ends_with_whoever_opened_it(
    number: signal.Signals | None, opener: subprocess.Popen[str]
) -> None:
    """When the context is left, and when its process is killed: what is read to its end is held by both."""
    base_url = _line(opener)
    assert httpx.get(base_url, timeout=LIMIT_S).status_code == 404
    if number:
        opener.send_signal(number)
    assert opener.communicate(timeout=LIMIT_S)[0] == ""
    with pytest.raises(httpx.ConnectError):
        httpx.get(base_url, timeout=LIMIT_S)


def test_server_answers_after_a_signal_to_all(opener: subprocess.Popen[str]) -> None:
    """A run that is ended puts back what it wrote."""
    base_url = _line(opener)
    os.killpg(opener.pid, signal.SIGTERM)
    assert _line(opener) == "told"
    assert httpx.get(base_url, timeout=LIMIT_S).status_code == 404


# Two clients that others made take the reference for a server like any other.
OVEN = "oven-1"
SETTINGS = f"{APPLIANCES}/{OVEN}/settings"


class Generated:
    """The package that was generated, and a client of it."""

    def __init__(self, base_url: str) -> None:
        self.client: Any = import_module("generated_client").Client(base_url=base_url)
        rooms = [import_module(f"generated_client.api.{segment}") for segment in ("settings", "status")]
        names = [f"{room.__name__}.{module.name}" for room in rooms for module in iter_modules(room.__path__)]
        self.operations: list[Any] = [import_module(name) for name in names]

    def read(self, key: str) -> Any:
        """What the generated function of a key returns, with the status of the answer; under any segment."""
        ending = _folded(key)
        about_it = [one for one in self.operations if _folded(one.__name__).endswith(ending)]
        told = [operation.sync_detailed(OVEN, client=self.client) for operation in about_it]
        return next((answer for answer in told if answer.parsed), told[0])


def _folded(name: str) -> str:
    """A name without what generators write otherwise: case, dots and underscores."""
    return name.replace("_", "").replace(".", "").lower()


@pytest.fixture(scope="module")
def generated(hub: httpx.Client, tmp_path_factory: pytest.TempPathFactory) -> Generator[Generated]:
    """The client of the same reference."""
    place = tmp_path_factory.mktemp("client")
    (place / "openapi.json").write_text(json.dumps(openapi_document(CATALOG)), encoding="utf-8")
    words = ["--path", "openapi.json", "--meta", "none", "--output-path", "generated_client"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *words]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(place), *sys.path])
        made = Generated(str(hub.base_url))
        with made.client:
            yield made


def test_every_entry_has_a_function(generated: Generated) -> None:
    """One for each key and segment of the document."""
    assert len(generated.operations) == sum(len(entry.segments) for entry in CATALOG.entries.values())


def test_everything_that_is_served_is_read(generated: Generated, hub: httpx.Client) -> None:
    """The models of the client take each value of the oven, and find it equal to what is in the list."""
    listed: list[Any] = data(hub, SETTINGS)["settings"]
    assert listed
    for item in listed:
        value = generated.read(item["key"]).parsed.data.value
        assert getattr(value, "value", value) == item["value"]


# A published client library of an API of this shape speaks with the reference, as a hub of the maker that the
# library knows.
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
