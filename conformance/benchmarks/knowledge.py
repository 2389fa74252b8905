"""What somebody who writes a suite by hand knows of a server: which keys to read, and what to write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx

from catalog.exports.openapi import operation_path
from catalog.loader import load_catalog
from conformance.benchmarks.serving import Server

ENTRIES = "entries.json"


def write_entries(server: Server) -> None:
    """Writes the file ENTRIES of a server: base URL, reads (path, data type), writes (path, other value)."""
    with httpx.Client(base_url=server.base_url) as client:
        reads = list(_reads(client, server.profile))
        known = {"base_url": server.base_url, "reads": reads, "writes": list(_writes(client, reads))}
    (server.here / ENTRIES).write_text(json.dumps(known), encoding="utf-8")


def _reads(client: httpx.Client, profile: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The path and the data type of each key that an appliance supports, under a segment that it answers."""
    catalog = load_catalog()
    for appliance in profile["appliance"]:
        for entry in (catalog.entries[key] for key in appliance["supports"]):
            paths = (operation_path(entry, segment) for segment in entry.segments)
            filled = [path.replace("{haId}", quote(appliance["ha_id"])) for path in paths]
            yield next(path for path in filled if client.get(path).is_success), entry.type


def _writes(client: httpx.Client, reads: list[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    """The path of each setting that can be written as it stands, and another value than it has."""
    for path, data_type in reads:
        data = client.get(path).json()["data"]
        other = _other(data_type, data)
        if "/settings/" in path and other is not None and _takes(client, path, other, data["value"]):
            yield path, other


def _takes(client: httpx.Client, path: str, *values: object) -> bool:
    """Whether a setting can be written these values, one after the other."""
    key = path.rpartition("/")[2]
    answers = [client.put(path, json={"data": {"key": key, "value": value}}) for value in values]
    return (
        all(answer.is_success for answer in answers)
        and client.get(path).json()["data"]["value"] == values[-1]
    )


def _other(data_type: str, data: dict[str, Any]) -> object:
    """Another value that an entry takes, by what its answer shows; None where it shows none."""
    value, constraints = data.get("value"), data.get("constraints", {})
    if data_type == "Boolean":
        return not value
    choices = [*constraints.get("allowedvalues", ()), constraints.get("min"), constraints.get("max")]
    return next((choice for choice in choices if choice not in {None, value}), None)
