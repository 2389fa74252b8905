"""Servers that lose writes, refuse to take them back, or answer them with what hangs a client.

What cannot be put back ends a run with 5 and is said first. What was put back does not, whatever the answers
looked like.
"""

from collections.abc import Iterable
from functools import cached_property, partial
from http import HTTPStatus

from catalog.keys import CHILD_LOCK, CUSTOM_COLOR, ON, POWER_STATE
from catalog.model import Segment
from conformance.mutants.hostile.messages.framing import bomb, coded_as
from conformance.mutants.hostile.model import (
    MUCH_OPEN,
    NOTHING_WRONG,
    Answer,
    Asked,
    Ending,
    Hostile,
    Lamp,
    Outcome,
    Oven,
    Piece,
)
from conformance.mutants.hostile.replies import always, conforming, framed, moved, only
from conformance.reference.appliance import Appliance
from conformance.reference.wire import INVALID_STATE, Json, Refusal

OWED = Outcome(exit=5)
NO_TEXT = Outcome(exit=1, fails=frozenset({"TYPE-STRING"}))
_LOCK = {"write": {"allow": [CHILD_LOCK]}}


class SwitchedOffForGood(Oven):
    """Once it is not On, it takes no write."""

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        return super().writable(appliance, segment, key) or (
            None if self.value(appliance, POWER_STATE) == ON else INVALID_STATE
        )


class LockedForGood(Oven):
    """ChildLock can be switched on, and not off again."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        unlocks = key == CHILD_LOCK and value is False
        return INVALID_STATE if unlocks else super().accepts(appliance, key, value)


class Reverting(Oven):
    """A write is acknowledged and can be read once, and then the old value is back."""

    @cached_property
    def _fleeting(self) -> dict[str, Json]:
        return {}

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  there is one appliance
        self._fleeting[key] = value

    def value(self, appliance: Appliance, key: str) -> Json:
        return self._fleeting.pop(key, super().value(appliance, key))


def _after_a_write(*pieces: Piece) -> Answer:
    """These pieces for every request after the first write."""
    return lambda asked: (
        pieces if any(one.request.method == "PUT" for one in asked.earlier) else conforming(asked)
    )


def _colored(text: str) -> Answer:
    """The custom colour is a text of JSON, as it stands in the body, until one is written."""
    body = f'{{"data":{{"key":"{CUSTOM_COLOR}","value":{text}}}}}'.encode()

    def answer(asked: Asked) -> Iterable[Piece]:
        written = any(
            (one.request.method, one.key, one.reply.status) == ("PUT", CUSTOM_COLOR, HTTPStatus.NO_CONTENT)
            for one in asked.earlier
        )
        return conforming(asked) if written else (framed(200, body),)

    return only(answer, CUSTOM_COLOR)


def _on_writes(answer: Answer) -> Answer:
    """Writes take effect, and are answered otherwise."""
    return lambda asked: answer(asked) if asked.request.method == "PUT" else conforming(asked)


_writing = partial(Hostile, knowledge="full", profile=_LOCK, level="write")
_coloring = partial(
    _writing, outcome=NOTHING_WRONG, service=Lamp, profile={"write": {"allow": [CUSTOM_COLOR]}}, whole=True
)
_BOMB = partial(bomb, 256)

# fmt: off
FALSE_WRITES = (
    _writing("write-silent", "Writes take effect and are never answered.", _on_writes(always()),
        NOTHING_WRONG),
    _writing("write-reset", "Writes take effect, and their connection is reset.",
        _on_writes(always(Ending.RESET)), NOTHING_WRONG),
    _writing("write-bomb", "Writes take effect and are answered with 256 MB in 256 kB.",
        _on_writes(coded_as("gzip", _BOMB)), NOTHING_WRONG, prepare=_BOMB),
    _writing("write-elsewhere", "Writes take effect, and are to be made again on another host.",
        _on_writes(moved("http://localhost:{port}{path}", 307)), NOTHING_WRONG),
    _coloring("found-shell", "The value that has to be put back is a command of a shell.",
        _colored(r'"$(touch hITmArK)`touch hITmArK`' + r"'; touch hITmArK #" + '"')),
    _coloring("found-lines", "The value that has to be put back has lines, an escape sequence and NUL.",
        _colored(r'"a\n::error::hITmArK\r\u001b[2J\u0000"')),
    _coloring("found-number", "The value that has to be put back is a number of 5,000 digits.",
        _colored("9" * 5000), outcome=NO_TEXT),
    _coloring("found-nan", "The value that has to be put back is NaN.", _colored("NaN"), outcome=NO_TEXT),
    _coloring("found-deep", "The value that has to be put back is 500 arrays, one in the other.",
        _colored("[" * 500 + "]" * 500), outcome=MUCH_OPEN),
    _writing("write-off-for-good", "Once it is switched off, nothing can be written.", conforming,
        Outcome(exit=5, fails=frozenset({"PWR-STANDBY-ON"})), service=SwitchedOffForGood,
        profile={"write": {"allow": [POWER_STATE, CHILD_LOCK]}}, level="power", whole=True),
    _writing("write-lock-for-good", "A lock that was switched on cannot be switched off.", conforming,
        Outcome(exit=5, fails=frozenset({"SET-WRITABLE"})), service=LockedForGood),
    _writing("write-reverts", "Each write is acknowledged, can be read once, and is gone.", conforming,
        Outcome(exit=1, fails=frozenset({"SET-WRITABLE"})), service=Reverting),
    _writing("write-kills", "After the first write nothing is answered any more.",
        _after_a_write(Ending.CLOSE), OWED, whole=True),
    _writing("write-locks-out", "After the first write everything is 403.",
        _after_a_write(framed(403, b'{"error":{"key":"403"}}')), OWED),
)
