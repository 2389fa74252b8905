"""Captures as browsers, proxies and people write them, made of a few answers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BASE = "https://hub.example/v1"
SECRET = "s3cr3t-of-a-person"
_BEGIN = datetime(2026, 3, 1, 8, tzinfo=UTC)
_HEADERS = [
    {"name": "Authorization", "value": f"Bearer {SECRET}"},
    {"name": "Cookie", "value": f"session={SECRET}-of-cookie"},
    {"name": "Accept", "value": "application/json"},
]


def url_of(key: str, segment: str = "settings", ha_id: str = "fridge-1") -> str:
    """The address of a key."""
    return f"{BASE}/api/homeappliances/{ha_id}/{segment}/{key}"


def entry(url: str, value: object, at_s: float, *, status: int = 200, **more: Any) -> dict[str, Any]:
    """An entry of HAR: a GET that was answered with a value so many seconds after the first."""
    text = json.dumps({"data": {"value": value}})
    return {
        "startedDateTime": (_BEGIN + timedelta(seconds=at_s)).isoformat(),
        "time": 12.5,
        "request": {"method": "GET", "url": url, "headers": _HEADERS},
        "response": {
            "status": status,
            "headers": [{"name": "Content-Type", "value": "application/json"}],
            "content": {"size": len(text), "text": text},
        },
        **more,
    }


def write(url: str, value: object, at_s: float) -> dict[str, Any]:
    """An entry of HAR: a PUT of a value."""
    sent: dict[str, Any] = {
        "method": "PUT",
        "url": url,
        "headers": [],
        "postData": {"text": json.dumps({"data": {"value": value}})},
    }
    return entry(url, value, at_s, request=sent)


def har(path: Path, entries: Sequence[Mapping[str, Any]]) -> Path:
    """A HAR file."""
    log = {"version": "1.2", "creator": {"name": "a proxy", "version": "1"}, "entries": entries}
    path.write_text(json.dumps({"log": log}), encoding="utf-8")
    return path


def lines(path: Path, entries: Iterable[Mapping[str, Any]]) -> Path:
    """The same exchanges as NDJSON."""
    path.write_text("".join(f"{json.dumps(_line(one))}\n" for one in entries), encoding="utf-8")
    return path


def _line(one: Mapping[str, Any]) -> dict[str, Any]:
    asked, came = one["request"], one["response"]
    pairs = [[header["name"], header["value"]] for header in asked["headers"]]
    return {
        "at": one["startedDateTime"],
        "request": {"method": asked["method"], "url": asked["url"], "headers": pairs},
        "response": {
            "status": came["status"],
            "headers": [[header["name"], header["value"]] for header in came["headers"]],
            "body": came["content"]["text"],
        },
    }
