"""The power of a run: how many of the known faults of such appliances it would have found."""

from msgspec import Struct

from catalog.model import Level


class FoundFaults(Struct, frozen=True):
    """Of how many `known` faults of such appliances a run finds how many.

    Known are the faults of mutants that concern what the profile claims, and that some profile of these
    appliances finds. `within` are the requests of a day in which they are found; None for any number.
    """

    found: int
    known: int
    within: int | None = None

    @property
    def percent(self) -> int:
        """The share of the known faults, in whole percent; only all of them are 100."""
        share = round(100 * self.found / self.known) if self.known else 100
        return share if self.found == self.known else min(share, 99)

    def is_like(self, other: "FoundFaults") -> bool:
        """Whether another one is the same but for a point: trials wait, on a busy machine some in vain."""
        return self.within == other.within and abs(self.percent - other.percent) <= 1

    @property
    def words(self) -> str:
        """The number, as reports tell it."""
        known = f"{self.known:,} known fault{'' if self.known == 1 else 's'}"
        return f"power {self.percent} %: would have found {self.found:,} of {known}"


class MissedFaults(Struct, frozen=True):
    """Known faults that a run does not find, all for one reason.

    `needs` are the fields of the profile, or the level, that would change it, all of them; where it is more
    requests a day, `pace.per_day`. `lines` say how: lines of a profile, with values such as they may have, or
    the option. `example` is one of the faults, in a sentence.
    """

    needs: tuple[str, ...]
    lines: tuple[str, ...]
    faults: int
    example: str


class RunPower(Struct, frozen=True):
    """What a run of `level` finds with a profile, and what it misses, the most frequent reason first."""

    level: Level
    faults: FoundFaults
    missed: tuple[MissedFaults, ...] = ()
