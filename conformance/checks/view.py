"""What a run saw of one appliance, as a check may look at it.

A shared read is the one GET of a (segment, key); a group holds the exchanges of a procedure, in the order
they were made. Everything comes from the ledger, so that looking at a saved one gives the same view.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from catalog.keys import short_name
from catalog.loader import CATALOG
from catalog.maker import with_maker
from catalog.model import Entry, Segment
from conformance.checks.answer import Absence, Answer, Outcome
from conformance.checks.exchange import Exchange, Remark
from conformance.checks.groups import NONCE_SETTINGS, NONCE_STATUS, Group
from conformance.checks.learned import Learned, Trail
from conformance.checks.remarks import Loss, LostAppliance
from conformance.checks.verdict import Inconclusive
from conformance.model.values import Values
from conformance.profiles.model import Appliance, Claim, Profile
from conformance.profiles.sections import Pointers

_Told = TypeVar("_Told")


def segment_of(answer: Answer) -> Segment:
    """The segment of the document an answer came from."""
    return "status" if answer.segment == "status" else "settings"


class View(Struct, frozen=True, eq=False, dict=True):
    """What a run saw of one appliance; `made` are the answers by group, and so are the `remarks`.

    A check asks `read` or `answers` for shared reads, and `group` for a procedure, all of whose answers its
    verdict then rests on. Where only some of them decide, it asks `made_in`, and says with `look_at` which;
    where it cannot know which procedures matter, it looks through `groups`. `made` itself takes nothing down.

    `companions` are the haIds of the other appliances whose settings are compared with those of this one, and
    `beside` what was read first of them, as `reads` is.
    `answering` are, for one of which no key gave a value, those of its maker of which one did.
    `pointed` are the declared places of the bounds, `settings.min` and the like, at which some answer of the
    whole run, of any appliance, has a member.
    `all_writes` are the writes to any appliance of the whole run.
    The writes of one that is `witnessed` were made by others, whom nobody can ask.
    `trail` takes down what a case looks at. `known` is what was learned from the same reads before, so that
    no case works it out again.
    """

    profile: Profile
    appliance: Appliance
    tried: tuple[str, ...]
    reads: Mapping[tuple[str, str], Answer]
    made: Mapping[Group, tuple[Answer, ...]]
    remarks: Mapping[Group, tuple[Remark, ...]] = {}
    companions: tuple[str, ...] = ()
    beside: Mapping[str, Mapping[tuple[str, str], Answer]] = {}
    answering: tuple[str, ...] = ()
    trail: Trail = field(default_factory=Trail)
    known: Learned | None = None
    lost: LostAppliance | None = None
    cut: Mapping[Group, Loss] = {}
    pointed: frozenset[str] = frozenset()
    all_writes: Sequence[Exchange] = ()
    witnessed: bool = False

    def along(self, trail: Trail) -> "View":
        """The same view for one case, whose looks are taken down in `trail`."""
        return replace(self, trail=trail, known=self.learned)

    def once(self, name: object, work: Callable[["View"], _Told]) -> _Told:
        """What `work` makes of the appliance, for the first case that asks under a name, and for all others.

        Each of them has looked at what that takes, also where it raises. What is asked of the appliance as it
        was at another time is worked out each time.
        """
        learned = self.known or self.learned
        if learned.reads is not self.reads or learned.groups is not self.made:
            return work(self)
        known = learned.worked_out.get(name)
        trail = known[1] if known else Trail()
        try:
            if known is None:
                known = learned.worked_out[name] = work(self.along(trail)), trail
            return known[0]
        finally:
            self.trail.add(trail)

    @property
    def groups(self) -> Mapping[Group, tuple[Answer, ...]]:
        """The answers of all procedures; a case that looks through them may rest on any that comes later."""
        self.trail.is_of_all = True
        return self.made

    def later_reads(self, key: str) -> Iterable[Answer]:
        """What was read of `key` again in procedures that ask as a shared read does, under any segment."""
        return self._of(self.made).later.get(key, {}).values()

    @property
    def told(self) -> Sequence[Answer]:
        """What came of all requests of procedures to this appliance, in their order."""
        return self._of(self.groups).told.get(self.appliance.ha_id, ())

    def _of(self, made: Mapping[Group, tuple[Answer, ...]]) -> Learned:
        return self.learned if self.learned.groups is made else self._learned

    def want(self, more: Group | Answer) -> None:
        """Takes down what would tell more of the case if it were made, or made once more.

        It is a procedure, or the request of an answer: of a shared read, or a generated one.
        """
        self.trail.wanted[more if isinstance(more, Group) else more.n] = None

    def look_at(self, *answers: Answer) -> None:
        """Takes down answers as those that the case rests on."""
        self.trail.answers.update((answer.n, answer) for answer in answers)

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
        answer = self.reads.get((segment or CATALOG.entries[key].segment, key))
        if answer is not None:
            self.trail.answers[answer.n] = answer
        elif key in self.tried and not self.is_asked(key):
            self.trail.missed[key] = None
        return answer

    def is_asked(self, key: str) -> bool:
        """Whether there is a shared read of `key`, under any segment."""
        return any((segment, key) in self.reads for segment in CATALOG.entries[key].segments)

    def answers(self, entry: Entry) -> tuple[Answer, ...]:
        """The shared reads of `entry`: one, or one a segment for a contested status.

        Raises:
            Inconclusive: when the key was not asked.
        """
        found = tuple(answer for segment in entry.segments if (answer := self.read(entry.key, segment)))
        if not found:
            raise Inconclusive("not asked in this run")
        return found

    def group(self, group: Group) -> tuple[Answer, ...]:
        """The answers of a procedure of this appliance, empty when it was not run.

        Where it was made again alone, and wrote, they are those of that alone.
        """
        answers = self.made.get(self._told(group), ())
        self.look_at(*answers)
        return answers

    def made_in(self, group: Group) -> tuple[Answer, ...]:
        """The answers of a procedure, empty when it was not run; the case rests on those that it looks at."""
        self.trail.groups.add(group)
        return self.made.get(group, ())

    def made_about(self, key: str, group: Group) -> tuple[Answer, ...]:
        """The answers of a procedure, as of `made_in`; empty where it asked nothing about a key."""
        if any(answer.key == key for answer in self.made.get(group, ())):
            return self.made_in(group)
        self.trail.silent.add(group)
        return ()

    def noted(self, group: Group) -> tuple[Remark, ...]:
        """What was noted in a procedure of this appliance, also before it was made again alone."""
        groups = dict.fromkeys((group, self._told(group)))
        return tuple(remark for one in groups for remark in self.remarks.get(one, ()))

    def _told(self, group: Group) -> Group:
        alone = replace(group, alone=True)
        self.trail.groups.update((group, alone))
        again = self.made.get(alone, ())
        return alone if any(answer.is_write for answer in again) else group

    def value(self, key: str) -> object:
        """The value of `key` in its shared read, or None where there is none (no value is ever null)."""
        answer = self._definite(key)
        return answer.value if answer and answer.has_value else None

    def _definite(self, key: str) -> Answer | None:
        """The shared read of `key`; where it met an error, which says nothing, the first try without one."""
        answer = self.read(key)
        if answer is None or not answer.is_error or answer.exchange.group is not None:
            return answer
        tries = (one for one in self.group(answer.again) if one.key == key)
        return next((one for one in tries if not one.is_error), answer)

    def is_value(self, key: str, *names: str) -> bool:
        """Whether `key` was read and is the value called `names` (short names of its enumeration)."""
        found, values = self.value(key), CATALOG.entries[key].values or ()
        return isinstance(found, str) and any(
            found == with_maker(value, self.maker) for value in values if short_name(value) in names
        )

    def why_unanswered(self, key: str) -> str:
        """What was answered about `key` that says nothing of the appliance, in a word; else empty.

        Where access is refused as to a key that cannot exist, the key is not served.
        """
        answer = self._definite(key)
        if answer is None or answer.has_value:
            return ""
        if answer.absence is Absence.MALFORMED:  # a state may refuse, it does not garble
            return "malformed"
        nonces = (one for group in (NONCE_SETTINGS, NONCE_STATUS) for one in self.made.get(group, ()))
        is_closed = answer.outcome is Outcome.AUTH and (
            self.claim(key) == "yes" or all(one.status != answer.status for one in nonces)
        )
        is_nothing = is_closed or answer.is_error or answer.outcome is Outcome.THROTTLE
        return str(answer.status or answer.outcome.value) if is_nothing else ""

    def was_served(self, key: str) -> bool:
        """Whether a key gave a value at any time of the run."""
        known = self.known.reads.values() if self.known else ()
        told = (*self.made.values(), self.reads.values(), known)
        return any(one.has_value and one.key == key for answers in told for one in answers)

    def is_confirmed(self, key: str) -> bool:
        """Whether a second read shows the value of the shared read of `key`, where that has one.

        That read is wanted where none was made.
        """
        first = self.read(key)
        if first is None or not first.has_value:
            return True
        reads = (first, *self.later_reads(key))
        if len({read.n for read in reads if read.has_value and read.value == first.value}) > 1:
            return True
        if not self.made_in(first.again):
            self.want(first)
        return False

    def values(self, key: str, *reads: Answer) -> Values:
        """What `key` may hold on this appliance, as some reads of it show."""
        return Values(CATALOG.entries[key], self.appliance, self.maker, tuple(one.shown for one in reads))

    def here(self, key: str) -> Values:
        """What `key` may hold on this appliance, as its shared read shows."""
        read = self.read(key)
        return self.values(key, *([read] if read else ()))

    def admits(self, read: Answer) -> bool:
        """Whether a read shows a value that its key may be written to, or put back to."""
        return read.has_value and self.values(read.key, read).admits(read.value)

    @property
    def value_pointer(self) -> str | None:
        """Where this run found values: as declared, or as guessed once; None where it found none."""
        return self.anchor.pointer if self.anchor else None

    @property
    def learned(self) -> Learned:
        """What shared reads and controls teach about the appliance; later procedures do not change it."""
        return self.known if self.known and self.known.reads is self.reads else self._learned

    @cached_property
    def _learned(self) -> Learned:
        return Learned(self.profile, self.tried, self.reads, self.made)

    @property
    def anchor(self) -> Answer | None:
        """The first answer with a value, in catalog order: a sign that the appliance can be asked at all."""
        return self.learned.anchor


def with_reads(seen: View, later: Iterable[Answer]) -> View:
    """The appliance with later reads in place of its shared ones."""
    return replace(
        seen,
        reads={**seen.reads, **{answer.place: answer for answer in later}},
    )
