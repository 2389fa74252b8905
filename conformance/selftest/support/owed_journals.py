"""Journals made by hand, and the servers that they owe something."""

import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from conformance.profiles.toml import toml_of
from conformance.records.journal_lines import JOURNAL_FILE, SCHEMA
from conformance.reference.profile import truthful_profile
from conformance.reference.server import serve
from conformance.reference.service import Service
from conformance.selftest.support.recording import MACHINE_ID


@contextmanager
def served(
    service: Service, hub: Path | None = None, **tables: Mapping[str, object] | list[Any]
) -> Generator[dict[str, Any]]:
    """The truthful profile of a service that listens, with more in some tables; also in the file `hub`.

    A list of tables takes the place of the one that is there.
    """
    with serve({"": service}) as base_url:
        data: dict[str, Any] = truthful_profile(service, base_url)
        for name, more in tables.items():
            data[name] = more if isinstance(more, list) else data.get(name, {}) | more
        if hub:
            hub.write_text(toml_of(data), encoding="utf-8")
        yield data


POWER = "Vendor.Common.Setting.PowerState"
LOCK = "Vendor.Common.Setting.ChildLock"
ON, OFF = "Vendor.Common.EnumType.PowerState.On", "Vendor.Common.EnumType.PowerState.Off"
HEADER: dict[str, Any] = {
    "n": 0,
    "schema": SCHEMA,
    "suite": "1.0",
    "level": "power",
    "profile": {},
    "at": "2026-11-21T09:00:01Z",
}
END = {"n": 99, "end": True, "at": "2026-11-21T09:04:00Z"}
NOTHING = {"after": None, "now": None, "tries": 0, "note": ""}
"""What is said of a key that nothing was read of."""


def write(n: int, key: str, value: object, before: object = None, **more: object) -> dict[str, Any]:
    """A write of a case, as it is noted before it is sent."""
    return {
        "n": n,
        "intent": "write",
        "group": f"set/{key}@oven-1",
        "ha_id": "oven-1",
        "key": key,
        "segment": "settings",
        "value": value,
        "before": before,
        **more,
    }


def outcome(n: int, of: int, word: object = "acknowledged") -> dict[str, Any]:
    """What became of a write."""
    return {"n": n, "of": of, "outcome": word, "answer": "204", "evidence": 57}


def restored(n: int, key: str, *, done: bool = True, **more: object) -> dict[str, Any]:
    """The end of a group for one key."""
    own: dict[str, Any] = {"ha_id": "oven-1", "key": key, "segment": "settings", "before": None}
    return {"n": n, "restored": done, **own, **NOTHING, "tries": 1, **more}


def journal_text(*lines: dict[str, Any]) -> str:
    """The text of a journal with these lines after its first."""
    return "".join(json.dumps(line) + "\n" for line in (HEADER, *lines))


# Journals of a machine whose lines are numbered by their places.
def intent(
    key: str, before: object, *, ha_id: str = MACHINE_ID, segment: str = "settings", value: object = None
) -> dict[str, Any]:
    """A write that was about to be sent, and what was there before."""
    return write(0, key, value, before, group=f"x@{ha_id}", ha_id=ha_id, segment=segment)


def settled(key: str, *, restored: bool, ha_id: str = MACHINE_ID) -> dict[str, Any]:
    """The end of what was owed for a key, or that it is not."""
    own: dict[str, Any] = {"ha_id": ha_id, "key": key, "segment": "settings", "before": None}
    return {"restored": restored, **own, **NOTHING}


def journal(
    path: Path, profile: Mapping[str, object], *lines: dict[str, Any], level: str = "power", cut: str = ""
) -> Path:
    """A journal in the directory `path` with these lines, and the beginning of one that was cut."""
    every = [{**HEADER, "level": level, "profile": profile}, *lines]
    text = "".join(json.dumps({**line, "n": number}) + "\n" for number, line in enumerate(every))
    place = path / JOURNAL_FILE
    place.write_text(text + cut, encoding="utf-8")
    return place
