"""A client that openapi-python-client generates on the exported OpenAPI document, and the reference."""

import json
import subprocess
import sys
from collections.abc import Generator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import httpx_sse
import pytest

from catalog.exports.openapi import openapi_document
from catalog.keys import ALARM_CLOCK, LOCAL_CONTROL
from conformance.cases import CATALOG
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


def test_what_is_written_is_read(generated: Generated) -> None:
    """The document shows no way to write; the client of the package sends what the profile declares."""
    written = {"data": {"key": ALARM_CLOCK, "value": 600}}
    assert generated.http.put(f"{SETTINGS}/{ALARM_CLOCK}", json=written).status_code == 204
    assert 590 <= generated.read(ALARM_CLOCK).parsed.data.value <= 600


@pytest.mark.parametrize(
    ("key", "ha_id", "status"), [(ALARM_CLOCK, "nobody", 404), ("Cooking.Common.Setting.Lighting", OVEN, 409)]
)
def test_errors_are_met(key: str, ha_id: str, status: int, generated: Generated) -> None:
    """An appliance or a setting that is not there gives a status and no model."""
    answer = generated.read(key, ha_id)
    assert (answer.status_code, answer.parsed) == (status, None)


def test_events_of_a_minute_are_followed(generated: Generated) -> None:
    """A minute of the reference's clock, which is moved by hand: local control begins, and ends by itself."""
    with httpx_sse.connect_sse(generated.http, "GET", f"/api/homeappliances/{OVEN}/events") as stream:
        generated.http.post("/_reference/touch", json={"ha_id": OVEN})
        for _ in range(6):
            generated.http.post("/_reference/advance", json={"seconds": 10})
        items = (item for event in stream.iter_sse() if event.data for item in event.json()["items"])
        told = (item["value"] for item in items if item["key"] == LOCAL_CONTROL)
        assert [next(told), next(told)] == [True, False]
