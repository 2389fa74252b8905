"""What a run does not judge: no case, and never "not applicable", which is said of an appliance alone.

A level that is too low, a field of the profile that is not there and a key that is not on the write list keep
a run from trying something. Such a thing is listed as not judged, by clause, key and appliance, with the
field or the level that would change it.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.model import Level


@dataclass(frozen=True, slots=True)
class Omission:
    """Why a run does not try something.

    `field` is what would change that: a field of the profile, as `write.status_path`, or a level, as `--level
    write`.
    """

    reason: str
    field: str

    @property
    def words(self) -> str:
        """The reason, and what would change it."""
        return f"{self.reason} ({self.field})"


_BELOW: dict[Level, str] = {
    "write": "the run only reads",
    "power": "PowerState is written at level power",
    "attended": "hands and time are moved at level attended",
}


def below(needed: Level) -> Omission:
    """Why a run of a lower level than `needed` does not try what needs that one."""
    return Omission(_BELOW[needed], f"--level {needed}")
