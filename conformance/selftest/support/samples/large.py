"""A run as large as a household of many: 25,000 cases on 46 appliances, 200 findings."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Final

from catalog.loader import load_catalog
from conformance.checks.verdict import Verdict
from conformance.selftest.support.samples.results import RUN, a_case, results_of
from conformance.selftest.support.samples.shown_runs import exchange, show
from reports.results.model import CaseResult
from reports.results.run_facts import JudgedAppliance

CASES: Final = 25_000
FINDINGS: Final = 200
_KINDS: Final = ("Refrigerator", "Oven", "Hood", "Washer", "CoffeeMaker", "CleaningRobot")
_APPLIANCES: Final = tuple(JudgedAppliance(f"40102030405060{n:04}", _KINDS[n % 6]) for n in range(46))
_CLAUSES: Final = tuple(load_catalog().clauses)[:7]
_URL: Final = "https://staging.example/hub/api/homeappliances/{}/settings/{}"


def large_report(directory: Path) -> Path:
    """Its report.html, with a ledger that has every exchange of a finding."""
    results = results_of(*islice(_cases(), CASES), run=replace(RUN, appliances=_APPLIANCES))
    numbers = {number: case for case in results.cases if case.verdict == "fail" for number in case.evidence}
    lines = (exchange(number, _body(case), _url(case)) for number, case in numbers.items())
    return show(directory, results, ledger=tuple(lines))


def _cases() -> Iterator[CaseResult]:
    """Observations, then every clause on every key of every appliance: some fail, some stay open."""
    for number, (clause, appliance) in enumerate(product(_CLAUSES, _APPLIANCES)):
        yield a_case(clause, "observed", "*", appliance, message=f"{number} of 57 answers; {_CLAUSES}")
    verdicts: tuple[Verdict, ...] = ("not_applicable", "not_applicable", "pass")
    for number, (clause, key, appliance) in enumerate(product(_CLAUSES, load_catalog().entries, _APPLIANCES)):
        case = a_case(clause, verdicts[number % 3], key, appliance, message="it is not claimed, and refused")
        if number % 120 == 0 and number < FINDINGS * 120:
            message = f"value is {number}.5, document says that {key} is a whole number from 0 to 38340"
            rests_on = tuple(range(2 * number + 1, 2 * number + 4))
            case = replace(case, verdict="fail", message=message, evidence=rests_on, curl=_curl(case))
        elif number % 90 == 1:
            message = f"refused {number % 40} times for the moment: 409, busy"
            case = replace(case, verdict="inconclusive", message=message)
        yield case


def _url(case: CaseResult) -> str:
    return _URL.format(case.ha_id, case.key)


def _curl(case: CaseResult) -> str:
    put = f'curl -sS -i --path-as-is -X PUT --data-raw \'{{"data": {{"value": 5}}}}\' {_url(case)}'
    return "\n".join([f"# {step}\n{put}" for step in range(4)])


def _body(case: CaseResult) -> str:
    constraints = {"min": 0, "max": 38340, "stepsize": 60, "access": "readWrite"}
    about = {"unit": "seconds", "type": "Int", "description": "Sets the alarm clock " * 8}
    return json.dumps({"data": {"key": case.key, "value": 5.5, **about, "constraints": constraints}})
