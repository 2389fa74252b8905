"""Answers of an appliance, and what is drafted from them."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from conformance.checks.exchange import Exchange
from conformance.harness.observing import Observations
from conformance.profiles.validation import build_profile
from conformance.runs.drafts.draft_document import begin_document
from conformance.runs.drafts.drafting import Draft, draft
from conformance.selftest.support.handmade import URL, exchange, numbered

POWER = "Vendor.Common.Setting.PowerState"
LOCK = "Vendor.Common.Setting.ChildLock"
ALARM = "Vendor.Common.Setting.AlarmClock"
DOOR = "Vendor.Common.Status.DoorState"
ON = "Vendor.Common.EnumType.PowerState.On"
VALUES: dict[str, object] = {POWER: ON, LOCK: False, ALARM: 5, DOOR: "Vendor.Common.EnumType.DoorState.Open"}
WORDS = {"name": "hub", "base_url": URL}


def draft_of(
    exchanges: Iterable[Exchange],
    text: str | None = None,
    words: Mapping[str, str] = WORDS,
    appliances: tuple[str, ...] = ("one:Oven",),
) -> Draft:
    """What is drafted, or completed, from these answers."""
    document = begin_document(None if text is None else text.encode(), words, appliances)
    profile = build_profile(document.unwrap(), environment={"TOKEN": "open sesame"})
    made = numbered(replace(one, lane=one.ha_id) for one in exchanges)
    return draft(document, list(Observations(profile, made).views().values()))


def answers(ha_id: str = "one", **members: object) -> list[Exchange]:
    """The answers of an appliance at the usual place, with more members of its power state."""
    bodies = {key: {"key": key, "value": shown} for key, shown in VALUES.items()}
    bodies[POWER] |= members
    return shaped(lambda key, _shown: {"data": bodies[key]}, ha_id)


def shaped(body: Callable[[str, object], object], ha_id: str = "one") -> list[Exchange]:
    """The answers of an appliance whose bodies are made so of key and value."""
    bodies = {key: json.dumps(body(key, shown)).encode() for key, shown in VALUES.items()}
    return [exchange(key, 200, text, ha_id=ha_id) for key, text in bodies.items()]


def appliance(text: str, ha_id: str = "one") -> dict[str, Any]:
    """The table of an appliance in a draft."""
    return next(table for table in tomllib.loads(text)["appliance"] if table["ha_id"] == ha_id)
