"""What the reference answers to a GET, over HTTP."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from catalog import keys
from conformance.reference.clock import Clock
from conformance.reference.fleets.twelve import FLEET
from conformance.reference.server import serve
from conformance.reference.service import Service

APPLIANCES = "/api/homeappliances"
CHILD_LOCK_PATH = f"{APPLIANCES}/oven-1/settings/{keys.CHILD_LOCK}"


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    """Several hubs under their prefixes on one server."""
    hubs = {
        "": Service(),
        "deep/er": Service(clock=Clock(running=False)),
        "secret": Service(token="open sesame"),
    }
    with serve(hubs) as url:
        yield url


@pytest.fixture(scope="module")
def hub(base_url: str) -> Iterator[httpx.Client]:
    """A client of the whole server."""
    with httpx.Client(base_url=base_url) as client:
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
    with serve({"only": Service()}) as url, httpx.Client(base_url=url) as client:
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


def test_appliances_are_listed(hub: httpx.Client) -> None:
    """The list of appliances names every haId, and each can be asked alone."""
    listed = data(hub, "/api/homeappliances")["homeappliances"]
    assert [one["haId"] for one in listed] == [spec.ha_id for spec in FLEET]
    assert data(hub, f"{APPLIANCES}/oven-1") == next(one for one in listed if one["haId"] == "oven-1")


@pytest.mark.parametrize("method", ["POST", "DELETE", "HEAD", "OPTIONS"])
def test_other_methods_are_refused(hub: httpx.Client, method: str) -> None:
    """A key knows GET and PUT."""
    answer = hub.request(method, CHILD_LOCK_PATH)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, PUT")


def test_services_under_two_prefixes_share_no_state(hub: httpx.Client) -> None:
    """A write under one prefix is not seen under the other."""
    body = {"data": {"key": keys.CHILD_LOCK, "value": True}}
    assert hub.put(f"/deep/er{CHILD_LOCK_PATH}", json=body).status_code == 204
    assert data(hub, f"/deep/er{CHILD_LOCK_PATH}")["value"] is True
    assert data(hub, CHILD_LOCK_PATH)["value"] is False


def test_token_is_asked_for(hub: httpx.Client) -> None:
    """Without the right bearer token nothing is told."""
    codes = [
        hub.get(f"/secret{CHILD_LOCK_PATH}", headers={"Authorization": shown}).status_code
        for shown in ("", "Bearer wrong", "Bearer open sesame")
    ]
    assert codes == [401, 401, 200]
