"""How many events an event stream brought, by appliance, kind and key: they are observed, never judged."""

from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from conformance.checks.exchange import Remark
from conformance.records.ledger_lines import recorded_in
from reports.texts import json_text, one_line, visible

MOST_VALUES: Final = 5  # of one key, in the order they came
_SHOWN: Final = 80


class EventCount(Struct, frozen=True):
    """The events about one key of an appliance.

    `values` are the first values that came, as JSON; `more` counts the others. `read` is the value that a GET
    gave after the last event that was followed by one, or empty.
    """

    ha_id: str
    kind: str
    key: str
    number: int
    values: tuple[str, ...]
    more: int
    read: str


def load_events(ledger: Path) -> tuple[EventCount, ...]:
    """The events noted in a ledger by appliance, kind and key, in the order they first came."""
    grouped: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for _, line in recorded_in(ledger, lambda text: b'"event"' in text):
        if isinstance(line, Remark) and line.purpose == "event":
            kind, key = line.note.get("kind"), line.note.get("key") or line.key
            grouped[_text(line.ha_id), _text(kind), _text(key)].append(line.note)
    return tuple(_events(place, events) for place, events in grouped.items())


def _events(place: tuple[str, str, str], events: list[dict[str, Any]]) -> EventCount:
    ha_id, kind, key = place
    values = tuple(_value(event) for event in events[:MOST_VALUES])
    read = next((json_text(event["read"], _SHOWN) for event in reversed(events) if "read" in event), "")
    return EventCount(ha_id, kind, key, len(events), values, len(events) - len(values), read)


def _value(event: dict[str, Any]) -> str:
    """The value of an event; where none was found in it, how the event begins."""
    if "value" in event:
        return json_text(event["value"], _SHOWN)
    return one_line(visible(_text(event.get("raw"))), _SHOWN)


def _text(value: object) -> str:
    return "" if value is None else visible(str(value))
