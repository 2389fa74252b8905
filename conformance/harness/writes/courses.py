"""What is next of each script that is played side by side, and whose turn it is.

A step is made in phases. Those that come to one phase at the same time make it together, but for the writes
with which their steps begin: these are in an order in which one wait serves as many as it may.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from conformance.harness.steps import Ask
from conformance.harness.writes.procedures.scripts import Due, Look, Played, ScriptWrite, Step, Wait

UNAWAITED = frozenset({Wait.NONE, Wait.LATER})
"""What is not waited for where it is written."""


class Phase(Enum):
    """The phases of a step, in their order: what is done next."""

    BEGINNING = "it is written"
    WRITING_AGAIN = "it is written once more"
    COMING = "what must come is read"
    RESTING = "a wait begins"
    RESTED = "what was written is read"
    COMING_LATE = "what may come is read, where it has begun to"
    BESIDE = "what comes with it is read"
    LOOKING = "what is watched and looked at is read"
    STILL_WRONG = "what was wrong is read once more"


TOGETHER = Phase.RESTED, Phase.STILL_WRONG
"""The phases that begin with the longest wait of all that come to one together."""


class Next(NamedTuple):
    """What is next of a step, the reads that it begins with, and how long is waited before, in seconds."""

    phase: Phase
    reads: Sequence[Ask] = ()
    seconds: float = 0.0


@dataclass
class Playing:
    """A script that is played: its course, what is next, and the time from which that is due."""

    script: Played
    course: Iterator[Next]
    ahead: Next | None = None
    until: float = 0.0

    def is_at(self, phase: Phase) -> bool:
        """Whether that phase is next."""
        return self.ahead is not None and self.ahead.phase is phase


def first_of(due: Sequence[Playing]) -> Sequence[Playing]:
    """Those whose steps have their turn: those that wait for nothing, and only then those that do.

    So one wait serves as many as it may. Those that look around come later, and those that write nothing
    last: they look at what is beside their keys together, and after all writes.
    """
    ready = [each for each in due if not _waits(each.script)] or due
    turns = [_turn_of(each.script.step) for each in ready]
    return [each for each, turn in zip(ready, turns, strict=True) if turn == min(turns)]


def _waits(one: Played) -> bool:
    """Whether the step of a script waits for what may come late."""
    step = one.step
    is_watched = isinstance(step, ScriptWrite) and step.comes is Due.NOTHING and one.is_patient
    return step is not None and (step.wait not in UNAWAITED or is_watched)


def _turn_of(step: Step | None) -> int:
    if isinstance(step, Look) and step.wait is not Wait.NONE:
        return 2
    return int(isinstance(step, ScriptWrite) and bool(step.watch))
