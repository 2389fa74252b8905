"""Which writes the reference takes, and what follows from those that no clause judges."""

from typing import Any

import pytest

from catalog.keys import CHILD_LOCK, FREEZER_SETPOINT, SETPOINT
from conformance.reference.service import Service
from conformance.selftest.support.servers.bench import Bench, played

# a write, and what is read afterwards
TAKEN: dict[str, object] = {
    "ChildLock@oven-1=true": True,
    "AlarmClock@oven-1=38340": 38340,
    "AlarmClock@oven-1=90.0": 90,
    "SetpointTemperatureRefrigerator@fridge-1=8": 8,
    "SetpointTemperatureRefrigerator@fridge-1=4.6": 5,
    "WineCompartment2.SetpointTemperature@wine-cabinet-1=5.4": 5.5,
    "Dosing2BaseLevel@washer-1=12": 10,
    "LightingBrightness@hood-2=10": 10,
    "ColorTemperaturePercent@hood-2=30": 30,
    "AssistantTimeoutFridge@fridge-1=999": 999,
    'NameOfMap1@robot-2="Büro"': "Büro",
    "AmbientLightColor@hood-1=Color99": "Color99",
    "PowerState@dishwasher-1=On": "On",
}
REFUSED = {
    "ChildLock@oven-1=1": 409,
    'ChildLock@oven-1="yes"': 409,
    "ChildLock@oven-1=null": 409,
    "AlarmClock@oven-1=90.5": 409,
    "AlarmClock@oven-1=true": 409,
    "AlarmClock@oven-1=38341": 409,
    "AlarmClock@oven-1=-1": 409,
    "SetpointTemperatureRefrigerator@fridge-1=9": 409,
    'SetpointTemperatureRefrigerator@fridge-1="4"': 409,
    "NameOfMap1@robot-2=1": 409,
    "TemperatureUnit@oven-1=Nonce": 409,
    "PowerState@oven-1=Off": 409,
    "PowerState@fridge-1=On": 409,
    "CurrentMap@robot-2=Map2": 409,
    "settings Lost@robot-3=true": 409,
    "Lost@robot-2=true": 409,
    "status DoorState@oven-1=Open": 405,
}


@pytest.mark.parametrize("write", TAKEN)
def test_allowed_value_is_kept_on_its_step(write: str) -> None:
    """A value that type, enumeration and range allow takes effect, rounded to the step."""
    bench = Bench(Service)
    assert bench.do(write) == 204
    assert bench.read(write.partition("=")[0]) == TAKEN[write]


@pytest.mark.parametrize("write", REFUSED)
def test_forbidden_value_changes_nothing(write: str) -> None:
    """A value of another type, enumeration, subset or range is refused, and so is what is no setting."""
    bench, shown = Bench(Service), write.partition("=")[0]
    before = bench.read(shown)
    assert bench.do(write) == REFUSED[write]
    assert bench.read(shown) == before


MALFORMED = (
    *(b"", b"{", b"[]", b'{"data":true}', b'{"data":{}}', b'{"data":{"value":NaN}}', b"[" * 100_000),
    b'{"data":{"key":"Another","value":true}}',
)


@pytest.mark.parametrize("body", MALFORMED)
def test_malformed_write_is_refused(body: bytes) -> None:
    """A body that is no write of this key is a bad request."""
    assert Bench(Service).ask("PUT", "settings", CHILD_LOCK, body).status == 400


def test_unlisted_move_is_refused() -> None:
    """Off to Standby is no row of the power table."""
    bench = played(Service, "PowerState@dishwasher-1=Off; PowerState@dishwasher-1=Standby")
    assert (bench.answer, bench.read("PowerState@dishwasher-1")) == (409, "Off")


@pytest.mark.parametrize(
    ("ha_id", "there", "back"), [("fridge-1", "Fahrenheit", "Celsius"), ("fridge-2", "Celsius", "Fahrenheit")]
)
def test_setpoints_follow_the_temperature_unit(ha_id: str, there: str, back: str) -> None:
    """Unit, bounds and values move together, and come back as they were."""
    bench, names = Bench(Service), [key.rpartition(".")[2] for key in (SETPOINT, FREEZER_SETPOINT)]

    def shown() -> list[list[Any]]:
        members = ("value", "unit", "min", "max")
        return [[bench.read(f"{name}@{ha_id} {member}") for member in members] for name in names]

    before = shown()
    bench.do(f"TemperatureUnit@{ha_id}={there}")
    assert all(unit == f"°{there[0]}" and low <= value <= high for value, unit, low, high in shown())
    bench.do(f"TemperatureUnit@{ha_id}={back}")
    assert shown() == before
