"""What went wrong in a run beside its cases: a fault of the suite, or a key that was not put back.

Both end the run with 5. But an appliance that refuses to go back is not a fault of the suite: what was judged
before stays judged.
"""

from collections.abc import Iterable
from typing import Final, Literal

from msgspec import Struct

FaultKind = Literal["own", "leaked", "not_restored"]
"""The suite's own; a secret in a file of the run, which is one of those, too; something that could not be put
back.
"""
_SAID: Final[dict[FaultKind, str]] = {
    "own": "",
    "leaked": "a secret is in an output: ",
    "not_restored": "not restored: ",
}


class Fault(Struct, frozen=True):
    """One thing that went wrong; `ha_id` and `key` say what was not put back, if that is a key."""

    kind: FaultKind
    text: str
    ha_id: str = ""
    key: str = ""

    def __str__(self) -> str:
        """The fault in a line, such as `not restored: oven-1 PowerState was On, is Off`."""
        return _SAID[self.kind] + self.text


def own_fault(text: str) -> Fault:
    """A fault of the suite itself."""
    return Fault("own", text)


def failed_restores(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """What could not be put back, in the order of the faults."""
    return tuple(fault for fault in faults if fault.kind == "not_restored")


def has_leaked(faults: Iterable[Fault]) -> bool:
    """Whether a file of the run holds a secret, so that none of them may be shown to others."""
    return any(fault.kind == "leaked" for fault in faults)


def own_faults(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """The faults that are the suite's own."""
    return tuple(fault for fault in faults if fault.kind != "not_restored")
