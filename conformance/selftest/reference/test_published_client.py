"""A published client library of an API of this shape speaks with the reference.

It is configured and not changed: its host is the reference, and the maker of the appliances is spelled as the
library spells it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing

import httpx
import pytest
from aiohomeconnect.client import AbstractAuth, Client
from aiohomeconnect.model import EventKey, SettingKey, StatusKey
from aiohomeconnect.model.error import ConflictError, NotFoundError, UnauthorizedError

from conformance.reference.server import serve
from conformance.reference.service import Service

OVEN = "oven-1"
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
    """Does something with the library against the hub, which asks for the token."""

    async def speak(base_url: str) -> None:
        async with httpx.AsyncClient(base_url=base_url) as http:
            bearer = Bearer(http, base_url)
            await act(Client(bearer), bearer)

    with serve({"": Hub(token=TOKEN)}) as base_url:
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
        assert 590 <= (await client.get_setting(OVEN, setting_key=clock)).value <= 600
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
