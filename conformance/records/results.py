"""The records of a judged run, in the words of results.json.

Field names are promises to other people's scripts: fields are added, never renamed.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from catalog.model import Level
from conformance.records.faults import Fault
from conformance.records.known_faults import RunPower
from conformance.records.run_facts import RunFacts, day
from conformance.records.verdicts import ClauseVerdict, RunVerdict, Verdict

SCHEMA: Final = "appliance-conformance/results/1"
GENERATED: Final = "~generated"
"""What stands for the key of a case about generated requests."""
NO_KEYS: Final = frozenset({"*", GENERATED})
"""What stands in place of a key where a case is about an appliance, the target, or generated requests."""
WaiverState = Literal["used", "open", "expired", "unmatched", "passing"]


class Omitted(NamedTuple):
    """A clause on a key of an appliance that was not judged; `field` or level would change that."""

    clause: str
    key: str
    ha_id: str
    reason: str
    field: str

    @property
    def id(self) -> str:
        """The id that the case would have."""
        return f"{self.clause}::{self.key}@{self.ha_id}"


class RunEnding(Struct, frozen=True):
    """What is known when a run is over.

    `values` are what exchanges showed, by their numbers; `expected` the number of all cases of the target: if
    fewer were judged, it was only a part. `omitted` is what level and profile left out.
    """

    run: RunFacts
    values: Mapping[int, str] = {}
    expected: int = 0
    omitted: tuple[Omitted, ...] = ()

    def without(self, omitted: Collection[Omitted]) -> "RunEnding":
        """The same, where cases were left out that only judging showed to be omitted."""
        every = (*self.omitted, *sorted(omitted))
        return replace(self, expected=self.expected - len(omitted), omitted=every)


class NotJudged(Struct, frozen=True):
    """Cases that a run did not make: a clause on each of `keys` of each of `ha_ids`.

    `field` is the field of the profile (`write.status_path`) or the level (`--level write`) that would change
    it.
    """

    clause: str
    keys: tuple[str, ...]
    ha_ids: tuple[str, ...]
    reason: str
    field: str

    @property
    def number(self) -> int:
        """How many cases these would be."""
        return len(self.keys) * len(self.ha_ids)

    @property
    def ids(self) -> Iterator[str]:
        """The ids they would have."""
        return (f"{self.clause}::{key}@{ha_id}" for key in self.keys for ha_id in self.ha_ids)


class DecidingExchange(Struct, frozen=True):
    """An exchange that decides a finding: its number in the ledger, its key, and the kind of its answer.

    `status` is that of an answer without a value; `type` the JSON type of a value of a wrong type.
    """

    exchange: int
    ha_id: str
    key: str
    outcome: str
    status: int | None = None
    type: str = ""


class CaseResult(Struct, frozen=True):
    """What became of one case: one clause, one key, one appliance.

    `message` is the finding in one line, `document` the place of the document it rests on, `evidence` the
    numbers of its exchanges. `claimed` says that the profile claims what the case is about, so that a
    certificate needs it judged; `waived` that its failure is expected. `exempt` is the state (X1 to X13) that
    makes the case inconclusive, or empty. `sights` are the exchanges that decide a finding, the one that
    shows it last; `manner` is how it contradicts its clause, where there are several ways. `curl` is a line
    or a script that makes the exchanges `proof` again, which prove the message. `hint` is what a value may
    mean; nothing rests on it. `good` is what a conforming server answers to the request that a finding of a
    read shows, as JSON. `traces` are the ids by which logs of the target name the exchanges `proof`, where
    the profile has each request carry one.
    """

    id: str
    clause: str
    key: str
    kind: str
    ha_id: str
    verdict: Verdict
    message: str = ""
    document: str = ""
    evidence: tuple[int, ...] = ()
    sights: tuple[DecidingExchange, ...] = ()
    manner: str = ""
    proof: tuple[int, ...] = ()
    curl: str = ""
    waived: bool = False
    claimed: bool = False
    exempt: str = ""
    hint: str = ""
    good: str = ""
    traces: tuple[str, ...] = ()


class Finding(Struct, frozen=True):
    """One thing that is wrong: `case` is the id of the case that stands for it, with its message.

    `waived` says that each of its cases is expected to fail.
    """

    case: str
    message: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    waived: bool = False


class ClauseResult(Struct, frozen=True):
    """The verdict over all cases of a clause, with the sentence it judges and its line in the document.

    `verdict` is `not_judged` where the run made no case of it; a clause that is `excluded` never has one, for
    the reason given. `level` is the least level of a run that can judge it. `exchanges` and `values` count
    what its decided and observed cases rest on: different exchanges, and different values seen in them.
    """

    id: str
    verdict: ClauseVerdict
    quote: str
    line: int
    counts: Mapping[str, int]
    level: Level | Literal[""] = ""
    excluded: str = ""
    exchanges: int = 0
    values: int = 0


class WaiverResult(Struct, frozen=True):
    """A waiver of the profile and what became of it.

    `case` is its glob, `waives` the ids of the failing cases it excuses. `state` is `used`; `open` when its
    cases were not judged or not selected; or what makes it stale: `expired`, `unmatched` (it matches no case,
    not even one that was not judged), `passing`.
    """

    case: str
    reason: str
    owner: str
    expires: str
    state: WaiverState
    waives: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuses what is no day."""
        day(self.expires)

    @property
    def stale(self) -> str:
        """Why it is true no longer, in a line; empty while it is."""
        why = {"unmatched": "matches no case", "passing": "nothing fails there any more"}
        why["expired"] = f"expired on {self.expires}"
        return f"{self.case}: {why[self.state]} ({self.owner})" if self.state in why else ""


class Open(Struct, frozen=True):
    """How many of the claimed cases (`of`) are open where no state of the appliance explains that."""

    cases: int = 0
    of: int = 0


class Suspect(Struct, frozen=True):
    """An edit of the profile that findings of a run may come from; no verdict rests on it.

    `field` is the field as messages name it, `ha_id` the appliance that it is about, or empty. `toml` is the
    line to write instead, or says what to take out; `was` is what the field says, as JSON. `explains` are the
    findings, by their cases, that pass then; `perhaps` those that are only no longer judged, or pass because
    a claim is taken back; `decides` counts the claimed cases that were open and pass. `shown` says that the
    answers themselves show the value, and that nothing could be judged with it: the requests were made by
    what the profile says.
    """

    field: str
    ha_id: str
    toml: str
    was: str
    explains: tuple[str, ...] = ()
    perhaps: tuple[str, ...] = ()
    decides: int = 0
    shown: bool = False


class Results(Struct, frozen=True):
    """A judged run.

    `faults` are the suite's own, or what could not be put back: with one, the run ends in exit code 5.
    `unselected` counts the cases of the target that were not judged because a part was selected, or because
    the run was interrupted. `certify` says that a certificate was asked for, `refused` why it is not given
    (exit code 3). `not_judged` is what level and profile left out, `open` what stayed undecided of what is
    claimed. `suspects` are the edits of the profile that findings may come from, the likeliest first; None
    where nobody has searched. `power` is what such a run finds of the known faults of its appliances; None
    where nobody has asked for it (`prove --like`).
    """

    run: RunFacts
    verdict: RunVerdict
    counts: Mapping[str, int]
    clauses: tuple[ClauseResult, ...]
    cases: tuple[CaseResult, ...]
    findings: tuple[Finding, ...]
    faults: tuple[Fault, ...] = ()
    waivers: tuple[WaiverResult, ...] = ()
    interrupted: bool = False
    unselected: int = 0
    certify: bool = False
    refused: tuple[str, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    open: Open = Open()
    suspects: tuple[Suspect, ...] | None = None
    power: RunPower | None = None

    @property
    def by_id(self) -> dict[str, CaseResult]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}

    @property
    def waiver_of(self) -> dict[str, WaiverResult]:
        """The waivers in use, by the ids of the failing cases that they excuse."""
        return {case: waiver for waiver in self.waivers for case in waiver.waives}

    def of(self, verdict: Verdict) -> list[CaseResult]:
        """The cases that ended in a verdict, in their order."""
        return [case for case in self.cases if case.verdict == verdict]

    @property
    def is_certified(self) -> bool:
        """Whether a certificate was asked for and is given."""
        return self.certify and not self.refused

    @property
    def partial(self) -> bool:
        """Whether only some of the target's cases were judged."""
        return self.unselected > 0

    @property
    def claims_nothing(self) -> bool:
        """Whether the profile claims no key, so that nothing can be said to conform."""
        return self.run.keys is not None and not self.run.keys.claimed

    @property
    def stale_waivers(self) -> tuple[str, ...]:
        """Why which waiver is stale, a line each; with one, the run ends in exit code 4."""
        return tuple(waiver.stale for waiver in self.waivers if waiver.stale)
