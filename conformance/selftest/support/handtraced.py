"""Traces of writes made by hand: a procedure in a few words, with the time between its exchanges; and power
walks, with power states by their short names.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any, TypeAlias

from msgspec.structs import replace

from catalog.loader import CATALOG
from conformance.checks.exchange import Exchange, Remark, Response
from conformance.checks.groups import WATCH, Group, setting_group
from conformance.checks.view import View
from conformance.runs.judging import Judged
from conformance.selftest.support.handmade import (
    HA_ID,
    JSON,
    each_of,
    exchange,
    profile_of,
    refusal,
    ruling,
    seen_of,
    value,
)

LOCK = "Vendor.Common.Setting.ChildLock"
Steps: TypeAlias = list[Exchange | float]
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


def restore(key: str, wanted: Any, status: int | None = 204) -> Exchange:
    """What puts a value back at the end of a procedure, and the status of its answer."""
    return replace(write(key, wanted, status), purpose="restore")


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


def twice(key: str, wanted: Any, *shown: object, **members: Any) -> Steps:
    """The same attempt twice."""
    return attempt(key, wanted, *shown, **members) * 2


def working(key: str, found: Any, other: Any) -> tuple[Exchange, ...]:
    """An allowed value that is written to a setting, and has its effect; the setting is served."""
    made = procedure(setting_group(key), read(key, found), attempt(key, other, other))
    return (value(key, found), *made)


def _flat(steps: Iterable[Exchange | float | Steps]) -> Iterator[Exchange | float]:
    return chain.from_iterable(step if isinstance(step, list) else [step] for step in steps)


def procedure(group: Group, *steps: Exchange | float | Steps) -> list[Exchange]:
    """The exchanges of a procedure, one after the other; a number is a pause in seconds."""
    elapsed = 0.0
    made: list[Exchange] = []
    for item in _flat(steps):
        if isinstance(item, int | float):
            elapsed += item
            continue
        at = (_STARTED + timedelta(seconds=elapsed)).isoformat(timespec="milliseconds")
        made.append(replace(item, groups=(group,), lane=HA_ID, at=at))
        elapsed += _REQUEST_S
    return made


LOCKS = working(LOCK, False, True)
"""The child lock is a setting that can be written."""


class Story:
    """A procedure on a key, and what the profile says: a row of a table of tests."""

    each_of = staticmethod(each_of)

    def __init__(
        self,
        *steps: Exchange | float | Steps,
        says: str = "",
        key: str = "",
        appliance: Mapping[str, object] | None = None,
        shared: tuple[Exchange, ...] = (),
        beside: tuple[Remark, ...] | None = None,
        **tables: object,
    ) -> None:
        """`says` are words of the finding, where they alone tell it from another. `key` is the one in
        question, where it is neither that of the test nor that of the first write, or of the last read where
        nothing is written. `shared` are the shared reads. The writes are those of others where it is said
        what was noted `beside` them.
        """
        self._says = says
        self._steps = steps
        self._key = key
        self._appliance = appliance
        self._shared = shared
        self._beside = beside
        self._tables = tables

    def ruling(self, clause: str, *about: Group | Callable[[str], Group] | str) -> Judged:
        """What is said of the story, told as each of the procedures, or as those of its key."""
        key = self._key or next((each for each in about if isinstance(each, str)), _written_in(self._steps))
        named = CATALOG.entries[key].kinds
        kind = next((kind for kind in ("Refrigerator", "Hood", "CleaningRobot") if kind in named), named[0])
        told = [each(key) if callable(each) else each for each in about if not isinstance(each, str)]
        made = [each for group in told for each in procedure(group, *self._steps)]
        seen = traced([*self._shared, *made], kind, appliance=self._appliance, **self._tables)
        if self._beside is not None:
            seen = replace(seen, witnessed=True, remarks={WATCH: self._beside})
        result = ruling(clause, key, seen)
        assert self._says in result.message
        # what writes showed is told beside what the document says
        assert result.verdict != "fail" or not self._steps or "document says" in result.message
        return result


def _written_in(steps: Iterable[Exchange | float | Steps]) -> str:
    """The key that is written first; where none is written, the one that is read last."""
    made = [step for step in _flat(steps) if isinstance(step, Exchange)]
    return next((step.key for step in made if step.purpose == "write"), made[-1].key if made else LOCK)


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


POWER, OPERATION = "Vendor.Common.Setting.PowerState", "Vendor.Common.Status.OperationState"
WALK_S = 60
"""The power settle time of a profile that does not say another."""


def wire(state: Any) -> Any:
    """A power state as it is written and read; what is none stays what it is."""
    return f"Vendor.Common.EnumType.PowerState.{state}" if isinstance(state, str) else state


def is_in(state: Any) -> Exchange:
    """A read of the power state within the walk."""
    return read(POWER, wire(state))


def operation(state: str) -> Exchange:
    """A read of the operation state within the walk."""
    return read(OPERATION, f"Vendor.Common.EnumType.OperationState.{state}")


def to(state: str, *shown: Any, status: int | None = 204, seconds: float = WALK_S) -> Steps:
    """A write of a power state, and reads that show these states, the last one when it had time to settle."""
    return attempt(POWER, wire(state), *(wire(each) for each in shown), status=status, seconds=seconds)


def both(power: str, state: str, times: int = 1, seconds: float = WALK_S) -> Steps:
    """PowerState and OperationState in turn, so often, over so many seconds."""
    steps: Steps = []
    for index in range(times):
        steps += [*([seconds / (times - 1)] if index else []), is_in(power), operation(state)]
    return steps


def served(power: str, state: str) -> tuple[Exchange, Exchange]:
    """The shared reads of PowerState and OperationState."""
    return value(POWER, wire(power)), value(OPERATION, f"Vendor.Common.EnumType.OperationState.{state}")


def walk(
    *steps: Exchange | float | Steps,
    declared: str = "On Off Standby",
    shown: tuple[Exchange, ...] = (),
    supports: tuple[str, ...] = (),
) -> Story:
    """A story of an appliance with these power states declared; with none declared where `declared` is empty.

    `shown` are its shared reads, unless it is just on; `supports` is what it claims.
    """
    states = {"power_states": declared.split()} if declared else {}
    appliance = {**states, "supports": [*supports]}
    return Story(*steps, key=POWER, appliance=appliance, shared=shown or (value(POWER, wire("On")),))


FROM_ON, FROM_OFF, FROM_STANDBY = is_in("On"), is_in("Off"), is_in("Standby")
DEAF_OFF = [FROM_ON, *to("Off", "On", "On") * 2]
"""Off is acknowledged and ignored, twice."""
TO_STANDBY_INSTEAD = [
    FROM_ON,
    *to("Off", "Standby", "Standby"),
    *to("On", "On"),
    *to("Off", "Standby", "Standby"),
]
"""Off leads to Standby, twice."""
