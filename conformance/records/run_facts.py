"""What is known of a run besides its cases: the target, its appliances, what was asked."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Annotated

from msgspec import Meta, Struct, convert

from catalog.model import Level
from conformance.checks.remarks import Interruption, Loss
from conformance.profiles.places import Places


def moment(text: str) -> datetime:
    """The time in UTC that a text names as RFC 3339 writes it.

    Raises:
        ValueError: when it names none, one without its zone, or one that UTC does not have.
    """
    try:
        return convert(text, Annotated[datetime, Meta(tz=True)]).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"{text!r} is no time: {error}") from error


def day(text: str) -> date:
    """The day that a text such as `2027-01-31` names.

    Raises:
        ValueError: when it names none.
    """
    return convert(text, date)


class JudgedTarget(Struct, frozen=True):
    """The server that was judged. `vendor` is the maker's name in its keys."""

    name: str
    base_url: str
    vendor: str
    product: str
    profile_sha256: str


class JudgedAppliance(Struct, frozen=True):
    """An appliance of the target and its kind, and what was learned by writing to it.

    `slowest_effect_s` is how long the slowest effect of a write took that was seen, and `quiet_s` how long
    nothing had to happen after a write at last, both in seconds; None where nothing was written.
    `tours` are the rules of which short orders of writes were made, as many as `pace.generated` allows.
    `off` is the power state it was in, where it gave no value but those of its power and operation.
    """

    ha_id: str
    kind: str
    slowest_effect_s: float | None = None
    quiet_s: float | None = None
    tours: tuple[str, ...] = ()
    off: str = ""


class Requests(Struct, frozen=True):
    """How many requests the run sent: reads of keys, controls (nonces, repeats), writes.

    `errors` is how many of all were answered with a server error (5xx), or not at all, `again` how many of
    the writes were sent again at once.
    """

    reads: int = 0
    controls: int = 0
    writes: int = 0
    errors: int = 0
    again: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.reads + self.controls + self.writes

    @property
    def in_vain(self) -> bool:
        """Whether requests were sent, and each was answered with an error or not at all."""
        return 0 < self.total == self.errors


class Writing(Struct, frozen=True):
    """What came of the writes of allowed values to settings; none was `sent` where only others were written.

    `refused` counts those that were not acknowledged, `statuses` are what these were answered with, `effects`
    counts those whose value was read afterwards and not before.
    """

    sent: int
    refused: int
    effects: int
    statuses: tuple[int, ...] = ()


class Keys(Struct, frozen=True):
    """Keys of all appliances: tried, claimed by the profile, and those that gave a value when asked."""

    tried: int = 0
    claimed: int = 0
    gave_value: int = 0


class Sample(Struct, frozen=True):
    """At most `per_kind` appliances of each kind, chosen by `seed`, of as many as `listed` counts."""

    per_kind: int
    seed: str
    listed: Mapping[str, int]


class Campaign(Struct, frozen=True):
    """A run that asks on several days, its nights, because a day has only so many requests.

    It asked on as many as `nights`, and `sent` so many requests. Where it has still to go on, the whole run
    takes about `planned` requests, in `of` nights; in a run that came to its end they are what it took.
    """

    nights: int
    of: int
    sent: int
    planned: int

    @property
    def is_over(self) -> bool:
        """Whether the run came to its end."""
        return self.nights == self.of

    @property
    def words(self) -> str:
        """How far it has come: `night 2 of about 5: 1,780 of 4,020 requests`."""
        if self.is_over:
            return f"{self.nights} nights, {self.sent:,} requests"
        return f"night {self.nights} of about {self.of}: {self.sent:,} of {self.planned:,} requests"


class RunFacts(Struct, frozen=True):
    """What is known of a run besides its cases.

    `started` and `finished` are RFC 3339. `interpretations` are the readings chosen, by id (I-1 ...).
    `answers` are the fields of the profile, spelled as in `Gap.answered_by`, as they were in this run. `keys`
    is None where nobody has counted them, `sample` where the run took every appliance of the profile,
    `writing` where no allowed value was written. `lost` is what went away in the middle, or why no answer
    fitted the profile; `interruptions` are when the run was interrupted before it was resumed. `most_open` is
    the share of the claimed cases that may stay open (judging.most_open).
    `campaign` is None where the run asked on one day, and came to its end.
    `profile` says where the profile stood: its file, and the lines of appliances and fields.
    `notices` are sentences that a reader should see beside the verdict, which does not rest on them.
    """

    suite_version: str
    catalog_sha256: str
    judging_sha256: str
    target: JudgedTarget
    appliances: tuple[JudgedAppliance, ...]
    level: Level
    started: str
    finished: str
    requests: Requests = Requests()
    interpretations: Mapping[str, bool | str] = {}
    argv: tuple[str, ...] = ()
    answers: Mapping[str, str] = {}
    keys: Keys | None = None
    sample: Sample | None = None
    writing: Writing | None = None
    lost: tuple[Loss, ...] = ()
    interruptions: tuple[Interruption, ...] = ()
    most_open: float = 0.05
    campaign: Campaign | None = None
    notices: tuple[str, ...] = ()
    profile: Places = Places()

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        paused = (text for one in self.interruptions for text in (one.after, one.until))
        for text in (self.started, self.finished, *paused, *(loss.at for loss in self.lost)):
            moment(text)

    @property
    def in_vain(self) -> bool:
        """Whether nothing tells of the target: each request met an error, or no answer fits the profile."""
        return self.requests.in_vain or any(loss.misfit and loss.ha_id == "*" for loss in self.lost)

    @property
    def places(self) -> dict[str, int]:
        """The number of each appliance in the run, by haId."""
        return {appliance.ha_id: number for number, appliance in enumerate(self.appliances)}
