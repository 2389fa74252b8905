"""What is known of a run besides its cases: the target, its appliances, what was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, StrictBool, StrictFloat, StrictInt

from catalog.model import Level


def _moment(text: str) -> str:
    if datetime.fromisoformat(text).tzinfo is None:
        raise ValueError("is a time without its zone")
    return text


def _day(text: str) -> str:
    date.fromisoformat(text)
    return text


Moment: TypeAlias = Annotated[str, AfterValidator(_moment)]
"""A time as RFC 3339 writes it."""
Day: TypeAlias = Annotated[str, AfterValidator(_day)]
"""A day: `2027-01-31`."""


@dataclass(frozen=True, slots=True)
class JudgedTarget:
    """The server that was judged. `vendor` is the maker's name in its keys."""

    name: str
    base_url: str
    vendor: str
    product: str
    profile_sha256: str


@dataclass(frozen=True, slots=True)
class Searched:
    """That orders of writes were looked for: by which rules, and `on` which appliance, it or one like it."""

    rules: str
    on: str


@dataclass(frozen=True, slots=True)
class JudgedAppliance:
    """An appliance of the target and its kind, and what was learned by writing to it.

    `slowest_effect_s` is how long the slowest effect of a write took that was seen, and `quiet_s` how long
    nothing had to happen after a write at last, both in seconds; None where nothing was written.
    """

    ha_id: str
    kind: str
    slowest_effect_s: StrictFloat | None = None
    quiet_s: StrictFloat | None = None
    searches: tuple[Searched, ...] = ()


@dataclass(frozen=True, slots=True)
class Requests:
    """How many requests the run sent: reads of keys, controls (nonces, repeats), writes."""

    reads: StrictInt = 0
    controls: StrictInt = 0
    writes: StrictInt = 0


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of all appliances: tried, claimed by the profile, and those that gave a value when asked."""

    tried: StrictInt = 0
    claimed: StrictInt = 0
    gave_value: StrictInt = 0


@dataclass(frozen=True, slots=True)
class Sample:
    """At most `per_kind` appliances of each kind, chosen by `seed`, of as many as `listed` counts."""

    per_kind: StrictInt
    seed: str
    listed: Mapping[str, StrictInt]


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What is known of a run besides its cases.

    `started` and `finished` are RFC 3339. `interpretations` are the readings chosen, by id (I-1 ...).
    `answers` are the fields of the profile, spelled as in `Gap.answered_by`, as they were in this run. `keys`
    is None where nobody has counted them, `sample` where the run took every appliance of the profile.
    """

    suite_version: str
    catalog_sha256: str
    judging_sha256: str
    target: JudgedTarget
    appliances: tuple[JudgedAppliance, ...]
    level: Level
    started: Moment
    finished: Moment
    requests: Requests = field(default_factory=Requests)
    interpretations: Mapping[str, StrictBool | str] = field(default_factory=dict[str, bool | str])
    argv: tuple[str, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    keys: Keys | None = None
    sample: Sample | None = None

    @property
    def places(self) -> dict[str, int]:
        """The number of each appliance in the run, by haId."""
        return {appliance.ha_id: number for number, appliance in enumerate(self.appliances)}
