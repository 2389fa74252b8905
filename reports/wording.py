"""The words and symbols every report uses for verdicts, and how a text of a server is shown.

A text that came from a server may hold anything. Escaping for HTML or Markdown is the renderer's;
here control characters are made visible, so that none of them steers a terminal or turns a line around.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import TYPE_CHECKING, Final

from reports.faults import failed_restores, own_faults
from reports.moments import instant
from reports.verdicts import merge_verdicts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reports.changes.records import CaseChange, Side
    from reports.records import CaseResult, Finding, Results, WaiverState
    from reports.verdicts import RunVerdict, Verdict

WORD: Final[dict[Verdict, str]] = {
    "pass": "pass",
    "fail": "fail",
    "inconclusive": "inconclusive",
    "not_applicable": "not applicable",
    "observed": "observed",
    "error": "error",
}
SHORT_WORD: Final[dict[Verdict, str]] = {**WORD, "not_applicable": "n/a"}
SYMBOL: Final[dict[Verdict, str]] = {"pass": "✓", "fail": "✗", "inconclusive": "?", "not_applicable": "–", "observed": "○", "error": "!"}  # noqa: RUF001  the dash is a sign here
HEADLINE: Final[dict[RunVerdict, str]] = {
    "pass": "Conforms",
    "fail": "Does not conform",
    "inconclusive": "Inconclusive",
    "error": "Not judged: the suite is at fault",
}
NOTHING_CLAIMED: Final = "Nothing contradicts the document; nothing was claimed"
HOW_TO_CLAIM: Final = (
    "To be judged as conforming, a profile claims what each appliance supports (appliance.supports); appliance-conformance init drafts one."
)
WAIVER_STATES: Final[dict[WaiverState, str]] = {
    "used": "in use",
    "open": "open: not judged in this run",
    "expired": "expired",
    "unmatched": "matches no case",
    "passing": "nothing fails there any more",
}
NO_REASON: Final = "no reason given"
_LONGEST_REASON: Final = 900  # of an appliance's silence: what to look at first stands at its end
_MOST_SILENCES: Final = 3
_KEPT: Final = "\n\t"
_LONGEST_LINE: Final = 2_000  # characters of a line of a script
_ROOM: Final = 6_000  # characters of a script where there is little room
_LONGEST_NAME: Final = 40  # of a value of an enumeration; anything longer is none
_LOGGED_COMMAND: Final = re.compile(r"##(?=\w*\[)")
_QUOTED: Final = r'"(?:[^"\\]|\\.)*"'


def visible(text: str) -> str:
    """`text` with control characters, direction marks and lone surrogates as backslash escapes.

    Build servers obey `##vso[` and `##[` anywhere in a line of a log, so the second of these number signs is escaped, too.
    """
    if "##" in text:
        text = _LOGGED_COMMAND.sub(r"#\\x23", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escape(char) for char in text)


def one_line(text: str, limit: int = 400) -> str:
    """The first line of `text` that says something, cut at `limit` characters."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return visible(first if len(first) <= limit else first[: limit - 1] + "…")


def json_text(value: object, limit: int = 120) -> str:
    """A JSON value on one line, cut at `limit` characters; a text keeps its quotes, so that "5" is not taken for 5."""
    text = json.dumps(value, ensure_ascii=False)
    return visible(text if len(text) <= limit else text[: limit - 1] + "…")


def short_value(value: object) -> str:
    """A JSON value in a sentence: of a value of an enumeration its name alone, anything else as JSON."""
    name = value.rpartition(".EnumType.")[2].rpartition(".")[2] if isinstance(value, str) and ".EnumType." in value else ""
    return name if name.isalnum() and len(name) <= _LONGEST_NAME else json_text(value)


def script_lines(curl: str, most: int) -> list[str]:
    """The lines of a case's `curl` for a place with little room, still to be pasted: what is left out is a comment."""
    lines = visible(curl).strip().split("\n")
    shown: list[str] = []
    for line in lines[:most]:
        if shown and len(line) + sum(map(len, shown)) > _ROOM:
            break
        shown.append(line if len(line) <= _LONGEST_LINE else f"# a line of {len(line):,} characters: see report.html")
    left_out = len(lines) - len(shown)
    return [*shown, f"# {plural(left_out, 'further line')}: see report.html"] if left_out else shown


def plural(number: int, noun: str, many: str = "") -> str:
    """`number` and its noun: 1 case, 2 cases."""
    return f"{number:,} {noun if number == 1 else many or noun + 's'}"


def period(started: str, finished: str) -> str:
    """Two moments of RFC 3339 for a reader, to the second: `2026-11-21 09:00:00 to 09:04:11 UTC`; other texts as they are."""
    first, last = instant(started), instant(finished)
    if first is None or last is None:
        return f"{visible(started)} to {visible(finished)}"
    end = f"{last:%H:%M:%S}" if first.date() == last.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {end} UTC"


def headline(run: Results | Side) -> str:
    """The verdict of a run as a reader is told it: only what is claimed can conform."""
    return NOTHING_CLAIMED if run.verdict == "pass" and run.claims_nothing else HEADLINE[run.verdict]


def counted(counts: Mapping[str, int]) -> str:
    """The counts in a sentence, without those that are 0."""
    said = [f"{counts.get(verdict, 0):,} {word}" for verdict, word in WORD.items() if counts.get(verdict)]
    if counts.get("waived"):
        said.append(f"{counts['waived']:,} waived")
    return " · ".join(said) or "no cases"


def lead(results: Results) -> str:
    """What the verdict rests on, in one sentence or two."""
    counts = results.counts
    left = len(failed_restores(results.faults))
    parts = [
        f"{plural(left, 'key')} of the target {'was' if left == 1 else 'were'} not put back." if left else "",
        _fault_sentence(results, counts.get("error", 0)),
        "The run was interrupted; what it had not reached is not judged." if results.interrupted else "",
        _failed_sentence(results.findings),
    ]
    if results.verdict == "pass":
        clauses = {case.clause for case in results.cases if case.verdict == "pass"}
        passed = f"{plural(counts['pass'], 'case')} passed, on {plural(len(clauses), 'clause')}."
        parts.append(f"{_values_sentence(results)} {passed}" if results.claims_nothing else f"Nothing contradicts the document: {passed}")
    if results.verdict == "inconclusive" and not results.interrupted:
        parts.append(_silence_sentence(results, put_back=not left))
    if counts.get("inconclusive"):
        parts.append(f"{plural(counts['inconclusive'], 'case')} could not be decided.")
    if results.verdict == "pass" and results.claims_nothing:
        parts.append(HOW_TO_CLAIM)
    return " ".join(part for part in parts if part)


def mask(case: CaseResult | CaseChange) -> str:
    """The message of a case without its own key and appliance, so that equal reasons can be counted together.

    Only whole words are replaced, and nothing within a value: there the same letters are part of what the server said.
    """
    text = one_line(case.message) or NO_REASON
    name = case.key.rpartition(".")[2]
    for own, stands_for in ((case.key, "<key>"), (case.ha_id, "<haId>"), (name, "<key>")):
        if len(own) > 1:
            word = re.compile(rf"{_QUOTED}|(?<![\w.-]){re.escape(own)}(?![\w-]|\.\w)")
            text = word.sub(lambda found, new=stands_for: found[0] if found[0].startswith('"') else new, text)
    return text


def worst(cases: Iterable[CaseResult]) -> Verdict:
    """The merged verdict of `cases`."""
    return merge_verdicts(case.verdict for case in cases)


def _escape(char: str) -> str:
    category = unicodedata.category(char)
    if char in _KEPT or category not in {"Cc", "Cf", "Cs", "Zl", "Zp"}:
        return char
    return f"\\x{ord(char):02x}" if ord(char) < 0x100 else f"\\u{ord(char):04x}"


def _values_sentence(results: Results) -> str:
    keys = results.run.keys
    return f"{keys.gave_value:,} of {plural(keys.tried, 'key')} gave a value." if keys else ""


def _fault_sentence(results: Results, errors: int) -> str:
    parts: list[str] = []
    own = len(own_faults(results.faults))
    if own:
        parts.append(f"The run has {plural(own, 'fault of the suite', 'faults of the suite')}.")
    if errors:
        parts.append(f"In {plural(errors, 'case')} the suite itself failed, which says nothing about the target.")
    return " ".join(parts)


def in_findings(findings: Iterable[Finding]) -> str:
    """How many findings in how many cases: `4 findings in 19 cases`, and on how many clauses where they are several."""
    told = list(findings)
    clauses = {clause for finding in told for clause in finding.clauses}
    on = f", on {len(clauses)} clauses" if len(clauses) > 1 else ""
    return f"{plural(len(told), 'finding')} in {plural(sum(len(finding.cases) for finding in told), 'case')}{on}"


def also_in(cases: Iterable[CaseResult], most: int) -> list[str]:
    """The cases of a finding, a line a clause: where it is contradicted, as many places as there is room for."""
    of_clause: dict[str, list[str]] = {}
    for case in cases:
        key = case.key.rpartition(".Setting.")[2].rpartition(".Status.")[2]
        of_clause.setdefault(case.clause, []).append(visible(case.ha_id if key == "*" else f"{key}@{case.ha_id}"))
    return [
        f"{clause}: {', '.join(places[:most])}{f' and {len(places) - most:,} more' if len(places) > most else ''}"
        for clause, places in of_clause.items()
    ]


def _failed_sentence(findings: Iterable[Finding]) -> str:
    told = [finding for finding in findings if not finding.waived]
    return f"The document is contradicted: {in_findings(told)}." if told else ""


def _silence_sentence(results: Results, *, put_back: bool) -> str:
    silent = [case for case in results.cases if case.clause == "ADDR-BASE" and case.verdict == "inconclusive"]
    if silent:
        named = ", ".join(visible(ha_id) for ha_id in dict.fromkeys(case.ha_id for case in silent))
        why = list(dict.fromkeys(one_line(case.message, _LONGEST_REASON) for case in silent))[:_MOST_SILENCES]
        told = f"No value could be read from {plural(len(silent), 'appliance')}, {named}: {'; '.join(why)}"
        return told if told.endswith((".", "?")) else f"{told}."
    if results.counts.get("pass") and not put_back:
        return f"{plural(results.counts['pass'], 'case')} passed, but a target that does not go back was not judged to the end."
    return "Not a single case passed, so nothing is known."
