"""What a target claims to support, and how one talks to it: the typed profile.

The document leaves half of the wire open ("not shown"); each field here answers one of its gaps.
Keys are always spelled with the segment `Vendor`, whatever the maker's name of the target is.
Times are seconds. Reading a file, and the checks that need the catalog, are in `validation`.
"""

import ipaddress
from collections.abc import Iterable
from datetime import date
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Literal, Self, TypeVar
from urllib.parse import urlsplit

from pydantic import Field, StrictBool, StrictFloat, StrictInt

from catalog.keys import CHILD_LOCK, FRIDGE_SABBATH, OVEN_SABBATH, POWER_STATE
from conformance.profiles.days import DayStart
from conformance.profiles.fields import HaId, Label, Positive, Seconds, Table
from conformance.profiles.places import Places
from conformance.profiles.sections import (
    AnswerShape,
    Auth,
    Events,
    Fleet,
    Hooks,
    Http,
    Judging,
    Lists,
    Power,
    Samples,
    Shard,
    Target,
    Template,
    Write,
)

PROTECTING = frozenset({CHILD_LOCK, OVEN_SABBATH, FRIDGE_SABBATH})
"""The settings that protect people (lines 40, 51)."""
Claim = Literal["yes", "no", "unknown"]
Authority = Literal["either", "status", "settings"]
PowerName = Literal["On", "Off", "Standby"]
_Number = TypeVar("_Number", bound=float | None)


class Pace(Table):
    """How fast a target may be asked (line 177: not shown); `Profile.pace_of` fills what is None."""

    per_minute: StrictInt | None = Field(default=None, gt=0)
    per_day: StrictInt | None = Field(default=None, gt=0)
    day_starts: DayStart = "00:00 UTC"
    concurrency: StrictInt | None = Field(default=None, gt=0, le=64)
    max_refusals_in_a_row: StrictInt | None = Field(default=None, gt=0)
    generated: StrictInt | None = Field(default=None, ge=0)
    generated_reads: StrictInt | None = Field(default=None, ge=0)
    generated_writes: StrictInt | None = Field(default=None, ge=0)
    max_retries: StrictInt = Field(default=3, ge=0, le=10)
    max_retry_after_s: Seconds = 120


class Timing(Table):
    """How long things take, in seconds (lines 90, 129-133: not shown), and how often errors are retried.

    For `put_back_s` it is tried to put back what an appliance does not take back at once. What shows a state,
    and was read more than `kept_h` hours before a run goes on, is read again.
    """

    settle_s: Seconds = 10
    quiet_s: Seconds | None = None
    power_settle_s: Seconds = 60
    poll_s: StrictFloat = Field(default=1, gt=0, le=600)
    local_control_max_s: Seconds = 30
    local_control_fail_s: Seconds = 600
    retry_s: Seconds | None = None
    put_back_s: Seconds = 60
    kept_h: StrictFloat = Field(default=4, ge=0)
    most_tries: StrictInt = Field(default=12, ge=3, le=100)
    repeat_sample: StrictInt | None = Field(default=None, ge=0)

    def settle_seconds(self, key: str) -> float:
        """How long a write of `key` may take to have its effect."""
        return self.power_settle_s if key == POWER_STATE else self.settle_s


class Paths(Table):
    """The four statuses shown under two segments (line 149); `battery_drift` is in points of percent."""

    authoritative: Authority = "either"
    probe_other_segment: StrictBool = False
    battery_drift: StrictFloat = Field(default=2, ge=0)


class Interpretation(Table, use_attribute_docstrings=True):
    """The readings of sentences that can be read in two ways; the report prints each switch and its words."""

    ends_allowed: StrictBool = Field(default=True, alias="I-1")
    """Both ends of a range belong to it (lines 41, 61 to 68)."""
    not_returned_is_refused: StrictBool = Field(default=True, alias="I-2")
    """A setting is not returned when a GET on its key is refused again and again while the appliance is on
    (lines 38, 39)."""
    usable_means_settable: StrictBool = Field(default=True, alias="I-3")
    """A setting is usable when it can be set (line 65)."""
    freezer_setting_is_setpoint: StrictBool = Field(default=True, alias="I-4")
    """The freezer follows its setting when the freezer's setpoint stays as it was (line 52)."""
    whole_number_any_form: StrictBool = Field(default=True, alias="I-5")
    """A whole number may be written 5 or 5.0 (line 22)."""
    counts_not_negative: StrictBool = Field(default=True, alias="I-6")
    """A count is never below zero (line 99)."""
    null_is_no_value: StrictBool = Field(default=True, alias="I-7")
    """null is no value of any data type (line 22)."""
    segments_agree: StrictBool = Field(default=True, alias="I-8")
    """Where a contested status answers under both segments, the two answers agree (line 149)."""
    unknown_yields_nothing: StrictBool = Field(default=True, alias="I-9")
    """A key or an appliance that does not exist yields no value (line 8)."""
    settles_old_or_written: StrictBool = Field(default=True, alias="I-10")
    """After a write of the power state the appliance is in the state written or in the one before
    (lines 127 to 133)."""
    integer_lexical: Literal["value", "strict"] = "value"
    """Whether a whole number is known by its value ("value"), or has no fraction ("strict") (line 22)."""
    type_label_is_catalog_type: StrictBool = False
    """A type label in an answer is one of the six data types (line 22)."""
    freshmode_setpoint: StrictBool = False
    """The 2 °C of the fresh mode are read from the refrigerator's setpoint (line 53)."""
    siblings_independent: StrictBool = True
    """A write to one of a pair (left and right, internal and external, maps 1 and 2) leaves the other alone
    (not shown)."""


class Appliance(Table):
    """One appliance: its haId, its kind, and what it is claimed to support (line 11).

    `kind` is one of the six the document names; an appliance of any other word is asked all 82 keys. None
    means undeclared.
    """

    ha_id: HaId
    kind: str = Field(min_length=1, pattern=r"^\S+$")
    vendor: str | None = Field(default=None, pattern=r"^[^./\s]+$")
    supports: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    power_states: tuple[PowerName, ...] | None = None
    streaming_camera: StrictBool | None = None
    online: StrictBool | None = None
    unattended: StrictBool = False
    enum_subset: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])
    step: dict[str, Positive] = Field(default_factory=dict[str, Positive])
    alias_of: str = ""
    samples: Samples = Samples()

    def is_writable(self, key: str) -> bool:
        """Whether the profile claims that a setting can be written."""
        return any(fnmatchcase(key, glob) for glob in self.writable)

    @cached_property
    def _named(self) -> dict[str, Claim]:
        """What is claimed of the keys that are named in full."""
        return {**dict.fromkeys(self.supports, "yes"), **dict.fromkeys(self.lacks, "no")}

    def claim(self, key: str) -> Claim:
        """What the profile claims of `key`: an exact name counts before a glob, `lacks` before `supports`."""
        named = self._named.get(key)
        if named:
            return named
        if any(fnmatchcase(key, glob) for glob in self.lacks):
            return "no"
        return "yes" if any(fnmatchcase(key, glob) for glob in self.supports) else "unknown"


class Waiver(Table):
    """A known failure: still executed and shown. `case` is a glob over case ids."""

    case: str = Field(min_length=1)
    reason: Label = Field(min_length=1)
    owner: Label = Field(min_length=1)
    expires: date


def names(allow: Iterable[str], key: str) -> bool:
    """Whether a write list names a key: in full, or by a glob unless what it switches protects people."""
    return key in allow if key in PROTECTING else any(fnmatchcase(key, glob) for glob in allow)


class Profile(Table):
    """The whole profile of a target."""

    target: Target
    auth: Auth = Auth()
    answer: AnswerShape = AnswerShape()
    write: Write | None = None
    list: Lists = Lists()
    events: Events | None = None
    hooks: Hooks = Hooks()
    http: Http = Http()
    pace: Pace = Pace()
    timing: Timing = Timing()
    paths: Paths = Paths()
    power: Power = Power()
    interpretation: Interpretation = Interpretation()
    judging: Judging = Judging()
    fleet: Fleet | None = None
    template: tuple[Template, ...] = ()
    appliance: tuple[Appliance, ...] = Field(min_length=1)
    waiver: tuple[Waiver, ...] = ()

    @cached_property
    def places(self) -> Places:
        """Where it stands, as far as `standing_at` has said; it is the same profile wherever that is."""
        return Places()

    def standing_at(self, places: Places) -> Self:
        """The profile, with where it stands."""
        profile = self.model_copy()
        vars(profile)["places"] = places  # no field: two profiles are equal wherever they stand
        return profile

    @property
    def certified(self) -> Self:
        """The profile with which a certified run waits: as long as effects may take, whatever was learned."""
        timing = self.timing.model_copy(update={"quiet_s": self.timing.settle_s})
        return self.model_copy(update={"timing": timing})

    @cached_property
    def is_loopback(self) -> bool:
        """Whether the target is on this machine, where no pace has to be kept."""
        host = urlsplit(self.target.base_url).hostname or ""
        if host == "localhost" or host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def may_write(self, key: str) -> bool:
        """Whether the write list names `key`; never a status, which write.status_path is for (line 84)."""
        return self.write is not None and names(self.write.allow, key)

    @property
    def concurrency(self) -> int:
        """Requests under way at once: as declared, else 16 on loopback and 1 elsewhere."""
        return max(1, self._share(self._chosen(self.pace.concurrency, 16, 1)))

    @property
    def per_minute(self) -> int | None:
        """Requests a minute: as declared, else unlimited on loopback and 40 elsewhere."""
        most = self._chosen(self.pace.per_minute, None, 40)
        return most and self._share(most)

    @property
    def per_day(self) -> int | None:
        """Requests a day: as declared, else unlimited on loopback and 900 elsewhere."""
        return self.per_day_in_all and self._share(self.per_day_in_all)

    @property
    def per_day_in_all(self) -> int | None:
        """Requests a day of all shards together."""
        return self._chosen(self.pace.per_day, None, 900)

    @property
    def shard(self) -> Shard | None:
        """Which part of a campaign the appliances are; None where they are all of them."""
        return self.fleet.shard if self.fleet else None

    @property
    def ha_ids(self) -> tuple[str, ...]:
        """The haIds of all appliances that are known, also those that another shard asks."""
        return self.shard.order if self.shard else tuple(appliance.ha_id for appliance in self.appliance)

    def _chosen(self, declared: _Number | None, on_loopback: _Number, elsewhere: _Number) -> _Number:
        """What is declared, else the default for this machine or for another one."""
        if declared is not None:
            return declared
        return on_loopback if self.is_loopback else elsewhere

    def _share(self, number: int) -> int:
        """The part of a number of requests that a shard may make; all of them without shards."""
        return self.shard.share_of(number) if self.shard else number

    @property
    def generated(self) -> int:
        """Requests of each tour of an appliance: declared, or 600 on loopback, 60 elsewhere."""
        return self._chosen(self.pace.generated, 600, 60)

    @property
    def generated_reads(self) -> int:
        """Generated requests per appliance that only read: declared, or 400 on loopback, 60 elsewhere."""
        return self._chosen(self.pace.generated_reads, 400, 60)

    @property
    def generated_writes(self) -> int:
        """Generated values written to an appliance: declared, or 120 on loopback, 12 elsewhere."""
        return self._chosen(self.pace.generated_writes, 120, 12)

    @property
    def max_refusals_in_a_row(self) -> int | None:
        """Refusals before an anchor read: declared, or never (None) on loopback, 8 elsewhere."""
        return self._chosen(self.pace.max_refusals_in_a_row, None, 8)

    @property
    def retry_s(self) -> float:
        """Seconds between two tries of one entry: as declared, else 0.2 on loopback, 5 elsewhere."""
        return self._chosen(self.timing.retry_s, 0.2, 5)

    @property
    def repeat_sample(self) -> int | None:
        """Keys per appliance in the repeat series: as declared, else all (None) on loopback, 3 elsewhere."""
        return self._chosen(self.timing.repeat_sample, None, 3)

    def vendor_of(self, appliance: Appliance) -> str:
        """The maker's name in the keys and values of `appliance` (line 3)."""
        return appliance.vendor or self.target.vendor
