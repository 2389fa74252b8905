"""The suite that a team writes by hand: each key is read, and its value has its type.

pytest runs a copy of this file against the server at `BASE_URL`; beside it lies a file with what to read.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

READS: list[tuple[str, str]] = json.loads(Path("entries.json").read_text(encoding="utf-8"))
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
    with httpx.Client(base_url=os.environ["BASE_URL"]) as client:
        yield client


@pytest.mark.parametrize(("path", "data_type"), READS)
def test_value_has_its_type(client: httpx.Client, path: str, data_type: str) -> None:
    """A read gives a value of the type that the catalog names."""
    assert isinstance(client.get(path).json()["data"]["value"], TYPES[data_type])
