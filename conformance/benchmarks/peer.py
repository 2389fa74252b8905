"""The suite that a team writes by hand: each key read, each setting written, read back and restored.

pytest runs a copy of this file in a directory of its own, against the server at `BASE_URL`; `ENTRIES` names a
file with what to read and write.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

KNOWN: dict[str, Any] = json.loads(Path(os.environ["ENTRIES"]).read_text(encoding="utf-8"))
TYPES: dict[str, type | tuple[type, ...]] = {
    "Boolean": bool,
    "Integer": int,
    "Double": (int, float),
    "Float": (int, float),
    "String": str,
    "Enumeration": str,
}


@pytest.fixture(scope="session")
def client() -> Iterator[httpx.Client]:
    """One client for all tests."""
    with httpx.Client(base_url=f"{os.environ['BASE_URL']}/") as client:
        yield client


def read(client: httpx.Client, path: str) -> Any:
    """The value of a key."""
    return client.get(path).json()["data"]["value"]


def write(client: httpx.Client, path: str, value: Any) -> None:
    """Writes a setting."""
    key = path.rpartition("/")[2]
    client.put(path, json={"data": {"key": key, "value": value}}).raise_for_status()


@pytest.mark.parametrize(("path", "data_type"), KNOWN["reads"])
def test_value_has_its_type(client: httpx.Client, path: str, data_type: str) -> None:
    """A read gives a value of the type that the catalog names."""
    assert isinstance(read(client, path), TYPES[data_type])


@pytest.mark.parametrize(("path", "value"), KNOWN["writes"])
def test_setting_takes_a_value(client: httpx.Client, path: str, value: Any) -> None:
    """A written value reads back, and the earlier one can be restored."""
    before = read(client, path)
    write(client, path, value)
    assert read(client, path) == value
    write(client, path, before)
    assert read(client, path) == before
