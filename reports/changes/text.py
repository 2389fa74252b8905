"""What changed between two runs, for people: Markdown for a pull request, plain text for a terminal.

Both say the same in the same order, what got worse first. Each list is cut and says how much more
changes.json has.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from reports.changes.model import CaseChange, Cause, Change, Comparison, KeyChange, KeyWord, Side
from reports.phrases import WORD, headline, mask
from reports.results.verdicts import is_verdict
from reports.texts import code_span, one_line, plural

Shown = Callable[[str], str]
Section = tuple[str, list[tuple[str, ...]]]

MOST_CHANGES: Final = 50
MOST_REASONS: Final = 20
MOST_LINES: Final = 10
_LONGEST: Final = 600  # characters of a finding
_WORSE: Final[tuple[Change, ...]] = ("new_failure", "error", "inconclusive")
_OTHER: Final[tuple[Change, ...]] = ("fixed", "changed", "waived_failure", "unjudged")
NOUNS: Final[dict[Change, tuple[str, str]]] = {
    "new_failure": ("new failure", "new failures"),
    "error": ("new error of the suite", "new errors of the suite"),
    "inconclusive": ("newly inconclusive case", "newly inconclusive cases"),
    "fixed": ("fixed failure", "fixed failures"),
    "changed": ("failure with another finding", "failures with another finding"),
    "waived_failure": ("new failure that is waived", "new failures that are waived"),
    "unjudged": ("failure that is not judged any more", "failures that are not judged any more"),
}
_KEYS: Final[tuple[tuple[KeyWord, str, str], ...]] = (
    ("vanished", "vanished key", "vanished keys"),
    ("served", "newly served key", "newly served keys"),
)
CAUSE_WORDS: Final[dict[Cause, str]] = {
    "server": "the server changed",
    "suite": "the suite changed: it finds this in the old exchanges, too",
    "profile": "the profile changed",
    "extent": "one run covered more than the other (level, fields of the profile, selection, interruption)",
    "unknown": "cause not known",
}


def render_changes_markdown(comparison: Comparison) -> str:
    """The changes as Markdown, for a pull request; every text of a target stands in a code span."""
    blocks = [f"## {changes_in_a_line(comparison)}", "\n".join(_sides(comparison, code_span))]
    blocks += [f"**{code_span(trouble, _LONGEST)}**" for trouble in comparison.trouble[:MOST_REASONS]]
    notes = "\n".join(f"- {code_span(note, _LONGEST)}" for note in comparison.notes)
    sections = _sections(comparison, lambda text: code_span(text, _LONGEST))
    blocks += [
        *([notes] if notes else []),
        *(f"### {title}\n\n{_listed(items)}" for title, items in sections),
    ]
    return "\n\n".join(blocks) + "\n"


def render_changes_text(comparison: Comparison) -> str:
    """The changes as plain text."""
    lines = [changes_in_a_line(comparison), *_sides(comparison, one_line)]
    lines += [f"- {one_line(note)}" for note in (*comparison.trouble[:MOST_REASONS], *comparison.notes)]
    for title, items in _sections(comparison, lambda text: one_line(text, _LONGEST)):
        indented = (f"{'    ' if depth else '  '}{line}" for item in items for depth, line in enumerate(item))
        lines += ["", title, *indented]
    return "\n".join(lines) + "\n"


def render_changes_part(comparison: Comparison) -> str:
    """The changes in a few lines of Markdown, within a summary that shows the findings anyway."""
    since = f"{code_span(comparison.old.target)}, {comparison.old.started}"
    blocks = [
        f"### {changes_in_a_line(comparison)}",
        f"The baseline: {since}. All changes are in changes.md.",
    ]
    worse = [one for change in _WORSE for one in comparison.of(change)]
    items = [
        f"- {NOUNS[one.change][0]}: {code_span(one.id, _LONGEST)}; {CAUSE_WORDS[one.cause]}"
        for one in worse[:MOST_REASONS]
    ]
    more = [f"- … and {len(worse) - MOST_REASONS:,} more"] if len(worse) > MOST_REASONS else []
    return "\n\n".join([*blocks, *(["\n".join([*items, *more])] if items else [])])


def render_changes_lines(comparison: Comparison) -> list[str]:
    """The changes in a few lines of a terminal."""
    failures = comparison.of("new_failure")
    shown = [f"new: {one_line(one.id, _LONGEST)}; {CAUSE_WORDS[one.cause]}" for one in failures[:MOST_LINES]]
    left = len(failures) - len(shown)
    more = [f"… and {left:,} more in changes.md"] if left else []
    return [changes_in_a_line(comparison), *(f"    {line}" for line in (*shown, *more))]


def changes_in_a_line(comparison: Comparison) -> str:
    """What changed, counted in a line, what got worse first."""
    keys = [(len(comparison.keys_of(word)), one, many) for word, one, many in _KEYS]
    counted_keys = [plural(number, one, many) for number, one, many in keys if number]
    said = [*_counted_changes(comparison, _WORSE), *counted_keys, *_counted_changes(comparison, _OTHER)]
    if not comparison.common:
        return "Nothing to compare: the runs have no case in common"
    return f"Since the baseline: {', '.join(said)}" if said else "Since the baseline: nothing changed"


def _counted_changes(comparison: Comparison, changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        found = comparison.of(change)
        if found:
            yield plural(len(found), *NOUNS[change])


def _sides(comparison: Comparison, shown: Shown) -> list[str]:
    return [f"- old: {_side(comparison.old, shown)}", f"- new: {_side(comparison.new, shown)}"]


def _side(side: Side, shown: Shown) -> str:
    target = f"{shown(side.target)} at {shown(side.base_url)}"
    cases = plural(side.cases, "case")
    return f"{target}, {side.started}, level {side.level}, {cases}: {headline(side).lower()}"


def _sections(comparison: Comparison, shown: Shown) -> Iterator[Section]:
    """Every list that holds something, with its title; an item is its first line and those below it."""
    yield from _of_cases(comparison, ("new_failure", "error"), shown)
    undecided = comparison.of("inconclusive")
    if undecided:
        yield plural(len(undecided), *NOUNS["inconclusive"]), _reasons(undecided, shown)
    for word, one, many in _KEYS:
        keys = comparison.keys_of(word)
        if keys:
            items = [_key_item(key, shown) for key in keys[:MOST_CHANGES]]
            yield plural(len(keys), one, many), _cut(items, len(keys))
    yield from _of_cases(comparison, _OTHER, shown)
    for appliances, verb in ((comparison.came, "came"), (comparison.went, "went")):
        if appliances:
            named = [(f"{shown(one.ha_id)} ({shown(one.kind)})",) for one in appliances[:MOST_CHANGES]]
            yield f"appliances that {verb}", _cut(named, len(appliances))
    counted = list(_counts(comparison))
    if counted:
        yield "counted only", counted


def _of_cases(comparison: Comparison, changes: Iterable[Change], shown: Shown) -> Iterator[Section]:
    for change in changes:
        found = comparison.of(change)
        if found:
            items = [_item(one, shown) for one in found[:MOST_CHANGES]]
            yield plural(len(found), *NOUNS[change]), _cut(items, len(found))


def _item(one: CaseChange, shown: Shown) -> tuple[str, ...]:
    finding = shown(one.message if one.after else one.message_before) or "no message"
    was = f"was {_word(one.before)}" if one.before else "no such case before"
    became = {"fixed": f", is {_word(one.after)}", "unjudged": ", has no case now"}.get(one.change, "")
    had_finding = one.change in {"fixed", "changed"} and one.message_before
    then = (f"then: {shown(one.message_before)}",) if had_finding else ()
    first = (finding,) if one.change != "fixed" else ()
    return (*first, shown(one.id), *then, f"{was}{became}; {CAUSE_WORDS[one.cause]}")


def _reasons(undecided: tuple[CaseChange, ...], shown: Shown) -> list[tuple[str, ...]]:
    """Cases that are newly inconclusive, counted by their reason, with one of them as an example."""
    groups: dict[tuple[str, Cause], list[CaseChange]] = {}
    for one in undecided:
        groups.setdefault((mask(one), one.cause), []).append(one)
    largest = sorted(groups.items(), key=lambda group: -len(group[1]))
    items = [
        (
            f"{len(same):,} × {shown(reason)}",  # noqa: RUF001  a count
            f"{'such as ' if len(same) > 1 else ''}{shown(same[0].id)}",
            CAUSE_WORDS[cause],
        )
        for (reason, cause), same in largest[:MOST_REASONS]
    ]
    return _cut(items, len(largest), "further reason")


def _key_item(key: KeyChange, shown: Shown) -> tuple[str, ...]:
    answer = f": {shown(key.message)}" if key.message else ""
    return (f"{shown(key.key)} of {shown(key.ha_id)}{answer}", CAUSE_WORDS[key.cause])


def _counts(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    for counts, where in ((comparison.only_new, "new"), (comparison.only_old, "old")):
        for cause, number in counts.items():
            yield (f"{plural(number, 'case')} in the {where} run alone; {CAUSE_WORDS[cause]}",)
    for transition, number in comparison.transitions.items():
        before, _, after = transition.partition(" to ")
        yield (f"{plural(number, 'case')} from {_word(before)} to {_word(after)}",)


def _cut(items: list[tuple[str, ...]], number: int, noun: str = "more") -> list[tuple[str, ...]]:
    left = number - len(items)
    more = noun if noun == "more" else plural(left, noun).partition(" ")[2]
    return [*items, (f"… and {left:,} {more}: see changes.json",)] if left > 0 else items


def _word(verdict: str) -> str:
    return WORD[verdict] if is_verdict(verdict) else verdict


def _listed(items: list[tuple[str, ...]]) -> str:
    return "\n".join(f"{'  ' if depth else ''}- {line}" for item in items for depth, line in enumerate(item))
