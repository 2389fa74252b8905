"""A run as large as a household of many: 25,000 cases on 46 appliances, 200 findings; and how long its report
takes to be painted.

`python -m conformance.selftest.support.large` measures the first paint in the browser; nothing asserts it,
since it depends on the machine.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import cycle, islice, product
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

from catalog.loader import load_catalog
from conformance.selftest.support.browsing import chromium, visiting
from conformance.selftest.support.sample_results import RUN, a_case, results_of
from conformance.selftest.support.shown_runs import exchange, show
from reports.results.model import JudgedAppliance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.checks.verdict import Verdict
    from reports.results.model import CaseResult, Results

CASES: Final = 25_000
FINDINGS: Final = 200
_LOADS: Final = 5
_FIRST_PAINT: Final = """new Promise(done => new PerformanceObserver(seen =>
  seen.getEntriesByName('first-contentful-paint').forEach(paint => done(paint.startTime))
).observe({type: 'paint', buffered: true}))"""
_KINDS: Final = ("Refrigerator", "Oven", "Hood", "Washer", "CoffeeMaker", "CleaningRobot")
_APPLIANCES: Final = tuple(
    JudgedAppliance(f"40102030405060{number:04}", kind)
    for number, kind in enumerate(islice(cycle(_KINDS), 46))
)
_CLAUSES: Final = (
    "READ-VALUE",
    "READ-REPEAT",
    "TYPE-NOTNULL",
    "TYPE-FINITE",
    "ADDR-KEY-LAST",
    "ADDR-SPECIFIC",
    "SET-WRITABLE",
)
_NOTES: Final = (
    "ENUM-SUBSET",
    "PROT-ERRORS",
    "PROT-LIST",
    "CAT-SUPPORT-VARIES",
    "CAT-FIELD-TYPE",
    "CAT-KIND-FOREIGN",
    "OPS-TRANSITIONS",
)
_URL: Final = "https://staging.example/hub/api/homeappliances/{}/settings/{}"


def large_report(directory: Path) -> Path:
    """Its report.html, with a ledger that has every exchange of a finding."""
    results = large_results()
    numbers = {number: case for case in results.cases if case.verdict == "fail" for number in case.evidence}
    return show(
        directory,
        results,
        ledger=tuple(exchange(number, _body(case), _url(case)) for number, case in numbers.items()),
    )


def large_results() -> Results:
    """The results of the run."""
    return results_of(*islice(_cases(), CASES), run=replace(RUN, appliances=_APPLIANCES))


def _cases() -> Iterator[CaseResult]:
    """Observations first, then every clause on every key of every appliance: most do not apply, some fail,
    some stay open.
    """
    for number, (clause, appliance) in enumerate(product(_NOTES, _APPLIANCES)):
        yield a_case(
            clause,
            "observed",
            "*",
            appliance,
            message=f"{number} of 57 answers; never seen: {', '.join(_CLAUSES)}",
        )
    verdicts: tuple[Verdict, ...] = ("not_applicable", "not_applicable", "pass")
    keys = tuple(load_catalog().entries)
    for number, (clause, key, appliance) in enumerate(product(_CLAUSES, keys, _APPLIANCES)):
        case = a_case(
            clause,
            verdicts[number % 3],
            key,
            appliance,
            message="the profile does not claim it, and it is refused",
        )
        if number % 120 == 0 and number < FINDINGS * 120:
            message = (
                f"value is {number}.5 (number), document says that a read of {key} gives a whole number from"
                " 0 to 38340 seconds"
            )
            rests_on = tuple(range(2 * number + 1, 2 * number + 4))
            case = replace(
                case,
                verdict="fail",
                message=message,
                document="line 41: 0 to 38340 seconds",
                evidence=rests_on,
                curl=_curl(case),
            )
        elif number % 90 == 1:
            case = replace(
                case, verdict="inconclusive", message=f"refused {number % 40} times for the moment: 409, busy"
            )
        yield case


def _url(case: CaseResult) -> str:
    return _URL.format(case.ha_id, case.key)


def _curl(case: CaseResult) -> str:
    put = (
        "curl -sS -i --path-as-is -X PUT -H 'content-type: application/json' --data-raw '{\"data\":"
        f' {{"value": 5}}}}\' {_url(case)}'
    )
    return "\n".join([f"# {step}\n{put}" for step in range(4)])


def _body(case: CaseResult) -> str:
    constraints = {"min": 0, "max": 38340, "stepsize": 60, "access": "readWrite"}
    data = {
        "key": case.key,
        "value": 5.5,
        "unit": "seconds",
        "type": "Int",
        "description": "Sets the alarm clock " * 8,
        "constraints": constraints,
    }
    return json.dumps({"data": data})


def main() -> None:
    """Says how large the report is, and the median of its first paint over some loads."""
    with tempfile.TemporaryDirectory() as directory, chromium() as browser:
        file = large_report(Path(directory))
        print(f"{len(file.read_bytes()):,} bytes")  # noqa: T201  it is a script
        paints: list[float] = []
        for _ in range(_LOADS):
            with visiting(browser, file) as visit:
                paints.append(visit.page.evaluate(_FIRST_PAINT))
        print(  # noqa: T201  a script
            f"first contentful paint: {median(paints):.0f} ms (median of"
            f" {', '.join(f'{paint:.0f}' for paint in paints)})"
        )


if __name__ == "__main__":
    main()
