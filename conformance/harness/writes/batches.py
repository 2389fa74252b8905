"""Procedures of one appliance that are made together, since nothing couples what they write."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct

from conformance.checks.groups import Sends
from conformance.checks.view import View
from conformance.harness.writes.procedures.attending import Attended
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.harness.writes.procedures.scripts import Played, Scripted

_MOST, _MOST_IGNORED = 12, 72
"""Procedures made together, at most: what one of them has read before is to be true when it writes.

There may be more of those whose writes must all have no effect.
"""

_ALLOWED: Final = Sends.WRITES_ALLOWED
_One = TypeVar("_One", bound=WriteProcedure)


def batches_of(procedures: Iterable[_One], seen: View) -> list[list[_One]]:
    """Procedures in their order, those together that may write at the same time."""
    batches: list[list[_One]] = []
    for procedure in sorted(procedures, key=lambda one: one.turn):
        open_to = (batch for batch in batches if _has_room(procedure, batch, seen))
        may_join = (batch for batch in open_to if all(_goes_beside(procedure, one, seen) for one in batch))
        found = next(may_join, None)
        if found is None:
            batches.append([procedure])
        else:
            found.append(procedure)
    return batches


def _has_room(procedure: WriteProcedure, batch: Sequence[WriteProcedure], seen: View) -> bool:
    moving = [one for one in (procedure, *batch) if not one.is_to_be_ignored(seen)]
    is_alike = procedure.kind.sends is batch[0].kind.sends
    is_shared = all(one.is_shareable and not one.group.alone for one in (procedure, *batch))
    return is_alike and is_shared and len(moving) <= _MOST and len(batch) < _MOST_IGNORED


def _goes_beside(procedure: WriteProcedure, other: WriteProcedure, seen: View) -> bool:
    """Whether two procedures may write at the same time: what must have no effect disturbs nothing.

    Of two that write the same setting, one may undo unseen what the other was not to store.
    """
    pair = (procedure, other), (other, procedure)
    moves = any(not one.is_to_be_ignored(seen) and one.disturbs(beside, seen) for one, beside in pair)
    return not moves and set(procedure.writes).isdisjoint(other.writes)


def disturbed(odd: WriteProcedure, one: WriteProcedure, seen: View) -> bool:
    """Whether what came otherwise than it should may have disturbed another one of its batch."""
    return _goes_beside(one, odd, seen) and odd.disturbs(one, seen)


class Handled(Struct):
    """A procedure that moves hands or time, and was made: nothing that comes of it has it made again."""

    procedure: Attended
    error: Exception | None = None
    is_well: bool = True
    is_patient: bool = True
    has_rested: bool = True


Made: TypeAlias = Played | Handled


def scripts_of(batch: Collection[WriteProcedure], stage: Stage) -> list[Played]:
    """The scripts of a batch, of which nothing is sent yet."""
    is_single = len(batch) == 1
    return [
        Played(
            one,
            stage,
            is_patient=one.group.alone or one.is_patient,
            goes_on=is_single and one.kind.sends is _ALLOWED,
        )
        for one in batch
        if isinstance(one, Scripted)
    ]
