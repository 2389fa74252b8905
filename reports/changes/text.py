"""What changed between two runs, for people: Markdown for a pull request, plain text for a terminal.

Both print one story, what got worse first. Each list is cut and says how much more there is, and where.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from conformance.records.verdicts import is_verdict
from reports.changes.model import CaseChange, Cause, Change, Comparison, KeyChange, KeyWord, Side
from reports.limits import CHANGES
from reports.phrases import WORD, headline, mask, reason_of
from reports.story.blocks import (
    MARKDOWN,
    PLAIN,
    Block,
    Item,
    Line,
    ListRow,
    Title,
    Voice,
    left_out,
    markdown,
    plain,
    some_lines,
    under,
)
from reports.texts import in_a_sentence, plural, time_in_words

Shown = Callable[[str], str]

_LONGEST: Final = 600  # characters of a finding
CHANGES_MARKDOWN: Final = "changes.md"
_IN_A_RUN: Final = "in changes.json"
_BY_CASE: Final[tuple[Change, ...]] = ("error", "inconclusive")  # the others are counted by their findings
_SHOWN: Final[tuple[Change, ...]] = ("new_failure", "error", "inconclusive", "fixed")  # in a few lines
_WORSE: Final[tuple[Change, ...]] = ("new_failure", "error", "inconclusive")
_OTHER: Final[tuple[Change, ...]] = ("fixed", "changed", "waived_failure", "unjudged")
NOUNS: Final[dict[Change, tuple[str, str]]] = {
    "new_failure": ("new finding", "new findings"),
    "error": ("new error of the suite", "new errors of the suite"),
    "inconclusive": ("newly inconclusive case", "newly inconclusive cases"),
    "fixed": ("fixed finding", "fixed findings"),
    "changed": ("finding that reads otherwise now", "findings that read otherwise now"),
    "waived_failure": ("new finding that is waived", "new findings that are waived"),
    "unjudged": ("finding that is not judged any more", "findings that are not judged any more"),
}
_KEYS: Final[tuple[tuple[KeyWord, str, str], ...]] = (
    ("vanished", "vanished key", "vanished keys"),
    ("served", "newly served key", "newly served keys"),
)
CAUSE_WORDS: Final[dict[Cause, str]] = {
    "server": "the server changed",
    "suite": "the suite changed: it finds this in the old exchanges, too",
    "profile": "the profile changed",
    "waiver": "its waiver expired",
    "claim": "probably the profile: it claims this key now",
    "extent": "one run covered more than the other (level, fields of the profile, selection, interruption)",
    "unknown": "cause not known",
}


def changes_story(comparison: Comparison, voice: Voice, rest: str = _IN_A_RUN) -> Iterator[Block]:
    """All that changed, what got worse first; `rest` is where that stands for which there is no room."""
    shown = _shown(voice)
    whole = replace(voice, rest=rest, limits=CHANGES)
    yield Title(changes_in_a_line(comparison), 2, quiet=True)
    for name, side in (("old", comparison.old), ("new", comparison.new)):
        yield ListRow(f"{name}: {_side(side, voice)}")
    yield from some_lines(comparison.trouble, Line("", strong=True), whole)
    yield from (ListRow(shown(note)) for note in comparison.notes)
    for title, items in _sections(comparison, shown):
        yield from under(title, items[: CHANGES.changes], len(items), "further change", whole)


def changes_in_short(comparison: Comparison, voice: Voice) -> Iterator[Block]:
    """What changed in a few lines, beside a story that shows the findings anyway."""
    shown, most = _shown(voice), voice.limits.changes
    yield Title(changes_in_a_line(comparison), quiet=True)
    rows = [f"{shown(one.ha_id)} no longer answers" for one in comparison.silent]
    rows += [line for groups in _groups(comparison, _SHOWN) for line in _lines(groups, shown)]
    yield from map(ListRow, rows[:most])
    yield from left_out(len(rows) - most, "further change", f"in {shown(CHANGES_MARKDOWN)}")


def render_changes_markdown(comparison: Comparison, rest: str = _IN_A_RUN) -> str:
    """The changes as Markdown, for a pull request; every text of a target stands in a code span."""
    return "\n\n".join(markdown(changes_story(comparison, MARKDOWN, rest))) + "\n"


def render_changes_text(comparison: Comparison, rest: str = _IN_A_RUN) -> str:
    """The changes as plain text."""
    return "".join(f"{line}\n" for line, _ in plain(changes_story(comparison, PLAIN, rest)))


def changes_in_a_line(comparison: Comparison) -> str:
    """What changed, counted in a line, what got worse first, and what was known before."""
    if not comparison.common:
        return "Nothing to compare: the runs have no case in common"
    keys = [(len(comparison.keys_of(word)), one, many) for word, one, many in _KEYS]
    said = [
        *([_fallen_silent(comparison)] if comparison.silent else []),
        *(_counted(groups) for groups in _groups(comparison, _WORSE)),
        *(plural(number, one, many) for number, one, many in keys if number),
        *(_counted(groups) for groups in _groups(comparison, _OTHER)),
    ]
    known = f"; {known_in_words(comparison.known)}" if comparison.known else ""
    return f"Since the baseline: {', '.join(said) or 'nothing changed'}{known}"


def known_in_words(known: Mapping[str, str]) -> str:
    """What both runs have found: `1 finding is known since 2026-11-03`."""
    found = plural(len(known), "finding is known", "findings are known")
    return f"{found} since {min(known.values())[:10]}{' and later' if len(set(known.values())) > 1 else ''}"


def cause_in_words(one: CaseChange) -> str:
    """Who caused a change, with the day on which its waiver expired."""
    return f"{CAUSE_WORDS[one.cause]}{f' on {one.expired}' if one.expired else ''}"


def _fallen_silent(comparison: Comparison) -> str:
    """That appliances give no value any more: `3 appliances no longer answer`."""
    return plural(len(comparison.silent), "appliance no longer answers", "appliances no longer answer")


def _groups(comparison: Comparison, changes: Iterable[Change]) -> Iterator[list[list[CaseChange]]]:
    """For each sort of change that there is, its cases: those of one finding together, others one by one.

    Of an appliance that fell silent these are only its failures.
    """
    silent = {appliance.ha_id for appliance in comparison.silent}
    for change in changes:
        groups: dict[str, list[CaseChange]] = {}
        for one in comparison.of(change):
            if change != "inconclusive" or one.ha_id not in silent:
                groups.setdefault(("" if change in _BY_CASE else one.finding) or one.id, []).append(one)
        if groups:
            yield list(groups.values())


def _counted(groups: list[list[CaseChange]]) -> str:
    """How many findings changed in one way, and in how many cases: `16 new findings in 73 cases`."""
    cases = sum(map(len, groups))
    within = f" in {plural(cases, 'case')}" if cases > len(groups) else ""
    return f"{plural(len(groups), *NOUNS[groups[0][0].change])}{within}"


def _lines(groups: list[list[CaseChange]], shown: Shown) -> Iterator[str]:
    """A line for each finding that changed in one way; newly inconclusive cases by their reason."""
    change = groups[0][0].change
    if change == "inconclusive":
        for (reason, cause), same in _by_reason(groups):
            yield f"{plural(len(same), *NOUNS[change])}: {shown(reason)}; {CAUSE_WORDS[cause]}"
    else:
        yield from (f"{NOUNS[change][0]}: {_named(group, shown)}; {_causes(group)}" for group in groups)


def _named(group: list[CaseChange], shown: Shown) -> str:
    """The case that stands for some, and how many more there are."""
    return f"{shown(group[0].id)}{f' and {len(group) - 1:,} more' if len(group) > 1 else ''}"


def _causes(group: list[CaseChange]) -> str:
    return "; ".join(dict.fromkeys(map(cause_in_words, group)))


def _side(side: Side, voice: Voice) -> str:
    target = f"{voice.quote(side.target, 400)} at {voice.quote(side.base_url, 400)}"
    cases = plural(side.cases, "case")
    said = voice.sentence(in_a_sentence(headline(side)))
    return f"{target}, {time_in_words(side.started)}, level {side.level}, {cases}: {said}"


def _sections(comparison: Comparison, shown: Shown) -> Iterator[tuple[str, list[Item]]]:
    """Every list with its title."""
    yield _fallen_silent(comparison), list(_silent_items(comparison, shown))
    for groups in _groups(comparison, _WORSE):
        yield _counted(groups), _items(groups, shown)
    for word, one, many in _KEYS:
        keys = comparison.keys_of(word)
        yield plural(len(keys), one, many), [_key_item(key, shown) for key in keys]
    for groups in _groups(comparison, _OTHER):
        yield _counted(groups), _items(groups, shown)
    for appliances, verb in ((comparison.came, "came"), (comparison.went, "went")):
        yield (
            f"appliances that {verb}",
            [Item(f"{shown(one.ha_id)} ({shown(one.kind)})") for one in appliances],
        )


def _silent_items(comparison: Comparison, shown: Shown) -> Iterator[Item]:
    """Each appliance that gives no value any more: how it says so, and how many cases that leaves open."""
    open_cases = Counter(one.ha_id for one in comparison.of("inconclusive"))
    says = {one.ha_id: one.message for one in comparison.of("inconclusive") if one.clause == "ADDR-BASE"}
    for one in comparison.silent:
        told = [shown(says[one.ha_id])] if says.get(one.ha_id) else []
        cases = plural(open_cases[one.ha_id], *NOUNS["inconclusive"])
        yield Item(f"{shown(one.ha_id)} ({shown(one.kind)})", (*told, cases))


def _items(groups: list[list[CaseChange]], shown: Shown) -> list[Item]:
    """What changed in one way: each finding, or each reason with its number and one of its cases."""
    if groups[0][0].change != "inconclusive":
        return [_item(group, shown) for group in groups]
    return [
        Item(
            f"{len(same):,} × {shown(reason)}",  # noqa: RUF001  a count
            (f"{'such as ' if len(same) > 1 else ''}{shown(same[0].id)}", CAUSE_WORDS[cause]),
        )
        for (reason, cause), same in _by_reason(groups)
    ]


def _item(group: list[CaseChange], shown: Shown) -> Item:
    one = group[0]
    finding = shown(one.message if one.after else one.message_before) or "no message"
    was = f"was {_word(one.before)}" if one.before else "no such case before"
    became = {"fixed": f", is {_word(one.after)}", "unjudged": ", has no case now"}.get(one.change, "")
    had_finding = one.change in {"fixed", "changed"} and one.message_before
    then = (f"then: {shown(one.message_before)}",) if had_finding else ()
    lines = (_named(group, shown), *then, f"{was}{became}; {_causes(group)}")
    return Item(lines[0], lines[1:]) if one.change == "fixed" else Item(finding, lines)


def _by_reason(groups: Iterable[list[CaseChange]]) -> list[tuple[tuple[str, Cause], list[CaseChange]]]:
    """Cases that are newly inconclusive by reason and cause, the most frequent first."""
    found: dict[tuple[str, Cause], list[CaseChange]] = {}
    for group in groups:
        for one in group:
            found.setdefault((mask(one), one.cause), []).append(one)
    ordered = sorted(found.items(), key=lambda reason: -len(reason[1]))
    return [((reason_of(same), cause), same) for (_, cause), same in ordered]


def _key_item(key: KeyChange, shown: Shown) -> Item:
    answer = f": {shown(key.message)}" if key.message else ""
    return Item(f"{shown(key.key)} of {shown(key.ha_id)}{answer}", (CAUSE_WORDS[key.cause],))


def _shown(voice: Voice) -> Shown:
    return lambda text: voice.quote(text, _LONGEST)


def _word(verdict: str) -> str:
    return WORD[verdict] if is_verdict(verdict) else verdict
