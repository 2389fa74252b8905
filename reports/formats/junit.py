"""junit.xml: the cases as build servers read them, a suite a clause and a test a case.

JUnit has four outcomes and a case six verdicts: what is inconclusive and what is not applicable are both
skipped, told apart by the message and the property `verdict`. Many a dashboard shows skipped as green, so
what is inconclusive can be written as a failure. What a run says beside its cases (a fault of the suite, an
interruption) is a test of a suite of its own, since a dashboard that shows only cases would be green.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Literal, get_args
from xml.etree import ElementTree as ET

from reports.phrases import WORD, lead
from reports.recorded.exchanges import show_exchange
from reports.texts import duration_s, instant, one_line, script_lines, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reports.results.model import CaseResult, Results, WaiverResult

InconclusiveAs = Literal["skipped", "failure"]
"""What an inconclusive case is written as."""

INCONCLUSIVE_AS: Final[tuple[InconclusiveAs, ...]] = get_args(InconclusiveAs)
OF_THE_RUN: Final = "RUN"
MOST_REQUESTS: Final = 3  # shown of a case, the last ones
MOST_SCRIPT_LINES: Final = 60
_PROPERTIES: Final = ("clause", "key", "kind", "ha_id", "verdict")
_COUNTED: Final = {"properties": "tests", "failure": "failures", "error": "errors", "skipped": "skipped"}
_FORBIDDEN: Final = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # in XML 1.0


def render_junit(
    results: Results, exchanges: Mapping[int, dict[str, Any]], inconclusive: InconclusiveAs = "skipped"
) -> Iterator[str]:
    """The text of junit.xml, in pieces: a test each.

    Args:
        results: The judged run.
        exchanges: Lines of the ledger by number, for the requests of the findings.
        inconclusive: What an inconclusive case is written as.
    """
    run = results.run
    waivers = {name: waiver for waiver in results.waivers for name in waiver.waives}
    cases: dict[str, list[CaseResult]] = {clause.id: [] for clause in results.clauses}
    for case in results.cases:
        cases.setdefault(case.clause, []).append(case)

    def tests_of(name: str) -> Iterable[ET.Element]:
        if name == OF_THE_RUN:
            return _of_the_run(results, inconclusive)
        return (_test(case, exchanges, inconclusive, waivers.get(case.id)) for case in cases[name])

    # made twice, since the totals stand first, and the elements of all cases would fill the memory
    totals = {name: _outcomes(tests_of(name)) for name in (*cases, OF_THE_RUN)}
    root = ET.Element("testsuites", {"name": _clean(one_line(run.target.name))})
    root.attrib.update(_totals(sum(totals.values(), Counter[str]())))
    root.set("time", f"{duration_s(run.started, run.finished):.3f}")
    yield f'<?xml version="1.0" encoding="utf-8"?>\n{_opened(root)}'
    started = instant(run.started)
    for name in (name for name, those in totals.items() if those["properties"]):
        suite = ET.Element("testsuite", {"name": _clean(name)} | _totals(totals[name]))
        suite.set("time", "0")  # one read serves many cases: none takes time of its own
        if started:
            suite.set("timestamp", started.strftime("%Y-%m-%dT%H:%M:%S"))
        yield f"\n {_opened(suite)}"
        for test in tests_of(name):
            ET.indent(test, " ", level=2)
            yield f"\n  {ET.tostring(test, encoding='unicode')}"
        yield "\n </testsuite>"
    yield "\n</testsuites>\n"


def _test(
    case: CaseResult,
    exchanges: Mapping[int, dict[str, Any]],
    inconclusive: InconclusiveAs,
    waiver: WaiverResult | None = None,
) -> ET.Element:
    waived = {"waived": "true"} if case.waived else {}
    test = _named(case.clause, case.id, {name: getattr(case, name) for name in _PROPERTIES} | waived)
    message = one_line(case.message, 600)
    if case.verdict == "fail":
        outcome, said = ("skipped", f"waived: {message}") if case.waived else ("failure", message)
        _set_outcome(test, outcome, said, _account(case, exchanges, waiver))
    elif case.verdict == "error":
        _set_outcome(test, "error", message, _account(case, exchanges))
    elif case.verdict == "inconclusive":
        text = _account(case, exchanges) if inconclusive == "failure" else ""
        _set_outcome(test, inconclusive, f"{WORD[case.verdict]}: {message}", text)
    elif case.verdict == "not_applicable":
        _set_outcome(test, "skipped", f"{WORD[case.verdict]}: {message}")
    elif case.verdict == "observed" and message:
        ET.SubElement(test, "system-out").text = _clean(message)
    return test


def _of_the_run(results: Results, inconclusive: InconclusiveAs) -> list[ET.Element]:
    """What the verdict of the run rests on that no case says."""
    tests: list[ET.Element] = []
    for number, fault in enumerate(results.faults, start=1):
        tests.append(_named(OF_THE_RUN, f"fault {number}", {"verdict": "error"}))
        _set_outcome(tests[-1], "error", one_line(str(fault)))
    for number, waiver in enumerate(results.stale_waivers, start=1):
        tests.append(_named(OF_THE_RUN, f"stale waiver {number}", {"verdict": "fail"}))
        _set_outcome(tests[-1], "failure", one_line(waiver))
    if results.refused:
        tests.append(_named(OF_THE_RUN, "certificate", {"verdict": "inconclusive"}))
        _set_outcome(tests[-1], inconclusive, f"no certificate: {one_line('; '.join(results.refused), 2000)}")
    if results.interrupted or results.verdict == "inconclusive":
        tests.append(_named(OF_THE_RUN, "verdict", {"verdict": "inconclusive"}))
        _set_outcome(tests[-1], inconclusive, f"inconclusive: {one_line(lead(results), 600)}")
    return tests


def _named(clause: str, name: str, properties: Mapping[str, str]) -> ET.Element:
    test = ET.Element("testcase", {"classname": _clean(clause), "name": _clean(name), "time": "0"})
    holder = ET.SubElement(test, "properties")
    for property_name, value in properties.items():
        ET.SubElement(holder, "property", {"name": property_name, "value": _clean(value)})
    return test


def _set_outcome(test: ET.Element, outcome: str, message: str, text: str = "") -> None:
    kind = {} if outcome == "skipped" else {"type": test.get("classname", "")}
    ET.SubElement(test, outcome, {"message": _clean(message), **kind}).text = _clean(text) or None


def _account(
    case: CaseResult, exchanges: Mapping[int, dict[str, Any]], waiver: WaiverResult | None = None
) -> str:
    """The finding, then what it rests on, as a failure is read on a page that shows nothing else."""
    known = [number for number in case.proof or case.evidence if number in exchanges]
    shown = [show_exchange(number, exchanges[number]) for number in known[-MOST_REQUESTS:]]
    lines = [one_line(case.message, 2000), "", f"document  {case.document}", f"case      {case.id}"]
    lines += [f"request   {exchange.request} -> {exchange.answer}" for exchange in shown]
    if waiver:
        until = f"({one_line(waiver.owner)}, until {waiver.expires})"
        lines.insert(1, f"waived    {one_line(waiver.reason)} {until}")
    for name, text in (("curl", case.curl), ("before", case.earlier)):
        script = script_lines(text, MOST_SCRIPT_LINES) if text else []
        lines += [f"{'' if number else name:10}{line}" for number, line in enumerate(script)]
    return "\n".join(lines)


def _opened(element: ET.Element) -> str:
    """The tag that opens an element without content."""
    return ET.tostring(element, encoding="unicode", short_empty_elements=False).rpartition("</")[0]


def _outcomes(tests: Iterable[ET.Element]) -> Counter[str]:
    return Counter(child.tag for test in tests for child in test)


def _totals(outcomes: Counter[str]) -> dict[str, str]:
    return {name: str(outcomes[tag]) for tag, name in _COUNTED.items()}


def _clean(text: str) -> str:
    """`text` with what XML cannot hold, and what steers a terminal, as backslash escapes."""
    shown = visible(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)
