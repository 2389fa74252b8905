"""Servers that lose writes, refuse to take them back, or answer them with what hangs a client.

What cannot be put back ends a run with 5 and is said first. What was put back does not, whatever the answers
looked like.
"""

from collections.abc import Callable, Iterable
from http import HTTPStatus

from catalog.keys import CHILD_LOCK, CUSTOM_COLOR, ON, POWER_STATE
from catalog.model import Segment
from conformance.mutants.hostile.messages.framing import bomb
from conformance.mutants.hostile.model import Answer, Asked, Ending, Hostile, Lamp, Outcome, Oven, Piece
from conformance.mutants.hostile.replies import always, conforming, framed
from conformance.reference.appliance import Appliance
from conformance.reference.wire import INVALID_STATE, Json, Refusal

NOTHING_WRONG = Outcome(exit=0)
OWED = Outcome(exit=5)
NO_TEXT = Outcome(exit=1, fails=frozenset({"TYPE-STRING"}))
_LOCK = {"write": {"allow": [CHILD_LOCK]}}
_POWER = {"write": {"allow": [POWER_STATE, CHILD_LOCK]}}


class SwitchedOffForGood(Oven):
    """Once it is not On, it takes no write."""

    def writable(self, appliance: Appliance, segment: Segment, key: str) -> Refusal | None:
        """Refuse everything that would switch it on."""
        return super().writable(appliance, segment, key) or (
            None if self.value(appliance, POWER_STATE) == ON else INVALID_STATE
        )


class LockedForGood(Oven):
    """ChildLock can be switched on, and not off again."""

    def accepts(self, appliance: Appliance, key: str, value: Json) -> Refusal | None:
        """Refuse what would unlock it."""
        return (
            INVALID_STATE if key == CHILD_LOCK and value is False else super().accepts(appliance, key, value)
        )


class Reverting(Oven):
    """A write is acknowledged and can be read once, and then the old value is back."""

    def __init__(self) -> None:
        super().__init__()
        self._fleeting: dict[str, Json] = {}

    def apply(self, appliance: Appliance, key: str, value: Json) -> None:  # noqa: ARG002  there is one appliance
        """Keep the value for one read."""
        self._fleeting[key] = value

    def value(self, appliance: Appliance, key: str) -> Json:
        """Show it once."""
        return self._fleeting.pop(key, super().value(appliance, key))


class _DiesAfterWrite:
    """After the first write no connection is answered any more."""

    last: Iterable[Piece] = (Ending.CLOSE,)

    def __init__(self) -> None:
        self._dead = False

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        if self._dead:
            return self.last
        self._dead = asked.request.method == "PUT"
        return conforming(asked)


class _LocksAfterWrite(_DiesAfterWrite):
    """After the first write everybody is refused."""

    last = (framed(403, b'{"error":{"key":"403"}}'),)


class _Colored:
    """The custom colour is a text of JSON until one is written.

    Args:
        text: the first colour, as it stands in the body.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._written = False

    def __call__(self, asked: Asked) -> Iterable[Piece]:
        """Show the text, and take any other back."""
        self._written |= (
            asked.request.method == "PUT"
            and asked.key == CUSTOM_COLOR
            and asked.reply.status == HTTPStatus.NO_CONTENT
        )
        if self._written or not asked.gives_a_value or asked.key != CUSTOM_COLOR:
            return conforming(asked)
        return (framed(200, f'{{"data":{{"key":"{CUSTOM_COLOR}","value":{self._text}}}}}'.encode()),)


def _on_writes(answer: Callable[[], Answer]) -> Callable[[], Answer]:
    """Writes take effect, and are answered otherwise."""

    def start() -> Answer:
        hostile = answer()
        return lambda asked: hostile(asked) if asked.request.method == "PUT" else conforming(asked)

    return start


def _elsewhere(asked: Asked) -> Iterable[Piece]:
    """The write shall be made again on another host."""
    return (
        framed(
            307, b"", f"Location: http://localhost:{asked.base_url.rpartition(':')[2]}{asked.request.path}"
        ),
    )


# fmt: off
_ANSWERED: tuple[tuple[str, str, Callable[[], Answer]], ...] = (
    ("write-silent", "Writes take effect and are never answered.", always()),
    ("write-reset", "Writes take effect, and their connection is reset.", always(Ending.RESET)),
    ("write-bomb", "Writes take effect and are answered with 256 MB in 256 kB.",
        lambda: lambda _asked: (framed(200, bomb(256), "Content-Encoding: gzip"),)),
    ("write-elsewhere", "Writes take effect, and are to be made again on another host.", lambda: _elsewhere),
)
# fmt: on

# fmt: off
_COLORS: tuple[tuple[str, str, str], ...] = (
    ("found-shell", "is a command of a shell",
        r'"$(touch hITmArK)`touch hITmArK`' + r"'; touch hITmArK #" + '"'),
    ("found-lines", "has lines, an escape sequence and NUL", r'"a\n::error::hITmArK\r\u001b[2J\u0000"'),
    ("found-number", "is a number of 5,000 digits", "9" * 5000),
    ("found-nan", "is NaN", "NaN"),
    ("found-deep", "is 500 arrays, one in the other", "[" * 500 + "]" * 500),
)
# fmt: on
"""What stands where a value has to be noted before it is written over."""

# fmt: off
FALSE_WRITES = (
    *(
        Hostile(
            name,
            harm,
            _on_writes(start),
            NOTHING_WRONG,
            knowledge="full",
            profile=_LOCK,
            options=("--level", "write"),
        )
        for name, harm, start in _ANSWERED
    ),
    *(
        Hostile(
            f"{name}",
            f"The value that has to be put back {what}.",
            lambda text=text: _Colored(text),
            NOTHING_WRONG if text.startswith(('"', "[")) else NO_TEXT,
            service=Lamp,
            knowledge="full",
            profile={"write": {"allow": [CUSTOM_COLOR]}},
            options=("--level", "write"),
        )
        for name, what, text in _COLORS
    ),
    Hostile("write-off-for-good", "Once it is switched off, nothing can be written.", lambda: conforming,
        Outcome(exit=5, fails=frozenset({"PWR-STANDBY-ON"})), service=SwitchedOffForGood, knowledge="full",
        profile=_POWER, options=("--level", "power")),
    Hostile("write-lock-for-good", "A lock that was switched on cannot be switched off.", lambda: conforming,
        Outcome(exit=5, fails=frozenset({"SET-WRITABLE"})), service=LockedForGood, knowledge="full",
        profile=_LOCK, options=("--level", "write")),
    Hostile("write-reverts", "Each write is acknowledged, can be read once, and is gone.",
        lambda: conforming, Outcome(exit=1, fails=frozenset({"SET-WRITABLE"})), service=Reverting,
        knowledge="full", profile=_LOCK, options=("--level", "write")),
    Hostile("write-kills", "After the first write nothing is answered any more.", _DiesAfterWrite, OWED,
        knowledge="full", profile=_LOCK, options=("--level", "write")),
    Hostile("write-locks-out", "After the first write everything is 403.", _LocksAfterWrite, OWED,
        knowledge="full", profile=_LOCK, options=("--level", "write")),
)
