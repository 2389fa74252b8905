"""What is written for one purpose, as data: writes in their order, what each must come to, what is read then.

A script is a list of steps that is made lazily: who makes it sees what was read so far. How writes are sent,
waited for and made beside others is the player's, and what is put back is the gate's.
"""

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from enum import Enum
from typing import ClassVar, NamedTuple, cast

from msgspec import Struct
from pydantic import JsonValue

from conformance.checks.answer import Answer
from conformance.checks.traces.effects import reads_back
from conformance.checks.view import View, with_reads
from conformance.harness.steps import Ask, acting_reads, locking_reads, reads_of, reread, write
from conformance.harness.writes.procedures.model import Stage, WriteProcedure
from conformance.model.json_values import same
from conformance.model.state_table import StateId
from conformance.model.states import may_write_now, write_exempting_state


class Due(Enum):
    """What must come of a write."""

    VALUE = "its value is read back"
    NOTHING = "the value of before is read"
    ANYTHING = "any value that the setting may have is read"


class Wait(Enum):
    """What is waited for after a write, once it shows the value that must come."""

    NONE = "nothing, or what is waited for after a later one"
    LATER = "nothing: what comes is read beside the next one"
    STAYS = "that its value stays, or that nothing happens where any may come"
    KEPT = "that its value stays, and not what else it may move"
    RETURNS = "that its value stays; one that has gone is read until it is back or its settle time is over"
    QUIET = "that nothing further happens"
    FREE = "that nothing further happens, and that what was written keeps it busy no more"
    SETTLED = "the settle time"


class Beside(Struct, frozen=True):
    """What has to come with a write, beside its own value.

    It is read in turn, `times` at least, until it `has_come` or its settle time is over, and once more then.
    """

    reads: tuple[Ask, ...]
    has_come: Callable[[Sequence[Answer]], bool]
    times: int = 1


class Step(Struct, frozen=True):
    """One step of a script: a write, if any, and reads after a wait.

    Attributes:
        key: what is written; empty where nothing is.
        value: what it is to show then.
        comes: what must come of it.
        wait: what is waited for then.
        segment: the segment under which it is written.
        text: how the value is sent where JSON has several spellings of it.
        watch: reads that must show what they showed before.
        look: further reads, of what a check looks at; what shows a wrong value is read once more.
        beside: what has to come with it.
        is_read: whether what it shows is read at once.
    """

    key: str = ""
    value: JsonValue = None
    comes: Due = Due.VALUE
    wait: Wait = Wait.STAYS
    segment: str = "settings"
    text: str = ""
    watch: tuple[Ask, ...] = ()
    look: tuple[Ask, ...] = ()
    beside: Beside | None = None
    is_read: bool = True


class Scripted(WriteProcedure):
    """A procedure whose writes are a script.

    Attributes:
        despite: the states in which it is made all the same.
        is_made_again: whether it is made again where it did not come as it should.
    """

    despite: ClassVar[Collection[StateId]] = ()
    is_made_again: ClassVar[bool] = True

    @abstractmethod
    def script(self, now: "Played") -> Iterator[Step]:
        """The writes; `now` shows what has come so far, and first what was read before all of them."""

    def own_read(self, seen: View, key: str) -> Ask:
        """The read of a key that it writes."""
        return reread(seen, key, self.group)

    def reads(self, seen: View, *keys: str) -> tuple[Ask, ...]:
        """Reads of some keys, those that give a value."""
        return reads_of(seen, keys, self.group)

    def opening(self, stage: Stage) -> Iterable[Ask]:
        """What is read before the first write: what may lock its keys, these, and what its writes watch."""
        seen = stage.seen
        served = [key for key in self.writes if ("settings", key) in seen.reads]
        own = (self.own_read(seen, key) for key in served)
        return (*locking_reads(seen, served, self.group), *own, *self.watched(stage))

    def rests_on(self, seen: View) -> set[str]:
        """What its writes must leave alone, too."""
        return super().rests_on(seen) | {ask.key for ask in self.watched(Stage(seen, {}))}

    def known(self, stage: Stage) -> Iterable[Answer]:  # noqa: ARG002  of most procedures, nothing
        """What was read at some time before the first write, and is not read again."""
        return ()

    def watched(self, stage: Stage) -> Iterable[Ask]:  # noqa: ARG002  of some procedures, nothing
        """What its writes must leave alone, and what else is compared with what it was before."""
        return ()

    def may_begin(self, now: "Played") -> bool:
        """Whether it may be made now, by what was read before the first write."""
        before = now.first(self.writes[0])
        is_open = before is not None and now.seen.admits(before) and not before.shown.is_read_only
        return is_open and may_write_now(now.now, self.writes[0], self.despite)

    def was_expected(self, seen: View) -> bool:
        """Whether it could be made by what was known before, so that it is odd where it cannot."""
        found = seen.reads.get(("settings", self.group.subject))
        is_open = found is not None and seen.admits(found) and not found.shown.is_read_only
        return is_open and may_write_now(seen, self.group.subject)

    def closing(self, now: "Played") -> Iterable[Ask]:
        """What is read at the end: what would show that somebody else acted meanwhile.

        What locks its key now, too: a write must not have moved that unseen.
        """
        key = self.writes[0]
        state = locking_reads(now.seen, [key], self.group) if write_exempting_state(now.seen, key) else ()
        return (*state, *acting_reads(now.seen, self.group))

    def convicts(self, seen: View, key: str) -> bool:
        """Whether an appliance is at fault that refuses a value of a key."""
        return seen.appliance.is_writable(key)


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


class Next(NamedTuple):
    """What is next of a step, the reads that it begins with, and how long is waited before, in seconds."""

    phase: Phase
    reads: Sequence[Ask] = ()
    seconds: float = 0.0


class Played:
    """One script while it is played: what was sent for it, and what came of that.

    One that `is_patient` has each of its writes waited for, and goes on whatever comes. Others end with the
    first thing that is not as it should be, or turn patient then where they go on.

    Attributes:
        has_failed: whether a write did not come to what it should.
        was_right: whether the last step came as it should.
        has_stayed: whether all that it watched did.
        has_moved: whether anything moved that was watched.
        error: what broke it.
        step: what is made of it now.
        sent: the answer to its last write.
        answers: all that came, in order.
        has_rested: whether all that it wrote was waited for, or shows a value after another one has stayed.
        course: all that is done for it.
        ahead: what is next of that, which is due from `until` on.
    """

    def __init__(self, procedure: Scripted, stage: Stage, *, is_patient: bool, goes_on: bool = False) -> None:
        """Nothing is sent yet."""
        self.procedure = procedure
        self.group = procedure.group
        self.stage = stage
        self.seen: View = stage.seen
        self.is_patient = is_patient
        self._goes_on = goes_on
        self.was_right = self.has_stayed = True
        self.has_moved = self.has_failed = False
        self.has_rested = True
        self.error: Exception | None = None
        self.step: Step | None = None
        self.sent: Answer | None = None
        self.answers: list[Answer] = []
        self.course: Iterator[Next] = iter(())
        self.ahead: Next | None = None
        self.until = 0.0
        self._begun = 0  # how many answers had come when the step that is made now began
        self._steps = procedure.script(self)
        for answer in procedure.known(stage):
            self.take(answer)

    @property
    def is_well(self) -> bool:
        """Whether everything came as it should so far."""
        return not (self.has_failed or self.has_moved) or not self.procedure.is_made_again

    def is_at(self, phase: Phase) -> bool:
        """Whether that phase is next."""
        return self.ahead is not None and self.ahead.phase is phase

    def advance(self) -> bool:
        """Goes on to the next step; whether there is one."""
        self.is_patient = self.is_patient or (self._goes_on and not self.is_well)
        is_ended = self.error is not None or not (self.is_well or self.is_patient)
        try:
            self.step = None if is_ended else next(self._steps, None)
        except Exception as error:  # noqa: BLE001  the others go on
            self.error, self.step = error, None
        self._begun = len(self.answers)
        return self.step is not None

    def take(self, answer: Answer) -> None:
        """Takes down what came of a request."""
        self.answers.append(answer)
        if answer.is_write:
            self.sent = answer

    @property
    def now(self) -> View:
        """The appliance as it was read last."""
        own = self.seen.appliance.ha_id
        return with_reads(self.seen, [one for one in self.answers if one.ha_id == own and not one.is_write])

    def _reads(self, key: str, ha_id: str = "", *, until: int | None = None) -> Iterator[Answer]:
        """The reads of a key, the last one first; those among the first answers alone where `until` is."""
        place = ha_id or self.seen.appliance.ha_id, key
        come = reversed(self.answers[:until])
        return (one for one in come if (one.ha_id, one.key) == place and not one.is_write)

    def first(self, key: str) -> Answer | None:
        """The first read of a key that gave a value."""
        return next((one for one in [*self._reads(key)][::-1] if one.has_value), None)

    def last(self, key: str) -> Answer | None:
        """The last read of a key."""
        return next(self._reads(key), None)

    def known(self, key: str) -> Answer | None:
        """The last read of a key that gave a value."""
        return next((one for one in self._reads(key) if one.has_value), None)

    def value(self, key: str) -> JsonValue:
        """The value that was read last; None where there was none."""
        read = self.last(key)
        return cast("JsonValue", read.value) if read and read.has_value else None

    def shows(self, key: str, value: JsonValue) -> bool:
        """Whether a value was read last."""
        read = self.last(key)
        return read is not None and read.has_value and same(read.value, value)

    def answer_to(self, ask: Ask) -> Answer | None:
        """What was read last where a request reads."""
        return next((one for one in self._reads(ask.key, ask.ha_id) if one.segment == ask.segment), None)

    def own_read(self, written: Step) -> Ask:
        """The read of what is written."""
        return self.procedure.own_read(self.seen, written.key)

    def had(self, key: str, ha_id: str = "") -> Answer | None:
        """The last read of a key before the step that is made now."""
        return next(self._reads(key, ha_id, until=self._begun), None)

    @property
    def watched_s(self) -> float:
        """How long it was read after its last write, in seconds."""
        return max(0.0, self.answers[-1].began - self.sent.ended) if self.sent else 0.0

    def request(self, step: Step) -> Ask:
        """The request of a write."""
        return write(self.seen, self.group, step.key, step.value, step.segment, step.text)

    def has_taken(self, written: Step) -> bool:
        """Whether a written value was read last; so has what writes nothing."""
        if not written.key:
            return True
        read = self.last(written.key)
        if read is None or self.sent is None:
            return False
        return reads_back(self.seen.values(written.key, read), written.value, read, self.sent)

    def has_left(self, written: Step) -> bool:
        """Whether a write has moved its key that must not, or left it at a value that it may not have."""
        read, before = self.last(written.key), self.had(written.key)
        if read is None or not read.has_value or written.comes is Due.VALUE:
            return False
        is_compared = written.comes is Due.NOTHING and before is not None and before.has_value
        return not same(read.value, before.value) if is_compared and before else not self.seen.admits(read)
