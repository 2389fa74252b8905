"""The execution unit, a clause, a key and an appliance, and why a run leaves one out.

That is never "not applicable", which is said of an appliance. A level that is too low, a field of the profile
that is not there and a key that is not on the write list keep a run from trying something. Such a thing is
listed as not judged, by clause, key and appliance, with the field or the level that would change it.
"""

from functools import cache
from typing import Final

from msgspec import Struct

from catalog.keys import CUSTOM_COLOR, MAP_NAMES, POWER_STATE
from catalog.model import LEVELS, Clause, Entry, Level
from conformance.checks.groups import Group, Purpose
from conformance.profiles.model import Appliance, Claim, Profile

GENERATED_KEY: Final = "~generated"
"""In place of a key: the case rests on the generated requests of its appliance."""


class Case(Struct, frozen=True):
    """One clause on one key of one appliance.

    `entry` is None for a clause about an appliance as a whole. `ha_id` is `no-KIND` for a kind the target
    does not have. `groups` are the procedures whose writes it rests on, and `besides` those that may add to
    that, where the level allows them; `purpose` is what it needs of them. One that is `generated` rests on
    the generated requests of the appliance, whatever these were; `about` are the keys that they may be about,
    empty for any.
    """

    clause: Clause
    entry: Entry | None
    ha_id: str
    kind: str
    claim: Claim
    profile: Profile
    groups: tuple[Group, ...] = ()
    besides: tuple[Group, ...] = ()
    purpose: Purpose | None = None
    generated: bool = False
    about: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The key, spelled with Vendor, or `*`; GENERATED_KEY for generated requests."""
        if self.generated:
            return GENERATED_KEY
        return self.entry.key if self.entry else "*"

    @property
    def id(self) -> str:
        """The stable name of the case: `CLAUSE::key@ha_id`."""
        return f"{self.clause.id}::{self.key}@{self.ha_id}"

    @property
    def is_of_absent_kind(self) -> bool:
        """Whether the case is about a kind that the target does not have."""
        return self.ha_id == f"no-{self.kind}"

    @property
    def subject(self) -> Entry:
        """The entry of a case that is about one.

        Raises:
            LookupError: when the case is about an appliance as a whole.
        """
        if self.entry is None:
            raise LookupError(f"{self.id} is about no single key")
        return self.entry


class Omission(Struct, frozen=True):
    """Why a run does not try something.

    `field` is what would change that: a field of the profile, as `write.status_path`, or a level, as `--level
    write`.
    """

    reason: str
    field: str

    @property
    def is_of_one_appliance(self) -> bool:
        """Whether it is a field of one appliance that would change it."""
        return self.field.startswith("appliance.")

    @property
    def words(self) -> str:
        """The reason, and what would change it."""
        return f"{self.reason} ({self.field})"


_BELOW: dict[Level, str] = {
    "write": "the run only reads",
    "power": "PowerState is written at level power",
    "attended": "a person or a test bench acts at level attended",
}


def below(needed: Level) -> Omission:
    """Why a run of a lower level than `needed` does not try what needs that one."""
    return Omission(_BELOW[needed], f"--level {needed}")


def not_asked(needed: Level) -> Omission:
    """Why nothing is said of what takes requests that nobody was seen to make."""
    return Omission("not asked: what others did does not show it", f"--level {needed}")


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


def samples(appliance: Appliance, key: str) -> tuple[str, ...]:
    """The declared texts for a setting whose format is not shown (lines 60, 70)."""
    declared = appliance.samples
    return declared.map_name if key in MAP_NAMES else declared.custom_color if key == CUSTOM_COLOR else ()


def text_undeclared(appliance: Appliance, entry: Entry) -> Omission | None:
    """Why no allowed text is written to a setting whose format is not shown; None where one is declared."""
    if entry.type != "String" or samples(appliance, entry.key):
        return None
    name = "map_name" if entry.key in MAP_NAMES else "custom_color"
    return Omission("no text to write is declared, and the format is not shown", f"appliance.samples.{name}")
