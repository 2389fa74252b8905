"""Whose fault a finding may be: the edits of the profile by which findings would vanish, in words.

Nothing of it is a verdict. A finding stands until the profile is another one and the run was made again.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from conformance.records.results import Finding, Results, Suspect
from reports.texts import json_text, one_line, plural

_LONGEST: Final = 300  # characters of a line of a profile


_SHOWN: Final = {
    "vendor": "Values begin with that name",
    "kind": "Keys of that kind alone are served, and none of the declared one",
    "supports": "It is refused as a key that does not exist; or a state hides it, or the target is wrong",
    "lacks": "Answers look like that; or a state hides a key, or the target is wrong",
    "power_states": "The answer to PowerState lists them so",
}
"""What answers show that speaks for an edit, by the field; for the places of members it is these alone."""
_LONGEST_BEFORE: Final = 80  # characters of what a profile says that a reader takes in at once


def misfits_in_lines(suspects: Iterable[Suspect], undeclared: Mapping[str, str]) -> Iterator[str]:
    """What a few answers show to be otherwise than a profile says, and what more they show.

    `undeclared` are the places of members of a body, by the fields of [answer] that would name them.
    """
    for one in suspects:
        shown = _SHOWN.get(one.field.rpartition(".")[2], "")
        says = f"says {one.was}" if one.was else "leaves it out"
        was = f"The file {says}" if len(says) <= _LONGEST_BEFORE else ""
        words = ". ".join(one_line(text, _LONGEST) for text in (shown, was) if text)
        yield f"is it {place_of(one)} {one_line(one.toml, _LONGEST)}? {words}".rstrip()
    for field, place in undeclared.items():
        yield f"not declared, but shown: [answer] {field} = {json_text(place)}"


def suspected_in_lines(results: Results) -> list[str]:
    """What may be wrong in the profile, and how many findings no edit explains: three lines at most."""
    suspects = results.suspects
    if suspects is None or not (suspects or findings_in_doubt(results)):
        return []
    left = standing(results)
    verb = "stands" if len(left) == 1 else "stand"
    stands = [f"{_of_all(len(left), results)} {verb}, whatever was tried in the profile"] if left else []
    return [*(sentence_of(one, results) for one in suspects[: 3 - len(stands)]), *stands]


def findings_in_doubt(results: Results) -> list[Finding]:
    """The findings that an edit could explain: those that nobody waives."""
    return [one for one in results.findings if not one.waived]


def standing(results: Results) -> list[Finding]:
    """The findings that no edit explains, nor may explain."""
    named = {case for one in results.suspects or () for case in (*one.explains, *one.perhaps)}
    return [one for one in findings_in_doubt(results) if one.case not in named]


def sentence_of(suspect: Suspect, results: Results) -> str:
    """A suspect in a line: what would vanish, and the line of the profile."""
    edit = f"{place_of(suspect)}: {one_line(suspect.toml, _LONGEST)}"
    if suspect.shown:
        return f"is it the profile? answers show another value for {edit}"
    if suspect.explains:
        many = len(suspect.explains)
        verb = "vanishes" if many == 1 else "vanish"
        also = f", and {_opened(suspect)}," if suspect.decides else ""
        return f"is it the profile? {_of_all(many, results)} {verb}{also} with {edit}"
    if suspect.perhaps:
        return f"{_of_all(len(suspect.perhaps), results)}: or the profile is wrong there, {edit}"
    return f"is it the profile? {_opened(suspect)} with {edit}"


def place_of(suspect: Suspect) -> str:
    """The table of a profile, as `[answer]` or `[[appliance]] oven-1`."""
    if suspect.ha_id:
        return f"[[appliance]] {one_line(suspect.ha_id)}"
    return f"[{suspect.field.rpartition('.')[0]}]"


def suspected_at_length(results: Results) -> Iterator[str]:
    """Every suspect with the findings that it explains, then the findings that stand."""
    cases = results.by_id
    for number, one in enumerate(results.suspects or (), start=1):
        yield f"{number}. {place_of(one)} {one_line(one.toml, _LONGEST)}"
        yield f"   now: {one_line(one.was or 'left out', _LONGEST)}"
        if one.shown:
            yield "   Answers show it. Run again with it: all requests were made by what the profile says."
        for words, names in (("vanishes", one.explains), ("is perhaps no fault of the target", one.perhaps)):
            yield from (f"   {words}: {one_line(cases[name].message)} ({name})" for name in names)
        if one.decides:
            yield f"   {_opened(one)}"
    for finding in standing(results):
        yield f"stands, whatever was tried: {one_line(finding.message)} ({finding.case})"


def _opened(suspect: Suspect) -> str:
    return plural(suspect.decides, "open case passes", "open cases pass")


def _of_all(number: int, results: Results) -> str:
    every = len(findings_in_doubt(results))
    if number == every:
        return "the finding" if every == 1 else f"all {every:,} findings"
    return f"{number:,} of {plural(every, 'finding')}"
