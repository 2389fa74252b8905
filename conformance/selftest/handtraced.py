"""Traces of writes made by hand: a procedure in a few words, with the time that passes between its exchanges."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.checks.exchange import Response
from conformance.selftest.handmade import HA_ID, JSON, exchange, profile_of, refusal, seen_of, value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.checks.exchange import Exchange
    from conformance.checks.seen import Seen

Steps: TypeAlias = "list[Exchange | float]"
SETTLE_S = 10
"""The settle time of a profile that does not say another."""
SILENT = object()
"""In place of a value: the read was refused."""
_STARTED = datetime(2026, 1, 1, tzinfo=UTC)
_REQUEST_S = 0.001


def read(key: str, shown: object, *, segment: str | None = None, ha_id: str = HA_ID, **members: Any) -> Exchange:
    """A read within a procedure; SILENT for one that is refused."""
    answer = refusal(key, 409, segment=segment) if shown is SILENT else value(key, shown, segment=segment, **members)
    return replace(answer, purpose="repeat", ha_id=ha_id)


def write(key: str, wanted: Any, status: int | None = 204, *, segment: str | None = None) -> Exchange:
    """A write and the status of its answer; None where there was none."""
    sent = exchange(key, status, segment=segment, purpose="write")
    response = sent.response and Response(sent.response.status, JSON, b"", sent.response.elapsed_ms)
    return replace(sent, value=wanted, response=response)


def attempt(key: str, wanted: Any, *shown: object, status: int | None = 204, seconds: float = SETTLE_S, **members: Any) -> Steps:
    """A write, and reads of the same key that show these values; the last one after so many seconds.

    `members` are what the bodies of the reads show beside the value, and `segment`.
    """
    steps: Steps = [write(key, wanted, status, segment=members.get("segment"))]
    for index, each in enumerate(shown):
        if index == len(shown) - 1:
            steps.append(seconds)
        steps.append(read(key, each, **members))
    return steps


def procedure(name: str, *steps: Exchange | float | Steps) -> list[Exchange]:
    """The exchanges of a procedure, one after the other; a number is a pause in seconds."""
    elapsed = 0.0
    made: list[Exchange] = []
    for item in chain.from_iterable(step if isinstance(step, list) else [step] for step in steps):
        if isinstance(item, int | float):
            elapsed += item
            continue
        at = (_STARTED + timedelta(seconds=elapsed)).isoformat(timespec="milliseconds")
        made.append(replace(item, group=f"{name}@{HA_ID}", at=at))
        elapsed += _REQUEST_S
    return made


def traced(
    exchanges: Iterable[Exchange], kind: str = "Refrigerator", /, *, appliance: Mapping[str, object] | None = None, **tables: object
) -> Seen:
    """What these exchanges, shared reads and procedures, amount to for an appliance."""
    return seen_of(profile_of(kind, appliance=appliance, **tables), *exchanges)
