"""The reference answers as the document says, its profile says what is true of it, and it ends when it is
told to.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from catalog import keys
from catalog.loader import load_catalog
from catalog.model import Segment
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service

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


def test_token_is_never_in_a_profile() -> None:
    """A service with a token names the environment variable that holds it."""
    profile = truthful_profile(Service(token="open sesame"), "http://127.0.0.1:1", knowledge="L0")
    assert profile["auth"] == {"headers": {"Authorization": "Bearer ${REFERENCE_TOKEN}"}}


# The appliances of the reference serve the whole catalog and start within its rules.
CATALOG = load_catalog()
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
