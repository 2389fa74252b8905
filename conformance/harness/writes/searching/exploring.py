"""The search for an order of writes that contradicts a clause, on one appliance.

A search makes every short order of the writes that the states allow, one write after the other. Where one
contradicts a clause, the search finds the shortest order that does so from the state as found. What it sends
stands in the ledger under `search/...` and is judged by nobody: the order is made three times more, and that
trace is what the clauses judge under their ordinary case ids.

The declared number of requests bounds all of it: a third is for looking, the rest for making the order
shorter and for making it again.
"""

from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

from msgspec.structs import replace

from conformance.checks.groups import POWER_ORDERS, Group, ProcedureKind
from conformance.checks.traces.evaluating import TIMES
from conformance.checks.view import View
from conformance.harness.steps import Part, Procedure
from conformance.harness.writes.searching.alphabets import Alphabet, Letter, Word
from conformance.harness.writes.searching.machine import Machine

Move: TypeAlias = tuple[Word, Word]
"""A write, and the place in which it was made: what of the state tells one order from another."""
_Order: TypeAlias = tuple[Move, ...]


class Tour:
    """The orders of writes that were made from one place, each without a gap, and what may follow them.

    Args:
        longest: the writes of the longest order that is wanted.
        home: the place in which all of them begin: that of the state as found.
    """

    def __init__(self, longest: int, home: Word) -> None:
        self._longest = longest
        self._home = home
        self._made: set[_Order] = set()
        self._following: dict[_Order, tuple[Move, ...]] = {}
        self._row: _Order = ()

    def note(self, move: Move) -> None:
        """A write was made."""
        self._made.update(self._orders(self._row, move))
        self._row = self._after(self._row, move)

    def choose(self, moves: Sequence[Move]) -> Move | None:
        """The write that makes the shortest new order, of those that may be made now.

        Where none of them makes one, it is the first on the shortest way to one, or to where it is not known
        what may follow; None where there is no way. So short orders come first, and in the end all are made.
        """
        self._following[self._row] = tuple(dict.fromkeys(moves))
        novelties = {move: self._novelty(self._row, move) for move in moves}
        move = min(moves, key=novelties.__getitem__)
        return move if novelties[move] <= self._longest else self._first_on_the_way()

    def _first_on_the_way(self) -> Move | None:
        ways: deque[tuple[_Order, Move | None]] = deque([(self._row, None)])
        known: set[_Order] = {self._row}
        while ways:
            row, first = ways.popleft()
            for move in self._following[row]:
                after = self._after(row, move)
                if after not in self._following or self._novelty(row, move) <= self._longest:
                    return first or move
                if after not in known:
                    known.add(after)
                    ways.append((after, first or move))
        return None

    def _after(self, row: _Order, move: Move) -> _Order:
        return (*row, move)[-(self._longest - 1) :]

    def _novelty(self, row: _Order, move: Move) -> int:
        """The length of the shortest new order that ends with a write; more than the longest without one."""
        new = (len(order) for order in self._orders(row, move) if order not in self._made)
        return next(new, self._longest + 1)

    def _orders(self, row: _Order, move: Move) -> list[_Order]:
        """The orders that end with a write after a row, the shortest first."""
        whole = (*row, move)
        orders = (whole[-size:] for size in range(1, len(whole) + 1))
        return [order for order in orders if order[0][1] == self._home]


REPLAYS = 3
"""A finding needs two; an appliance that remembers may need one to come into the state in which it shows."""
_FOR_LOOKING = 3
_WRITE_AND_READ = 2
_UNRELATED_WRITES, _PATTERNS = 6, 2
"""Writes that an appliance is made to forget an order by, and the ways to choose them."""
_LONGER = (0, 1, 2, 4, 8, 20)
"""How many writes more than the longest order that is looked for are tried as the one that contradicts."""


class _SpentError(Exception):
    """The budget is used up, or the appliance does not go back: the search ends wherever it is."""


def search_group(group: Group) -> Group:
    """The group of what a search for orders of `group` sends."""
    return replace(group, kind=ProcedureKind.SEARCH)


class Search:
    """One machine on one appliance.

    Args:
        seen: the appliance.
        alphabet: what is written, and what evaluates it.
        put_back: puts back what was written for a group; whether everything is back.

    Attributes:
        group: the procedure that its exchanges are made for.
    """

    def __init__(self, seen: View, alphabet: Alphabet, put_back: Callable[[Group], Part[bool]]) -> None:
        self.group = search_group(alphabet.group)
        self._alphabet = alphabet
        self._put_back = put_back
        self._machine = Machine(seen, alphabet, self.group)
        self._budget = seen.profile.generated
        self._made: list[Word] = []
        self._pattern = 0
        self._each_write = self._last_write = self._beginning = self._returned = 1

    def run(self, earlier: Sequence[Letter] = ()) -> Part[tuple[Word, ...] | None]:
        """The shortest order found that contradicts a clause each time it is made; empty if there is none.

        It is None where nothing could be written, so that nothing was looked for.
        `earlier` are all writes to the appliance before, which it may remember.
        """
        found = False
        with suppress(_SpentError):
            found = yield from self._look()
        if not found:
            return () if self._made else None
        whole, direct, shortest = tuple(self._made), self._direct(), ()
        with suppress(_SpentError):
            history = [*map(self._alphabet.word, earlier), *whole]
            if direct and self._left >= (1 + TIMES) * self._price(direct):
                yield from self._begin()
                shortest = direct if (yield from self._is_contradicted_by(direct)) else ()
            for longer in _LONGER:
                last = history[-self._alphabet.longest - longer :]
                shortest = shortest or (yield from self._contradicting(last))
            size = len(shortest) // 2
            while size:
                index = 0
                while index + size < len(shortest):  # the last write is the one that contradicts
                    shorter = yield from self._contradicting([*shortest[:index], *shortest[index + size :]])
                    shortest, index = (shorter, index) if shorter else (shortest, index + size)
                size //= 2
        return shortest or (whole if self._left >= self._price(whole) else direct or whole)

    def make_again(self, order: Sequence[Word], made: Callable[[], Procedure]) -> Part[None]:
        """Has an order made again for judging, as often as it is to be and the budget allows.

        Before each time the appliance is made to forget the time before, where that can be afforded, too.
        `made` makes the order. An empty order is not made.
        """
        for again in range(REPLAYS if order else 0, 0, -1):
            with suppress(_SpentError):
                if self._left >= self._beginning + self._forgetting + (again + 1) * self._price(order):
                    yield from self._begin()
                    yield from self._make_unrelated_writes(self._pattern)
                yield from self._back()
            if self._left >= self._price(order) - self._going_back:
                yield from self._machine.counted(made(), kept=False)

    @property
    def _left(self) -> int:
        return self._budget - self._machine.asked

    def _look(self) -> Part[bool]:
        """Makes orders until one contradicts a clause; whether one did."""
        yield from self._begin()
        tour = Tour(self._alphabet.longest, self._machine.place)
        while self._machine.asked < self._budget / _FOR_LOOKING:
            place, letters = self._machine.place, dict[Move, Letter]()
            for letter in self._machine.letters():
                letters.setdefault((self._alphabet.word(letter), place), letter)
            move = tour.choose([*letters]) if letters else None
            if move is None:
                return False
            tour.note(move)
            if (yield from self._contradicts(letters[move])):
                return True
        return False

    def _direct(self) -> tuple[Word, ...]:
        """The last write after those alone that make the state it was made in; empty if none can be left out.

        Of each key that is the last of its writes, unless the key shows what it did at the beginning. Where
        places tell orders apart, so short an order was made before.
        """
        *made, last = self._made
        latest = {key: word for word in made if (key := _key(word)) != _key(last)}
        moved = self._machine.moved
        order = (*(word for key, word in latest.items() if key in moved), last)
        return () if self._machine.place or len(order) > len(made) else order

    def _contradicting(self, order: Sequence[Word]) -> Part[tuple[Word, ...]]:
        """The order up to the write that contradicts a clause after either pattern; empty if none does.

        Where one of the patterns is the beginning of it, it contradicts earlier: the longer order counts.

        Raises:
            _SpentError: when it could not be made again any more afterwards.
        """
        once = self._forgetting + self._going_back + self._beginning + len(order) * self._each_write
        if self._left < _PATTERNS * once + TIMES * self._price(order):
            raise _SpentError
        longest: tuple[Word, ...] = ()
        before = 0
        for pattern in range(_PATTERNS):
            yield from self._make_unrelated_writes(pattern)
            yield from self._begin()
            if not (yield from self._is_contradicted_by(order)):
                return ()
            if len(self._made) > len(longest):
                longest, before = tuple(self._made), pattern
        self._pattern = before
        return longest

    def _is_contradicted_by(self, order: Sequence[Word]) -> Part[bool]:
        for word in order:
            letter = self._machine.spelled(word)
            if letter is None:
                return False
            if (yield from self._contradicts(letter)):
                return True
        return False

    def _make_unrelated_writes(self, pattern: int) -> Part[None]:
        """Writes the last letter again and again (pattern 0), or the letters in turn (pattern 1)."""
        for index in range(_UNRELATED_WRITES):
            letters = self._machine.letters()
            if letters:
                yield from self._contradicts(letters[index % len(letters) if pattern else -1])

    def _begin(self) -> Part[None]:
        """Begins anew, from the state as found."""
        yield from self._back()
        before = self._machine.asked
        yield from self._machine.begin()
        self._made.clear()
        self._beginning = max(self._beginning, self._machine.asked - before)
        if not self._machine.letters():
            raise _SpentError

    def _back(self) -> Part[None]:
        before = self._machine.asked
        if not (yield from self._machine.counted(self._put_back(self.group), kept=False)):
            raise _SpentError
        self._returned = max(self._returned, self._machine.asked - before)

    def _contradicts(self, letter: Letter) -> Part[bool]:
        """Makes a write; whether it contradicts a clause, which may take long to see."""
        if self._left <= 0:
            raise _SpentError
        before = self._machine.asked
        yield from self._machine.write(letter)
        self._made.append(self._alphabet.word(letter))
        cost, is_contradicted = self._machine.asked - before, self._machine.is_contradicted()
        if is_contradicted:
            self._last_write = max(self._last_write, cost)
        else:
            self._each_write = max(self._each_write, cost)
        return is_contradicted

    @property
    def _forgetting(self) -> int:
        """The requests to make an appliance forget, at most."""
        return _UNRELATED_WRITES * self._each_write

    @property
    def _going_back(self) -> int:
        """The requests to put everything back, at most."""
        return max(self._returned, (self._each_write + 1) * len(set(map(_key, self._made))))

    def _price(self, order: Sequence[Word]) -> int:
        """The requests to go back and make an order once for judging, at most, where effects come at once."""
        watched, is_power = len(self._alphabet.watched), self._alphabet.group == POWER_ORDERS
        each_write = max(self._each_write, _WRITE_AND_READ + (TIMES if is_power else 1) * watched)
        return self._going_back + self._beginning + len(order) * each_write + self._last_write + watched


def _key(word: Word) -> str:
    return word if isinstance(word, str) else str(word[0])
