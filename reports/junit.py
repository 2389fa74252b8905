"""junit.xml: the cases as build servers read them, a suite a clause and a test a case.

JUnit has four outcomes and a case six verdicts: what is inconclusive and what is not applicable are both skipped, told apart by the
message and the property `verdict`. Many a dashboard shows skipped as green, so what is inconclusive can be written as a failure.
What a run says beside its cases (a fault of the suite, an interruption) is a test of a suite of its own, since a dashboard that shows
only cases would be green.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from xml.etree import ElementTree as ET

from reports.ledger import show_exchange
from reports.moments import instant, seconds_between
from reports.wording import WORD, lead, one_line, script_lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reports.records import CaseResult, Results, WaiverResult

Undecided = Literal["skipped", "failure"]
"""What an inconclusive case is written as."""

UNDECIDED: Final[tuple[Undecided, ...]] = get_args(Undecided)
OF_THE_RUN: Final = "RUN"
MOST_REQUESTS: Final = 3  # shown of a case, the last ones
MOST_SCRIPT_LINES: Final = 60
_PROPERTIES: Final = ("clause", "key", "kind", "ha_id", "verdict")
_COUNTED: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_FORBIDDEN: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what no XML 1.0 document may hold


def render_junit(results: Results, exchanges: Mapping[int, dict[str, Any]], inconclusive: Undecided = "skipped") -> str:
    """The text of junit.xml.

    Args:
        results: The judged run.
        exchanges: Lines of the ledger by number, for the requests of the findings.
        inconclusive: What an inconclusive case is written as.
    """
    run = results.run
    excuses = {name: waiver for waiver in results.waivers for name in waiver.waives}
    tests: dict[str, list[ET.Element]] = defaultdict(list)
    for case in results.cases:
        tests[case.clause].append(_test(case, exchanges, inconclusive, excuses.get(case.id)))
    tests[OF_THE_RUN] = _of_the_run(results, inconclusive)
    names = [name for name in dict.fromkeys((*(clause.id for clause in results.clauses), *tests)) if tests.get(name)]
    root = ET.Element("testsuites", {"name": _clean(one_line(run.target.name))} | _totals(chain.from_iterable(tests.values())))
    root.set("time", f"{seconds_between(run.started, run.finished):.3f}")
    started = instant(run.started)
    for name in names:
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name)} | _totals(tests[name]))
        suite.set("time", "0")  # one read serves many cases: none takes time of its own
        if started:
            suite.set("timestamp", started.strftime("%Y-%m-%dT%H:%M:%S"))
        suite.extend(tests[name])
    ET.indent(root, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _test(
    case: CaseResult, exchanges: Mapping[int, dict[str, Any]], inconclusive: Undecided, excuse: WaiverResult | None = None
) -> ET.Element:
    test = _named(case.clause, case.id, {name: getattr(case, name) for name in _PROPERTIES} | ({"waived": "true"} if case.waived else {}))
    message = one_line(case.message, 600)
    if case.verdict == "fail":
        outcome, said = ("skipped", f"waived: {message}") if case.waived else ("failure", message)
        _end(test, outcome, said, _account(case, exchanges, excuse))
    elif case.verdict == "error":
        _end(test, "error", message, _account(case, exchanges))
    elif case.verdict == "inconclusive":
        _end(test, inconclusive, f"{WORD[case.verdict]}: {message}", _account(case, exchanges) if inconclusive == "failure" else "")
    elif case.verdict == "not_applicable":
        _end(test, "skipped", f"{WORD[case.verdict]}: {message}")
    elif case.verdict == "observed" and message:
        ET.SubElement(test, "system-out").text = _clean(message)
    return test


def _of_the_run(results: Results, inconclusive: Undecided) -> list[ET.Element]:
    """What the verdict of the run rests on that no case says."""
    tests: list[ET.Element] = []
    for number, fault in enumerate(results.faults, start=1):
        tests.append(_named(OF_THE_RUN, f"fault {number}", {"verdict": "error"}))
        _end(tests[-1], "error", one_line(str(fault)))
    for number, waiver in enumerate(results.stale_waivers, start=1):
        tests.append(_named(OF_THE_RUN, f"stale waiver {number}", {"verdict": "fail"}))
        _end(tests[-1], "failure", one_line(waiver))
    if results.refused:
        tests.append(_named(OF_THE_RUN, "certificate", {"verdict": "inconclusive"}))
        _end(tests[-1], inconclusive, f"no certificate: {one_line('; '.join(results.refused), 2000)}")
    if results.interrupted or results.verdict == "inconclusive":
        tests.append(_named(OF_THE_RUN, "verdict", {"verdict": "inconclusive"}))
        _end(tests[-1], inconclusive, f"inconclusive: {one_line(lead(results), 600)}")
    return tests


def _named(clause: str, name: str, properties: Mapping[str, str]) -> ET.Element:
    test = ET.Element("testcase", {"classname": _clean(clause), "name": _clean(name), "time": "0"})
    holder = ET.SubElement(test, "properties")
    for property_name, value in properties.items():
        ET.SubElement(holder, "property", {"name": property_name, "value": _clean(value)})
    return test


def _end(test: ET.Element, outcome: str, message: str, text: str = "") -> None:
    kind = {} if outcome == "skipped" else {"type": test.get("classname", "")}
    ET.SubElement(test, outcome, {"message": _clean(message), **kind}).text = _clean(text) or None


def _account(case: CaseResult, exchanges: Mapping[int, dict[str, Any]], excuse: WaiverResult | None = None) -> str:
    """The finding, then what it rests on, as a failure is read on a page that shows nothing else."""
    shown = [show_exchange(number, exchanges[number]) for number in case.proof or case.evidence if number in exchanges][-MOST_REQUESTS:]
    lines = [one_line(case.message, 2000), "", f"document  {case.document}", f"case      {case.id}"]
    lines += [f"request   {exchange.request} -> {exchange.answer}" for exchange in shown]
    if excuse:
        lines.insert(1, f"waived    {one_line(excuse.reason)} ({one_line(excuse.owner)}, until {excuse.expires})")
    for name, text in (("curl", case.curl), ("before", case.earlier)):
        script = script_lines(text, MOST_SCRIPT_LINES) if text else []
        lines += [f"{'' if number else name:10}{line}" for number, line in enumerate(script)]
    return "\n".join(lines)


def _totals(tests: Iterable[ET.Element]) -> dict[str, str]:
    outcomes = Counter(child.tag for test in tests for child in test)
    return {"tests": str(outcomes["properties"])} | {name: str(outcomes[tag]) for tag, name in _COUNTED.items()}


def _clean(text: str) -> str:
    """`text` with what XML cannot hold, and what steers a terminal, as backslash escapes."""
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", visible(text))
