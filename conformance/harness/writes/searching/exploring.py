"""Hypothesis state machines that look for faults which show only after a certain order of writes.

What a search sends stands in the ledger under `search/...` and is judged by nobody. The shortest order found
is made three times more, from the state as found, and that trace is what the clauses judge under their
ordinary case ids.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from catalog.keys import POWER_STATE
from conformance.checks.exchange import WRITES
from conformance.checks.extent import Omission
from conformance.checks.groups import (
    AMBIENT_ORDERS,
    COOLING_ORDERS,
    HOOD_ORDERS,
    POWER_ORDERS,
    ProcedureKind,
)
from conformance.checks.permission import reaches, why_not_written
from conformance.checks.reads.states import COOLING_MODES, is_setpoint
from conformance.checks.writes.trace import same, trace_of, with_reads
from conformance.harness.reads.gets import reread
from conformance.harness.steps import Ask
from conformance.harness.writes.procedures.lights import AMBIENT_KEYS, HOOD_KEYS
from conformance.harness.writes.procedures.model import WriteProcedure
from conformance.harness.writes.procedures.parts import may_write_now, read_controllers, read_until
from conformance.harness.writes.procedures.power import compared
from conformance.harness.writes.procedures.requests import write
from conformance.harness.writes.searching.alphabets import alphabet_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from catalog.model import Catalog, Level
    from conformance.checks.answer import Answer
    from conformance.checks.exempting import ExemptingState
    from conformance.checks.groups import Group
    from conformance.checks.view import View
    from conformance.harness.steps import Part, Procedure
    from conformance.harness.writes.procedures.model import Stage
    from conformance.harness.writes.searching.alphabets import Alphabet, Letter
    from conformance.profiles.model import Profile

_WRITTEN: Mapping[Group, tuple[str, ...]] = MappingProxyType(
    {
        POWER_ORDERS: (POWER_STATE,),
        AMBIENT_ORDERS: AMBIENT_KEYS,
        HOOD_ORDERS: HOOD_KEYS,
        COOLING_ORDERS: COOLING_MODES,
    }
)
"""The keys of each set of rules."""
REPLAYS = 3
"""A finding needs two; an appliance that remembers may need one to come into the state in which it shows."""
_STEPS = 25
"""Writes of one generated order at most."""
_MOST_CANDIDATES = 2
_MOST_EXAMPLES = 100
_UNRELATED_WRITES, _PATTERNS = 6, 2
"""Writes that an appliance is made to forget an order by, and the ways to choose them."""
_SHRINKING = 5
"""A search on loopback may cost so many times its budget more for making an order shorter; elsewhere it ends
where the budget does.
"""


class _FoundError(Exception):
    """A step contradicted a clause."""


class _SpentError(BaseException):
    """The budget is used up, or the appliance does not go back: the search ends wherever it is."""


class Search:
    """One machine on one appliance.

    Args:
        seen: the appliance.
        alphabet: what is written, and what evaluates it.
        perform: runs a procedure.
        restore: puts back what was written; the writes that took, None where something is not back.

    Attributes:
        group: the procedure that its writes are made for.
        history: the writes to the appliance up to the first finding, those of earlier procedures and those
            that put back among them.
    """

    def __init__(
        self,
        seen: View,
        alphabet: Alphabet,
        perform: Callable[[Procedure], None],
        restore: Callable[[], list[Letter] | None],
    ) -> None:
        """Has found nothing yet."""
        self._seen = seen
        self._alphabet = alphabet
        self._perform = perform
        self._restore = restore
        self.group = replace(alphabet.group, kind=ProcedureKind.SEARCH)
        self._answers: list[Answer] = []
        self._made: list[Letter] = []
        self.history: list[Letter] = []
        self._found: list[list[Letter]] = []
        self._left = seen.profile.generated
        self._pattern = 0

    def run(self) -> list[Letter]:
        """The shortest order found that contradicts a clause each time it is made; empty if there is none."""
        with suppress(_SpentError):
            self._search()
        if not self._found:
            return []
        if not self._seen.profile.is_loopback:
            return min(self._found, key=len)
        self._left = max(self._left, self._seen.profile.generated)
        shortest: list[Letter] = []
        with suppress(_SpentError):
            for candidate in self._candidates():
                shortest = shortest or self._contradicting(candidate)
            size = len(shortest) // 2
            while size:
                index = 0
                while index + size < len(shortest):  # the last write is the one that contradicts
                    shorter = self._contradicting([*shortest[:index], *shortest[index + size :]])
                    shortest, index = (shorter, index) if shorter else (shortest, index + size)
                size //= 2
        return shortest

    def prepare(self) -> None:
        """Makes unrelated writes, so that the appliance starts afresh before an order is judged."""
        self._left = max(self._left, self._seen.profile.generated)
        with suppress(_SpentError):
            self._make_unrelated_writes(self._pattern)

    def _make_unrelated_writes(self, pattern: int) -> None:
        """Writes the last letter again and again (pattern 0), or the letters in turn (pattern 1)."""
        self.begin()
        for index in range(_UNRELATED_WRITES):
            letters = self.letters()
            if letters:
                letter = letters[index % len(letters) if pattern else -1]
                self._ask(step(self._seen, self._alphabet, letter, self.group))

    def _candidates(self) -> list[list[Letter]]:
        """Orders to be made once more, the likeliest and shortest first.

        What an appliance remembers from before its state was put back is part of the order: so the writes
        before the first finding are candidates, too.
        """
        shortest = sorted(self._found, key=len)[:_MOST_CANDIDATES]
        return [*shortest, self._found[0], *(self.history[-size:] for size in (6, 12, 24))]

    def _search(self) -> None:
        """Lets Hypothesis look, and make shorter what it finds, until the budget is used up."""
        from hypothesis import HealthCheck, Phase, Verbosity, settings  # noqa: PLC0415  slow to import, and only a run that writes needs it
        from hypothesis import strategies as st  # noqa: PLC0415  slow to import
        from hypothesis.errors import HypothesisException  # noqa: PLC0415  slow to import
        from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test  # noqa: PLC0415  slow to import

        search = self

        class Orders(RuleBasedStateMachine):
            @initialize()
            def begin(self) -> None:
                search.begin()

            @rule(data=st.data())
            def write(self, data: st.DataObject) -> None:
                letters = search.letters()
                if letters:
                    search.take(data.draw(st.sampled_from(letters)))

        chosen = settings(
            max_examples=_MOST_EXAMPLES,
            stateful_step_count=_STEPS,
            derandomize=True,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            verbosity=Verbosity.quiet,
            report_multiple_bugs=False,
            suppress_health_check=(
                HealthCheck.too_slow,
                HealthCheck.filter_too_much,
                HealthCheck.data_too_large,
            ),
        )
        with suppress(_FoundError, HypothesisException):
            run_state_machine_as_test(Orders, settings=chosen)

    def begin(self) -> None:
        """A new example, from the state as found."""
        if self._answers:
            put_back = self._restore()
            if put_back is None:
                raise _SpentError
            self.history += [] if self._found else put_back
        self._answers.clear()
        self._made.clear()
        self._ask(opening(self._seen, self._alphabet, self.group))
        if not self.letters():
            raise _SpentError

    def letters(self) -> list[Letter]:
        """What may be written in the present state; empty if a watched key cannot be read or written now."""
        reads = [answer for answer in self._answers if answer.exchange.purpose not in WRITES]
        state = {
            answer.exchange.key: answer for answer in reads if answer.exchange.key in self._alphabet.watched
        }
        if len(state) < len(self._alphabet.watched) or not all(answer.has_value for answer in state.values()):
            return []
        may = may_write_now(with_reads(self._seen, reads), self._alphabet.watched[0])
        return self._alphabet.letters(self._seen, state) if may else []

    def take(self, letter: Letter) -> None:
        """Makes a write and evaluates it.

        Raises:
            _FoundError: when it contradicts a clause.
        """
        self._made.append(letter)
        if not self._found:
            self.history.append(letter)
        self._ask(step(self._seen, self._alphabet, letter, self.group))
        tried = trace_of(self._answers)
        if any(
            one is not None and one.result == "contradicts"
            for one in self._alphabet.evaluate(self._seen, tried)
        ):
            if not self._found and self._seen.profile.is_loopback:
                self._left += self._seen.profile.generated * _SHRINKING
            self._found.append(list(self._made))
            raise _FoundError

    def _contradicting(self, order: Sequence[Letter]) -> list[Letter]:
        """The order up to the write that contradicts a clause after either pattern; empty if none does.

        Where one of the patterns is the beginning of it, it contradicts earlier: the longer order counts.
        """
        longest: list[Letter] = []
        before = 0
        for pattern in range(_PATTERNS):
            self._make_unrelated_writes(pattern)
            self.begin()
            try:
                for letter in order:
                    self.take(letter)
            except _FoundError:
                if len(self._made) > len(longest):
                    longest, before = list(self._made), pattern
            else:
                return []
        self._pattern = before
        return longest

    def _ask(self, procedure: Procedure) -> None:
        before = len(self._answers)
        self._perform(_kept(procedure, self._answers))
        self._left -= len(self._answers) - before
        if self._left <= 0:
            raise _SpentError


@dataclass(frozen=True, slots=True)
class OrdersOfWrites(WriteProcedure):
    """Makes an order of writes that a search has found, as the search made it; `order` is empty before."""

    order: tuple[Letter, ...] = ()

    kind = ProcedureKind.ORDERS
    turn = 8
    is_by_itself = True
    level = "power"

    @property
    def writes(self) -> tuple[str, ...]:
        """The keys of its rules."""
        return _WRITTEN[self.group]

    def hindered_by(self, seen: View) -> tuple[ExemptingState, ...]:  # noqa: ARG002  the same of every appliance
        """Nothing: a search begins from the state as found."""
        return ()

    def watches(self, catalog: Catalog) -> set[str]:
        """What may lock them, and the setpoints."""
        return WriteProcedure.watches(self, catalog) | set(filter(is_setpoint, catalog.entries))

    def why_not(self, profile: Profile, level: Level) -> Omission | None:
        """For the cooling modes, those that may be written are enough."""
        if not reaches(level, self.level):
            return Omission("state machines run at level power", "--level power")
        if self.group == COOLING_ORDERS:
            omissions = [why_not_written(profile, level, key) for key in self.writes]
            return omissions[0] if all(omissions) else None
        return WriteProcedure.why_not(self, profile, level)

    def is_served(self, seen: View) -> bool:
        """Whether there is anything to search with."""
        return alphabet_of(self.group, seen) is not None

    def steps(self, stage: Stage) -> Part[bool]:
        """The writes of the order, and what is read after each."""
        alphabet = alphabet_of(self.group, stage.seen)
        if alphabet:
            yield from opening(stage.seen, alphabet, self.group)
            for letter in self.order:
                yield from step(stage.seen, alphabet, letter, self.group)
        return True


def opening(seen: View, alphabet: Alphabet, group: Group) -> Part[None]:
    """Reads what may keep the keys from being written, and the watched keys."""
    yield from read_controllers(seen, alphabet.watched, group)
    yield from _look(seen, alphabet, group)


def step(seen: View, alphabet: Alphabet, letter: Letter, group: Group) -> Part[None]:
    """One write, and what is read after it."""
    sent = yield write(seen, group, letter.key, letter.value)
    if sent.is_acknowledged:
        yield from read_until(seen, letter.key, group, lambda answer: same(answer.value, letter.value))
    if alphabet.group == POWER_ORDERS:
        yield from compared(seen, group, at_least=1 if group != alphabet.group else 2)
    else:
        yield from _look(seen, alphabet, group)


def _look(seen: View, alphabet: Alphabet, group: Group) -> Part[None]:
    for key in alphabet.watched:
        yield reread(seen, key, group)


def _kept(procedure: Procedure, answers: list[Answer]) -> Procedure:
    """The same procedure, whose answers are kept."""
    answer: Answer | None = None
    with suppress(StopIteration):
        while True:
            step = next(procedure) if answer is None else procedure.send(answer)
            answer = yield step
            if isinstance(step, Ask):
                answers.append(answer)
            else:
                answer = None
