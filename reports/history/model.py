"""The records of a history: the nights, and what became of each finding from night to night.

A night is one run of the target, at whatever time of the day it was made.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from catalog.model import Level
from conformance.records.run_facts import moment
from conformance.records.verdicts import ClauseVerdict, RunVerdict
from reports.changes.model import Cause
from reports.texts import duration_s


class Software(NamedTuple):
    """What a verdict hangs on besides what the server did: its declared version, the suite, the profile."""

    product: str
    suite_version: str
    catalog_sha256: str
    judging_sha256: str
    profile_sha256: str


class FailedCase(NamedTuple):
    """A case that failed on a night: what it said, and the case that stands for its finding."""

    message: str
    finding: str
    waived: bool


class Night(Struct, frozen=True):
    """One run, as far as a history needs it, with the ids of its `cases`.

    `failed` are those that failed, `undecided` those that are inconclusive, or met a fault of the suite.
    `partial` says that the run was interrupted or told to select, or goes on another day. `campaign` is how
    far a run of several days has come; empty for one of one day. `link` leads to the report of the night: an
    address, or a path from where the page lies; empty where none is known. `causes` are those of a comparison
    that was made when the run was new, by the id of the case.
    """

    started: str
    finished: str
    target: str
    level: Level
    software: Software
    verdict: RunVerdict
    partial: bool
    counts: Mapping[str, int]
    clauses: Mapping[str, ClauseVerdict]
    cases: Collection[str]
    failed: Mapping[str, FailedCase] = {}
    undecided: Collection[str] = frozenset()
    causes: Mapping[str, Cause] = {}
    headline: str = ""
    interrupted: bool = False
    base_url: str = ""
    link: str = ""
    campaign: str = ""

    def has_failed(self, case: str) -> bool | None:
        """Whether a case failed; None where it was not decided, or there is none."""
        if case in self.failed:
            return True
        return False if case in self.cases and case not in self.undecided else None

    @property
    def seconds(self) -> float:
        """How long the run took."""
        return duration_s(self.started, self.finished)

    @property
    def open_findings(self) -> int:
        """How many findings no waiver covers as a whole."""
        return len({one.finding for one in self.failed.values() if not one.waived})

    @property
    def waived_findings(self) -> int:
        """How many findings a waiver covers as a whole."""
        return len({one.finding for one in self.failed.values()}) - self.open_findings


class FiledNight(Struct, frozen=True):
    """What whoever files the nights says of one: when it was over (RFC 3339), its exit code, and its job."""

    at: str
    exit_code: int
    link: str = field(default="", name="url")

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        moment(self.at)


class Nights(Struct, frozen=True):
    """The nights of a target, the oldest first.

    `unread` says which files could not be read, and why; `missing` are the nights without results.
    """

    nights: tuple[Night, ...]
    unread: tuple[str, ...] = ()
    missing: tuple[FiledNight, ...] = ()


class Occurrence(Struct, frozen=True):
    """A finding from the night it came to the night it went; nights are counted from 0.

    `cases` are the ids that came and went together, `message` what the first of them said last. `fixed` is
    the first night on which they were decided and did not fail; None while they fail, or are not judged any
    more: then `last`, the last night on which they failed, lies before the last night of all. `came` and
    `went` are causes; `came` is None where the first night of all had it.
    """

    cases: tuple[str, ...]
    clause: str
    message: str
    first: int
    last: int
    fixed: int | None = None
    came: Cause | None = None
    went: Cause | None = None
    waived: bool = False


class FlakyCase(Struct, frozen=True):
    """A case that failed, did not, and failed again, or the other way round, while nothing was changed.

    `flips` counts how often it turned from one night to the next on which it was decided, with the same
    software on both; `failed` and `decided` count nights. `fails` says how it was decided last.
    """

    id: str
    flips: int
    failed: int
    decided: int
    fails: bool
    message: str


class History(Struct, frozen=True):
    """What many nights tell together. `occurrences` are in the order in which they came."""

    nights: Nights
    occurrences: tuple[Occurrence, ...]
    flaky: tuple[FlakyCase, ...]

    @property
    def open(self) -> tuple[Occurrence, ...]:
        """What fails, or failed when it was last judged; the newest first."""
        return tuple(
            sorted((one for one in self.occurrences if one.fixed is None), key=lambda one: -one.first)
        )

    @property
    def fixed(self) -> tuple[Occurrence, ...]:
        """What was fixed, the latest first."""
        return tuple(
            sorted(
                (one for one in self.occurrences if one.fixed is not None),
                key=lambda one: (-(one.fixed or 0), -one.first),
            )
        )
