"""What differs between two runs, as records: changes.json is these and nothing else."""

from collections.abc import Mapping
from typing import Final, Literal

from msgspec import Struct

from catalog.model import Level
from conformance.checks.verdict import Verdict
from conformance.records.results import Results
from conformance.records.run_facts import JudgedAppliance, moment
from conformance.records.verdicts import RunVerdict

CHANGES_SCHEMA: Final = "appliance-conformance/changes/1"

Change = Literal["new_failure", "error", "inconclusive", "fixed", "changed", "waived_failure", "unjudged"]
KeyWord = Literal["vanished", "served"]
Cause = Literal["server", "suite", "profile", "waiver", "claim", "extent", "unknown"]


class Baseline(Struct, frozen=True):
    """A run to compare with: its results, and its ledger judged again by the installed suite.

    `again` is judged with the old profile, `reprofiled` with that of the new run, None where both runs have
    the same. `reason` says why there is no `again`. `profile_changes` are the places in which the profiles
    differ, `installed` is the suite that judged again: its version and the digest of its judging. `known`
    says since when a finding of the baseline was known, by the case that stands for it.
    """

    results: Results
    again: Results | None = None
    reprofiled: Results | None = None
    reason: str = ""
    profile_changes: tuple[str, ...] = ()
    installed: tuple[str, ...] = ()
    known: Mapping[str, str] = {}


class CaseChange(Struct, frozen=True):
    """A case that ended otherwise than before. `before` and `after` are empty where a run has no such case.

    `fixed` failed and is now decided otherwise; a failure that is now inconclusive is `inconclusive`, one
    that has no case any more is `unjudged`. `changed` fails in both runs, with another finding. `finding` is
    the case that stands for the finding that it is, or was, one of; empty where it never failed. `expired` is
    the last day of the waiver that covered it, where the cause is `waiver`.
    """

    id: str
    clause: str
    key: str
    ha_id: str
    change: Change
    cause: Cause
    before: Verdict | Literal[""]
    after: Verdict | Literal[""]
    message_before: str
    message: str
    finding: str = ""
    expired: str = ""


class KeyChange(Struct, frozen=True):
    """A key that an appliance serves no more, or newly serves; `message` is the finding on it now."""

    ha_id: str
    key: str
    change: KeyWord
    cause: Cause
    message: str


class Side(Struct, frozen=True):
    """One of the two runs, as far as a reader needs it to know which."""

    target: str
    base_url: str
    level: Level
    started: str
    verdict: RunVerdict
    cases: int
    headline: str = ""

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        moment(self.started)


class Comparison(Struct, frozen=True):
    """What differs between two runs.

    `notes` are sentences: in what the runs themselves differ, and why a cause cannot be told. `trouble` is
    what keeps the new run from being a whole one: its faults, an interruption, what it could not put back and
    the old one could. `silent` are the appliances that gave values then and give none now. `known` are the
    findings of both runs by the case that stands for each, and since when each was seen (RFC 3339). `common`
    counts the cases of both runs.
    """

    old: Side
    new: Side
    notes: tuple[str, ...] = ()
    trouble: tuple[str, ...] = ()
    changes: tuple[CaseChange, ...] = ()
    keys: tuple[KeyChange, ...] = ()
    came: tuple[JudgedAppliance, ...] = ()
    went: tuple[JudgedAppliance, ...] = ()
    silent: tuple[JudgedAppliance, ...] = ()
    known: Mapping[str, str] = {}
    common: int = 0

    def of(self, change: Change) -> tuple[CaseChange, ...]:
        """The cases that changed in that way, in their order."""
        return tuple(one for one in self.changes if one.change == change)

    def keys_of(self, word: KeyWord) -> tuple[KeyChange, ...]:
        """The keys that vanished, or those newly served."""
        return tuple(one for one in self.keys if one.change == word)

    @property
    def gate(self) -> int:
        """The exit code of `diff`: 1 for new failures, 3 where something known is not known any more, else 0.

        A new failure counts whatever its cause, one that a waiver covers does not: the gate says that
        somebody has to look, the cause says where.
        """
        if self.of("new_failure"):
            return 1
        lost = (
            self.of("inconclusive")
            or self.of("error")
            or self.keys_of("vanished")
            or self.trouble
            or not self.common
        )
        return 3 if lost else 0
