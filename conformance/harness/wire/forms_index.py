"""Finds which of very many words stand in a text, in a time that does not grow with their number.

Each word is known by pieces of one length that begin at its first few characters. A text is looked at in
steps of as many characters: whatever word stands in it, one of its pieces begins at a step.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

Known = TypeVar("Known")
_SHORTEST = 6
_MOST_PIECES = 100_000
"""How many pieces are known at most, where a step may be shorter for that: they take some 20 MB."""


class WordIndex(Generic[Known]):
    """Words of at least six characters, each with what is known by it."""

    def __init__(self, words: Mapping[str, Known]) -> None:
        """Knows the words."""
        self._words = words
        shortest = min(map(len, words), default=_SHORTEST)
        self._length = max(_SHORTEST, shortest // 2)
        steps = _MOST_PIECES // max(1, len(words))
        self._step = max(1, min(shortest - self._length + 1, steps))
        self._pieces: dict[str, list[str]] = {}
        for word in words:
            for begin in range(self._step):
                self._pieces.setdefault(word[begin : begin + self._length], []).append(word)

    def standing_in(self, text: str) -> Iterator[tuple[str, Known]]:
        """The words that stand in `text`, each with what is known by it."""
        seen = [text[at : at + self._length] for at in range(0, len(text) - self._length + 1, self._step)]
        if self._pieces.keys().isdisjoint(seen):
            return
        for word in self._with_a_piece(seen):
            if word in text:
                yield word, self._words[word]

    def _with_a_piece(self, seen: Sequence[str]) -> Iterable[str]:
        found = self._pieces.keys() & set(seen)
        return dict.fromkeys(word for piece in sorted(found) for word in self._pieces[piece])
