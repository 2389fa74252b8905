"""The suite that a team writes by hand for reading: a GET and an assertion for each key that is served.

pytest runs a copy of this file in a directory of its own; `ENTRIES` names a file with what to read.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

TARGET: dict[str, Any] = json.loads(Path(os.environ["ENTRIES"]).read_text(encoding="utf-8"))
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
    with httpx.Client(base_url=TARGET["base_url"]) as client:
        yield client


@pytest.mark.parametrize(("path", "data_type"), TARGET["reads"])
def test_value_has_its_type(client: httpx.Client, path: str, data_type: str) -> None:
    """A read gives a value of the type that the catalog names."""
    assert isinstance(client.get(path).json()["data"]["value"], TYPES[data_type])
