"""What a run may write: the level it was given, the write list of the profile, and what each clause would need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.checks.seen import POWER_STATE

if TYPE_CHECKING:
    from catalog.model import Level
    from conformance.profiles.model import Profile

NOT_LISTED = "not on the write list (write.allow)"
"""The one reason that is about the key alone; the others hold for every key of a run."""
LEVELS: tuple[Level, ...] = ("read", "write", "power", "attended")


def reaches(level: Level, wanted: Level) -> bool:
    """Whether a run of `level` may do what `wanted` names: read < write < power < attended."""
    return LEVELS.index(level) >= LEVELS.index(wanted)


def why_not_written(profile: Profile, level: Level, key: str, *, probing: bool = False) -> str | None:
    """Why a run of `level` must not write `key`; None where it may.

    `probing` is the attempt to write a status, which must have no effect (line 84).
    """
    if not reaches(level, "write"):
        return "the run only reads (level read)"
    if profile.write is None:
        return "writing is not declared (write)"
    if probing or ".Status." in key:
        return None if profile.write.probe_status else "writes of statuses are not tried (write.probe_status)"
    if not profile.may_write(key):
        return NOT_LISTED
    powering = key == POWER_STATE and not reaches(level, "power")
    return f"PowerState is written at level power, this run is at level {level}" if powering else None
