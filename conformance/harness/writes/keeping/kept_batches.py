"""What an interrupted run had done of its writes: a run that goes on from it takes that, and makes the rest.

Procedures that are made together are a batch. When everything of a batch was answered and put back, the
ledger says so in a line of its own. What a batch had sent before it was cut short counts for nothing: it is
made again from its beginning.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self, cast

from msgspec import Struct
from msgspec.structs import replace
from pydantic import JsonValue

from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import PREPARE, Group
from conformance.checks.remarks import groups_of, read_of


class Batch(Struct, frozen=True):
    """Procedures of one appliance that were made together.

    Attributes:
        ha_id: the appliance.
        groups: the procedures, in their order.
        again: those that have to be made again alone.
    """

    ha_id: str
    groups: tuple[Group, ...]
    again: tuple[Group, ...] = ()

    @property
    def remark(self) -> Remark:
        """The line of the ledger that says that it was made."""
        members = {"made": self.groups, "again": self.again}
        note: dict[str, JsonValue] = {
            name: [str(one) for one in members[name]] for name in members if members[name]
        }
        return Remark("made", self.groups[0], self.ha_id, "*", note)

    @classmethod
    def of(cls, remark: Remark) -> Self:
        """The batch that a remark speaks of."""
        note = cast("dict[str, list[str]]", remark.note)
        made, again = (tuple(map(Group.parse, note.get(name, ()))) for name in ("made", "again"))
        return cls(remark.ha_id, made, again)


@dataclass
class KeptBatches:
    """The batches that an earlier run has made, with what was sent and noted for them.

    One that was made with a read of another batch is kept only with that.
    """

    exchanges: Sequence[Exchange] = ()
    remarks: Sequence[Remark] = ()
    _made: dict[tuple[str, tuple[Group, ...]], Batch] = field(init=False)
    _sent: Mapping[tuple[str, Group], list[Exchange]] = field(init=False)

    def __post_init__(self) -> None:
        self._made, self._sent = {}, defaultdict(list)
        for exchange in self.exchanges:
            if exchange.group:
                self._sent[exchange.lane, exchange.group].append(exchange)
        asked = {exchange.n: (exchange.lane, exchange.group) for exchange in self.exchanges}
        whole = {(remark.ha_id, PREPARE) for remark in self.remarks}
        needed: dict[tuple[str, Group | None], set[tuple[str, Group | None] | None]] = defaultdict(set)
        for remark in self.remarks:
            if remark.purpose == "known":
                for group in groups_of(remark):
                    needed[remark.ha_id, group].add(asked.get(read_of(remark)))
            elif remark.purpose == "made":
                batch = Batch.of(remark)
                own = {(batch.ha_id, group) for group in batch.groups}
                if all(needed[place] <= whole | own for place in own):
                    whole |= own
                    self._made[batch.ha_id, batch.groups] = batch

    def made(self, ha_id: str, groups: Iterable[Group]) -> Batch | None:
        """The batch of these procedures, where the earlier run has made it."""
        return self._made.get((ha_id, tuple(groups)))

    def sent(self, batch: Batch) -> Iterator[Exchange]:
        """What was sent for a batch, in its order; what it left to one that was not made is for none."""
        made = {group for ha_id, groups in self._made for group in groups if ha_id == batch.ha_id}
        found = {one.n: one for group in batch.groups for one in self._sent[batch.ha_id, group]}
        for number in sorted(found):
            first, *others = found[number].groups
            yield replace(found[number], groups=(first, *(group for group in others if group in made)))

    def noted(self, batch: Batch) -> Iterator[Remark]:
        """What was noted for a batch, in its order."""
        return (one for one in self.remarks if one.ha_id == batch.ha_id and one.group in batch.groups)

    def forget(self, ha_id: str, *groups: Group) -> None:
        """Has procedures made anew, whatever the earlier run has made of them."""
        for place in [*self._made]:
            if place[0] == ha_id and not {*groups}.isdisjoint(place[1]):
                del self._made[place]
