"""Which writes the reference takes, and what follows from those that no clause judges."""

import pytest

from catalog.keys import CHILD_LOCK
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


@pytest.mark.parametrize("write", TAKEN)
def test_allowed_value_is_kept_on_its_step(write: str) -> None:
    """A value that type, enumeration and range allow takes effect, rounded to the step."""
    bench = Bench(Service)
    assert bench.do(write) == 204
    assert bench.read(write.partition("=")[0]) == TAKEN[write]


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
