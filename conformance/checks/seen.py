"""What a run saw of one appliance, as a check may look at it.

A shared read is the one GET of a (segment, key); a group holds the exchanges of a procedure, in the order they
were made. Everything comes from the ledger, so that looking at a saved one gives the same view.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from catalog.maker import with_maker
from conformance.checks.answer import Answer, Outcome, Signature
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, TEACHING
from conformance.checks.tries import again
from conformance.checks.verdict import Inconclusive

if TYPE_CHECKING:
    from collections.abc import Mapping

    from catalog.model import Catalog, Entry, Segment
    from conformance.checks.groups import Group
    from conformance.checks.remark import Remark
    from conformance.profiles.model import Appliance, Claim, Pointers, Profile

POWER_STATE = "Vendor.Common.Setting.PowerState"
OPERATION_STATE = "Vendor.Common.Status.OperationState"
TEMPERATURE_UNIT = "Vendor.Common.Setting.TemperatureUnit"
LIQUID_UNIT = "Vendor.Common.Setting.LiquidVolumeUnit"
WORKED_OUT = ("anchor", "signatures", "answers_anything")
"""What a view works out once; it rests on shared reads and controls alone, so that later procedures do not change it."""


@lru_cache(maxsize=512)
def on_the_wire(values: tuple[str, ...], maker: str) -> frozenset[str]:
    """`values` as a server of `maker` spells them (line 3)."""
    return frozenset(with_maker(value, maker) for value in values)


def segment_of(answer: Answer) -> Segment:
    """The segment of the document an answer came from."""
    return "status" if answer.exchange.segment == "status" else "settings"


@dataclass(frozen=True)
class Seen:
    """One appliance as a run saw it. `remarks` are by group, like the answers.

    `looked_at` collects a case's evidence, `missed` the keys tried on the appliance that a case wanted to see and the run has not asked:
    of a part of a run, or of a ledger that holds less than is judged.
    """

    catalog: Catalog
    profile: Profile
    appliance: Appliance
    tried: tuple[str, ...]
    reads: Mapping[tuple[str, str], Answer]
    groups: Mapping[Group, tuple[Answer, ...]]
    remarks: Mapping[Group, tuple[Remark, ...]] = field(default_factory=dict["Group", "tuple[Remark, ...]"])
    looked_at: dict[int, Answer] = field(default_factory=dict[int, Answer], compare=False)
    missed: dict[str, None] = field(default_factory=dict[str, None], compare=False)

    def for_case(self) -> Seen:
        """The same view with empty lists of what was looked at and missed; what was worked out so far is kept."""
        view = replace(self, looked_at={}, missed={})
        view.__dict__.update({name: self.__dict__[name] for name in WORKED_OUT if name in self.__dict__})
        return view

    @property
    def maker(self) -> str:
        """The maker's name in keys and values of this appliance."""
        return self.profile.vendor_of(self.appliance)

    def pointers(self, segment: Segment) -> Pointers:
        """The pointers declared for answers under `segment`."""
        return self.profile.answer.under(segment)

    def claim(self, key: str) -> Claim:
        """What the profile claims of `key`; with a `[list]`, a key that is listed is still only unknown."""
        return self.appliance.claim(key)

    def read(self, key: str, segment: str | None = None) -> Answer | None:
        """The shared read of `key` under `segment` (its own by default), None when it was not made."""
        answer = self.reads.get((segment or self.catalog.entries[key].segment, key))
        if answer is not None:
            self.looked_at[answer.exchange.n] = answer
        elif key in self.tried and not self.is_asked(key):
            self.missed[key] = None
        return answer

    def is_asked(self, key: str) -> bool:
        """Whether there is a shared read of `key`, under any segment."""
        return any((segment, key) in self.reads for segment in self.catalog.entries[key].segments)

    def answers(self, entry: Entry) -> tuple[Answer, ...]:
        """The shared reads of `entry`: one, or one a segment for a contested status.

        Raises:
            Inconclusive: when the key was not asked.
        """
        found = tuple(answer for segment in entry.segments if (answer := self.read(entry.key, segment)))
        if not found:
            msg = "not asked in this run"
            raise Inconclusive(msg)
        return found

    def group(self, group: Group) -> tuple[Answer, ...]:
        """The answers of a procedure of this appliance, empty when it was not run."""
        answers = self.groups.get(group, ())
        self.looked_at.update((answer.exchange.n, answer) for answer in answers)
        return answers

    def value(self, key: str) -> object:
        """The value of `key` in its shared read, or None where there is none (no value is ever null).

        Where the shared read met an error, which says nothing of the entry, it is the value of the first of its tries that gave one.
        """
        answer = self.read(key)
        if answer and answer.is_error and answer.exchange.group is None:
            answer = next((read for read in self.group(again(answer)) if read.has_value and read.exchange.key == key), None)
        return answer.value if answer and answer.has_value else None

    def is_value(self, key: str, *names: str) -> bool:
        """Whether `key` was read and is the value called `names` (short names of its enumeration)."""
        values = tuple(value for value in self.catalog.entries[key].values or () if value.rpartition(".")[2] in names)
        found = self.value(key)
        return isinstance(found, str) and found in on_the_wire(values, self.maker)

    @property
    def value_pointer(self) -> str | None:
        """Where this run found values: as declared, or as guessed once; None where it found none."""
        return self.anchor.pointer if self.anchor else None

    @cached_property
    def anchor(self) -> Answer | None:
        """The first answer with a value, in catalog order: the sign that the appliance can be asked at all."""
        for key in self.tried:
            for segment in self.catalog.entries[key].segments:
                answer = self.reads.get((segment, key))
                if answer and answer.has_value:
                    return answer
        return None

    @cached_property
    def signatures(self) -> frozenset[Signature]:
        """What this appliance says for an entry that does not exist: learnt from keys that cannot exist and keys of other kinds."""
        teaching = [answer for group in TEACHING for answer in self.groups.get(group, ())]
        return frozenset(answer.signature for answer in teaching if answer.outcome in {Outcome.REFUSED, Outcome.NOVALUE})

    @cached_property
    def answers_anything(self) -> bool:
        """Whether two keys that cannot exist gave a value: then nothing this appliance says can be trusted."""
        if not self.profile.interpretation.unknown_yields_nothing:
            return False
        return sum(answer.has_value for group in (NONCE_SETTINGS, NONCE_STATUS) for answer in self.groups.get(group, ())) > 1
