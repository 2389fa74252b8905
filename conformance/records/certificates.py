"""The records of a certificate, in the words of certificate.json."""

from msgspec import Struct

from catalog.model import Level
from conformance.checks.remarks import Interruption
from conformance.records.known_faults import FoundFaults
from conformance.records.results import NotJudged, WaiverResult
from conformance.records.run_facts import Sample, moment
from conformance.records.verdicts import ClauseVerdict

SCHEMA = "appliance-conformance/certificate/1"


class CertifiedAppliance(Struct):
    """An appliance, with the keys it claims, those it served, and those that took a written value."""

    ha_id: str
    kind: str
    claimed: list[str]
    served: list[str]
    written: list[str]
    slowest_effect_s: float | None = None
    quiet_s: float | None = None
    tours: list[str] = []


class Scope(Struct, kw_only=True):
    """What was judged, and what level and profile left out."""

    level: Level
    writes: int
    claimed_cases: int
    sample: Sample | None = None
    kinds: list[str]
    appliances: list[CertifiedAppliance]
    not_judged: list[NotJudged]


class Condition(Struct):
    """A claimed case that a state of its appliance kept from being decided."""

    state: str
    clause: str
    key: str
    ha_id: str
    finding: str


class AnsweredGap(Struct):
    """A gap of the document, and how it was answered."""

    id: str
    line: int
    answered_by: str
    answer: str


class CertifiedClause(Struct):
    """A clause, what its verdict rests on, and how many mutants its check has found."""

    id: str
    line: int
    verdict: ClauseVerdict
    cases: dict[str, int]
    exchanges: int
    values: int
    mutants_killed: int


class Product(Struct):
    """What is certified."""

    name: str
    vendor: str
    target: str
    base_url: str


class JudgingSuite(Struct):
    """Which suite has judged; what it is made of stands in the digests."""

    name: str
    version: str


class JudgedFrom(Struct):
    """When the run began and ended (RFC 3339)."""

    started: str
    finished: str


class Certificate(Struct):
    """What was judged and how it was read, what each verdict rests on, and when it expires."""

    schema: str
    verdict: str
    headline: str
    product: Product
    scope: Scope
    conditions: list[Condition]
    waivers: list[WaiverResult]
    counts: dict[str, int]
    readings: dict[str, bool | str]
    gaps: list[AnsweredGap]
    clauses: list[CertifiedClause]
    suite: JudgingSuite
    digests: dict[str, str]
    judged: JudgedFrom
    interruptions: list[Interruption]
    issued: str
    expires: str
    power: FoundFaults | None = None

    def __post_init__(self) -> None:
        """Refuses what is no time."""
        interruptions = (text for one in self.interruptions for text in (one.after, one.until))
        for text in (self.judged.started, self.judged.finished, *interruptions, self.issued, self.expires):
            moment(text)
