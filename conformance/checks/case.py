"""The execution unit: a clause, a key and an appliance."""

from typing import Final

from msgspec import Struct

from catalog.model import Clause, Entry
from conformance.checks.groups import Group, Purpose
from conformance.profiles.model import Claim, Profile

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
