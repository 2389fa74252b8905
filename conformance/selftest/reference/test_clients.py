"""Two clients that others made take the reference for a server like any other."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable, Generator
from contextlib import aclosing
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import httpx
import pytest
from aiohomeconnect.client import AbstractAuth, Client
from aiohomeconnect.model import EventKey, SettingKey, StatusKey
from aiohomeconnect.model.error import ConflictError, NotFoundError, UnauthorizedError

from catalog.exports.openapi import openapi_document
from conformance.cases import CATALOG
from conformance.reference.clock import Clock
from conformance.reference.server import serve
from conformance.reference.service import Service

OVEN = "oven-1"
SETTINGS = f"/api/homeappliances/{OVEN}/settings"


class Generated:
    """The package that was generated, and a client of it."""

    def __init__(self, base_url: str) -> None:
        self.client: Any = import_module("generated_client").Client(base_url=base_url)
        self.http: Any = self.client.get_httpx_client()
        rooms = [import_module(f"generated_client.api.{segment}") for segment in ("settings", "status")]
        names = [f"{room.__name__}.{module.name}" for room in rooms for module in iter_modules(room.__path__)]
        self.operations: list[Any] = [import_module(name) for name in names]

    def read(self, key: str, ha_id: str = OVEN) -> Any:
        """What the generated function of a key returns, with the status of the answer; under any segment."""
        ending = _folded(key)
        about_it = [one for one in self.operations if _folded(one.__name__).endswith(ending)]
        told = [operation.sync_detailed(ha_id, client=self.client) for operation in about_it]
        return next((answer for answer in told if answer.parsed), told[0])


def _folded(name: str) -> str:
    """A name without what generators write otherwise: case, dots and underscores."""
    return name.replace("_", "").replace(".", "").lower()


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Generator[Generated]:
    """The client, and the reference."""
    place = tmp_path_factory.mktemp("client")
    (place / "openapi.json").write_text(json.dumps(openapi_document(CATALOG)), encoding="utf-8")
    words = ["--path", "openapi.json", "--meta", "none", "--output-path", "generated_client"]
    command = [sys.executable, "-m", "openapi_python_client", "generate", *words]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch, serve({"": Service()}) as base_url:
        patch.setattr(sys, "path", [str(place), *sys.path])
        made = Generated(base_url)
        with made.client:
            yield made


def test_every_entry_has_a_function(generated: Generated) -> None:
    """One for each key and segment of the document."""
    assert len(generated.operations) == sum(len(entry.segments) for entry in CATALOG.entries.values())


def test_everything_that_is_served_is_read(generated: Generated) -> None:
    """The models of the client take each value of the oven, and find it equal to what is in the list."""
    listed: list[Any] = generated.http.get(SETTINGS).json()["data"]["settings"]
    assert listed
    for item in listed:
        value = generated.read(item["key"]).parsed.data.value
        assert getattr(value, "value", value) == item["value"]


# A published client library of an API of this shape speaks with the reference.
TOKEN = "a-token"
MINUTE_S, STEP_S = 60, 10


class Hub(Service):
    """The reference as a hub of the maker that the library knows."""

    vendor = "BSH"


class Bearer(AbstractAuth):
    """Who holds a token."""

    token = TOKEN

    async def async_get_access_token(self) -> str:
        """The token."""
        return self.token


def spoken(act: Callable[[Client, Bearer], Awaitable[None]]) -> None:
    """Does something with the library against the hub, which asks for the token; its clock stands."""

    async def speak(base_url: str) -> None:
        async with httpx.AsyncClient(base_url=base_url, timeout=60) as http:
            bearer = Bearer(http, base_url)
            await act(Client(bearer), bearer)

    with serve({"": Hub(token=TOKEN, clock=Clock(running=False))}) as base_url:
        asyncio.run(speak(base_url))


def test_appliances_and_their_entries_are_listed_and_read() -> None:
    """Each entry of a list is the one that is read by itself, with its constraints."""

    async def act(client: Client, _: Bearer) -> None:
        appliances = (await client.get_home_appliances()).homeappliances
        assert [appliance.ha_id for appliance in appliances] == [spec.ha_id for spec in Hub.fleet]
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
