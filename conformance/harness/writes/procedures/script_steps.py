"""The steps of a script, as data: a write, what must come of it and what is waited for, or a look."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct
from pydantic import JsonValue

from conformance.checks.answer import Answer
from conformance.harness.steps import Ask


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
    QUIET = "that nothing further happens"
    SETTLED = "the settle time"


class Beside(Struct, frozen=True):
    """What has to come with a write, beside its own value.

    It is read in turn, `times` at least, until it `has_come` or its settle time is over, and once more then.
    """

    reads: tuple[Ask, ...]
    has_come: Callable[[Sequence[Answer]], bool]
    times: int = 1


class ScriptWrite(Struct, frozen=True):
    """One write of a script.

    Attributes:
        key: what is written.
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

    key: str
    value: JsonValue
    comes: Due = Due.VALUE
    wait: Wait = Wait.STAYS
    segment: str = "settings"
    text: str = ""
    watch: tuple[Ask, ...] = ()
    look: tuple[Ask, ...] = ()
    beside: Beside | None = None
    is_read: bool = True


class Look(Struct, frozen=True):
    """Reads between writes, after a wait; what is watched must show what it showed before."""

    watch: tuple[Ask, ...] = ()
    look: tuple[Ask, ...] = ()
    wait: Wait = Wait.NONE
    beside: Beside | None = None


Step: TypeAlias = ScriptWrite | Look
