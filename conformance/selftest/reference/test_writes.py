"""Which writes the reference takes, and what follows from those that no clause judges."""

import json
from typing import Any

import pytest

from catalog import keys
from conformance.reference.clock import Clock
from conformance.reference.service import Service
from conformance.reference.wire import Incoming, Json, Reply

# the appliance, the key, the value that is written, the one that is read afterwards
TAKEN: list[tuple[str, str, Json, Json]] = [
    ("oven-1", keys.CHILD_LOCK, True, True),
    ("oven-1", keys.ALARM_CLOCK, 38340, 38340),
    ("oven-1", keys.ALARM_CLOCK, 90.0, 90),
    ("fridge-1", keys.SETPOINT, 8, 8),
    ("fridge-1", keys.SETPOINT, 4.6, 5),
    ("wine-cabinet-1", keys.WINE_SETPOINT_2, 5.4, 5.5),
    ("washer-1", keys.DOSING_2, 12, 10),
    ("hood-2", keys.LIGHTING_BRIGHTNESS, 10, 10),
    ("hood-2", keys.COLOR_PERCENT, 30, 30),
    ("fridge-1", keys.ASSISTANT_TIMEOUT_FRIDGE, 999, 999),
    ("robot-2", keys.MAP_NAME_1, "Büro", "Büro"),
    ("hood-1", keys.AMBIENT_COLOR, f"{keys.COLOR_FAMILY}.Color99", f"{keys.COLOR_FAMILY}.Color99"),
    ("dishwasher-1", keys.POWER_STATE, keys.ON, keys.ON),
]


def asked(service: Service, ha_id: str, key: str, body: bytes | None = None) -> Reply:
    """A read of a setting, or a write with a body."""
    method = "GET" if body is None else "PUT"
    return service.handle(Incoming(method, f"/api/homeappliances/{ha_id}/settings/{key}", body=body or b""))


def write(service: Service, ha_id: str, key: str, value: Json) -> int:
    """The status of the answer to a write."""
    return asked(service, ha_id, key, json.dumps({"data": {"key": key, "value": value}}).encode()).status


def read(service: Service, ha_id: str, key: str) -> Any:
    """The value of a setting."""
    return json.loads(asked(service, ha_id, key).body)["data"]["value"]


@pytest.mark.parametrize(("ha_id", "key", "value", "due"), TAKEN)
def test_allowed_value_is_kept_on_its_step(ha_id: str, key: str, value: Json, due: Json) -> None:
    """A value that type, enumeration and range allow takes effect, rounded to the step."""
    service = Service(clock=Clock(running=False))
    assert write(service, ha_id, key, value) == 204
    assert read(service, ha_id, key) == due


MALFORMED = (
    *(b"", b"{", b"[]", b'{"data":true}', b'{"data":{}}', b'{"data":{"value":NaN}}', b"[" * 100_000),
    b'{"data":{"key":"Another","value":true}}',
)


@pytest.mark.parametrize("body", MALFORMED)
def test_malformed_write_is_refused(body: bytes) -> None:
    """A body that is no write of this key is a bad request."""
    assert asked(Service(), "oven-1", keys.CHILD_LOCK, body).status == 400


def test_unlisted_move_is_refused() -> None:
    """Off to Standby is no row of the power table."""
    service = Service()
    place = "dishwasher-1", keys.POWER_STATE
    assert write(service, *place, keys.OFF) == 204
    assert write(service, *place, keys.STANDBY) == 409
    assert read(service, *place) == keys.OFF
