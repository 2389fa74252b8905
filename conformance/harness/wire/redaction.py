"""Keeps secrets out of everything that is written.

A secret is known by the name of its environment variable. Wherever its value turns up, in whatever spelling
(see `spellings`), `${NAME}` stands instead.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from conformance.harness.errors import UnmaskableSecretError
from conformance.harness.wire.spellings import forms_of, layers, parts_of, unescaped
from conformance.profiles.keeping import why_not_kept

_MOST_LAYERS = 8
_BLOCK = 1 << 20
_SHORTEST = 6
_MOST_PIECES = 100_000
"""How many pieces are known at most, where a step may be shorter for that: they take some 20 MB."""


class _Found(NamedTuple):
    """A form of a secret in a text, which may have been made small for that, and what stands instead."""

    text: str
    form: str
    stand_in: str


class _WordIndex:
    """Finds which of very many words stand in a text, in a time that does not grow with their number.

    Each word, of at least six characters, is known by pieces of one length that begin at its first few. A
    text is looked at in steps of as many characters: whatever word stands in it, one of its pieces begins at
    a step.
    """

    def __init__(self, words: Mapping[str, Sequence[str]]) -> None:
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

    def standing_in(self, text: str) -> Iterator[tuple[str, Sequence[str]]]:
        """The words that stand in `text`, each with what is known by it."""
        seen = [text[at : at + self._length] for at in range(0, len(text) - self._length + 1, self._step)]
        if self._pieces.keys().isdisjoint(seen):
            return
        found = sorted(self._pieces.keys() & set(seen))
        for word in dict.fromkeys(word for piece in found for word in self._pieces[piece]):
            if word in text:
                yield word, self._words[word]


class _Forms:
    """Every form of every secret, to be found in a time that does not grow with their number."""

    def __init__(self, secrets: Sequence[tuple[str, str]]) -> None:
        any_case: dict[str, list[str]] = {}
        exact: dict[str, list[str]] = {}
        for name, value in secrets:
            for index, own in zip((any_case, exact), forms_of(value), strict=True):
                for form in own:
                    index.setdefault(form, []).append(f"${{{name}}}")
        self._any_case, self._exact = _WordIndex(any_case), _WordIndex(exact)

    def standing_in(self, text: str) -> Iterator[_Found]:
        """Those that stand in a text."""
        small = _small(text)
        for seen, index in ((small, self._any_case), (text, self._exact)):
            for form, stand_ins in index.standing_in(seen):
                yield from (_Found(seen, form, stand_in) for stand_in in stand_ins)


class Redactor:
    """Replaces secrets in texts, and finds them in files; thread-safe."""

    def __init__(self, secrets: Mapping[str, str], known: str = "") -> None:
        """Knows `secrets` by name, and the words that reports hold anyway (`known_text`).

        Raises:
            UnmaskableSecretError: when one of them cannot be kept; a profile that was loaded has none.
        """
        self._known = known
        self._lock = threading.Lock()
        self._secrets: tuple[tuple[str, str], ...] = ()
        self._indexed: tuple[int, _Forms] = 0, _Forms(())
        for name, value in secrets.items():
            self.add(name, value)

    def add(self, name: str, value: str) -> None:
        """Knows one more secret from now on.

        Raises:
            UnmaskableSecretError: when it cannot be masked without changing evidence.
        """
        reason = why_not_kept(value, self._known)
        if reason:
            raise UnmaskableSecretError(
                f"{name} {reason}: it cannot be masked without changing what a server said"
            )
        parts = [part for part in parts_of(value) if not why_not_kept(part, self._known)]
        with self._lock:
            new = dict.fromkeys((name, part) for part in (value, *parts))
            self._secrets = (*self._secrets, *(one for one in new if one not in self._secrets))

    @property
    def knows_any(self) -> bool:
        """Whether there is any secret to replace so far."""
        return bool(self._secrets)

    def text(self, text: str) -> str:
        """`text` with every known secret replaced."""
        for _ in range(_MOST_LAYERS):
            found = self._first_found(text)
            if found is None:
                return text
            text = _replaced(text, self._places(text, found[0]))
        found = self._first_found(text)
        # it cannot be taken out of the text: nothing of that is kept
        return text if found is None else found[1]

    def body(self, body: bytes, charset: str = "utf-8") -> bytes:
        """`body`, which may be anything, without secrets; `charset` is that of its media type."""
        if not self._secrets:
            return body
        # where it is no text of that encoding, nobody reads it as one
        with suppress(LookupError, UnicodeError):
            text = body.decode(charset)
            hidden = self.text(text)
            body = body if hidden == text else hidden.encode(charset)
        return self.text(body.decode("latin-1")).encode("latin-1")

    def leaks(self, paths: Iterable[Path]) -> list[str]:
        """The files among `paths` that hold a secret, each with the name of the first one found."""
        leaks: list[str] = []
        for path in paths if self._secrets else ():
            found = next(filter(None, map(self._first_found, _blocks(path))), None)
            leaks += [f"{path.name} holds {found[1]}"] if found else []
        return leaks

    def _forms(self) -> _Forms:
        """The forms of the secrets known by now: made when they are first looked for."""
        with self._lock:
            if self._indexed[0] != len(self._secrets):
                self._indexed = len(self._secrets), _Forms(self._secrets)
            return self._indexed[1]

    def _first_found(self, text: str) -> tuple[int, str] | None:
        """How many layers of escapes lie over a secret of `text`, and its stand-in; None where there is none.

        Of several under as many layers, that of the first name.
        """
        if not self._secrets:
            return None
        forms = self._forms()
        for depth, layer in enumerate(layers(text, _MOST_LAYERS)):
            if found := min((one.stand_in for one in forms.standing_in(layer)), default=None):
                return depth, found
        return None

    def _places(self, text: str, depth: int) -> dict[tuple[int, int], str]:
        """Where secrets stand in `text` under so many layers of escapes, with their stand-ins.

        The longer of two that overlap names both.
        """
        seen = unescaped(text, depth)
        places: list[tuple[int, int, str]] = []
        for found in self._forms().standing_in(seen.text):
            spans = (one.span() for one in re.finditer(re.escape(found.form), found.text))
            places += [(seen.starts[begin], seen.ends[end - 1], found.stand_in) for begin, end in spans]
        merged: list[tuple[int, int, str, int]] = []
        for begin, end, stand_in in sorted(places):
            if merged and begin < merged[-1][1]:
                first, last, named, longest = merged[-1]
                named, longest = (stand_in, end - begin) if end - begin > longest else (named, longest)
                merged[-1] = (first, max(last, end), named, longest)
            else:
                merged.append((begin, end, stand_in, end - begin))
        return {(begin, end): stand_in for begin, end, stand_in, _ in merged}


def _replaced(text: str, places: Mapping[tuple[int, int], str]) -> str:
    pieces: list[str] = []
    at = 0
    for (begin, end), stand_in in places.items():
        pieces += [text[at:begin], stand_in]
        at = end
    return "".join([*pieces, text[at:]])


def _small(text: str) -> str:
    """`text` in small letters, as long as it is: a few letters have small forms of another length."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)


def _blocks(path: Path) -> Iterator[str]:
    """The text of a file in blocks that end with a line."""
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK):
            yield b"".join(lines).decode("latin-1")
