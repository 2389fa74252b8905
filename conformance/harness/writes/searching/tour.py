"""Which write to make next, so that every short order of writes is made, and few of them twice."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TypeAlias

from conformance.harness.writes.searching.alphabets import Word

Move: TypeAlias = "tuple[Word, Word]"
"""A write, and the place in which it was made: what of the state tells one order from another."""
_Order: TypeAlias = "tuple[Move, ...]"


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
