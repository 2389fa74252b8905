"""What a procedure need not read: what was read after one write is what is there before the next.

The ledger notes of each such read that it is of the later procedure as well, which then looks as if it had
made it.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from conformance.checks.answer import Answer, in_order
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import Group

NOWHERE: Final = 0
"""The number of no exchange."""


class _Note(Struct, frozen=True, omit_defaults=True):
    """What the ledger notes of such a read: its number, and the further procedures that it is for."""

    read: int
    also: list[str] = []


def known(groups: tuple[Group, ...], ha_id: str, read: Exchange) -> Remark:
    """That a read is what some procedures of an appliance begin with."""
    first, *others = groups
    note = _Note(read.n, [*map(str, others)])
    return Remark("known", first, ha_id, read.key, to_builtins(note))


def read_of(remark: Remark) -> int:
    """The number of the exchange that a remark is about.

    Raises:
        ValueError: when a member is missing or of a wrong type (msgspec's ValidationError is one).
    """
    return convert(remark.note, _Note).read


def groups_of(remark: Remark) -> tuple[Group, ...]:
    """The procedures that its read is for.

    Raises:
        ValueError: when one is none, or a member is missing or of a wrong type.
    """
    return remark.group, *map(Group.parse, convert(remark.note, _Note).also)


def renumbered(remark: Remark, numbers: Mapping[int, int]) -> Remark:
    """The remark for a ledger with other numbers of exchanges; of no exchange where that lacks it."""
    return replace(remark, note={**remark.note, "read": numbers.get(read_of(remark), NOWHERE)})


def with_known(
    made: Mapping[Group, list[Answer]], remarks: Iterable[Remark], read_by: Callable[[int], Answer | None]
) -> dict[Group, tuple[Answer, ...]]:
    """The answers of each procedure in their order, with those that it did not have to ask for.

    `read_by` finds the answer to an exchange of that number.
    """
    whole = {group: [*own] for group, own in made.items()}
    for remark in remarks:
        if remark.purpose == "known" and (read := read_by(read_of(remark))):
            for group in groups_of(remark):
                whole.setdefault(group, []).append(read)
    return {group: tuple(in_order(own)) for group, own in whole.items()}
