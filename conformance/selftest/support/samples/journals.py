"""Journals made by hand."""

import json
from typing import Any

POWER = "Vendor.Common.Setting.PowerState"
LOCK = "Vendor.Common.Setting.ChildLock"
ON, OFF = "Vendor.Common.EnumType.PowerState.On", "Vendor.Common.EnumType.PowerState.Off"
HEADER: dict[str, Any] = {
    "n": 0,
    "schema": "appliance-conformance/journal/1",
    "suite": "1.0",
    "level": "power",
    "profile": {},
    "at": "2026-11-21T09:00:01Z",
}
END = {"n": 99, "end": True, "at": "2026-11-21T09:04:00Z"}


def write(n: int, key: str, value: object, before: object = None, **more: object) -> dict[str, Any]:
    """A write of a case, as it is noted before it is sent."""
    return {
        "n": n,
        "intent": "write",
        "group": f"set/{key}@oven-1",
        "ha_id": "oven-1",
        "key": key,
        "value": value,
        "before": before,
        **more,
    }


def outcome(n: int, of: int, word: object = "acknowledged") -> dict[str, Any]:
    """What became of a write."""
    return {"n": n, "of": of, "outcome": word, "answer": "204", "evidence": 57}


def restored(n: int, key: str, *, done: bool = True, **more: object) -> dict[str, Any]:
    """The end of a group for one key."""
    return {"n": n, "restored": done, "ha_id": "oven-1", "key": key, "tries": 1, "note": "", **more}


def journal_text(*lines: dict[str, Any]) -> str:
    """The text of a journal with these lines after its first."""
    return "".join(json.dumps(line) + "\n" for line in (HEADER, *lines))
