"""Which writes the reference takes, and what follows from them, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

from conformance.reference.clock import Clock
from conformance.reference.server import serve
from conformance.reference.service import Service

if TYPE_CHECKING:
    from collections.abc import Iterator

POWER = "Vendor.Common.Setting.PowerState"
STATE = "Vendor.Common.EnumType.PowerState"
OPERATION = "Vendor.Common.Status.OperationState"
AMBIENT = "Vendor.Common.Setting.AmbientLight"
COLORS = "Vendor.Common.EnumType.AmbientLightColor"
FRIDGE = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureRefrigerator"
FREEZER = "Refrigeration.FridgeFreezer.Setting.SetpointTemperatureFreezer"
UNIT = "Vendor.Common.Setting.TemperatureUnit"
WRONG_VALUE = (409, "SDK.Error.InvalidSettingValue")
WRONG_STATE = (409, "SDK.Error.InvalidSettingState")


class Hub:
    """A client that speaks in keys and values."""

    def __init__(self, client: httpx.Client) -> None:
        """Talk through `client`."""
        self.client = client

    def get(self, ha_id: str, key: str) -> Any:
        """The whole entry."""
        segment = "status" if ".Status." in key else "settings"
        return self.client.get(f"/api/homeappliances/{ha_id}/{segment}/{key}").json()["data"]

    def read(self, ha_id: str, key: str) -> Any:
        """The value alone."""
        return self.get(ha_id, key)["value"]

    def write(self, ha_id: str, key: str, value: object) -> tuple[int, str]:
        """The status and the error key of a write, "" for none."""
        answer = self.client.put(
            f"/api/homeappliances/{ha_id}/settings/{key}", json={"data": {"key": key, "value": value}}
        )
        return answer.status_code, answer.json()["error"]["key"] if answer.content else ""


@pytest.fixture(scope="module")
def served() -> Iterator[httpx.Client]:
    """A reference whose clock stands."""
    with serve({"": Service(clock=Clock(running=False))}) as url, httpx.Client(base_url=url) as client:
        yield client


@pytest.fixture
def hub(served: httpx.Client) -> Hub:
    """The same reference, in its first state."""
    assert served.post("/_reference/reset").status_code == 204
    return Hub(served)


@pytest.mark.parametrize(
    ("ha_id", "key", "value", "kept"),
    [
        ("oven-1", "Vendor.Common.Setting.ChildLock", True, True),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", 38340, 38340),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", 90.0, 90),
        ("fridge-1", FRIDGE, 8, 8),
        ("fridge-1", FRIDGE, 4.6, 5),
        ("wine-cabinet-1", "Refrigeration.Common.Setting.WineCompartment2.SetpointTemperature", 5.4, 5.5),
        ("washer-1", "LaundryCare.Washer.Setting.Dosing2BaseLevel", 12, 10),
        ("hood-2", "Cooking.Common.Setting.LightingBrightness", 10, 10),
        ("fridge-1", "Refrigeration.Common.Setting.Door.AssistantTimeoutFridge", 999, 999),
        ("robot-2", "ConsumerProducts.CleaningRobot.Setting.NameOfMap1", "Büro", "Büro"),
        ("hood-1", f"{AMBIENT}Color", f"{COLORS}.Color99", f"{COLORS}.Color99"),
    ],
)
def test_allowed_value_is_kept_on_its_step(
    hub: Hub, ha_id: str, key: str, value: object, kept: object
) -> None:
    """A value that type, enumeration and range allow takes effect, rounded to the step."""
    assert hub.write(ha_id, key, value) == (204, "")
    assert hub.read(ha_id, key) == kept


@pytest.mark.parametrize(
    ("ha_id", "key", "value"),
    [
        ("oven-1", "Vendor.Common.Setting.ChildLock", 1),
        ("oven-1", "Vendor.Common.Setting.ChildLock", "yes"),
        ("oven-1", "Vendor.Common.Setting.ChildLock", None),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", 90.5),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", True),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", 38341),
        ("oven-1", "Vendor.Common.Setting.AlarmClock", -1),
        ("fridge-1", FRIDGE, 9),
        ("fridge-1", FRIDGE, "4"),
        ("robot-2", "ConsumerProducts.CleaningRobot.Setting.NameOfMap1", 1),
        ("oven-1", UNIT, "Vendor.Common.EnumType.TemperatureUnit.Nonce"),
        ("oven-1", UNIT, "Celsius"),
        ("oven-1", POWER, f"{STATE}.Off"),
        (
            "robot-2",
            "ConsumerProducts.CleaningRobot.Setting.CurrentMap",
            "ConsumerProducts.CleaningRobot.EnumType.AvailableMaps.Map2",
        ),
    ],
)
def test_forbidden_value_changes_nothing(hub: Hub, ha_id: str, key: str, value: object) -> None:
    """A value of another type, enumeration, subset or range is refused and not kept."""
    before = hub.read(ha_id, key)
    assert hub.write(ha_id, key, value) == WRONG_VALUE
    assert hub.read(ha_id, key) == before


@pytest.mark.parametrize(
    ("ha_id", "key", "status", "error"),
    [
        ("fridge-1", POWER, *WRONG_STATE),
        ("robot-3", "ConsumerProducts.CleaningRobot.Status.Lost", *WRONG_STATE),
        ("robot-2", "ConsumerProducts.CleaningRobot.Status.Lost", 409, "SDK.Error.UnsupportedSetting"),
        ("oven-1", "Vendor.Common.Setting.Nonce", 409, "SDK.Error.UnsupportedSetting"),
    ],
)
def test_what_is_no_writable_setting_is_refused(
    hub: Hub, ha_id: str, key: str, status: int, error: str
) -> None:
    """Read-only settings, statuses and absent keys take no write."""
    assert hub.write(ha_id, key, value=True) == (status, error)


def test_status_path_takes_no_write(served: httpx.Client, hub: Hub) -> None:
    """A PUT on the status segment is refused whatever it says."""
    path = "/api/homeappliances/oven-1/status/Vendor.Common.Status.DoorState"
    assert (
        served.put(path, json={"data": {"value": "Vendor.Common.EnumType.DoorState.Open"}}).status_code == 405
    )
    assert hub.read("oven-1", "Vendor.Common.Status.DoorState") == "Vendor.Common.EnumType.DoorState.Closed"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"data":true}',
        b'{"data":{}}',
        b'{"data":{"key":"Another","value":true}}',
        b'{"data":{"value":NaN}}',
        b"[" * 100_000,
    ],
)
def test_malformed_write_is_refused(served: httpx.Client, hub: Hub, body: bytes) -> None:
    """A body that is no write of this key is a bad request."""
    assert (
        served.put(
            "/api/homeappliances/oven-1/settings/Vendor.Common.Setting.ChildLock", content=body
        ).status_code
        == 400
    )
    assert hub.read("oven-1", "Vendor.Common.Setting.ChildLock") is False


def test_three_state_appliance_walks_every_listed_edge(hub: Hub) -> None:
    """Each row of the power table leads where it says, and the operation state follows."""
    seen: list[tuple[str, str]] = []
    for state in ("Standby", "On", "Off", "On", "Standby", "Off", "On"):
        assert hub.write("dishwasher-1", POWER, f"{STATE}.{state}") == (204, "")
        seen.append(
            (
                hub.read("dishwasher-1", POWER).rpartition(".")[2],
                hub.read("dishwasher-1", OPERATION).rpartition(".")[2],
            )
        )
    on, off, standby = ("On", "Ready"), ("Off", "Inactive"), ("Standby", "Inactive")
    assert seen == [standby, on, off, on, standby, off, on]


def test_unlisted_move_is_refused(hub: Hub) -> None:
    """Off to Standby is no row of the power table."""
    hub.write("dishwasher-1", POWER, f"{STATE}.Off")
    assert hub.write("dishwasher-1", POWER, f"{STATE}.Standby") == WRONG_STATE
    assert hub.read("dishwasher-1", POWER) == f"{STATE}.Off"


@pytest.mark.parametrize("state", ["On", "Off", "Standby"])
def test_writing_the_present_power_state_leaves_it(hub: Hub, state: str) -> None:
    """A self-write is taken and moves nothing."""
    hub.write("dishwasher-1", POWER, f"{STATE}.{state}")
    assert hub.write("dishwasher-1", POWER, f"{STATE}.{state}") == (204, "")
    assert hub.read("dishwasher-1", POWER) == f"{STATE}.{state}"


def test_ambient_brightness_is_locked_under_the_custom_color(hub: Hub) -> None:
    """Brightness can be set under a preset and not under CustomColor."""
    assert hub.write("hood-1", f"{AMBIENT}Brightness", 55) == (204, "")
    hub.write("hood-1", f"{AMBIENT}Color", f"{COLORS}.CustomColor")
    assert hub.write("hood-1", f"{AMBIENT}Brightness", 66) == WRONG_STATE
    assert hub.read("hood-1", f"{AMBIENT}Brightness") == 55


def test_custom_color_needs_the_custom_color(hub: Hub) -> None:
    """The colour text can be set under CustomColor alone."""
    assert hub.write("hood-1", f"{AMBIENT}CustomColor", "#00d1ff") == WRONG_STATE
    hub.write("hood-1", f"{AMBIENT}Color", f"{COLORS}.CustomColor")
    assert hub.read("hood-1", f"{AMBIENT}CustomColor") == "#4a88f8"
    assert hub.write("hood-1", f"{AMBIENT}CustomColor", "#00d1ff") == (204, "")


def test_percent_needs_the_custom_color_temperature(hub: Hub) -> None:
    """The percent can be set under custom alone, and leaves custom as it is."""
    temperature, percent = (
        "Cooking.Hood.Setting.ColorTemperature",
        "Cooking.Hood.Setting.ColorTemperaturePercent",
    )
    assert hub.write("hood-1", percent, 70) == (204, "")
    assert hub.read("hood-1", temperature).endswith(".custom")
    hub.write("hood-1", temperature, "Cooking.Hood.EnumType.ColorTemperature.neutral")
    assert hub.write("hood-1", percent, 30) == WRONG_STATE


def test_percent_is_free_without_the_color_temperature(hub: Hub) -> None:
    """A hood that has no ColorTemperature takes a percent at any time."""
    assert hub.write("hood-2", "Cooking.Hood.Setting.ColorTemperaturePercent", 30) == (204, "")


@pytest.mark.parametrize(
    "mode",
    [
        "Refrigeration.FridgeFreezer.Setting.SuperModeRefrigerator",
        "Refrigeration.FridgeFreezer.Setting.SuperModeFreezer",
        "Refrigeration.Common.Setting.EcoMode",
        "Refrigeration.Common.Setting.VacationMode",
        "Refrigeration.Common.Setting.FreshMode",
    ],
)
def test_cooling_modes_leave_setpoints_as_they_are(hub: Hub, mode: str) -> None:
    """Neither setpoint moves while a mode is on or after it."""
    for wanted in (True, False):
        assert hub.write("fridge-1", mode, wanted) == (204, "")
        assert (hub.read("fridge-1", FRIDGE), hub.read("fridge-1", FREEZER)) == (4, -18)


@pytest.mark.parametrize(
    ("ha_id", "there", "back"), [("fridge-1", "Fahrenheit", "Celsius"), ("fridge-2", "Celsius", "Fahrenheit")]
)
def test_setpoints_follow_the_temperature_unit(hub: Hub, ha_id: str, there: str, back: str) -> None:
    """Unit, bounds and values move together, and come back as they were."""
    before = [hub.get(ha_id, key) for key in (FRIDGE, FREEZER)]
    hub.write(ha_id, UNIT, f"Vendor.Common.EnumType.TemperatureUnit.{there}")
    for key in (FRIDGE, FREEZER):
        found = hub.get(ha_id, key)
        assert found["unit"] == f"°{there[0]}"
        assert found["constraints"]["min"] <= found["value"] <= found["constraints"]["max"]
    hub.write(ha_id, UNIT, f"Vendor.Common.EnumType.TemperatureUnit.{back}")
    assert [hub.get(ha_id, key) for key in (FRIDGE, FREEZER)] == before


def test_write_names_one_appliance(hub: Hub) -> None:
    """The same key of another appliance stays as it was."""
    hub.write("oven-1", "Vendor.Common.Setting.ChildLock", value=True)
    assert hub.read("washer-1", "Vendor.Common.Setting.ChildLock") is False
