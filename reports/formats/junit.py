"""junit.xml: the cases as build servers read them, a suite a clause and a test a case.

JUnit has four outcomes and a case six verdicts: what is inconclusive and what is not applicable are both
skipped, told apart by the message and the property `verdict`. Many a dashboard shows skipped as green, so
what is inconclusive can be written as a failure. What a run says beside its cases (a fault of the suite, an
interruption) is a test of a suite of its own, since a dashboard that shows only cases would be green.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from conformance.records.results import CaseResult, Results, WaiverResult
from reports.phrases import WORD, headline, lead
from reports.recorded.exchanges import Recorded, show_exchange
from reports.texts import duration_s, in_a_sentence, instant, one_line, script_lines, visible

InconclusiveAs = Literal["skipped", "failure"]
"""What an inconclusive case is written as."""

OF_THE_RUN: Final = "RUN"
MOST_REQUESTS: Final = 3  # shown of a case, the last ones
MOST_SCRIPT_LINES: Final = 60
_PROPERTIES: Final = ("clause", "key", "kind", "ha_id", "verdict")
_COUNTED: Final = {"failure": "failures", "error": "errors", "skipped": "skipped"}
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")  # in XML 1.0


def render_junit(
    results: Results, exchanges: Mapping[int, Recorded], inconclusive: InconclusiveAs = "skipped"
) -> Iterator[str]:
    """The text of junit.xml, in pieces: a test each.

    Args:
        results: The judged run.
        exchanges: Lines of the ledger by number, for the requests of the findings.
        inconclusive: What an inconclusive case is written as.
    """
    run = results.run
    waivers = {name: waiver for waiver in results.waivers for name in waiver.waives}
    suites: dict[str, list[CaseResult]] = {clause.id: [] for clause in results.clauses}
    for case in results.cases:
        suites.setdefault(case.clause, []).append(case)
    outcomes = {
        name: Counter(_outcome(case, inconclusive) for case in those) for name, those in suites.items()
    }
    of_the_run = _of_the_run(results, inconclusive)
    outcomes[OF_THE_RUN] = Counter(test.outcome for test in of_the_run)
    whole = {
        "name": one_line(run.target.name),
        **_totals(sum(outcomes.values(), Counter[str]())),
        "time": f"{duration_s(run.started, run.finished):.3f}",
    }
    yield f'<?xml version="1.0" encoding="utf-8"?>\n{_tag("testsuites", whole)}>'
    # one read serves many cases: none takes time of its own
    times = {"time": "0"}
    if started := instant(run.started):
        times["timestamp"] = started.strftime("%Y-%m-%dT%H:%M:%S")
    for name, counted in outcomes.items():
        if not counted:
            continue
        cases = (_test(case, exchanges, inconclusive, waivers.get(case.id)) for case in suites.get(name, ()))
        yield f"\n {_tag('testsuite', {'name': name, **_totals(counted), **times})}>"
        yield from (_element(name, test) for test in (of_the_run if name == OF_THE_RUN else cases))
        yield "\n </testsuite>"
    yield "\n</testsuites>\n"


class _Test(NamedTuple):
    """A test: its outcome is the name of an element, or empty where it has none."""

    name: str
    properties: Mapping[str, str]
    outcome: str
    message: str = ""
    text: str = ""


def _outcome(case: CaseResult, inconclusive: InconclusiveAs) -> str:
    """The name of the element that says what came of a case; empty where it has passed."""
    if case.verdict == "fail":
        return "skipped" if case.waived else "failure"
    outcomes = {"error": "error", "inconclusive": inconclusive, "not_applicable": "skipped"}
    return outcomes.get(case.verdict, "")


def _test(
    case: CaseResult,
    exchanges: Mapping[int, Recorded],
    inconclusive: InconclusiveAs,
    waiver: WaiverResult | None = None,
) -> _Test:
    properties = {name: getattr(case, name) for name in _PROPERTIES}
    if case.waived:
        properties["waived"] = "true"
    outcome, message = _outcome(case, inconclusive), one_line(case.message, 600)
    if not outcome:
        return _Test(case.id, properties, outcome, text=message if case.verdict == "observed" else "")
    text = ""
    if outcome != "skipped" or case.waived:
        text = _account(case, exchanges, waiver if case.verdict == "fail" else None)
    words = {"fail": "waived: " if case.waived else "", "error": ""}
    word = words.get(case.verdict, f"{WORD[case.verdict]}: ")
    return _Test(case.id, properties, outcome, f"{word}{message}", text)


def _of_the_run(results: Results, inconclusive: InconclusiveAs) -> list[_Test]:
    """What the verdict of the run rests on that no case says."""
    error, fail, unsure = ({"verdict": word} for word in ("error", "fail", "inconclusive"))
    tests = [
        *(
            _Test(f"fault {number}", error, "error", one_line(str(fault)))
            for number, fault in enumerate(results.faults, start=1)
        ),
        *(
            _Test(f"stale waiver {number}", fail, "failure", one_line(waiver))
            for number, waiver in enumerate(results.stale_waivers, start=1)
        ),
    ]
    if results.refused:
        why = f"no certificate: {one_line('; '.join(results.refused), 2000)}"
        tests.append(_Test("certificate", unsure, inconclusive, why))
    if results.interrupted or results.verdict == "inconclusive":
        why = f"{in_a_sentence(headline(results))}: {one_line(lead(results), 600)}"
        tests.append(_Test("verdict", unsure, inconclusive, why))
    return tests


def _element(clause: str, test: _Test) -> str:
    """The text of a test in a suite."""
    lines = [
        f"\n  {_tag('testcase', {'classname': clause, 'name': test.name, 'time': '0'})}>",
        "   <properties>",
        *(_property(name, text) for name, text in test.properties.items()),
        "   </properties>",
    ]
    text = escape(_clean(test.text))
    if test.outcome:
        kind = {} if test.outcome == "skipped" else {"type": clause}
        opened = _tag(test.outcome, {"message": test.message, **kind})
        lines.append(f"   {opened}>{text}</{test.outcome}>" if text else f"   {opened} />")
    elif text:
        lines.append(f"   <system-out>{text}</system-out>")
    return "\n".join([*lines, "  </testcase>"])


@lru_cache(1024)
def _property(name: str, text: str) -> str:
    """The line of a property; most are those of many tests."""
    return f"    {_tag('property', {'name': name, 'value': text})} />"


def _account(case: CaseResult, exchanges: Mapping[int, Recorded], waiver: WaiverResult | None = None) -> str:
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


def _tag(name: str, attributes: Mapping[str, str]) -> str:
    """The tag of an element without its end."""
    return f"<{name}" + "".join([f" {word}={_quoted(text)}" for word, text in attributes.items()])


@lru_cache(1024)
def _quoted(text: str) -> str:
    """The value of an attribute; most are those of many tests."""
    return quoteattr(_clean(text), {'"': "&quot;"})


def _totals(outcomes: Counter[str]) -> dict[str, str]:
    counted = {name: str(outcomes[outcome]) for outcome, name in _COUNTED.items()}
    return {"tests": str(outcomes.total()), **counted}


def _clean(text: str) -> str:
    """`text` with what XML cannot hold, and what steers a terminal, as backslash escapes."""
    shown = visible(text)
    if shown.isascii() and shown.isprintable():
        return shown
    return _FORBIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", shown)
