"""The members of certificate.json by their types, so that a wrong one is refused where the file is read."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, StrictBool, StrictFloat, StrictInt, ValidationError

from catalog.model import Level
from conformance.profiles.salvage import first_mistake
from reports.results.model import NotJudged
from reports.results.run_facts import Day, Moment, Sample, Searched
from reports.results.verdicts import ClauseVerdict


class _Form(BaseModel):
    model_config = ConfigDict(defer_build=True)  # most runs read no certificate


class _Product(_Form):
    name: str
    vendor: str
    target: str
    base_url: str


class _Appliance(_Form):
    ha_id: str
    kind: str
    claimed: list[str]
    served: list[str]
    slowest_effect_s: StrictFloat | None = None
    quiet_s: StrictFloat | None = None
    searches: list[Searched] = []


class _Scope(_Form):
    level: Level
    sample: Sample | None = None
    kinds: list[str]
    appliances: list[_Appliance]
    not_judged: list[NotJudged]


class _Condition(_Form):
    state: str
    clause: str
    key: str
    ha_id: str
    finding: str


class _Waiver(_Form):
    case: str
    reason: str
    owner: str
    expires: Day
    waives: list[str]


class _Gap(_Form):
    id: str
    line: StrictInt
    answered_by: str
    answer: str


class _Clause(_Form):
    id: str
    line: StrictInt
    verdict: ClauseVerdict
    cases: dict[str, StrictInt]
    exchanges: StrictInt
    values: StrictInt
    mutants_killed: StrictInt


class _Suite(_Form):
    name: str
    version: str


class _Digests(_Form):
    catalog: str
    judging: str
    profile: str
    ledger: str
    kill_matrix: str


class _Judged(_Form):
    started: Moment
    finished: Moment


class _Certificate(_Form):
    verdict: str
    product: _Product
    scope: _Scope
    conditions: list[_Condition]
    waivers: list[_Waiver]
    counts: dict[str, StrictInt]
    readings: dict[str, StrictBool | str]
    gaps: list[_Gap]
    clauses: list[_Clause]
    suite: _Suite
    digests: _Digests
    judged: _Judged
    issued: Moment
    expires: Moment


def mistake_in(document: Mapping[str, object]) -> str:
    """The first mistake in the members of a certificate, in a line; empty where there is none."""
    try:
        _Certificate.model_validate(document)
    except ValidationError as error:
        return first_mistake(error)
    return ""
