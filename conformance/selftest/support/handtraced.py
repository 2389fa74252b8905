"""Traces of writes made by hand: a procedure in a few words, with the time that
passes between its exchanges.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from conformance.cases import CATALOG
from conformance.checks.exchange import Response
from conformance.selftest.support.handmade import (
    HA_ID,
    JSON,
    exchange,
    judged,
    profile_of,
    refusal,
    seen_of,
    value,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from conformance.checks.exchange import Exchange
    from conformance.checks.groups import Group
    from conformance.checks.premise import Check
    from conformance.checks.view import View

LOCK = "Vendor.Common.Setting.ChildLock"
Steps: TypeAlias = "list[Exchange | float]"
SETTLE_S = 10
"""The settle time of a profile that does not say another."""
SILENT = object()
"""In place of a value: the read was refused."""
_STARTED = datetime(2026, 1, 1, tzinfo=UTC)
_REQUEST_S = 0.001


def read(
    key: str, shown: object, *, segment: str | None = None, ha_id: str = HA_ID, **members: Any
) -> Exchange:
    """A read within a procedure; SILENT for one that is refused."""
    answer = (
        refusal(key, 409, segment=segment)
        if shown is SILENT
        else value(key, shown, segment=segment, **members)
    )
    return replace(answer, purpose="repeat", ha_id=ha_id)


def write(key: str, wanted: Any, status: int | None = 204, *, segment: str | None = None) -> Exchange:
    """A write and the status of its answer; None where there was none."""
    sent = exchange(key, status, segment=segment, purpose="write")
    response = sent.response and Response(sent.response.status, JSON, b"", sent.response.elapsed_ms)
    return replace(sent, value=wanted, response=response)


def restore(key: str, wanted: Any) -> Exchange:
    """What puts a value back at the end of a procedure."""
    return replace(write(key, wanted), purpose="restore")


def attempt(
    key: str, wanted: Any, *shown: object, status: int | None = 204, seconds: float = SETTLE_S, **members: Any
) -> Steps:
    """A write, and reads of the same key that show these values; the last one after so many seconds.

    `members` are what the bodies of the reads show beside the value, and `segment`.
    """
    steps: Steps = [write(key, wanted, status, segment=members.get("segment"))]
    for index, each in enumerate(shown):
        if index == len(shown) - 1:
            steps.append(seconds)
        steps.append(read(key, each, **members))
    return steps


def procedure(group: Group, *steps: Exchange | float | Steps) -> list[Exchange]:
    """The exchanges of a procedure, one after the other; a number is a pause in seconds."""
    elapsed = 0.0
    made: list[Exchange] = []
    for item in chain.from_iterable(step if isinstance(step, list) else [step] for step in steps):
        if isinstance(item, int | float):
            elapsed += item
            continue
        at = (_STARTED + timedelta(seconds=elapsed)).isoformat(timespec="milliseconds")
        made.append(replace(item, group=group, lane=HA_ID, at=at))
        elapsed += _REQUEST_S
    return made


@dataclass(frozen=True)
class Story:
    """A procedure on a key (the child lock unless another is named), what the profile says, and the verdict
    with words of its finding.
    """

    verdict: str
    says: str
    steps: Steps
    key: str = LOCK
    appliance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    tables: Mapping[str, Any] = field(default_factory=dict[str, Any])
    shared: tuple[Exchange, ...] = ()

    def holds(self, check: Check, clause: str, *groups: Group) -> None:
        """Asks a check what it says of the story, told as each of the procedures; asserts that it says what
        it should.
        """
        named = CATALOG.entries[self.key].kinds
        kind = next((kind for kind in ("Refrigerator", "Hood", "CleaningRobot") if kind in named), named[0])
        told = [each for group in groups for each in procedure(group, *self.steps)]
        result = judged(
            check,
            clause,
            self.key,
            traced([*self.shared, *told], kind, appliance=self.appliance, **self.tables),
        )
        assert (result.verdict, self.says in result.message) == (self.verdict, True), result.message


def traced(
    exchanges: Iterable[Exchange],
    kind: str = "Refrigerator",
    /,
    *,
    appliance: Mapping[str, object] | None = None,
    **tables: object,
) -> View:
    """What these exchanges, shared reads and procedures, amount to for an appliance."""
    return seen_of(profile_of(kind, appliance=appliance, **tables), *exchanges)
