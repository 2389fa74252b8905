"""What a run may write, by its level and by the write list of the profile."""

from __future__ import annotations

from functools import cache

from catalog.keys import POWER_STATE
from catalog.model import LEVELS, Level
from conformance.checks.extent import Omission, below
from conformance.profiles.model import Profile

UNDECLARED = Omission("writing is not declared", "write")
UNLISTED = Omission("not on the write list", "write.allow")
"""The one reason that is about the key alone; the others hold for every key of a run."""
STATUSES_UNDECLARED = Omission("where a write of a status is tried is not declared", "write.status_path")


@cache  # asked several times for each case
def reaches(level: Level, wanted: Level) -> bool:
    """Whether a run of `level` may do what `wanted` names: read < write < power < attended."""
    return LEVELS.index(level) >= LEVELS.index(wanted)


def why_not_written(profile: Profile, level: Level, key: str) -> Omission | None:
    """Why a run of `level` must not write `key`; None where it may.

    A write of a status must have no effect (line 84); who declares where it is tried (write.status_path)
    consents to it.
    """
    if not reaches(level, "write"):
        return below("write")
    if profile.write is None:
        return UNDECLARED
    if ".Status." in key:
        return None if profile.write.status_path else STATUSES_UNDECLARED
    if not profile.may_write(key):
        return UNLISTED
    return below("power") if key == POWER_STATE and not reaches(level, "power") else None
