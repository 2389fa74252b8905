"""The steps that a procedure of reads may take: it yields one, and is given what came of it."""

from collections.abc import Generator
from typing import TypeAlias, TypeVar

from msgspec import Struct
from pydantic import JsonValue

from conformance.checks.answer import Answer
from conformance.checks.exchange import Purpose, Remark
from conformance.checks.groups import Group
from conformance.harness.wire.messages import Wanted


class Ask(Struct, frozen=True):
    """One request of a run: whose, what for, and what to send; `value` is what a write is to write.

    `lane` is the haId of the appliance whose procedure asks; empty where that is `ha_id` itself. `also` are
    the further procedures that the answer is for. For one that `may_be_known`, a read does that was made
    since anything was written that may move it.
    """

    purpose: Purpose
    group: Group | None
    ha_id: str
    key: str
    segment: str
    wanted: Wanted
    value: JsonValue = None
    lane: str = ""
    also: tuple[Group, ...] = ()
    may_be_known: bool = False


_RESOLUTION_S = 0.001


class Pause(Struct, frozen=True):
    """Nothing is sent for this procedure for so many seconds."""

    seconds: float

    @property
    def lasts_s(self) -> float:
        """How long it is made: so that the times of a ledger, which are in milliseconds, show all of it."""
        return self.seconds + _RESOLUTION_S if self.seconds else 0.0


Step: TypeAlias = Ask | Pause | Remark
Result = TypeVar("Result")
Part: TypeAlias = Generator[Step, Answer, Result]
"""A part of a procedure, for `yield from`; its result goes to the procedure.

The answer is sent into the generator after an `Ask`, None after any other step.
"""
Procedure: TypeAlias = Part[object]
"""A part that stands by itself."""
