"""junit.xml: the cases as build servers read them, by pytest's own junitxml, a suite a clause.

JUnit has four outcomes and a case six verdicts: what is inconclusive and what is not applicable are both
skipped, told apart by the message and the property `verdict`. Many a dashboard shows skipped as green, so
what is inconclusive can be written as a failure. What a run says beside its cases (a fault of the suite, an
interruption) is a test of a suite of its own, since a dashboard that shows only cases would be green.

A suite is in memory until it is written. So each clause is a suite of its own: 100,000 cases take no more
memory than those of the clause that has most.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple
from xml.etree import ElementTree as ET

from _pytest.junitxml import LogXML, bin_xml_escape

from conformance.checks.exchange import Exchange
from conformance.records.results import CaseResult, Results, WaiverResult
from reports.formats import InconclusiveAs
from reports.limits import JUNIT
from reports.phrases import WORD, headline, lead
from reports.recorded.exchanges import show_exchange
from reports.texts import in_a_sentence, instant, one_line, script_lines, some_of, visible

OF_THE_RUN: Final = "RUN"
_PROPERTIES: Final = ("clause", "key", "kind", "ha_id", "verdict")


class JunitTest(NamedTuple):
    """A test: its outcome is the name of an element, or empty where it has passed."""

    name: str
    properties: Mapping[str, str]
    outcome: str
    message: str = ""
    text: str = ""


def render_junit(
    results: Results, exchanges: Mapping[int, Exchange], inconclusive: InconclusiveAs = "skipped"
) -> Iterator[str]:
    """The text of junit.xml, in pieces: a suite each.

    Args:
        results: The judged run.
        exchanges: Lines of the ledger by number, for the requests of the findings.
        inconclusive: What an inconclusive case is written as.
    """
    waivers = results.waiver_of
    suites: dict[str, list[CaseResult]] = {clause.id: [] for clause in results.clauses}
    for case in results.cases:
        suites.setdefault(case.clause, []).append(case)
    about = {"time": "0", "timestamp": f"{instant(results.run.started):%Y-%m-%dT%H:%M:%S}"}
    yield '<?xml version="1.0" encoding="utf-8"?>\n<testsuites>\n'
    for name, cases in suites.items():
        if cases:
            tests = [_test(case, exchanges, inconclusive, waivers.get(case.id)) for case in cases]
            yield suite_of(name, tests, about)
    if tests := list(_of_the_run(results, inconclusive)):
        yield suite_of(OF_THE_RUN, tests, about)
    yield "</testsuites>\n"


def suite_of(name: str, tests: Sequence[JunitTest], about: Mapping[str, str]) -> str:
    """A suite, with what is known `about` all of it: when it was made, and how long it took.

    What pytest's junitxml writes to a file is handed over as it is: reading it again took most of the time.
    """
    xml = LogXML("", None, suite_name=name, family="xunit2")
    for number, test in enumerate(tests):
        reporter = xml.node_reporter(str(number))
        reporter.add_attribute("classname", name)
        reporter.add_attribute("name", visible(test.name))
        for word, value in test.properties.items():
            reporter.add_property(word, visible(value))
        if test.outcome or test.text:
            kind = {"type": name} if test.outcome in {"failure", "error"} else {}
            message = {"message": bin_xml_escape(visible(test.message))} if test.outcome else {}
            said = ET.Element(test.outcome or "system-out", message | kind)
            said.text = bin_xml_escape(visible(test.text)) or None
            reporter.append(said)
    counts = {"errors": "error", "failures": "failure", "skipped": "skipped"}
    counted = {word: str(xml.stats[outcome]) for word, outcome in counts.items()}
    suite = ET.Element("testsuite", {"name": name, **counted, "tests": str(len(tests)), **about})
    suite.extend(reporter.to_xml() for reporter in xml.node_reporters_ordered)
    return ET.tostring(suite, encoding="unicode") + "\n"


def _test(
    case: CaseResult,
    exchanges: Mapping[int, Exchange],
    inconclusive: InconclusiveAs,
    waiver: WaiverResult | None = None,
) -> JunitTest:
    properties = {name: getattr(case, name) for name in _PROPERTIES}
    if case.waived:
        properties["waived"] = "true"
    outcome, message = _outcome(case, inconclusive), one_line(case.message, 600)
    if not outcome:
        return JunitTest(case.id, properties, outcome, text=message if case.verdict == "observed" else "")
    text = ""
    if outcome != "skipped" or case.waived:
        text = account_of(case, exchanges, waiver if case.verdict == "fail" else None)
    words = {"fail": "waived: " if case.waived else "", "error": ""}
    word = words.get(case.verdict, f"{WORD[case.verdict]}: ")
    return JunitTest(case.id, properties, outcome, f"{word}{message}", text)


def _outcome(case: CaseResult, inconclusive: InconclusiveAs) -> str:
    """The name of the element that says what came of a case; empty where it has passed."""
    if case.verdict == "fail":
        return "skipped" if case.waived else "failure"
    outcomes = {"error": "error", "inconclusive": inconclusive, "not_applicable": "skipped"}
    return outcomes.get(case.verdict, "")


def _of_the_run(results: Results, inconclusive: InconclusiveAs) -> Iterator[JunitTest]:
    """What the verdict of the run rests on that no case says."""
    error, fail, unsure = ({"verdict": word} for word in ("error", "fail", "inconclusive"))
    for number, fault in enumerate(results.faults, start=1):
        yield JunitTest(f"fault {number}", error, "error", one_line(str(fault)))
    for number, waiver in enumerate(results.stale_waivers, start=1):
        yield JunitTest(f"stale waiver {number}", fail, "failure", one_line(waiver))
    if results.refused:
        why = f"no certificate: {one_line('; '.join(results.refused), 2000)}"
        yield JunitTest("certificate", unsure, inconclusive, why)
    if results.interrupted or results.verdict == "inconclusive":
        why = f"{in_a_sentence(headline(results))}: {one_line(lead(results), 600)}"
        yield JunitTest("verdict", unsure, inconclusive, why)


def account_of(
    case: CaseResult, exchanges: Mapping[int, Exchange], waiver: WaiverResult | None = None
) -> str:
    """The finding, then what it rests on, as a failure is read on a page that shows nothing else."""
    known = [number for number in case.proof or case.evidence if number in exchanges]
    shown = [show_exchange(number, exchanges[number]) for number in known[-JUNIT.requests :]]
    lines = [one_line(case.message, 2000), "", f"document  {case.document}", f"case      {case.id}"]
    lines += [f"request   {exchange.request} -> {exchange.answer}" for exchange in shown]
    lines += [f"trace     {some_of(case.traces, JUNIT.requests)}"] if case.traces else []
    if waiver:
        until = f"({one_line(waiver.owner)}, until {waiver.expires})"
        lines.insert(1, f"waived    {one_line(waiver.reason)} {until}")
    script = script_lines(case.curl, JUNIT.script_lines) if case.curl else []
    lines += [f"{'' if number else 'curl':10}{line}" for number, line in enumerate(script)]
    return "\n".join(lines)
