"""Which events an event stream brought, counted by appliance, kind and key: they are observed, never judged."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from reports.ndjson import read_objects
from reports.wording import json_text, one_line, visible

if TYPE_CHECKING:
    from pathlib import Path

MOST_VALUES: Final = 5  # of one key, in the order they came
_SHOWN: Final = 80


@dataclass(frozen=True, slots=True)
class Events:
    """The events about one key of an appliance.

    `values` are the first ones that came, texts of JSON; `more` counts the others. `read` is what a GET gave right after the
    last event that was followed by one; empty when none was asked for.
    """

    ha_id: str
    kind: str
    key: str
    number: int
    values: tuple[str, ...]
    more: int
    read: str


def load_events(ledger: Path) -> tuple[Events, ...]:
    """The events noted in a ledger, a record for each appliance, kind and key in the order they first came."""
    grouped: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for line in read_objects(ledger, containing=b'"event"'):
        note = line.get("note")
        if line.get("purpose") == "event" and isinstance(note, dict):
            event = cast("dict[str, Any]", note)
            key = event.get("key") or line.get("key")
            grouped[_text(line.get("ha_id")), _text(event.get("kind")), _text(key)].append(event)
    return tuple(_events(place, events) for place, events in grouped.items())


def _events(place: tuple[str, str, str], events: list[dict[str, Any]]) -> Events:
    ha_id, kind, key = place
    values = tuple(_value(event) for event in events[:MOST_VALUES])
    read = next((json_text(event["read"], _SHOWN) for event in reversed(events) if "read" in event), "")
    return Events(ha_id, kind, key, len(events), values, len(events) - len(values), read)


def _value(event: dict[str, Any]) -> str:
    """The value of an event, or how it begins where none was found in it."""
    return json_text(event["value"], _SHOWN) if "value" in event else one_line(visible(_text(event.get("raw"))), _SHOWN)


def _text(value: object) -> str:
    return "" if value is None else visible(str(value))
