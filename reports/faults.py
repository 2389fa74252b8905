"""What a fault of a run is about: the suite itself, or an appliance that was not left as it was found.

A failed restore makes the run end in 5 like a fault of the suite, and is said before anything else; but an appliance that
refuses to go back is no fault of the suite, and what was judged before it stays judged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

NOT_RESTORED: Final = "not restored: "
LEAKED: Final = "a secret is in an output: "


def failed_restores(faults: Iterable[str]) -> tuple[str, ...]:
    """What could not be put back, as `oven-1 PowerState was On, is Off`, in the order of the faults."""
    return tuple(fault.removeprefix(NOT_RESTORED) for fault in faults if fault.startswith(NOT_RESTORED))


def has_leaked(faults: Iterable[str]) -> bool:
    """Whether a file of the run holds a secret, so that none of them may be shown to others."""
    return any(fault.startswith(LEAKED) for fault in faults)


def own_faults(faults: Iterable[str]) -> tuple[str, ...]:
    """The faults that are the suite's own."""
    return tuple(fault for fault in faults if not fault.startswith(NOT_RESTORED))
