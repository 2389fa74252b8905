"""One state machine at work on one appliance: where it is, and the writes that it may make there.

The declared list of settings, where there is one, tells by one read which settings moved.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from catalog.keys import OPERATION_STATE, POWER_STATE
from catalog.maker import with_maker
from conformance.checks.answer import Answer
from conformance.checks.exchange import WRITES
from conformance.checks.groups import LISTS, POWER_ORDERS, Group, ProcedureKind
from conformance.checks.reads.edges import agrees, items_of
from conformance.checks.traces.trace import trace_of
from conformance.checks.view import View, with_reads
from conformance.checks.writes.power_readback import at_odds
from conformance.harness.reads.gets import listing, reread
from conformance.harness.steps import Ask, Part, Pause, Procedure, Result
from conformance.harness.writes.procedures.parts import (
    is_over,
    may_write_now,
    poll_pauses,
    read_controllers,
    read_until,
    wait_quietly,
)
from conformance.harness.writes.procedures.power import compared
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.searching.alphabets import Alphabet, Letter, Word
from conformance.model.json_values import same

_WORTH_IT = 4
"""Of fewer settings, each is read after a write of another: a list would save nothing."""


class Watcher:
    """The list of one appliance, which is read for `group`, as a watcher of some settings."""

    def __init__(self, seen: View, watched: Collection[str], group: Group) -> None:
        self._seen = seen
        self._group = group
        self._items: dict[str, object] = {}
        read = seen.groups.get(LISTS[0], ())
        items = self._read(read[-1]) if read else {}
        self._is_one = len(watched) >= _WORTH_IT and all(
            key in items and agrees(items[key], seen.value(key)) for key in watched
        )

    def look(self) -> Part[None]:
        """Reads the list, from which is told what moves later."""
        shape = self._seen.profile.list.settings
        if self._is_one and shape:
            self._items = self._read((yield listing(self._seen, "settings", shape, self._group)))

    def moved(self, watched: Collection[str], written: str, *, took: bool) -> Part[Collection[str]]:
        """Those of some settings that may have moved: all of them where the list is no watcher.

        `took` says whether the value of the `written` setting changed since the list was read last.
        """
        before = self._items
        if not self._is_one:
            return watched
        yield from self.look()
        changed = {key for key in {*before, *self._items} if not self._is_like(before, key)}
        self._is_one = not took or written in changed
        if not self._is_one:
            return watched
        return [key for key in watched if key in changed or key not in before]

    def _is_like(self, before: Mapping[str, object], key: str) -> bool:
        return repr(self._items.get(key)) == repr(before.get(key))  # true is not 1

    def _read(self, answer: Answer) -> dict[str, object]:
        """The items of a list by their keys, as the catalog spells them."""
        found = {key: item for key, item in items_of(self._seen, answer) or () if isinstance(key, str)}
        wire = {key: with_maker(key, self._seen.maker) for key in self._seen.tried}
        return {key: found[name] for key, name in wire.items() if name in found}


class Machine:
    """One alphabet on one appliance.

    Attributes:
        asked: how many requests it has made; a key that was read until its time was over counts as often as
            it is read at most, since how often it was depends on how long answers take.
    """

    def __init__(self, seen: View, alphabet: Alphabet, group: Group) -> None:
        """Has asked nothing yet; its exchanges are made for `group`."""
        self._seen = seen
        self._alphabet = alphabet
        self._group = group
        self._is_search = group.kind is ProcedureKind.SEARCH
        self._answers: list[Answer] = []
        self._watcher = Watcher(seen, alphabet.watched, group)
        self.asked = 0

    def begin(self) -> Part[None]:
        """Reads what may keep the keys from being written, and the watched keys; forgets what was before."""
        self._answers.clear()
        yield from self.counted(read_controllers(self._seen, self._alphabet.watched, self._group))
        yield from self.counted(self._look(self._alphabet.watched))
        if self._is_search:
            yield from self.counted(self._watcher.look())

    def letters(self) -> list[Letter]:
        """What may be written in the present state; empty if a watched key cannot be read or written now."""
        watched, state = self._alphabet.watched, self._state()
        if len(state) < len(watched) or not all(answer.has_value for answer in state.values()):
            return []
        may = may_write_now(with_reads(self._seen, self._reads()), watched[0])
        return self._alphabet.letters(self._seen, state) if may else []

    @property
    def place(self) -> Word:
        """What of the present state tells one order from another."""
        return self._alphabet.place(self._state())

    @property
    def moved(self) -> set[str]:
        """The watched keys that show another value than at the beginning."""
        first = {answer.exchange.key: answer for answer in reversed(self._reads())}
        return {key for key, answer in self._state().items() if not same(answer.value, first[key].value)}

    def write(self, letter: Letter) -> Part[None]:
        """One write, and what is read after it: while it searches, what that write may have moved."""
        yield from self.counted(self._written(letter))

    def follow(self, order: tuple[Word, ...]) -> Part[None]:
        """Makes an order from the state as found, as far as the states allow it."""
        yield from self.begin()
        for word in order:
            letter = self.spelled(word)
            if letter is None:
                return
            yield from self.write(letter)

    def spelled(self, word: Word) -> Letter | None:
        """The write of this state that a word stands for; None where the state has none."""
        return next((letter for letter in self.letters() if self._alphabet.word(letter) == word), None)

    def is_contradicted(self) -> bool:
        """Whether the last write contradicts a clause."""
        return self._alphabet.is_contradicted(self._seen, trace_of(self._answers))

    def counted(self, procedure: Part[Result], *, kept: bool = True) -> Part[Result]:
        """The same procedure, whose requests are counted, and whose answers are `kept`."""
        told: Answer | None = None
        raised: BaseException | None = None
        polls, has_paused = list[Answer](), False
        while True:
            try:
                if raised:
                    step = procedure.throw(raised)
                else:
                    step = next(procedure) if told is None else procedure.send(told)
            except StopIteration as end:
                return end.value
            told = raised = None
            try:
                told = yield step
            except GeneratorExit:
                procedure.close()
                raise
            except BaseException as error:  # noqa: BLE001  it is for the procedure, also that the run ends
                raised = error
                continue
            if isinstance(step, Ask):
                self.asked += 1
                polls = [*polls, told] if has_paused and _is_again(polls[-1:], told) else [told]
                self._count_as_most(polls)
                if kept:
                    self._answers.append(told)
            else:
                told = None
            has_paused = isinstance(step, Pause) and not step.is_quiet  # which is no poll

    def _count_as_most(self, polls: Sequence[Answer]) -> None:
        """Counts reads with pauses between them as the most that they may be, where their time is over."""
        first, *later = polls
        if later and is_over(self._seen, first, later[-1]):
            most = sum(1 for _ in poll_pauses(self._seen, first.exchange.key))
            self.asked += max(0, most - len(later))

    def _reads(self) -> list[Answer]:
        return [answer for answer in self._answers if answer.exchange.purpose not in WRITES]

    def _state(self) -> dict[str, Answer]:
        """The last read of each watched key."""
        watched = self._alphabet.watched
        return {answer.exchange.key: answer for answer in self._reads() if answer.exchange.key in watched}

    def _written(self, letter: Letter) -> Procedure:
        seen, group = self._seen, self._group
        before = self._state()[letter.key].value
        sent = yield write(seen, group, letter.key, letter.value)
        now = before
        if sent.is_acknowledged:
            shown = yield from read_until(
                seen, letter.key, group, lambda answer: same(answer.value, letter.value)
            )
            now = shown.value
        elif self._is_search:
            now = (yield reread(seen, letter.key, group)).value
        is_power = self._alphabet.group == POWER_ORDERS
        if self._is_search:
            beside, took = self._alphabet.beside(letter), not same(before, now)
            yield from self._look((yield from self._watcher.moved(beside, letter.key, took=took)))
            if is_power and self._is_odd():
                yield from compared(seen, group, at_least=1)
        elif is_power:
            yield from compared(seen, group)
        else:
            yield from wait_quietly(seen, letter.key)  # what the write moves late is not the next one's doing
            yield from self._look(self._alphabet.watched)
            if self.is_contradicted():  # what came may go again, as long as its settle time is not over
                yield Pause(seen.profile.timing.settle_seconds(letter.key), for_wrong=True)
                yield from self._look(self._alphabet.watched)

    def _is_odd(self) -> bool:
        """Whether the last reads of PowerState and OperationState contradict each other."""
        last = {answer.exchange.key: answer.value for answer in self._answers}
        return at_odds(self._seen, last[POWER_STATE], last.get(OPERATION_STATE))

    def _look(self, keys: Iterable[str]) -> Procedure:
        for key in keys:
            yield reread(self._seen, key, self._group)


def _is_again(before: Sequence[Answer], now: Answer) -> bool:
    """Whether a read is one of the same key as the answer before it, which may be that of a write."""
    places = [(one.exchange.ha_id, one.exchange.key) for one in (*before, now)]
    return len(set(places)) == 1 and now.exchange.purpose not in WRITES
