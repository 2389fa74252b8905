"""What a light shows that keeps the rules of the document, by what was read of it before.

Two lights are tried at the same time where each of them shows just that: then none has disturbed the other.
"""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from catalog.keys import AMBIENT_BRIGHTNESS
from catalog.model import Entry
from conformance.checks.answer import Answer
from conformance.harness.steps import Ask, Part
from conformance.model.json_values import same
from conformance.model.values import alike


class ExpectedLight:
    """The values that a light may show next: what was read before, and what was written since.

    What a colour locks is known for each colour, and while the light is on or off, on its own. Under each it
    may also show what it showed under the one before: an appliance may have one value for all.
    """

    def __init__(self, entries: Mapping[str, Entry], keys: Sequence[str], custom: JsonValue) -> None:
        """Begins with nothing known of the switch, the selector of the colour, and the other settings."""
        self._entries = entries
        self._keys = keys
        self._custom = custom
        self._known: dict[tuple[object, ...], list[object]] = {}
        self._refused: dict[tuple[object, ...], list[object]] = {}
        self._latest: dict[str, tuple[tuple[object, ...], object]] = {}
        self._is_written = False

    @property
    def is_reached(self) -> bool:
        """Whether something was written, and all that had to have an effect was seen to have it."""
        return self._is_written and all(len(values) == 1 for values in self._known.values())

    def admits(self, ask: Ask, answer: Answer) -> bool:
        """Takes down an answer; whether it may come from a light that nothing has disturbed."""
        if ask.key not in self._keys:
            return True
        place = self._place(ask.key)
        known, refused = self._known.get(place, []), self._refused.setdefault(place, [])
        if ask.purpose == "write":
            self._is_written = True
            if self._takes(ask.key):
                self._known[place] = [*known, ask.value]
            else:
                refused.append(ask.value)
            return True
        if not answer.has_value:
            return not self._takes(ask.key)
        there, value = self._latest.get(ask.key, (place, None))
        self._latest[ask.key] = place, answer.value
        is_same = there != place and self._shows(answer, [value])
        if known and not is_same and not self._shows(answer, known[-1:]):
            return self._shows(answer, known)
        self._known[place] = [answer.value]
        return bool(known) or not self._shows(answer, refused)

    def _shows(self, answer: Answer, values: Sequence[object]) -> bool:
        return any(alike(self._entries[answer.exchange.key], answer.value, value) for value in values)

    def _place(self, key: str) -> tuple[object, ...]:
        """Where the value of a key is known: a locked one's under the present colour and switch alone."""
        return (key,) if key in self._keys[:2] else (key, *map(self._present, self._keys[:2]))

    def _present(self, key: str) -> object:
        return self._known.get((key,), [None])[-1]

    def _takes(self, key: str) -> bool:
        """Whether a write of a key must have an effect now."""
        switch, selector = self._keys[:2]
        if key == switch:
            return True
        if self._present(switch) is False:
            return False
        is_custom = same(self._present(selector), self._custom)
        return key == selector or is_custom is not (key == AMBIENT_BRIGHTNESS)


def as_expected(tries: Part[None], light: ExpectedLight) -> Part[bool]:
    """Makes all tries of a light; whether all was as expected.

    They go on after something else: what it moved is only put back where it is written.
    """
    answer: Answer | None = None
    is_expected = True
    while True:
        try:
            step = next(tries) if answer is None else tries.send(answer)
        except StopIteration:
            return is_expected and light.is_reached
        answer = yield step
        if isinstance(step, Ask):
            is_expected = light.admits(step, answer) and is_expected
